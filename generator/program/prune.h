// Removes what nothing needs: carried registers that are never read, and what only they read.
#pragma once

#include "generator/program/program.h"

namespace mw::gen {

/// For a function whose callees store nothing.
void pruneFunction(Function& function);

}  // namespace mw::gen

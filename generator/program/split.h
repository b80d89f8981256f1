// Cuts long entries into functions of bounded size that hand values on through `work`.
#pragma once

#include "generator/program/program.h"

namespace mw::gen {

/// Splits `function` (the last one of `program`, not yet appended) where it is longer than `limit`: its pieces are
/// appended to the program and `function` becomes a list of calls. Spill slots start at `work[spill_base]`; returns how
/// many it uses.
int splitFunction(Program& program, Function& function, int limit, int spill_base);

}  // namespace mw::gen

// The program walked instruction by instruction over pre-decoded code. Making one costs about as much as reading the
// program once, so it also serves to run many altered programs.
#pragma once

#include <memory>

#include "engine/kernel/kernel.h"
#include "engine/model/model.h"
#include "generator/program/program.h"

namespace mw::gen {

/// Throws std::invalid_argument for a malformed program.
Kernel makeInterpreter(const Program& program, const Model& model);

}  // namespace mw::gen

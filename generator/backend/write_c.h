// The program as one C11 file that stands alone.
#pragma once

#include <string>
#include <vector>

#include "engine/model/model.h"
#include "generator/program/program.h"

namespace mw::gen {

/// The same text on every machine and in every locale. `lines` receives, per line, the body it belongs to (kBase:
/// none).
std::string writeCFile(const Program& program, const Model& model, std::vector<int>* lines);

/// `name` made a C identifier (letters, digits and underscores, not starting with a digit; empty: "mechanism").
std::string identifier(const std::string& name);

}  // namespace mw::gen

// From text to Model: names resolved, expressions folded, units and ranges checked, every fault reported with place and
// remedy.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/diagnostic.h"
#include "engine/mech/syntax_tree.h"
#include "engine/model/model.h"

namespace mw {

struct ReadResult {
    Model model;                          ///< as far as it could be understood; runnable only without errors
    std::vector<Diagnostic> diagnostics;  ///< in order of place
    bool ok() const { return !hasErrors(diagnostics); }
};

/// Reads a parsed text. Never throws for content. `folder` is where relative mesh files are looked for (empty: not
/// looked for).
ReadResult readModel(const mech::SyntaxTree& tree, const std::filesystem::path& folder = {});
/// The same from text.
ReadResult readModel(const std::string& text, const std::filesystem::path& folder = {});

}  // namespace mw

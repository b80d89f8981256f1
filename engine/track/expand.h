// Expansion of bands, Model -> Model: a track statement becomes a floating anchor shoe, a chain of revolute pins and
// one point-on-line closure, with the design pose in their start coordinates. Everything that derives, runs or draws a
// mechanism starts from the expanded Model.
#pragma once

#include <filesystem>
#include <string>

#include "engine/mech/syntax_tree.h"
#include "engine/model/read.h"

namespace mw {

/// Reads a text and expands its tracks. The same promises as readModel; warnings of the belt are among the diagnostics.
/// With errors, the Model is returned as far as it was understood, tracks that could not be laid unexpanded.
ReadResult readMechanism(const mech::SyntaxTree& tree, const std::filesystem::path& folder = {});
ReadResult readMechanism(const std::string& text, const std::filesystem::path& folder = {});

/// Appends the shoes of every track to the bodies (in file order of the tracks: `left.shoe0` is the anchor),
/// `left.closure` to the loops and a Repeat each, which covers the shoes on pins: from `left.shoe1` on, one fewer than
/// there are shoes; fills in the tracks' own fields. What is wrong or odd goes to `diagnostics`. Tracks that are
/// expanded already stay as they are.
void expandTracks(Model& model, std::vector<Diagnostic>& diagnostics);

/// Where the shoe's index is in its band, and which track a body belongs to; -1: no shoe.
struct ShoePlace {
    int track = -1, index = -1;
};
ShoePlace shoePlaceOf(const Model& model, int body);

}  // namespace mw

// Sampled heights from a file (docs/language.md, "ground"): plain text, read once and kept while the file stays as it
// is.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "engine/model/model.h"

namespace mw {

/// Most samples of a grid.
constexpr std::size_t kMostHeights = 4'000'000;

struct HeightFile {
    std::shared_ptr<const HeightGrid> grid;  ///< null: `fault` says why
    std::string fault;                       ///< with the line of the file
    bool missing = false;                    ///< there is no such file
};

/// Never throws for content. Safe to call from any thread.
HeightFile readHeights(const std::filesystem::path& file);

}  // namespace mw

// Pictures in memory and as PNG files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mw::render {

struct Image {
    int width = 0, height = 0;
    std::vector<std::uint8_t> rgb;  ///< rows from the top
    const std::uint8_t* at(int x, int y) const {
        return &rgb[3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x))];
    }
};

/// False when the file could not be written.
bool writePng(const Image& image, const std::string& path);

}  // namespace mw::render

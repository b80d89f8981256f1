// Reads corners of .obj and .stl, and remembers the last few files: a studio reads a text at every key.
#include "engine/model/mesh_points.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <list>
#include <mutex>
#include <string_view>
#include <system_error>

namespace mw {
namespace {

namespace fs = std::filesystem;

std::string_view nextWord(std::string_view& line) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return line = {};
    line.remove_prefix(begin);
    const std::string_view word = line.substr(0, line.find_first_of(" \t\r"));
    line.remove_prefix(word.size());
    return word;
}

bool number(std::string_view word, double& value) {
    if (!word.empty() && word.front() == '+') word.remove_prefix(1);
    const auto end = std::from_chars(word.data(), word.data() + word.size(), value);
    return end.ec == std::errc() && end.ptr == word.data() + word.size() && std::isfinite(value);
}

/// Lines that begin with `head` and go on with three numbers.
std::string readLines(std::string_view text, std::string_view head, std::vector<Vector3d>& points) {
    int count = 0;
    while (!text.empty()) {
        ++count;
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (nextWord(line) != head) continue;
        Vector3d p{};
        for (double& x : p)
            if (!number(nextWord(line), x)) return fmt::format("line {}: a corner needs three numbers", count);
        if (points.size() >= kMostCorners) return "more than two million corners";
        points.push_back(p);
    }
    return {};
}

std::string readBinary(std::string_view bytes, std::uint32_t count, std::vector<Vector3d>& points) {
    if (std::size_t(count) * 3 > kMostCorners) return "more than two million corners";
    for (std::uint32_t t = 0; t < count; ++t) {
        for (std::size_t k = 0; k < 3; ++k) {
            float p[3];
            std::memcpy(p, bytes.data() + 84 + 50 * std::size_t(t) + 12 + 12 * k, sizeof p);
            if (!std::isfinite(p[0]) || !std::isfinite(p[1]) || !std::isfinite(p[2]))
                return "a corner is not a finite number";
            points.push_back({p[0], p[1], p[2]});
        }
    }
    return {};
}

MeshPoints read(const fs::path& file, std::uintmax_t size) {
    if (size > kMostMeshBytes) return {nullptr, "it is larger than 256 MB"};
    std::ifstream stream(file, std::ios::binary);
    std::string bytes(static_cast<std::size_t>(size), '\0');
    if (!stream.read(bytes.data(), static_cast<std::streamsize>(size))) return {nullptr, "it could not be read"};

    std::string ending = file.extension().string();
    for (char& c : ending)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    std::vector<Vector3d> points;
    std::string fault;
    if (ending == ".obj") {
        fault = readLines(bytes, "v", points);
    } else {
        // A binary file is exactly as long as its count says, whatever its first word is.
        std::uint32_t count = 0;
        if (bytes.size() >= 84) std::memcpy(&count, bytes.data() + 80, 4);
        if (bytes.size() >= 84 && bytes.size() == 84 + 50 * std::size_t(count))
            fault = readBinary(bytes, count, points);
        else fault = readLines(bytes, "vertex", points);
    }
    if (!fault.empty()) return {nullptr, fault};
    std::sort(points.begin(), points.end());
    points.erase(std::unique(points.begin(), points.end()), points.end());
    if (points.size() < 4) return {nullptr, "it has fewer than four corners"};
    return {std::make_shared<const std::vector<Vector3d>>(std::move(points)), {}};
}

}  // namespace

MeshPoints readMeshPoints(const fs::path& file) {
    struct Entry {
        fs::path file;
        fs::file_time_type changed;
        std::uintmax_t size;
        MeshPoints result;
    };
    static std::mutex mutex;
    static std::list<Entry> kept;
    std::error_code fault;
    const fs::file_time_type changed = fs::last_write_time(file, fault);
    const std::uintmax_t size = fault ? 0 : fs::file_size(file, fault);
    if (fault) return {nullptr, "it is not there"};
    const std::lock_guard lock(mutex);
    for (auto entry = kept.begin(); entry != kept.end(); ++entry) {
        if (entry->file != file || entry->changed != changed || entry->size != size) continue;
        kept.splice(kept.begin(), kept, entry);
        return entry->result;
    }
    kept.push_front({file, changed, size, read(file, size)});
    if (kept.size() > 16) kept.pop_back();
    return kept.front().result;
}

}  // namespace mw

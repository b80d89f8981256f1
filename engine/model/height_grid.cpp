// Reads files of heights, and remembers the last few: a studio reads a text at every key.
#include "engine/model/height_grid.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <list>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>

namespace mw {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestFile = 160u << 20;

/// Words of a text apart by blanks and line ends, without comments.
class Words {
public:
    explicit Words(std::string_view text) : text_(text) {}

    std::string_view next() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '#') {
                while (at_ < text_.size() && text_[at_] != '\n') ++at_;
            } else if (c == '\n') {
                ++line_, ++at_;
            } else if (blank(c)) {
                ++at_;
            } else {
                break;
            }
        }
        const std::size_t begin = at_;
        while (at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '#' && !blank(text_[at_])) ++at_;
        return text_.substr(begin, at_ - begin);
    }
    int line() const { return line_; }

private:
    static bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
    std::string_view text_;
    std::size_t at_ = 0;
    int line_ = 1;
};

std::string shown(std::string_view word) {
    std::string text(word.substr(0, 30));
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7F) c = '?';
    return text;
}

std::optional<double> number(std::string_view word) {
    if (!word.empty() && word.front() == '+') word.remove_prefix(1);
    double value = 0;
    const auto end = std::from_chars(word.data(), word.data() + word.size(), value);
    if (end.ec != std::errc() || end.ptr != word.data() + word.size() || !std::isfinite(value)) return std::nullopt;
    return value;
}

HeightFile parse(std::string_view text) {
    if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
    Words words(text);
    const auto fault = [&](std::string what) {
        return HeightFile{nullptr, fmt::format("line {}: {}", words.line(), what), false};
    };
    if (words.next() != "heights") return fault("it does not begin with `heights nx ny x0 y0 dx dy`");
    HeightGrid grid;
    double size[2] = {};
    double* const head[6] = {&size[0], &size[1], &grid.x0, &grid.y0, &grid.dx, &grid.dy};
    const char* const names[6] = {"nx", "ny", "x0", "y0", "dx", "dy"};
    for (std::size_t i = 0; i < 6; ++i) {
        const std::string_view word = words.next();
        const std::optional<double> value = number(word);
        if (!value) return fault(fmt::format("{} is '{}', which is no finite number", names[i], shown(word)));
        *head[i] = *value;
    }
    for (std::size_t i = 0; i < 2; ++i)
        if (!(size[i] >= 2 && size[i] <= static_cast<double>(kMostHeights) && size[i] == std::floor(size[i])))
            return fault(fmt::format("{} is {}, not a whole number of at least 2", names[i], size[i]));
    if (size[0] * size[1] > static_cast<double>(kMostHeights))
        return fault(fmt::format("{} by {} heights are more than {}", size[0], size[1], kMostHeights));
    for (std::size_t i = 4; i < 6; ++i)
        if (!(*head[i] > 0)) return fault(fmt::format("{} is {}, not more than 0", names[i], *head[i]));
    grid.nx = static_cast<int>(size[0]);
    grid.ny = static_cast<int>(size[1]);
    const std::size_t count = static_cast<std::size_t>(grid.nx) * static_cast<std::size_t>(grid.ny);
    grid.heights.reserve(std::min(count, text.size() / 2 + 1));
    while (grid.heights.size() < count) {
        const std::string_view word = words.next();
        if (word.empty())
            return fault(
                fmt::format("it ends after {} heights; {} by {} are {}", grid.heights.size(), grid.nx, grid.ny, count));
        const std::optional<double> value = number(word);
        if (!value) return fault(fmt::format("'{}' is no finite number", shown(word)));
        grid.heights.push_back(*value);
    }
    if (const std::string_view word = words.next(); !word.empty())
        return fault(fmt::format("'{}' stands behind the last of {} heights", shown(word), count));
    return {std::make_shared<const HeightGrid>(std::move(grid)), "", false};
}

struct Kept {
    fs::path file;
    std::uintmax_t size = 0;
    fs::file_time_type time;
    HeightFile result;
};

}  // namespace

HeightFile readHeights(const fs::path& file) {
    std::error_code error;
    if (!fs::is_regular_file(file, error)) return {nullptr, "there is no such file", true};
    const std::uintmax_t size = fs::file_size(file, error);
    if (error || size > kLargestFile)
        return {nullptr, fmt::format("line 1: it has more than {} MB", kLargestFile >> 20), false};
    const fs::file_time_type time = fs::last_write_time(file, error);

    static std::mutex guard;
    static std::list<Kept> kept;
    const std::lock_guard<std::mutex> lock(guard);
    for (const Kept& k : kept)
        if (k.file == file && k.size == size && k.time == time) return k.result;
    std::ifstream stream(file, std::ios::binary);
    std::string text(static_cast<std::size_t>(size), '\0');
    stream.read(text.data(), static_cast<std::streamsize>(size));
    if (!stream) return {nullptr, "line 1: it cannot be read", false};
    HeightFile result = parse(text);
    std::erase_if(kept, [&](const Kept& k) { return k.file == file; });
    kept.push_front({file, size, time, result});
    if (kept.size() > 8) kept.pop_back();
    return result;
}

}  // namespace mw

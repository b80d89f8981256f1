// A cache file is a mark, the hash of what follows, and the object; it is written beside its place and renamed into it.
#include "generator/jit/object_cache.h"

#include <atomic>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <system_error>
#include <unistd.h>

namespace mw::gen {

namespace {

constexpr char kMark[9] = "mwobj001";
constexpr std::size_t kHead = 8 + 16;

std::filesystem::path fileOf(const std::filesystem::path& folder, const Hash& key) {
    return folder / (key.hex() + ".o");
}

std::string headOf(const std::string& object) {
    const Hash hash = hashBytes(object.data(), object.size());
    std::string head(kMark, 8);
    for (const std::uint64_t word : {hash.high, hash.low})
        for (int k = 0; k < 8; ++k) head += static_cast<char>((word >> (8 * k)) & 0xff);
    return head;
}

}  // namespace

std::optional<std::string> readObject(const std::filesystem::path& folder, const Hash& key) {
    if (folder.empty()) return std::nullopt;
    const std::filesystem::path path = fileOf(folder, key);
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    file.close();
    if (text.size() > kHead) {
        std::string object = text.substr(kHead);
        if (text.compare(0, kHead, headOf(object)) == 0) return object;
    }
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
    return std::nullopt;
}

void writeObject(const std::filesystem::path& folder, const Hash& key, const std::string& object) {
    if (folder.empty()) return;
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return;
    static std::atomic<unsigned> serial{0};
    const std::filesystem::path path = fileOf(folder, key);
    std::filesystem::path temporary = path;
    temporary += "." + std::to_string(::getpid()) + "." + std::to_string(serial++);
    {
        std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
        const std::string head = headOf(object);
        file.write(head.data(), static_cast<std::streamsize>(head.size()));
        file.write(object.data(), static_cast<std::streamsize>(object.size()));
        file.flush();
        if (!file) error = std::make_error_code(std::errc::io_error);
    }
    if (!error) std::filesystem::rename(temporary, path, error);
    if (error) {
        std::error_code ignored;
        std::filesystem::remove(temporary, ignored);
    }
}

}  // namespace mw::gen

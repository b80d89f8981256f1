// 128-bit content hashes (XXH3): of texts, models, kernels and states. Same value on every machine.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace mw {

struct Hash {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    bool operator==(const Hash&) const = default;
    auto operator<=>(const Hash&) const = default;
    /// 32 hexadecimal digits.
    std::string hex() const;
};

Hash hashBytes(const void* data, std::size_t size);
Hash hashText(std::string_view text);

/// Gathers plain values into one hash. Doubles enter by their bits (so -0 differs from 0, and every NaN pattern
/// counts).
class Hasher {
public:
    Hasher();
    Hasher(const Hasher&) = delete;
    Hasher& operator=(const Hasher&) = delete;
    ~Hasher();
    Hasher& add(std::string_view text);  ///< its length enters too, so "ab"+"c" differs from "a"+"bc"
    Hasher& add(double value);
    Hasher& add(std::int64_t value);
    Hasher& add(std::span<const double> values);
    Hasher& add(const Hash& hash);
    Hash finish() const;

private:
    void* state_;
};

}  // namespace mw

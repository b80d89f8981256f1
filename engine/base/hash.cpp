// XXH3 with 128 bits, behind our own names.
#include "engine/base/hash.h"

#include <bit>
#include <fmt/format.h>
#include <xxhash.h>

namespace mw {
namespace {
Hash fromXxh(XXH128_hash_t h) { return {h.high64, h.low64}; }
XXH3_state_t* stateOf(void* state) { return static_cast<XXH3_state_t*>(state); }
}  // namespace

std::string Hash::hex() const { return fmt::format("{:016x}{:016x}", high, low); }

Hash hashBytes(const void* data, std::size_t size) { return fromXxh(XXH3_128bits(data, size)); }
Hash hashText(std::string_view text) { return hashBytes(text.data(), text.size()); }

Hasher::Hasher() : state_(XXH3_createState()) { XXH3_128bits_reset(stateOf(state_)); }
Hasher::~Hasher() { XXH3_freeState(stateOf(state_)); }

Hasher& Hasher::add(std::string_view text) {
    add(static_cast<std::int64_t>(text.size()));
    XXH3_128bits_update(stateOf(state_), text.data(), text.size());
    return *this;
}
Hasher& Hasher::add(double value) { return add(std::bit_cast<std::int64_t>(value)); }
Hasher& Hasher::add(std::int64_t value) {
    XXH3_128bits_update(stateOf(state_), &value, sizeof value);
    return *this;
}
Hasher& Hasher::add(std::span<const double> values) {
    add(static_cast<std::int64_t>(values.size()));
    XXH3_128bits_update(stateOf(state_), values.data(), values.size() * sizeof(double));
    return *this;
}
Hasher& Hasher::add(const Hash& hash) {
    return add(static_cast<std::int64_t>(hash.high)).add(static_cast<std::int64_t>(hash.low));
}
Hash Hasher::finish() const { return fromXxh(XXH3_128bits_digest(stateOf(state_))); }

}  // namespace mw

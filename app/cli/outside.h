// The outside opinion as gates of mech validate.
#pragma once

#include <cstdint>

#include "app/cli/support.h"
#include "engine/proof/gates.h"

namespace mw::cli {

/// Asks mech-crosscheck, where it was built, and adds a gate for each of its checks: crosscheck.ENGINE.CHECK. Not
/// built: one gate `crosscheck`, skipped, that says so.
void addOutsideOpinion(const Source& source, int trials, std::uint64_t seed, ProofReport& report);

}  // namespace mw::cli

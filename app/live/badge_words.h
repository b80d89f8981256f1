// The words of the proof badge.
#pragma once

#include <string>

#include "app/live/workshop.h"

namespace mw::app {

Badge makeBadge(Badge::State state, const std::string& text, std::string detail = {}, double progress = 0);
/// `outside`: what is known of the outside opinion so far.
Badge proofBadge(const ProofReport& proof, const OutsideOpinion* outside = nullptr);

}  // namespace mw::app

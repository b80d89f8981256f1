// Three levels; one down as soon as the budget is exceeded, one up only after a calm stretch that grows with every
// failed try.
#include "app/render/quality.h"

#include <algorithm>

namespace mw::render {

Quality QualityGovernor::of(int level) {
    switch (level) {
        case 0: return {1, 0};
        case 1: return {1, 256};
        default: return kFullQuality;
    }
}

double QualityGovernor::predicted(int level) const {
    if (cost_[level] > 0) return cost_[level];
    // Not tried yet: shadows add a few milliseconds, four samples about double the fill.
    for (int below = level - 1; below >= 0; --below) {
        if (cost_[below] > 0) return (cost_[below] + 3) * (level == kLevels - 1 ? 2.4 : 1);
    }
    return 0;
}

Quality QualityGovernor::next(bool still) {
    if (still) {
        ++still_frames_;
        // One frame's patience: a pause between two mouse moves is not stillness.
        level_ = still_frames_ >= 2 ? kLevels - 1 : std::max(level_, moving_level_);
        return of(level_);
    }
    still_frames_ = 0;
    if (moving_level_ + 1 < kLevels && calm_frames_ >= patience_ && predicted(moving_level_ + 1) < 0.75 * kBudget) {
        ++moving_level_;
        calm_frames_ = 0;
    }
    level_ = moving_level_;
    return of(level_);
}

void QualityGovernor::measured(double milliseconds) {
    double& cost = cost_[level_];
    cost = cost > 0 ? cost + 0.2 * (milliseconds - cost) : milliseconds;
    if (still_frames_ > 0) return;
    if (milliseconds > kBudget && moving_level_ > 0) {
        --moving_level_;
        calm_frames_ = 0;
        patience_ = std::min(patience_ * 2, 600);
    } else if (milliseconds < 0.7 * kBudget) {
        ++calm_frames_;
    } else {
        calm_frames_ = 0;
    }
}

}  // namespace mw::render

// How much a frame may cost. While things move, antialiasing and shadows give way to the frame budget; a picture that
// stands still is refined to full quality within a few frames.
#pragma once

namespace mw::render {

struct Quality {
    int samples = 4;   ///< 1: plain
    int shadow = 512;  ///< size of the shadow picture in px; 0: none
    bool operator==(const Quality&) const = default;
};
constexpr Quality kFullQuality{};

class QualityGovernor {
public:
    static constexpr double kBudget = 33;  ///< ms

    /// What to draw the next frame with. `still`: nothing has changed since the last frame.
    Quality next(bool still);
    /// What that frame cost, ms.
    void measured(double milliseconds);
    /// The picture shown is not at full quality yet: draw again although nothing changed.
    bool wantsRefinement() const { return level_ < kLevels - 1; }

private:
    static constexpr int kLevels = 3;
    static Quality of(int level);
    double predicted(int level) const;

    int level_ = 0;  // of the last frame
    int moving_level_ = 1;
    int still_frames_ = 0, calm_frames_ = 0, patience_ = 12;
    double cost_[kLevels] = {0, 0, 0};  // smoothed, 0: unknown
};

}  // namespace mw::render

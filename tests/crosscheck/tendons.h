// Routes of tendons against MuJoCo's: length and moment arms wherever both engines define the same thing, and in words
// where they do not (docs/crosscheck.md).
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/rows/motion_axes.h"
#include "engine/tendon/tendons.h"
#include "tests/crosscheck/crosscheck.h"

namespace mw::cross {

/// Why MuJoCo does not hold this tendon at all; null: it does.
const char* unlike(const Tendon& tendon);
/// Why the two need not agree on a tendon's route at this pose (X as of kernel_abi.h); null: they must. By geometry
/// alone, not by what either of them answered.
const char* unlikeNow(const Tendon& tendon, std::span<const double> param, std::span<const double> X);

/// Length and moment arms of one tendon, arms over our velocities.
struct TendonAt {
    double length = 0;
    std::vector<double> arms;
};

/// All tendons over all states.
class TendonComparison {
public:
    explicit TendonComparison(const Subject& subject);
    void take(int state, std::span<const double> q, std::span<const double> param, std::span<const double> X,
              const MujocoTwin& twin);
    std::vector<Check> finish() const;

private:
    struct Tally {
        int compared = 0;
        std::map<std::string, int> skipped;  ///< by reason
    };
    std::string words() const;
    bool enough() const;

    const Subject& subject_;
    Tendons tendons_;
    MotionAxes axes_;
    TendonRoute route_;
    std::vector<Tally> tally_;  ///< one a tendon
    Check length_, arms_, bends_;
};

}  // namespace mw::cross

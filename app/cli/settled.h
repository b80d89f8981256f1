// What a run on the ground came to: the load that the ground carries, the creep of the patch that stands on it, the
// deepest contact. Fed with the readings of every row.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "engine/model/model.h"
#include "engine/sim/simulation.h"

namespace mw::cli {

class Settled {
public:
    /// `end`: when the run ends, s.
    Settled(const Model& model, double slope, double ramp, double end);
    /// `applied`: what contacts gave in the step that led here.
    void see(double t, const Readings& readings, const ContactTotals& applied);

    double weight() const { return weight_; }
    /// Mean of the ground's force against gravity, over the last half second (or the last half of a shorter run), N.
    double load() const { return load_count_ > 0 ? load_sum_ / load_count_ : 0; }
    /// Speed along the ground of the shoes that stood on it two seconds before the end: the mean place of their
    /// middles over each     /// of the last two seconds, the difference, m/s. None for a run too short, or in the air.
    std::optional<double> creep() const;
    /// Greatest depths over the last half second, and over all of the run after the ramp, m.
    double deepestPair() const { return deepest_pair_; }
    double deepestPoint() const { return deepest_point_; }
    double worstPair() const { return worst_pair_; }
    double worstPoint() const { return worst_point_; }
    /// Greatest tension of each band over the last half second, N.
    const std::vector<double>& tension() const { return tension_; }

private:
    std::vector<double> links_;
    double weight_ = 0, ramp_ = 0, end_ = 0;
    Vector3d up_{0, 0, 1}, normal_{0, 0, 1};
    double load_sum_ = 0;
    int load_count_ = 0;
    double deepest_pair_ = 0, deepest_point_ = 0, worst_pair_ = 0, worst_point_ = 0;
    std::vector<double> tension_;
    bool chosen_ = false;
    std::vector<std::pair<int, double>> patch_;  // shoes, with half their link
    struct Mean {
        Vector3d sum{};
        int count = 0;
    };
    Mean before_, after_;
};

}  // namespace mw::cli

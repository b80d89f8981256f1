// Load, creep and depth of a run on the ground.
#include "app/cli/settled.h"

#include <algorithm>
#include <cmath>

namespace mw::cli {

Settled::Settled(const Model& model, double slope, double ramp, double end) : ramp_(ramp), end_(end) {
    const std::vector<double> param = model.liveValues();
    double mass = 0;
    for (const Body& b : model.bodies) mass += b.mass.at(param);
    Vector3d g{};
    for (std::size_t i = 0; i < 3; ++i) g[i] = model.gravity[i].at(param);
    const double size = std::hypot(g[0], g[1], g[2]);
    weight_ = mass * size;
    if (size > 0)
        for (std::size_t i = 0; i < 3; ++i) up_[i] = -g[i] / size;
    // Of the ground as a whole: its plane, turned about the base's y, uphill towards +x.
    const Vector3d n = model.ground ? model.ground->normal : Vector3d{0, 0, 1};
    normal_ = {n[0] * std::cos(slope) - n[2] * std::sin(slope), n[1], n[0] * std::sin(slope) + n[2] * std::cos(slope)};
    tension_.assign(model.tracks.size(), 0);
    for (const Track& track : model.tracks) links_.push_back(track.link);
}

void Settled::see(double t, const Readings& r, const ContactTotals& applied) {
    if (t >= ramp_) {
        worst_pair_ = std::max(worst_pair_, r.contact_totals.deepest_pair);
        worst_point_ = std::max(worst_point_, r.contact_totals.deepest_point);
    }
    if (t >= end_ - std::min(0.5, end_ / 2)) {
        deepest_pair_ = std::max(deepest_pair_, r.contact_totals.deepest_pair);
        deepest_point_ = std::max(deepest_point_, r.contact_totals.deepest_point);
        const Vector3d& f = applied.ground_force;
        load_sum_ += f[0] * up_[0] + f[1] * up_[1] + f[2] * up_[2];
        ++load_count_;
        for (std::size_t i = 0; i < std::min(tension_.size(), r.tensions.size()); ++i)
            tension_[i] = std::max(tension_[i], r.tensions[i].greatest);
    }
    if (end_ < 2 || t < end_ - 2) return;
    if (!chosen_) {
        chosen_ = true;
        for (const ContactReading& c : r.contacts)
            if (c.kind == ContactReading::Kind::ground && c.normal_force > 0)
                patch_.emplace_back(c.b, links_[static_cast<std::size_t>(c.track)] / 2);
        std::sort(patch_.begin(), patch_.end());
        patch_.erase(std::unique(patch_.begin(), patch_.end()), patch_.end());
    }
    if (patch_.empty()) return;
    Mean& mean = t < end_ - 1 ? before_ : after_;
    for (std::size_t i = 0; i < 3; ++i) {
        double sum = 0;
        for (const auto& [body, half] : patch_) {
            const double* pose = r.X.data() + 12 * static_cast<std::size_t>(body);
            sum += pose[9 + i] + half * pose[3 * i];
        }
        mean.sum[i] += sum / static_cast<double>(patch_.size());
    }
    ++mean.count;
}

std::optional<double> Settled::creep() const {
    if (before_.count == 0 || after_.count == 0) return std::nullopt;
    Vector3d moved{};
    double along_normal = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        moved[i] = after_.sum[i] / after_.count - before_.sum[i] / before_.count;
        along_normal += moved[i] * normal_[i];
    }
    double squared = 0;
    for (std::size_t i = 0; i < 3; ++i) squared += std::pow(moved[i] - along_normal * normal_[i], 2);
    return std::sqrt(squared);  // the means lie one second apart
}

}  // namespace mw::cli

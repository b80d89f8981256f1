// Thinning keeps whole samples, never means: what a plot shows at a time is what the energies were at that time.
#include "app/live/energy_history.h"

#include <algorithm>
#include <cmath>

namespace mw::app {
namespace {

constexpr double EnergySample::*kQuantities[] = {&EnergySample::kinetic,          &EnergySample::gravity,
                                                 &EnergySample::elements,         &EnergySample::dissipated,
                                                 &EnergySample::drives,           &EnergySample::hand,
                                                 &EnergySample::residual,         &EnergySample::loops,
                                                 &EnergySample::contacts,         &EnergySample::contact_dissipated,
                                                 &EnergySample::brake_dissipated, &EnergySample::ramp,
                                                 &EnergySample::ground,           &EnergySample::depth,
                                                 &EnergySample::tension,          &EnergySample::tension_least,
                                                 &EnergySample::tendons,          &EnergySample::tendon_dissipated,
                                                 &EnergySample::row_dissipated,   &EnergySample::injected,
                                                 &EnergySample::numerical};
constexpr std::size_t kExtremes = 2 * std::size(kQuantities);

/// An order that has a place for what is no number: above all others, so that it is kept like a peak.
bool below(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

bool earlier(const EnergySample& sample, double t) { return sample.t < t; }

}  // namespace

std::vector<EnergySample> thinned(const EnergySample* first, const EnergySample* last, std::size_t buckets) {
    std::vector<EnergySample> result;
    const auto count = static_cast<std::size_t>(last - first);
    if (count <= 2 || buckets == 0) {
        if (count > 0) result.push_back(*first);
        if (count > 1) result.push_back(*(last - 1));
        return result;
    }
    std::vector<const EnergySample*> kept;
    kept.push_back(first);
    for (std::size_t b = 0; b < buckets; ++b) {
        const EnergySample* from = first + count * b / buckets;
        const EnergySample* to = first + count * (b + 1) / buckets;
        if (from == to) continue;
        for (const auto quantity : kQuantities) {
            const auto [low, high] = std::minmax_element(
                from, to,
                [quantity](const EnergySample& a, const EnergySample& c) { return below(a.*quantity, c.*quantity); });
            kept.push_back(low);
            kept.push_back(high);
        }
    }
    kept.push_back(last - 1);
    std::sort(kept.begin(), kept.end());
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    for (const EnergySample* sample : kept) result.push_back(*sample);
    return result;
}

EnergyHistory::EnergyHistory(std::size_t capacity) : capacity_(std::max<std::size_t>(capacity, 8 * kExtremes)) {}

void EnergyHistory::add(const EnergySample& sample) {
    if (!samples_.empty() && sample.t < samples_.back().t) truncateAfter(sample.t);
    if (!samples_.empty() && sample.t == samples_.back().t) {
        samples_.back() = sample;
        return;
    }
    samples_.push_back(sample);
    if (samples_.size() <= capacity_) return;
    // The older half is thinned to about a quarter of itself, the newer half keeps its full density.
    const std::size_t half = samples_.size() / 2;
    std::vector<EnergySample> old =
        thinned(samples_.data(), samples_.data() + half, std::max<std::size_t>(half / 4 / kExtremes, 1));
    samples_.erase(samples_.begin(), samples_.begin() + static_cast<std::ptrdiff_t>(half));
    samples_.insert(samples_.begin(), old.begin(), old.end());
}

void EnergyHistory::truncateAfter(double t) {
    while (!samples_.empty() && samples_.back().t > t) samples_.pop_back();
}

std::vector<EnergySample> EnergyHistory::between(double from, double to, std::size_t at_most) const {
    if (samples_.empty() || !(from <= to)) return {};
    auto begin = std::lower_bound(samples_.begin(), samples_.end(), from, earlier);
    auto end = std::upper_bound(begin, samples_.end(), to, [](double t, const EnergySample& s) { return t < s.t; });
    // A line that leaves the picture still needs its next point outside.
    if (begin != samples_.begin()) --begin;
    if (end != samples_.end()) ++end;
    const auto count = static_cast<std::size_t>(end - begin);
    if (count <= at_most) return {begin, end};
    const EnergySample* first = samples_.data() + (begin - samples_.begin());
    return thinned(first, first + count, at_most / kExtremes);
}

}  // namespace mw::app

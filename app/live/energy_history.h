// What the energy plot shows of the past: samples that are thinned as they age, in a way that loses no peak and no
// trough.
#pragma once

#include <cstddef>
#include <vector>

namespace mw::app {

/// One line of the energy plot's history, J.
struct EnergySample {
    double t = 0, kinetic = 0, gravity = 0, elements = 0, dissipated = 0, drives = 0, hand = 0, residual = 0;
    double loops = 0;               ///< largest |error| of all loops, m or rad
    double contacts = 0;            ///< potentials of contacts and of the brakes' springs, J
    double contact_dissipated = 0;  ///< part of `dissipated`, J
    double brake_dissipated = 0;    ///< part of `dissipated`, J
    double ramp = 0;                ///< work of the gains that rise at the start of a run, J
    double ground = 0;              ///< vertical force of the ground, N
    double depth = 0;               ///< deepest penetration, m
    double tension = 0;             ///< greatest of all bands, N
    double tension_least = 0;       ///< least of all bands, N
    double tendons = 0;             ///< in tendons' springs, muscles and armatures, J
    double tendon_dissipated = 0;   ///< part of `dissipated`, J
    double row_dissipated = 0;      ///< by shapes' contacts and joint friction; part of `dissipated`, J
    double injected = 0;            ///< by position correction and compliant rows, J
    double numerical = 0;           ///< lost by the scheme of implicit springs, J
    bool operator==(const EnergySample&) const = default;
};

class EnergyHistory {
public:
    explicit EnergyHistory(std::size_t capacity = std::size_t{1} << 18);

    /// Times rise; a sample at the last time replaces the last one, an earlier one first forgets what came after.
    void add(const EnergySample& sample);
    void truncateAfter(double t);
    void clear() { samples_.clear(); }
    std::size_t size() const { return samples_.size(); }
    double begin() const { return samples_.empty() ? 0 : samples_.front().t; }
    double end() const { return samples_.empty() ? 0 : samples_.back().t; }

    /// True samples of [from, to], and the one on either side; of more than `at_most` those stay that hold the extremes
    /// of any quantity (about at_most of them, never fewer than the two ends).
    std::vector<EnergySample> between(double from, double to, std::size_t at_most) const;

private:
    std::vector<EnergySample> samples_;
    std::size_t capacity_;
};

/// Of a run of samples in order of time: the first, the last, and in each of `buckets` equal parts those with the
/// smallest and largest value of every quantity.
std::vector<EnergySample> thinned(const EnergySample* first, const EnergySample* last, std::size_t buckets);

}  // namespace mw::app

// The plot's history: bounded, and no peak or trough is ever lost, judged against all samples kept.
#include "app/live/energy_history.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tests/support/catch.h"

using namespace mw::app;

namespace {

std::vector<EnergySample> noise(int n) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> u(-1, 1);
    std::vector<EnergySample> all;
    for (int i = 0; i < n; ++i)
        all.push_back({i * 0.01, u(random), u(random), u(random), u(random), 0, u(random), u(random)});
    return all;
}

double largest(const std::vector<EnergySample>& samples, double EnergySample::*quantity, double sign) {
    double best = -1e300;
    for (const auto& s : samples) best = std::max(best, sign * s.*quantity);
    return best;
}

}  // namespace

TEST_CASE("few samples come back as they are, with one more on either side", "[energies]") {
    EnergyHistory history;
    const auto all = noise(100);
    for (const auto& s : all) history.add(s);
    CHECK(history.between(-1, 10, 1000) == all);
    const auto part = history.between(0.205, 0.305, 1000);
    CHECK(part.front().t == Approx(0.20));
    CHECK(part.back().t == Approx(0.31));
    CHECK(history.between(3, 2, 10).empty());
    CHECK(EnergyHistory().between(0, 1, 10).empty());
}

TEST_CASE("thinning for a plot keeps the extremes of every quantity", "[energies]") {
    EnergyHistory history;
    const auto all = noise(20000);
    for (const auto& s : all) history.add(s);
    const auto shown = history.between(0, 1e9, 1400);
    CHECK(shown.size() <= 1402);
    CHECK(shown.front().t == all.front().t);
    CHECK(shown.back().t == all.back().t);
    CHECK(std::is_sorted(shown.begin(), shown.end(), [](const auto& a, const auto& b) { return a.t < b.t; }));
    for (const auto quantity :
         {&EnergySample::kinetic, &EnergySample::gravity, &EnergySample::hand, &EnergySample::residual})
        for (const double sign : {1.0, -1.0}) CHECK(largest(shown, quantity, sign) == largest(all, quantity, sign));
}

TEST_CASE("a long run stays within its bound and keeps its extremes", "[energies]") {
    EnergyHistory history(2000);
    const auto all = noise(50000);
    for (const auto& s : all) {
        history.add(s);
        REQUIRE(history.size() <= 2000);
    }
    const auto kept = history.between(0, 1e9, 100000);
    CHECK(kept.front().t == 0);
    for (const auto quantity : {&EnergySample::kinetic, &EnergySample::elements, &EnergySample::residual})
        for (const double sign : {1.0, -1.0}) CHECK(largest(kept, quantity, sign) == largest(all, quantity, sign));
}

TEST_CASE("going back in time forgets what came after", "[energies]") {
    EnergyHistory history;
    for (const auto& s : noise(100)) history.add(s);
    history.truncateAfter(0.5);
    CHECK(history.end() == Approx(0.5));
    EnergySample sample;
    sample.t = 0.3;
    sample.kinetic = 42;
    history.add(sample);
    CHECK(history.end() == 0.3);
    sample.kinetic = 43;
    history.add(sample);
    CHECK(history.between(0.3, 0.3, 10).back().kinetic == 43);
    history.clear();
    CHECK(history.size() == 0);
}

TEST_CASE("a sample that is no number is kept like a peak, and hides no other", "[energies]") {
    auto all = noise(20000);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    all[12345].loops = nan;
    EnergyHistory history;
    for (const auto& s : all) history.add(s);
    const auto shown = history.between(0, 1e9, 1400);
    CHECK(std::count_if(shown.begin(), shown.end(), [](const auto& s) { return std::isnan(s.loops); }) == 1);
    for (const double sign : {1.0, -1.0})
        CHECK(largest(shown, &EnergySample::residual, sign) == largest(all, &EnergySample::residual, sign));
}

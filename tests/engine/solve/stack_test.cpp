// A stack of ten boxes: how deep it sinks and what is left of the rows' equations by the number of sweeps, warm and
// cold, equal and of unequal masses, at rest and falling; whether it stands for a minute; what the floor carries.
#include <chrono>
#include <cmath>
#include <cstdio>

#include "tests/engine/sim/rows.h"

using namespace mw;
using namespace mw::test;

namespace {

constexpr double kG = 9.81, kEdge = 0.2;
constexpr int kBoxes = 10;

/// Masses by place from below; `above`: how far each box starts over what is under it.
std::string stack(const std::vector<double>& mass, const std::string& contact, double above = 0) {
    std::string scene = "ground\n  plane 0 0 1 0\nmaterial wood  mu 0.6\ncontact\n" + contact;
    char line[400];
    for (int k = 0; k < int(mass.size()); k++) {
        const double m = mass[std::size_t(k)], inertia = m * kEdge * kEdge / 6;
        std::snprintf(
            line, sizeof line,
            "body b%d\n  joint floating\n  mass %.17g\n  inertia %.17g %.17g %.17g 0 0 0\n  start 1 0 0 0  0 0 %.17g\n"
            "shape s%d on b%d  box 0.2 0.2 0.2  collide wood\n",
            k, m, inertia, inertia, inertia, kEdge * (k + 0.5) + above * (k + 1), k, k);
        scene += line;
    }
    return scene;
}
std::vector<double> equal() { return std::vector<double>(kBoxes, 1.0); }
std::vector<double> heavyOnTop() {
    std::vector<double> mass(kBoxes, 1.0);
    mass.back() = 100;
    return mass;
}
double weightOf(const std::vector<double>& mass) {
    double sum = 0;
    for (double m : mass) sum += m * kG;
    return sum;
}

struct Seen {
    double depth = 0, residual = 0, floor = 0, floor_error = 0;
    int sweeps = 0;
};
Seen look(const Readings& r, double weight) {
    Seen seen;
    for (const ShapeContactReading& c : r.rows.contacts) {
        seen.depth = std::max(seen.depth, -c.record.gap);
        if (c.record.shape_a < 0) seen.floor += c.normal_force;
    }
    seen.residual = r.rows.report.residual;
    seen.sweeps = r.rows.report.sweeps;
    seen.floor_error = std::abs(seen.floor - weight) / weight;
    return seen;
}

}  // namespace

TEST_CASE("stack of ten: penetration and residual by sweeps, warm and cold, equal and 100:1, resting and falling",
          "[contact]") {
    for (const bool heavy : {false, true}) {
        const std::vector<double> mass = heavy ? heavyOnTop() : equal();
        for (const bool falling : {false, true}) {
            for (const bool warm : {true, false}) {
                double last = HUGE_VAL;
                for (const int sweeps : {5, 10, 20, 50}) {
                    char contact[100];
                    std::snprintf(contact, sizeof contact, "  iterations %d  warm %s\n", sweeps, warm ? "on" : "off");
                    Simulation s = stepping(stack(mass, contact, falling ? 0.01 : 0));
                    s.setAccounts(false);
                    Seen worst;
                    for (int k = 0; k < 400; k++) {
                        advance(s, 1);
                        if (k % 20) continue;
                        const Seen seen = look(s.read(), weightOf(mass));
                        worst.depth = std::max(worst.depth, seen.depth);
                        worst.residual = std::max(worst.residual, seen.residual);
                    }
                    const Seen end = look(s.read(), weightOf(mass));
                    std::printf(
                        "  stack %s %-7s %s %2d sweeps: deepest %8.2e m, at the end %8.2e m; residual %8.2e, at the "
                        "end "
                        "%8.2e N s; floor load off by %8.1e\n",
                        heavy ? "100:1" : "equal", falling ? "falling" : "resting", warm ? "warm" : "cold", sweeps,
                        worst.depth, end.depth, worst.residual, end.residual, end.floor_error);
                    CHECK(worst.depth < kEdge);
                    // More sweeps are no worse, but for what falling chaos does.
                    if (!falling) CHECK(worst.depth < 1.2 * last + 1e-4);
                    last = worst.depth;
                    if (warm && sweeps == 50 && !heavy) {
                        CHECK(worst.depth < 2e-3);
                        CHECK(end.depth < 1e-3);
                    }
                }
            }
        }
    }
}

TEST_CASE("stack of ten stands for a minute, and every level carries what is above it", "[contact]") {
    Simulation s = stepping(stack(equal(), "  iterations 50  tolerance 1e-9\n"));
    s.setAccounts(false);
    const std::vector<double> start = s.state().q;
    const auto begun = std::chrono::steady_clock::now();
    double moved = 0, turned = 0, load = 0;
    for (int second = 0; second < 60; second++) {
        advance(s, 1000);
        for (int k = 0; k < kBoxes; k++) {
            const double* q = s.state().q.data() + 7 * k;
            const double* q0 = start.data() + 7 * k;
            moved = std::max(
                moved, std::sqrt(std::pow(q[4] - q0[4], 2) + std::pow(q[5] - q0[5], 2) + std::pow(q[6] - q0[6], 2)));
            turned = std::max(turned, 2 * std::sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]));
        }
        load = std::max(load, look(s.read(), kBoxes * kG).floor_error);
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    std::printf("  stack over 60 s: moved %8.2e m, turned %8.2e rad, floor load off by %8.1e; it took %.1f s\n", moved,
                turned, load, seconds);
    CHECK(moved < 1e-4);
    CHECK(turned < 1e-3);
    CHECK(load < 1e-6);
    // k boxes rest on the k-th contact from the top.
    std::vector<double> level(kBoxes, 0);
    for (const ShapeContactReading& c : s.read().rows.contacts) level[std::size_t(c.record.shape_b)] += c.force[2];
    for (int k = 0; k < kBoxes; k++) CHECK(level[std::size_t(k)] == Approx((kBoxes - k) * kG).epsilon(1e-6));
}

// The belt: against the closed form of two pulleys, against the support function of random circles, and the tie of
// wheels in a row; pins: links of equal length around a closed polygon outside every roller.
#include "engine/track/belt.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/support/catch.h"

using namespace mw;

namespace {

constexpr double kPi = 3.14159265358979323846;

/// Open belt over two pulleys: 2 sqrt(d^2 - (a - b)^2) + pi (a + b) + 2 (a - b) asin((a - b)/d).
double openBelt(double a, double b, double d) {
    return 2 * std::sqrt(d * d - (a - b) * (a - b)) + kPi * (a + b) + 2 * (a - b) * std::asin((a - b) / d);
}

double support(const std::vector<BeltCircle>& circles, double angle) {
    double most = -1e300;
    for (const BeltCircle& c : circles) most = std::max(most, c.x * std::cos(angle) + c.z * std::sin(angle) + c.radius);
    return most;
}

/// Cauchy: the perimeter of a convex figure is the integral of its support function over a turn.
double perimeterBySupport(const std::vector<BeltCircle>& circles, int steps = 200'000) {
    double sum = 0;
    for (int k = 0; k < steps; ++k) sum += support(circles, 2 * kPi * k / steps);
    return sum * 2 * kPi / steps;
}

std::vector<BeltCircle> randomCircles(std::mt19937& random, int count) {
    std::uniform_real_distribution<double> place(-2, 2), size(0.05, 0.6);
    std::vector<BeltCircle> circles;
    for (int i = 0; i < count; ++i) circles.push_back({place(random), 0.4 * place(random), size(random)});
    return circles;
}

std::vector<BeltCircle> vehicle() {
    std::vector<BeltCircle> circles = {{0, 0, 0.245}, {-3.95, -0.12, 0.255}};
    for (const double x : {-0.655, -1.322, -1.989, -2.656, -3.322}) circles.push_back({x, -0.215, 0.305});
    return circles;
}

double apart(const std::array<double, 2>& a, const std::array<double, 2>& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1]);
}

void checkPins(const std::vector<BeltCircle>& circles, int count) {
    const LaidPins laid = layPins(circles, count);
    INFO(count << " links");
    REQUIRE(laid.pins.size() == static_cast<std::size_t>(count));
    const Belt belt = hullOf(circles);
    CHECK(laid.link == Approx(belt.perimeter / count).epsilon(1e-14));
    CHECK(laid.clearance >= 0);
    double worst = 0, turned = 0;
    for (std::size_t i = 0; i < laid.pins.size(); ++i) {
        const auto& a = laid.pins[i];
        const auto& b = laid.pins[(i + 1) % laid.pins.size()];
        const auto& c = laid.pins[(i + 2) % laid.pins.size()];
        worst = std::max(worst, std::abs(apart(a, b) - laid.link));
        const double turn =
            std::remainder(std::atan2(c[1] - b[1], c[0] - b[0]) - std::atan2(b[1] - a[1], b[0] - a[0]), 2 * kPi);
        CHECK(turn > -1e-9);
        turned += turn;
        // Outside the belt by the clearance, as the support function sees it: the pin reaches as far as the belt and
        // the clearance in some direction, and no farther in any.
        double gap = 1e300;
        for (int k = 0; k < 720; ++k)
            gap = std::min(gap, support(circles, kPi * k / 360) + laid.clearance -
                                    (a[0] * std::cos(kPi * k / 360) + a[1] * std::sin(kPi * k / 360)));
        CHECK(gap >= -1e-9);
        for (const BeltCircle& circle : circles)
            CHECK(std::hypot(a[0] - circle.x, a[1] - circle.z) >= circle.radius + laid.clearance - 1e-9);
    }
    CHECK(worst < 1e-12);
    CHECK(turned == Approx(2 * kPi).epsilon(1e-9));
}

}  // namespace

TEST_CASE("Two pulleys have the belt of the closed form") {
    for (const double b : {0.25, 0.2, 0.05, 0.6}) {
        const Belt belt = hullOf({{0, 0, 0.25}, {-1.7, 0.3, b}});
        CHECK(belt.perimeter == Approx(openBelt(0.25, b, std::hypot(1.7, 0.3))).epsilon(1e-14));
        CHECK(belt.touched.size() == 2);
        CHECK(belt.pieces.size() == 4);
    }
}

TEST_CASE("One circle is its own belt, and circles inside others are left out") {
    CHECK(hullOf({{1, 2, 0.3}}).perimeter == Approx(2 * kPi * 0.3).epsilon(1e-14));
    const Belt belt = hullOf({{0.1, 0, 0.2}, {0, 0, 1}, {-0.3, 0.2, 0.3}});
    CHECK(belt.perimeter == Approx(2 * kPi).epsilon(1e-14));
    CHECK(belt.touched == std::vector<int>{1});
    const Belt twice = hullOf({{0, 0, 0.2}, {0, 0, 0.2}, {1, 0, 0.2}});
    CHECK(twice.perimeter == Approx(openBelt(0.2, 0.2, 1)).epsilon(1e-14));
}

TEST_CASE("The belt of random circles is what their support function says") {
    std::mt19937 random(7);
    for (int trial = 0; trial < 40; ++trial) {
        const std::vector<BeltCircle> circles = randomCircles(random, 2 + trial % 9);
        const Belt belt = hullOf(circles);
        INFO("trial " << trial);
        CHECK(belt.perimeter == Approx(perimeterBySupport(circles, 20'000)).epsilon(1e-6));
        // Touched are those that reach farthest somewhere.
        std::vector<char> reaches(circles.size(), 0);
        for (int k = 0; k < 20'000; ++k) {
            const double angle = 2 * kPi * k / 20'000, most = support(circles, angle);
            for (std::size_t i = 0; i < circles.size(); ++i)
                if (circles[i].x * std::cos(angle) + circles[i].z * std::sin(angle) + circles[i].radius >= most - 1e-12)
                    reaches[i] = 1;
        }
        for (std::size_t i = 0; i < circles.size(); ++i) {
            const bool touched =
                std::find(belt.touched.begin(), belt.touched.end(), static_cast<int>(i)) != belt.touched.end();
            if (reaches[i]) CHECK(touched);
        }
        // A closed walk, smooth at every joint, once around to the left.
        double turned = 0;
        for (std::size_t i = 0; i < belt.pieces.size(); ++i) {
            const Belt::Piece& piece = belt.pieces[i];
            const Belt::Piece& next = belt.pieces[(i + 1) % belt.pieces.size()];
            double s = 0;
            for (std::size_t k = 0; k <= i; ++k) s += belt.pieces[k].length;
            CHECK(apart(belt.at(s - 1e-12), next.begin) < 1e-9);
            CHECK(piece.curvature >= 0);
            turned += piece.curvature * piece.length;
            CHECK(std::abs(std::remainder(piece.direction + piece.curvature * piece.length - next.direction, 2 * kPi)) <
                  1e-9);
        }
        CHECK(turned == Approx(2 * kPi).epsilon(1e-12));
    }
}

TEST_CASE("The walk begins at the topmost tangent point and runs back along the top") {
    const Belt level = hullOf({{0, 0, 0.3}, {-2, 0, 0.3}});
    CHECK(level.at(0)[0] == Approx(0).margin(1e-12));
    CHECK(level.at(0)[1] == Approx(0.3));
    CHECK(level.at(0.5)[0] == Approx(-0.5));
    CHECK(level.at(level.perimeter + 0.5)[0] == Approx(-0.5));
    CHECK(level.at(-0.1)[1] < 0.3);  // on the front arc, on its way up
    CHECK(level.at(2 + kPi * 0.3 + 0.5)[1] == Approx(-0.3));
    CHECK(level.at(2 + kPi * 0.3 + 0.5)[0] == Approx(-1.5));
    const Belt belt = hullOf(vehicle());
    for (const Belt::Piece& piece : belt.pieces) CHECK(piece.begin[1] <= belt.at(0)[1] + 1e-12);
}

TEST_CASE("Wheels in a row are all touched, and the belt skips none and staples to none") {
    const Belt belt = hullOf(vehicle());
    // Walked from the top back: idler, the five wheels from the back to the front, sprocket.
    CHECK(belt.touched == std::vector<int>{0, 1, 6, 5, 4, 3, 2});
    CHECK(belt.perimeter == Approx(perimeterBySupport(vehicle())).epsilon(1e-8));
    // The same row, a little uneven by rounding.
    std::vector<BeltCircle> uneven = vehicle();
    for (std::size_t i = 2; i < uneven.size(); ++i) uneven[i].z += (i % 2 ? 1 : -1) * 1e-13;
    CHECK(hullOf(uneven).perimeter == Approx(belt.perimeter).epsilon(1e-12));
    CHECK(hullOf(uneven).touched.size() == 7);
    // One lifted wheel is left out.
    uneven[4].z += 0.01;
    CHECK(hullOf(uneven).touched.size() == 6);
}

TEST_CASE("Links are equal to rounding, closed, and outside every roller") {
    for (const int count : {20, 31, 63, 64, 200}) checkPins(vehicle(), count);
    std::mt19937 random(11);
    for (int trial = 0; trial < 20; ++trial) checkPins(randomCircles(random, 2 + trial % 6), 24 + 7 * trial);
    // Pins on one circle are those of a regular polygon: link = 2 r sin(pi/N).
    for (const int count : {3, 4, 5, 8, 50}) {
        const LaidPins laid = layPins({{0.3, -0.2, 0.5}}, count);
        REQUIRE(laid.pins.size() == static_cast<std::size_t>(count));
        CHECK(0.5 + laid.clearance == Approx(laid.link / (2 * std::sin(kPi / count))).epsilon(1e-12));
    }
}

TEST_CASE("A band of ten thousand links closes, and one of two is none") {
    const LaidPins laid = layPins(vehicle(), 10'000);
    REQUIRE(laid.pins.size() == 10'000);
    double worst = 0;
    for (std::size_t i = 0; i < laid.pins.size(); ++i)
        worst = std::max(worst, std::abs(apart(laid.pins[i], laid.pins[(i + 1) % laid.pins.size()]) - laid.link));
    CHECK(worst < 1e-12);
    CHECK(layPins(vehicle(), 2).pins.empty());
    CHECK(layPins({}, 10).pins.empty());
    CHECK(layPins({{0, 0, 0}}, 10).pins.empty());
}

TEST_CASE("Few links on long belts are laid or refused, never laid wrong") {
    std::mt19937 random(3);
    for (int trial = 0; trial < 300; ++trial) {
        const std::vector<BeltCircle> circles = randomCircles(random, 1 + trial % 5);
        const int count = 3 + trial % 7;
        const LaidPins laid = layPins(circles, count);
        if (laid.pins.empty()) continue;
        for (std::size_t i = 0; i < laid.pins.size(); ++i)
            CHECK(apart(laid.pins[i], laid.pins[(i + 1) % laid.pins.size()]) ==
                  Approx(laid.link).margin(1e-9 * laid.link * count));
    }
}

// Terrain: slopes against differences of its own heights, closed forms, turning, borders, refusals.
#include <stdexcept>

#include "tests/engine/contact/terrains.h"

using namespace mw;
using namespace mw::test;

namespace {
constexpr double kDegree = 3.14159265358979323846 / 180;
}

TEST_CASE("ground: a terrain's slopes are the differences of its heights", "[contact][ground][terrain]") {
    std::printf("terrain gradient against central differences\n");
    const double h = 1e-6;
    for (const NamedGround& kind : groundsOfEveryKind()) {
        for (const double tilt : {0.0, 15 * kDegree, -20 * kDegree}) {
            const Terrain terrain(kind.ground, tilt);
            Draw draw(0x7e, int(tilt * 100));
            double worst = 0, steepest = 0;
            bool below = true;
            for (int i = 0; i < 4000; i++) {
                const double x = draw.between(-4, 4), y = draw.between(-3.5, 3.5);
                const Terrain::Sample s = terrain.at(x, y);
                // Fourth-order central differences; of a smooth terrain they leave rounding alone.
                const auto difference = [&](double ex, double ey) {
                    const auto at = [&](double k) { return terrain.height(x + k * h * ex, y + k * h * ey); };
                    return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h);
                };
                worst = std::max(worst, std::abs(difference(1, 0) - s.slope_x));
                worst = std::max(worst, std::abs(difference(0, 1) - s.slope_y));
                steepest = std::max(steepest, std::hypot(s.slope_x, s.slope_y));
                below = below && s.height <= terrain.ceiling(x, y).height + 1e-12;
            }
            figure(tilt == 0  ? "slope"
                   : tilt > 0 ? "slope, turned by 15 deg"
                              : "slope, turned by -20 deg",
                   kind.name, worst, 1e-8);
            CHECK(worst < 1e-8);
            CHECK(steepest <= terrain.steepest() * (1 + 1e-12));
            CHECK(below);
        }
    }
}

TEST_CASE("ground: a terrain's kinds have the heights that they say", "[contact][terrain]") {
    Ground ground;
    const double n = std::sqrt(0.3 * 0.3 + 0.2 * 0.2 + 1);
    ground.normal = {0.3 / n, -0.2 / n, 1 / n};
    ground.offset = 0.7;
    const Terrain plane(ground);
    CHECK(plane.isPlane());
    CHECK(plane.height(1.5, -2) == Approx((0.7 - ground.normal[0] * 1.5 + ground.normal[1] * 2) / ground.normal[2]));
    CHECK(plane.steepest() == Approx(std::hypot(0.3, 0.2)));

    Ground wave;
    wave.waves = {{0.2, 3, 0.5}};
    CHECK(Terrain(wave).height(0.75 * std::cos(0.5), 0.75 * std::sin(0.5)) == Approx(0.2));
    CHECK_FALSE(Terrain(wave).isPlane());

    Ground step;
    step.steps = {{0.3, 1, 0.4}};
    const Terrain stairs(step);
    CHECK(stairs.height(0.79, 5) == 0);
    CHECK(stairs.height(1, 0) == Approx(0.15));
    CHECK(stairs.height(1.21, -5) == Approx(0.3));
    CHECK(stairs.at(1, 0).slope_x == Approx(1.875 * 0.3 / 0.4));

    Ground bump;
    bump.bumps = {{1, 2, 0.5, 0.8}};
    const Terrain hill(bump);
    CHECK(hill.height(1, 2) == Approx(0.5));
    CHECK(hill.height(1.8, 2) == 0);
    CHECK(hill.height(1.4, 2) == Approx(0.5 * 0.75 * 0.75 * 0.75));
}

TEST_CASE("ground: curvature of steps and bumps has no jump at their edges", "[contact][terrain]") {
    Ground ground;
    ground.steps = {{0.3, 1, 0.4}};
    ground.bumps = {{-1, 0, 0.5, 0.8}};
    const Terrain terrain(ground);
    const double h = 1e-6;
    for (const double edge : {0.8, 1.2, -1.8, -0.2}) {
        const auto curvature = [&](double x) {
            return (terrain.at(x + h, 0).slope_x - terrain.at(x - h, 0).slope_x) / (2 * h);
        };
        CHECK(std::abs(curvature(edge + 2 * h) - curvature(edge - 2 * h)) < 1e-2);
    }
}

TEST_CASE("ground: bicubic interpolation reproduces quadratics, bilinear does not", "[contact][terrain]") {
    HeightGrid grid{-2, 1, 0.3, 0.4, 12, 11, {}};
    const auto f = [](double x, double y) {
        return 0.3 - 0.2 * x + 0.5 * y + 0.11 * x * x - 0.07 * x * y + 0.2 * y * y;
    };
    for (int j = 0; j < grid.ny; j++)
        for (int i = 0; i < grid.nx; i++) grid.heights.push_back(f(grid.x0 + i * grid.dx, grid.y0 + j * grid.dy));
    Draw draw(0x9, 0);
    double linear = 0;
    for (int i = 0; i < 2000; i++) {
        const double x = grid.x0 + grid.dx * draw.between(1, 10), y = grid.y0 + grid.dy * draw.between(1, 9);
        const Terrain::Sample s = bicubic(grid, x, y);
        CHECK(s.height == Approx(f(x, y)).margin(1e-13));
        CHECK(s.slope_x == Approx(-0.2 + 0.22 * x - 0.07 * y).margin(1e-12));
        CHECK(s.slope_y == Approx(0.5 - 0.07 * x + 0.4 * y).margin(1e-12));
        linear = std::max(linear, std::abs(bilinear(grid, x, y).height - f(x, y)));
    }
    CHECK(linear > 1e-3);
    // Nodes are met, also at the border; outside the border's height goes on, level.
    for (int j = 0; j < grid.ny; j++)
        for (int i = 0; i < grid.nx; i++)
            CHECK(bicubic(grid, grid.x0 + i * grid.dx, grid.y0 + j * grid.dy).height ==
                  Approx(grid.heights[std::size_t(j * grid.nx + i)]).margin(1e-13));
    const Terrain::Sample outside = bicubic(grid, -10, 2.1);
    CHECK(outside.slope_x == 0);
    CHECK(outside.height == Approx(bicubic(grid, grid.x0, 2.1).height));
    CHECK(std::abs(bicubic(grid, grid.x0 + 1e-9, 2.1).slope_x) < 1e-6);
}

TEST_CASE("ground: odd grids do not trip", "[contact][terrain]") {
    CHECK(bicubic(HeightGrid{}, 0, 0).height == 0);
    CHECK(bicubic(HeightGrid{0, 0, 1, 1, 1, 1, {0.4}}, 3, -2).height == Approx(0.4));
    CHECK(bicubic(HeightGrid{0, 0, 1, 1, 2, 1, {0, 1}}, 0.5, 7).height == Approx(0.5));
    CHECK(std::isfinite(bicubic(HeightGrid{0, 0, 1, 1, 2, 2, {0, 1, 2, 3}}, std::nan(""), 1e300).slope_x));
}

TEST_CASE("ground: turning carries points of the surface to points of the turned one", "[contact][terrain]") {
    for (const NamedGround& kind : groundsOfEveryKind()) {
        const Terrain flat(kind.ground);
        for (const double tilt : {15 * kDegree, -20 * kDegree}) {
            const Terrain turned(kind.ground, tilt);
            Draw draw(0x88, 0);
            for (int i = 0; i < 500; i++) {
                const double x = draw.between(-4, 4), y = draw.between(-3, 3);
                const Terrain::Sample s = flat.at(x, y);
                const double c = std::cos(tilt), d = std::sin(tilt);
                const double tx = c * x - d * s.height, tz = d * x + c * s.height;
                const Terrain::Sample t = turned.at(tx, y);
                CHECK(t.height == Approx(tz).margin(1e-13));
                // The normal turns along.
                const Vector3d n{-s.slope_x, -s.slope_y, 1}, m{c * n[0] - d * n[2], n[1], d * n[0] + c * n[2]};
                CHECK(t.slope_x == Approx(-m[0] / m[2]).margin(1e-12));
                CHECK(t.slope_y == Approx(-m[1] / m[2]).margin(1e-12));
            }
        }
    }
    CHECK(Terrain(Ground{}, 0.2).height(1, 0) == Approx(std::tan(0.2)));  // uphill towards +x
}

TEST_CASE("ground: what is no height field any more is refused", "[contact][terrain]") {
    Ground steep;
    steep.steps = {{1, 0, 0.2}};
    CHECK_NOTHROW(Terrain(steep));
    CHECK_THROWS_AS(Terrain(steep, 15 * kDegree), std::invalid_argument);
    CHECK_THROWS_AS(Terrain(Ground{}, 85 * kDegree), std::invalid_argument);
    CHECK_NOTHROW(Terrain(Ground{}, 45 * kDegree));
    Ground overhead;
    overhead.normal = {0, 0, -1};
    CHECK_THROWS_AS(Terrain(overhead), std::invalid_argument);
}

// One ground of every kind, tilted and not, for the tests of terrain and of the ground's law.
#pragma once

#include "tests/engine/contact/support.h"

namespace mw::test {

inline std::shared_ptr<const HeightGrid> hillsGrid(int nx = 21, int ny = 17) {
    auto grid = std::make_shared<HeightGrid>();
    *grid = {-5, -4, 0.5, 0.5, nx, ny, {}};
    Draw draw(0x9e1d, 0);
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++)
            grid->heights.push_back(0.1 * std::sin(0.9 * i) * std::cos(0.7 * j) + draw.between(0, 0.05));
    return grid;
}

struct NamedGround {
    const char* name;
    Ground ground;
};
inline std::vector<NamedGround> groundsOfEveryKind() {
    std::vector<NamedGround> all;
    Ground plane, slope, wave, step, bump, grid, sum;
    const double n = std::sqrt(0.1 * 0.1 + 0.2 * 0.2 + 1);
    slope.normal = {0.1 / n, -0.2 / n, 1 / n};
    slope.offset = 0.3;
    wave.waves = {{0.1, 2, 0.4}};
    step.steps = {{0.2, 0.5, 0.6}};
    bump.bumps = {{0.5, -0.3, 0.25, 1.5}};
    grid.grid = hillsGrid();
    sum = slope;
    sum.waves = {{0.03, 1.2, -1}};
    sum.steps = {{-0.1, -1, 0.5}};
    sum.bumps = {{-1, 1, -0.2, 1}};
    sum.grid = grid.grid;
    return {{"plane", plane}, {"slope", slope}, {"wave", wave}, {"step", step},
            {"bump", bump},   {"grid", grid},   {"sum", sum}};
}

/// Bilinear stand-in: the same nodes, heights without a jump, slopes with one at every cell edge.
inline Terrain::Sample bilinear(const HeightGrid& grid, double x, double y) {
    const double u = (x - grid.x0) / grid.dx, v = (y - grid.y0) / grid.dy;
    const int i = std::clamp(int(std::floor(u)), 0, grid.nx - 2), j = std::clamp(int(std::floor(v)), 0, grid.ny - 2);
    const double s = u - i, t = v - j;
    const auto h = [&](int a, int b) { return grid.heights[std::size_t((j + b) * grid.nx + i + a)]; };
    return {(1 - t) * ((1 - s) * h(0, 0) + s * h(1, 0)) + t * ((1 - s) * h(0, 1) + s * h(1, 1)),
            ((1 - t) * (h(1, 0) - h(0, 0)) + t * (h(1, 1) - h(0, 1))) / grid.dx,
            ((1 - s) * (h(0, 1) - h(0, 0)) + s * (h(1, 1) - h(1, 0))) / grid.dy};
}

}  // namespace mw::test

// Three square levels, each of twice the cell of the one inside it, on one lattice, so that heights do not swim when
// the patch moves. Where two levels meet, the finer one's odd corners lie on the coarser one's edges.
#include "app/scene/terrain_patch.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace mw::scene {

namespace {

constexpr int kCells = 64;  // across a level
constexpr int kBlock = 8;   // cells that become one when they are flat
constexpr int kLevels = 3;
constexpr double kFlat = 4e-3;  // of a cell: what is less bent than this is flat

}  // namespace

void TerrainPatch::around(double x, double y, double size) {
    if (!std::isfinite(x) || !std::isfinite(y) || !(size > 0)) return;
    // Sizes in steps, so that a mechanism that changes its own a little keeps its ground.
    const double cell = std::pow(1.25, std::round(std::log(size / 44) / std::log(1.25)));
    const double snap = cell * kBlock;
    const Vec3 centre(std::round(x / snap) * snap, std::round(y / snap) * snap, 0);
    const bool near = (Vec3(x, y, 0) - Vec3(centre_.x(), centre_.y(), 0)).cwiseAbs().maxCoeff() < 0.75 * snap;
    if (mesh_ && std::abs(cell_ / cell - 1) < 0.3 && near) return;
    if (!mesh_ || std::abs(cell_ / cell - 1) >= 0.3) cell_ = cell;
    const double own = cell_ * kBlock;
    centre_ = {std::round(x / own) * own, std::round(y / own) * own, 0};
    make(cell_);
}

void TerrainPatch::make(double cell) {
    Mesh mesh;
    const double base = terrain_.height(centre_.x(), centre_.y());
    centre_.z() = std::isfinite(base) ? base : 0;
    double low = centre_.z(), high = centre_.z();
    constexpr int n = kCells + 1;
    std::vector<Terrain::Sample> at(static_cast<std::size_t>(n) * n);
    std::vector<std::uint32_t> index(at.size());
    for (int level = 0; level < kLevels; ++level) {
        const double step = cell * (1 << level), begin = -step * kCells / 2;
        const auto slot = [](int i, int j) { return static_cast<std::size_t>(j) * n + static_cast<std::size_t>(i); };
        const int hole0 = level == 0 ? kCells : kCells / 4, hole1 = level == 0 ? -1 : 3 * kCells / 4;
        const auto inHole = [&](int i, int j) { return i > hole0 && i < hole1 && j > hole0 && j < hole1; };
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i) {
                index[slot(i, j)] = UINT32_MAX;
                if (inHole(i, j)) continue;
                Terrain::Sample& s = at[slot(i, j)];
                s = terrain_.at(centre_.x() + begin + i * step, centre_.y() + begin + j * step);
                if (!std::isfinite(s.height)) s = {centre_.z(), 0, 0};
                low = std::min(low, s.height), high = std::max(high, s.height);
            }
        if (level + 1 < kLevels)
            for (int k = 1; k < kCells; k += 2) {
                const auto halve = [&](std::size_t odd, std::size_t a, std::size_t b) {
                    at[odd].height = (at[a].height + at[b].height) / 2;
                };
                for (const int edge : {0, kCells}) {
                    halve(slot(k, edge), slot(k - 1, edge), slot(k + 1, edge));
                    halve(slot(edge, k), slot(edge, k - 1), slot(edge, k + 1));
                }
            }
        const auto vertex = [&](int i, int j) {
            std::uint32_t& v = index[slot(i, j)];
            if (v == UINT32_MAX) {
                const Terrain::Sample& s = at[slot(i, j)];
                v = static_cast<std::uint32_t>(mesh.positions.size());
                mesh.positions.emplace_back(static_cast<float>(begin + i * step), static_cast<float>(begin + j * step),
                                            static_cast<float>(s.height - centre_.z()));
                mesh.normals.push_back(
                    Eigen::Vector3f(static_cast<float>(-s.slope_x), static_cast<float>(-s.slope_y), 1).normalized());
            }
            return v;
        };
        const auto quad = [&](int i, int j, int size) {
            const std::uint32_t a = vertex(i, j), b = vertex(i + size, j), c = vertex(i + size, j + size),
                                d = vertex(i, j + size);
            mesh.indices.insert(mesh.indices.end(), {a, b, c, a, c, d});
        };
        for (int j = 0; j < kCells; j += kBlock)
            for (int i = 0; i < kCells; i += kBlock) {
                if (level > 0 && i >= hole0 && i < hole1 && j >= hole0 && j < hole1) continue;
                // One piece where the block is as flat as its corners say.
                const Terrain::Sample &p = at[slot(i, j)], &q = at[slot(i + kBlock, j)],
                                      &r = at[slot(i + kBlock, j + kBlock)], &s = at[slot(i, j + kBlock)];
                double bent = 0;
                for (int v = 0; v <= kBlock; ++v)
                    for (int u = 0; u <= kBlock; ++u) {
                        const double x = static_cast<double>(u) / kBlock, y = static_cast<double>(v) / kBlock;
                        const double flat =
                            (1 - y) * ((1 - x) * p.height + x * q.height) + y * ((1 - x) * s.height + x * r.height);
                        const Terrain::Sample& here = at[slot(i + u, j + v)];
                        bent = std::max({bent, std::abs(here.height - flat),
                                         0.2 * step * std::abs(here.slope_x - p.slope_x),
                                         0.2 * step * std::abs(here.slope_y - p.slope_y)});
                    }
                if (bent < kFlat * step) {
                    quad(i, j, kBlock);
                    continue;
                }
                for (int v = 0; v < kBlock; ++v)
                    for (int u = 0; u < kBlock; ++u) quad(i + u, j + v, 1);
            }
    }
    relief_ = high - low;
    radius_ = cell * (1 << (kLevels - 1)) * kCells / 2;
    mesh_ = plainMesh(std::move(mesh));
}

}  // namespace mw::scene

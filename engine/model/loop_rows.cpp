// Rows of loops and their errors, in plain numbers.
#include "engine/model/loop_rows.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/model/vectors.h"

namespace mw {
namespace {

// The rotation vector of the shortest turn from one unit vector to another.
Vector3d turnBetween(const Vector3d& a, const Vector3d& b) {
    const Vector3d axis = cross(a, b);
    const double s = std::sqrt(dot(axis, axis)), c = dot(a, b);
    // Opposite: every axis across is as short; the first of the two is taken.
    if (s == 0) {
        const Vector3d across = directionsAcross(a)[0];
        const double angle = c < 0 ? 3.14159265358979323846 : 0;
        return {across[0] * angle, across[1] * angle, across[2] * angle};
    }
    const double scale = std::atan2(s, c) / s;
    return {axis[0] * scale, axis[1] * scale, axis[2] * scale};
}

// The rotation vector of a rotation matrix, by its quaternion (no loss of digits at small or large angles).
Vector3d turnOf(const std::array<double, 9>& r) {
    const double squares[4] = {1 + r[0] + r[4] + r[8], 1 + r[0] - r[4] - r[8], 1 - r[0] + r[4] - r[8],
                               1 - r[0] - r[4] + r[8]};
    const auto largest = std::max_element(squares, squares + 4) - squares;
    const double root = std::sqrt(squares[largest]), f = 0.5 / root;
    const double antisymmetric[3] = {r[7] - r[5], r[2] - r[6], r[3] - r[1]};
    const double symmetric[3] = {r[5] + r[7], r[2] + r[6], r[1] + r[3]};  // yz, xz, xy
    double w, v[3];
    if (largest == 0) {
        w = 0.5 * root;
        for (int i = 0; i < 3; ++i) v[i] = f * antisymmetric[i];
    } else {
        const auto i = static_cast<int>(largest) - 1, j = (i + 1) % 3, k = (i + 2) % 3;
        w = f * antisymmetric[i];
        v[i] = 0.5 * root;
        v[j] = f * symmetric[k];
        v[k] = f * symmetric[j];
    }
    if (w < 0) {
        w = -w;
        for (double& x : v) x = -x;
    }
    const double s = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    const double scale = s > 0 ? 2 * std::atan2(s, w) / s : 2;
    return {v[0] * scale, v[1] * scale, v[2] * scale};
}

}  // namespace

std::array<Vector3d, 2> directionsAcross(const Vector3d& axis) {
    const Vector3d size = {std::abs(axis[0]), std::abs(axis[1]), std::abs(axis[2])};
    const auto largest = static_cast<std::size_t>(std::max_element(size.begin(), size.end()) - size.begin());
    Vector3d first{};
    first[(largest + 1) % 3] = 1;
    const double along = dot(first, axis);
    for (std::size_t i = 0; i < 3; ++i) first[i] -= along * axis[i];
    const double length = std::sqrt(dot(first, first));
    for (double& x : first) x = x / length + 0.0;  // no negative zeros
    Vector3d second = cross(axis, first);
    for (double& x : second) x += 0.0;
    return {first, second};
}

std::vector<LoopRow> rowsOf(const Loop& loop) {
    using Kind = LoopRow::Kind;
    const auto [t1, t2] = directionsAcross(loop.axis);
    switch (loop.type) {
        case LoopType::revolute:
            return {{Kind::turn, t1}, {Kind::turn, t2}, {Kind::move, t1}, {Kind::move, t2}, {Kind::move, loop.axis}};
        case LoopType::prismatic:
            return {{Kind::turn, t1}, {Kind::turn, t2}, {Kind::turn, loop.axis}, {Kind::move, t1}, {Kind::move, t2}};
        case LoopType::cylindrical: return {{Kind::turn, t1}, {Kind::turn, t2}, {Kind::move, t1}, {Kind::move, t2}};
        case LoopType::spherical: return {{Kind::move, {1, 0, 0}}, {Kind::move, {0, 1, 0}}, {Kind::move, {0, 0, 1}}};
        case LoopType::point_on_line: return {{Kind::move, t1}, {Kind::move, t2}};
        case LoopType::distance: return {{Kind::distance, {}}};
    }
    return {};
}

std::string rowName(const LoopRow& row) {
    if (row.kind == LoopRow::Kind::distance) return "distance";
    std::string along;
    for (std::size_t i = 0; i < 3; ++i) {
        if (std::abs(row.direction[i]) > 1 - 1e-12) along = std::string(row.direction[i] < 0 ? "-" : "") + "xyz"[i];
    }
    if (along.empty())
        along = fmt::format("({:.3g} {:.3g} {:.3g})", row.direction[0], row.direction[1], row.direction[2]);
    return (row.kind == LoopRow::Kind::turn ? "turning about " : "moving along ") + along;
}

const char* rowUnit(const LoopRow& row) { return row.kind == LoopRow::Kind::turn ? "rad" : "m"; }

Placement framePlacement(const LoopFrame& frame, const std::vector<Placement>& bodies, std::span<const double> param) {
    // A loop frame lies in its body as a joint frame lies in its parent.
    Body carrier;
    carrier.at = frame.at;
    carrier.rot = frame.rot;
    const Placement local = jointFrame(carrier, param);
    return frame.body < 0 ? local : compose(bodies[static_cast<std::size_t>(frame.body)], local);
}

std::vector<double> loopError(const Loop& loop, const Placement& from, const Placement& to,
                              std::span<const double> param) {
    Vector3d apart;
    for (std::size_t i = 0; i < 3; ++i) apart[i] = to.position[i] - from.position[i];
    if (loop.type == LoopType::distance) return {std::sqrt(dot(apart, apart)) - loop.length.at(param)};
    const Vector3d moved = rotateBack(from.rotation, apart);
    Vector3d turned{};
    if (loop.type == LoopType::prismatic) {
        std::array<double, 9> relative;
        for (std::size_t j = 0; j < 3; ++j) {
            const Vector3d column = rotateBack(from.rotation, {to.rotation[j], to.rotation[3 + j], to.rotation[6 + j]});
            for (std::size_t i = 0; i < 3; ++i) relative[3 * i + j] = column[i];
        }
        turned = turnOf(relative);
    } else if (loop.type == LoopType::revolute || loop.type == LoopType::cylindrical) {
        turned = turnBetween(loop.axis, rotateBack(from.rotation, rotate(to.rotation, loop.axis)));
    }
    std::vector<double> error;
    for (const LoopRow& row : rowsOf(loop))
        error.push_back(dot(row.direction, row.kind == LoopRow::Kind::turn ? turned : moved));
    return error;
}

std::vector<double> loopError(const Loop& loop, const std::vector<Placement>& bodies, std::span<const double> param) {
    return loopError(loop, framePlacement(loop.from, bodies, param), framePlacement(loop.to, bodies, param), param);
}

}  // namespace mw

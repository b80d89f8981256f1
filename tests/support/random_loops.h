// Random loops for tests: a loop of any type between two bodies of a mechanism, with its frames turned on both sides,
// that is closed at a given pose by construction, or torn by a given amount.
#pragma once

#include <Eigen/SVD>
#include <cmath>

#include "engine/dynamics/topology.h"
#include "engine/model/loop_rows.h"
#include "tests/support/random_tree.h"

namespace mw::test {

inline Matrix3 matrixOf(const std::array<double, 9>& r) {
    return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(r.data());
}
inline Vector3 vectorOf(const Vector3d& a) { return {a[0], a[1], a[2]}; }

/// Roll, pitch, yaw with R = Rz(yaw) Ry(pitch) Rx(roll).
inline Vector3 rollPitchYaw(const Matrix3& R) {
    return {std::atan2(R(2, 1), R(2, 2)), std::atan2(-R(2, 0), std::hypot(R(2, 1), R(2, 2))),
            std::atan2(R(1, 0), R(0, 0))};
}

struct LoopOptions {
    double tear = 0;  ///< m and rad by which the loop misses
    int live = -1;    ///< slot of a live parameter that frames and length hang on
};

inline constexpr LoopType kLoopTypes[] = {LoopType::revolute,  LoopType::prismatic,     LoopType::cylindrical,
                                          LoopType::spherical, LoopType::point_on_line, LoopType::distance};

/// Appends to model.loops.
inline Loop& addRandomLoop(Model& model, Random& random, LoopType type, int from, int to, const std::vector<double>& q,
                           const std::vector<double>& param, const LoopOptions& options = {}) {
    Loop loop;
    loop.name = "loop" + std::to_string(model.loops.size());
    loop.type = type;
    loop.from.body = from;
    loop.to.body = to;
    if (hasAxis(type)) {
        loop.axis = randomDirection(random);
        if (random.below(3) == 0) {
            loop.axis = {0, 0, 0};
            loop.axis[random.below(3)] = 1;
        }
    }
    for (int k = 0; k < 3; k++) {
        loop.from.at[k] = random.between(-0.5, 0.5);
        loop.from.rot[k] = random.between(-1.5, 1.5);
    }
    if (options.live >= 0) {
        loop.from.at[1] = liveNumber(model, options.live, 0.3);
        loop.from.rot[2] = liveNumber(model, options.live, -0.4);
    }

    // Where the successor's frame has to be: free about and along the axis as far as the type lets it.
    const std::vector<Placement> pose = bodyPlacements(model, q, param);
    const Placement p = framePlacement(loop.from, pose, param);
    const Vector3 axis = vectorOf(loop.axis);
    Matrix3 R = matrixOf(p.rotation);
    Vector3 at = vectorOf(p.position);
    const double angle = random.between(-2, 2), along = random.between(-0.5, 0.5);
    const Matrix3 R_from = R;
    switch (type) {
        case LoopType::revolute: R = R_from * rotationAbout(axis, angle); break;
        case LoopType::prismatic: at += R_from * axis * along; break;
        case LoopType::cylindrical:
            R = R_from * rotationAbout(axis, angle);
            at += R_from * axis * along;
            break;
        case LoopType::point_on_line: at += R_from * axis * along; [[fallthrough]];
        case LoopType::spherical: R = rotationAbout(vectorOf(randomDirection(random)), angle); break;
        case LoopType::distance: at += vectorOf(randomDirection(random)) * random.between(0.3, 1); break;
    }
    const double length = (at - vectorOf(p.position)).norm();
    R = R * rotationAbout(vectorOf(randomDirection(random)), options.tear);
    at += vectorOf(randomDirection(random)) * options.tear;

    // In the successor's body.
    const Placement body = to == kBase ? Placement{} : pose[to];
    const Matrix3 R_body = matrixOf(body.rotation);
    const Vector3 local = R_body.transpose() * (at - vectorOf(body.position));
    const Vector3 turns = rollPitchYaw(R_body.transpose() * R);
    const auto number = [&](double x) {
        return options.live >= 0 ? liveNumber(model, options.live, x / param[options.live]) : Number(x);
    };
    for (int k = 0; k < 3; k++) {
        loop.to.at[k] = number(local[k]);
        loop.to.rot[k] = number(turns[k]);
    }
    if (type == LoopType::distance) loop.length = number(length);
    model.loops.push_back(loop);
    return model.loops.back();
}

/// Of a constraint matrix (nc x nv row by row): smallest singular value over the largest, rows at unit length.
inline double independence(const std::vector<double>& K, int nc, int nv) {
    if (nc == 0) return 1;
    if (nc > nv) return 0;
    Eigen::MatrixXd rows =
        Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(K.data(), nc, nv);
    for (int i = 0; i < nc; i++) rows.row(i).normalize();
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(rows);
    return svd.singularValues()[nc - 1] / svd.singularValues()[0];
}

/// A mechanism, and the pose that its loops were made for.
struct LoopedTree {
    Model model;
    std::vector<double> q, v, param;
};

/// Independent joints between two bodies.
inline int freedomsBetween(const Model& model, int a, int b) {
    std::vector<int> count(model.bodies.size(), 0);
    for (int body : {a, b})
        for (; body != kBase; body = model.bodies[body].parent) count[body]++;
    int freedoms = 0;
    for (std::size_t i = 0; i < count.size(); i++)
        if (count[i] == 1) freedoms += jointNv(model.bodies[i].joint.type);
    return freedoms;
}

/// A random tree with one to `loops` loops between ends that have more freedoms than the loop takes.
inline LoopedTree randomLooped(std::uint64_t seed, const TreeOptions& tree, int loops, double tear) {
    LoopedTree made;
    made.model = randomTree(seed, tree);
    Random random(seed + 77777);
    made.param = made.model.liveValues();
    for (double& x : made.param) x *= random.between(0.8, 1.2);
    randomState(made.model, layoutOf(made.model), random, made.q, made.v);
    const int n = static_cast<int>(made.model.bodies.size());
    int left = layoutOf(made.model).nv;
    for (int tries = 0; tries < 60 && static_cast<int>(made.model.loops.size()) < loops; tries++) {
        const LoopType type = kLoopTypes[random.below(6)];
        const int from = random.below(n + 1) - 1, to = random.below(n + 1) - 1;
        if (from == to || freedomsBetween(made.model, from, to) <= loopRows(type) || left <= loopRows(type)) continue;
        left -= loopRows(type);
        LoopOptions options;
        options.tear = tear;
        if (tree.live && made.model.loops.size() % 2 == 0) options.live = 1;
        addRandomLoop(made.model, random, type, from, to, made.q, made.param, options);
    }
    return made;
}

}  // namespace mw::test

// Principal inertias by Jacobi rotations, and a pass of articulated inertias over the tree that finds joints without
// mass.
#include "engine/model/check_inertia.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/model/layout.h"
#include "engine/model/start_pose.h"

namespace mw::mech {

PrincipalInertia principalInertia(const std::array<double, 6>& inertia) {
    double a[3][3] = {{inertia[0], inertia[3], inertia[4]},
                      {inertia[3], inertia[1], inertia[5]},
                      {inertia[4], inertia[5], inertia[2]}};
    double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    // Cyclic Jacobi: each rotation clears one off-diagonal entry; ten sweeps are far more than a 3x3 needs.
    for (int sweep = 0; sweep < 10; ++sweep) {
        for (int p = 0; p < 2; ++p) {
            for (int q = p + 1; q < 3; ++q) {
                if (a[p][q] == 0) continue;
                const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
                const double t = (theta >= 0 ? 1.0 : -1.0) / (std::abs(theta) + std::hypot(theta, 1.0));
                const double c = 1 / std::hypot(t, 1.0);
                const double s = t * c;
                for (int k = 0; k < 3; ++k) {
                    const double akp = a[k][p], akq = a[k][q];
                    a[k][p] = c * akp - s * akq;
                    a[k][q] = s * akp + c * akq;
                }
                for (int k = 0; k < 3; ++k) {
                    const double apk = a[p][k], aqk = a[q][k];
                    a[p][k] = c * apk - s * aqk;
                    a[q][k] = s * apk + c * aqk;
                }
                a[p][q] = a[q][p] = 0;
                for (auto& row : v) {
                    const double vp = row[p], vq = row[q];
                    row[p] = c * vp - s * vq;
                    row[q] = s * vp + c * vq;
                }
            }
        }
    }
    std::array<std::size_t, 3> order{0, 1, 2};
    std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return a[i][i] < a[j][j]; });
    PrincipalInertia result;
    for (std::size_t i = 0; i < 3; ++i) {
        result.value[i] = a[order[i]][order[i]];
        for (std::size_t k = 0; k < 3; ++k) result.axes[3 * k + i] = v[k][order[i]];
    }
    return result;
}

namespace {

using Vector6 = std::array<double, 6>;
using Matrix6 = std::array<Vector6, 6>;

// Spatial inertia about the body's origin (Featherstone 2008, eq. 2.63), angular part first.
Matrix6 spatialInertia(const Body& body, const std::vector<double>& param) {
    const double m = body.mass.at(param);
    const Vector3d c = {body.cg[0].at(param), body.cg[1].at(param), body.cg[2].at(param)};
    std::array<double, 6> I{};
    for (std::size_t i = 0; i < 6; ++i) I[i] = body.inertia[i].at(param);
    const double skew[3][3] = {{0, -c[2], c[1]}, {c[2], 0, -c[0]}, {-c[1], c[0], 0}};
    const double centre[3][3] = {{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}};
    Matrix6 out{};
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            double square = 0;
            for (std::size_t k = 0; k < 3; ++k) square += skew[i][k] * skew[j][k];
            out[i][j] = centre[i][j] + m * square;
            out[i][j + 3] = m * skew[i][j];
            out[i + 3][j] = m * skew[j][i];
        }
        out[i + 3][i + 3] = m;
    }
    return out;
}

Vector6 times(const Matrix6& m, const Vector6& v) {
    Vector6 out{};
    for (std::size_t i = 0; i < 6; ++i)
        for (std::size_t j = 0; j < 6; ++j) out[i] += m[i][j] * v[j];
    return out;
}

double dot(const Vector6& a, const Vector6& b) {
    double sum = 0;
    for (std::size_t i = 0; i < 6; ++i) sum += a[i] * b[i];
    return sum;
}

// Adds X^T I X, X the motion transform from the outer to the inner frame (Featherstone 2008, eq. 2.24 and 2.66).
void addTransformed(Matrix6& outer, const Matrix6& inner, const Placement& placement) {
    const auto& r = placement.rotation;
    const Vector3d& p = placement.position;
    Matrix6 x{};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) x[i][j] = x[i + 3][j + 3] = r[3 * j + i];
    const double skew[3][3] = {{0, -p[2], p[1]}, {p[2], 0, -p[0]}, {-p[1], p[0], 0}};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            for (std::size_t k = 0; k < 3; ++k) x[i + 3][j] -= x[i][k] * skew[k][j];
    Matrix6 ix{};
    for (std::size_t i = 0; i < 6; ++i)
        for (std::size_t k = 0; k < 6; ++k) {
            if (inner[i][k] == 0) continue;
            for (std::size_t j = 0; j < 6; ++j) ix[i][j] += inner[i][k] * x[k][j];
        }
    for (std::size_t k = 0; k < 6; ++k)
        for (std::size_t i = 0; i < 6; ++i) {
            if (x[k][i] == 0) continue;
            for (std::size_t j = 0; j < 6; ++j) outer[i][j] += x[k][i] * ix[k][j];
        }
}

// Columns of S in the body's frame: what each velocity of the joint does.
std::size_t motions(const Joint& joint, double pitch, const double* q, std::array<Vector6, 6>& s) {
    const auto turn = [](const Vector3d& a) { return Vector6{a[0], a[1], a[2], 0, 0, 0}; };
    const auto slide = [](const Vector3d& a) { return Vector6{0, 0, 0, a[0], a[1], a[2]}; };
    const Vector3d& a = joint.axis;
    switch (joint.type) {
        case JointType::fixed: return 0;
        case JointType::revolute: s[0] = turn(a); return 1;
        case JointType::prismatic: s[0] = slide(a); return 1;
        case JointType::cylindrical: s[0] = turn(a), s[1] = slide(a); return 2;
        case JointType::screw: s[0] = {a[0], a[1], a[2], pitch * a[0], pitch * a[1], pitch * a[2]}; return 1;
        case JointType::universal:
            s[0] = turn(rotateBack(axisRotation(joint.axis2, q[1]), a));
            s[1] = turn(joint.axis2);
            return 2;
        case JointType::planar: {
            const std::size_t n = a[0] != 0 ? 0 : a[1] != 0 ? 1 : 2;
            Vector3d first{}, second{};
            first[(n + 1) % 3] = second[(n + 2) % 3] = 1;
            const auto r = axisRotation(a, q[2]);
            s[0] = slide(rotateBack(r, first)), s[1] = slide(rotateBack(r, second)), s[2] = turn(a);
            return 3;
        }
        case JointType::spherical:
        case JointType::floating: {
            const auto nv = static_cast<std::size_t>(jointNv(joint.type));
            for (std::size_t i = 0; i < nv; ++i) {
                s[i] = {};
                s[i][i] = 1;
            }
            return nv;
        }
    }
    return 0;
}

}  // namespace

std::vector<int> masslessJoints(const Model& model, const std::vector<double>& q, const std::vector<double>& param) {
    // A motion counts as massless when less than this part of its rigid inertia is left once the joints below are free.
    constexpr double kLeft = 1e-13;
    const std::size_t n = model.bodies.size();
    std::vector<Matrix6> articulated(n), rigid(n);
    std::vector<std::size_t> first(n);
    std::size_t slot = 0;
    for (std::size_t i = 0; i < n; ++i) {
        first[i] = slot;
        slot += static_cast<std::size_t>(jointNq(model.bodies[i].joint.type));
        articulated[i] = rigid[i] = spatialInertia(model.bodies[i], param);
    }
    std::vector<int> massless;
    const std::vector<int> order = model.order();
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
        const auto i = static_cast<std::size_t>(*it);
        const Body& body = model.bodies[i];
        const double pitch = body.joint.pitch.at(param);
        const double* coordinates = q.data() + first[i];
        const double armature = body.joint_armature.at(param);
        std::array<Vector6, 6> s{};
        const std::size_t nv = motions(body.joint, pitch, coordinates, s);
        Matrix6& a = articulated[i];
        bool told = false;
        // Freeing one motion after the other gives the same as I^A - U D^-1 U^T with all at once.
        for (std::size_t j = 0; j < nv; ++j) {
            const Vector6 u = times(a, s[j]);
            const double d = dot(s[j], u) + armature;
            const double whole = dot(s[j], times(rigid[i], s[j])) + armature;
            if (!(d > kLeft * whole)) {
                if (!told) massless.push_back(*it);
                told = true;
                continue;  // as if locked, so that the joints above are judged on their own
            }
            for (std::size_t r = 0; r < 6; ++r)
                for (std::size_t c = 0; c < 6; ++c) a[r][c] -= u[r] * u[c] / d;
        }
        if (body.parent < 0) continue;
        const Placement local = compose(jointFrame(body, param), jointPlacement(body.joint, pitch, coordinates));
        addTransformed(articulated[static_cast<std::size_t>(body.parent)], a, local);
        addTransformed(rigid[static_cast<std::size_t>(body.parent)], rigid[i], local);
    }
    return massless;
}

void checkMotions(const Model& model, Findings& findings) {
    const std::vector<double> param = model.liveValues();
    const Layout layout = layoutOf(model);
    const std::vector<double> start = startQ(model, layout, param);
    const std::size_t n = model.bodies.size();
    // Poses in general position: what is massless there is massless everywhere. A fixed sequence, the same on every
    // run.
    const int poses = n > 1000 ? 1 : 3;
    std::vector<int> times_found(n, 0);
    std::vector<double> general;
    for (int pose = 0; pose < poses; ++pose) {
        std::vector<double> q = start;
        std::uint64_t seed = 0x9E3779B97F4A7C15u * static_cast<std::uint64_t>(pose + 1);
        std::size_t slot = 0;
        for (const Body& body : model.bodies) {
            const auto nq = static_cast<std::size_t>(jointNq(body.joint.type));
            double norm = 0;
            for (std::size_t i = 0; i < nq; ++i) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                q[slot + i] = static_cast<double>(seed >> 11) * 0x1p-53 * 2 - 1;
                if (i < 4) norm += q[slot + i] * q[slot + i];
            }
            if (nq >= 4)
                for (std::size_t i = 0; i < 4; ++i) q[slot + i] /= std::sqrt(norm);
            slot += nq;
        }
        for (const int body : masslessJoints(model, q, param)) ++times_found[static_cast<std::size_t>(body)];
        general = std::move(q);
    }
    for (std::size_t i = 0; i < n; ++i) {
        if (times_found[i] < poses) continue;
        const Body& body = model.bodies[i];
        Diagnostic& d = findings.error(Code::no_inertia, body.origin.name,
                                       fmt::format("the {} joint of '{}' can move without moving any mass",
                                                   jointTypeName(body.joint.type), body.name));
        d.expected = "inertia against every motion of the joint";
        d.remedy = fmt::format(
            "give '{}', or a body that it carries, mass or inertia across this motion, or give it `joint-armature`",
            body.name);
    }
    for (const int index : masslessJoints(model, start, param)) {
        const auto i = static_cast<std::size_t>(index);
        if (times_found[i] >= poses) continue;
        const Body& body = model.bodies[i];
        Diagnostic& d =
            findings.warning(Code::singular_start, body.origin.name,
                             fmt::format("at the start pose the {} joint of '{}' can move without moving any mass",
                                         jointTypeName(body.joint.type), body.name));
        d.remedy = "start elsewhere, or give the bodies inertia";
    }
    // A slider goes to the ends of a live parameter's range: what has mass today may have none there.
    for (const Parameter& parameter : model.parameters) {
        if (!parameter.live || !parameter.range || n > 1000) continue;
        for (const double end : *parameter.range) {
            std::vector<double> there = param;
            there[static_cast<std::size_t>(parameter.slot)] = end;
            const std::vector<int> massless = masslessJoints(model, general, there);
            const auto found = std::find_if(massless.begin(), massless.end(), [&](int body) {
                return times_found[static_cast<std::size_t>(body)] < poses;
            });
            if (found == massless.end()) continue;
            const Body& body = model.bodies[static_cast<std::size_t>(*found)];
            Diagnostic& d =
                findings.warning(Code::singular_range, parameter.origin.name,
                                 fmt::format("with {} = {} the {} joint of '{}' can move without moving any mass",
                                             parameter.name, end, jointTypeName(body.joint.type), body.name));
            d.expected = "a range within which every motion moves mass";
            d.remedy = "narrow the range, so that a slider cannot get there";
        }
    }
}

}  // namespace mw::mech

// Momentum against the impulse of everything external, along every direction in which a mechanism's first moving joint
// lets it go freely and which stands still in space: all six of a floating body, the axis of a hinge on the ground, and
// so on. Written with Newton's and Euler's laws alone: bodies, poses, forces; no joint-space dynamics.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/largest.h"
#include "engine/proof/motion_plan.h"
#include "engine/spatial/spatial.h"

namespace mw::proof {

namespace {

/// A free direction that is constant in base coordinates: [angular; linear at the base origin].
struct Line {
    int root = 0;
    Vector6 S;
    std::string what;
};

Vector3 vec(const double* p) { return {p[0], p[1], p[2]}; }
Matrix3 turnOf(const double* X) { return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(X); }

Vector3 numbers(const Number3& n, std::span<const double> param) {
    return {n[0].at(param), n[1].at(param), n[2].at(param)};
}

class Balance {
public:
    Balance(const Subject& subject, const MotionPlan& plan)
        : subject_(subject), plan_(plan), speaker_(subject.kernel), obs_(subject.layout.nobs) {
        findRoots();
        readPoses(plan.start);
        for (const int root : roots_) addLines(root);
        tau_.resize(subject.layout.nv);
    }

    const std::vector<Line>& lines() const { return lines_; }

    /// Momentum along every line and its rate by what acts from outside, at a state. `size`: the pulls that the rate is
    /// the sum of, without signs, where loops may hold a body against them all; zero in a tree.
    void at(const State& state, std::vector<double>& momentum, std::vector<double>& rate, std::vector<double>& size) {
        pulls_.clear();
        readPoses(state);
        gatherForces(state);
        const Model& model = subject_.model;
        std::vector<Vector6> h(roots_.size(), Vector6::Zero()), f(roots_.size(), Vector6::Zero());
        for (std::size_t i = 0; i < model.bodies.size(); i++) {
            if (root_of_[i] < 0) continue;
            h[root_of_[i]] += momentumOf(static_cast<int>(i));
            f[root_of_[i]] += wrench_[i];
        }
        momentum.clear();
        rate.clear();
        size.clear();
        for (const Line& line : lines_) {
            const int root = root_of_[line.root];
            momentum.push_back(line.S.dot(h[root]));
            rate.push_back(line.S.dot(f[root] + jointWrench(line.root)));
            double sum = 0;
            if (subject_.layout.nc > 0)
                for (const auto& [body, pull] : pulls_)
                    if (root_of_[body] == root) sum += std::abs(line.S.dot(pull));
            size.push_back(sum);
        }
    }

private:
    /// The first moving body of every branch, and which bodies hang on it.
    void findRoots() {
        const Model& model = subject_.model;
        root_of_.assign(model.bodies.size(), -1);
        for (const int i : model.order()) {
            const int parent = model.bodies[i].parent;
            if (parent != kBase && root_of_[parent] >= 0) {
                root_of_[i] = root_of_[parent];
            } else if (jointNv(model.bodies[i].joint.type) > 0) {
                root_of_[i] = static_cast<int>(roots_.size());
                roots_.push_back(i);
            }
        }
    }

    void readPoses(const State& state) {
        speaker_.kinematics(state.q, state.v, plan_.inputs.param, X_, V_);
        subject_.kernel->observe(state.q.data(), state.v.data(), plan_.inputs.param.data(), speaker_.work(),
                                 obs_.data());
    }

    void jointFrame(int body, Matrix3& R, Vector3& p) const {
        const Body& b = subject_.model.bodies[body];
        const std::span<const double> param = plan_.inputs.param;
        const Vector3 rot = numbers(b.rot, param);
        R = rotationRollPitchYaw(rot[0], rot[1], rot[2]);
        p = numbers(b.at, param);
        if (b.parent == kBase) return;
        const Matrix3 R_parent = turnOf(&X_[12 * b.parent]);
        p = vec(&X_[12 * b.parent + 9]) + R_parent * p;
        R = R_parent * R;
    }

    void addLines(int root) {
        const Joint& joint = subject_.model.bodies[root].joint;
        Matrix3 R;
        Vector3 p;
        jointFrame(root, R, p);
        const std::string& name = subject_.model.bodies[root].name;
        const auto turn = [&](const Vector3& axis, double pitch) {
            const Vector3 w = R * axis;
            Line line{root, Vector6::Zero(), "body " + name + ", about the joint's axis"};
            line.S << w, p.cross(w) + pitch * w;
            lines_.push_back(line);
        };
        const auto shift = [&](const Vector3& axis) {
            Line line{root, Vector6::Zero(), "body " + name + ", along the joint's axis"};
            line.S.tail<3>() = R * axis;
            lines_.push_back(line);
        };
        const Vector3 axis = vec(joint.axis.data());
        switch (joint.type) {
            case JointType::fixed: break;
            case JointType::revolute:
            case JointType::universal: turn(axis, 0); break;  // the second axis of a universal joint moves
            case JointType::prismatic: shift(axis); break;
            case JointType::screw: turn(axis, joint.pitch.at(plan_.inputs.param)); break;
            case JointType::cylindrical:
                turn(axis, 0);
                shift(axis);
                break;
            case JointType::planar:
                for (int k = 0; k < 3; k++)
                    if (std::abs(axis[k]) < 0.5) shift(Vector3::Unit(k) - axis[k] * axis);
                turn(axis, 0);
                break;
            case JointType::spherical:
                for (int k = 0; k < 3; k++) turn(Vector3::Unit(k), 0);
                break;
            case JointType::floating:
                for (int k = 0; k < 3; k++) turn(Vector3::Unit(k), 0);
                for (int k = 0; k < 3; k++) shift(Vector3::Unit(k));
                break;
        }
    }

    Vector6 momentumOf(int i) const {
        const Body& b = subject_.model.bodies[i];
        const std::span<const double> param = plan_.inputs.param;
        const Matrix3 R = turnOf(&X_[12 * i]);
        const Vector3 arm = R * numbers(b.cg, param), w = vec(&V_[6 * i]);
        const Vector3 P = b.mass.at(param) * (vec(&V_[6 * i + 3]) + w.cross(arm));
        double e[6];
        for (int k = 0; k < 6; k++) e[k] = b.inertia[k].at(param);
        Matrix3 I;
        I << e[0], e[3], e[4], e[3], e[1], e[5], e[4], e[5], e[2];
        Vector6 h;
        h << R * (I * (R.transpose() * w)) + (vec(&X_[12 * i + 9]) + arm).cross(P), P;
        return h;
    }

    void addWrench(int body, const Vector3& point, const Vector3& force, const Vector3& couple) {
        if (body == kBase) return;
        Vector6 pull;
        pull << point.cross(force) + couple, force;
        wrench_[body] += pull;
        pulls_.emplace_back(body, pull);
    }
    void addForce(int body, const Vector3& point, const Vector3& force) {
        addWrench(body, point, force, Vector3::Zero());
    }

    Vector3 pointOf(const BodyPoint& point) const {
        const Vector3 at = numbers(point.at, plan_.inputs.param);
        if (point.body == kBase) return at;
        return vec(&X_[12 * point.body + 9]) + turnOf(&X_[12 * point.body]) * at;
    }

    /// wrench_: on every body by gravity, from outside and by tsdas; tau_: on the joints by hand, drives, rsdas,
    /// dampers and the rotors' own inertia.
    void gatherForces(const State& state) {
        const Model& model = subject_.model;
        const Layout& layout = subject_.layout;
        const std::vector<double>& param = plan_.inputs.param;
        wrench_.assign(model.bodies.size(), Vector6::Zero());
        const Vector3 g = numbers(model.gravity, param);
        for (std::size_t i = 0; i < model.bodies.size(); i++) {
            BodyPoint centre;
            centre.body = static_cast<int>(i);
            centre.at = model.bodies[i].cg;
            addForce(centre.body, pointOf(centre), model.bodies[i].mass.at(param) * g);
            if (!model.bodies[i].fext) continue;
            for (int k = 0; k < 6; k++) wrench_[i][k] += plan_.inputs.fext[6 * i + k];
        }
        const ElementForces forces = elementForces(model, layout, param, obs_, plan_.inputs.act, state.v);
        for (std::size_t e = 0; e < model.tsdas.size(); e++) {
            const Vector3 from = pointOf(model.tsdas[e].from), to = pointOf(model.tsdas[e].to);
            if ((to - from).norm() == 0) continue;
            const Vector3 pull = forces.tsda[e] * (to - from).normalized();
            addForce(model.tsdas[e].from.body, from, pull);
            addForce(model.tsdas[e].to.body, to, -pull);
        }
        tau_ = plan_.inputs.tau;
        for (std::size_t e = 0; e < model.rsdas.size(); e++)
            tau_[layout.v_of_body[model.rsdas[e].body]] += forces.rsda[e];
        if (!model.drives.empty()) {
            const DriveForces drives = driveForces(model, layout, state, param, state.t);
            for (std::size_t d = 0; d < model.drives.size(); d++)
                tau_[layout.v_of_body[model.drives[d].body] + model.drives[d].coordinate] += drives.force[d];
        }
        // A loop pulls at both its ends: within one branch that cancels, between two and to the base it does not.
        // A rotor's inertia asks its torque of the joint: what is left of tau reaches the body.
        bool rotors = false;
        for (const int root : roots_) rotors = rotors || model.bodies[root].joint_armature.at(param) != 0;
        std::vector<double> vdot(layout.nv, 0.0);
        if (rotors || layout.nc > 0) {
            Trial trial{state.q, state.v, plan_.inputs.tau, plan_.inputs.fext, plan_.inputs.act, param};
            if (!model.drives.empty()) {
                const DriveForces drives = driveForces(model, layout, state, param, state.t);
                for (std::size_t d = 0; d < model.drives.size(); d++)
                    trial.tau[layout.v_of_body[model.drives[d].body] + model.drives[d].coordinate] += drives.force[d];
            }
            std::vector<double> lambda;
            speaker_.accelerations(trial, trial.tau.data(), trial.fext.data(), trial.act.data(), vdot, lambda);
            const std::vector<LoopReading> loops = loopReadings(model, layout, param, X_, V_, lambda);
            for (std::size_t l = 0; l < loops.size(); l++) {
                const Vector3 couple = vec(loops[l].wrench.data()), force = vec(loops[l].wrench.data() + 3);
                const Vector3 point = vec(loops[l].to_point.data());
                addWrench(model.loops[l].to.body, point, force, couple);
                addWrench(model.loops[l].from.body, point, -force, -couple);
            }
        }
        for (const int root : roots_)
            for (int k = 0; k < jointNv(model.bodies[root].joint.type); k++) {
                const int i = layout.v_of_body[root] + k;
                tau_[i] -= model.bodies[root].joint_damping.at(param) * state.v[i] +
                           model.bodies[root].joint_armature.at(param) * vdot[i];
            }
    }

    /// A wrench [moment about the base origin; force] that does the work of the joint's own forces on every free
    /// direction.
    Vector6 jointWrench(int root) const {
        const Joint& joint = subject_.model.bodies[root].joint;
        Matrix3 R;
        Vector3 p;
        jointFrame(root, R, p);
        const double* tau = tau_.data() + subject_.layout.v_of_body[root];
        const Vector3 axis = R * vec(joint.axis.data());
        const Matrix3 R_body = turnOf(&X_[12 * root]);
        const Vector3 o = vec(&X_[12 * root + 9]);
        Vector3 moment = Vector3::Zero(), force = Vector3::Zero();
        switch (joint.type) {
            case JointType::fixed: break;
            case JointType::revolute:
            case JointType::screw: moment = tau[0] * axis; break;
            case JointType::universal: {
                // The couple whose components along both axes are the joint forces (the axes are perpendicular).
                moment = tau[0] * axis + tau[1] * (R_body * vec(joint.axis2.data()));
                break;
            }
            case JointType::prismatic: force = tau[0] * axis; break;
            case JointType::cylindrical:
                moment = tau[0] * axis;
                force = tau[1] * axis;
                break;
            case JointType::planar: {
                // x y of the frame for z, y z for x, z x for y.
                int n = 0;
                for (int k = 1; k < 3; k++)
                    if (std::abs(joint.axis[k]) > std::abs(joint.axis[n])) n = k;
                Vector3 first = Vector3::Unit((n + 1) % 3);
                first = (first - first.dot(vec(joint.axis.data())) * vec(joint.axis.data())).normalized();
                const Vector3 second = vec(joint.axis.data()).cross(first);
                force = R * (tau[0] * first + tau[1] * second);
                moment = tau[2] * axis;
                break;
            }
            case JointType::spherical: moment = R_body * vec(tau); break;
            case JointType::floating:
                moment = R_body * vec(tau);
                force = R_body * vec(tau + 3);
                break;
        }
        // A screw's couple works through the turn alone: its line already carries the pitch.
        Vector6 w;
        w << moment + o.cross(force), force;
        return w;
    }

    Subject subject_;
    const MotionPlan& plan_;
    Speaker speaker_;
    std::vector<int> root_of_, roots_;
    std::vector<Line> lines_;
    std::vector<Vector6> wrench_;
    std::vector<std::pair<int, Vector6>> pulls_;  ///< what wrench_ is the sum of
    std::vector<double> X_, V_, obs_, tau_;
};

constexpr double kMomentumBound = 1e-7;  ///< of the momentum that went through; about 1e-14 is seen

struct MomentumRun {
    std::vector<double> residual, scale;
    std::string trouble;
};

/// h(T) - h(0) - integral of the rate (trapezium rule) along a Verlet run.
MomentumRun run(const Subject& subject, const MotionPlan& plan, Balance& balance, int finer, const Tick& tick,
                double part) {
    MomentumRun out;
    Simulation simulation = simulationOf(subject, plan, Integrator::verlet, plan.dt / finer);
    std::vector<double> h, rate, before, size;
    balance.at(simulation.state(), h, rate, size);
    std::vector<double> start = h;
    out.residual.assign(h.size(), 0);
    out.scale.assign(h.size(), 0);
    const int n = plan.steps() * finer;
    const double dt = plan.dt / finer;
    for (int i = 0; i < n; i++) {
        if (const auto fault = simulation.step()) out.trouble = fault->what;
        if (i % 64 == 0) tick(part);
        if (subject.cancelled()) out.trouble = "cancelled";
        if (!out.trouble.empty()) return out;
        before = rate;
        balance.at(simulation.state(), h, rate, size);
        for (std::size_t k = 0; k < h.size(); k++) {
            const double impulse = 0.5 * dt * (before[k] + rate[k]);
            out.residual[k] -= impulse;
            double passed = std::abs(impulse);
            raise(passed, dt * size[k]);
            out.scale[k] += passed;
            raise(out.scale[k], std::abs(h[k]));
        }
    }
    for (std::size_t k = 0; k < h.size(); k++) out.residual[k] += h[k] - start[k];
    return out;
}

}  // namespace

void checkMomentum(const Subject& subject, std::vector<Gate>& gates, const Tick& tick) {
    Meter meter("motion.momentum", kMomentumBound);
    MotionPlan plan = planMotion(subject, 0.05, true);
    if (!plan.trouble.empty()) {
        meter.skip(plan.trouble);
        gates.push_back(meter.finish());
        return;
    }
    Balance balance(subject, plan);
    if (balance.lines().empty()) {
        meter.skip("nothing in this model moves against the base");
        gates.push_back(meter.finish());
        return;
    }
    // The residual of three steps, with its second and third orders in dt extrapolated away.
    const auto judge = [&] {
        Meter judged("motion.momentum", kMomentumBound);
        MomentumRun runs[3];
        for (int k = 0; k < 3; k++) {
            runs[k] = run(subject, plan, balance, 1 << k, tick, k / 3.0);
            if (!runs[k].trouble.empty()) {
                judged.take(kNotFinite, plan.start.q, plan.start.v, [&] { return runs[k].trouble; });
                return judged;
            }
        }
        for (std::size_t k = 0; k < balance.lines().size(); k++) {
            const double a = (4 * runs[1].residual[k] - runs[0].residual[k]) / 3;
            const double b = (4 * runs[2].residual[k] - runs[1].residual[k]) / 3;
            const double residual = (8 * b - a) / 7;
            const double scale = runs[0].scale[k];
            const double part = std::isfinite(scale) ? std::abs(residual) / std::max(1e-9, scale) : kNotFinite;
            judged.take(part, plan.start.q, plan.start.v, [&] {
                return fmt::format("{}: {:.2g} N s or N m s of {:.3g}; {}", balance.lines()[k].what, residual, scale,
                                   planInWords(plan));
            });
        }
        return judged;
    };
    Gate gate = judge().finish();
    for (int k = 0; k < kRefinements && !gate.pass && !subject.cancelled(); k++) refine(plan), gate = judge().finish();
    gates.push_back(std::move(gate));
}

}  // namespace mw::proof

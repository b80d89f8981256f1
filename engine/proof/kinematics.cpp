// Positions and velocities: v = dq/dt by finite differences, attitudes against a recomputation in long double,
// observations against the poses they come from, and the exact return of a half step.
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "engine/proof/checks.h"
#include "engine/sim/simulation.h"

namespace mw::proof {

namespace {

using Long = long double;
using Matrix3l = Eigen::Matrix<Long, 3, 3>;
using Vector3l = Eigen::Matrix<Long, 3, 1>;

Matrix3l turnAbout(const Vector3d& axis, Long angle) {
    // Rodrigues, with the axis normalised in long double: the declared one is a unit vector to a double's precision.
    Vector3l a(axis[0], axis[1], axis[2]);
    a.normalize();
    const Long s = std::sin(angle), c = std::cos(angle);
    Matrix3l cross;
    cross << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
    return c * Matrix3l::Identity() + s * cross + (1 - c) * a * a.transpose();
}

Matrix3l turnOf(const double* quaternion) {
    Eigen::Quaternion<Long> Q(quaternion[0], quaternion[1], quaternion[2], quaternion[3]);
    Q.normalize();
    return Q.toRotationMatrix();
}

/// Body to joint frame, from coordinates alone.
Matrix3l jointTurn(const Joint& joint, const double* q) {
    switch (joint.type) {
        case JointType::fixed:
        case JointType::prismatic: return Matrix3l::Identity();
        case JointType::revolute:
        case JointType::screw:
        case JointType::cylindrical: return turnAbout(joint.axis, q[0]);
        case JointType::universal: return turnAbout(joint.axis, q[0]) * turnAbout(joint.axis2, q[1]);
        case JointType::planar: return turnAbout(joint.axis, q[2]);
        case JointType::spherical:
        case JointType::floating: return turnOf(q);
    }
    return Matrix3l::Identity();
}

class Kinematics : public TrialCheck {
public:
    explicit Kinematics(const Subject& subject) : subject_(subject) {
        // A long chain multiplies what the last digits of its angles are worth.
        levels_.resize(subject.model.bodies.size());
        for (const int i : subject.model.order()) {
            const int parent = subject.model.bodies[i].parent;
            // A unit quaternion is one to its last digit only, and so is a sum of angles: worth a few levels.
            const JointType type = subject.model.bodies[i].joint.type;
            const int own = type == JointType::spherical || type == JointType::floating ? 4 : 2;
            levels_[i] = (parent == kBase ? 0 : levels_[parent]) + own;
        }
        findPlainTurns();
    }

    void look(const Trial& trial, int number, Speaker& speaker, const Outputs& outputs,
              const std::vector<double>&) override {
        lookAtVelocities(trial, number, speaker, outputs);
        lookAtAttitudes(trial, number, outputs.X);
        lookAtSines(trial, number, speaker);
        lookAtObservation(trial, number, outputs);
        lookAtReturn(trial, number);
    }

    bool failed() const override {
        return velocity_.failed() || attitude_.failed() || sine_.failed() || observation_.failed() || return_.failed();
    }

    void finish(std::vector<Gate>& gates) override {
        if (plain_turns_.empty()) sine_.skip("no joint of this model turns about a coordinate axis of the base");
        if (subject_.layout.nobs == 0) observation_.skip("nothing is observed in this model");
        for (const Meter* m : {&velocity_, &attitude_, &sine_, &observation_, &return_}) gates.push_back(m->finish());
    }

private:
    static std::vector<int> angles(JointType type) {
        switch (type) {
            case JointType::revolute:
            case JointType::screw:
            case JointType::cylindrical: return {0};
            case JointType::universal: return {0, 1};
            case JointType::planar: return {2};
            default: return {};
        }
    }

    /// Central differences of poses along the exact drift of q, extrapolated to order h^4; h follows the fastest swing.
    void lookAtVelocities(const Trial& trial, int number, Speaker& speaker, const Outputs& now) {
        const double h = 5e-3 / fastestSwing(subject_, trial.v);
        const auto posesAt = [&](double at, std::vector<double>& X) {
            moved_ = trial.q;
            drift(subject_.model, subject_.layout, moved_, trial.v, at);
            speaker.kinematics(moved_, trial.v, trial.param, X, V_);
        };
        posesAt(h, a_);
        posesAt(-h, b_);
        posesAt(h / 2, c_);
        posesAt(-h / 2, d_);
        extrapolatedSlope(a_, b_, c_, d_, h, measured_);
        expected_.resize(now.X.size());
        for (std::size_t i = 0; 12 * i < now.X.size(); i++) {
            // dR/dt = w x R column by column, and the origin moves with the linear velocity.
            const double *R = &now.X[12 * i], *w = &now.V[6 * i];
            double* e = &expected_[12 * i];
            for (int c = 0; c < 3; c++) {
                e[c] = w[1] * R[6 + c] - w[2] * R[3 + c];
                e[3 + c] = w[2] * R[c] - w[0] * R[6 + c];
                e[6 + c] = w[0] * R[3 + c] - w[1] * R[c];
                e[9 + c] = w[3 + c];
            }
        }
        int index = 0;
        const double error = scaledError(measured_, expected_, &index);
        velocity_.take(error, trial.q, trial.v, [&] { return atTrial(subject_.model, number, index / 12); });
    }

    /// Entries of R against long double, over the chain's length.
    void lookAtAttitudes(const Trial& trial, int number, const std::vector<double>& X) {
        const Model& model = subject_.model;
        turns_.resize(model.bodies.size());
        Largest worst;
        for (const int i : model.order()) {
            const Body& b = model.bodies[i];
            Matrix3l R = b.parent == kBase ? Matrix3l(Matrix3l::Identity()) : turns_[b.parent];
            const double roll = b.rot[0].at(trial.param), pitch = b.rot[1].at(trial.param),
                         yaw = b.rot[2].at(trial.param);
            if (yaw != 0) R = R * turnAbout({0, 0, 1}, yaw);
            if (pitch != 0) R = R * turnAbout({0, 1, 0}, pitch);
            if (roll != 0) R = R * turnAbout({1, 0, 0}, roll);
            R = R * jointTurn(b.joint, trial.q.data() + subject_.layout.q_of_body[i]);
            turns_[i] = R;
            for (int k = 0; k < 9; k++) {
                const double error = static_cast<double>(std::abs(X[12 * i + k] - R(k / 3, k % 3))) / levels_[i];
                worst.take(error, i);
            }
        }
        attitude_.take(worst.value, trial.q, trial.v, [&] { return atTrial(model, number, worst.index); });
    }

    /// A joint that turns about a coordinate axis, and whose chain puts no other rotation before it: with all other
    /// coordinates at zero, entries of its body's rotation matrix are the sine and the cosine and nothing else.
    struct PlainTurn {
        int body, coordinate, axis;
        double sign;
    };
    void findPlainTurns() {
        const Model& model = subject_.model;
        std::vector<char> straight(model.bodies.size(), 0);
        for (const int i : model.order()) {
            const Body& b = model.bodies[i];
            straight[i] = (b.parent == kBase || straight[b.parent]) && b.rot[0].isZero() && b.rot[1].isZero() &&
                          b.rot[2].isZero();
            if (!straight[i]) continue;
            const std::vector<int> turning = angles(b.joint.type);
            for (std::size_t n = 0; n < turning.size(); n++)
                for (int k = 0; k < 3; k++) {
                    const Vector3d& axis = n == 0 ? b.joint.axis : b.joint.axis2;
                    if (std::abs(axis[k]) == 1)
                        plain_turns_.push_back({i, subject_.layout.q_of_body[i] + turning[n], k, axis[k]});
                }
        }
        zero_.assign(subject_.layout.nq, 0.0);
        for (std::size_t i = 0; i < model.bodies.size(); i++) {
            const JointType type = model.bodies[i].joint.type;
            if (type == JointType::spherical || type == JointType::floating) zero_[subject_.layout.q_of_body[i]] = 1;
        }
    }

    /// Sine and cosine of one joint alone, in units of their last place: ordinary angles, large ones, and the numbers
    /// next to multiples of a quarter turn, whose sine is what the reduction leaves.
    void lookAtSines(const Trial& trial, int number, Speaker& speaker) {
        if (plain_turns_.empty()) return;
        const PlainTurn& turn = plain_turns_[static_cast<std::size_t>(number) % plain_turns_.size()];
        const int slot = subject_.layout.v_of_body[turn.body];  // uniform in (-1, 1); a loop's velocities are not
        const double u = subject_.layout.nc > 0 ? trial.tau[slot] / 10 : trial.v[slot] / 2;
        constexpr Long kQuarter = 1.570796326794896619231321691639751442L;
        const double kAngles[] = {3.2 * u,
                                  1e6 * u,
                                  1e8 * u,
                                  static_cast<double>(std::round(40 * u) * kQuarter),
                                  static_cast<double>(std::round(1e4 * u) * kQuarter),
                                  static_cast<double>(std::round(6e7 * u) * kQuarter),
                                  1e9 * u,
                                  1e16 * u};
        for (const double angle : kAngles) {
            far_ = zero_;
            far_[turn.coordinate] = angle;
            speaker.kinematics(far_, trial.v, trial.param, X_, V_);
            const double* R = &X_[12 * turn.body];
            const int b = (turn.axis + 1) % 3, c = (turn.axis + 2) % 3;
            const Long s = std::sin(static_cast<Long>(angle)) * turn.sign, co = std::cos(static_cast<Long>(angle));
            const double worst = std::max({places(R[3 * b + b], co, angle), places(R[3 * c + c], co, angle),
                                           places(R[3 * c + b], s, angle), places(R[3 * b + c], -s, angle)});
            sine_.take(worst, far_, trial.v, [&] { return atTrial(subject_.model, number, turn.body); });
        }
    }

    /// The error of a number in units of its last place. Beyond 1e8 rad the reduction is good to 1e-22 of the angle.
    static double places(double got, Long wanted, double angle) {
        const double size = static_cast<double>(std::abs(wanted));
        const double far = std::abs(angle) > 1e8 ? 0x1p-53 + 1e-22 * std::abs(angle) : 0;
        const double place = std::max(std::nextafter(size, 2.0) - size, far);
        const double error = static_cast<double>(std::abs(static_cast<Long>(got) - wanted)) / place;
        return std::isfinite(error) ? error : kNotFinite;
    }

    struct Point {
        double p[3], u[3];
    };
    Point pointOf(const BodyPoint& point, const Trial& trial, const Outputs& o) const {
        Point out{};
        double at[3];
        for (int k = 0; k < 3; k++) at[k] = point.at[k].at(trial.param);
        if (point.body == kBase) {
            std::copy(at, at + 3, out.p);
            return out;
        }
        const double *X = &o.X[12 * point.body], *w = &o.V[6 * point.body];
        double arm[3];
        for (int k = 0; k < 3; k++) {
            arm[k] = X[3 * k] * at[0] + X[3 * k + 1] * at[1] + X[3 * k + 2] * at[2];
            out.p[k] = X[9 + k] + arm[k];
        }
        for (int k = 0; k < 3; k++)
            out.u[k] = w[3 + k] + w[(k + 1) % 3] * arm[(k + 2) % 3] - w[(k + 2) % 3] * arm[(k + 1) % 3];
        return out;
    }

    /// Points and elements once more, from the kernel's own poses and velocities.
    void lookAtObservation(const Trial& trial, int number, const Outputs& now) {
        const Model& model = subject_.model;
        const Layout& layout = subject_.layout;
        if (layout.nobs == 0) return;
        expected_.assign(layout.nobs, 0.0);
        for (std::size_t i = 0; i < model.points.size(); i++) {
            const Point point = pointOf(model.points[i].point, trial, now);
            std::copy(point.p, point.p + 3, &expected_[layout.obs_of_point[i]]);
            std::copy(point.u, point.u + 3, &expected_[layout.obs_of_point[i] + 3]);
        }
        for (std::size_t e = 0; e < model.tsdas.size(); e++) {
            const Point from = pointOf(model.tsdas[e].from, trial, now), to = pointOf(model.tsdas[e].to, trial, now);
            double square = 0, along = 0;
            for (int k = 0; k < 3; k++) {
                square += (to.p[k] - from.p[k]) * (to.p[k] - from.p[k]);
                along += (to.p[k] - from.p[k]) * (to.u[k] - from.u[k]);
            }
            const double length = std::sqrt(square);
            expected_[layout.obs_of_tsda[e]] = length;
            expected_[layout.obs_of_tsda[e] + 1] = length > 0 ? along / length : 0;
        }
        for (std::size_t e = 0; e < model.rsdas.size(); e++) {
            expected_[layout.obs_of_rsda[e]] = trial.q[layout.q_of_body[model.rsdas[e].body]];
            expected_[layout.obs_of_rsda[e] + 1] = trial.v[layout.v_of_body[model.rsdas[e].body]];
        }
        int index = 0;
        const double error = scaledError(now.obs, expected_, &index);
        observation_.take(error, trial.q, trial.v,
                          [&] { return atTrial(model, number, kBase) + ", observation " + std::to_string(index); });
    }

    /// A half step of the positions and back: the drift is its own inverse.
    void lookAtReturn(const Trial& trial, int number) {
        if (trial.q.empty()) return;
        moved_ = trial.q;
        drift(subject_.model, subject_.layout, moved_, trial.v, 0.25);
        drift(subject_.model, subject_.layout, moved_, trial.v, -0.25);
        int index = 0;
        const double error = scaledError(moved_, trial.q, &index);
        return_.take(error, trial.q, trial.v, [&] {
            return atTrial(subject_.model, number, kBase) + ", coordinate " + subject_.layout.q_names[index];
        });
    }

    Subject subject_;
    std::vector<int> levels_;
    std::vector<Matrix3l> turns_;
    std::vector<PlainTurn> plain_turns_;
    std::vector<double> zero_, a_, b_, c_, d_, X_, V_, moved_, far_, measured_, expected_;
    Meter velocity_{"kinematics.velocity", 1e-9}, attitude_{"kinematics.attitude", 1e-15},
        sine_{"kinematics.sine", 0.8}, observation_{"kinematics.observation", agreementBound(subject_.model)},
        return_{"kinematics.return", 1e-10};
};

}  // namespace

std::unique_ptr<TrialCheck> kinematicsCheck(const Subject& subject) { return std::make_unique<Kinematics>(subject); }

}  // namespace mw::proof

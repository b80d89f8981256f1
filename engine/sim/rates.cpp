// How fast a mechanism can answer, and the step that follows from it.
//
// Stiffness and damping act along the lengths (and joint coordinates) of elements: with j the row dl/dt = j v, an
// element adds k jj' to the joint-space stiffness and c jj' to the damping. The largest rates are the square root of
// the largest eigenvalue of M^-1 K and the largest eigenvalue of M^-1 C. With loops M^-1 is projected on what they
// leave free: they hold stiff springs against each other. The loops' own errors close at the rate 1/T of `stab`.
#include <Eigen/Dense>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/largest.h"
#include "engine/sim/simulation.h"

namespace mw {
namespace {

double steepest(const Curve& curve, std::span<const double> param) {
    double slope = 0;
    for (std::size_t i = 0; i + 1 < curve.x.size(); ++i)
        raise(slope, std::abs((curve.f[i + 1].at(param) - curve.f[i].at(param)) /
                              (curve.x[i + 1].at(param) - curve.x[i].at(param))));
    return slope;
}

struct StiffnessAndDamping {
    Eigen::MatrixXd K, C;
};

StiffnessAndDamping stiffnessAndDamping(const Model& model, const Layout& layout, const Kernel& kernel,
                                        const State& state, std::span<const double> param, std::vector<double>& work) {
    const Eigen::Index nv = layout.nv;
    StiffnessAndDamping result{Eigen::MatrixXd::Zero(nv, nv), Eigen::MatrixXd::Zero(nv, nv)};
    // Rows of the tsdas: observe is linear in v, so each unit velocity gives a column.
    Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(model.tsdas.size()), nv);
    if (!model.tsdas.empty()) {
        std::vector<double> unit(static_cast<std::size_t>(layout.nv), 0), obs(static_cast<std::size_t>(layout.nobs));
        for (Eigen::Index i = 0; i < nv; ++i) {
            unit[static_cast<std::size_t>(i)] = 1;
            kernel->observe(state.q.data(), unit.data(), param.data(), work.data(), obs.data());
            unit[static_cast<std::size_t>(i)] = 0;
            for (std::size_t e = 0; e < model.tsdas.size(); ++e)
                rows(static_cast<Eigen::Index>(e), i) = obs[static_cast<std::size_t>(layout.obs_of_tsda[e]) + 1];
        }
    }
    for (std::size_t e = 0; e < model.tsdas.size(); ++e) {
        const Tsda& tsda = model.tsdas[e];
        const Eigen::RowVectorXd row = rows.row(static_cast<Eigen::Index>(e));
        result.K += (std::abs(tsda.k.at(param)) + steepest(tsda.curve, param)) * row.transpose() * row;
        result.C += (std::abs(tsda.c.at(param)) + steepest(tsda.damper_curve, param)) * row.transpose() * row;
    }
    for (const Rsda& rsda : model.rsdas) {
        const Eigen::Index i = layout.v_of_body[static_cast<std::size_t>(rsda.body)];
        result.K(i, i) += std::abs(rsda.k.at(param)) + steepest(rsda.curve, param);
        result.C(i, i) += std::abs(rsda.c.at(param)) + steepest(rsda.damper_curve, param);
    }
    for (std::size_t b = 0; b < model.bodies.size(); ++b)
        for (int k = 0; k < jointNv(model.bodies[b].joint.type); ++k)
            result.C(layout.v_of_body[b] + k, layout.v_of_body[b] + k) +=
                std::abs(model.bodies[b].joint_damping.at(param));
    for (const Drive& drive : model.drives) {
        const Eigen::Index i = layout.v_of_body[static_cast<std::size_t>(drive.body)] + drive.coordinate;
        if (drive.kind == Drive::Kind::speed) result.C(i, i) += std::abs(drive.gain.at(param));
        if (drive.kind == Drive::Kind::position) {
            result.K(i, i) += std::abs(drive.kp.at(param));
            result.C(i, i) += std::abs(drive.kd.at(param));
        }
    }
    return result;
}

}  // namespace

double largestRate(const Model& model, const Layout& layout, const Kernel& kernel, const State& state,
                   std::span<const double> param) {
    double rate = 0;
    for (const double v : state.v) rate = std::max(rate, std::abs(v));
    if (layout.nv == 0) return rate;
    std::vector<double> work = makeWork(kernel);
    const StiffnessAndDamping law = stiffnessAndDamping(model, layout, kernel, state, param, work);
    if (layout.nc > 0 && model.stab > 0) rate = std::max(rate, 1 / model.stab);
    if (law.K.isZero(0) && law.C.isZero(0)) return rate;
    if (layout.nc > 0) {
        // P = M^-1 with the projection is symmetric; of P A with A = R R^T the eigenvalues are those of R^T P R.
        Eigen::MatrixXd P(layout.nv, layout.nv);
        const Eigen::MatrixXd unit = Eigen::MatrixXd::Identity(layout.nv, layout.nv);
        kernel->factor(state.q.data(), param.data(), work.data());
        kernel->apply_inverse_mass(work.data(), unit.data(), layout.nv, P.data());
        if (!P.allFinite() || !law.K.allFinite() || !law.C.allFinite()) return rate;
        const auto largest = [&](const Eigen::MatrixXd& A) {
            const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> parts(A);
            const Eigen::MatrixXd R = parts.eigenvectors() * parts.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal();
            const Eigen::MatrixXd product = R.transpose() * (0.5 * (P + P.transpose())) * R;
            return std::max(0.0, product.selfadjointView<Eigen::Lower>().eigenvalues().maxCoeff());
        };
        return std::max({rate, std::sqrt(largest(law.K)), largest(law.C)});
    }
    Eigen::MatrixXd M(layout.nv, layout.nv);
    kernel->mass_matrix(state.q.data(), param.data(), work.data(), M.data());
    if (!M.allFinite() || !law.K.allFinite() || !law.C.allFinite()) return rate;
    const auto largest = [&](const Eigen::MatrixXd& A) {
        Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> solver(A, M, Eigen::EigenvaluesOnly | Eigen::Ax_lBx);
        return solver.info() == Eigen::Success ? std::max(0.0, solver.eigenvalues().maxCoeff()) : 0.0;
    };
    return std::max({rate, std::sqrt(largest(law.K)), largest(law.C)});
}

namespace {

// Largest speed of a trial run of one second from the state: a mechanism at rest may soon be fast, and a light wrist
// faster than anything that can be read off its start. A trial whose energy no longer balances is none: its speeds are
// those of a step too long, so it ends there, and its own speeds ask for a finer trial.
struct Ahead {
    double speed = 0;
    bool sound = true;  ///< the whole second was seen, or as much of it as the steps allow
};
Ahead lookAhead(const Model& model, const Kernel& kernel, const State& state, std::span<const double> param,
                double dt) {
    constexpr double kAhead = 1.0;  // s
    constexpr int kStepsAtMost = 2000, kStepsBetweenLooks = 10;
    constexpr double kUnbalanced = 0.2;  // of the largest kinetic energy
    // The simulation borrows the model for as long as this function runs.
    Simulation trial(std::shared_ptr<const Model>(std::shared_ptr<void>(), &model), kernel, Integrator::verlet, dt);
    trial.inputs().param.assign(param.begin(), param.end());
    trial.reset();
    Ledger ledger = trial.ledger();
    trial.setState(state, ledger);
    ledger.initial_total = trial.read().energy.total();
    trial.setState(state, ledger);
    Ahead ahead;
    double speed = 0, kinetic = 0;
    for (int i = 1; i <= kStepsAtMost && static_cast<double>(i - 1) * dt < kAhead; ++i) {
        const bool blown = trial.step().has_value();
        if (!blown)
            for (const double v : trial.state().v) raise(speed, std::abs(v));
        if (!blown && i % kStepsBetweenLooks != 0) continue;
        const Readings now = trial.read();
        raise(kinetic, now.energy.kinetic);
        const double rounding = 1e-9 * (std::abs(ledger.initial_total) + std::abs(now.energy.total()) +
                                        std::abs(now.ledger.drives) + std::abs(now.ledger.dissipated));
        if (blown || !(std::abs(now.residual) <= kUnbalanced * kinetic + rounding)) {
            ahead.sound = false;
            break;
        }
        ahead.speed = speed;
    }
    if (ahead.sound) ahead.speed = speed;
    return ahead;
}

// Down to 1, 2 or 5 times a power of ten, so that a step is a number people can say.
double roundedDown(double dt) {
    const int exponent = static_cast<int>(std::floor(std::log10(dt * (1 + 1e-12))));
    const double factor = dt / std::pow(10.0, exponent) * (1 + 1e-12);
    // Read from its decimal form: a product of powers of ten would print as 4.9999999999999996e-06.
    const std::string decimal = fmt::format("{}e{}", factor >= 5 ? 5 : factor >= 2 ? 2 : 1, exponent);
    double result = dt;
    std::from_chars(decimal.data(), decimal.data() + decimal.size(), result);
    return result;
}

}  // namespace

double suggestedStep(const Model& model, const Layout& layout, const Kernel& kernel, const State& state,
                     std::span<const double> param, std::string* why) {
    constexpr double kLongest = 1e-3, kShortest = 1e-9, kTurnAStep = 0.02;  // s, s, rad
    const auto stepFor = [&](double rate) {
        return std::clamp(rate > 0 ? kTurnAStep / rate : kLongest, kShortest, kLongest);
    };
    const double rate = largestRate(model, layout, kernel, state, param);
    double ahead = 0, trial_dt = stepFor(rate);
    for (int trial = 0; layout.nv > 0 && trial < 4; ++trial) {
        const Ahead seen = lookAhead(model, kernel, state, param, trial_dt);
        ahead = std::max(ahead, seen.speed);
        if (seen.sound) break;
        trial_dt = std::min(stepFor(std::max(rate, ahead)), trial_dt / 4);
    }
    const double dt = roundedDown(std::min(stepFor(std::max(rate, ahead)), std::max(trial_dt, kShortest)));
    if (why) {
        if (ahead > rate)
            *why = fmt::format("dt {:g} s: speeds reach {:.3g} (rad/s, m/s) within the first second", dt, ahead);
        else if (rate > 0)
            *why = fmt::format(
                "dt {:g} s: the largest rate of the start state is {:.3g} rad/s (speeds, elements' stiffness and "
                "damping{})",
                dt, rate, layout.nc > 0 && model.stab > 0 ? ", closing of loops" : "");
        else *why = fmt::format("dt {:g} s: nothing in the start state moves, springs or damps", dt);
    }
    return dt;
}

}  // namespace mw

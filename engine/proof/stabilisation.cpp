// Torn loops close at the speed that `stab` promises: every error goes as (1 + t/T) e^(-t/T) from zero rate. The motion
// is the smallest that closes them: what gravity, springs and speeds would add is taken away by apply_inverse_mass, so
// that five T later the mechanism has hardly moved.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/largest.h"
#include "engine/dynamics/loop_readings.h"
#include "engine/proof/checks.h"
#include "engine/sim/simulation.h"

namespace mw::proof {

namespace {

constexpr double kBound = 0.01;          ///< of the start error
constexpr double kStartError = 1e-3;     ///< m, rad: the largest row's
constexpr int kSteps = 400, kTimes = 5;  ///< steps, and how many T they cover

class Closing {
public:
    explicit Closing(const Subject& subject) : subject_(subject), speaker_(subject.kernel) {}

    /// Tears the closed pose of a trial until its largest error is kStartError.
    bool start(const Trial& torn, const Trial& closed) {
        param_ = closed.param;
        // The trial's own tear as a direction, from its velocities' slip: any will do that opens the loops.
        std::vector<double> apart(torn.v.size());
        for (std::size_t i = 0; i < apart.size(); i++) apart[i] = torn.tau[i] / 10;
        double size = kStartError;
        for (int k = 0; k < 8; k++) {
            q_ = closed.q;
            drift(subject_.model, subject_.layout, q_, apart, size);
            const double error = largest(errors());
            if (!std::isfinite(error)) break;  // the run fails on it
            if (!(error > 0)) return false;
            if (std::abs(error / kStartError - 1) < 1e-6) break;
            size *= kStartError / error;
        }
        v_.assign(apart.size(), 0.0);
        return true;
    }

    /// Value and place of the largest departure from the promised decay.
    struct Worst {
        double value = 0, t = 0;
        int row = 0;
    };
    Worst run(const std::function<bool(double)>& go_on) {
        const double T = subject_.model.stab, h = kTimes * T / kSteps;
        const std::vector<double> start = errors();
        Worst worst;
        for (int i = 1; i <= kSteps && go_on(static_cast<double>(i) / kSteps); i++) {
            step(h);
            const double t = i * h, left = (1 + t / T) * std::exp(-t / T);
            const std::vector<double> now = errors();
            for (std::size_t k = 0; k < now.size(); k++) {
                const double off = std::abs(now[k] - start[k] * left) / kStartError;
                if (!std::isfinite(off)) return {kNotFinite, t, static_cast<int>(k)};
                if (off > worst.value) worst = {off, t, static_cast<int>(k)};
            }
        }
        return worst;
    }

    const std::vector<double>& q() const { return q_; }

private:
    static double largest(const std::vector<double>& x) {
        double out = 0;
        for (const double e : x) raise(out, std::abs(e));
        return out;
    }

    /// What is promised to decay: of a distance l the form (l^2 - L^2)/2L, else the error itself.
    std::vector<double> errors() {
        const std::vector<double> still(subject_.layout.nv, 0.0);
        speaker_.kinematics(q_, still, param_, X_, V_);
        std::vector<double> all;
        const auto readings = loopReadings(subject_.model, subject_.layout, param_, X_, V_, {});
        for (std::size_t l = 0; l < readings.size(); l++) {
            const Loop& loop = subject_.model.loops[l];
            for (const double e : readings[l].error) {
                const double length = loop.type == LoopType::distance ? loop.length.at(param_) : 0;
                all.push_back(length > 0 ? e + 0.5 * e * e / length : e);
            }
        }
        return all;
    }

    /// The accelerations without what the loops leave free: vdot - P M vdot, P being M^-1 with the loops projected out.
    void evaluate(const std::vector<double>& q, const std::vector<double>& v, std::vector<double>& vdot) {
        const Trial trial{q, v, {}, {}, {}, param_};
        const std::size_t nv = v.size();
        std::vector<double> M(nv * nv), free(nv), rhs(nv, 0.0);
        speaker_.accelerations(trial, nullptr, nullptr, nullptr, vdot, lambda_);
        speaker_.kernel()->mass_matrix(q.data(), param_.data(), speaker_.work(), M.data());
        for (std::size_t i = 0; i < nv; i++)
            for (std::size_t k = 0; k < nv; k++) rhs[i] += M[i * nv + k] * vdot[k];
        speaker_.kernel()->factor(q.data(), param_.data(), speaker_.work());
        speaker_.kernel()->apply_inverse_mass(speaker_.work(), rhs.data(), 1, free.data());
        for (std::size_t i = 0; i < nv; i++) vdot[i] -= free[i];
    }

    /// The midpoint rule, of second order.
    void step(double h) {
        std::vector<double> q = q_, v = v_;
        evaluate(q_, v_, vdot_);
        drift(subject_.model, subject_.layout, q, v_, h / 2);
        for (std::size_t i = 0; i < v.size(); i++) v[i] += h / 2 * vdot_[i];
        evaluate(q, v, vdot_);
        drift(subject_.model, subject_.layout, q_, v, h);
        for (std::size_t i = 0; i < v.size(); i++) v_[i] += h * vdot_[i];
    }

    Subject subject_;
    Speaker speaker_;
    std::vector<double> param_, q_, v_, vdot_, lambda_, X_, V_;
};

}  // namespace

void checkStabilisation(const Subject& subject, std::vector<Gate>& gates, const Tick& tick) {
    Meter meter("loops.stabilisation", kBound);
    if (!(subject.model.stab > 0)) {
        meter.skip("stab 0: this mechanism's loops are not stabilised");
    } else {
        Closing closing(subject);
        const Trial closed = subject.states.closed(0);
        if (!closing.start(subject.states.at(0), closed)) {
            meter.skip("no motion of the joints opens the loops");
        } else {
            const std::vector<double> q = closing.q(), v(closed.v.size(), 0.0);
            const Closing::Worst worst = closing.run([&](double part) {
                tick(part);
                return !subject.cancelled();
            });
            meter.take(worst.value, q, v, [&] {
                return fmt::format("{} at t = {:.3g} s (part of the start error, {:g})",
                                   atRow(subject.model, 0, worst.row), worst.t, kStartError);
            });
        }
    }
    gates.push_back(meter.finish());
}

}  // namespace mw::proof

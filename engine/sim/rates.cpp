// How fast a mechanism can answer, and the step that follows from it.
//
// Stiffness and damping act along the lengths (and joint coordinates) of elements: with j the row dl/dt = j v, an
// element adds k jj' to the joint-space stiffness and c jj' to the damping. The largest rates are the square root of
// the largest eigenvalue of M^-1 K and the largest eigenvalue of M^-1 C. With J the rows and D their stiffness, K is
// J' D J, and M^-1 K has the eigenvalues of D^1/2 (J M^-1 J') D^1/2: as many as there are elements, however many
// shoes. With loops M^-1 is projected on what they leave free: they hold stiff springs against each other. The loops'
// own errors close at the rate 1/T of `stab`.
#include <Eigen/Dense>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

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

// Directions in which something is stiff or damps, each with what it adds up to.
struct Springs {
    std::vector<std::vector<double>> rows;  // dl/dt = row v
    std::vector<double> k, c;
};

Springs springsOf(const Model& model, const Layout& layout, const Kernel& kernel, const State& state,
                  std::span<const double> param, bool joint_damping, std::vector<double>& work) {
    const auto nv = static_cast<std::size_t>(layout.nv);
    Springs springs;
    // Rows of the tsdas: observe is linear in v, so each unit velocity gives a column.
    if (!model.tsdas.empty()) {
        springs.rows.assign(model.tsdas.size(), std::vector<double>(nv, 0.0));
        std::vector<double> unit(nv, 0), obs(static_cast<std::size_t>(layout.nobs));
        for (std::size_t i = 0; i < nv; ++i) {
            unit[i] = 1;
            kernel->observe(state.q.data(), unit.data(), param.data(), work.data(), obs.data());
            unit[i] = 0;
            for (std::size_t e = 0; e < model.tsdas.size(); ++e)
                springs.rows[e][i] = obs[static_cast<std::size_t>(layout.obs_of_tsda[e]) + 1];
        }
        for (const Tsda& tsda : model.tsdas) {
            springs.k.push_back(std::abs(tsda.k.at(param)) + steepest(tsda.curve, param));
            springs.c.push_back(std::abs(tsda.c.at(param)) + steepest(tsda.damper_curve, param));
        }
    }
    // Of joints: what acts on one coordinate adds up.
    std::vector<double> k(nv, 0), c(nv, 0);
    for (const Rsda& rsda : model.rsdas) {
        const auto i = static_cast<std::size_t>(layout.v_of_body[static_cast<std::size_t>(rsda.body)]);
        k[i] += std::abs(rsda.k.at(param)) + steepest(rsda.curve, param);
        c[i] += std::abs(rsda.c.at(param)) + steepest(rsda.damper_curve, param);
    }
    for (std::size_t b = 0; b < model.bodies.size() && joint_damping; ++b)
        for (int j = 0; j < jointNv(model.bodies[b].joint.type); ++j)
            c[static_cast<std::size_t>(layout.v_of_body[b] + j)] += std::abs(model.bodies[b].joint_damping.at(param));
    for (const Drive& drive : model.drives) {
        const auto i =
            static_cast<std::size_t>(layout.v_of_body[static_cast<std::size_t>(drive.body)] + drive.coordinate);
        if (drive.kind == Drive::Kind::speed) c[i] += std::abs(drive.gain.at(param));
        if (drive.kind == Drive::Kind::position) {
            k[i] += std::abs(drive.kp.at(param));
            c[i] += std::abs(drive.kd.at(param));
        }
    }
    for (std::size_t i = 0; i < nv; ++i) {
        if (k[i] == 0 && c[i] == 0) continue;
        springs.rows.emplace_back(nv, 0.0).at(i) = 1;
        springs.k.push_back(k[i]);
        springs.c.push_back(c[i]);
    }
    return springs;
}

// What a mechanism can answer with, rad/s each.
struct Rates {
    double speed = 0, stiffness = 0, damping = 0, closing = 0;
    double largest() const { return std::max({speed, stiffness, damping, closing}); }
};

Rates ratesOf(const Model& model, const Layout& layout, const Kernel& kernel, const State& state,
              std::span<const double> param, bool joint_damping = true) {
    Rates rates;
    for (const double v : state.v) rates.speed = std::max(rates.speed, std::abs(v));
    if (layout.nv == 0) return rates;
    if (layout.nc > 0 && model.stab > 0) rates.closing = 1 / model.stab;
    std::vector<double> work = makeWork(kernel);
    const Springs springs = springsOf(model, layout, kernel, state, param, joint_damping, work);
    const auto count = static_cast<Eigen::Index>(springs.rows.size()), nv = static_cast<Eigen::Index>(layout.nv);
    if (count == 0) return rates;
    Eigen::MatrixXd J(nv, count), solved(nv, count);  // rows of the springs, one a column
    for (Eigen::Index e = 0; e < count; ++e)
        J.col(e) = Eigen::Map<const Eigen::VectorXd>(springs.rows[static_cast<std::size_t>(e)].data(), nv);
    kernel->factor(state.q.data(), param.data(), work.data());
    kernel->apply_inverse_mass(work.data(), J.data(), static_cast<int>(count), solved.data());
    const Eigen::MatrixXd S = J.transpose() * solved;
    const auto largest = [&](const std::vector<double>& d) {
        const Eigen::VectorXd root = Eigen::Map<const Eigen::VectorXd>(d.data(), count).cwiseSqrt();
        const Eigen::MatrixXd A = root.asDiagonal() * (0.5 * (S + S.transpose())) * root.asDiagonal();
        if (!A.allFinite() || A.isZero(0)) return 0.0;
        return std::max(0.0, A.selfadjointView<Eigen::Lower>().eigenvalues().maxCoeff());
    };
    rates.stiffness = std::sqrt(largest(springs.k));
    rates.damping = largest(springs.c);
    return rates;
}

}  // namespace

double largestRate(const Model& model, const Layout& layout, const Kernel& kernel, const State& state,
                   std::span<const double> param) {
    return ratesOf(model, layout, kernel, state, param).largest();
}

namespace {

// Largest speed of a trial run of one second from the state: a mechanism at rest may soon be fast, and a light wrist
// faster than anything that can be read off its start. A trial whose energy no longer balances is none: its speeds are
// those of a step too long, so it ends there, and its own speeds ask for a finer trial. With rows the balance is no
// sign of that: tight cables are booked to the step's order whatever little moves, and rows stay bounded at any step.
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
    Simulation trial(std::shared_ptr<const Model>(std::shared_ptr<void>(), &model), kernel, defaultIntegrator(model),
                     dt);
    trial.inputs().param.assign(param.begin(), param.end());
    trial.reset();
    Ledger ledger = trial.ledger();
    trial.setState(state, ledger);
    ledger.initial_total = trial.read(false).total_energy;
    trial.setState(state, ledger);
    Ahead ahead;
    const bool rows = hasRows(model);
    double speed = 0, kinetic = 0;
    for (int i = 1; i <= kStepsAtMost && static_cast<double>(i - 1) * dt < kAhead; ++i) {
        const bool blown = trial.step().has_value();
        if (!blown)
            for (const double v : trial.state().v) raise(speed, std::abs(v));
        if (!blown && (rows || i % kStepsBetweenLooks != 0)) continue;
        const Readings now = trial.read(false);
        raise(kinetic, now.energy.kinetic);
        const double rounding = 1e-9 * (std::abs(ledger.initial_total) + std::abs(now.total_energy) +
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

// Read from its decimal form: a product of powers of ten would print as 4.9999999999999996e-06.
double fromDecimal(int digits, int exponent) {
    const std::string decimal = fmt::format("{}e{}", digits, exponent);
    double result = 0;
    std::from_chars(decimal.data(), decimal.data() + decimal.size(), result);
    return result;
}

// Down to 1, 2 or 5 times a power of ten, so that a step is a number people can say.
double roundedDown(double dt) {
    const int exponent = static_cast<int>(std::floor(std::log10(dt * (1 + 1e-12))));
    const double factor = dt / std::pow(10.0, exponent) * (1 + 1e-12);
    return fromDecimal(factor >= 5 ? 5 : factor >= 2 ? 2 : 1, exponent);
}

// To three digits: a contact's step is paid for in time, so nothing is given away, and half a per cent of ninety
// samples is none.
double roundedToThreeDigits(double dt) {
    const int exponent = static_cast<int>(std::floor(std::log10(dt))) - 2;
    return fromDecimal(static_cast<int>(std::lround(dt / std::pow(10.0, exponent))), exponent);
}

// The stiffest contact: its period and whose it is.
struct Contact {
    double period =
        0;  // s, of a shoe on its band's stiffness, or of a pad's corner (a quarter of a shoe) on the ground
    std::string of;
};
Contact stiffestContact(const Model& model, std::span<const double> param) {
    Contact stiffest;
    const auto look = [&](double mass, double stiffness, const std::string& of) {
        if (!(mass > 0 && stiffness > 0)) return;
        const double period = 2 * std::numbers::pi * std::sqrt(mass / stiffness);
        if (stiffest.period == 0 || period < stiffest.period) stiffest = {period, of};
    };
    for (const Track& track : model.tracks) {
        const double mass = track.mass.at(param), kn = track.kn.at(param);
        look(mass, kn, fmt::format("band {}", track.name));
        if (model.ground)
            look(mass / 4, model.ground->kn ? model.ground->kn->at(param) : kn,
                 fmt::format("the ground under band {}", track.name));
    }
    return stiffest;
}

// Contacts decide the step by accuracy: samples of their period. Elements must be resolved no worse, and dampers, which
// are explicit, die out over at least five steps.
double contactStep(double accuracy, const Contact& contact, const Rates& rates, std::string* why) {
    constexpr double kSamples = 90, kDecayAStep = 0.2;
    const double swing = std::max(rates.stiffness, rates.speed), decay = std::max(rates.damping, rates.closing);
    const double by_swing = swing > 0 ? 2 * std::numbers::pi / kSamples / swing : accuracy;
    const double by_decay = decay > 0 ? kDecayAStep / decay : accuracy;
    const double dt = roundedToThreeDigits(std::clamp(std::min({accuracy, by_swing, by_decay}), 1e-9, 1e-3));
    if (why) {
        if (accuracy <= std::min(by_swing, by_decay))
            *why = fmt::format("dt {:g} s: {:g} samples of the contact period {:.3g} ms of {}", dt, kSamples,
                               1e3 * contact.period, contact.of);
        else if (by_swing <= by_decay)
            *why = fmt::format(
                "dt {:g} s: {:g} samples a turn at {:.3g} rad/s, the largest of the elements' stiffness "
                "and of the speeds",
                dt, kSamples, swing);
        else
            *why = fmt::format("dt {:g} s: a fifth of the time in which the fastest damper (1/{:.3g} s) dies out", dt,
                               decay);
    }
    return dt;
}

}  // namespace

double suggestedStep(const Model& model, const Layout& layout, const Kernel& kernel, const State& state,
                     std::span<const double> param, std::string* why) {
    constexpr double kLongest = 1e-3, kShortest = 1e-9, kTurnAStep = 0.02;  // s, s, rad
    const auto stepFor = [&](double rate) {
        return std::clamp(rate > 0 ? kTurnAStep / rate : kLongest, kShortest, kLongest);
    };
    // A step with rows takes joint damping implicitly: no step is too long for it.
    const Rates rates = ratesOf(model, layout, kernel, state, param, !hasRows(model));
    ContactModel contacts(model);
    contacts.setParameters(param);
    if (const double accuracy = contacts.empty() ? 0 : contacts.accuracyStep(); accuracy > 0)
        return contactStep(accuracy, stiffestContact(model, param), rates, why);
    const double rate = rates.largest();
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

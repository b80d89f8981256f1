// Loops: closed where they should be, independent rows, and a kernel whose K and accelerations do what they say. The
// measures here know bodies, poses and velocities alone (differences along the exact drift); no acceleration is
// derived.
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "engine/base/largest.h"
#include "engine/dynamics/loop_readings.h"
#include "engine/dynamics/reference_kernel.h"
#include "engine/proof/checks.h"
#include "engine/sim/simulation.h"

namespace mw::proof {

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double kRankFloor = 1e-9;    ///< of the largest pivot, rows scaled to unit length
constexpr double kClosedBound = 1e-9;  ///< m, rad
constexpr double kSlopeBound = 1e-9;
constexpr double kMostCondition = 1e12;  ///< beyond it hardly four digits of a multiplier are left

/// Poses of which a share may be singular.
int mayBeSingular(int poses) { return poses >= 10 ? std::max(1, poses / 100) : 0; }

class Loops : public TrialCheck {
public:
    Loops(const Subject& subject, LoopFacts& facts)
        : subject_(subject), facts_(facts), reference_(makeReferenceKernel(subject.model)) {
        for (const Loop& loop : subject.model.loops)
            for (const LoopRow& row : rowsOf(loop)) rows_.push_back(row.kind);
        for (std::size_t l = 0; l < subject.model.loops.size(); l++)
            loop_of_row_.insert(loop_of_row_.end(), loopRows(subject.model.loops[l].type), static_cast<int>(l));
    }

    void look(const Trial& trial, int number, Speaker& speaker, const Outputs& outputs,
              const std::vector<double>& rhs) override {
        if (trial.halvings > 0) milder_++;
        lookAtClosure(trial, number, speaker);
        lookAtRank(trial, number);
        lookAtJacobian(trial, number, speaker, outputs);
        lookAtConstraint(trial, number, speaker, outputs);
        lookAtProjection(trial, number, outputs, rhs);
    }

    bool failed() const override {
        return closed_.failed() || jacobian_.failed() || constraint_.failed() || projection_.failed();
    }

    void finish(std::vector<Gate>& gates) override {
        std::string note;
        if (milder_ > 0)
            note = fmt::format(
                "at {} of {} states the drawn live parameters leave the loops open: nearer to the declared ones "
                "was used",
                milder_, facts_.poses);
        gates.push_back(closed_.finish(note));
        gates.push_back(rank());
        gates.push_back(condition());
        gates.push_back(jacobian_.finish());
        gates.push_back(constraint_.finish());
        gates.push_back(projection_.finish());
    }

private:
    std::vector<LoopReading> readings(Speaker& speaker, const std::vector<double>& q, const std::vector<double>& v,
                                      const std::vector<double>& param) {
        speaker.kinematics(q, v, param, X_, V_);
        return loopReadings(subject_.model, subject_.layout, param, X_, V_, {});
    }
    static void appendTo(std::vector<double>& out, const std::vector<double>& more) {
        out.insert(out.end(), more.begin(), more.end());
    }
    std::vector<double> errors(Speaker& speaker, const std::vector<double>& q, const Trial& trial) {
        std::vector<double> all;
        for (const LoopReading& r : readings(speaker, q, trial.closed_v, trial.param)) appendTo(all, r.error);
        return all;
    }
    std::vector<double> rates(Speaker& speaker, const std::vector<double>& q, const std::vector<double>& v,
                              const Trial& trial) {
        std::vector<double> all;
        for (const LoopReading& r : readings(speaker, q, v, trial.param)) appendTo(all, r.rate);
        return all;
    }
    /// A step of differences along velocities u: short for the fastest chain, and for a line between two points that
    /// are near each other and turns fast.
    double stepAlong(Speaker& speaker, const std::vector<double>& q, const std::vector<double>& u, const Trial& trial) {
        double fastest = fastestSwing(subject_, u);
        if (std::find(rows_.begin(), rows_.end(), LoopRow::Kind::distance) == rows_.end()) return 5e-3 / fastest;
        const double h = 1e-4 / fastest;
        const auto lines = [&](double at) {
            moved_ = q;
            drift(subject_.model, subject_.layout, moved_, u, at);
            std::vector<Eigen::Vector3d> out;
            for (const LoopReading& r : readings(speaker, moved_, u, trial.param))
                out.push_back(Eigen::Map<const Eigen::Vector3d>(r.to_point.data()) -
                              Eigen::Map<const Eigen::Vector3d>(r.from_point.data()));
            return out;
        };
        const std::vector<Eigen::Vector3d> before = lines(-h), after = lines(h);
        for (std::size_t l = 0; l < before.size(); l++) {
            if (subject_.model.loops[l].type != LoopType::distance) continue;
            const double length = 0.5 * (before[l] + after[l]).norm();
            if (length > 0) fastest = std::max(fastest, (after[l] - before[l]).norm() / (2 * h * length));
        }
        return 5e-3 / fastest;
    }
    Eigen::Map<const RowMajor> matrix(const std::vector<double>& K) const {
        return {K.data(), subject_.layout.nc, subject_.layout.nv};
    }

    /// The walk's own poses, by the kernel's kinematics.
    void lookAtClosure(const Trial& trial, int number, Speaker& speaker) {
        const std::vector<double> error = errors(speaker, trial.closed_q, trial);
        Largest worst;
        for (std::size_t i = 0; i < error.size(); i++) worst.take(std::abs(error[i]), static_cast<int>(i));
        closed_.take(worst.value, trial.closed_q, trial.closed_v, [&] {
            return atRow(subject_.model, number, worst.index) +
                   (trial.closes ? "" : ", where the loops cannot be closed at all");
        });
    }

    /// Rank of K and conditioning of A = K M^-1 K^T at the closed pose, by the reference.
    void lookAtRank(const Trial& trial, int number) {
        const int nc = subject_.layout.nc, nv = subject_.layout.nv;
        reference_.loopJacobian(trial.closed_q, trial.param, K_);
        M_.assign(static_cast<std::size_t>(nv) * nv, 0.0);
        reference_.kernel()->mass_matrix(trial.closed_q.data(), trial.param.data(), reference_.work(), M_.data());
        Eigen::MatrixXd scaled = matrix(K_);
        for (int i = 0; i < nc; i++)
            if (const double length = scaled.row(i).norm(); length > 0) scaled.row(i) /= length;
        int rank = 0;
        if (scaled.allFinite()) {
            Eigen::ColPivHouseholderQR<Eigen::MatrixXd> parts(scaled);
            rank = static_cast<int>(parts.setThreshold(kRankFloor).rank());
        }
        ranks_.push_back(rank);
        if (rank < nc && (facts_.singular == 0 || rank < ranks_[singular_number_])) {
            singular_.q = trial.closed_q;
            singular_.v = trial.closed_v;
            singular_number_ = number;
        }
        facts_.singular += rank < nc ? 1 : 0;
        facts_.poses++;

        double condition = std::numeric_limits<double>::infinity();
        const Eigen::LLT<Eigen::MatrixXd> L(Eigen::Map<const Eigen::MatrixXd>(M_.data(), nv, nv));
        if (rank == nc && L.info() == Eigen::Success) {
            const Eigen::MatrixXd Kt = matrix(K_).transpose(), A = Kt.transpose() * L.solve(Kt);
            const Eigen::VectorXd values = A.selfadjointView<Eigen::Lower>().eigenvalues();
            if (values[0] > 0) condition = values[nc - 1] / values[0];
        }
        conditions_.push_back(condition);
        if (!(condition <= facts_.worst_condition)) {
            facts_.worst_condition = condition;
            worst_condition_.q = trial.closed_q;
            worst_condition_.v = trial.closed_v;
            worst_condition_number_ = number;
        }
    }

    /// nc less the rank that K has at 99 of 100 closed poses: a pose may be singular by itself, a mechanism may not.
    Gate rank() const {
        Gate gate;
        gate.name = "loops.rank";
        const int nc = subject_.layout.nc, poses = facts_.poses;
        std::vector<int> sorted = ranks_;
        std::sort(sorted.begin(), sorted.end());
        const int rank = sorted.empty() ? facts_.health.rank : sorted[mayBeSingular(poses)];
        gate.value = nc - rank;
        gate.pass = gate.value <= gate.bound;
        gate.detail = fmt::format("rank {} of {}, mobility {}", rank, nc, subject_.layout.nv - rank);
        if (facts_.singular > 0) {
            gate.detail +=
                fmt::format("; {} of {} poses are singular, first trial {}", facts_.singular, poses, singular_number_);
            gate.worst = singular_;
        }
        return gate;
    }

    Gate condition() const {
        Gate gate;
        gate.name = "loops.condition";
        gate.bound = kMostCondition;
        std::vector<double> sorted = conditions_;
        std::sort(sorted.begin(), sorted.end(), std::greater<>());
        // The worst there is, unless a few poses are singular or next to it.
        double value = sorted.empty() ? 0 : sorted[0];
        if (!(value <= kMostCondition)) value = sorted[mayBeSingular(facts_.poses)];
        gate.value = std::isfinite(value) ? value : kNotFinite;
        gate.pass = gate.value <= gate.bound;
        if (!sorted.empty()) {
            gate.detail = fmt::format("worst at trial {}, {:.3g}; half of the poses below {:.3g}",
                                      worst_condition_number_, facts_.worst_condition, sorted[sorted.size() / 2]);
            gate.worst = worst_condition_;
        }
        return gate;
    }

    /// K u against differences of the loops' errors along u, and against the bodies' velocities.
    void lookAtJacobian(const Trial& trial, int number, Speaker& speaker, const Outputs& outputs) {
        // Any velocities, not those that keep the loops closed: of these K makes nothing.
        u_.resize(trial.tau.size());
        for (std::size_t i = 0; i < u_.size(); i++) u_[i] = trial.tau[i] / 5;
        const Eigen::Map<const Eigen::VectorXd> u(u_.data(), subject_.layout.nv);
        const double h = stepAlong(speaker, trial.q, u_, trial);
        const auto slope = [&](const std::vector<double>& from) {
            const auto errorsAt = [&](double at) {
                moved_ = from;
                drift(subject_.model, subject_.layout, moved_, u_, at);
                return errors(speaker, moved_, trial);
            };
            std::vector<double> out;
            extrapolatedSlope(errorsAt(h), errorsAt(-h), errorsAt(h / 2), errorsAt(-h / 2), h, out);
            return out;
        };
        const auto take = [&](const std::vector<double>& measured, const std::vector<double>& expected) {
            int row = 0;
            const double error = scaledError(measured, expected, &row);
            jacobian_.take(error, trial.q, trial.v, [&] { return atRow(subject_.model, number, row); });
        };
        const auto product = [&](const std::vector<double>& K) {
            std::vector<double> out(rows_.size());
            Eigen::Map<Eigen::VectorXd>(out.data(), subject_.layout.nc) = matrix(K) * u;
            return out;
        };
        // Closed: every row is the slope of its error.
        speaker.loopJacobian(trial.closed_q, trial.param, K_);
        take(slope(trial.closed_q), product(K_));
        // Torn: a rotation vector's slope is no angular velocity any more; moves and distances still are exact.
        const std::vector<double> torn = product(outputs.K);
        std::vector<double> measured = slope(trial.q);
        for (std::size_t i = 0; i < rows_.size(); i++)
            if (rows_[i] == LoopRow::Kind::turn) measured[i] = torn[i];
        take(measured, torn);
        take(rates(speaker, trial.q, u_, trial), torn);
    }

    /// The loops' rates change as the stabilisation asks: by differences along the motion that the kernel's
    /// accelerations start.
    void lookAtConstraint(const Trial& trial, int number, Speaker& speaker, const Outputs& outputs) {
        const Model& model = subject_.model;
        const double h = stepAlong(speaker, trial.q, trial.v, trial);
        const auto ratesAt = [&](double at) {
            moved_ = trial.q;
            drift(model, subject_.layout, moved_, trial.v, at);
            faster_ = trial.v;
            for (std::size_t i = 0; i < faster_.size(); i++) faster_[i] += at * outputs.vdot[i];
            return rates(speaker, moved_, faster_, trial);
        };
        std::vector<double> slope;
        extrapolatedSlope(ratesAt(h), ratesAt(-h), ratesAt(h / 2), ratesAt(-h / 2), h, slope);
        const std::vector<double> rate = rates(speaker, trial.q, trial.v, trial);
        const std::vector<double> error = errors(speaker, trial.q, trial);
        const double pull = model.stab > 0 ? 1 / model.stab : 0;
        // Rounding and truncation go with the terms that cancel, not with what is left of them.
        double scale = 1;
        Largest worst;
        for (std::size_t i = 0; i < rows_.size(); i++) {
            double wanted, size = 0;
            if (rows_[i] == LoopRow::Kind::distance) {
                // In delta = (l^2 - L^2)/2 inside: l l'' + l'^2 = -2/T l l' - delta/T^2.
                const double length = model.loops[loop_of_row_[i]].length.at(trial.param), l = error[i] + length;
                const double delta = 0.5 * error[i] * (l + length);
                wanted = -2 * pull * rate[i] - (pull * pull * delta + rate[i] * rate[i]) / l;
            } else {
                wanted = -2 * pull * rate[i] - pull * pull * error[i];
            }
            for (int k = 0; k < subject_.layout.nv; k++)
                size += std::abs(outputs.K[i * subject_.layout.nv + k] * outputs.vdot[k]);
            raise(scale, size);
            worst.take(std::abs(slope[i] - wanted), static_cast<int>(i));
        }
        constraint_.take(worst.over(scale), trial.q, trial.v, [&] { return atRow(model, number, worst.index); });
    }

    /// K M^-1 rhs = 0 once the loops are projected out.
    void lookAtProjection(const Trial& trial, int number, const Outputs& outputs, const std::vector<double>& rhs) {
        const int nv = subject_.layout.nv;
        for (std::size_t k = 0; k + nv <= rhs.size(); k += nv) {
            const Eigen::Map<const Eigen::VectorXd> x(outputs.inverse.data() + k, nv);
            const Eigen::VectorXd left = matrix(outputs.K) * x, size = matrix(outputs.K).cwiseAbs() * x.cwiseAbs();
            double scale = 1;
            Largest worst;
            for (Eigen::Index row = 0; row < left.size(); row++) {
                raise(scale, size[row]);
                worst.take(std::abs(left[row]), static_cast<int>(row));
            }
            projection_.take(worst.over(scale), trial.q, trial.v,
                             [&] { return atRow(subject_.model, number, worst.index); });
        }
    }

    Subject subject_;
    LoopFacts& facts_;
    Speaker reference_;
    std::vector<LoopRow::Kind> rows_;
    std::vector<int> loop_of_row_;
    std::vector<int> ranks_;
    std::vector<double> conditions_;
    State singular_, worst_condition_;
    int singular_number_ = 0, worst_condition_number_ = 0, milder_ = 0;
    std::vector<double> K_, M_, X_, V_, u_, moved_, faster_;
    Meter closed_{"loops.closed", kClosedBound}, jacobian_{"loops.jacobian", kSlopeBound},
        constraint_{"loops.constraint", kSlopeBound}, projection_{"loops.projection", agreementBound(subject_.model)};
};

}  // namespace

std::unique_ptr<TrialCheck> loopsCheck(const Subject& subject, LoopFacts& facts) {
    return std::make_unique<Loops>(subject, facts);
}

Gate redundantRows(const Model& model, const LoopFacts& facts) {
    Gate gate;
    gate.name = "loops.rank";
    gate.value = facts.health.nc - facts.health.rank;
    gate.detail = loopsInWords(model, facts.health);
    State start;
    const Layout layout = layoutOf(model);
    const std::vector<double> param = model.liveValues();
    start.q = startQ(model, layout, param);
    start.v = startV(model, layout, param);
    gate.worst = start;
    return gate;
}

std::optional<Gate> openLoops(const Model& model, TrialSource& states) {
    if (states.closed(0).closes) return std::nullopt;
    const Layout layout = layoutOf(model);
    const std::vector<double> param = model.liveValues();
    const Assembly nearest = Closure(model).assemble(startQ(model, layout, param), param);
    if (nearest.closed) return std::nullopt;
    Gate gate;
    gate.name = "loops.closed";
    gate.bound = kClosedBound;
    gate.value = std::isfinite(nearest.worst) ? nearest.worst : kNotFinite;
    gate.detail = nearest.what;
    State state;
    state.q = nearest.q;
    state.v.assign(static_cast<std::size_t>(layout.nv), 0.0);
    gate.worst = state;
    return gate;
}

}  // namespace mw::proof

namespace mw {

std::optional<LoopFacts> loopFacts(const Model& model) {
    if (model.loops.empty()) return std::nullopt;
    LoopFacts facts;
    facts.health = Closure(model).generalHealth(model.liveValues());
    return facts;
}

std::string loopsInWords(const Model& model, const LoopHealth& health) {
    std::string s = fmt::format("rank {} of {}, mobility {}", health.rank, health.nc, health.mobility);
    for (std::size_t l = 0; l < model.loops.size(); l++) {
        std::string rows;
        for (const RedundantRow& r : health.redundant)
            if (r.loop == static_cast<int>(l)) rows += (rows.empty() ? "" : ", ") + r.direction;
        if (!rows.empty()) s += fmt::format("; loop {}: {} redundant", model.loops[l].name, rows);
    }
    for (std::size_t i = 0; i < health.remedies.size(); i++) {
        const LoopRemedy& r = health.remedies[i];
        const Loop& loop = model.loops[r.loop];
        s += fmt::format("{}loop {} of type {}", i == 0 ? "; remedy: " : " and ", loop.name, loopTypeName(r.type));
        if (hasAxis(r.type) && !hasAxis(loop.type))
            s += fmt::format(" along {:g} {:g} {:g}", r.axis[0], r.axis[1], r.axis[2]);
    }
    return s;
}

}  // namespace mw

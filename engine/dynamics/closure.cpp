// Errors, Jacobian, assembly and projection of closed loops.
#include "engine/dynamics/closure.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/draw.h"
#include "engine/dynamics/closure_space.h"

namespace mw {

Closure::Closure(const Model& model) : inside_(std::make_unique<Inside>(model)) {}
Closure::~Closure() = default;
Closure::Closure(Closure&&) noexcept = default;
Closure& Closure::operator=(Closure&&) noexcept = default;

const Model& Closure::model() const { return inside_->space.model(); }
const Layout& Closure::layout() const { return inside_->space.layout(); }

std::vector<double> Closure::error(std::span<const double> q, std::span<const double> param) {
    inside_->space.place(q, param);
    const VectorXd e = inside_->space.error();
    return {e.data(), e.data() + e.size()};
}

std::vector<double> Closure::jacobian(std::span<const double> q, std::span<const double> param) {
    inside_->space.place(q, param);
    const MatrixXd Kt = inside_->space.jacobian().transpose();
    return {Kt.data(), Kt.data() + Kt.size()};
}

std::vector<double> Closure::project(std::span<const double> q, std::span<const double> v,
                                     std::span<const double> param) {
    ClosureSpace& space = inside_->space;
    if (space.layout().nc == 0) return {v.begin(), v.end()};
    space.place(q, param);
    const MatrixXd M = space.mass();
    Eigen::LLT<MatrixXd> metric(M);
    if (!M.allFinite() || metric.info() != Eigen::Success) metric = space.metric({});
    const VectorXd out =
        Tangent(space, space.jacobian(), std::move(metric), {}).project(Eigen::Map<const VectorXd>(v.data(), v.size()));
    return {out.data(), out.data() + out.size()};
}

namespace {

std::string rowInWords(const ClosureSpace& space, const Worst& worst) {
    const LoopRow& row = space.rows[worst.loop][worst.row];
    return fmt::format("loop '{}' stays open by {:.3g} {} ({})", space.model().loops[worst.loop].name, worst.error,
                       rowUnit(row), rowName(row));
}

std::string closedInWords(const Worst& worst, int steps) {
    if (steps == 0) return fmt::format("closed already, to {:.1g}", worst.error);
    return fmt::format("closed to {:.1g} in {} step{}", worst.error, steps, steps == 1 ? "" : "s");
}

// Bodies between the ends of loops that are open, and not between those of others; all where there are none such.
std::vector<char> betweenOpenEnds(ClosureSpace& space, const std::vector<double>& q, std::span<const double> param) {
    constexpr double kOpen = 0.05;  // of the worst
    space.place(q, param);
    const VectorXd e = space.error();
    const double worst = e.lpNorm<Eigen::Infinity>();
    std::vector<char> out(space.on_loop.size(), 0);
    for (const bool open : {true, false})
        for (std::size_t i = 0; i < space.paths.size(); ++i) {
            const auto part = e.segment(space.layout().row_of_loop[i], static_cast<int>(space.rows[i].size()));
            if ((part.lpNorm<Eigen::Infinity>() > kOpen * worst) != open) continue;
            for (const ClosureSpace::PathStep& step : space.paths[i]) out[step.body] = open;
        }
    return std::find(out.begin(), out.end(), 1) != out.end() ? out : space.on_loop;
}

std::string whatToTry(const ClosureSpace& space, const Worst& worst) {
    const Loop& loop = space.model().loops[worst.loop];
    if (loop.type == LoopType::distance)
        return "its two points cannot get to that distance from here: change `length` or where its ends are, or start "
               "from a pose nearer to a closed one";
    return "its two ends cannot meet from here: change `from`, `to` or the lengths between them, or start from a pose "
           "nearer to a closed one";
}

}  // namespace

Assembly Closure::assemble(std::vector<double> q, std::span<const double> param, const AssembleOptions& options) {
    ClosureSpace& space = inside_->space;
    Assembly out;
    const bool sane = space.sanitise(q, param);
    if (space.layout().nc == 0) {
        out.closed = true;
        out.q = std::move(q);
        out.what = "no loops: nothing to close";
        return out;
    }

    // Away from a place where nothing helps: kicks, always the same ones, small and large by turns, of what lies
    // between the ends of open loops alone; the best pose wins.
    const auto search = [&](const Hold& hold, int most) {
        constexpr int kKicks = 40, kStepsEach = 40;
        const int budget = most - most / 5;
        std::vector<double> best = q;
        ClosureSpace::Descent descent = space.descend(best, param, hold, options.tolerance, budget);
        int steps = descent.steps;
        for (int kick = 0; kick < kKicks && !descent.closed && steps < budget; ++kick) {
            const std::vector<char> kicked = betweenOpenEnds(space, best, param);
            Draw draw(0x636c6f7365, kick);
            VectorXd v(space.layout().nv);
            constexpr double kReach[] = {0.05, 0.1, 0.3, 0.4, 0.6, 1.0};
            const double reach = kReach[kick % 6];
            for (Eigen::Index i = 0; i < v.size(); ++i) {
                const auto k = static_cast<std::size_t>(i);
                v[i] = draw.between(-reach, reach) * space.unit[i];
                if (!kicked[space.layout().body_of_v[k]] || (!hold.empty() && hold[k] > 0)) v[i] = 0;
            }
            // By turns from there and from where they were, with the others in place by now.
            std::vector<double> next = best;
            for (std::size_t b = 0; b < kicked.size(); ++b) {
                const TreeBody& body = space.topology.bodies()[b];
                if (kick % 2 == 0 && kicked[b]) std::copy_n(q.begin() + body.q, body.nq, next.begin() + body.q);
            }
            next = moved(space, std::move(next), v);
            const ClosureSpace::Descent again =
                space.descend(next, param, hold, options.tolerance, std::min(budget - steps, kStepsEach));
            steps += again.steps;
            // As good to a thousandth: the nearer pose stays.
            if (again.closed || again.left.error < 0.999 * descent.left.error) best = std::move(next), descent = again;
        }
        if (!descent.closed) {
            // Where it stays open is told to some digits.
            descent = space.descend(best, param, hold, options.tolerance, most - steps, 1e-9);
            steps += descent.steps;
        }
        descent.steps = steps;
        return std::pair(descent, best);
    };

    Hold hold;
    for (const int i : options.keep)
        if (i >= 0 && i < space.layout().nv) {
            hold.resize(space.layout().nv, 0.0);
            hold[i] = kFixed;
        }
    const std::vector<double> before = q;
    auto [descent, best] = search(hold, options.most_steps);
    std::string kept;
    if (!descent.closed && !hold.empty()) {
        // Not with these held: heavy first, so that they stay near, then free.
        std::string names;
        for (std::size_t i = 0; i < hold.size(); ++i)
            if (hold[i] == kFixed) names += (names.empty() ? "" : ", ") + space.layout().v_names[i];
        for (const double weight : {100.0, 0.0}) {
            for (double& h : hold)
                if (h > 0) h = weight;
            auto [free, pose] = search(hold, options.most_steps);
            if (!free.closed) continue;
            kept = fmt::format("; not with {} held: it had to move", names);
            out.kept = false;
            descent = free;
            best = std::move(pose);
            break;
        }
    }
    // One more step takes what is left to rounding, so that a text says the pose to its last digit.
    if (std::vector<double> polished = best; descent.closed && descent.steps > 0) {
        const ClosureSpace::Descent last = space.descend(polished, param, hold, 0, 1);
        if (last.left.error < descent.left.error) best = std::move(polished), descent.left = last.left;
    }
    out.closed = descent.closed;
    out.q = std::move(best);
    out.worst = descent.left.error;
    out.loop = descent.left.loop;
    out.row = descent.left.row;
    out.steps = descent.steps;
    out.what = out.closed ? closedInWords(descent.left, descent.steps) + kept
                          : rowInWords(space, descent.left) + "; " + whatToTry(space, descent.left);
    if (!sane) out.what += "; coordinates that were no numbers were replaced by the start pose's";
    return out;
}

}  // namespace mw

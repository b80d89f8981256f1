// States on the closure manifold, one after the other, to both engines.
#include "tests/crosscheck/crosscheck.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>

#include "engine/dynamics/closure.h"
#include "engine/dynamics/loop_readings.h"
#include "engine/proof/gates.h"
#include "engine/proof/motion_plan.h"
#include "tests/crosscheck/tendons.h"

namespace mw::cross {

double scaledError(const std::vector<double>& a, const std::vector<double>& b, std::size_t* index) {
    if (a.size() != b.size()) return std::numeric_limits<double>::max();
    double worst = 0, scale = 1;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!std::isfinite(a[i]) || !std::isfinite(b[i])) {
            if (index) *index = i;
            return std::numeric_limits<double>::max();
        }
        const double apart = std::abs(a[i] - b[i]);
        if (apart > worst) {
            worst = apart;
            if (index) *index = i;
        }
        scale = std::max(scale, std::abs(b[i]));
    }
    return worst / scale;
}

bool Report::passed() const {
    for (const EngineReport& engine : engines)
        for (const Check& check : engine.checks)
            if (!check.pass && !check.skipped) return false;
    return true;
}

/// Which rows a model has: another engine has other laws for them or none, and they are no part of the equations.
static std::string leftOut(const Model& model) {
    std::string all;
    const auto add = [&](bool there, const char* what) {
        if (there) all += (all.empty() ? "" : ", ") + std::string(what);
    };
    const auto some = [](const auto& list, const auto& is) { return std::any_of(list.begin(), list.end(), is); };
    add(!model.tendons.empty(), "forces of tendons");
    add(some(model.shapes, [](const Shape& s) { return s.material >= 0; }), "contacts of shapes");
    add(some(model.bodies, [](const Body& b) { return b.limits.has_value(); }), "joint limits");
    add(some(model.bodies, [](const Body& b) { return b.joint_friction.value != 0 || b.joint_friction.isLive(); }),
        "joint friction");
    add(some(model.drives, [](const Drive& d) { return d.kind == Drive::Kind::prescribed; }), "prescribed drives");
    return all.empty() ? all : "left out: " + all;
}

Subject subjectOf(const Model& model, const std::function<Kernel(const Model&)>& make) {
    Model plain = model;
    plain.stab = 0;
    plain.tracks.clear();
    plain.ground.reset();
    Subject subject{std::make_shared<const Model>(proof::withoutRows(plain)),
                    std::make_shared<const Model>(plain),
                    leftOut(plain),
                    layoutOf(plain),
                    {}};
    subject.kernel = make(*subject.model);
    return subject;
}

namespace {

/// The worst of one quantity over all states.
class Meter {
public:
    explicit Meter(std::string name) { check_.name = std::move(name), check_.bound = kBound; }
    void take(const std::vector<double>& ours, const std::vector<double>& theirs, int state,
              const std::function<std::string(std::size_t)>& what) {
        std::size_t index = 0;
        const double error = scaledError(ours, theirs, &index);
        const bool first = check_.detail.empty();
        if (!first && !(error > check_.value)) return;
        check_.value = error;
        check_.detail = ours.empty() ? "nothing to compare" : fmt::format("worst at state {}, {}", state, what(index));
    }
    Check finish(const std::string& note = {}) {
        check_.pass = !check_.detail.empty() && check_.value <= check_.bound;
        if (!note.empty()) check_.detail += "; " + note;
        return check_;
    }

private:
    Check check_;
};

Check skipped(const std::string& name, const std::string& why) {
    Check check;
    check.name = name, check.bound = kBound, check.pass = true, check.skipped = true, check.detail = why;
    return check;
}

/// One state with everything that the mechanism under judgement says about it.
struct Instant {
    std::vector<double> q, v, param;
    Forces forces;
    std::vector<double> vdot, M, bias, wrenches;
    Poses poses;
};

class States {
public:
    States(const Subject& subject, std::uint64_t seed)
        : subject_(subject), seed_(seed), work_(makeWork(subject.kernel)) {
        if (subject.layout.nloop > 0) walk_.emplace(*subject.model, seed);
    }

    /// Nothing when the walk cannot close at these parameters.
    std::optional<Instant> at(int number) {
        const Model& model = *subject_.model;
        const Layout& layout = subject_.layout;
        const Trial trial = randomTrial(model, layout, seed_, number);
        Instant now;
        now.q = trial.q, now.v = trial.v, now.param = trial.param;
        if (walk_) {
            ManifoldWalk::Pose pose = walk_->next(now.param);
            // Some lengths of the range close nowhere: then the declared ones.
            if (!pose.sound) pose = walk_->next(now.param = model.liveValues());
            if (!pose.sound) return std::nullopt;
            now.q = pose.q, now.v = pose.v;
        }
        now.forces.tau = trial.tau, now.forces.fext = trial.fext, now.forces.act = trial.act;
        ask(now);
        return now;
    }

private:
    void ask(Instant& now) {
        const Model& model = *subject_.model;
        const Layout& layout = subject_.layout;
        const mw_kernel* k = subject_.kernel.c;
        const auto nv = static_cast<std::size_t>(layout.nv), nbody = model.bodies.size();
        const double *q = now.q.data(), *v = now.v.data(), *param = now.param.data();
        std::vector<double> lambda(static_cast<std::size_t>(layout.nc));
        now.vdot.resize(nv), now.M.resize(nv * nv), now.bias.resize(nv);
        now.poses.X.resize(12 * nbody), now.poses.V.resize(6 * nbody);
        k->fwd_dyn(q, v, now.forces.tau.data(), now.forces.fext.data(), now.forces.act.data(), param, work_.data(),
                   now.vdot.data(), lambda.data());
        k->mass_matrix(q, param, work_.data(), now.M.data());
        k->bias(q, v, param, work_.data(), now.bias.data());
        k->kinematics(q, v, param, work_.data(), now.poses.X.data(), now.poses.V.data());
        for (const LoopReading& loop : loopReadings(model, layout, now.param, now.poses.X, now.poses.V, lambda))
            now.wrenches.insert(now.wrenches.end(), loop.wrench.begin(), loop.wrench.end());
    }

    const Subject& subject_;
    std::uint64_t seed_;
    std::vector<double> work_;
    std::optional<ManifoldWalk> walk_;
};

std::vector<double> flat(const std::vector<Wrench>& wrenches) {
    std::vector<double> all;
    for (const Wrench& wrench : wrenches) all.insert(all.end(), wrench.begin(), wrench.end());
    return all;
}

/// Meters and names that both engines have in common.
class Comparison {
public:
    Comparison(const Subject& subject, bool dynamics_matrices)
        : subject_(subject), matrices_(dynamics_matrices), tendons_(subject) {}

    template <class Twin>
    void take(int number, const Instant& now, Twin& twin) {
        const auto joint = [&](std::size_t i) { return "velocity " + subject_.layout.v_names[i]; };
        const Poses theirs = twin.poses();
        std::vector<double> a = now.poses.X, b = theirs.X;
        a.insert(a.end(), now.poses.V.begin(), now.poses.V.end());
        b.insert(b.end(), theirs.V.begin(), theirs.V.end());
        kinematics_.take(a, b, number, [&](std::size_t i) {
            const std::size_t poses = now.poses.X.size();
            const std::size_t body = i < poses ? i / 12 : (i - poses) / 6;
            return fmt::format("{} of body {}", i < poses ? "pose" : "velocity", subject_.model->bodies[body].name);
        });
        if constexpr (requires { twin.massMatrix(); }) {
            mass_.take(now.M, twin.massMatrix(), number, [&](std::size_t i) {
                const auto nv = static_cast<std::size_t>(subject_.layout.nv);
                return fmt::format("entry {}, {}", subject_.layout.v_names[i / nv], subject_.layout.v_names[i % nv]);
            });
            bias_.take(now.bias, twin.bias(), number, joint);
            tendons_.take(number, now.q, now.param, now.poses.X, twin);
        }
        acceleration_.take(now.vdot, twin.acceleration(), number, joint);
        if (subject_.layout.nloop > 0)
            forces_.take(now.wrenches, flat(twin.wrenches()), number, [&](std::size_t i) {
                return fmt::format("{} on loop {}", i % 6 < 3 ? "moment" : "force", subject_.model->loops[i / 6].name);
            });
    }

    std::vector<Check> finish(const std::string& note) {
        std::vector<Check> checks{kinematics_.finish(note)};
        if (matrices_) checks.push_back(mass_.finish()), checks.push_back(bias_.finish());
        checks.push_back(acceleration_.finish());
        if (subject_.layout.nloop > 0) checks.push_back(forces_.finish());
        else checks.push_back(skipped("loop-forces", "the mechanism has no loops"));
        if (matrices_)
            for (Check& check : tendons_.finish()) checks.push_back(std::move(check));
        return checks;
    }

private:
    const Subject& subject_;
    bool matrices_;
    TendonComparison tendons_;
    Meter kinematics_{"kinematics"}, mass_{"mass"}, bias_{"bias"}, acceleration_{"acceleration"},
        forces_{"loop-forces"};
};

template <class Twin>
std::vector<Check> compareStates(const Subject& ours, const Model& theirs, const Options& options, bool matrices,
                                 const std::vector<std::string>& names, std::string& unsuitable) {
    Comparison comparison(ours, matrices);
    States states(ours, options.seed);
    std::unique_ptr<Twin> twin;
    std::vector<double> param;
    std::string note;
    int open = 0, refused = 0;
    std::string why_refused;
    const std::vector<double> declared = ours.model->liveValues();
    const auto remark = [&](const std::string& words) { note += (note.empty() ? "" : "; ") + words; };
    if (!ours.left_out.empty()) remark(ours.left_out);
    try {
        for (int number = 0; number < options.trials; ++number) {
            const std::optional<Instant> now = states.at(number);
            if (!now) {
                ++open;
                continue;
            }
            // Numbers are built in: another value of a live parameter is another twin.
            if (!twin || param != now->param) {
                try {
                    twin = std::make_unique<Twin>(theirs, now->param);
                } catch (const Unsuitable& why) {
                    // Some values of the range only: the declared ones decide whether the engine can hold it.
                    if (now->param == declared) throw;
                    why_refused = why.what();
                    if (++refused == 1) Twin(theirs, declared);
                    twin.reset();
                    continue;
                }
                param = now->param;
            }
            twin->place(now->q, now->v, now->forces);
            comparison.take(number, *now, *twin);
        }
        if constexpr (requires { twin->remark(); })
            if (twin && !twin->remark().empty())
                remark(fmt::format("its file format refuses the inertias ({}): they were put into the compiled model",
                                   twin->remark()));
        if (open > 0) remark(fmt::format("{} states would not close", open));
        if (refused > 0)
            remark(fmt::format("{} of {} draws of the live parameters cannot be held ({})", refused, options.trials,
                               why_refused));
        return comparison.finish(note);
    } catch (const Unsuitable& why) {
        unsuitable = why.what();
        std::vector<Check> none;
        for (const std::string& name : names) none.push_back(skipped(name, why.what()));
        return none;
    }
}

}  // namespace

Report crosscheck(const Subject& ours, const Model& theirs, const std::string& name, const Options& options) {
    Report report;
    report.model = name;
    if (options.simbody) {
        EngineReport engine{"simbody", SimbodyTwin::version(), {}};
        std::string unsuitable;
        const Model bare = proof::withoutRows(theirs);
        engine.checks = compareStates<SimbodyTwin>(ours, bare, options, false,
                                                   {"kinematics", "acceleration", "loop-forces"}, unsuitable);
        if (!options.motion) unsuitable = "motions were left out";
        if (unsuitable.empty())
            for (Check& check : compareMotions(ours, bare, options)) engine.checks.push_back(std::move(check));
        else
            for (const std::string& motion : motionCheckNames()) engine.checks.push_back(skipped(motion, unsuitable));
        report.engines.push_back(std::move(engine));
    }
    if (options.mujoco) {
        EngineReport engine{"mujoco", MujocoTwin::version(), {}};
        std::string unsuitable;
        engine.checks = compareStates<MujocoTwin>(ours, theirs, options, true,
                                                  {"kinematics", "mass", "bias", "acceleration", "loop-forces",
                                                   "tendon-length", "tendon-arms", "tendon-bends"},
                                                  unsuitable);
        report.engines.push_back(std::move(engine));
    }
    return report;
}

}  // namespace mw::cross

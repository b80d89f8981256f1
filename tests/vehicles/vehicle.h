// A tracked vehicle on the code that people run, and what is measured of a run: loads, depths, momentum, energy, the
// patch that stands on the ground.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/sim/simulation.h"
#include "engine/track/expand.h"
#include "generator/generate.h"

namespace mw::test {

/// Long sweeps are asked for with MW_LONG=1.
inline bool isLong() {
    const char* wish = std::getenv("MW_LONG");
    return wish && std::string(wish) != "0";
}

inline std::string modelText(const std::string& name) {
    std::ifstream in(std::string(MW_SOURCE_DIR) + "/models/" + name + ".mech");
    std::stringstream text;
    text << in.rdbuf();
    if (!in) throw std::runtime_error("no model " + name);
    return text.str();
}

/// `text` with one word for another, which must stand in it.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
    std::size_t at = text.find(from);
    if (at == std::string::npos) throw std::runtime_error("the model does not say '" + from + "'");
    for (; at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
    return text;
}

struct Vehicle {
    std::shared_ptr<const Model> model;
    Kernel kernel;
    double mass = 0, weight = 0;
    double dt = 0;  ///< suggested
    std::string why;
};

inline Vehicle vehicleOf(const std::string& text) {
    ReadResult read = readMechanism(text);
    for (const Diagnostic& d : read.diagnostics)
        if (d.severity == Severity::error) throw std::runtime_error(formatDiagnostic(d, text, "text"));
    Vehicle vehicle;
    vehicle.model = std::make_shared<const Model>(std::move(read.model));
    const Model& model = *vehicle.model;
    vehicle.kernel = gen::jitKernel(gen::generate(model, "vehicle"), model, gen::Tier::optimised);
    const std::vector<double> param = model.liveValues();
    for (const Body& body : model.bodies) vehicle.mass += body.mass.at(param);
    vehicle.weight = vehicle.mass * 9.81;
    const Layout layout = layoutOf(model);
    State start;
    start.q = startQ(model, layout, param);
    start.v = startV(model, layout, param);
    vehicle.dt = suggestedStep(model, layout, vehicle.kernel, start, param, &vehicle.why);
    return vehicle;
}

/// Models are read and compiled once a program.
inline const Vehicle& vehicle(const std::string& name) {
    static std::map<std::string, Vehicle> known;
    auto found = known.find(name);
    if (found == known.end()) found = known.emplace(name, vehicleOf(modelText(name))).first;
    return found->second;
}

/// With the ramp that runs begin with.
inline Simulation runOf(const Vehicle& vehicle, double dt = 0, ContactSetup setup = {}) {
    Simulation run(vehicle.model, vehicle.kernel, Integrator::verlet, dt > 0 ? dt : vehicle.dt);
    setup.ramp = 0.02;
    run.setContactSetup(setup);
    return run;
}

inline void stepOn(Simulation& run) {
    if (const auto fault = run.step()) throw std::runtime_error(fault->what);
}

inline void runUntil(Simulation& run, double t) {
    while (run.state().t + run.dt() / 2 < t) stepOn(run);
}

/// Poses and velocities of all bodies, as of kernel_abi.h.
struct Poses {
    std::vector<double> X, V;
};
inline Poses posesOf(const Simulation& run) {
    const auto nbody = static_cast<std::size_t>(run.layout().nbody);
    Poses poses{std::vector<double>(12 * nbody), std::vector<double>(6 * nbody)};
    std::vector<double> work = makeWork(run.kernel());
    run.kernel()->kinematics(run.state().q.data(), run.state().v.data(), run.inputs().param.data(), work.data(),
                             poses.X.data(), poses.V.data());
    return poses;
}

inline Vector3d momentumOf(const Simulation& run) {
    const Poses poses = posesOf(run);
    return momentaOf(run.model(), run.inputs().param, poses.X, poses.V).linear;
}

/// What is measured of a settling run.
struct Settling {
    double load = 0;           ///< mean vertical force of the ground over the settled stretch, of the weight
    double worst_depth = 0;    ///< m, of pairs and points, after the first tenth
    double settled_depth = 0;  ///< m, over the settled stretch
    double momentum = 0;       ///< N s that the impulse of gravity and ground does not explain
    double impulse = 0;        ///< N s, integral of the magnitudes of both
    double alternation = 0;    ///< N, mean of (-1)^step F over the settled stretch
    double rise = 0;           ///< J, largest rise of the energy in one step, settled stretch
    double kinetic = 0;        ///< J, largest kinetic energy, settled stretch
    double rise_all = 0, kinetic_all = 0;  ///< J, the same after the ramp
    double change = 0;                     ///< J, of the energy over the settled stretch
    double fall = 0;                       ///< J, of the energy since the ramp
    double highest = 0;                    ///< J, highest energy after the ramp over the one at its end
    double residual = 0, absolute = 0;
};

/// Runs to `time`; the last 35 % of it are the settled stretch. `look`: steps between two looks at the energy before
/// that (every step is looked at in it).
inline Settling settle(Simulation& run, double time, double weight, int look = 1) {
    Settling s;
    const double dt = run.dt();
    const auto steps = std::llround(time / dt), settled = std::llround(0.65 * static_cast<double>(steps));
    const Vector3d start = momentumOf(run);
    Vector3d impulse{};
    double before = 0, at_ramp = 0, load = 0, alternation = 0, begin = 0;
    bool seen = false;
    for (long long i = 0; i < steps; ++i) {
        stepOn(run);
        const ContactTotals& ground = run.appliedContact();
        for (std::size_t k = 0; k < 3; ++k) impulse[k] += dt * ground.ground_force[k];
        impulse[2] -= dt * weight;
        s.impulse += dt * (weight + std::hypot(ground.ground_force[0], ground.ground_force[1], ground.ground_force[2]));
        const bool late = i >= settled;
        if (run.state().t > 0.1 * time)
            s.worst_depth = std::max({s.worst_depth, ground.deepest_pair, ground.deepest_point});
        if (late) {
            load += ground.ground_force[2];
            alternation += (i % 2 == 0 ? 1 : -1) * ground.ground_force[2];
            s.settled_depth = std::max({s.settled_depth, ground.deepest_pair, ground.deepest_point});
        }
        if (run.state().t <= run.contactSetup().ramp || !(late || i % look == 0)) {
            seen = false;
            continue;
        }
        const auto [kinetic, total] = run.energyNow();
        if (at_ramp == 0) at_ramp = total;
        s.kinetic_all = std::max(s.kinetic_all, kinetic);
        s.highest = std::max(s.highest, total - at_ramp);
        if (seen) s.rise_all = std::max(s.rise_all, total - before);
        if (late) {
            if (begin == 0) begin = total;
            s.kinetic = std::max(s.kinetic, kinetic);
            if (seen) s.rise = std::max(s.rise, total - before);
        }
        before = total;
        seen = true;
    }
    const auto late = static_cast<double>(steps - settled);
    s.load = load / late / weight;
    s.alternation = std::abs(alternation) / late;
    const Vector3d end = momentumOf(run);
    s.momentum =
        std::hypot(end[0] - start[0] - impulse[0], end[1] - start[1] - impulse[1], end[2] - start[2] - impulse[2]);
    s.change = before - begin;
    s.fall = at_ramp - before;
    const Readings now = run.read(false);
    s.residual = now.residual;
    s.absolute = now.ledger.absolute;
    return s;
}

inline void print(const std::string& what, const Settling& s, double weight) {
    std::printf(
        "%-26s load %+.3f %%  depth %.4f (worst %.4f) m  momentum %.3g N s of %.4g (%.2e)  period-2 %.3g N (%.1e of "
        "weight)\n%-26s rise %.2e J of %.3g J (%.1e; whole run %.2e of %.3g)  energy %+.4g J settled, %+.4g J since "
        "the "
        "ramp, highest %+.3g  residual %.3g J of %.4g J (%.1e)\n",
        what.c_str(), 100 * (s.load - 1), s.settled_depth, s.worst_depth, s.momentum, s.impulse, s.momentum / s.impulse,
        s.alternation, s.alternation / weight, "", s.rise, s.kinetic, s.rise / s.kinetic, s.rise_all, s.kinetic_all,
        s.change, -s.fall, s.highest, s.residual, s.absolute, s.residual / s.absolute);
    std::fflush(stdout);
}

/// Shoes that stand on the ground: bodies.
inline std::vector<int> patchOf(Simulation& run) {
    std::vector<int> patch;
    for (const ContactReading& c : run.read().contacts)
        if (c.kind == ContactReading::Kind::ground && (patch.empty() || patch.back() != c.b)) patch.push_back(c.b);
    return patch;
}

/// Mean of the middles of these shoes, base axes.
inline Vector3d meanOf(const Simulation& run, const std::vector<int>& patch) {
    const Poses poses = posesOf(run);
    Vector3d mean{};
    for (const int body : patch) {
        const double* X = poses.X.data() + 12 * body;
        const double half = 0.5 * run.model().tracks[0].link;
        for (std::size_t k = 0; k < 3; ++k) mean[k] += (X[9 + k] + half * X[3 * k]) / static_cast<double>(patch.size());
    }
    return mean;
}

struct PatchSlip {
    double speed = 0;     ///< m/s, up the slope positive: from the mean position over one second to that over the next
    double sideways = 0;  ///< m/s, across it
    double spread = 0;    ///< m, largest departure of the patch from its mean along the slope, over both
    std::size_t shoes = 0;
};

/// How the patch moves along a slope (up along +x) over the next two seconds.
inline PatchSlip patchSlip(Simulation& run, double slope, int look = 8) {
    const std::vector<int> patch = patchOf(run);
    if (patch.empty()) throw std::runtime_error("nothing stands on the ground");
    PatchSlip slip;
    slip.shoes = patch.size();
    double along[2] = {0, 0}, across[2] = {0, 0}, least = 1e9, greatest = -1e9;
    for (int second = 0; second < 2; ++second) {
        const auto steps = std::llround(1 / run.dt());
        int looks = 0;
        for (long long i = 0; i < steps; ++i) {
            stepOn(run);
            if (i % look != 0) continue;
            const Vector3d at = meanOf(run, patch);
            const double x = at[0] * std::cos(slope) + at[2] * std::sin(slope);
            along[second] += x, across[second] += at[1];
            least = std::min(least, x), greatest = std::max(greatest, x);
            ++looks;
        }
        along[second] /= looks, across[second] /= looks;
    }
    slip.speed = along[1] - along[0];
    slip.sideways = across[1] - across[0];
    slip.spread = greatest - least;
    return slip;
}

inline constexpr double kDegree = 3.14159265358979323846 / 180;

/// Parked on a slope: braked from the start, which is the pose on the flat turned with its ground.
inline Simulation parked(const Vehicle& vehicle, double slope, Friction friction, double dt = 0) {
    ContactSetup setup;
    setup.friction = friction;
    setup.slope = slope;
    Simulation run = runOf(vehicle, dt, setup);
    run.inputs().brake = true;
    return run;
}

/// Speed at which a patch creeps under the regularised law with the loads that it carries: what all its corners give
/// together at one slip is the slope's share of what they carry. Corner i gives
/// mu f_i u / (sqrt(u^2 + veps^2) + mu f_i dt / m).
inline double creepOf(const std::vector<double>& loads, double slope, double mu, double veps, double dt, double mass) {
    double total = 0;
    for (const double f : loads) total += f;
    double low = 0, high = 10;
    for (int i = 0; i < 200; ++i) {
        const double u = 0.5 * (low + high), root = std::hypot(u, veps);
        double given = 0;
        for (const double f : loads) given += mu * f * u / (root + mu * f * dt / mass);
        (given < std::tan(slope) * total ? low : high) = u;
    }
    return 0.5 * (low + high);
}

/// Normal loads of all pad corners, N (the terrain a plane turned by `slope`: vertical force over its cosine).
inline std::vector<double> cornerLoads(Simulation& run) {
    std::vector<double> loads;
    for (const ContactReading& c : run.read().contacts)
        if (c.kind == ContactReading::Kind::ground) loads.push_back(c.normal_force);
    return loads;
}

}  // namespace mw::test

// The table of readings. All numbers come from one snapshot, so from one state.
#include "app/live/probes.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "app/live/probe_table.h"
#include "engine/model/layout.h"
#include "engine/model/loop_rows.h"

namespace mw::app {
namespace {

std::vector<double> slice(const std::vector<double>& values, int first, int count) {
    const auto begin = static_cast<std::size_t>(first), end = begin + static_cast<std::size_t>(count);
    if (end > values.size()) return {};
    return {values.begin() + first, values.begin() + first + count};
}

}  // namespace

std::string velocityUnit(JointType type, int k, const char* per) {
    bool angular = true;
    switch (type) {
        case JointType::prismatic: angular = false; break;
        case JointType::cylindrical: angular = k == 0; break;
        case JointType::planar: angular = k == 2; break;
        case JointType::floating: angular = k < 3; break;
        default: break;
    }
    return std::string(angular ? "rad" : "m") + per;
}

static std::string coordinateUnit(JointType type, int k) {
    if (type == JointType::spherical || (type == JointType::floating && k < 4)) return "1";
    if (type == JointType::floating) return "m";
    return velocityUnit(type, k, "");
}

std::string forceUnit(JointType type, int k) { return velocityUnit(type, k, "") == "m" ? "N" : "N m"; }

const char* jointAxes(JointType type) {
    return type == JointType::spherical || type == JointType::floating ? "body" : "joint";
}

bool readable(const Snapshot& s) {
    return s.model && s.readings.X.size() == 12 * s.model->bodies.size() &&
           s.readings.V.size() == 6 * s.model->bodies.size();
}

std::string bodyLabel(const Model& model, int body) {
    return body == kBase ? std::string("base") : "body " + model.bodies[static_cast<std::size_t>(body)].name;
}

const char* probeStateName(Probe::State state) {
    switch (state) {
        case Probe::State::value: return "value";
        case Probe::State::not_computed: return "not computed";
        case Probe::State::unavailable: return "unavailable";
        case Probe::State::invalid: return "invalid";
    }
    return "";
}

std::vector<Probe> bodyProbes(const Snapshot& s, int body) {
    if (!readable(s) || body < 0 || static_cast<std::size_t>(body) >= s.model->bodies.size()) return {};
    const Model& model = *s.model;
    const Layout layout = layoutOf(model);
    const auto b = static_cast<std::size_t>(body);
    const Body& it = model.bodies[b];
    const JointType type = it.joint.type;
    const std::string label = "body " + it.name;
    const Readings& r = s.readings;
    ProbeTable table;

    // Pose and velocity of the body's frame
    const std::vector<double> X = slice(r.X, 12 * body, 12), V = slice(r.V, 6 * body, 6);
    const auto kinematic = [&](Probe& p, const char* about) {
        p.by = "kinematics";
        p.axes = "base";
        p.about = about;
    };
    kinematic(table.add("position", "m", slice(X, 9, 3)), "body origin");
    Probe& angles =
        table.add("roll pitch yaw", "rad",
                  {std::atan2(X[7], X[8]), std::asin(std::clamp(-X[6], -1.0, 1.0)), std::atan2(X[3], X[0])});
    kinematic(angles, "body origin");
    angles.note = "of R = Rz(yaw) Ry(pitch) Rx(roll), body to base";
    kinematic(table.add("angular velocity", "rad/s", slice(V, 0, 3)), "body origin");
    kinematic(table.add("velocity", "m/s", slice(V, 3, 3)), "body origin");
    std::vector<double> cg(3), cg_velocity(3), arm(3);
    for (std::size_t k = 0; k < 3; ++k) {
        for (std::size_t j = 0; j < 3; ++j) arm[k] += X[3 * k + j] * it.cg[j].at(s.inputs.param);
        cg[k] = X[9 + k] + arm[k];
    }
    cg_velocity = {V[3] + V[1] * arm[2] - V[2] * arm[1], V[4] + V[2] * arm[0] - V[0] * arm[2],
                   V[5] + V[0] * arm[1] - V[1] * arm[0]};
    kinematic(table.add("centre of mass", "m", cg), "centre of mass");
    kinematic(table.add("velocity of the centre of mass", "m/s", cg_velocity), "centre of mass");

    // The joint that carries it
    for (int k = 0; k < jointNq(type); ++k) {
        const int i = layout.q_of_body[b] + k;
        Probe& p = table.add("q " + layout.q_names[static_cast<std::size_t>(i)], coordinateUnit(type, k),
                             slice(s.state.q, i, 1));
        p.by = "state";
        p.axes = type == JointType::floating && k >= 4 ? "base" : "joint";
    }
    for (int k = 0; k < jointNv(type); ++k) {
        const int i = layout.v_of_body[b] + k;
        const std::string& name = layout.v_names[static_cast<std::size_t>(i)];
        Probe& v = table.add("v " + name, velocityUnit(type, k, "/s"), slice(s.state.v, i, 1));
        v.by = "state";
        v.axes = jointAxes(type);
        Probe& a = table.add("dv/dt " + name, velocityUnit(type, k, "/s^2"), slice(r.vdot, i, 1));
        a.by = "forward dynamics";
        a.axes = jointAxes(type);
        a.note = "at this instant; drives, elements and what acts from outside included";
        Probe& tau = table.add("tau " + name, forceUnit(type, k), slice(s.inputs.tau, i, 1));
        tau.by = "by hand";
        tau.acts_on = label;
        tau.axes = jointAxes(type);
        tau.note = "without drives, elements and damping";
    }
    for (std::size_t d = 0; d < model.drives.size(); ++d) {
        if (model.drives[d].body != body || d >= r.drive_force.size()) continue;
        if (model.drives[d].kind == Drive::Kind::prescribed) continue;  // its reaction is a row's
        const int k = model.drives[d].coordinate;
        Probe& p = table.add("drive " + model.drives[d].name, forceUnit(type, k), {r.drive_force[d]});
        p.by = "drive " + model.drives[d].name;
        p.acts_on = label;
        p.axes = jointAxes(type);
        p.note = "clipped to its limit";
    }

    addJointRowProbes(s, body, table);

    // Elements that end on it
    for (std::size_t e = 0; e < model.tsdas.size(); ++e) {
        const Tsda& tsda = model.tsdas[e];
        if ((tsda.from.body != body && tsda.to.body != body) || e >= r.elements.tsda.size()) continue;
        Probe& p = table.add("tsda " + tsda.name, "N", {r.elements.tsda[e]});
        p.by = "tsda " + tsda.name;
        p.acts_on = label;
        p.axes = "along its line";
        p.about = "its end on the body";
        p.note = "tension, positive when it pulls; stiffness, damping, curves and input";
    }
    for (std::size_t e = 0; e < model.rsdas.size(); ++e) {
        const Rsda& rsda = model.rsdas[e];
        if (rsda.body != body || e >= r.elements.rsda.size()) continue;
        Probe& p = table.add("rsda " + rsda.name, forceUnit(type, 0), {r.elements.rsda[e]});
        p.by = "rsda " + rsda.name;
        p.acts_on = label;
        p.axes = "joint";
        p.note = "stiffness, damping, curves and input";
    }
    if (r.push_force && s.inputs.push && s.inputs.push->body == body) {
        Probe& p = table.add("push", "N", {r.push_force->begin(), r.push_force->end()});
        p.by = "mouse spring";
        p.acts_on = label;
        p.axes = "base";
        p.about = "the grabbed point";
    }
    table.missing("joint reaction", "N, N m",
                  type == JointType::floating ? Probe::State::unavailable : Probe::State::not_computed,
                  type == JointType::floating ? "a floating body has no joint that could react"
                                              : "forces that the joint's guides carry");
    return table.take();
}

std::vector<Probe> loopProbes(const Snapshot& s, int loop) {
    if (!readable(s) || loop < 0 || static_cast<std::size_t>(loop) >= s.model->loops.size() ||
        s.readings.loops.size() != s.model->loops.size())
        return {};
    const auto i = static_cast<std::size_t>(loop);
    const Loop& it = s.model->loops[i];
    const LoopReading& r = s.readings.loops[i];
    const std::vector<LoopRow> rows = rowsOf(it);
    const auto label = [&](int body) {
        return body == kBase ? std::string("base") : "body " + s.model->bodies[static_cast<std::size_t>(body)].name;
    };
    const std::string from = label(it.from.body), to = label(it.to.body);
    ProbeTable table;
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const bool turn = rows[k].kind == LoopRow::Kind::turn, line = rows[k].kind == LoopRow::Kind::distance;
        const std::string name = rowName(rows[k]), unit = rowUnit(rows[k]);
        const std::string axes = line ? "along its line" : "predecessor's loop frame (" + from + ")";
        const auto value = [&](const std::vector<double>& all) {
            return k < all.size() ? std::vector<double>{all[k]} : std::vector<double>{};
        };
        const auto add = [&](const std::string& what, const std::string& of, const std::vector<double>& all,
                             const char* by, const std::string& note) -> Probe& {
            const std::vector<double> values = value(all);
            Probe& p = values.empty() ? table.missing(what + name, of, Probe::State::not_computed, note)
                                      : table.add(what + name, of, values);
            p.by = by;
            p.axes = axes;
            p.note = note;
            return p;
        };
        add("error, ", unit, r.error, "kinematics",
            line ? "length minus the wanted one" : "the successor's loop frame seen from the predecessor's")
            .about = line ? "" : "predecessor's loop frame";
        add("rate, ", unit + "/s", r.rate, "kinematics", "d/dt of the error").about =
            line ? "" : "predecessor's loop frame";
        Probe& lambda = add("lambda, ", turn ? "N m" : "N", r.lambda, "forward dynamics",
                            line ? "the force along the line, positive apart; at this instant"
                                 : "the multiplier of this row, on the successor; at this instant");
        lambda.by = "loop " + it.name + ", forward dynamics";
        lambda.acts_on = to;
        lambda.acts_from = from;
        lambda.about = "the `to` point";
    }
    const auto wrench = [&](const char* name, const char* unit, int first) {
        const bool known = !r.lambda.empty();
        Probe& p = known ? table.add(name, unit, {r.wrench.begin() + first, r.wrench.begin() + first + 3})
                         : table.missing(name, unit, Probe::State::not_computed, "");
        p.by = "loop " + it.name + ", forward dynamics";
        p.acts_on = to;
        p.acts_from = from;
        p.axes = "base";
        p.about = "the `to` point";
        p.note =
            "at this instant, exact: all rows of this loop, stabilisation included; the opposite acts on the other "
            "side";
    };
    wrench("force", "N", 3);
    wrench("moment", "N m", 0);
    return table.take();
}

std::vector<Probe> wholeProbes(const Snapshot& s) {
    if (!readable(s)) return {};
    const Readings& r = s.readings;
    ProbeTable table;
    const auto energy = [&](const char* name, double value, const char* note) {
        Probe& p = table.add(name, "J", {value});
        p.by = "energies";
        p.note = note;
    };
    energy("kinetic energy", r.energy.kinetic, "joint armature included");
    energy("gravity's energy", r.energy.gravity, "zero at the base origin");
    energy("elastic energy", r.energy.elements(), "of tsdas and rsdas; zero at l0, q0");
    energy("dissipated", r.ledger.dissipated, "since the start, by elements' and joints' damping");
    energy("work of drives", r.ledger.drives, "since the start");
    energy("work by hand", r.ledger.hand, "since the start; tau, act, fext, push, moved parameters and poses");
    if (s.has_rows) {
        energy("dissipated by tendons", r.ledger.tendon_dissipated,
               "since the start; dampers, dry friction and guides of tendons, part of what is dissipated");
        energy("dissipated by rows", r.ledger.row_dissipated,
               "since the start; friction and impacts of shapes, joint friction, part of what is dissipated");
        energy("work of prescribed drives", r.ledger.prescribed, "since the start; part of the work of drives");
        energy("injected", r.ledger.injected, "since the start, by position correction and compliant rows");
        energy("numerical loss", r.ledger.numerical,
               "since the start; what implicit springs lose by taking their force at the end of the step");
    }
    energy("residual", r.residual, "what the others leave unexplained: the integrator's error");
    const auto momentum = [&](const char* name, const char* unit, const std::array<double, 3>& value,
                              const char* about) {
        Probe& p = table.add(name, unit, {value.begin(), value.end()});
        p.by = "momenta";
        p.axes = "base";
        p.about = about;
    };
    momentum("linear momentum", "kg m/s", r.momenta.linear, "");
    momentum("angular momentum", "kg m^2/s", r.momenta.angular, "base origin");
    return table.take();
}

}  // namespace mw::app

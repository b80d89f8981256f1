// Carrying a running state to an edited mechanism. A body counts as the same when its name and joint type are: a
// coordinate that was an angle must not come back as a length.
#include "app/live/carry_over.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace mw::app {
namespace {

int findParameter(const Model& model, const std::string& name) {
    for (std::size_t i = 0; i < model.parameters.size(); ++i)
        if (model.parameters[i].live && model.parameters[i].name == name) return static_cast<int>(i);
    return -1;
}

/// Index of the body in `from` that body `b` of `to` continues, -1 when there is none.
int ancestor(const Model& from, const Model& to, std::size_t b) {
    const int old = from.findBody(to.bodies[b].name);
    if (old < 0) return -1;
    return from.bodies[static_cast<std::size_t>(old)].joint.type == to.bodies[b].joint.type ? old : -1;
}

template <class Elements>
void carryAct(const Elements& from, const Elements& to, const std::vector<int>& from_slot,
              const std::vector<int>& to_slot, const std::vector<double>& old, std::vector<double>& act) {
    for (std::size_t i = 0; i < to.size(); ++i)
        for (std::size_t j = 0; j < from.size(); ++j)
            if (to_slot[i] >= 0 && from_slot[j] >= 0 && to[i].name == from[j].name)
                act[static_cast<std::size_t>(to_slot[i])] = old[static_cast<std::size_t>(from_slot[j])];
}

}  // namespace

Hash motionHash(const Model& model) {
    Model bare = model;
    Hasher hasher;
    for (Body& body : bare.bodies) {
        std::fill(body.start.begin(), body.start.end(), Number(0));
        std::fill(body.rate.begin(), body.rate.end(), Number(0));
    }
    for (Parameter& parameter : bare.parameters) {
        if (!parameter.live) continue;
        hasher.add(parameter.name);
        if (parameter.range) hasher.add((*parameter.range)[0]).add((*parameter.range)[1]);
        parameter.value = 0;
    }
    return hasher.add(modelHash(bare)).finish();
}

void carryInputs(const Simulation& from, Simulation& to) {
    const Model &old = from.model(), &now = to.model();
    Inputs& inputs = to.inputs();
    for (const Parameter& parameter : now.parameters) {
        if (!parameter.live) continue;
        const int i = findParameter(old, parameter.name);
        if (i < 0) continue;
        const Parameter& before = old.parameters[static_cast<std::size_t>(i)];
        if (before.value == parameter.value)
            inputs.param[static_cast<std::size_t>(parameter.slot)] =
                from.inputs().param[static_cast<std::size_t>(before.slot)];
    }
    for (std::size_t b = 0; b < now.bodies.size(); ++b) {
        const int body = ancestor(old, now, b);
        if (body < 0) continue;
        for (int k = 0; k < jointNv(now.bodies[b].joint.type); ++k)
            inputs.tau[static_cast<std::size_t>(to.layout().v_of_body[b] + k)] =
                from.inputs()
                    .tau[static_cast<std::size_t>(from.layout().v_of_body[static_cast<std::size_t>(body)] + k)];
    }
    carryAct(old.tsdas, now.tsdas, from.layout().act_of_tsda, to.layout().act_of_tsda, from.inputs().act, inputs.act);
    carryAct(old.rsdas, now.rsdas, from.layout().act_of_rsda, to.layout().act_of_rsda, from.inputs().act, inputs.act);
    const auto carryTendons = [&](const auto& values, auto& into) {
        if (values.size() != old.tendons.size()) return;
        into.assign(now.tendons.size(), 0);
        for (std::size_t i = 0; i < now.tendons.size(); ++i)
            for (std::size_t j = 0; j < old.tendons.size(); ++j)
                if (now.tendons[i].name == old.tendons[j].name) into[i] = values[j];
    };
    carryTendons(from.inputs().tendon_command, inputs.tendon_command);
    carryTendons(from.inputs().tendon_off, inputs.tendon_off);
}

void carryState(const Simulation& from, Simulation& to) {
    State state;
    state.q = startQ(to.model(), to.layout(), to.inputs().param);
    state.v = startV(to.model(), to.layout(), to.inputs().param);
    state.t = from.state().t;
    state.step = from.state().step;
    for (std::size_t b = 0; b < to.model().bodies.size(); ++b) {
        const int old = ancestor(from.model(), to.model(), b);
        if (old < 0) continue;
        const auto o = static_cast<std::size_t>(old);
        const JointType type = to.model().bodies[b].joint.type;
        std::copy_n(from.state().q.begin() + from.layout().q_of_body[o], jointNq(type),
                    state.q.begin() + to.layout().q_of_body[b]);
        std::copy_n(from.state().v.begin() + from.layout().v_of_body[o], jointNv(type),
                    state.v.begin() + to.layout().v_of_body[b]);
    }
    // What tendons remember; warm starts are of other rows and stay behind.
    if (const std::vector<double>* old = from.state().findBlock("tendons"); old && !to.model().tendons.empty()) {
        const Tendons before(from.model(), from.layout());
        Tendons now(to.model(), to.layout());
        now.setParameters(to.inputs().param);
        std::vector<double>& memory = state.block("tendons", now.memorySize());
        now.start(memory);
        if (old->size() == before.memorySize()) now.carry(before, *old, memory);
    }
    settle(to, std::move(state));
}

void settle(Simulation& simulation, State state) {
    Ledger ledger;
    ledger.param = simulation.inputs().param;
    simulation.setState(state, ledger);
    const Readings readings = simulation.read(false);
    ledger.initial_total = readings.total_energy;
    state.block("vdot", readings.vdot.size()) = readings.vdot;
    simulation.setState(std::move(state), std::move(ledger));
}

std::vector<double> normalised(const Model& model, const Layout& layout, std::vector<double> q) {
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const JointType type = model.bodies[b].joint.type;
        if (type != JointType::spherical && type != JointType::floating) continue;
        double* w = q.data() + layout.q_of_body[b];
        if (!(normaliseQuaternion(w) > 0)) w[0] = 1, w[1] = w[2] = w[3] = 0;
    }
    return q;
}

}  // namespace mw::app

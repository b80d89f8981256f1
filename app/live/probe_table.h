// What the tables of readings share: rows that are sound, units of joints, names of bodies.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/live/probes.h"

namespace mw::app {

class ProbeTable {
public:
    Probe& add(std::string name, std::string unit, std::vector<double> values) {
        Probe probe;
        probe.name = std::move(name);
        probe.unit = std::move(unit);
        if (!std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); })) {
            probe.state = Probe::State::invalid;
            values.clear();
        }
        probe.values = std::move(values);
        rows_.push_back(std::move(probe));
        return rows_.back();
    }
    Probe& word(std::string name, std::string word) {
        Probe& probe = add(std::move(name), "in words", {});
        probe.word = std::move(word);
        return probe;
    }
    Probe& missing(std::string name, std::string unit, Probe::State state, std::string note) {
        Probe& probe = add(std::move(name), std::move(unit), {});
        probe.state = state;
        probe.note = std::move(note);
        return probe;
    }
    std::vector<Probe> take() { return std::move(rows_); }

private:
    std::vector<Probe> rows_;
};

/// Unit of the k-th velocity of a joint over a power of s: "rad/s", "m/s^2".
std::string velocityUnit(JointType type, int k, const char* per);
/// "N" or "N m".
std::string forceUnit(JointType type, int k);
/// In which axes a joint's numbers are.
const char* jointAxes(JointType type);
/// "body rod", "base".
std::string bodyLabel(const Model& model, int body);
/// It has a model and readings of its size.
bool readable(const Snapshot& snapshot);

// Provenance of what rows give
/// "average over [0.249, 0.25] s"; before the first step "at t = 0 s".
std::string stepSpan(const Snapshot& snapshot);
std::string instantOf(const Snapshot& snapshot);
/// "converged in 7 sweeps, residual 3.1e-10 N s", "budget spent, …", "state alone, exact".
std::string solveTrust(const Snapshot& snapshot);
/// Rows of limits, friction, damping and prescribed motion on the joint of a body.
void addJointRowProbes(const Snapshot& snapshot, int body, ProbeTable& table);

}  // namespace mw::app

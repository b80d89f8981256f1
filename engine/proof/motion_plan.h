// Where a motion gate starts, how far it goes and by which step: a random state of the seed (loops closed), and a
// stretch of motion on which every law is smooth (orders of accuracy are defined only there).
#pragma once

#include <memory>

#include "engine/proof/checks.h"
#include "engine/sim/simulation.h"

namespace mw::proof {

struct MotionPlan {
    std::shared_ptr<const Model> model;  ///< without contacts and rows: the same equations of motion
    State start;                         ///< with the acceleration that Verlet's predictor wants
    Inputs inputs;                       ///< declared parameters; forces as asked for
    double dt = 0, T = 0;
    int most_steps = 0;   ///< by the mechanism's size: at most 10 000
    int trial = 0;        ///< which trial of the seed the start is
    std::string trouble;  ///< why there is no plan; empty when there is one
    int steps() const;    ///< of dt
};

/// The same equations of motion without anything that would be a row of a step: rows have gates of their own.
Model withoutRows(Model model);

/// dt = min(1e-4, 2e-3 / largest rate); T = 0.25 s or most_steps, less where a law turns a corner before.
/// `with_inputs`: constant random tau, fext and act.
MotionPlan planMotion(const Subject& subject, double longest, bool with_inputs);

/// A quarter of the step over the same stretch (or most_steps of it). An order shows once a step is small enough for
/// the motion that comes, which may be far livelier than its start; a scheme of lower order stays of lower order at any
/// step.
void refine(MotionPlan& plan);
constexpr int kRefinements = 3;
/// A simulation at the plan's start.
Simulation simulationOf(const Subject& subject, const MotionPlan& plan, Integrator integrator, double dt);

/// "dt 1e-4 s over 0.25 s from trial 0"
std::string planInWords(const MotionPlan& plan);

}  // namespace mw::proof

// What a step with rows says of itself: every row's force by its owner, and how the solve went.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/contact/contact.h"
#include "engine/contact/shape_contacts.h"
#include "engine/solve/projected_gauss_seidel.h"
#include "engine/tendon/tendons.h"

namespace mw {

/// One contact of shapes with what the step's rows gave it. Forces act ON B FROM A at record.point, base axes, averages
/// over [t0, t1] of the step; geometry is that of t0.
struct ShapeContactReading {
    ContactRecord record;
    std::string id;
    double normal_force = 0;                 ///< N
    Vector3d friction{}, force{}, couple{};  ///< N, N, N m (torsion and rolling)
    Vector3d slip{};                         ///< tangential velocity of B against A at the end of the step, m/s
    double limit = 0;                        ///< mu normal_force, N
    ContactState state = ContactState::open;
};

/// Rows of one joint velocity: limits, dry friction, prescribed motion; N or N m, averages over the step.
struct JointRowReading {
    int slot = 0;
    std::optional<double> lower, upper, lock, friction, damping, prescribed;
};

struct RowsReading {
    bool valid = false;     ///< a step was solved; else all forces that only a step defines are "not computed"
    double t0 = 0, t1 = 0;  ///< the step that they belong to, s
    SolveReport report;
    ContactFacts facts;
    std::vector<ShapeContactReading> contacts;
    std::vector<JointRowReading> joints;
    /// Contact impulses that are missing from momentum's change: |m dv - h sum of known - sum of impulses|, N s.
    double closure = 0;
    std::vector<RowKind> kinds;    ///< of every row
    std::vector<double> impulses;  ///< N s
};

}  // namespace mw

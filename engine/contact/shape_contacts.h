// Shapes that collide: contact records from poses, and the rows they become. Primitive pairs in closed form (spheres,
// capsules, boxes; each against plane, terrain and each other), positive gaps included; FCL for cylinders, cones,
// meshes.
//
// Conventions: docs/rows.md. The normal points from A to B; the stored force is the one on B by A; the ground is A.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/contact/terrain.h"
#include "engine/model/model.h"
#include "engine/rows/motion_axes.h"
#include "engine/rows/row.h"

namespace mw {

/// Material of a pair, mixed: which consumer reads which is in docs/rows.md.
struct PairValues {
    double mu = 0, mu_torsion = 0, mu_rolling = 0, restitution = 0, restitution_speed = 0.5;
};

/// One possible contact. A record with a positive gap exists but need not carry force.
struct ContactRecord {
    int shape_a = -1, shape_b = 0;    ///< index in Model::shapes; -1: the ground
    int a = kBase, b = kBase;         ///< bodies
    std::uint32_t feature = 0;        ///< which point of the pair (corner, cap, edge pair); stable while it lasts
    std::uint64_t key = 0;            ///< of shapes and feature: the same contact keeps it
    Vector3d point{};                 ///< common reference point of force and rows: midway between both surfaces, base
    Vector3d normal{};                ///< A to B, base
    Vector3d tangent1{}, tangent2{};  ///< right-handed with the normal; rule of t1 in docs/rows.md
    double gap = 0;                   ///< m, signed, margins taken off; negative: depth
    Vector3d local_a{}, local_b{};    ///< surface points in body axes (base for the ground)
    PairValues values;
};

struct ContactFacts {
    int tested = 0, records = 0;
    bool overflow = false;  ///< more than `capacity`: the frame is invalid and says so
};

class ShapeContacts {
public:
    ShapeContacts() = default;
    explicit ShapeContacts(const Model& model, double tilt = 0);
    bool empty() const;  ///< no two shapes that may meet, and none that may meet the ground
    void setParameters(std::span<const double> param);
    /// All records within gap + margin + what the approach speed covers in h. Order: by pair, then feature.
    ContactFacts detect(std::span<const double> X, std::span<const double> V, double h,
                        std::vector<ContactRecord>& out) const;
    /// "foot/ground.2", "ball/box.0".
    std::string idOf(const ContactRecord& record) const;

private:
    std::vector<Shape> shapes_;
    // the owner of this room adds what it needs
};

/// Rows of the records: normal, two tangents on a disc, torsion and rolling where the pair has them; in the records'
/// order, owner = index of the record. v: at the start of the step (restitution); predictive where the gap is positive.
struct ContactRowSettings {
    double h = 1e-3, beta = 0.2, slop = 5e-4;
};
void addContactRows(std::span<const ContactRecord> records, const MotionAxes& axes, std::span<const double> v,
                    const ContactRowSettings& settings, RowSet& rows);

}  // namespace mw

// Shapes that collide: contact records from poses, and the rows they become. Primitive pairs in closed form (spheres,
// capsules, boxes; each against plane, terrain and each other), positive gaps included; FCL for cylinders, cones,
// meshes.
//
// Conventions: docs/rows.md. The normal points from A to B; the stored force is the one on B by A; the ground is A.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
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
    /// `tilt`: of the terrain (Terrain).
    explicit ShapeContacts(const Model& model, double tilt = 0);
    bool empty() const;  ///< no two shapes that may meet, and none that may meet the ground
    /// Numbers that hang on live parameters. Call when they change.
    void setParameters(std::span<const double> param);
    /// All records within gap + margin + what the approach speed covers in h. Order: by pair, then feature.
    ContactFacts detect(std::span<const double> X, std::span<const double> V, double h,
                        std::vector<ContactRecord>& out) const;
    /// "foot/ground.2", "ball/box.0": B, A, feature.
    std::string idOf(const ContactRecord& record) const;
    /// Values of a pair, mixed by the model's rule; shape_a -1: the ground.
    PairValues valuesOf(int shape_a, int shape_b) const;

private:
    struct Collider {
        int shape = 0;  // index in shapes_
        bool ground = false;
        Vector3d size{};  // box: half edges; sphere: R; capsule, cylinder: R, half length; cone: R, height
        Vector3d at{};    // body axes
        std::array<double, 9> turn{1, 0, 0, 0, 1, 0, 0, 0, 1};
        double margin = 0, gap = 0;
        Vector3d low{}, high{};                 // bounds in its own axes
        std::vector<Vector3d> corners, points;  // of a mesh's hull: without and with its scale
    };
    void resolve(std::span<const double> param);
    bool mayMeet(std::size_t i, std::size_t j) const { return may_meet_[i * colliders_.size() + j] != 0; }

    std::vector<Shape> shapes_;
    std::vector<Material> materials_;
    std::vector<MaterialPair> pairs_;
    std::optional<Ground> ground_;
    ContactOptions options_;
    Number3 gravity_{};
    double gravity_size_ = 0;  // m/s^2
    Terrain terrain_;
    std::vector<Collider> colliders_;
    std::vector<char> may_meet_;  // by places in colliders_
    bool any_pair_ = false, any_ground_ = false;
    std::vector<double> param_;
};

/// Rows of the records: normal, two tangents on a disc, torsion and rolling where the pair has them; in the records'
/// order, owner = index of the record. v: at the start of the step (restitution); predictive where the gap is positive.
struct ContactRowSettings {
    double h = 1e-3, beta = 0.2, slop = 5e-4;
};
/// The target of a normal row, m/s: `approach` is the normal velocity at the start of the step, negative when closing.
double contactTarget(double gap, double approach, const PairValues& values, const ContactRowSettings& settings);
void addContactRows(std::span<const ContactRecord> records, const MotionAxes& axes, std::span<const double> v,
                    const ContactRowSettings& settings, RowSet& rows);

}  // namespace mw

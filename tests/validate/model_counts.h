// What every mechanism of models/ is, counted by hand from its joints and closures: the one table that the proofs of
// the models are held against. A new model needs its row.
#pragma once

#include <array>
#include <string_view>

namespace mw::test {

struct ModelCounts {
    std::string_view name;
    int nq, nv, nc, mobility;
    /// The same bodies, joints and loops under other drives or on another ground: of the many states of the proof it is
    /// given a part (all with MW_LONG=1).
    std::string_view variant_of = {};
};

// Joints: revolute, prismatic and screw 1; universal, cylindrical 2; planar 3; spherical 3 velocities and 4
// coordinates; floating 6 and 7. Closures: revolute and prismatic 5, cylindrical 4, spherical 3, point-on-line 2,
// distance 1. Without loops all velocities are free; with them nv - nc where the rows are independent.
constexpr std::array kModelCounts = {
    // Trees
    ModelCounts{"bintree", 7, 7, 0, 7},
    ModelCounts{"cylindrical_damper", 2, 2, 0, 2},
    ModelCounts{"double_pendulum", 2, 2, 0, 2},
    ModelCounts{"elbow", 6, 6, 0, 6},
    ModelCounts{"fourlink", 4, 4, 0, 4},
    ModelCounts{"gantry", 3, 3, 0, 3},
    ModelCounts{"gyroscope", 4, 3, 0, 3},
    ModelCounts{"pendulums", 4, 4, 0, 4},
    ModelCounts{"planar_slider", 3, 3, 0, 3},
    ModelCounts{"satellite", 10, 9, 0, 9},
    ModelCounts{"screw_press", 1, 1, 0, 1},
    ModelCounts{"springpend", 2, 2, 0, 2},
    ModelCounts{"stanford", 6, 6, 0, 6},
    ModelCounts{"threelink", 3, 3, 0, 3},
    ModelCounts{"universal_shaft", 3, 3, 0, 3},
    // Tendons, limits, contacts of shapes
    ModelCounts{"arm26", 2, 2, 0, 2},
    ModelCounts{"block_and_tackle", 4, 4, 0, 4},
    ModelCounts{"cable_robot", 7, 6, 0, 6},
    ModelCounts{"capstan", 3, 3, 0, 3},
    ModelCounts{"crossbow", 2, 2, 0, 2},
    ModelCounts{"differential", 4, 4, 0, 4},
    ModelCounts{"elbow_muscle", 1, 1, 0, 1},
    ModelCounts{"finger", 17, 15, 0, 15},      // three joints and two blocks
    ModelCounts{"marionette", 24, 23, 0, 23},  // cross 3, trunk, head 2, limbs 3 each
    ModelCounts{"stack", 70, 60, 0, 60},
    ModelCounts{"suspended_load", 7, 6, 0, 6},
    ModelCounts{"tensegrity", 21, 18, 0, 18},
    // Linkages
    ModelCounts{"backhoe", 12, 12, 8, 4},
    ModelCounts{"bennett", 3, 3, 2, 1},
    ModelCounts{"crank", 3, 3, 2, 1},
    ModelCounts{"fourbar", 3, 3, 2, 1},
    ModelCounts{"peaucellier", 7, 7, 6, 1},
    ModelCounts{"rrrs", 4, 4, 3, 1},
    ModelCounts{"slidercrank", 2, 2, 1, 1},
    ModelCounts{"stewart", 25, 24, 18, 6},
    ModelCounts{"watt", 5, 5, 4, 1},
    // Vehicles
    ModelCounts{"halfcar", 22, 20, 16, 4},
    ModelCounts{"hmmwv", 48, 43, 32, 11},
    ModelCounts{"hmmwv_pitman", 49, 44, 33, 11},
    ModelCounts{"quartercar", 11, 10, 8, 2},
    // Bands: hull 7 and 6, a joint each for what hangs on it, anchor shoe 7 and 6, a pin for each shoe but the anchor
    ModelCounts{"dozer", 132, 129, 4, 125},
    ModelCounts{"m113", 171, 168, 4, 164},
    ModelCounts{"m113_bumps", 171, 168, 4, 164, "m113"},
    ModelCounts{"m113_drive", 171, 168, 4, 164, "m113"},
    ModelCounts{"m113_pivot", 171, 168, 4, 164, "m113"},
    ModelCounts{"m113_slope", 171, 168, 4, 164, "m113"},
    ModelCounts{"track_demo", 57, 55, 2, 53},
    ModelCounts{"track_min", 32, 30, 2, 28},
};

}  // namespace mw::test

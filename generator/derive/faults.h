// Deliberate mistakes, each a classic of hand-written dynamics: the proof's self-test derives with one and must catch
// it.
#pragma once

namespace mw::gen {

enum class Fault {
    none,
    rotation_transposed,  ///< a joint's rotation is used as the coordinate transform (R for E)
    spring_sign,          ///< springs push where they should pull
    inertia_transposed,   ///< rotational inertias are carried to the parent by the transposed rotation
    joint_bias_missing    ///< dS/dt v of universal and planar joints (c_J) is left out
};

}  // namespace mw::gen

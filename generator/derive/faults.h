// Deliberate mistakes, each a classic of hand-written dynamics: the proof's self-test derives with one and must catch
// it.
#pragma once

namespace mw::gen {

enum class Fault {
    none,
    rotation_transposed,  ///< a joint's rotation is used as the coordinate transform (R for E)
    spring_sign,          ///< springs push where they should pull
    inertia_transposed,   ///< rotational inertias are carried to the parent by the transposed rotation
    joint_bias_missing,   ///< dS/dt v of universal and planar joints (c_J) is left out

    // Loops: the Jacobian.
    loop_paths_added,         ///< the predecessor's path enters with the successor's sign
    loop_common_ancestors,    ///< joints that carry both ends keep entries
    loop_own_point,           ///< the predecessor's velocity is taken at its own loop origin, not at the successor's
    loop_turns_in_successor,  ///< turn rows about the successor's axes
    loop_moves_in_successor,  ///< move rows along the successor's axes, held to be the predecessor's
    loop_rot_ignored,         ///< the loop frames' `rot` is left out
    // Loops: velocity products.
    loop_bias_missing,         ///< all of dK/dt v
    loop_coriolis_missing,     ///< 2 w x d'
    loop_centrifugal_missing,  ///< w x (w x d)
    loop_turn_bias_missing,    ///< (w_p x e) . (w_s - w_p)
    loop_stretch_missing,      ///< |rho'|^2 of a distance
    // Loops: stabilisation.
    loop_stab_sign,           ///< errors grow
    loop_stab_factor,         ///< rates decay with 1/T instead of 2/T
    loop_attitude_sign,       ///< the turn from the successor's axis to the predecessor's
    loop_distance_unsquared,  ///< length minus the wanted one where the squared form belongs
    // Loops: multipliers.
    loop_lambda_sign,      ///< the force on the predecessor
    loop_lambda_unscaled,  ///< a distance's multiplier in its squared form

    // Bands: what only loops over shoes can get wrong.
    band_column_unmoved,   ///< the unit force of the closure's second row goes from pin to pin without its moment
    band_inertia_unmoved,  ///< the articulated inertia goes from pin to pin as it is
    band_rate_shifted      ///< each shoe reads the rate of the one before
};

}  // namespace mw::gen

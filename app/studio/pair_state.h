// One pair of a band at an instant, in the frame of its law: where the pin or the axle is, how it moves, what the law
// gives. From the snapshot and the laws alone; no window.
#pragma once

#include <optional>
#include <string>

#include "app/live/runner.h"
#include "engine/contact/contact.h"

namespace mw::app {

/// Which pair: a shoe, and a roller of its track or a corner of its pad.
struct PairId {
    int track = 0, shoe = 0;
    int roller = 0;  ///< -1: the ground
    int corner = 0;  ///< of the pad, where it is the ground
    bool operator==(const PairId&) const = default;
};
/// By the contact's name ("left.shoe17/wheel3", "left.shoe17/ground2"), whether it is loaded or not.
std::optional<PairId> pairOf(const Model& model, const std::string& contact);
std::string contactName(const Model& model, const PairId& pair);

struct PairState {
    enum class Kind { pin, face, ground };
    Kind kind = Kind::pin;
    PinLaw pin;
    FaceLaw face;
    GroundLaw ground;
    Vector3d at{};              ///< pin in the roller's frame; axle in the shoe's; a pad's corner, base axes
    Vector3d next{}, before{};  ///< the neighbouring pins in the roller's frame (pin alone)
    Vector3d u{}, u_foot{};     ///< velocities as the law takes them
    double height = 0, slope_x = 0, slope_y = 0;  ///< of the terrain under the corner
    double pad_z = 0;                             ///< of the shoe, m
    double link = 0;                              ///< m
    Vector3d pad_end{};  ///< the pad's corner before or behind this one, base axes (ground alone)
    double depth = 0, normal = 0, tangential = 0, slip = 0, power = 0, potential = 0;
    double tooth_angle = 0;  ///< from the nearest pocket, rad about +y
    ContactState state = ContactState::open;
    bool loaded = false;
};
/// `contact`: of the snapshot's model and slope, with its live parameters.
PairState pairState(const Snapshot& snapshot, const ContactModel& contact, const PairId& pair);

// The law's curves, static unless a velocity is given.
struct LawForce {
    double normal = 0, potential = 0;
};
/// At another depth, the rest as it is; `moving`: with the present velocity.
LawForce forceAtDepth(const PairState& pair, double depth, bool moving);
/// Potential of the tooth at an angle from a pocket, with teeth engaged by `g` of 0..1; J.
double toothPotential(const PairState& pair, double angle, double g);
/// Friction against slip under the present normal force, N.
double frictionAtSlip(const PairState& pair, double slip);

}  // namespace mw::app

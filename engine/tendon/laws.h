// The laws by which a tendon makes a force along itself, once for all who list them: what they are called, where a
// reading holds their force, which tendons have them, and whether a state alone defines the force. Couplings stand
// beside these: they belong to two tendons.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

#include "engine/model/model.h"
#include "engine/tendon/tendons.h"

namespace mw {

struct TendonLaw {
    const char* name;                            ///< in tables and JSON
    const char* title;                           ///< for people
    std::optional<double> TendonForces::*force;  ///< positive lengthens, in the tendon's unit (Tendons::units)
    bool by_state;                               ///< else only a step defines it
    bool (*has)(const Tendon&, std::span<const double> param);  ///< at these live parameters, switched off or not
    const char* part;                                           ///< of the tendon, that makes it
    const char* note;                                           ///< how it works, in few words
};

/// Equal limits are a lock in their place.
inline bool locked(const Tendon& t, std::span<const double> param) {
    return std::isfinite(t.lower.at(param)) && t.lower.at(param) == t.upper.at(param);
}

/// In the order in which they are listed.
inline constexpr std::array<TendonLaw, 9> kTendonLaws = {{
    {"spring", "spring", &TendonForces::spring, true,
     [](const Tendon& t, std::span<const double> param) { return t.stiffness.at(param) > 0; }, "spring",
     "in a step -k (e + h l'), the stretch at its end"},
    {"damper", "damper", &TendonForces::damper, true,
     [](const Tendon& t, std::span<const double> param) { return t.damping.at(param) > 0; }, "damper",
     "-d l' with the solved rate"},
    {"drive", "drive", &TendonForces::drive, true,
     [](const Tendon& t, std::span<const double> param) {
         return t.actuator || t.input || t.kp.at(param) > 0 || t.kv.at(param) > 0;
     },
     "actuator and servo", "after filter, servo and clamp"},
    {"muscle", "muscle", &TendonForces::muscle, true,
     [](const Tendon& t, std::span<const double>) { return t.muscle.has_value(); }, "muscle",
     "of the fibre and its tendon in series, along the route"},
    {"friction", "friction", &TendonForces::friction, false,
     [](const Tendon& t, std::span<const double> param) { return t.friction.at(param) > 0; }, "dry friction",
     "within the loss of the text, against the motion"},
    {"armature", "armature", &TendonForces::armature, false,
     [](const Tendon& t, std::span<const double> param) { return t.armature.at(param) > 0; }, "armature",
     "inertia along the length, its curvature bias included"},
    {"lower", "lower limit", &TendonForces::lower, false,
     [](const Tendon& t, std::span<const double> param) {
         return std::isfinite(t.lower.at(param)) && !locked(t, param);
     },
     "limit", "unilateral: pushes longer, never pulls"},
    {"upper", "upper limit", &TendonForces::upper, false,
     [](const Tendon& t, std::span<const double> param) {
         return std::isfinite(t.upper.at(param)) && !locked(t, param);
     },
     "limit", "unilateral: pulls shorter, never pushes"},
    {"lock", "lock", &TendonForces::lock, false, locked, "lock", "equal limits: two-sided"},
}};

// Every force of a reading but those of couplings has its law.
static_assert(sizeof(TendonForces) ==
              kTendonLaws.size() * sizeof(std::optional<double>) + sizeof(TendonForces::couplings));

/// It has some law whose force the state alone defines.
inline bool pullsByState(const Tendon& tendon, std::span<const double> param) {
    return std::any_of(kTendonLaws.begin(), kTendonLaws.end(),
                       [&](const TendonLaw& law) { return law.by_state && law.has(tendon, param); });
}

}  // namespace mw

// Where every coordinate, velocity, actuator, parameter and observation of a mechanism has its slot, and what it is
// called. The one place for it: reference, generator, simulation, command line and studio all ask here.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/model.h"

namespace mw {

struct Layout {
    int nq = 0, nv = 0, nbody = 0, nact = 0, nparam = 0, nobs = 0;
    int nc = 0, nloop = 0;                      ///< constraint rows, loops
    std::vector<int> row_of_loop;               ///< first row of each loop in K and lambda
    std::vector<int> q_of_body;                 ///< first coordinate of each body's joint
    std::vector<int> v_of_body;                 ///< first velocity of each body's joint
    std::vector<int> body_of_v;                 ///< body whose joint has velocity i
    std::vector<int> act_of_tsda;               ///< slot in act, -1 without `input`
    std::vector<int> act_of_rsda;               ///< tsdas first in file order, then rsdas
    std::vector<int> obs_of_point;              ///< first of 6 numbers: position, velocity, base axes
    std::vector<int> obs_of_tsda;               ///< first of 2: length, rate
    std::vector<int> obs_of_rsda;               ///< first of 2: coordinate, rate
    std::vector<std::string> q_names, v_names;  ///< design.md section 9: `crank`, `arm.2`, `bus.qw`, `bus.vx`
};

/// Bodies take their slots in file order.
Layout layoutOf(const Model& model);

/// Slot of a name, -1 when unknown. Kinds: body, q, v, poi, tsda, rsda (both: first observation slot), act, param,
/// loop. For `poi` it is the first observation slot.
int findSlot(const Model& model, const Layout& layout, std::string_view kind, std::string_view name);

/// Makes the quaternion at q (w x y z) one of unit length and returns the length it had; 0, and q untouched, when it
/// has no direction (zero, or not finite). One that is unit to rounding stays as it is: numbers that were read off a
/// state give that state again.
double normaliseQuaternion(double* q);

/// Start state with the given live parameters: q (quaternions normalised) and v.
std::vector<double> startQ(const Model& model, const Layout& layout, std::span<const double> param);
std::vector<double> startV(const Model& model, const Layout& layout, std::span<const double> param);

}  // namespace mw

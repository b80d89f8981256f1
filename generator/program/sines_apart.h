// Takes sines and cosines out of loops whose turns wait for one another.
#pragma once

#include "generator/program/program.h"

namespace mw::gen {

/// In front of every loop with carried registers come, where their arguments do not need it, the sines and cosines of
/// all its turns: a short loop for the arguments, one for the functions, whose turns a back end may do side by side,
/// and the loop itself reads the results. The numbers pass through `work` from slot `first_slot` on; returns how many
/// slots that takes. The bits are those of the loop as it was. `function` calls nothing but `sincos`.
int takeSinesApart(Program& program, Function& function, int sincos, int first_slot);

}  // namespace mw::gen

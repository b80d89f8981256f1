// Which loops a back end may run with several turns at a time, one a lane of a vector.
#pragma once

#include "generator/program/program.h"

namespace mw::gen {

/// Whether every turn of the loop is independent of the next `lanes` - 1 ones, so that each instruction may be done for
/// all of them before the next instruction, and whether that is likely to be faster. The bits stay the same: each lane
/// does the operations of its turn.
bool turnsSideBySide(const Program& program, const Loop& loop, int lanes);

/// Whether two places of a loop's block can be one in the same turn; `count` turns, -1: any number.
bool meetInTurn(const Place& x, const Place& y, int count);

}  // namespace mw::gen

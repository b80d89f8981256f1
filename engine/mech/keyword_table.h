// Makes the keyword table; everybody else asks keywords.h.
#pragma once

#include <vector>

#include "engine/mech/keywords.h"

namespace mw::mech {

std::vector<StatementSpec> keywordTable();

}  // namespace mw::mech

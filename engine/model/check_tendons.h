// What can be said of a tendon from numbers and from the start pose: margins, creep, ends inside guides, limits that
// the start is outside of.
#pragma once

#include <optional>

#include "engine/model/reader.h"

namespace mw::mech {

/// Margins that overlap (a warning; `margin` of the statement), of a tendon or of a joint.
void checkMargins(StatementReader& in, const SyntaxTree& tree, const Number& lower, const Number& upper,
                  const Number& margin);
/// Compliance without correction (a warning).
void checkCreep(StatementReader& in, const SyntaxTree& tree, const Number& compliance, const Number& correction);

/// Length at the start pose where it takes no guide to know it: of a fixed tendon, or of one with sites only.
std::optional<double> straightLength(Reading& reading, const Tendon& tendon);
/// What shows at the start pose; needs sound bodies.
void checkTendon(Reading& reading, StatementReader& in, const Tendon& tendon);

}  // namespace mw::mech

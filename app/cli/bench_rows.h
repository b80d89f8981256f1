// What rows cost: a run of a model with rows at 1 ms, step by step, and one sweep over one row.
#pragma once

#include <string>
#include <vector>

#include "app/cli/support.h"
#include "engine/kernel/kernel.h"
#include "engine/model/model.h"

namespace mw::cli {

/// Bounds of the project on the models that it names, at steps of 1 ms.
inline constexpr double kRowStep = 1e-3;
inline constexpr double kLeastRowsRealTime = 10;
inline constexpr double kMostRowsResidual = 1e-6;  ///< N s
inline constexpr int kRowContacts = 8;

/// "rows" of a step's figures; null where the model has none.
Json rowsFigures(const Model& model, const Kernel& kernel);
std::string rowsInWords(const std::string& model, const Json& rows);
/// Which of the bounds fall short, of a model that they are meant for.
std::vector<std::string> rowsShortfalls(const std::string& model, const Json& rows);

}  // namespace mw::cli

// What rows make known, in the shape of the contract and in words: tendons, contacts of shapes, joint rows, the solve.
// A force that only a step defines is `null` where no step was solved, and the object's "states" says so.
#pragma once

#include <optional>

#include "app/cli/support.h"
#include "engine/sim/simulation.h"

namespace mw::cli {

/// A tendon's laws beside what a reading holds of them.
struct TendonLaws {
    bool known = false;                ///< some law that the state alone defines: spring, damper, drive, muscle
    std::vector<std::string> missing;  ///< laws with a force that only a step defines
};
/// `stepped`: a step was solved, nothing is missing.
TendonLaws tendonLaws(const Model& model, int tendon, std::span<const double> param, bool stepped);

/// N, or nothing where a law is missing.
std::optional<double> tensionOf(const TendonReading& reading, const TendonLaws& laws);

/// "tendons" of the contract.
Json tendonsJson(const Model& model, const Layout& layout, const Readings& now, std::span<const double> param);
/// "joints": rows of joint velocities (limits, dry friction, damping, prescribed motion), by the velocities' names.
Json jointRowsJson(const Model& model, const Layout& layout, const RowsReading& rows, std::span<const double> param);
/// Appends contacts of shapes to "contacts". Without a step: the records that there are, without forces.
void addShapeContacts(Json& contacts, const Model& model, const Readings& now, std::int64_t step,
                      std::span<const double> param);
/// "solver": how the last step's rows were solved; null before any.
Json solverJson(const ContactOptions& options, const RowsReading& rows);

void printTendons(const Json& tendons);
void printJointRows(const Json& joints);
void printSolver(const Json& solver);

}  // namespace mw::cli

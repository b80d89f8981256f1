// The table that a run leaves behind: '#' lines that say what it is and hold its constants, one line of names, then a
// row an instant. Numbers read back exactly, with a decimal point in every locale. Columns: docs/command-line.md.
#pragma once

#include <array>
#include <cstdint>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "engine/model/layout.h"
#include "engine/model/model.h"
#include "engine/sim/simulation.h"

namespace mw::cli {

/// Roll, pitch, yaw of a pose: R = Rz(yaw) Ry(pitch) Rx(roll), R row by row.
std::array<double, 3> rollPitchYaw(const double* R);

/// The ground in words: "plane 0 0 1 0, wave 0.05 2".
std::string terrainInWords(const Ground& ground);

/// What a trace says of the whole run at its head.
struct TraceHead {
    std::string name;      ///< of the model
    std::string why_dt;    ///< where the step comes from
    double weight = 0;     ///< N, of all bodies at gravity's magnitude
    std::string friction;  ///< of the ground; empty without contact
    std::int64_t every = 1;
};

class Trace {
public:
    /// Opens the file ("-": standard output); a UsageError where it cannot be written.
    Trace(const std::string& file, const Model& model, const Layout& layout);
    void head(const TraceHead& head, const Simulation& run);
    /// `applied`: what contacts gave in the step that led here; at the start, the readings'.
    void row(const State& state, const Readings& readings, const ContactTotals& applied);
    void close();
    std::int64_t rows() const { return rows_; }

private:
    void line(const std::string& text);
    void contactHead(const TraceHead& head, const Simulation& run);
    std::string contactNames() const;
    std::string rowNames() const;
    std::string rowValues(const Readings& readings) const;

    std::string file_;
    const Model& model_;
    const Layout& layout_;
    std::ofstream opened_;
    std::int64_t rows_ = 0;
    bool contact_ = false;  ///< bands or a ground, and something that touches
    bool rows_of_ = false;  ///< the model has rows
    std::vector<double> param_;
    std::vector<int> shapes_;  ///< that can meet something
    bool grounded_ = false;    ///< some of them the ground
    std::vector<int> roots_;   ///< of the bands, each once
    std::vector<int> placed_;  ///< rollers and shoes: bodies whose positions are written
};

}  // namespace mw::cli

// Turns the answer of mech-crosscheck into gates.
#include "app/cli/outside.h"

#include <algorithm>
#include <fmt/format.h>

#include "app/live/crosscheck.h"

namespace mw::cli {

void addOutsideOpinion(const Source& source, int trials, std::uint64_t seed, ProofReport& report) {
    app::CrossCheckOptions options;
    options.trials = std::min(trials, options.trials);
    options.seed = seed;
    // The text that was read is what is judged, whatever happens to the file meanwhile.
    options.text = source.text;
    const auto opinion = app::runCrosscheck(source.name + ".mech", options);
    Gate gate;
    gate.name = "crosscheck";
    if (!opinion) {
        gate.pass = gate.skipped = true;
        gate.detail = "the outside opinion was not built (it needs Simbody or MuJoCo)";
        report.gates.push_back(std::move(gate));
        return;
    }
    if (!opinion->trouble.empty()) {
        gate.detail = "no outside opinion: " + opinion->trouble;
        report.gates.push_back(std::move(gate));
        return;
    }
    for (const app::CrossCheckLine& line : opinion->lines) {
        Gate one;
        one.name = fmt::format("crosscheck.{}.{}", line.engine, line.name);
        one.value = line.value, one.bound = line.bound;
        one.pass = line.pass, one.skipped = line.skipped;
        one.detail = fmt::format("{} {}: {}", line.engine, line.version, line.detail);
        report.gates.push_back(std::move(one));
    }
}

}  // namespace mw::cli

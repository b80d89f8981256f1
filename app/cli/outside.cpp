// Asks mech-crosscheck; its answer as gates (app/live/crosscheck.h).
#include "app/cli/outside.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/live/crosscheck.h"

namespace mw::cli {

void addOutsideOpinion(const Source& source, int trials, std::uint64_t seed, ProofReport& report) {
    app::CrossCheckOptions options;
    options.trials = std::min(trials, options.trials);
    options.seed = seed;
    // The text that was read is what is judged, whatever happens to the file meanwhile.
    options.text = source.text;
    app::OutsideOpinion opinion = app::outsideOpinion(app::runCrosscheck(source.name + ".mech", options));
    std::move(opinion.gates.begin(), opinion.gates.end(), std::back_inserter(report.gates));
}

}  // namespace mw::cli

// mech validate: the mechanism's generated code against an independent reference, gate by gate (docs/proof.md).
#include <fmt/core.h>
#include <iostream>

#include "app/cli/commands.h"
#include "app/cli/support.h"
#include "engine/proof/gates.h"
#include "generator/generate.h"

namespace mw::cli {

int runValidate(const ValidateOptions& options) {
    if (options.trials < 1) throw UsageError("--trials: at least one state is needed");
    const Source source = readSource(options.file);
    requireGood(source, options.json);
    const Model& model = source.read.model;

    // The machine code that people run is what is judged; every other reader of the same program must give its bits.
    const auto program = gen::generate(model, source.name);
    const Kernel judged = gen::jitKernel(program, model, gen::Tier::optimised);
    ProofOptions proof;
    proof.trials = options.trials;
    proof.seed = options.seed;
    proof.same_bits = {gen::jitKernel(program, model, gen::Tier::fast), gen::interpreterKernel(program, model),
                       gen::cFileKernel(*program, model)};
    const ProofReport report = prove(model, source.name, judged, proof);

    if (options.json) {
        Json gates = Json::array();
        for (const Gate& gate : report.gates)
            gates.push_back({{"name", gate.name},
                             {"value", gate.value},
                             {"bound", gate.bound},
                             {"pass", gate.pass},
                             {"detail", gate.detail}});
        print({{"model", source.name},
               {"passed", report.passed()},
               {"gates", std::move(gates)},
               {"trials", report.trials},
               {"seed", report.seed}});
    } else {
        for (const Gate& gate : report.gates)
            std::cout << fmt::format("{:<7} {:<34} {:>12} {:>12}  {}\n",
                                     gate.skipped ? "-"
                                     : gate.pass  ? "pass"
                                                  : "FAIL",
                                     gate.name, gate.skipped ? "" : fmt::format("{:.4g}", gate.value),
                                     gate.skipped ? "" : fmt::format("{:.4g}", gate.bound), gate.detail);
        std::cout << fmt::format("{}: {} ({} gates, {} states from seed {}, largest disagreement {:.2g})\n",
                                 source.name, report.passed() ? "proven" : "NOT proven", report.gates.size(),
                                 report.trials, report.seed, report.worst());
    }
    return report.passed() ? kGood : kFailed;
}

}  // namespace mw::cli

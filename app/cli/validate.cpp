// mech validate: the mechanism's generated code against an independent reference, gate by gate (docs/proof.md).
#include <cmath>
#include <fmt/core.h>
#include <iostream>

#include "app/cli/commands.h"
#include "app/cli/outside.h"
#include "app/cli/support.h"
#include "engine/dynamics/closure.h"
#include "engine/dynamics/reference_kernel.h"
#include "engine/model/manageable.h"
#include "engine/proof/gates.h"
#include "generator/generate.h"

namespace mw::cli {

namespace {

/// The patch that mends redundant rows: what it does in words, and its edits as people count places.
Json patchOf(const Source& source) {
    for (const Diagnostic& d : closureFindings(source.read.model, mech::parse(source.text))) {
        if (d.fix.empty()) continue;
        Json edits = Json::array();
        for (const TextEdit& edit : d.fix) {
            const LineColumn place = lineColumn(source.text, edit.range.begin);
            edits.push_back({{"line", place.line},
                             {"column", place.column},
                             {"length", codePoints(source.text, edit.range)},
                             {"text", edit.text}});
        }
        return {{"message", d.remedy}, {"edits", std::move(edits)}};
    }
    return nullptr;
}

/// nc, rank, mobility, condition, and the redundant rows with the patch.
Json loopsAsJson(const Source& source, const ProofReport& report) {
    const Model& model = source.read.model;
    const Layout layout = layoutOf(model);
    if (!report.loops)
        return {{"nc", 0}, {"rank", 0}, {"mobility", layout.nv}, {"condition", nullptr}, {"redundant", Json::array()}};
    const LoopHealth& health = report.loops->health;
    Json redundant = Json::array();
    const Json patch = health.sound() ? Json() : patchOf(source);
    for (const RedundantRow& r : health.redundant)
        redundant.push_back(
            {{"loop", model.loops[r.loop].name}, {"row", r.row}, {"direction", r.direction}, {"remedy", patch}});
    const double condition = report.loops->poses > 0 ? report.loops->worst_condition : health.condition;
    return {{"nc", health.nc},
            {"rank", health.rank},
            {"mobility", health.mobility},
            {"condition", std::isfinite(condition) ? Json(condition) : Json()},
            {"redundant", std::move(redundant)}};
}

/// The kernel that is judged, with the others that must give its bits.
Kernel makeJudged(const Source& source, ProofOptions& options) {
    const Model& model = source.read.model;
    // Redundant rows are refused whoever made the kernel: no need to compile one.
    if (const auto facts = loopFacts(model); facts && !facts->health.sound()) return makeReferenceKernel(model);
    // The machine code that people run is what is judged; every other reader of the same program must give its bits.
    const auto program = gen::generate(model, source.name);
    options.same_bits = {gen::jitKernel(program, model, gen::Tier::fast), gen::interpreterKernel(program, model),
                         gen::cFileKernel(*program, model)};
    return gen::jitKernel(program, model, gen::Tier::optimised);
}

}  // namespace

int runValidate(const ValidateOptions& options) {
    if (options.trials < 1) throw UsageError("--trials: at least one state is needed");
    const Source source = readSource(options.file);
    requireGood(source, options.json);
    const Model& model = source.read.model;

    noteIfLarge(model);
    const Layout layout = layoutOf(model);
    requireManageable(layout, "the proof", denseNumbers(layout));
    ProofOptions proof;
    proof.trials = options.trials;
    proof.seed = options.seed;
    const Kernel judged = makeJudged(source, proof);
    ProofReport report = prove(model, source.name, judged, proof);
    // Redundant rows leave the forces of the loops undetermined, open loops have no state: nothing to compare.
    if (report.trials > 0) addOutsideOpinion(source, options.trials, options.seed, report);

    if (options.json) {
        Json gates = Json::array();
        for (const Gate& gate : report.gates)
            gates.push_back({{"name", gate.name},
                             {"value", gate.value},
                             {"bound", gate.bound},
                             {"pass", gate.pass},
                             {"detail", gate.detail}});
        Json out = {{"model", source.name},
                    {"passed", report.passed()},
                    {"gates", std::move(gates)},
                    {"trials", report.trials},
                    {"seed", report.seed}};
        out.update(loopsAsJson(source, report));
        print(out);
    } else {
        for (const Gate& gate : report.gates)
            std::cout << fmt::format("{:<7} {:<34} {:>12} {:>12}  {}\n",
                                     gate.skipped ? "-"
                                     : gate.pass  ? "pass"
                                                  : "FAIL",
                                     gate.name, gate.skipped ? "" : fmt::format("{:.4g}", gate.value),
                                     gate.skipped ? "" : fmt::format("{:.4g}", gate.bound), gate.detail);
        std::cout << fmt::format("{}: {} ({} gates, {} state{} from seed {}, largest disagreement {:.2g})\n",
                                 source.name, report.passed() ? "proven" : "NOT proven", report.gates.size(),
                                 report.trials, report.trials == 1 ? "" : "s", report.seed, report.worst());
    }
    return report.passed() ? kGood : kFailed;
}

}  // namespace mw::cli

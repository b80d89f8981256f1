// mech assemble: finds start values that close the loops, and writes them into the text.
#include <algorithm>
#include <fmt/core.h>
#include <iostream>

#include "app/cli/commands.h"
#include "app/cli/support.h"
#include "app/document/files.h"
#include "engine/dynamics/closure.h"
#include "engine/dynamics/closure_cost.h"
#include "engine/mech/patch.h"
#include "engine/model/loop_rows.h"
#include "engine/model/manageable.h"

namespace mw::cli {

int runAssemble(const AssembleOptions& options) {
    if (options.in_place && options.file == "-")
        throw UsageError("--in-place needs a file; standard input has no place");
    if (options.output != "-") requireElsewhere(options.file, options.output, "--output");
    const Source source = readSource(options.file);
    requireGood(source, options.json);
    const Model& model = source.read.model;
    const Layout layout = layoutOf(model);
    const std::vector<double> param = model.liveValues();

    noteIfLarge(model);
    requireManageable(layout, "assembling", denseNumbers(layout));
    constexpr double kSeconds = 300;
    Closure closure(model);
    mw::AssembleOptions how;
    const int usual = how.most_steps;
    how.most_steps = std::min(usual, affordableSteps(layout, kSeconds));
    const Assembly assembly = closure.assemble(startQ(model, layout, param), param, how);
    if (!assembly.closed && how.most_steps < usual && assembly.steps >= how.most_steps)
        note(
            fmt::format("given up after {} steps: the mechanism is large; start nearer to a closed pose, or assemble "
                        "it in parts",
                        assembly.steps));
    const mech::SyntaxTree tree = mech::parse(source.text);
    const std::vector<TextEdit> edits =
        assembly.closed ? startPatch(model, layout, tree, assembly.q) : std::vector<TextEdit>{};
    const std::string text = mech::applyEdits(source.text, edits);

    // What cannot be closed is left as it was: a half-closed text would hide that it is impossible.
    if (assembly.closed) {
        if (options.in_place && !edits.empty()) {
            try {
                app::saveAtomically(options.file, text);
            } catch (const std::exception& fault) {
                throw UsageError(fault.what());
            }
        } else if (!options.in_place && (options.output != "-" || !options.json)) {
            writeFile(options.output, text);
        }
    }
    if (options.json) {
        Json worst = nullptr;
        if (assembly.loop >= 0) {
            const Loop& loop = model.loops[static_cast<std::size_t>(assembly.loop)];
            const LoopRow row = rowsOf(loop)[static_cast<std::size_t>(assembly.row)];
            worst = {
                {"loop", loop.name}, {"direction", rowName(row)}, {"unit", rowUnit(row)}, {"error", assembly.worst}};
        }
        print({{"model", source.name},
               {"closed", assembly.closed},
               {"changed", !edits.empty()},
               {"steps", assembly.steps},
               {"worst", std::move(worst)},
               {"what", assembly.what},
               {"names", layout.q_names},
               {"q", assembly.q}});
    } else {
        note(fmt::format("{}: {}", source.name, assembly.what));
    }
    return assembly.closed ? kGood : kFailed;
}

}  // namespace mw::cli

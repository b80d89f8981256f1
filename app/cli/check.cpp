// mech check: is the text a mechanism? Everything that is to be said about it, with place and remedy.
#include <fmt/core.h>
#include <iostream>
#include <optional>

#include "app/cli/commands.h"
#include "app/cli/support.h"

namespace mw::cli {

int runCheck(const CheckOptions& options) {
    Source source = readSource(options.file);
    if (source.read.ok() && !source.read.model.loops.empty()) noteIfLarge(source.read.model);
    const std::optional<int> mobility = checkLoops(source, true);
    for (const Diagnostic& d : source.read.diagnostics)
        std::cerr << formatDiagnostic(d, source.text, source.file) << '\n';
    if (options.json) {
        print(findings(source));
    } else if (source.read.ok()) {
        const Model& model = source.read.model;
        const Layout layout = layoutOf(model);
        std::string loops;
        if (layout.nc > 0)
            loops = fmt::format(", {} loop{} with {} row{}{}", layout.nloop, layout.nloop == 1 ? "" : "s", layout.nc,
                                layout.nc == 1 ? "" : "s", mobility ? fmt::format(", mobility {}", *mobility) : "");
        std::cout << fmt::format("{}: good ({} bodies, nq {}, nv {}{})\n", options.file, layout.nbody, layout.nq,
                                 layout.nv, loops);
    }
    return source.read.ok() ? kGood : kFailed;
}

}  // namespace mw::cli

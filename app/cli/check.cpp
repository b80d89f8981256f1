// mech check: is the text a mechanism? Everything that is to be said about it, with place and remedy.
#include <fmt/core.h>
#include <iostream>

#include "app/cli/commands.h"
#include "app/cli/support.h"

namespace mw::cli {

int runCheck(const CheckOptions& options) {
    const Source source = readSource(options.file);
    for (const Diagnostic& d : source.read.diagnostics)
        std::cerr << formatDiagnostic(d, source.text, source.file) << '\n';
    if (options.json) {
        print(findings(source));
    } else if (source.read.ok()) {
        const Model& model = source.read.model;
        const Layout layout = layoutOf(model);
        std::cout << fmt::format("{}: good ({} bodies, nq {}, nv {})\n", options.file, layout.nbody, layout.nq,
                                 layout.nv);
    }
    return source.read.ok() ? kGood : kFailed;
}

}  // namespace mw::cli

// mech format: tidy indentation and spacing of a text; what it says stays as its author wrote it.
#include "engine/mech/format.h"

#include <fmt/core.h>
#include <iostream>

#include "app/cli/commands.h"
#include "app/cli/support.h"
#include "app/document/files.h"

namespace mw::cli {

int runFormat(const FormatOptions& options) {
    const std::string text = readFile(options.file);
    if (text.size() > mech::kLargestText)
        throw Failure(fmt::format("'{}' has more than {} MB, the most that a text may have", options.file,
                                  mech::kLargestText >> 20));
    const std::string tidy = mech::formatText(text);
    const bool changed = tidy != text;
    if (options.in_place) {
        if (options.file == "-") throw UsageError("--in-place needs a file; standard input has no place");
        // A broken-off write must not cost the author the text.
        try {
            if (changed) app::saveAtomically(options.file, tidy);
        } catch (const std::exception& fault) {
            throw UsageError(fault.what());
        }
    }
    if (options.json) print({{"file", options.file}, {"changed", changed}, {"text", tidy}});
    else if (!options.in_place && !options.check) writeFile("-", tidy);
    if (options.check && changed) note(fmt::format("{} is not tidy; mech format --in-place mends it", options.file));
    return options.check && changed ? kFailed : kGood;
}

}  // namespace mw::cli

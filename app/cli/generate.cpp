// mech generate: the mechanism's equations as one C file that compiles on its own.
#include "generator/generate.h"

#include <fmt/core.h>
#include <iostream>

#include "app/cli/commands.h"
#include "app/cli/support.h"

namespace mw::cli {

int runGenerate(const GenerateOptions& options) {
    requireElsewhere(options.file, options.output, "--output");
    const Source source = readSource(options.file);
    requireGood(source, options.json);
    const Model& model = source.read.model;
    noteIfLarge(model);
    const gen::Form form = options.form == "crba"  ? gen::Form::crba
                           : options.form == "aba" ? gen::Form::aba
                                                   : gen::Form::automatic;
    const auto program = gen::generate(model, source.name, form);
    const std::string code = gen::writeC(*program, model);
    // With --json standard output belongs to the report; the code then needs a file of its own, or none.
    if (options.output != "-" || !options.json) writeFile(options.output, code);

    Json entries = Json::object();
    for (const gen::ProgramEntry& entry : program->entries)
        entries[entry.name] = {{"flops", entry.count.flops()},
                               {"instructions", entry.count.instructions},
                               {"longest_path", entry.count.longest_path}};
    if (options.json) {
        print({{"model", source.name},
               {"output", options.output == "-" ? Json(nullptr) : Json(options.output)},
               {"prefix", program->model_name},
               {"choice", program->choice},
               {"cpu_class", gen::cpuClassName(program->cpu)},
               {"model_hash", program->model_hash.hex()},
               {"kernel_hash", program->hash().hex()},
               {"bytes", code.size()},
               {"entries", entries}});
    } else if (options.output != "-") {
        note(fmt::format("{} written, {} bytes; {}", options.output, code.size(), program->choice));
    }
    return kGood;
}

}  // namespace mw::cli

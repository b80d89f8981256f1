// Proves one mechanism of models/ as `mech validate` does, at 1000 states, and holds its counts against the table; with
// --table that every model has its row and every row its model. The outside opinion has tests of its own
// (crosscheck.NAME).
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <string>

#include "engine/model/layout.h"
#include "engine/model/read.h"
#include "engine/proof/gates.h"
#include "engine/track/expand.h"
#include "generator/generate.h"
#include "tests/validate/model_counts.h"

namespace {

namespace fs = std::filesystem;
using namespace mw;

constexpr int kTrials = 1000, kTrialsOfVariant = 150;
/// Of larger ones the optimised code and the C file are compiled with MW_LONG=1 alone: two mechanisms would take more
/// than half of the time of all.
constexpr int kLarge = 40;  // velocities

const test::ModelCounts* rowOf(std::string_view name) {
    const auto row = std::find_if(test::kModelCounts.begin(), test::kModelCounts.end(),
                                  [&](const auto& r) { return r.name == name; });
    return row == test::kModelCounts.end() ? nullptr : &*row;
}

int checkTable(const fs::path& folder) {
    int faults = 0;
    std::set<std::string> models, rows;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".mech") models.insert(entry.path().stem().string());
    for (const auto& row : test::kModelCounts)
        if (!rows.insert(std::string(row.name)).second) std::cout << row.name << " has two rows\n", faults++;
    for (const std::string& name : models)
        if (!rows.count(name)) std::cout << name << " has no row in tests/validate/model_counts.h\n", faults++;
    for (const std::string& name : rows)
        if (!models.count(name)) std::cout << name << " has a row and no file in models/\n", faults++;
    for (const auto& row : test::kModelCounts)
        if (const auto* of = row.variant_of.empty() ? nullptr : rowOf(row.variant_of);
            !row.variant_of.empty() && (!of || of->nv != row.nv || of->nc != row.nc))
            std::cout << fmt::format("{} is no variant of {}\n", row.name, row.variant_of), faults++;
    std::cout << fmt::format("{} models, {} rows\n", models.size(), rows.size());
    return faults == 0 && !models.empty() ? 0 : 1;
}

Kernel judged(const std::shared_ptr<const gen::Program>& program, const Model& model, bool all, ProofOptions& options) {
    options.same_bits = {gen::interpreterKernel(program, model)};
    const Kernel fast = gen::jitKernel(program, model, gen::Tier::fast);
    if (!all) return fast;
    options.same_bits.push_back(fast);
    options.same_bits.push_back(gen::cFileKernel(*program, model));
    return gen::jitKernel(program, model, gen::Tier::optimised);
}

int validate(const fs::path& file) {
    const std::string name = file.stem().string();
    std::ifstream in(file);
    std::stringstream text;
    text << in.rdbuf();
    const ReadResult read = readMechanism(text.str(), file.parent_path());
    if (!in || !read.ok()) {
        std::cout << file.string() << " cannot be read\n";
        return 1;
    }
    int faults = 0;
    const Layout layout = layoutOf(read.model);
    ProofOptions options;
    const test::ModelCounts* row = rowOf(name);
    if (!row) {
        std::cout << name << " has no row in tests/validate/model_counts.h\n";
        return 1;
    }
    options.trials = row->variant_of.empty() || std::getenv("MW_LONG") ? kTrials : kTrialsOfVariant;
    const bool all = layout.nv <= kLarge || std::getenv("MW_LONG");
    const Kernel kernel = judged(gen::generate(read.model, name), read.model, all, options);
    const ProofReport report = prove(read.model, name, kernel, options);
    for (const Gate& gate : report.gates)
        if (!gate.pass)
            std::cout << fmt::format("FAIL {} {:g} ({:g}) {}\n", gate.name, gate.value, gate.bound, gate.detail),
                faults++;
    if (!report.passed() || report.trials != options.trials)
        std::cout << fmt::format("not proven after {} states\n", report.trials), faults++;

    const auto count = [&](const char* what, int is, int wanted) {
        if (is == wanted) return;
        std::cout << fmt::format("{} is {}, the table says {}\n", what, is, wanted);
        faults++;
    };
    count("nq", layout.nq, row->nq);
    count("nv", layout.nv, row->nv);
    count("nc", layout.nc, row->nc);
    count("nq of the kernel", kernel->nq, row->nq);
    count("nv of the kernel", kernel->nv, row->nv);
    count("nc of the kernel", kernel->nc, row->nc);
    // Of a tree nothing holds its velocities.
    count("mobility", report.loops ? report.loops->health.mobility : layout.nv, row->mobility);
    if (row->nc == 0) count("mobility of a tree", row->mobility, row->nv);
    std::cout << fmt::format("{}: {} gates, {} states, nq {} nv {} nc {} mobility {}, worst {:.2g}, by {}\n", name,
                             report.gates.size(), report.trials, layout.nq, layout.nv, layout.nc, row->mobility,
                             report.worst(), kernel.maker);
    return faults == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc == 3 && std::string(argv[1]) == "--table") return checkTable(argv[2]);
        if (argc == 2) return validate(argv[1]);
    } catch (const std::exception& error) {
        std::cout << error.what() << "\n";
        return 1;
    }
    std::cout << "validate_model FILE | --table FOLDER\n";
    return 2;
}

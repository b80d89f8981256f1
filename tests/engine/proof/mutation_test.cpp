// The proof proves itself: every single-instruction mutant of the generated programs of elbow, satellite and springpend
// must trip a gate, as must the classic mistakes of hand-written dynamics. Survivors are listed with what makes them
// equivalent. A plain run takes every n-th mutant; with MW_LONG=1 in the environment it takes all.
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>

#include "engine/model/read.h"
#include "engine/proof/checks.h"
#include "engine/proof/gates.h"
#include "generator/backend/interpreter.h"
#include "generator/generate.h"
#include "generator/program/lower.h"
#include "tests/engine/proof/mutants.h"
#include "tests/support/catch.h"
#include "tests/support/models.h"

using namespace mw;
using namespace mw::test;

namespace {

Model modelFile(const std::string& name) {
    std::ifstream file(std::string(MW_SOURCE_DIR) + "/models/" + name + ".mech");
    std::stringstream text;
    text << file.rdbuf();
    ReadResult result = readModel(text.str());
    REQUIRE(result.ok());
    return result.model;
}

ProofOptions searching(int trials) {
    ProofOptions options;
    options.trials = trials;
    options.motion = false;
    options.stop_at_failure = true;
    return options;
}

/// How far the numbers of a surviving mutant are from the original's, over many states.
std::string whyEquivalent(const Model& model, const Kernel& original, const Kernel& mutant) {
    const Layout layout = layoutOf(model);
    proof::Speaker a(original), b(mutant);
    proof::Outputs x, y;
    int different = 0;
    double largest = 0;
    for (int i = 0; i < 1000; i++) {
        const Trial trial = randomTrial(model, layout, 1, i);
        a.speak(trial, trial.tau, x);
        b.speak(trial, trial.tau, y);
        bool same = true;
        const auto compare = [&](const std::vector<double>& p, const std::vector<double>& q) {
            same = same && proof::differentBits(p, q) == 0;
            largest = std::max(largest, proof::scaledError(p, q));
        };
        compare(y.vdot, x.vdot), compare(y.M, x.M), compare(y.c, x.c), compare(y.X, x.X), compare(y.V, x.V);
        compare(y.obs, x.obs), compare(y.inverse, x.inverse);
        different += same ? 0 : 1;
    }
    std::ostringstream why;
    if (different == 0)
        why << "same bits at 1000 states: what it changes is multiplied by zero, never chosen, or beyond the last "
               "digit";
    else why << "below rounding: numbers of " << different << " of 1000 states differ, by at most " << largest;
    return why.str();
}

struct Tally {
    int mutants = 0, caught = 0, refused = 0;
    std::map<std::string, int> by_gate;
    std::vector<std::string> survivors;
};

Tally tryMutants(const std::string& name, const Model& model, int every) {
    const std::shared_ptr<const gen::Program> program = gen::generate(model, name);
    const Kernel original = gen::makeInterpreter(*program, model);
    REQUIRE(prove(model, name, original, searching(100)).passed());
    const std::vector<Mutant> mutants = mutantsOf(*program);
    Tally tally;
    std::mutex mutex;
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        gen::Program mine = *program;
        for (std::size_t i; (i = every * next++) < mutants.size();) {
            const Mutant& mutant = mutants[i];
            const Mutated mutated(mine, mutant);
            Kernel kernel;
            try {
                kernel = gen::makeInterpreter(mine, model);
            } catch (const std::invalid_argument&) {
                const std::lock_guard lock(mutex);
                tally.mutants++, tally.refused++;
                continue;
            }
            ProofReport report = prove(model, name, kernel, searching(1000));
            const bool caught = !report.passed();
            std::string survivor;
            if (!caught) {
                const gen::Function& function = program->functions[mutant.function];
                gen::Program copy = *program;
                const gen::Instruction& was = codeOf(copy, mutant)[mutant.index];
                std::ostringstream line;
                line << name << ", " << function.name << " [" << mutant.index << "] "
                     << gen::describe(*program, function, was);
                if (mutant.dropped) line << " taken out";
                else line << " -> " << gen::describe(*program, function, mutant.replacement);
                line << " (" << mutant.what << "): " << whyEquivalent(model, original, kernel);
                survivor = line.str();
            }
            const std::lock_guard lock(mutex);
            tally.mutants++;
            if (caught) {
                tally.caught++;
                for (const Gate& g : report.gates)
                    if (!g.pass) {
                        tally.by_gate[g.name]++;
                        break;
                    }
            } else {
                tally.survivors.push_back(survivor);
            }
        }
    };
    std::thread other(work);
    work();
    other.join();
    return tally;
}

}  // namespace

TEST_CASE("single-instruction mutants of generated programs are caught", "[proof][mutation]") {
    const char* wish = std::getenv("MW_LONG");
    const bool all = wish && std::string(wish) == "1";
    for (const std::string name : {"elbow", "satellite", "springpend"}) {
        const Tally tally = tryMutants(name, modelFile(name), all ? 1 : 11);
        std::ostringstream words;
        words << name << ": " << tally.mutants << " mutants, " << tally.caught << " caught, " << tally.refused
              << " refused as malformed, " << tally.survivors.size() << " survive\n";
        for (const auto& [gate, count] : tally.by_gate) words << "    " << count << " first seen by " << gate << "\n";
        for (const std::string& s : tally.survivors) words << "    survivor: " << s << "\n";
        std::cout << words.str();
        INFO(words.str());
        CHECK(tally.mutants > 100);
        CHECK(tally.survivors.size() <= 0.01 * tally.mutants);
    }
}

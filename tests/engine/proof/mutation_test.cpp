// The proof proves itself: every single-instruction mutant of the generated programs of elbow, satellite and
// springpend, and of fourbar, rrrs and quartercar with their loops, must trip a gate, as must the classic mistakes of
// hand-written dynamics. Survivors are listed with what makes them equivalent. Of the mechanisms with loops a plain run
// takes every n-th mutant; with MW_LONG=1 in the environment all of them, and survivors are looked at with ten times as
// many states.
#include <algorithm>
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
#include "engine/track/expand.h"
#include "generator/backend/interpreter.h"
#include "generator/generate.h"
#include "generator/program/lower.h"
#include "tests/engine/proof/looped.h"
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
    ReadResult result = readMechanism(text.str());
    REQUIRE(result.ok());
    return result.model;
}

/// A planar joint whose plane turns with its parent.
Model plateOnTurntable() {
    Model model;
    addBody(model, "table", kBase, joint(JointType::revolute, kZ), {0, 0, 0}, 3, {0.1, 0, 0}, {0.2, 0.2, 0.3, 0, 0, 0});
    addBody(model, "plate", 0, joint(JointType::planar, kY), {0.4, 0, 0.1}, 1, {0.1, 0.02, -0.2},
            {0.02, 0.03, 0.02, 0.001, 0.002, 0});
    return model;
}

ProofOptions searching(int trials) {
    ProofOptions options;
    options.trials = trials;
    options.motion = false;
    options.stop_at_failure = true;
    return options;
}

/// Whether what an instruction computes is only compared, bounded or chosen by, at once or after further steps.
bool onlyDecides(const std::vector<gen::Instruction>& code, int dst) {
    using gen::Code;
    for (const gen::Instruction& i : code) {
        if (std::find(i.arguments.begin(), i.arguments.end(), dst) != i.arguments.end()) return false;
        if (dst < 0 || (i.a != dst && i.b != dst && i.c != dst)) continue;
        const bool decides = i.code == Code::min || i.code == Code::max || i.code == Code::less ||
                             i.code == Code::library || (i.code == Code::select && i.a == dst);
        if (!decides && !(gen::hasResult(i.code) && i.code != Code::select && onlyDecides(code, i.dst))) return false;
    }
    return true;
}

bool isGuard(const gen::Program& program, const Mutant& mutant) {
    gen::Program copy = program;
    const std::vector<gen::Instruction>& code = codeOf(copy, mutant);
    return onlyDecides(code, code[mutant.index].dst);
}

/// Why a surviving mutant is equivalent, from how far its numbers are from the original's over many states.
std::string whyEquivalent(TrialSource& states, const gen::Program& program, const Mutant& mutation,
                          const Kernel& original, const Kernel& mutant) {
    proof::Speaker a(original), b(mutant);
    proof::Outputs x, y;
    int different = 0;
    double largest = 0;
    for (int i = 0; i < 1000; i++) {
        const Trial trial = states.at(i);
        a.speak(trial, trial.tau, x);
        b.speak(trial, trial.tau, y);
        bool same = true;
        const auto compare = [&](const std::vector<double>& p, const std::vector<double>& q) {
            same = same && proof::differentBits(p, q) == 0;
            largest = std::max(largest, proof::scaledError(p, q));
        };
        compare(y.vdot, x.vdot), compare(y.M, x.M), compare(y.c, x.c), compare(y.X, x.X), compare(y.V, x.V);
        compare(y.obs, x.obs), compare(y.inverse, x.inverse), compare(y.lambda, x.lambda), compare(y.K, x.K);
        different += same ? 0 : 1;
    }
    std::ostringstream why;
    if (different > 0)
        why << "rounding: " << different << " of 1000 states differ, by at most " << largest
            << ", within the accuracy that the gates ask for";
    else if (isGuard(program, mutation))
        why << "a guard: it decides, or bounds, only where no difference is left (an angle beyond 1e8, coincident "
               "anchors, rows that depend on each other)";
    else why << "the same bits at 1000 states: a sign or a choice that the following steps undo";
    return why.str();
}

struct Tally {
    int mutants = 0, caught = 0, refused = 0;
    std::map<std::string, int> by_gate;
    std::vector<std::string> survivors;
};

/// At most so many mutants, evenly chosen; 0: all.
Tally tryMutants(const std::string& name, const Model& model, int trials, int most = 0) {
    const auto states = std::make_shared<TrialSource>(model, 1);
    const auto searchingHere = [&](int n) {
        ProofOptions options = searching(n);
        options.states = states;
        return options;
    };
    const std::shared_ptr<const gen::Program> program = gen::generate(model, name);
    const Kernel original = gen::makeInterpreter(*program, model);
    REQUIRE(prove(model, name, original, searchingHere(100)).passed());
    std::vector<Mutant> mutants = mutantsOf(*program);
    if (const std::size_t all = mutants.size(); most > 0 && all > static_cast<std::size_t>(most)) {
        std::vector<Mutant> chosen;
        for (int i = 0; i < most; i++) chosen.push_back(mutants[i * all / most]);
        mutants = std::move(chosen);
    }
    Tally tally;
    std::mutex mutex;
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        gen::Program mine = *program;
        for (std::size_t i; (i = next++) < mutants.size();) {
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
            ProofReport report = prove(model, name, kernel, searchingHere(trials));
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
                line << " (" << mutant.what << "): " << whyEquivalent(*states, *program, mutant, original, kernel);
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
    std::sort(tally.survivors.begin(), tally.survivors.end());
    return tally;
}

}  // namespace

namespace {

bool isLong() {
    const char* wish = std::getenv("MW_LONG");
    return wish && std::string(wish) == "1";
}

void checkMutants(const std::vector<std::string>& names, int trials, int most) {
    int mutants = 0, survivors = 0;
    for (const std::string& name : names) {
        const Tally tally = tryMutants(name, modelFile(name), trials, most);
        std::ostringstream words;
        words << name << ": " << tally.mutants << " mutants, " << tally.caught << " caught, " << tally.refused
              << " refused as malformed, " << tally.survivors.size() << " survive\n";
        for (const auto& [gate, count] : tally.by_gate) words << "    " << count << " first seen by " << gate << "\n";
        for (const std::string& s : tally.survivors) words << "    survivor: " << s << "\n";
        std::cout << words.str();
        CHECK(tally.mutants >= (most > 0 ? std::min(most, 800) : 800));
        CHECK(tally.refused <= 0.001 * tally.mutants + 1);
        CHECK(tally.survivors.size() <= 0.02 * tally.mutants);
        mutants += tally.mutants;
        survivors += static_cast<int>(tally.survivors.size());
    }
    CHECK(survivors <= 0.01 * mutants);
}

}  // namespace

TEST_CASE("single-instruction mutants of generated programs are caught", "[proof][mutation]") {
    checkMutants({"elbow", "satellite", "springpend"}, isLong() ? 10000 : 1000, 0);
}

TEST_CASE("single-instruction mutants of generated programs with loops are caught", "[proof][mutation][loops]") {
    checkMutants({"fourbar", "rrrs", "quartercar"}, isLong() ? 3000 : 300, isLong() ? 0 : 4000);
}

TEST_CASE("the classic mistakes of hand-written dynamics are caught", "[proof][mutation]") {
    using gen::Fault;
    const struct {
        Fault fault;
        const char* model;
        std::vector<std::string> gates;  // that must see it, those without the reference's algebra among them
    } mistakes[] = {
        {Fault::rotation_transposed,
         "elbow",
         {"agreement.accelerations", "kinematics.velocity", "kinematics.attitude"}},
        {Fault::rotation_transposed,
         "satellite",
         {"agreement.accelerations", "kinematics.velocity", "kinematics.attitude"}},
        {Fault::spring_sign, "springpend", {"agreement.accelerations", "motion.momentum"}},
        {Fault::inertia_transposed, "elbow", {"agreement.accelerations", "agreement.mass-matrix"}},
        {Fault::inertia_transposed, "satellite", {"agreement.accelerations", "agreement.mass-matrix"}},
        {Fault::joint_bias_missing, "universal_shaft", {"agreement.accelerations", "agreement.bias"}},
        {Fault::joint_bias_missing, "plate on a turntable", {"agreement.accelerations", "agreement.bias"}},
    };
    for (const auto& m : mistakes) {
        const Model model = std::string(m.model) == "plate on a turntable" ? plateOnTurntable() : modelFile(m.model);
        for (const gen::Form form : {gen::Form::crba, gen::Form::aba}) {
            gen::LowerOptions options;
            options.cpu = gen::hostCpuClass();
            const auto program = [&](Fault fault) {
                return gen::lower(gen::derive(model, form, fault), "mistake", dynamicsHash(model), options);
            };
            ProofOptions proof;
            proof.trials = 50;
            const Kernel good = gen::makeInterpreter(program(Fault::none), model);
            CAPTURE(m.model, static_cast<int>(m.fault), static_cast<int>(form));
            CHECK(prove(model, m.model, good, proof).passed());
            const ProofReport report = prove(model, m.model, gen::makeInterpreter(program(m.fault), model), proof);
            CHECK_FALSE(report.passed());
            for (const std::string& name : m.gates)
                for (const Gate& g : report.gates)
                    if (g.name == name) {
                        INFO(name);
                        CHECK_FALSE(g.pass);
                    }
        }
    }
}

namespace {

Kernel derivedWith(const Model& model, gen::Form form, gen::Fault fault) {
    gen::LowerOptions options;
    options.cpu = gen::hostCpuClass();
    return gen::makeInterpreter(gen::lower(gen::derive(model, form, fault), "mistake", dynamicsHash(model), options),
                                model);
}

/// The mistake changes an answer somewhere.
bool matters(TrialSource& states, const Kernel& good, const Kernel& mistaken) {
    proof::Speaker a(good), b(mistaken);
    proof::Outputs x, y;
    for (int i = 0; i < 3; i++) {
        const Trial trial = states.at(i);
        a.speak(trial, trial.tau, x);
        b.speak(trial, trial.tau, y);
        if (proof::differentBits(x.vdot, y.vdot) + proof::differentBits(x.lambda, y.lambda) +
                proof::differentBits(x.K, y.K) + proof::differentBits(x.inverse, y.inverse) >
            0)
            return true;
    }
    return false;
}

}  // namespace

TEST_CASE("the classic mistakes of closed loops are caught wherever they matter", "[proof][mutation][loops]") {
    using gen::Fault;
    const struct {
        Fault fault;
        const char* what;
        std::vector<std::string> gates;  // that must see it; the one without the reference's algebra last
    } mistakes[] = {
        {Fault::loop_paths_added, "paths added", {"agreement.loop-jacobian", "loops.jacobian"}},
        {Fault::loop_common_ancestors, "common ancestors", {"agreement.loop-jacobian", "loops.jacobian"}},
        {Fault::loop_own_point, "own point", {"agreement.loop-jacobian"}},
        {Fault::loop_turns_in_successor, "turns in the successor", {"agreement.loop-jacobian"}},
        {Fault::loop_moves_in_successor, "moves in the successor", {"agreement.loop-jacobian", "loops.jacobian"}},
        {Fault::loop_rot_ignored, "rot ignored", {"agreement.loop-jacobian", "loops.jacobian"}},
        {Fault::loop_bias_missing, "velocity products missing", {"agreement.accelerations", "loops.constraint"}},
        {Fault::loop_coriolis_missing, "2 w x d' missing", {"agreement.accelerations", "loops.constraint"}},
        {Fault::loop_centrifugal_missing, "w x (w x d) missing", {"agreement.accelerations", "loops.constraint"}},
        {Fault::loop_turn_bias_missing, "turns' products missing", {"agreement.accelerations", "loops.constraint"}},
        {Fault::loop_stretch_missing, "|rho'|^2 missing", {"agreement.accelerations", "loops.constraint"}},
        {Fault::loop_stab_sign, "stabilisation's sign", {"agreement.accelerations", "loops.constraint"}},
        {Fault::loop_stab_factor, "1/T for 2/T", {"agreement.accelerations", "loops.constraint"}},
        {Fault::loop_attitude_sign, "attitude's sign", {"agreement.accelerations", "loops.constraint"}},
        {Fault::loop_distance_unsquared, "distance unsquared", {"agreement.accelerations", "loops.constraint"}},
        {Fault::loop_lambda_sign, "the other end's multiplier", {"agreement.loop-forces"}},
        {Fault::loop_lambda_unscaled, "multiplier of the squared form", {"agreement.loop-forces"}},
    };
    std::vector<std::pair<std::string, Model>> models;
    for (const char* name : {"fourbar", "rrrs", "slidercrank", "quartercar"})
        models.emplace_back(name, modelFile(name));
    TreeOptions tree;
    tree.bodies = 5;
    for (int seed = 1; seed <= 10; seed++)
        models.emplace_back("random " + std::to_string(seed), soundLooped(seed, tree));
    ProofOptions options;
    options.trials = 12;
    options.motion = false;
    std::map<std::string, int> seen;
    for (const auto& [name, model] : models) {
        const auto states = std::make_shared<TrialSource>(model, 1);
        options.states = states;
        for (const gen::Form form : {gen::Form::crba, gen::Form::aba}) {
            const Kernel good = derivedWith(model, form, Fault::none);
            CAPTURE(name, static_cast<int>(form));
            CHECK(prove(model, name, good, options).passed());
            for (const auto& m : mistakes) {
                const Kernel mistaken = derivedWith(model, form, m.fault);
                if (!matters(*states, good, mistaken)) continue;
                seen[m.what]++;
                INFO(m.what);
                const ProofReport report = prove(model, name, mistaken, options);
                CHECK_FALSE(report.passed());
                for (const Gate& g : report.gates)
                    if (std::find(m.gates.begin(), m.gates.end(), g.name) != m.gates.end()) {
                        INFO(g.name << " " << g.value);
                        CHECK_FALSE(g.pass);
                    }
            }
        }
    }
    for (const auto& m : mistakes) {
        INFO(m.what);
        CHECK(seen[m.what] > 0);
    }
}

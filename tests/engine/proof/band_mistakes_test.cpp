// The proof and equations that are loops over shoes: what can go wrong in them trips the gates that it should.
#include <algorithm>
#include <fstream>
#include <sstream>

#include "engine/proof/checks.h"
#include "engine/proof/gates.h"
#include "engine/track/expand.h"
#include "generator/backend/interpreter.h"
#include "generator/generate.h"
#include "generator/program/lower.h"
#include "tests/support/catch.h"

using namespace mw;

namespace {

/// The smallest vehicle on a band, its bodies and loops alone: nothing touches.
Model bandAlone() {
    std::ifstream file(std::string(MW_SOURCE_DIR) + "/models/track_min.mech");
    std::stringstream text;
    text << file.rdbuf();
    ReadResult result = readMechanism(text.str());
    REQUIRE(result.ok());
    REQUIRE(result.model.repeats.size() == 1);
    result.model.tracks.clear();
    result.model.ground.reset();
    return result.model;
}

Kernel derivedWith(const Model& model, gen::Fault fault) {
    gen::LowerOptions options;
    options.cpu = gen::hostCpuClass();
    const gen::Equations equations = gen::derive(model, gen::Form::automatic, fault);
    REQUIRE(equations.choice.find("in loops over their shoes") != std::string::npos);
    return gen::makeInterpreter(gen::lower(equations, "band", dynamicsHash(model), options), model);
}

}  // namespace

TEST_CASE("mistakes in the loops over a band's shoes are caught", "[proof][mutation][loops]") {
    using gen::Fault;
    const struct {
        Fault fault;
        const char* what;
        std::vector<std::string> gates;  // that must see it
    } mistakes[] = {
        {Fault::rotation_transposed,
         "R for E",
         {"agreement.accelerations", "agreement.kinematics", "kinematics.velocity"}},
        {Fault::inertia_transposed, "inertia turned back", {"agreement.accelerations", "agreement.mass-matrix"}},
        {Fault::loop_paths_added, "paths added", {"agreement.loop-jacobian", "loops.jacobian"}},
        {Fault::loop_common_ancestors, "common ancestors", {"agreement.loop-jacobian", "loops.jacobian"}},
        {Fault::loop_own_point, "own point", {"agreement.loop-jacobian"}},
        {Fault::loop_moves_in_successor, "moves in the successor", {"agreement.loop-jacobian", "loops.jacobian"}},
        {Fault::loop_bias_missing, "velocity products missing", {"agreement.accelerations", "loops.constraint"}},
        {Fault::loop_coriolis_missing, "2 w x d' missing", {"agreement.accelerations", "loops.constraint"}},
        {Fault::loop_stab_sign, "stabilisation's sign", {"agreement.accelerations", "loops.constraint"}},
        {Fault::loop_stab_factor, "1/T for 2/T", {"agreement.accelerations", "loops.constraint"}},
        {Fault::loop_lambda_sign, "the other end's multiplier", {"agreement.loop-forces"}},
        {Fault::band_column_unmoved, "column unmoved", {"agreement.accelerations", "agreement.inverse-mass"}},
        {Fault::band_inertia_unmoved, "inertia unmoved", {"agreement.accelerations", "agreement.inverse-mass"}},
        {Fault::band_rate_shifted,
         "rates of the neighbours",
         {"agreement.accelerations", "agreement.bias", "agreement.kinematics", "kinematics.velocity"}},
    };
    const Model model = bandAlone();
    ProofOptions options;
    options.trials = 12;
    options.motion = false;
    options.states = std::make_shared<TrialSource>(model, 1);
    const ProofReport good = prove(model, "band", derivedWith(model, Fault::none), options);
    for (const Gate& g : good.gates) {
        INFO(g.name << " " << g.value << " " << g.detail);
        CHECK(g.pass);
    }
    for (const auto& m : mistakes) {
        INFO(m.what);
        const ProofReport report = prove(model, "band", derivedWith(model, m.fault), options);
        CHECK_FALSE(report.passed());
        for (const std::string& name : m.gates) {
            const auto gate =
                std::find_if(report.gates.begin(), report.gates.end(), [&](const Gate& g) { return g.name == name; });
            REQUIRE(gate != report.gates.end());
            INFO(gate->name << " " << gate->value);
            CHECK_FALSE(gate->pass);
        }
    }
}

// Derived mechanisms through every back end: the same bits everywhere, and the dense reference's numbers.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/dynamics/reference_kernel.h"
#include "engine/model/layout.h"
#include "engine/model/read.h"
#include "engine/track/expand.h"
#include "generator/backend/twins.h"
#include "generator/program/verify.h"
#include "tests/generator/backend/harness.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::gen;

namespace {

std::string textOf(const std::string& name) {
    std::ifstream file(std::string(MW_SOURCE_DIR) + "/models/" + name + ".mech");
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

Model modelOf(const std::string& name) {
    const ReadResult read = readMechanism(textOf(name));
    REQUIRE(read.ok());
    return read.model;
}

/// track_min with the band and its rollers twice.
Model twoBands() {
    std::string text = textOf("track_min");
    const std::size_t rollers = text.find("\nbody sprocket"), band = text.find("\ntrack band"),
                      rest = text.find("\nground", band);
    REQUIRE(rest != std::string::npos);
    std::string again[] = {text.substr(rollers, band - rollers), text.substr(band, rest - band)};
    for (std::string& part : again)
        for (const std::string name : {"sprocket", "idler", "wheel ", "wheel\n", "band"}) {
            const std::string space = name.back() == ' ' || name.back() == '\n' ? name.substr(name.size() - 1) : "";
            const std::string plain = name.substr(0, name.size() - space.size());
            for (std::size_t at = part.find(name); at != std::string::npos; at = part.find(name, at + 1))
                part.replace(at, name.size(), "other_" + plain + space), at += 6;
        }
    text.insert(rest, again[1]);
    text.insert(band, again[0]);
    const ReadResult read = readMechanism(text);
    INFO(text);
    REQUIRE(read.ok());
    return read.model;
}

double scaledError(const std::vector<double>& a, const std::vector<double>& b) {
    double difference = 0, size = 1;
    for (std::size_t k = 0; k < a.size(); ++k) {
        difference = std::max(difference, std::isnan(a[k]) ? 1e300 : std::fabs(a[k] - b[k]));
        size = std::max(size, std::fabs(b[k]));
    }
    return difference / size;
}

/// Unit quaternions where the model has them.
void normalise(const Model& model, std::vector<double>& q) {
    const Layout layout = layoutOf(model);
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const JointType type = model.bodies[b].joint.type;
        if (type != JointType::spherical && type != JointType::floating) continue;
        double* at = q.data() + layout.q_of_body[b];
        const double norm = std::sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2] + at[3] * at[3]);
        for (int k = 0; k < 4; ++k) at[k] /= norm;
    }
}

}  // namespace

TEST_CASE("derived mechanisms: every back end, to the bit") {
    const std::string name =
        GENERATE(as<std::string>{}, "elbow", "satellite", "springpend", "double_pendulum", "universal_shaft");
    const CpuClass cpu = GENERATE(CpuClass::baseline, CpuClass::fma);
    const Model model = modelOf(name);
    const auto program = generate(model, name, Form::automatic, cpu);
    INFO(name << ", " << cpuClassName(cpu));
    REQUIRE(verify(*program) == "");
    test::compareBackEnds(program, model, 12, 3);
}

TEST_CASE("articulated bodies, whose results are often negated: every back end, to the bit") {
    const std::string name = GENERATE(as<std::string>{}, "bintree", "elbow", "planar_slider");
    const Model model = modelOf(name);
    const auto program = generate(model, name, Form::aba, CpuClass::fma);
    INFO(name);
    test::compareBackEnds(program, model, 30, 3);
}

TEST_CASE("mechanisms with loops: every back end, to the bit") {
    const std::string name = GENERATE(as<std::string>{}, "fourbar", "rrrs", "quartercar");
    const Form form = GENERATE(Form::crba, Form::aba);
    const Model model = modelOf(name);
    const auto program = generate(model, name, form);
    INFO(name);
    REQUIRE(verify(*program) == "");
    const Kernel kernel = interpreterKernel(program, model);
    const Layout layout = layoutOf(model);
    CHECK(kernel->nc == layout.nc);
    CHECK(kernel->nloop == layout.nloop);
    for (std::size_t i = 0; i < model.loops.size(); ++i)
        CHECK(kernel->find(kernel.c, "loop", model.loops[i].name.c_str()) == layout.row_of_loop[i]);
    CHECK(kernel->find(kernel.c, "loop", "nobody") == -1);
    test::compareBackEnds(program, model, 12, 3);
}

TEST_CASE("bands in loops over their shoes: every back end, to the bit, and the dense reference") {
    const CpuClass cpu = GENERATE(CpuClass::baseline, CpuClass::fma);
    const Model model = modelOf("track_min");
    const auto program = generate(model, "track_min", Form::automatic, cpu);
    REQUIRE(program->choice.find("in loops over their shoes") != std::string::npos);
    REQUIRE(verify(*program) == "");
    test::compareBackEnds(program, model, 12, 3);
    const Kernel kernel = jitKernel(program, model, Tier::optimised), reference = makeReferenceKernel(model);
    std::mt19937_64 random(17);
    for (int trial = 0; trial < 20; ++trial) {
        test::Inputs in = test::randomInputs(*kernel.c, random, false);
        normalise(model, in.q);
        for (double& p : in.param) p = std::fabs(p) + 0.1;
        CHECK(scaledError(test::runAll(kernel, in, kWorkHeader), test::runAll(reference, in, kWorkHeader)) < 1e-9);
    }
}

TEST_CASE("two equal bands go side by side, to the bit") {
    const CpuClass cpu = GENERATE(CpuClass::baseline, CpuClass::fma);
    const Model model = twoBands();
    const auto program = generate(model, "two", Form::automatic, cpu);
    REQUIRE(verify(*program) == "");
    int twins = 0;
    for (const Function& f : program->functions)
        for (const gen::Loop& loop : f.loops) twins += !findTwins(f, loop).steps.empty();
    CHECK(twins >= 4);
    test::compareBackEnds(program, model, 12, 3);
}

TEST_CASE("derived mechanisms against the dense reference") {
    const std::string name =
        GENERATE(as<std::string>{}, "elbow", "satellite", "springpend", "double_pendulum", "universal_shaft",
                 "gyroscope", "planar_slider", "screw_press", "cylindrical_damper");
    const Form form = GENERATE(Form::crba, Form::aba);
    const Model model = modelOf(name);
    const auto program = generate(model, name, form);
    REQUIRE(verify(*program) == "");
    const Kernel kernel = jitKernel(program, model, Tier::optimised);
    const Kernel reference = makeReferenceKernel(model);
    REQUIRE(kernel->nq == reference->nq);
    REQUIRE(kernel->nobs == reference->nobs);
    std::mt19937_64 random(17);
    for (int trial = 0; trial < 50; ++trial) {
        test::Inputs in = test::randomInputs(*kernel.c, random, false);
        normalise(model, in.q);
        for (double& p : in.param) p = std::fabs(p) + 0.1;
        const std::vector<double> got = test::runAll(kernel, in, kWorkHeader);
        const std::vector<double> wanted = test::runAll(reference, in, kWorkHeader);
        INFO(name << ", trial " << trial);
        CHECK(scaledError(got, wanted) < 1e-9);
    }
}

// Bands whose equations are loops over their shoes: against the dense reference, against the same mechanism derived
// shoe by shoe, and in size.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/dynamics/reference_kernel.h"
#include "generator/derive/equations.h"
#include "tests/support/catch.h"
#include "tests/support/derive_evaluate.h"
#include "tests/support/derive_models.h"
#include "tests/support/kernel_calls.h"

using namespace mw;
using namespace mw::test;

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// What a band is like.
struct BandOptions {
    int shoes = 5;
    bool fext = true;
    bool skew = false;  ///< products of inertia, centre of mass and pins off the plane
    bool live = false, dissipation = false, armature = false;
};

void addBand(Model& m, const std::string& name, const BandOptions& o) {
    const int first = static_cast<int>(m.bodies.size()),
              mass = o.live ? addLiveParameter(m, name + "_mass", 18, 9, 27) : -1;
    for (int i = 0; i < o.shoes; ++i) {
        const bool anchor = i == 0;
        Body& b = addBody(m, name + ".shoe" + std::to_string(i), anchor ? kBase : first + i - 1,
                          joint(anchor ? JointType::floating : JointType::revolute, kY),
                          {anchor ? 0.0 : 0.15, 0, anchor || !o.skew ? 0.0 : 0.02}, 18, {0.075, 0, 0.01},
                          {0.22, 0.04, 0.25, 0, 0, 0});
        b.fext = o.fext;
        if (o.live) {
            b.mass = liveNumber(m, mass, 1);
            b.cg[0] = liveNumber(m, mass, 0.004);
            b.inertia[1] = liveNumber(m, mass, 0.002);
        }
        if (o.skew) {
            if (!anchor) b.at[1] = 0.01;
            b.cg[1] = 0.02;
            b.inertia[3] = 0.01, b.inertia[4] = -0.02, b.inertia[5] = 0.015;
        }
        if (o.dissipation) b.joint_damping = 0.7;
        if (o.armature && !anchor) b.joint_armature = 0.3;
    }
    Loop loop;
    loop.name = name + ".closure";
    loop.type = LoopType::point_on_line;
    loop.axis = kY;
    loop.from.body = first + o.shoes - 1;
    loop.from.at[0] = 0.15;
    if (o.skew) loop.from.at[2] = 0.03, loop.to.at[0] = -0.02, loop.to.at[1] = 0.05;
    loop.to.body = first;
    m.loops.push_back(loop);
    m.repeats.push_back({first + 1, o.shoes - 1, {}});
}

/// A hull with a swinging arm, and bands beside it; gravity at a slant.
Model vehicle(const std::vector<BandOptions>& bands, bool hull = true) {
    Model m;
    m.gravity = {Number(1.5), Number(-0.7), Number(-9.5)};
    if (hull) {
        addBody(m, "hull", kBase, joint(JointType::floating), {0, 0, 0}, 300, {0.1, 0, 0.2}, {80, 120, 150, 1, 2, 3})
            .fext = true;
        addBody(m, "arm", 0, joint(JointType::revolute, kY), {0.5, 0.3, -0.2}, 12, {0.2, 0, 0},
                {0.1, 0.4, 0.4, 0, 0, 0});
        addBody(m, "wheel", 1, joint(JointType::revolute, kY), {0.4, 0.1, 0}, 20, {0, 0, 0}, {0.5, 0.9, 0.5, 0, 0, 0})
            .fext = true;
    }
    for (std::size_t i = 0; i < bands.size(); ++i) addBand(m, "band" + std::to_string(i), bands[i]);
    return m;
}

/// Every entry from the equations.
class Derived {
public:
    Derived(const Model& model, gen::Form form, gen::Fault fault = gen::Fault::none)
        : layout_(layoutOf(model)), equations_(gen::derive(model, form, fault)) {
        arrays_.work.assign(at(equations_.nwork), 1e30);
    }
    struct State {
        Numbers q, v, tau, fext, param, rhs;
    };
    struct Results {
        Numbers vdot, lambda, inverse, X, M, bias, K;
    };
    Results run(const State& state) {
        arrays_.read[gen::Array::q] = state.q, arrays_.read[gen::Array::v] = state.v;
        arrays_.read[gen::Array::tau] = state.tau, arrays_.read[gen::Array::fext] = state.fext;
        arrays_.read[gen::Array::param] = state.param, arrays_.read[gen::Array::rhs] = state.rhs;
        const int nv = layout_.nv;
        Results r;
        entry("factor", 0);
        r.vdot = entry("fwd_dyn", nv);
        r.lambda = arrays_.lambda;
        r.X = entry("kinematics", 18 * layout_.nbody);
        r.M = entry("mass_matrix", nv * nv);
        r.bias = entry("bias", nv);
        r.K = entry("loop_jacobian", layout_.nc * nv);
        for (int k = 0; k < 2; ++k) {
            const Numbers out = entry("apply_inverse_mass", 2 * nv, k);
            r.inverse.insert(r.inverse.end(), out.begin() + k * nv, out.begin() + (k + 1) * nv);
        }
        return r;
    }
    const gen::Equations& equations() const { return equations_; }

private:
    Numbers entry(const char* name, int size, int counter = 0) {
        Numbers out(at(size), 1e30);
        runEntry(equations_, name, arrays_, out, counter);
        return out;
    }
    Layout layout_;
    gen::Equations equations_;
    EntryArrays arrays_;
};

Derived::State randomStateOf(const Model& model, Random& random) {
    const Layout layout = layoutOf(model);
    Derived::State s;
    randomState(model, layout, random, s.q, s.v);
    const auto numbers = [&](int n) {
        Numbers x(at(n));
        for (double& e : x) e = random.between(-10, 10);
        return x;
    };
    s.tau = numbers(layout.nv), s.fext = numbers(6 * layout.nbody), s.rhs = numbers(2 * layout.nv);
    s.param = model.liveValues();
    for (double& p : s.param) p *= random.between(0.8, 1.2);
    // What no body declares is never read.
    for (int b = 0; b < layout.nbody; ++b)
        if (!model.bodies[at(b)].fext) std::fill_n(s.fext.begin() + 6 * b, 6, std::numeric_limits<double>::quiet_NaN());
    return s;
}

Derived::Results referenceOf(const Model& model, const Derived::State& s) {
    Caller reference(makeReferenceKernel(model, ReferenceRoute::crba));
    Derived::Results r;
    Numbers V;
    r.vdot = reference.fwdDyn(s.q, s.v, s.tau, s.fext, {}, s.param);
    r.lambda = reference.lambda(s.q, s.v, s.tau, s.fext, {}, s.param);
    reference.factor(s.q, s.param);
    r.inverse = reference.applyInverseMass(s.rhs);
    reference.kinematics(s.q, s.v, r.X, V, s.param);
    r.X.insert(r.X.end(), V.begin(), V.end());
    r.M = reference.massMatrix(s.q, s.param);
    r.bias = reference.bias(s.q, s.v, s.param);
    r.K = reference.loopJacobian(s.q, s.param);
    return r;
}

double worstOf(const Derived::Results& a, const Derived::Results& b) {
    return std::max({scaledError(a.vdot, b.vdot), scaledError(a.lambda, b.lambda), scaledError(a.inverse, b.inverse),
                     scaledError(a.X, b.X), scaledError(a.M, b.M), scaledError(a.bias, b.bias), scaledError(a.K, b.K)});
}

void compare(const Model& model, double bound, int states = 2) {
    Derived rolled(model, gen::Form::automatic);
    INFO(rolled.equations().choice);
    CHECK(rolled.equations().choice.find("in loops over their shoes") != std::string::npos);
    Random random(3);
    for (int s = 0; s < states; ++s) {
        const Derived::State state = randomStateOf(model, random);
        const Derived::Results got = rolled.run(state), expected = referenceOf(model, state);
        CHECK(scaledError(got.vdot, expected.vdot) < bound);
        CHECK(scaledError(got.lambda, expected.lambda) < bound);
        CHECK(scaledError(got.inverse, expected.inverse) < bound);
        CHECK(scaledError(got.X, expected.X) < 1e-11);
        CHECK(scaledError(got.M, expected.M) < 1e-11);
        CHECK(scaledError(got.bias, expected.bias) < 1e-11);
        CHECK(scaledError(got.K, expected.K) < 1e-11);
    }
}

std::size_t assignmentsOf(const std::vector<gen::Section>& sections) {
    std::size_t count = 0;
    for (const gen::Section& section : sections) count += section.assignments.size() + assignmentsOf(section.inner);
    return count;
}

}  // namespace

TEST_CASE("bands in loops agree with the dense reference") {
    const int shoes = GENERATE(3, 4, 16);
    INFO(shoes << " shoes");
    BandOptions o;
    o.shoes = shoes;
    compare(vehicle({o}, false), 1e-9);
    compare(vehicle({o, o}), 1e-9);
    BandOptions longer = o;
    longer.shoes = shoes + 2;
    compare(vehicle({o, longer, o}), 1e-9, 1);
    o.fext = false;
    compare(vehicle({o}), 1e-9);
}

TEST_CASE("bands of skew shoes, live numbers, damping and armature agree with the dense reference") {
    BandOptions o;
    o.shoes = 6;
    o.skew = GENERATE(false, true);
    o.live = GENERATE(false, true);
    o.dissipation = GENERATE(false, true);
    o.armature = GENERATE(false, true);
    INFO("skew " << o.skew << ", live " << o.live << ", damping " << o.dissipation << ", armature " << o.armature);
    compare(vehicle({o}), 1e-9, 1);
    Model still = vehicle({o});
    still.stab = 0;
    compare(still, 1e-9, 1);
}

TEST_CASE("bands beside mechanisms with loops, and beside deep ones") {
    BandOptions o;
    Model looped = vehicle({});
    Loop stay;
    stay.name = "stay", stay.type = LoopType::distance, stay.length = 1.1;
    stay.from.body = 0, stay.to.body = 2;
    stay.from.at[2] = 0.4, stay.to.at[1] = 0.1;
    looped.loops.push_back(stay);
    addBand(looped, "left", o);
    addBand(looped, "right", o);
    compare(looped, 1e-9);

    Model deep = spatialChain(26);
    addBand(deep, "left", o);
    const int nv = layoutOf(deep).nv;
    compare(deep, 1e-8);
    // Its mass matrix is taken by columns, rolled too.
    const gen::Equations equations = gen::derive(deep);
    for (const gen::Entry& entry : equations.entries)
        if (entry.name == "mass_matrix") CHECK(assignmentsOf(entry.sections) < at(nv * 4));
}

TEST_CASE("a band of sixty-three shoes") {
    BandOptions o;
    o.shoes = 63;
    compare(vehicle({o}), 1e-8, 1);
    o.skew = true;
    compare(vehicle({o}), 1e-8, 1);
}

TEST_CASE("in loops and shoe by shoe a band is the same mechanism") {
    BandOptions o;
    o.shoes = 8;
    o.skew = GENERATE(false, true);
    const Model model = vehicle({o, o});
    const gen::Form form = GENERATE(gen::Form::crba, gen::Form::aba);
    Derived rolled(model, gen::Form::automatic), plain(model, form);
    CHECK(plain.equations().choice.find("in loops over their shoes") == std::string::npos);
    Random random(8);
    for (int s = 0; s < 3; ++s) {
        const Derived::State state = randomStateOf(model, random);
        CHECK(worstOf(rolled.run(state), plain.run(state)) < 1e-11);
    }
}

TEST_CASE("mirror symmetric shoes cost less, and none more than they should") {
    const auto operations = [](const BandOptions& o) {
        const std::string choice = gen::derive(vehicle({o})).choice;
        return std::stoi(choice.substr(choice.rfind(", ") + 2));
    };
    BandOptions o;
    o.shoes = 12;
    CHECK(operations(o) <= 270);
    o.fext = false;
    CHECK(operations(o) <= 215);
    o.skew = true;
    CHECK(operations(o) > 270);
    CHECK(operations(o) <= 340);
}

TEST_CASE("the size of a band's equations does not depend on its shoes") {
    BandOptions few, many;
    few.shoes = 10, many.shoes = 200;
    const gen::Equations a = gen::derive(vehicle({few, few})), b = gen::derive(vehicle({many, many}));
    CHECK(a.graph->size() == b.graph->size());
    REQUIRE(a.entries.size() == b.entries.size());
    for (std::size_t i = 0; i < a.entries.size(); ++i) {
        INFO(a.entries[i].name);
        CHECK(assignmentsOf(a.entries[i].sections) == assignmentsOf(b.entries[i].sections));
    }
}

TEST_CASE("bands that are no plain bands are derived shoe by shoe, with the reason") {
    BandOptions o;
    const auto refused = [](const Model& model, const std::string& why) {
        const gen::Equations equations = gen::derive(model);
        INFO(equations.choice);
        CHECK(equations.choice.find("shoe by shoe") != std::string::npos);
        CHECK(equations.choice.find(why) != std::string::npos);
        Derived derived(model, gen::Form::automatic);
        Random random(5);
        const Derived::State state = randomStateOf(model, random);
        CHECK(worstOf(derived.run(state), referenceOf(model, state)) < 1e-9);
    };
    Model heavy = vehicle({o});
    heavy.bodies[5].mass = 19;
    refused(heavy, "shoes that differ");
    Model sprung = vehicle({o});
    PointOfInterest point;
    point.name = "mark", point.point.body = 5;
    sprung.points.push_back(point);
    refused(sprung, "points of interest");
    Model tied = vehicle({o});
    Loop rope = tied.loops[0];
    rope.name = "rope", rope.type = LoopType::distance, rope.from.body = 0, rope.to.body = 5, rope.length = 1;
    tied.loops.insert(tied.loops.begin(), rope);
    refused(tied, "more than its own closure");
    Model turned = vehicle({o});
    turned.bodies[4].rot[0] = 0.1;
    refused(turned, "not parallel to y");
}

TEST_CASE("each mistake that loops over shoes can make shows") {
    using gen::Fault;
    BandOptions o;
    o.shoes = 6;
    const Model model = vehicle({o, o});
    Random random(4);
    const Derived::State state = randomStateOf(model, random);
    const Derived::Results expected = referenceOf(model, state);
    for (Fault fault :
         {Fault::rotation_transposed, Fault::inertia_transposed, Fault::loop_paths_added, Fault::loop_common_ancestors,
          Fault::loop_own_point, Fault::loop_moves_in_successor, Fault::loop_bias_missing, Fault::loop_coriolis_missing,
          Fault::loop_centrifugal_missing, Fault::loop_stab_sign, Fault::loop_stab_factor, Fault::loop_lambda_sign,
          Fault::band_column_unmoved, Fault::band_inertia_unmoved, Fault::band_rate_shifted}) {
        INFO("fault " << static_cast<int>(fault));
        Derived wrong(model, gen::Form::automatic, fault), plain(model, gen::Form::aba, fault);
        const Derived::Results got = wrong.run(state);
        CHECK(worstOf(got, expected) > 1e-4);
        // Where a mistake is the same number by number, so is what comes of it.
        const bool by_joints = fault == Fault::loop_coriolis_missing || fault == Fault::loop_centrifugal_missing;
        if (fault >= Fault::loop_paths_added && fault < Fault::band_column_unmoved && !by_joints)
            CHECK(worstOf(got, plain.run(state)) < 1e-9);
    }
}

// Gates of tendons and rows: a sound mechanism passes all of them, and routes with one deliberate mistake each trip the
// gate that is there for it.
#include "engine/tendon/tendons.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "engine/dynamics/reference_kernel.h"
#include "engine/proof/gates.h"
#include "engine/track/expand.h"
#include "tests/support/catch.h"

using namespace mw;

namespace {

constexpr const char* kText = R"(mech 1
ground
  plane 0 0 1 -4
material rubber
  mu 0.5
body post
  joint fixed
  mass 1
body upper
  parent post  joint revolute y
  mass 1  cg 0.2 0 0  inertia 0.01 0.02 0.02 0 0 0
  limits -1.2 1.2
body lower
  parent upper  joint revolute y  at 0.4 0 0
  mass 1  cg 0.2 0 0  inertia 0.01 0.02 0.02 0 0 0
  joint-friction 0.05  joint-damping 0.1
body other
  parent post  joint prismatic y
  mass 1
shape ball on other  sphere 0.05  collide rubber
tendon flexor
  site post -0.3 0.05 0.1
  cylinder upper 0.4 0 0  axis y  radius 0.05  side upper 0.4 0 0.3
  site lower 0.3 -0.05 0.02
  stiffness 400  damping 2  spring -inf 0.6  armature 0.05
  actuator -3  tau 0.02  range -50 0
tendon crossing
  site base 0 0.4 0.5
  sphere upper 0.1 0.2 0.3  radius 0.06
  site lower 0.2 0.1 0.1
  friction 0.2
tendon weighed fixed
  term upper 0.03
  term lower -0.02
  stiffness 100
)";

Model model() {
    const ReadResult read = readMechanism(std::string(kText));
    for (const Diagnostic& d : read.diagnostics) UNSCOPED_INFO(d.message);
    REQUIRE(read.ok());
    return read.model;
}

ProofReport report(const std::function<void(int, TendonRoute&)>& bend, int trials = 60) {
    const Model m = model();
    ProofOptions options;
    options.trials = trials;
    options.motion = !bend;
    options.bend_route = bend;
    return prove(m, "tendons", makeReferenceKernel(m), options);
}

const Gate& gateOf(const ProofReport& report, const std::string& name) {
    const auto it =
        std::find_if(report.gates.begin(), report.gates.end(), [&](const Gate& g) { return g.name == name; });
    INFO(name);
    REQUIRE(it != report.gates.end());
    return *it;
}

}  // namespace

TEST_CASE("a mechanism with tendons, limits, friction and a shape that falls passes all gates", "[proof][tendon]") {
    const ProofReport proof = report(nullptr);
    for (const Gate& g : proof.gates) {
        INFO(g.name << " " << g.value << " of " << g.bound << ": " << g.detail);
        CHECK(g.pass);
    }
    for (const char* name :
         {"tendon.gradient", "tendon.work", "tendon.balance", "tendon.guides", "tendon.crossing", "tendon.curvature",
          "rows.solved", "rows.bounds", "rows.closure", "rows.energy", "rows.determinism"})
        CHECK_FALSE(gateOf(proof, name).skipped);
}

TEST_CASE("each mistake of a route trips its gate", "[proof][tendon]") {
    struct Mistake {
        const char* what;
        const char* gate;
        std::function<void(int, TendonRoute&)> bend;
    };
    const std::vector<Mistake> mistakes = {
        {"a moment arm with the wrong sign", "tendon.gradient",
         [](int t, TendonRoute& r) {
             if (t == 0) r.gradient[0] = -r.gradient[0];
         }},
        {"a moment arm that is a little off", "tendon.gradient",
         [](int t, TendonRoute& r) {
             if (t == 2) r.gradient[1] += 1e-5;
         }},
        {"a row that is not the work of its points", "tendon.work",
         [](int t, TendonRoute& r) {
             if (t == 1) r.gradient[1] *= 1.0001;
         }},
        {"a site's reaction that is dropped", "tendon.balance",
         [](int t, TendonRoute& r) {
             if (t == 1) r.points.front().gradient = {};
         }},
        {"a contact point that is not where the rope touches", "tendon.guides",
         [](int t, TendonRoute& r) {
             for (RoutePoint& p : r.points)
                 if (t == 0 && p.kind == RoutePoint::Kind::first_contact) p.point[0] += 1e-4, p.point[2] -= 1e-4;
         }},
        {"a joint that the route does not cross feels it", "tendon.crossing",
         [](int t, TendonRoute& r) {
             if (t == 0) r.gradient[2] = 1e-300;
         }},
        {"a gradient that is no number", "tendon.work",
         [](int t, TendonRoute& r) {
             if (t == 0) r.gradient[0] = std::nan("");
         }},
    };
    for (const Mistake& mistake : mistakes) {
        INFO(mistake.what);
        const ProofReport proof = report(mistake.bend, 40);
        CHECK_FALSE(gateOf(proof, mistake.gate).pass);
        CHECK_FALSE(proof.passed());
    }
}

TEST_CASE("trees without rows have no gates of tendons or rows", "[proof][tendon]") {
    const ReadResult read = readMechanism(std::string("mech 1\nbody a\n  joint revolute y\n  mass 1  cg 0.1 0 0\n"));
    REQUIRE(read.ok());
    ProofOptions options;
    options.trials = 3;
    const ProofReport proof = prove(read.model, "a", makeReferenceKernel(read.model), options);
    CHECK(std::none_of(proof.gates.begin(), proof.gates.end(),
                       [](const Gate& g) { return g.name.starts_with("tendon.") || g.name.starts_with("rows."); }));
}

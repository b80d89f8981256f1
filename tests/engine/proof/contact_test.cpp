// Gates of contacts: sound laws pass on a small band over rough ground, and laws with one deliberate mistake each trip
// the gate that is there for it. Mistakes are made alike in forces and readings, as a wrong law makes them.
#include <algorithm>
#include <fmt/format.h>
#include <functional>

#include "engine/dynamics/reference_kernel.h"
#include "engine/proof/checks.h"
#include "engine/proof/contact_laws.h"
#include "engine/proof/gates.h"
#include "engine/spatial/spatial.h"
#include "engine/track/expand.h"
#include "tests/support/catch.h"
#include "tests/support/faulty_kernel.h"

using namespace mw;
using namespace mw::test;

namespace {

constexpr const char* kText = R"(mech 1
param mu 0.7  range 0.2 1  live
body hull
  joint floating
  mass 400  cg 0 0 -0.05  inertia 20 30 40 0 0 0
  start 1 0 0 0  0 0 0.26
body sprocket
  parent hull  joint revolute y  at 0.45 0 0.01
  mass 20  inertia 0.2 0.35 0.2 0 0 0
  fext
body idler
  parent hull  joint revolute y  at -0.45 0 0.01
  mass 20  inertia 0.2 0.35 0.2 0 0 0
  fext
body arm
  parent hull  joint revolute y  at 0.1 0 0
  mass 5  cg -0.05 0 0  inertia 0.02 0.05 0.05 0 0 0
body wheel
  parent arm  joint revolute y  at -0.1 0 0
  mass 20  inertia 0.2 0.35 0.2 0 0 0
  fext
rsda bar joint arm  k 4e4
track band
  root hull
  plane xz
  shoes 16  pitch 0.18
  mass 6  cg 0.09 0 0  inertia 0.03 0.02 0.04 0 0 0
  fext
  roller sprocket 0.18 end driven teeth 6
  roller idler 0.18 end
  roller wheel 0.18
  pad -0.03 0.18 0.25  thickness 0.03
  kn 2e6  mu mu
ground
  plane 0.05 0.02 1 0
  wave 0.01 1.7 direction 0.4
  bump 0.6 0.1 0.05 0.5
  kn 5e5  mu mu
)";

Model bandModel() {
    const ReadResult read = readMechanism(std::string(kText));
    for (const Diagnostic& d : read.diagnostics) UNSCOPED_INFO(d.message);
    REQUIRE(read.ok());
    return read.model;
}

const Gate& gateOf(const ProofReport& report, const std::string& name) {
    const auto it =
        std::find_if(report.gates.begin(), report.gates.end(), [&](const Gate& g) { return g.name == name; });
    REQUIRE(it != report.gates.end());
    return *it;
}

std::string inWords(const ProofReport& report) {
    std::string s;
    for (const Gate& g : report.gates)
        s += fmt::format("{} {} {:.3g} ({:.3g}) {}\n", g.pass ? "pass" : "FAIL", g.name, g.value, g.bound, g.detail);
    return s;
}

ProofOptions quick(bool motion) {
    ProofOptions options;
    options.trials = motion ? 20 : 4;  // contacts are looked at in forty states at least
    options.motion = motion;
    return options;
}

Vector3 vec(const Vector3d& a) { return {a[0], a[1], a[2]}; }
Vector3d array(const Vector3& a) { return {a[0], a[1], a[2]}; }

/// The model's own contacts, and a mistake after them: another force of a contact than its own, or what is set here.
class FaultyLaws : public ContactLaws {
public:
    using ContactLaws::ContactLaws;
    /// Turns the reading of one contact into what the wrong law says; the wrenches follow.
    std::function<void(ContactReading&)> contact_fault;
    std::function<void(std::span<const double> X, std::span<double> fext, ContactTotals&)> forces_fault;
    std::function<double(double, std::span<const double> X)> energy_fault;
    std::function<void(Terrain::Sample&)> terrain_fault;
    bool ignores_step = false;

    ContactTotals addForces(std::span<const double> X, std::span<const double> V, const ContactSettings& settings,
                            std::span<double> anchors, std::span<double> fext, std::span<double> lost) const override {
        const ContactSettings used = with(settings);
        const std::vector<double> before(anchors.begin(), anchors.end());
        ContactTotals totals = ContactLaws::addForces(X, V, used, anchors, fext, lost);
        if (contact_fault)
            for (const ContactReading& right : ContactLaws::readings(X, V, used, before)) {
                ContactReading wrong = right;
                contact_fault(wrong);
                // The difference is a force of its own; what changed in friction is lost, the rest elastic.
                const Vector3 friction = vec(wrong.friction) - vec(right.friction);
                const Vector3 rest = vec(wrong.force) - vec(right.force) - friction;
                const bool face = right.kind == ContactReading::Kind::face;
                const bool toothed =
                    right.kind == ContactReading::Kind::pin && contact().pinLaw(right.track, right.roller).teeth > 0;
                const Vector3 axle =
                    face ? Vector3(X[12 * right.a + 9], X[12 * right.a + 10], X[12 * right.a + 11]) : vec(right.point);
                apply(fext, right, vec(right.point), friction);
                apply(fext, right, axle, rest);
                if (!toothed && !lost.empty()) apply(lost, right, vec(right.point), friction);
                totals.power += wrong.power - right.power;
                if (right.kind != ContactReading::Kind::ground) continue;
                const Vector3 f = friction + rest, m = vec(right.point).cross(f);
                for (std::size_t k = 0; k < 3; k++) totals.ground_force[k] += f[k], totals.ground_moment[k] += m[k];
            }
        if (forces_fault) forces_fault(X, fext, totals);
        return totals;
    }
    double energy(std::span<const double> X, const ContactSettings& settings,
                  std::span<const double> anchors) const override {
        const double right = ContactLaws::energy(X, settings, anchors);
        return energy_fault ? energy_fault(right, X) : right;
    }
    std::vector<ContactReading> readings(std::span<const double> X, std::span<const double> V,
                                         const ContactSettings& settings,
                                         std::span<const double> anchors) const override {
        std::vector<ContactReading> all = ContactLaws::readings(X, V, with(settings), anchors);
        if (contact_fault)
            for (ContactReading& r : all) contact_fault(r);
        return all;
    }
    Terrain::Sample terrain(double x, double y) const override {
        Terrain::Sample s = ContactLaws::terrain(x, y);
        if (terrain_fault) terrain_fault(s);
        return s;
    }

private:
    ContactSettings with(ContactSettings settings) const {
        if (ignores_step && settings.friction == Friction::regularized) settings.dt = 0;
        return settings;
    }
    static void apply(std::span<double> wrenches, const ContactReading& r, const Vector3& point, const Vector3& f) {
        const Vector3 m = point.cross(f);
        for (int k = 0; k < 3; k++) {
            wrenches[6 * r.b + k] += m[k], wrenches[6 * r.b + 3 + k] += f[k];
            if (r.a != kBase) wrenches[6 * r.a + k] -= m[k], wrenches[6 * r.a + 3 + k] -= f[k];
        }
    }
};

/// Another friction in a reading: force and power go with it.
void setFriction(ContactReading& r, const Vector3& friction) {
    const Vector3 more = friction - vec(r.friction);
    r.power += more.dot(vec(r.slip));
    r.force = array(vec(r.force) + more);
    r.friction = array(friction);
}

}  // namespace

TEST_CASE("A band over rough ground passes every gate, and its contacts are loaded", "[proof][contact]") {
    const Model model = bandModel();
    const ProofReport report = prove(model, "band", makeReferenceKernel(model), quick(true));
    INFO(inWords(report));
    CHECK(report.passed());
    for (const char* name : {"contact.loaded", "contact.balance", "contact.ground", "contact.gradient",
                             "contact.passivity", "contact.cone", "contact.readings", "contact.terrain",
                             "contact.determinism", "contact.order", "contact.momentum", "contact.energy"}) {
        CHECK_FALSE(gateOf(report, name).skipped);
        CHECK_FALSE(gateOf(report, name).detail.empty());
    }
    // Other mechanisms have none of them.
    Model bare = model;
    bare.tracks.clear();
    for (const Gate& gate : prove(bare, "bare", makeReferenceKernel(bare), quick(false)).gates)
        CHECK_FALSE(gate.name.starts_with("contact."));
}

TEST_CASE("A mistake in a contact's law trips its gate, which names a state", "[proof][contact]") {
    const Model model = bandModel();
    const int hull = model.findBody("hull"), sprocket = model.findBody("sprocket"), idler = model.findBody("idler");
    const int shoe = model.tracks[0].first_shoe;
    using Kind = ContactReading::Kind;
    struct Case {
        const char* what;
        std::vector<const char*> gates;
        std::function<void(FaultyLaws&)> plant;
    };
    const std::vector<Case> cases = {
        {"a roller that does not feel its pins",
         {"contact.balance", "contact.readings"},
         [&](FaultyLaws& laws) {
             laws.forces_fault = [=](auto, std::span<double> f, ContactTotals&) {
                 std::fill_n(f.begin() + 6 * sprocket, 6, 0.0);
             };
         }},
        {"a reaction with the force's own sign",
         {"contact.balance"},
         [&](FaultyLaws& laws) {
             laws.forces_fault = [=](auto, std::span<double> f, ContactTotals&) {
                 for (int k = 0; k < 6; k++) f[6 * idler + k] *= -1;
             };
         }},
        {"moments about the roller's axle, on both bodies of a pair",
         {"contact.gradient", "contact.readings"},
         [&](FaultyLaws& laws) {
             laws.forces_fault = [&laws, shoe, sprocket](std::span<const double> X, std::span<double> f,
                                                         ContactTotals&) {
                 // What the sprocket bears, moved: the shoe's sum takes the opposite, so that nothing is lost.
                 const Vector3 force(f[6 * sprocket + 3], f[6 * sprocket + 4], f[6 * sprocket + 5]);
                 const Vector3 axle(X[12 * sprocket + 9], X[12 * sprocket + 10], X[12 * sprocket + 11]);
                 const Vector3 m = axle.cross(force);
                 for (int k = 0; k < 3; k++) f[6 * sprocket + k] -= m[k], f[6 * shoe + k] += m[k];
             };
         }},
        {"a part of the ground's force on the hull",
         {"contact.ground", "contact.readings"},
         [&](FaultyLaws& laws) {
             laws.forces_fault = [=](auto, std::span<double> f, ContactTotals&) {
                 for (int k = 0; k < 6; k++) {
                     const double part = 1e-6 * f[6 * shoe + k];
                     f[6 * shoe + k] -= part, f[6 * hull + k] += part;
                 }
             };
         }},
        {"a ground that is stiffer than it says",
         {"contact.ground", "contact.gradient"},
         [](FaultyLaws& laws) {
             laws.contact_fault = [](ContactReading& r) {
                 if (r.kind == Kind::ground) r.force = array(vec(r.force) + 2 * 5e5 * 1e-3 * r.depth * vec(r.normal));
             };
         }},
        {"a perpendicular direction of the ground's force, where the gap is vertical",
         {"contact.ground", "contact.gradient"},
         [](FaultyLaws& laws) {
             laws.contact_fault = [](ContactReading& r) {
                 if (r.kind != Kind::ground) return;
                 const double spring = 5e5 * r.depth;
                 r.force = array(vec(r.force) + (spring - spring / r.normal[2]) * vec(r.normal));
             };
         }},
        {"the face's friction with the pin's sign: it drives",
         {"contact.passivity"},
         [](FaultyLaws& laws) {
             laws.contact_fault = [](ContactReading& r) {
                 if (r.kind == Kind::face) setFriction(r, -vec(r.friction));
             };
         }},
        {"friction that drives on the ground",
         {"contact.passivity", "contact.ground"},
         [](FaultyLaws& laws) {
             laws.contact_fault = [](ContactReading& r) {
                 if (r.kind == Kind::ground) setFriction(r, -vec(r.friction));
             };
         }},
        {"the slope of a gate or of a face's weight forgotten",
         {"contact.gradient"},
         [](FaultyLaws& laws) {
             laws.contact_fault = [](ContactReading& r) {
                 r.force = array(vec(r.force) - vec(r.gate));
                 r.gate = {};
             };
         }},
        {"the tooth's force with the pitch circle for its arm",
         {"contact.gradient"},
         [&](FaultyLaws& laws) {
             laws.contact_fault = [&laws](ContactReading& r) {
                 if (r.kind != Kind::pin) return;
                 const PinLaw law = laws.contact().pinLaw(r.track, r.roller);
                 if (law.teeth > 0) {
                     const Vector3 more = -r.depth / law.radius * vec(r.friction);
                     r.friction = array(vec(r.friction) + more);
                     r.force = array(vec(r.force) + more);
                 }
             };
         }},
        {"the guide's energy forgotten",
         {"contact.gradient"},
         [](FaultyLaws& laws) { laws.energy_fault = [](double right, auto) { return 0.999 * right; }; }},
        {"friction beyond its cone",
         {"contact.cone"},
         [](FaultyLaws& laws) {
             laws.contact_fault = [](ContactReading& r) {
                 const double friction = vec(r.friction).norm();
                 if (r.kind == Kind::face && friction > 0) setFriction(r, 1.001 * r.limit / friction * vec(r.friction));
             };
         }},
        {"friction that forgets the step and turns slips around",
         {"contact.cone", "contact.ground"},
         [](FaultyLaws& laws) { laws.ignores_step = true; }},
        {"a sum of the ground's forces that misses one",
         {"contact.balance", "contact.ground"},
         [](FaultyLaws& laws) {
             laws.forces_fault = [](auto, auto, ContactTotals& totals) { totals.ground_force[2] *= 1 - 1e-6; };
         }},
        {"a law that remembers its last call",
         {"contact.determinism"},
         [](FaultyLaws& laws) {
             laws.forces_fault = [shoe = 6, last = std::make_shared<double>(0)](auto, std::span<double> f,
                                                                                ContactTotals& totals) {
                 f[6 * static_cast<std::size_t>(shoe)] += 1e-13 * *last;
                 *last = totals.power;
             };
         }},
        {"a terrain whose slope is another terrain's",
         {"contact.terrain"},
         [](FaultyLaws& laws) { laws.terrain_fault = [](Terrain::Sample& s) { s.slope_y *= 1 + 1e-4; }; }},
        {"faces that never bear load",
         {"contact.loaded"},
         [](FaultyLaws& laws) { laws.forces_fault = [](auto, auto, ContactTotals& totals) { totals.faces = 0; }; }},
    };
    const Kernel kernel = makeReferenceKernel(model);
    for (const Case& c : cases) {
        const auto laws = std::make_shared<FaultyLaws>(model);
        c.plant(*laws);
        ProofOptions options = quick(false);
        options.contact = laws;
        const ProofReport report = prove(model, "faulty", kernel, options);
        INFO(c.what << "\n" << inWords(report));
        CHECK_FALSE(report.passed());
        for (const std::string name : c.gates) {
            const Gate& gate = gateOf(report, name);
            CHECK_FALSE(gate.pass);
            CHECK_FALSE(gate.detail.empty());
            if (name != "contact.loaded") CHECK(gate.worst.has_value());
            CHECK(std::isfinite(gate.value));
        }
    }
}

TEST_CASE("Contacts that do not reach the equations, or disturb them, show in motion", "[proof][contact]") {
    const Model model = bandModel();
    const Kernel good = makeReferenceKernel(model);
    std::vector<double> work = makeWork(good), lambda(good->nc);
    const int sprocket = model.findBody("sprocket");
    const std::vector<double> param = model.liveValues();
    Fault fault;
    std::vector<const char*> gates;
    SECTION("a roller's reaction is dropped on its way into the equations") {
        gates = {"contact.momentum", "contact.energy"};
        fault.after_fwd_dyn = [&](const double* q, const double* v, const double* tau, const double* fext,
                                  const double* act, double* vdot) {
            if (!fext) return;
            std::vector<double> less(fext, fext + 6 * model.bodies.size());
            std::fill_n(less.begin() + 6 * sprocket, 6, 0.0);
            good->fwd_dyn(q, v, tau, less.data(), act, param.data(), work.data(), vdot, lambda.data());
        };
    }
    SECTION("accelerations that differ from run to run, so that a smaller step ends elsewhere") {
        gates = {"contact.order"};
        fault.after_fwd_dyn = [&good, moving = false, run = 0](const double*, const double* v, const double*,
                                                               const double*, const double*, double* vdot) mutable {
            const bool still = std::all_of(v, v + good->nv, [](double x) { return x == 0; });
            if (still && moving) run++;
            moving = !still;
            vdot[5] += run % 2 == 0 ? 10 : -10;
        };
    }
    // These gates alone: those of the multibody part trip as well, and take their time over it.
    const ProofOptions options = quick(true);
    const Layout layout = layoutOf(model);
    const Kernel faulty = faultyKernel(good, fault);
    TrialSource states(model, options.seed);
    ProofReport report;
    proof::checkContactMotion({model, layout, faulty, options, states}, report.gates, [](double) {});
    INFO(inWords(report));
    for (const char* name : gates) CHECK_FALSE(gateOf(report, name).pass);
}

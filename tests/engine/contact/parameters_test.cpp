// Where a law's numbers come from: declared and live parameters, ground's values and the track's, defaults; mechanisms
// without a band or without a ground.
#include "tests/engine/contact/support.h"

using namespace mw;
using namespace mw::test;

namespace {

/// Text of the smallest band, its material and ground as given.
std::string bandText(const std::string& material, const std::string& ground) {
    return "mech 1\n"
           "param stiff 2e6  range 1e6 4e6  live\n"
           "param grip 0.7  range 0 1  live\n"
           "param shoe_mass 8  range 4 16  live\n"
           "param wheel_mass 30  range 10 60  live\n"
           "body hull\n  joint floating\n  mass 1000\n  inertia 50 100 100 0 0 0\n  start 1 0 0 0 0 0 0.3\n"
           "body sprocket\n  parent hull\n  joint revolute y\n  at 0.4 0 0\n  mass 30\n  inertia 0.3 0.6 0.3 0 0 0\n  "
           "fext\n"
           "body idler\n  parent hull\n  joint revolute y\n  at -0.4 0 0\n  mass wheel_mass\n  cg 0.1 0 0\n"
           "  inertia 0.3 0.6 0.3 0 0 0\n  fext\n"
           "track band\n  root hull\n  plane xz\n  shoes 18\n  mass shoe_mass\n  inertia 0.04 0.02 0.06 0 0 0\n  fext\n"
           "  roller sprocket 0.2 end driven teeth 8\n  roller idler 0.2 end\n  pad -0.03 0.14 0.25  thickness 0.03\n" +
           material + ground;
}

Model bandOf(const std::string& material, const std::string& ground) {
    const ReadResult result = readMechanism(bandText(material, ground));
    for (const Diagnostic& d : result.diagnostics) {
        INFO(d.message);
        REQUIRE(d.severity != Severity::error);
    }
    REQUIRE(result.model.tracks.size() == 1);
    REQUIRE(result.model.tracks[0].first_shoe >= 0);
    return result.model;
}

}  // namespace

TEST_CASE("contact: live parameters reach every law", "[contact][parameters]") {
    const Model model =
        bandOf("  kn stiff  mu grip  fskip (stiff/100)  guide (stiff/2)\n", "ground\n  plane 0 0 1 0\n");
    ContactModel contact(model);
    const auto agree = [&](double kn, double mu, double shoe, double wheel) {
        const double total = 1000 + 30 + wheel + 18 * shoe, supported = total / 18;
        const PinLaw sprocket = contact.pinLaw(0, 0), idler = contact.pinLaw(0, 1);
        CHECK(idler.kn == Approx(kn));
        CHECK(idler.mu == Approx(mu));
        CHECK(idler.guide == Approx(kn / 2));
        CHECK(idler.cn == Approx(2 * 0.2 * std::sqrt(kn * shoe)));
        CHECK(idler.cg == Approx(2 * 0.2 * std::sqrt(kn / 2 * shoe)));
        CHECK(idler.onset == Approx(shoe * 9.81 / kn));
        CHECK(idler.teeth == 0);
        CHECK(sprocket.teeth == 8);
        CHECK(sprocket.fskip == Approx(kn / 100));
        CHECK(sprocket.ct == Approx(2 * 0.2 * std::sqrt(kn / 100 * 8 / 0.2 * shoe)));
        // The axle goes through the frame's origin, not through the centre of mass.
        CHECK(contact.pairMass(0, 1, 3) ==
              Approx(1 / (1 / shoe + 3 * (1 / wheel + 0.2 * 0.2 / (0.6 + wheel * 0.1 * 0.1)))));
        const GroundLaw ground = contact.groundLaw(0);
        CHECK(ground.kn == Approx(kn));
        CHECK(ground.kt == Approx(kn));
        CHECK(ground.mu == Approx(mu));
        CHECK(ground.mass == Approx(shoe / 4));
        CHECK(ground.cn == Approx(2 * 0.2 * std::sqrt(kn * supported)));
        CHECK(ground.onset == Approx(0.1 * supported * 9.81 / kn));
        CHECK(contact.accuracyStep(90) == Approx(2 * 3.14159265358979 * std::sqrt(shoe / 4 / kn) / 90));
    };
    agree(2e6, 0.7, 8, 30);
    std::vector<double> param = model.liveValues();
    REQUIRE(param.size() == 4);
    param = {3e6, 0.2, 12, 45};
    contact.setParameters(param);
    agree(3e6, 0.2, 12, 45);
    contact.setParameters(param);
    agree(3e6, 0.2, 12, 45);
    contact.setParameters(model.liveValues());
    agree(2e6, 0.7, 8, 30);
}

TEST_CASE("contact: the ground's values stand before the track's", "[contact][parameters]") {
    const auto lawOf = [](const std::string& material, const std::string& ground) {
        return ContactModel(bandOf(material, ground)).groundLaw(0);
    };
    GroundLaw law = lawOf("  kn 2e6\n", "ground\n  plane 0 0 1 0\n");
    CHECK(law.kn == 2e6);
    CHECK(law.kt == 2e6);
    CHECK(law.mu == 0.8);
    CHECK(law.veps == 0.01);
    law = lawOf("  kn 2e6  kt 1e6  mu 0.5  veps 0.02\n", "ground\n  plane 0 0 1 0\n");
    CHECK(law.kt == 1e6);
    CHECK(law.mu == 0.5);
    CHECK(law.veps == 0.02);
    law = lawOf("  kn 2e6  kt 1e6\n", "ground\n  plane 0 0 1 0\n  kn 4e5  mu 0.3  veps 0.005\n");
    CHECK(law.kn == 4e5);
    CHECK(law.kt == 4e5);
    CHECK(law.mu == 0.3);
    CHECK(law.veps == 0.005);
    law = lawOf("  kn 2e6\n", "ground\n  plane 0 0 1 0\n  kn 4e5  kt 3e5  zeta 0.4\n");
    CHECK(law.kt == 3e5);
    CHECK(law.cn == Approx(2 * 0.4 * std::sqrt(4e5 * (1000 + 60 + 18 * 8) / 18.0)));
}

TEST_CASE("contact: no band or no ground means no force", "[contact][parameters]") {
    CHECK(ContactModel().empty());
    CHECK(ContactModel(Model{}).empty());
    const Scene band(bandOf("  kn stiff\n", ""));
    CHECK_FALSE(band.contact.hasGround());
    CHECK(band.contact.hasBands());
    CHECK(band.contact.declaredPairs() == 36);
    CHECK(band.contact.declaredPoints() == 0);
    CHECK(band.contact.anchorSize() == 0);
    Draw draw(0x11, 0);
    const Poses p = band.around(draw, 0.02, -5);
    std::vector<double> fext(6 * band.bodies(), 0.0);
    CHECK(band.contact.addForces(p.X, p.V, {}, {}, fext).points == 0);

    Model field;
    field.ground = Ground{};
    const ContactModel bare(field);
    CHECK(bare.empty());
    CHECK(bare.hasGround());
    CHECK(bare.accuracyStep() == 0);
    CHECK(bare.addForces({}, {}, {}, {}, {}).points == 0);
    CHECK(bare.readings({}, {}, {}, {}).empty());
    CHECK(bare.terrain().height(3, 4) == 0);
}

TEST_CASE("contact: anchors move where the step says so, and only there", "[contact][parameters]") {
    const Scene s(bandOf("  kn stiff  mu grip\n", "ground\n  plane 0 0 1 0\n  bump 0 0 0.02 3\n"));
    Draw draw(0x12, 0);
    const Poses p = s.around(draw, 0.005, -0.08), q = s.around(draw, 0.005, -0.08);
    std::vector<double> anchors(s.contact.anchorSize(), 0.0), fext(6 * s.bodies(), 0.0);
    const ContactSettings instant{0, 1, Friction::anchored}, step{1e-4, 1, Friction::anchored};
    const ContactTotals first = s.contact.addForces(p.X, p.V, instant, anchors, fext);
    CHECK(first.points > 0);
    CHECK(std::count(anchors.begin(), anchors.end(), 0.0) == long(anchors.size()));
    s.contact.addForces(p.X, p.V, step, anchors, fext);
    int stuck = 0;
    for (std::size_t i = 0; i < anchors.size(); i += 4) stuck += anchors[i] == 1;
    CHECK(stuck == first.points);
    // Looking changes nothing; what is read is what acts.
    const std::vector<double> before = anchors;
    const std::vector<ContactReading> all = s.contact.readings(q.X, q.V, instant, anchors);
    std::vector<double> acting(6 * s.bodies(), 0.0), lost(6 * s.bodies(), 0.0);
    ContactTotals totals;
    s.contact.addGroundForces(q.X, q.V, instant, anchors, acting, lost, totals);
    CHECK(anchors == before);
    Vector3d sum{};
    double power = 0;
    for (const ContactReading& r : all) {
        if (r.kind != ContactReading::Kind::ground) continue;
        sum = sum + r.force;
        power += r.power;
        CHECK(r.power <= 0);
        CHECK(length(r.friction) <= r.limit * (1 + 1e-12));
    }
    CHECK(length(sum - totals.ground_force) <= 1e-9 * (1 + length(sum)));
    CHECK(power == Approx(totals.power));
    CHECK(totals.released == 0);
    // Without a place to keep anchors the regularised law acts.
    std::vector<double> a(6 * s.bodies(), 0.0), b(6 * s.bodies(), 0.0);
    s.contact.addForces(q.X, q.V, step, {}, a);
    s.contact.addForces(q.X, q.V, {1e-4}, {}, b);
    CHECK(a == b);
}

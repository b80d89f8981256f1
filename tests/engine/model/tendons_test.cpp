// Tendons, couplings, materials and rows as the reader understands them: values, defaults, order of a path, what counts
// for the hashes, what can touch what.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/model/read.h"
#include "tests/support/catch.h"

using namespace mw;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

Model ok(const std::string& text) {
    const ReadResult read = readModel("mech 1\n" + text);
    for (const Diagnostic& d : read.diagnostics) UNSCOPED_INFO(formatDiagnostic(d, "mech 1\n" + text, "text"));
    REQUIRE(read.ok());
    return read.model;
}

const std::string kBodies =
    "body palm\n  joint revolute y\n  mass 1\n  inertia 1 1 1 0 0 0\n"
    "body tip\n  parent palm\n  joint universal x y\n  at 0.1 0 0\n  mass 1\n  inertia 1 1 1 0 0 0\n";

const std::string kRoute = "  site palm 0 0 0.01\n  site tip 0.02 0 0.005\n";

}  // namespace

TEST_CASE("A spatial tendon is read in the order of its path") {
    const std::string text = "mech 1\nparam r 0.012 range 0.01 0.02 live\n" + kBodies +
                             "tendon flexor\n"
                             "  pulley 3\n"
                             "  site palm 0 0 0.01\n"
                             "  cylinder tip 0 0 0  axis 0 2 0  radius r  side palm 0 0 0.03  mu 0.2  # the knuckle\n"
                             "  sphere tip 0 0 0.1  radius 0.02\n"
                             "  ellipsoid palm 0 1 0  rot 0.1 0.2 0.3  radii 0.1 0.2 0.3\n"
                             "  site tip 0.02 0 0.005\n"
                             "  pulley 2\n"
                             "  site tip 0.02 0 0.005\n"
                             "  torus palm 0 0 0  radii 0.1 0.02  axis z\n"
                             "  site base 0.05 0 0\n";
    const ReadResult read = readModel(text);
    for (const Diagnostic& d : read.diagnostics) UNSCOPED_INFO(formatDiagnostic(d, text, "text"));
    REQUIRE(read.ok());
    REQUIRE(read.model.tendons.size() == 1);
    const Tendon& t = read.model.tendons[0];
    using K = PathElement::Kind;
    std::vector<K> kinds;
    for (const PathElement& e : t.path) kinds.push_back(e.kind);
    CHECK(kinds == std::vector<K>{K::pulley, K::site, K::cylinder, K::sphere, K::ellipsoid, K::site, K::pulley, K::site,
                                  K::torus, K::site});
    CHECK(t.path[0].divisor == 3);
    CHECK(t.path[6].divisor == 2);
    CHECK(t.path[1].point.body == 0);
    CHECK(t.path[1].point.at[2].value == 0.01);
    CHECK(t.path[2].axis == Vector3d{0, 1, 0});
    CHECK(t.path[2].radii[0].isLive());
    REQUIRE(t.path[2].side.has_value());
    CHECK(t.path[2].side->body == 0);
    CHECK(t.path[2].side->at[2].value == 0.03);
    CHECK(t.path[2].mu.value == 0.2);
    CHECK(t.path[3].mu.isZero());
    CHECK_FALSE(t.path[3].side.has_value());
    CHECK(t.path[4].rot[2].value == 0.3);
    CHECK(t.path[4].radii[1].value == 0.2);
    CHECK(t.path[8].axis == Vector3d{0, 0, 1});
    CHECK(t.path[8].radii[1].value == 0.02);
    CHECK(t.path[9].point.body == kBase);
    const TextRange line = t.path[2].range;
    CHECK(text.substr(line.begin, line.end - line.begin) ==
          "cylinder tip 0 0 0  axis 0 2 0  radius r  side palm 0 0 0.03  mu 0.2");
    CHECK_FALSE(t.fixed);
}

TEST_CASE("A tendon's defaults are those of the language page") {
    const Tendon t = ok(kBodies + "tendon rope\n" + kRoute).tendons[0];
    CHECK(t.width.value == 0.004);
    CHECK(t.color == std::array<double, 4>{0.9, 0.35, 0.08, 1});
    CHECK_FALSE(t.color_written);
    for (const Number* n : {&t.stiffness, &t.damping, &t.margin, &t.compliance, &t.friction, &t.friction_compliance,
                            &t.armature, &t.kp, &t.kv, &t.tau, &t.activation})
        CHECK(n->isZero());
    CHECK_FALSE(t.spring.has_value());
    CHECK(t.lower.value == -kInf);
    CHECK(t.upper.value == kInf);
    CHECK(t.correction.value == 0.2);
    CHECK_FALSE(t.reference.has_value());
    CHECK(t.actuator == nullptr);
    CHECK_FALSE(t.input);
    CHECK(t.target == nullptr);
    CHECK(t.target_rate == nullptr);
    CHECK(t.range_lower.value == -kInf);
    CHECK(t.range_upper.value == kInf);
    CHECK(t.feed == nullptr);
    CHECK(t.side_rule == SideRule::nearest);
    CHECK_FALSE(t.muscle.has_value());
    CHECK_FALSE(t.off);
}

TEST_CASE("Every law of a tendon is read, with time and live parameters where they may stand") {
    const Tendon t = ok("param k 500 range 100 900 live\n" + kBodies + "tendon rope\n" + kRoute +
                        "  width 0.002  color 0.1 0.2 0.3\n"
                        "  stiffness k  damping 2  spring -inf 0.12\n"
                        "  limits 0.01 inf  margin 0.001  compliance 1e-4  correction 0.3\n"
                        "  friction 0.5  friction-compliance 1e-5  armature 0.01  reference -0.31\n"
                        "  actuator (-k*t)  target (0.1 + t)  target-rate 1  kp 3  kv 4  tau 0.05\n"
                        "  range -200 inf  state -3  feed (0.05*t)  side-rule barrier  off\n")
                         .tendons[0];
    CHECK(t.width.value == 0.002);
    CHECK(t.color == std::array<double, 4>{0.1, 0.2, 0.3, 1});
    CHECK(t.color_written);
    CHECK(t.stiffness.isLive());
    CHECK(t.damping.value == 2);
    CHECK((*t.spring)[0].value == -kInf);
    CHECK((*t.spring)[1].value == 0.12);
    CHECK(t.lower.value == 0.01);
    CHECK(t.upper.value == kInf);
    CHECK(t.margin.value == 0.001);
    CHECK(t.compliance.value == 1e-4);
    CHECK(t.correction.value == 0.3);
    CHECK(t.friction.value == 0.5);
    CHECK(t.friction_compliance.value == 1e-5);
    CHECK(t.armature.value == 0.01);
    CHECK(t.reference->value == -0.31);
    const double param[] = {500};
    CHECK(evaluate(*t.actuator, param, 2) == -1000);
    CHECK(evaluate(*t.target, param, 2) == Approx(2.1));
    CHECK(evaluate(*t.target_rate, param, 2) == 1);
    CHECK(evaluate(*t.feed, param, 2) == 0.1);
    CHECK(t.kp.value == 3);
    CHECK(t.kv.value == 4);
    CHECK(t.tau.value == 0.05);
    CHECK(t.range_lower.value == -200);
    CHECK(t.range_upper.value == kInf);
    CHECK(t.activation.value == -3);
    CHECK(t.side_rule == SideRule::barrier);
    CHECK(t.off);
}

TEST_CASE("An actuator's force may come from outside, and a muscle stands in its place") {
    const Tendon t = ok(kBodies + "tendon rope\n" + kRoute + "  actuator input\n").tendons[0];
    CHECK(t.input);
    CHECK(t.actuator == nullptr);
    const Tendon m =
        ok(kBodies + "tendon rope\n" + kRoute + "  muscle 800 0.1 0.2 0.3 0.02\n  excitation (sin(t))\n").tendons[0];
    REQUIRE(m.muscle.has_value());
    CHECK(m.muscle->fmax.value == 800);
    CHECK(m.muscle->lopt.value == 0.1);
    CHECK(m.muscle->lslack.value == 0.2);
    CHECK(m.muscle->pennation.value == 0.3);
    CHECK(m.muscle->rise.value == 0.02);
    CHECK(m.muscle->fall.value == 0.04);
    CHECK(evaluate(*m.muscle->excitation, {}, 1) == std::sin(1.0));
}

TEST_CASE("A fixed tendon has terms, and couplings name tendons wherever they stand") {
    const Model model =
        ok("coupling c first left second right  poly 0.1 -1 0 2 0  compliance 1e-6  correction 0.5\n"
           "coupling held first right\n" +
           kBodies +
           "tendon left fixed\n  term palm 0.02\n  term tip.2 -0.02\n  term palm 0\n  limits -1 -0\n"
           "tendon right fixed\n  term tip.1 1\n");
    REQUIRE(model.tendons.size() == 2);
    const Tendon& t = model.tendons[0];
    CHECK(t.fixed);
    REQUIRE(t.terms.size() == 3);
    CHECK((t.terms[1].body == 1 && t.terms[1].coordinate == 1 && t.terms[1].weight.value == -0.02));
    REQUIRE(model.couplings.size() == 2);
    const Coupling& c = model.couplings[0];
    CHECK((c.first == 0 && c.second == 1));
    CHECK(c.poly[0].value == 0.1);
    CHECK(c.poly[1].value == -1);
    CHECK(c.poly[3].value == 2);
    CHECK(c.compliance.value == 1e-6);
    CHECK(c.correction.value == 0.5);
    CHECK_FALSE(c.off);
    CHECK((model.couplings[1].first == 1 && model.couplings[1].second == -1));
    CHECK(model.couplings[1].poly[1].value == 1);
    CHECK(model.couplings[1].correction.value == 0.2);
}

TEST_CASE("Materials, pairs, exclusions and options are read, whatever the order of the text") {
    const Model model =
        ok("shape s on palm sphere 0.1 collide rubber group -2 margin 0.001 gap 0.01\n"
           "pair rubber ground\n  mu 0.9\npair wood rubber\n  restitution 0.5  priority 3\n"
           "exclude palm tip\nexclude base palm\n"
           "material wood\n"
           "material rubber\n  mu 1.1  mu-torsion 0.01  mu-rolling 0.002  restitution 0.3  "
           "restitution-speed 0.1  priority 2\n"
           "contact\n  cone box  mix max  iterations 80  tolerance 1e-10  warm off  relaxation 0.9  "
           "beta 0.1  slop 1e-4  capacity 100\n" +
           kBodies);
    REQUIRE(model.materials.size() == 2);
    CHECK(model.shapes[0].material == 1);
    CHECK(model.shapes[0].group == -2);
    CHECK(model.shapes[0].margin.value == 0.001);
    CHECK(model.shapes[0].gap.value == 0.01);
    const ContactValues& v = model.materials[1].values;
    CHECK(v.mu.value == 1.1);
    CHECK(v.mu_torsion.value == 0.01);
    CHECK(v.mu_rolling.value == 0.002);
    CHECK(v.restitution.value == 0.3);
    CHECK(v.restitution_speed.value == 0.1);
    CHECK(v.priority == 2);
    CHECK(model.materials[0].values.mu.value == 0.8);
    REQUIRE(model.pairs.size() == 2);
    CHECK((model.pairs[0].a == 1 && model.pairs[0].b == -1));
    CHECK(model.pairs[0].written == std::vector<std::string>{"mu"});
    CHECK(model.pairs[1].written == std::vector<std::string>{"restitution", "priority"});
    CHECK((model.pairs[1].a == 0 && model.pairs[1].b == 1));
    REQUIRE(model.excludes.size() == 2);
    CHECK((model.excludes[1].a == kBase && model.excludes[1].b == 0));
    const ContactOptions& o = model.contact;
    CHECK(o.cone == ContactOptions::Cone::box);
    CHECK(o.mix == ContactOptions::Mix::max);
    CHECK(o.iterations == 80);
    CHECK(o.tolerance == 1e-10);
    CHECK_FALSE(o.warm);
    CHECK(o.relaxation.value() == 0.9);
    CHECK(o.beta == 0.1);
    CHECK(o.slop == 1e-4);
    CHECK(o.capacity == 100);
    CHECK(ok("").contact.solver == ContactOptions::Solver::pgs);
}

TEST_CASE("A drive may prescribe a motion that may stand anywhere its joint starts") {
    const Model model =
        ok("body arm\n  joint revolute y\n  mass 1\n  cg 1 0 0\n  start 0.3\n"
           "drive d joint arm prescribed (0.3 + sin(2*t))\n");
    CHECK(model.drives[0].kind == Drive::Kind::prescribed);
    CHECK(evaluate(*model.drives[0].expression, {}, 0.5) == Approx(0.3 + std::sin(1.0)));
}

TEST_CASE("Every value of tendons, contacts and rows counts for the run and none for the code") {
    const std::string base = "param p 1 range 0 2\n" + kBodies +
                             "material m\n  mu 0.5\nmaterial n\npair m n\n  mu 0.1\n"
                             "shape a on palm sphere 1 collide m\nshape b on tip box 1 1 1\n"
                             "contact\n  iterations 50\n"
                             "tendon rope\n  site palm 0 0 1\n  sphere tip 0 0 0 radius 0.1 mu 0.1\n  site base 0 0 3\n"
                             "  stiffness 1  damping 2  limits 0 9\n"
                             "tendon u fixed\n  term palm 2\n"
                             "coupling c first rope second u\n"
                             "gravity 0 0 p\n";
    const Model model = ok(base);
    const std::pair<const char*, const char*> changes[] = {
        {"mu 0.5", "mu 0.6"},
        {"  mu 0.1\nshape", "  mu 0.2\nshape"},
        {"collide m", "collide n"},
        {"sphere 1 ", "sphere 2 "},
        {"iterations 50", "iterations 51"},
        {"site palm 0 0 1", "site palm 0 0 1.1"},
        {"radius 0.1", "radius 0.11"},
        {"mu 0.1\n  site", "mu 0.2\n  site"},
        {"stiffness 1", "stiffness 1.1"},
        {"damping 2", "damping 2.1"},
        {"limits 0 9", "limits 0 8"},
        {"limits 0 9", "limits 0 9  off"},
        {"limits 0 9", "limits 0 9  actuator (t)"},
        {"limits 0 9", "limits 0 9  side-rule barrier"},
        {"limits 0 9", "limits 0 9  reference 2"},
        {"limits 0 9", "limits 0 9  feed (t)"},
        {"limits 0 9", "limits 0 9  armature 1"},
        {"limits 0 9", "limits 0 9  friction 1"},
        {"limits 0 9", "limits 0 9  muscle 1 2 3 0  excitation 1"},
        {"term palm 2", "term palm 3"},
        {"second u", "second u  poly 0 2 0 0 0"},
        {"second u", "second u  correction 0.3"},
        {"  joint revolute y\n", "  joint revolute y\n  limits -1 1\n"},
        {"  joint revolute y\n", "  joint revolute y\n  joint-friction 1\n"},
        {"gravity", "exclude palm base\ngravity"},
    };
    for (const auto& [from, to] : changes) {
        std::string text = base;
        const std::size_t at = text.find(from);
        INFO(from << " -> " << to);
        REQUIRE(at != std::string::npos);
        text.replace(at, std::string(from).size(), to);
        const Model changed = ok(text);
        CHECK(modelHash(changed) != modelHash(model));
        CHECK(dynamicsHash(changed) == dynamicsHash(model));
    }
    std::string text = base;
    text.replace(text.find("box 1 1 1"), 9, "box 2 1 1");  // it collides with nothing
    CHECK(modelHash(ok(text)) == modelHash(model));
}

TEST_CASE("What moves as one, what a joint ties and what is excluded does not touch") {
    const auto model = [](const std::string& more) {
        return ok(
            "material m\nground\n"
            "body a\n  joint floating\n  mass 1\n  inertia 1 1 1 0 0 0\n"
            "body b\n  parent a\n  joint revolute y\n  mass 1\n  inertia 1 1 1 0 0 0\n"
            "body plate\n  parent b\n  mass 1\n"
            "body c\n  joint floating\n  mass 1\n  inertia 1 1 1 0 0 0\n"
            "body post\n  mass 1\n" +
            more);
    };
    const auto shapes = [](const std::string& a, const std::string& b) {
        return "shape s on " + a + " sphere 1 collide m\nshape u on " + b + " sphere 1 collide m\n";
    };
    const auto meet = [&](const std::string& text) { return canCollide(model(text), 0, 1); };
    CHECK(meet(shapes("a", "c")));
    CHECK(meet(shapes("b", "c")));
    CHECK(meet(shapes("a", "base")));
    CHECK(meet(shapes("c", "post")));
    CHECK_FALSE(meet(shapes("a", "a")));
    CHECK_FALSE(meet(shapes("a", "b")));
    CHECK_FALSE(meet(shapes("b", "a")));
    CHECK_FALSE(meet(shapes("b", "plate")));
    CHECK_FALSE(meet(shapes("a", "plate")));
    CHECK_FALSE(meet(shapes("base", "post")));
    CHECK_FALSE(meet(shapes("a", "c") + "exclude c a\n"));
    CHECK(meet(shapes("a", "c") + "exclude c b\n"));
    CHECK_FALSE(meet("shape s on a sphere 1 collide m\nshape u on c sphere 1\n"));
    const auto groups = [&](int a, int b) {
        return meet("shape s on a sphere 1 collide m group " + std::to_string(a) +
                    "\nshape u on c sphere 1 collide m group " + std::to_string(b) + "\n");
    };
    CHECK(groups(1, 1));
    CHECK_FALSE(groups(1, 2));
    CHECK_FALSE(groups(0, 0));
    CHECK_FALSE(groups(0, 1));
    CHECK(groups(-1, 2));
    CHECK(groups(-1, -2));
    CHECK_FALSE(groups(-1, -1));
    const auto ground = [&](const std::string& text) { return meetsGround(model(text), 0); };
    CHECK(ground(shapes("a", "c")));
    CHECK_FALSE(ground(shapes("base", "c")));
    CHECK_FALSE(ground(shapes("post", "c")));
    CHECK_FALSE(ground(shapes("a", "c") + "exclude base a\n"));
    CHECK_FALSE(meetsGround(
        ok("material m\nbody a\n  joint floating\n  mass 1\n  inertia 1 1 1 0 0 0\n" + shapes("a", "a")), 0));
}

TEST_CASE("A model has rows for one of five reasons, and says which") {
    const std::string arm = "body arm\n  joint revolute y\n  mass 1\n  cg 1 0 0\n";
    const auto why = [&](const std::string& text) {
        std::string reason = "none";
        hasRows(ok(text), &reason);
        return reason;
    };
    CHECK(why(arm) == "none");
    CHECK(why(arm + "  limits -inf inf\n") == "none");
    CHECK(why(arm + "  joint-friction 0\n") == "none");
    CHECK(why(arm + "  joint-damping 3\n") == "none");
    const std::string rope = "tendon rope\n  site base 0 0 1\n  site arm 1 0 0\n";
    CHECK(why(arm + rope + "  off\n") == "none");
    CHECK(why(arm + rope) == "tendon 'rope'");
    CHECK(why(arm + "  limits -inf 1\n") == "the limits of joint 'arm'");
    CHECK(why(arm + "  joint-friction 0.1\n") == "the dry friction of joint 'arm'");
    CHECK(why(arm + "drive d joint arm prescribed (sin(t))\n") == "drive 'd', which prescribes a motion");
    const std::string shapes = "material m\nshape a on arm sphere 1 collide m\nshape b on base sphere 1 collide m\n";
    CHECK(why(arm + shapes) == "shapes 'a' and 'b', which collide");
    CHECK(why(arm + shapes + "exclude arm base\n") == "none");
    CHECK(why(arm + shapes + "ground\n") == "shape 'a', which collides with the ground");
}

TEST_CASE("Models that are refused say why in their first line, and that is all there is to say of them") {
    int seen = 0;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(MW_SOURCE_DIR) + "/models/refused")) {
        std::ifstream file(entry.path(), std::ios::binary);
        std::stringstream stream;
        stream << file.rdbuf();
        const std::string text = stream.str();
        const std::string begin = "# refused: ";
        REQUIRE(text.rfind(begin, 0) == 0);
        const std::string code = text.substr(begin.size(), text.find('\n') - begin.size());
        INFO(entry.path().filename().string());
        const ReadResult read = readModel(text);
        for (const Diagnostic& d : read.diagnostics) UNSCOPED_INFO(formatDiagnostic(d, text, "text"));
        if (code == "loop-redundant") {  // found by the geometry of loops: tests/analytic
            CHECK(read.ok());
            continue;
        }
        ++seen;
        CHECK_FALSE(read.ok());
        REQUIRE(read.diagnostics.size() == 1);
        CHECK(read.diagnostics[0].code == code);
        CHECK_FALSE(read.diagnostics[0].remedy.empty());
    }
    CHECK(seen >= 3);
}

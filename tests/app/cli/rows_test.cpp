// Rows through the command line: what eval says of tendons, limits and contacts with a step and without, columns of a
// run, the refusal of Verlet, the wrap scan's three outputs. Oracles are statics and one-step formulas by hand.
#include <cmath>

#include "tests/app/cli/run_mech.h"
#include "tests/app/cli/table.h"
#include "tests/support/catch.h"

using namespace mw::test;

namespace {

/// 1 kg on a slide, length = its coordinate.
std::string slide(const std::string& gravity, const std::string& start, const std::string& tendon,
                  const std::string& body = "") {
    return "mech 1\ngravity " + gravity + " 0 0\nbody load\n  joint prismatic x\n  mass 1\n  start " + start + "\n" +
           body + "tendon cord fixed\n  term load 1\n" + tendon;
}

double number(const Json& json) { return json.get<double>(); }

}  // namespace

TEST_CASE("eval: a tendon's rows in one step, by hand", "[cli][rows]") {
    const Folder folder;
    SECTION("spring beyond its interval") {
        const std::string file = folder.write("a.mech", slide("0", "1.1", "  stiffness 100  spring 0 1\n"));
        const Json a = mech({"eval", file, "--dt", "1e-3", "--json"}).json();
        const Json& cord = a["tendons"]["cord"];
        // One step: v = -h k e / (m + h^2 k), the force F = m v / h.
        const double v = -0.01 / 1.0001;
        CHECK(number(cord["rows"]["spring"]) == Approx(v / 1e-3).epsilon(1e-9));
        CHECK(number(cord["tension"]) == Approx(-v / 1e-3).epsilon(1e-9));
        CHECK(number(a["vdot"][0]) == Approx(v / 1e-3).epsilon(1e-9));
        CHECK(number(cord["length"]) == Approx(1.1));
        CHECK(cord["slack"] == false);
        CHECK(number(cord["energy"]) == Approx(0.5 * 100 * 0.01));
        CHECK(number(a["energy"]["total"]) == Approx(0.5));
        CHECK(a["solver"]["status"] == "converged");
        // The state alone: F = -k e.
        const Json s = mech({"eval", file, "--json"}).json();
        CHECK(number(s["tendons"]["cord"]["rows"]["spring"]) == Approx(-10));
        CHECK(number(s["vdot"][0]) == Approx(-10));
        CHECK(s["solver"].is_null());
        CHECK_FALSE(s["tendons"]["cord"]["rows"].contains("states"));
    }
    SECTION("a limit is not computed without a step") {
        const std::string file = folder.write("a.mech", slide("9.81", "1", "  stiffness 100  limits -inf 1\n"));
        const Json s = mech({"eval", file, "--json"}).json();
        const Json& rows = s["tendons"]["cord"]["rows"];
        CHECK(rows["upper"].is_null());
        CHECK(rows["states"]["upper"] == "not computed");
        CHECK(number(rows["lower"]) == 0);  // a law that is not there gives nothing
        CHECK(number(rows["friction"]) == 0);
        CHECK(s["tendons"]["cord"]["omits"] == Json::array({"upper"}));
        CHECK(number(s["vdot"][0]) == Approx(9.81));
        const Json a = mech({"eval", file, "--dt", "1e-3", "--json"}).json();
        CHECK(number(a["tendons"]["cord"]["rows"]["upper"]) == Approx(-9.81).epsilon(1e-9));
        CHECK(number(a["tendons"]["cord"]["tension"]) == Approx(9.81).epsilon(1e-9));
        CHECK(number(a["vdot"][0]) == Approx(0).margin(1e-9));
    }
    SECTION("a rope that is nothing but a limit has no tension without a step") {
        const std::string file = folder.write("a.mech", slide("9.81", "1", "  limits -inf 1\n"));
        const Json s = mech({"eval", file, "--json"}).json();
        CHECK(s["tendons"]["cord"]["tension"].is_null());
        CHECK(s["tendons"]["cord"]["states"]["tension"] == "not computed");
    }
    SECTION("a lock, and what pulls on it") {
        const std::string file = folder.write("a.mech", slide("0", "1.3", "  limits 1.2 1.2\n"));
        const Json a = mech({"eval", file, "--dt", "1e-3", "--json"}).json();
        CHECK(number(a["tendons"]["cord"]["rows"]["lock"]) == Approx(-20000).epsilon(1e-9));
        CHECK_FALSE(a["tendons"]["cord"]["rows"].contains("upper"));
    }
    SECTION("a force from outside") {
        const std::string file = folder.write("a.mech", slide("0", "1", "  actuator input\n"));
        const Json a = mech({"eval", file, "--act", "cord=-3", "--json"}).json();
        CHECK(number(a["vdot"][0]) == Approx(-3));
        CHECK(number(a["tendons"]["cord"]["rows"]["drive"]) == Approx(-3));
        CHECK(number(a["tendons"]["cord"]["actuation"]) == Approx(-3));
        const Outcome wrong = mech({"eval", file, "--act", "rope=1"});
        CHECK(wrong.code == 2);
        CHECK(contains(wrong.err, "cord"));
    }
    SECTION("couplings are rows of both tendons") {
        const std::string file = folder.write("a.mech", R"(mech 1
gravity 0 0 0
body a
  joint prismatic x
  mass 1
body b
  joint prismatic x
  mass 1
drive push joint b  torque 3
tendon first fixed
  term a 1
tendon second fixed
  term b 1
coupling tie  first first  second second  poly 0 2 0 0 0
)");
        // a = 2 b: (4 + 1) b'' = 3, lambda = m a'' = 1.2 on the first, -2 of it on the second.
        const Json a = mech({"eval", file, "--dt", "1e-3", "--json"}).json();
        CHECK(number(a["vdot"][0]) == Approx(1.2).epsilon(1e-8));
        CHECK(number(a["vdot"][1]) == Approx(0.6).epsilon(1e-8));
        CHECK(number(a["tendons"]["first"]["rows"]["coupling.tie"]) == Approx(1.2).epsilon(1e-8));
        CHECK(number(a["tendons"]["second"]["rows"]["coupling.tie"]) == Approx(-2.4).epsilon(1e-8));
        const Json s = mech({"eval", file, "--json"}).json();
        CHECK(s["tendons"]["first"]["rows"]["coupling.tie"].is_null());
        CHECK(s["tendons"]["first"]["rows"]["states"]["coupling.tie"] == "not computed");
    }
}

TEST_CASE("eval: joint limits, dry friction and prescribed motion", "[cli][rows]") {
    const Folder folder;
    const std::string file = folder.write("a.mech", R"(mech 1
gravity 0 0 0
body stopped
  joint prismatic x
  mass 2
  limits -1 0.5
  start 0.5
body rubbed
  joint prismatic x
  mass 1
  joint-friction 5
body led
  joint prismatic x
  mass 3
drive push joint stopped  torque 4
drive pull joint rubbed  torque 4.5
drive lead joint led  prescribed (t^2)
)");
    const Json a = mech({"eval", file, "--dt", "1e-3", "--json"}).json();
    CHECK(number(a["joints"]["stopped"]["upper"]) == Approx(-4).epsilon(1e-9));
    CHECK(number(a["joints"]["stopped"]["lower"]) == Approx(0).margin(1e-9));
    CHECK(number(a["joints"]["rubbed"]["friction"]) == Approx(-4.5).epsilon(1e-9));
    CHECK(number(a["vdot"][1]) == Approx(0).margin(1e-9));
    // The target velocity is (E(h) - E(0))/h = h, from rest: 3 kg at h/h.
    CHECK(number(a["joints"]["led"]["prescribed"]) == Approx(3).epsilon(1e-9));
    const Json s = mech({"eval", file, "--json"}).json();
    CHECK(s["joints"]["stopped"]["upper"].is_null());
    CHECK(s["joints"]["stopped"]["states"]["upper"] == "not computed");
    CHECK(number(s["vdot"][0]) == Approx(2));
    CHECK(number(s["vdot"][2]) == Approx(2));  // E''
}

TEST_CASE("eval: contacts of shapes with a step and without", "[cli][rows]") {
    const Folder folder;
    const std::string file = folder.write("a.mech", R"(mech 1
material wood
  mu 0.5
body crate
  joint floating
  mass 2
  inertia 0.1 0.1 0.1 0 0 0
  start 1 0 0 0  0 0 0.1
shape cube on crate  box 0.2 0.2 0.2  collide wood
ground
  plane 0 0 1 0
)");
    const Json a = mech({"eval", file, "--dt", "1e-3", "--json"}).json();
    REQUIRE(a["contacts"].size() == 4);
    double up = 0;
    for (const Json& c : a["contacts"]) {
        CHECK(c["pair"] == Json::array({"base", "crate"}));
        CHECK(c["shapes"] == Json::array({"ground", "cube"}));
        CHECK(number(c["normal"][2]) == Approx(1));
        CHECK(number(c["normal_force"]) > 0);
        CHECK(number(c["impulse"][2]) == Approx(1e-3 * number(c["force_on_b"][2])));
        CHECK(c["status"] == "converged");
        up += number(c["force_on_b"][2]);
    }
    CHECK(up == Approx(2 * 9.81).epsilon(1e-6));
    const Json s = mech({"eval", file, "--json"}).json();
    REQUIRE(s["contacts"].size() == 4);
    for (const Json& c : s["contacts"]) {
        CHECK(c["force_on_b"].is_null());
        CHECK(c["states"]["force_on_b"] == "not computed");
    }
    CHECK(number(s["vdot"][5]) == Approx(-9.81));
}

TEST_CASE("simulate: a hanging load settles where its laws balance; columns of rows", "[cli][rows]") {
    const Folder folder;
    const Outcome outcome = mech({"simulate", example("suspended_load"), "--time", "4", "--dt", "1e-3", "--every",
                                  "0.01", "--trace", folder / "t.csv", "--json"});
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    const Json j = outcome.json();
    CHECK(j["integrator"] == "euler");
    CHECK(number(j["tendons"]["cable"]["length"]) == Approx(1 + (9.81 - 2) / 500).margin(1e-6));
    CHECK(number(j["tendons"]["cable"]["tension"]) == Approx(9.81).margin(1e-5));
    CHECK(number(j["solver"]["worst_residual"]) <= 1e-8);
    CHECK(j["solver"]["budget_spent"] == 0);
    const Table t = tableOf(slurp(folder / "t.csv"));
    CHECK(std::isnan(t.at(0, "tendon.cable.tension")));  // no step yet, and there is a limit
    CHECK(t.at(0, "tendon.cable.length") == Approx(1.2));
    const std::size_t last = t.rows.size() - 1;
    CHECK(t.at(last, "tendon.cable.length") == Approx(1.01562).margin(1e-6));
    CHECK(t.at(last, "tendon.cable.tension") == Approx(9.81).margin(1e-5));
    CHECK(t.at(last, "solver.status") == 1);
    // Springs, damper, drive and what the implicit spring loses account for all of it, to the scheme's order.
    const Json half =
        mech({"simulate", example("suspended_load"), "--time", "4", "--dt", "5e-4", "--every", "0.01", "--json"})
            .json();
    CHECK(number(j["largest_residual"]) < 0.1);
    CHECK(number(j["largest_residual"]) / number(half["largest_residual"]) == Approx(2).margin(0.3));
    CHECK(std::abs(t.at(last, "energy.residual")) < 1e-3);
    CHECK(t.at(last, "energy.tendons") == Approx(0.5 * 500 * std::pow(0.01562, 2)).margin(1e-6));

    const Outcome plot = mech({"plot", folder / "t.csv", "-o", folder / "t.svg", "--json"});
    REQUIRE(plot.code == 0);
    std::vector<std::string> panels;
    const Json drawn = plot.json();
    for (const Json& p : drawn["panels"]) panels.push_back(p["quantity"]);
    const auto has = [&](const char* name) { return std::find(panels.begin(), panels.end(), name) != panels.end(); };
    CHECK(has("Tension of tendons"));
    CHECK(has("Residual of the solve"));
}

TEST_CASE("simulate: Verlet does not go with rows, and that is said", "[cli][rows]") {
    const Outcome outcome = mech({"simulate", example("suspended_load"), "--time", "0.1", "--integrator", "verlet"});
    CHECK(outcome.code == 2);
    CHECK(contains(outcome.err, "cable"));
    CHECK(contains(outcome.err, "euler"));
}

TEST_CASE("sweep: JSON, table and picture say the same", "[cli][rows]") {
    const Folder folder;
    const std::string file = folder.write("a.mech", R"(mech 1
body link
  joint revolute z
  mass 1  inertia 0.01 0.01 0.01 0 0 0
  limits -1.5 2
tendon rope
  site base -0.30 0.06 0
  cylinder base 0 0 0  axis z  radius 0.05  side base 0 0.1 0
  site link 0.25 0.06 0
)");
    const std::vector<std::string> ask = {"sweep", file, "--tendon", "rope", "--joint", "link", "--samples", "71"};
    const auto with = [&](std::vector<std::string> more) {
        std::vector<std::string> all = ask;
        all.insert(all.end(), more.begin(), more.end());
        return mech(all);
    };
    const Json j = with({"--json"}).json();
    REQUIRE(j["samples"].size() == 71);
    CHECK(number(j["samples"][0]["q"]) == -1.5);  // the joint's limits
    CHECK(number(j["samples"][70]["q"]) == 2);
    CHECK(number(j["samples"][10]["length"]) == Approx(0.600365704180).margin(1e-10));
    REQUIRE(j["events"].size() == 1);
    CHECK(number(j["events"][0]["q"]) == Approx(-0.073049310689).margin(1e-9));
    CHECK(j["events"][0]["kind"] == "left");

    REQUIRE(with({"-o", folder / "s.csv"}).code == 0);
    const Table t = tableOf(slurp(folder / "s.csv"));
    REQUIRE(t.rows.size() == 71);
    for (std::size_t i = 0; i < 71; ++i) {
        CHECK(t.at(i, "length") == number(j["samples"][i]["length"]));
        CHECK(t.at(i, "moment_arm") == number(j["samples"][i]["moment_arm"]));
    }
    const Outcome table = with({"-o", "-"});
    CHECK(table.out == slurp(folder / "s.csv"));
    REQUIRE(with({"-o", folder / "s.svg"}).code == 0);
    CHECK(contains(slurp(folder / "s.svg"), "<svg"));
    CHECK(with({"-o", folder / "s.doc"}).code == 2);
    CHECK(with({"-o", file}).code == 2);
    CHECK(with({"--from", "1", "--to", "0"}).code == 2);
    const Outcome wrong = mech({"sweep", file, "--tendon", "cord", "--joint", "link"});
    CHECK(wrong.code == 2);
    CHECK(contains(wrong.err, "rope"));
    CHECK(mech({"sweep", file, "--tendon", "rope", "--joint", "arm"}).code == 2);
    CHECK(mech({"sweep", file, "--tendon", "rope"}).code == 2);
}

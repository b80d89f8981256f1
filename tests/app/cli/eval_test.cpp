// mech eval: its contract, and the equation of motion from its own numbers.
#include <algorithm>
#include <cmath>

#include "tests/app/cli/run_mech.h"
#include "tests/support/catch.h"

using namespace mw::test;

namespace {

std::string list(const std::vector<double>& numbers) {
    std::string text;
    for (double x : numbers) {
        char number[40];
        std::snprintf(number, sizeof number, "%.17g", x);
        text += (text.empty() ? "" : ",") + std::string(number);
    }
    return text;
}

std::vector<double> numbers(const Json& json) { return json.get<std::vector<double>>(); }

/// M a + b
std::vector<double> applied(const Json& M, const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> sum = b;
    for (std::size_t i = 0; i < sum.size(); ++i)
        for (std::size_t k = 0; k < sum.size(); ++k) sum[i] += M[i][k].get<double>() * a[k];
    return sum;
}

double largest(const std::vector<double>& x) {
    double most = 1;
    for (double v : x) most = std::max(most, std::abs(v));
    return most;
}

std::vector<double> spread(std::size_t count, double scale, double phase) {
    std::vector<double> x(count);
    for (std::size_t i = 0; i < count; ++i) x[i] = scale * std::sin(1.7 * double(i) + phase);
    return x;
}

}  // namespace

TEST_CASE("eval: every key of the contract, on every example", "[cli]") {
    for (const std::string& name : exampleNames()) {
        const Outcome outcome = mech({"eval", example(name), "--json"});
        CAPTURE(name, outcome.err);
        REQUIRE(outcome.code == 0);
        CHECK(outcome.err.empty());
        const Json a = outcome.json();
        // Rows add what a step of theirs says.
        std::vector<std::string> keys = {"model",    "kernel", "nq",      "nv",      "nc",       "mobility",
                                         "names",    "q",      "v",       "tau",     "vdot",     "mass_matrix",
                                         "bias",     "bodies", "points",  "energy",  "momentum", "loops",
                                         "elements", "drives", "tendons", "contacts"};
        const bool rows_too = a.contains("solver");
        if (rows_too) keys.insert(keys.end(), {"joints", "solver"});
        CHECK(keysOf(a) == keys);
        CHECK(a["model"] == name);
        CHECK(a["kernel"] == "reference");
        const std::size_t nq = a["nq"], nv = a["nv"];
        std::size_t rows = 0;
        for (const auto& [loop, l] : a["loops"].items()) {
            CHECK(keysOf(l) == std::vector<std::string>{"error", "rate", "lambda", "wrench"});
            rows += l["error"].size();
            CHECK(l["rate"].size() == l["error"].size());
            CHECK(l["lambda"].size() == l["error"].size());
            CHECK(l["wrench"].size() == 6);
            for (const Json& e : l["error"]) CHECK(std::abs(e.get<double>()) < 1e-12);
        }
        CHECK(a["nc"] == rows);
        CHECK(a["mobility"].get<std::size_t>() == a["nv"].get<std::size_t>() - rows);
        CHECK(a["names"]["q"].size() == nq);
        CHECK(a["names"]["v"].size() == nv);
        CHECK(a["q"].size() == nq);
        CHECK(a["v"].size() == nv);
        CHECK(a["tau"] == Json(std::vector<double>(nv, 0.0)));
        CHECK(a["vdot"].size() == nv);
        CHECK(a["bias"].size() == nv);
        REQUIRE(a["mass_matrix"].size() == nv);
        for (std::size_t i = 0; i < nv; ++i) {
            REQUIRE(a["mass_matrix"][i].size() == nv);
            CHECK(a["mass_matrix"][i][i].get<double>() > 0);
            for (std::size_t k = 0; k < i; ++k)
                CHECK(a["mass_matrix"][i][k].get<double>() ==
                      Approx(a["mass_matrix"][k][i].get<double>()).epsilon(1e-12).margin(1e-12));
        }
        for (const auto& [body, b] : a["bodies"].items()) {
            CHECK(keysOf(b) == std::vector<std::string>{"position", "rotation", "angular", "linear"});
            REQUIRE(b["rotation"].size() == 3);
            for (int i = 0; i < 3; ++i) {
                double square = 0;
                for (int k = 0; k < 3; ++k) square += std::pow(b["rotation"][i][k].get<double>(), 2);
                CHECK(square == Approx(1).epsilon(1e-13));
            }
        }
        // Where things may touch, their springs are among the energies.
        const bool touches = contains(slurp(example(name)), "\ntrack ");
        std::vector<std::string> energies = {"kinetic", "gravity", "elements"};
        if (touches) energies.push_back("contact");
        if (!a["tendons"].empty()) energies.push_back("tendons");
        energies.push_back("total");
        CHECK(keysOf(a["energy"]) == energies);
        double elements = touches ? a["energy"]["contact"].get<double>() : 0;
        for (const auto& [e, joule] : a["energy"]["elements"].items()) elements += joule.get<double>();
        if (!a["tendons"].empty())
            for (const auto& [e, joule] : a["energy"]["tendons"].items()) elements += joule.get<double>();
        CHECK(a["energy"]["total"].get<double>() ==
              Approx(a["energy"]["kinetic"].get<double>() + a["energy"]["gravity"].get<double>() + elements)
                  .epsilon(1e-13)
                  .margin(1e-12));
        CHECK(a["tendons"].is_object());
        CHECK(a["tendons"].empty() != contains(slurp(example(name)), "\ntendon "));
        CHECK(a["contacts"].is_array());
        if (!touches && !contains(slurp(example(name)), "collide ")) CHECK(a["contacts"].empty());
    }
}

TEST_CASE("eval: the forces of loops close the equation of motion; their rows are the gradients of the errors",
          "[cli]") {
    // RRRS: a motor on the first joint, three rows of a ball. K by differences of the errors that eval itself says.
    const Json start = mech({"eval", example("rrrs"), "--json"}).json();
    const std::vector<double> q = numbers(start["q"]), v = {0.4, -1.1, 0.7, 0.2}, tau = {1, -2, 0.5, 3};
    const Outcome outcome = mech({"eval", example("rrrs"), "--v", list(v), "--tau", list(tau), "--json"});
    REQUIRE(outcome.code == 0);
    const Json a = outcome.json();
    const std::vector<double> lambda = numbers(a["loops"]["socket"]["lambda"]),
                              rate = numbers(a["loops"]["socket"]["rate"]);
    REQUIRE(lambda.size() == 3);
    std::vector<double> left = applied(a["mass_matrix"], numbers(a["vdot"]), numbers(a["bias"])), seen(3, 0.0);
    left[0] -= a["drives"]["motor"]["force"].get<double>();
    for (std::size_t k = 0; k < 4; ++k) {
        const double h = 1e-5;
        std::vector<double> error[2];
        for (int side = 0; side < 2; ++side) {
            std::vector<double> moved = q;
            moved[k] += side == 0 ? -h : h;
            error[side] = numbers(
                mech({"eval", example("rrrs"), "--q", list(moved), "--json"}).json()["loops"]["socket"]["error"]);
        }
        for (std::size_t r = 0; r < 3; ++r) {
            const double K = (error[1][r] - error[0][r]) / (2 * h);
            left[k] -= K * lambda[r];
            seen[r] += K * v[k];
        }
        CHECK(left[k] == Approx(tau[k]).margin(1e-7));
    }
    for (std::size_t r = 0; r < 3; ++r) CHECK(rate[r] == Approx(seen[r]).margin(1e-9));
    // The ball hangs on the base: the wrench is the force alone, in base axes.
    const std::vector<double> wrench = numbers(a["loops"]["socket"]["wrench"]);
    for (std::size_t r = 0; r < 3; ++r) {
        CHECK(wrench[r] == 0);
        CHECK(wrench[3 + r] == Approx(lambda[r]));
    }
}

TEST_CASE("assemble: a torn text is closed by its start values alone; what cannot be closed is left as it was",
          "[cli]") {
    const std::string chain =
        "mech 1\n# a folding chain\nbody a\n  joint revolute y\n  mass 1  cg 0.5 0 0\n  start 0.3   # guessed\nbody "
        "b\n  "
        "parent a\n  joint revolute y\n  at 1 0 0\n  mass 1  cg 0.5 0 0\n  start 0.4\nloop pin\n  type point-on-line\n "
        " from b 1 "
        "0 0\n  to base ";
    const Folder folder;
    const std::string near = folder.write("near.mech", chain + "1.2 0 -0.9\n  axis y\n");
    const Json torn = mech({"eval", near, "--json"}).json();
    CHECK(std::abs(torn["loops"]["pin"]["error"][0].get<double>()) > 1e-3);
    const Outcome closed = mech({"assemble", near});
    REQUIRE(closed.code == 0);
    CHECK(closed.out.find("# guessed") != std::string::npos);
    CHECK(closed.out.find("# a folding chain") != std::string::npos);
    const std::string again = folder.write("again.mech", closed.out);
    const Json mended = mech({"eval", again, "--json"}).json();
    for (const Json& e : mended["loops"]["pin"]["error"]) CHECK(std::abs(e.get<double>()) < 1e-12);
    // Two links of 1 m to a point 1.5 m away fold by 2 acos(0.75): the law of cosines.
    CHECK(std::abs(mended["q"][1].get<double>()) == Approx(2 * std::acos(0.75)).margin(1e-10));
    const Outcome twice = mech({"assemble", again, "--json"});
    CHECK(twice.json()["changed"] == false);

    const std::string far = folder.write("far.mech", chain + "5 0 0\n  axis y\n");
    const Outcome open = mech({"assemble", far, "--json"});
    CHECK(open.code == 1);
    CHECK(open.json()["closed"] == false);
    CHECK(open.json()["worst"]["loop"] == "pin");
    CHECK(open.json()["worst"]["error"].get<double>() == Approx(3).epsilon(1e-3));
    CHECK(mech({"assemble", far}).out.empty());
}

TEST_CASE("eval: M vdot + bias = tau where nothing else acts", "[cli]") {
    for (const std::string name : {"threelink", "fourlink", "elbow", "stanford", "pendulums", "bintree", "satellite",
                                   "gyroscope", "double_pendulum"}) {
        const Json start = mech({"eval", example(name), "--json"}).json();
        const std::size_t nv = start["nv"];
        const std::vector<double> tau = spread(nv, 6, 0.4), v = spread(nv, 1.5, 2.1);
        const Outcome outcome = mech({"eval", example(name), "--v", list(v), "--tau", list(tau), "--json"});
        REQUIRE(outcome.code == 0);
        const Json a = outcome.json();
        const std::vector<double> left = applied(a["mass_matrix"], numbers(a["vdot"]), numbers(a["bias"]));
        CAPTURE(name);
        for (std::size_t i = 0; i < nv; ++i) CHECK(std::abs(left[i] - tau[i]) < 1e-10 * largest(numbers(a["bias"])));
        CHECK(numbers(a["tau"]) == tau);
    }
}

TEST_CASE("eval: M vdot + bias = elements, with the forces that it reports", "[cli]") {
    const std::string file = example("springpend"), v = "0.7,-0.4";
    const Json a = mech({"eval", file, "--v", v, "--act", "hinge=2.5", "--act", "coupling_spring=-3", "--json"}).json();
    // The length's rate at unit velocities is the row by which the tension acts; a pull shortens.
    const double along[2] = {
        mech({"eval", file, "--v", "1,0", "--json"}).json()["elements"]["coupling_spring"]["rate"],
        mech({"eval", file, "--v", "0,1", "--json"}).json()["elements"]["coupling_spring"]["rate"]};
    const double tension = a["elements"]["coupling_spring"]["force"], torque = a["elements"]["hinge"]["torque"];
    const std::vector<double> left = applied(a["mass_matrix"], numbers(a["vdot"]), numbers(a["bias"]));
    CHECK(left[0] == Approx(-along[0] * tension).epsilon(1e-11));
    CHECK(left[1] == Approx(-along[1] * tension + torque).epsilon(1e-11));
    // The laws themselves: k (l - l0) + c l' + act, and -k (q - q0) - c v + act.
    const Json& spring = a["elements"]["coupling_spring"];
    CHECK(tension ==
          Approx(60 * (spring["length"].get<double>() - 0.7) + 0.4 * spring["rate"].get<double>() - 3).epsilon(1e-12));
    CHECK(torque == Approx(-1.5 * a["elements"]["hinge"]["angle"].get<double>() -
                           0.02 * a["elements"]["hinge"]["rate"].get<double>() + 2.5)
                        .epsilon(1e-12));
}

TEST_CASE("eval: numbers read back exactly", "[cli]") {
    const std::vector<double> q = {0.1, 1.0 / 3, -2.0 / 7, 1e-17, 3.0000000000000004, -0.7071067811865476};
    const Json a = mech({"eval", example("elbow"), "--q", list(q), "--json"}).json();
    CHECK(numbers(a["q"]) == q);
    // Its own numbers, given back, give the same answer to the last bit.
    const Outcome again =
        mech({"eval", example("elbow"), "--q", list(numbers(a["q"])), "--v", list(numbers(a["v"])), "--json"});
    CHECK(again.json() == a);
    // So does every example's start state, quaternions included.
    for (const std::string& name : exampleNames()) {
        const Json start = mech({"eval", example(name), "--json"}).json();
        CAPTURE(name);
        CHECK(
            mech({"eval", example(name), "--q", list(numbers(start["q"])), "--v", list(numbers(start["v"])), "--json"})
                .json() == start);
    }
}

TEST_CASE("eval: the readers of one program give the same bits, the reference the same numbers", "[cli]") {
    for (const std::string name : {"stanford", "springpend", "universal_shaft"}) {
        const auto ask = [&](const char* kernel) {
            Json a = mech({"eval", example(name), "--kernel", kernel, "--json"}).json();
            CHECK(a["kernel"] == kernel);
            a.erase("kernel");
            return a;
        };
        CAPTURE(name);
        const Json interpreted = ask("interpreter"), compiled = ask("c"), machine = ask("jit"),
                   reference = ask("reference");
        CHECK(interpreted == compiled);
        CHECK(interpreted == machine);
        const std::vector<double> a = numbers(machine["vdot"]), b = numbers(reference["vdot"]);
        for (std::size_t i = 0; i < a.size(); ++i) CHECK(std::abs(a[i] - b[i]) < 1e-9 * largest(b));
    }
}

TEST_CASE("eval: an external wrench on a free body is Newton's law", "[cli]") {
    const Folder folder;
    const std::string file = folder.write(
        "free.mech",
        "mech 1\nbody free\n  joint floating\n  mass 2\n  inertia 1 2 2.5 0 0 0\n  start 0.6 0 0.8 0 1 2 3\n  fext\n");
    // A force through the origin of the body has the moment p x f about the base origin.
    const Json a = mech({"eval", file, "--fext", "free=-7,5,-1,1,3,8", "--json"}).json();
    const Json R = a["bodies"]["free"]["rotation"];
    const double f[3] = {1, 3, 8 - 2 * 9.81};
    for (int i = 0; i < 3; ++i) {
        double base = 0;  // acceleration in base axes: R (components in body axes)
        for (int k = 0; k < 3; ++k) base += R[i][k].get<double>() * a["vdot"][3 + k].get<double>();
        CHECK(base == Approx(f[i] / 2).margin(1e-12));
        // p x f = (2*8-3*3, 3*1-1*8, 1*3-2*1) = (7,-5,1): the moment about the body's origin is (0, 0, 0).
    }
    const Json b = mech({"eval", file, "--fext", "free=7,-5,1,1,3,8", "--json"}).json();
    for (int i = 0; i < 3; ++i) CHECK(b["vdot"][i].get<double>() == Approx(0).margin(1e-12));
}

TEST_CASE("eval: drives act and are reported, at the time asked for", "[cli]") {
    const Folder folder;
    const std::string file = folder.write("driven.mech",
                                          "mech 1\nbody arm\n  joint revolute z\n  mass 2\n  inertia 1 1 0.5 0 0 0\n"
                                          "drive motor joint arm  position (0.2*t)  kp 30 kd 4\n");
    const Json a = mech({"eval", file, "--time", "1.5", "--q", "0.1", "--v", "0.3", "--json"}).json();
    const double force = 30 * (0.3 - 0.1) + 4 * (0.2 - 0.3);
    CHECK(a["drives"]["motor"]["target"].get<double>() == Approx(0.3));
    CHECK(a["drives"]["motor"]["force"].get<double>() == Approx(force));
    CHECK(a["vdot"][0].get<double>() == Approx(force / 0.5));
    CHECK(a["tau"][0].get<double>() == 0);
    // Nothing here depends on a step, so solving one changes nothing.
    CHECK(mech({"eval", file, "--time", "1.5", "--q", "0.1", "--v", "0.3", "--dt", "1e-3", "--json"}).json() == a);
}

TEST_CASE("eval: a parameter's other value is as if the text said so", "[cli]") {
    const Folder folder;
    std::string text = slurp(example("double_pendulum"));
    const auto at = text.find("param l1 0.5");
    REQUIRE(at != std::string::npos);
    text.replace(at, 12, "param l1 0.75");
    const Json said = mech({"eval", folder.write("double_pendulum.mech", text), "--json"}).json();
    CHECK(mech({"eval", example("double_pendulum"), "--param", "l1=0.75", "--json"}).json() == said);
    // Not live: the start state of the gyroscope follows its lean.
    const Json upright = mech({"eval", example("gyroscope"), "--param", "lean=0.5", "--json"}).json();
    CHECK(upright["q"][0].get<double>() == Approx(std::cos(0.25)));
    // An odd value is taken, and said to be odd.
    const Outcome odd = mech({"eval", example("double_pendulum"), "--param", "l1=3", "--json"});
    CHECK(odd.code == 0);
    CHECK(contains(odd.err, "outside its range"));
}

TEST_CASE("eval: a quaternion of another length is normalised, and it is said", "[cli]") {
    const Outcome outcome = mech({"eval", example("gyroscope"), "--q", "3,0,4,0", "--json"});
    CHECK(outcome.code == 0);
    CHECK(contains(outcome.err, "normalised"));
    CHECK(outcome.json()["q"] == Json({0.6, 0.0, 0.8, 0.0}));
}

TEST_CASE("eval: the text for people has the same numbers", "[cli]") {
    const Outcome outcome = mech({"eval", example("springpend")});
    CHECK(outcome.code == 0);
    for (const char* word : {"mass matrix", "energy (J)", "coupling_spring", "hinge", "left_eye"})
        CHECK(contains(outcome.out, word));
}

TEST_CASE("a run that loops stop at once says which pose is at fault", "[cli]") {
    const Folder folder;
    const std::string flat =
        "mech 1\nbody a\n  joint revolute y\n  mass 1\n  cg 0.5 0 0\nbody b\n  parent a\n  joint revolute y\n  at 1 0 "
        "0\n  mass 1\n  cg 1 0 0\nbody c\n  joint revolute y\n  at 2 0 0\n  mass 1\n  cg 0.5 0 0\nloop l\n  type "
        "point-on-line\n  from b 2 0 0\n  to c 1 0 0\n  axis y\n";
    const std::string file = folder.write("flat.mech", flat);
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"simulate", file, "--time", "0.1", "--kernel", "reference"}, {"eval", file}}) {
        const Outcome outcome = mech(words);
        CHECK(outcome.code == 1);
        CHECK(contains(outcome.err, "2 rows have rank 1 here; elsewhere they are independent"));
    }
}

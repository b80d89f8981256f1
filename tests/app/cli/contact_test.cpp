// Bands on the ground as a script sees them: contacts of eval, columns and sums of a trace, slopes, plots.
#include <cmath>
#include <map>
#include <set>

#include "tests/app/cli/run_mech.h"
#include "tests/app/cli/table.h"
#include "tests/support/catch.h"

using namespace mw::test;

namespace {

std::string list(const Json& numbers) {
    std::string text;
    for (const Json& n : numbers) text += (text.empty() ? "" : ",") + n.dump();
    return text;
}

/// track_min after it has stood for half a second.
const Json& settled() {
    static const Json json = mech({"simulate", example("track_min"), "--time", "0.5", "--json"}).json();
    return json;
}

Json evalSettled(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"eval", example("track_min"), "--json", "--q", list(settled()["q"]),
                                          "--v",  list(settled()["v"])};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = mech(arguments);
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    return outcome.json();
}

constexpr double kMass = 1618;  // of track_min, kg: 1400 + 3 30 + 16 8

}  // namespace

TEST_CASE("eval: contacts carry what the contract names, and their forces are the ones that move the bodies",
          "[cli][contact]") {
    const Json json = evalSettled();
    const Json& contacts = json["contacts"];
    REQUIRE(contacts.size() > 10);
    std::set<std::string> ids, states;
    double ground[3] = {0, 0, 0};
    int on_ground = 0;
    for (const Json& c : contacts) {
        CHECK(keysOf(c) == std::vector<std::string>{"id", "pair", "point", "normal", "depth", "normal_force",
                                                    "friction", "force_on_b", "impulse", "solver", "pass", "status",
                                                    "residual", "generation", "state", "states"});
        CHECK(ids.insert(c["id"].get<std::string>()).second);
        CHECK(c["solver"] == "penalty");
        CHECK(c["status"] == "exact");
        CHECK(c["impulse"].is_null());
        CHECK(c["states"]["impulse"] == "not computed");
        states.insert(c["state"].get<std::string>());
        double length = 0, along = 0;
        for (int k = 0; k < 3; ++k) {
            length += std::pow(c["normal"][k].get<double>(), 2);
            along += c["normal"][k].get<double>() * c["force_on_b"][k].get<double>();
        }
        CHECK(length == Approx(1).epsilon(1e-12));
        CHECK(c["normal_force"].get<double>() >= 0);
        CHECK(contains(c["pair"][1].get<std::string>(), "band.shoe"));
        if (c["pair"][0] != "base") continue;
        ++on_ground;
        // On the ground: the force along the normal is the normal force, the rest is friction.
        CHECK(along == Approx(c["normal_force"].get<double>()).epsilon(1e-12).margin(1e-9));
        for (int k = 0; k < 3; ++k) ground[k] += c["force_on_b"][k].get<double>();
    }
    CHECK(on_ground >= 8);
    for (const std::string& state : states) CHECK((state == "open" || state == "stick" || state == "slip"));

    // Newton: what the whole accelerates with is gravity and the ground. The centre of mass by differences of the
    // momentum would need a step; the mass matrix gives it at once: the anchor and the hull are the two roots, and the
    // rates of their base coordinates carry everything. Total force = sum over roots of R (M vdot + bias) of their
    // linear rows, free of gravity's share in the bias.
    const auto& names = json["names"]["v"];
    const auto number = [](const Json& j) { return j.get<double>(); };
    double total[3] = {0, 0, 0};
    for (const std::string root : {"hull", "band.shoe0"}) {
        std::size_t row = 0;
        while (names[row] != root + ".vx") ++row;
        double local[3];
        for (std::size_t k = 0; k < 3; ++k) {
            local[k] = number(json["bias"][row + k]);
            for (std::size_t i = 0; i < names.size(); ++i)
                local[k] += number(json["mass_matrix"][row + k][i]) * number(json["vdot"][i]);
        }
        const Json& R = json["bodies"][root]["rotation"];
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t k = 0; k < 3; ++k) total[i] += number(R[i][k]) * local[k];
    }
    // M vdot + bias holds gravity on the left: what is left over comes from outside. Forces between the two trees, the
    // closure's included, cancel in the sum.
    for (std::size_t i = 0; i < 3; ++i) CHECK(total[i] == Approx(ground[i]).margin(1e-6 * kMass * 9.81));
    CHECK(ground[2] == Approx(kMass * 9.81).epsilon(0.3));

    CHECK(json["energy"]["contact"].get<double>() > 0);
    CHECK(number(json["energy"]["total"]) ==
          Approx(number(json["energy"]["kinetic"]) + number(json["energy"]["gravity"]) +
                 number(json["energy"]["contact"]))
              .epsilon(1e-12));
}

TEST_CASE("eval: with a step the forces are that step's, and their impulses are known", "[cli][contact]") {
    const Json step = evalSettled({"--dt", "1e-4"}), state = evalSettled();
    REQUIRE(step["contacts"].size() == state["contacts"].size());
    for (std::size_t i = 0; i < step["contacts"].size(); ++i) {
        const Json &a = step["contacts"][i], &b = state["contacts"][i];
        CHECK(a["id"] == b["id"]);
        CHECK_FALSE(a.contains("states"));
        // The normal law is the same formula; friction solved over a step is never more than the formula's.
        CHECK(a["normal_force"] == b["normal_force"]);
        double of_step = 0, of_state = 0;
        for (int k = 0; k < 3; ++k) {
            CHECK(a["impulse"][k].get<double>() == Approx(1e-4 * a["force_on_b"][k].get<double>()).epsilon(1e-12));
            of_step += std::pow(a["friction"][k].get<double>(), 2);
            of_state += std::pow(b["friction"][k].get<double>(), 2);
        }
        if (!contains(a["id"].get<std::string>(), "sprocket")) CHECK(of_step <= of_state * (1 + 1e-12));
    }
}

TEST_CASE("eval: all kernels feel the same contacts", "[cli][contact]") {
    const Json reference = evalSettled();
    double largest = 1;
    for (const Json& a : reference["vdot"]) largest = std::max(largest, std::abs(a.get<double>()));
    for (const char* kernel : {"interpreter", "jit"}) {
        const Json other = evalSettled({"--kernel", kernel});
        for (std::size_t i = 0; i < reference["vdot"].size(); ++i)
            CHECK(std::abs(other["vdot"][i].get<double>() - reference["vdot"][i].get<double>()) < 1e-9 * largest);
    }
}

TEST_CASE("simulate: a trace of bands says its constants and where everything is", "[cli][contact]") {
    const Folder folder;
    const std::string file = folder / "out.csv";
    const Outcome outcome = mech({"simulate", example("track_min"), "--time", "3", "--trace", file, "--json"});
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    const Json json = outcome.json();
    const Table table = tableOf(slurp(file));
    std::string head;
    for (const std::string& line : table.comments) head += line + "\n";
    for (const char* word : {"# weight 15872.58", "# ramp 0.02", "# terrain plane 0 0 1 0", "# slope 0",
                             "# friction regularized", "# track band: root hull, shoes 16, link 0.157",
                             "# roller sprocket of band: radius 0.2 m, end, driven, teeth 8", "# roller wheel of band"})
        CHECK(contains(head, word));
    for (const char* name : {"energy.contact",
                             "energy.anchors",
                             "energy.brakes",
                             "energy.contact_dissipated",
                             "contact.depth.pair",
                             "contact.depth.point",
                             "contact.loaded.pins",
                             "contact.loaded.faces",
                             "contact.loaded.points",
                             "contact.ground.fx",
                             "contact.ground.fz",
                             "contact.ground.my",
                             "track.band.tension.least",
                             "track.band.tension.greatest",
                             "pose.hull.z",
                             "pose.hull.pitch",
                             "body.sprocket.x",
                             "body.wheel.z",
                             "body.band.shoe0.x",
                             "body.band.shoe15.z"})
        CHECK(table.has(name));
    CHECK_FALSE(table.has("body.hull.x"));
    CHECK(table.rows.size() > 1500);
    CHECK(table.rows.size() < 2500);

    // Sums and places that are known otherwise.
    for (const std::size_t row : {std::size_t{0}, table.rows.size() / 2, table.rows.size() - 1}) {
        CHECK(table.at(row, "energy.total") ==
              Approx(table.at(row, "energy.kinetic") + table.at(row, "energy.gravity") +
                     table.at(row, "energy.contact") + table.at(row, "energy.anchors") + table.at(row, "energy.brakes"))
                  .epsilon(1e-12));
        CHECK(table.at(row, "pose.hull.x") == table.at(row, "q.hull.x"));
        CHECK(table.at(row, "body.band.shoe0.z") == table.at(row, "q.band.shoe0.z"));
        // Neighbouring pins are a link apart.
        double squared = 0;
        for (const char* axis : {".x", ".y", ".z"})
            squared += std::pow(table.at(row, std::string("body.band.shoe5") + axis) -
                                    table.at(row, std::string("body.band.shoe4") + axis),
                                2);
        CHECK(std::sqrt(squared) == Approx(0.15708).epsilon(1e-4));
    }
    // It stands: the ground carries the weight, and the books close.
    const Json& contact = json["contact"];
    CHECK(contact["weight"].get<double>() == Approx(kMass * 9.81).epsilon(1e-12));
    CHECK(contact["load_over_weight"].get<double>() == Approx(1).margin(0.01));
    CHECK(contact["declared"]["pairs"] == 48);
    CHECK(contact["declared"]["points"] == 64);
    CHECK(contact["deepest_pair"].get<double>() > 0);
    CHECK(contact["creep"].is_number());
    double load = 0;
    int rows = 0;
    for (std::size_t i = 0; i < table.rows.size(); ++i)
        if (table.rows[i][0] >= 2.5) {
            load += table.at(i, "contact.ground.fz");
            ++rows;
        }
    CHECK(load / rows == Approx(contact["load"].get<double>()).epsilon(1e-9));
    CHECK(std::abs(table.rows.back()[table.column("energy.residual")]) < 1);
    // --every has the last word on the rows.
    mech({"simulate", example("track_min"), "--time", "0.1", "--every", "0.05", "--trace", file});
    CHECK(tableOf(slurp(file)).rows.size() == 3);
}

TEST_CASE("simulate: parked on a slope, anchors hold what regularised friction lets creep", "[cli][contact]") {
    const auto parked = [](const char* friction) {
        const Outcome outcome =
            mech({"simulate", example("track_min"), "--time", "4", "--slope", "15", "--friction", friction, "--json"});
        CAPTURE(outcome.err);
        REQUIRE(outcome.code == 0);
        return outcome.json()["contact"];
    };
    const Json anchored = parked("anchored"), regularized = parked("regularized");
    CHECK(anchored["brake"] == true);
    CHECK(anchored["slope"].get<double>() == Approx(15));
    CHECK(anchored["creep"].get<double>() < 2e-4);
    CHECK(regularized["creep"].get<double>() > 2e-3);
    CHECK(regularized["creep"].get<double>() < 5e-2);
    // The ground's whole force stands against gravity, upright, however the ground leans.
    CHECK(anchored["load_over_weight"].get<double>() == Approx(1).margin(0.02));
}

TEST_CASE("plot: a picture of a trace alone, in three kinds", "[cli][contact]") {
    const Folder folder;
    const std::string trace = folder / "out.csv";
    REQUIRE(mech({"simulate", example("track_min"), "--time", "0.3", "--trace", trace}).code == 0);
    const std::map<std::string, std::string> magic = {{"svg", "<?xml"}, {"pdf", "%PDF"}, {"png", "\x89PNG"}};
    for (const auto& [ending, begin] : magic) {
        const std::string file = folder / ("out." + ending);
        const Outcome outcome = mech({"plot", trace, "-o", file, "--json"});
        CAPTURE(ending, outcome.err);
        REQUIRE(outcome.code == 0);
        const std::string bytes = slurp(file);
        CHECK(bytes.substr(0, begin.size()) == begin);
        CHECK(bytes.size() > 5000);
        const Json json = outcome.json();
        CHECK(json["model"] == "track_min");
        std::set<std::string> quantities;
        for (const Json& panel : json["panels"]) quantities.insert(panel["quantity"].get<std::string>());
        for (const char* quantity : {"Way of 'hull' since the start", "Attitude of 'hull'", "Ground force, upward",
                                     "Deepest contact", "Band tension", "Energy since the start"})
            CHECK(quantities.count(quantity) == 1);
    }
    // A tree without contact has coordinates and energies.
    REQUIRE(mech({"simulate", example("elbow"), "--time", "0.2", "--trace", trace}).code == 0);
    const Outcome tree = mech({"plot", trace, "-o", folder / "tree.svg", "--json"});
    REQUIRE(tree.code == 0);
    CHECK(tree.json()["panels"][0]["quantity"] == "Coordinates");
}

TEST_CASE("plot: what is no trace is refused with its place", "[cli][contact]") {
    const Folder folder;
    const std::string out = folder / "out.svg";
    const std::string torn = folder.write("torn.csv", "# mechwright trace, model x\nt,q.a\n0,1\n0.1\n");
    Outcome outcome = mech({"plot", torn, "-o", out});
    CHECK(outcome.code == 1);
    CHECK(contains(outcome.err, "torn.csv:4: 1 numbers where the line of names has 2"));
    outcome = mech({"plot", folder.write("words.csv", "t,q.a\n0,1\n0.1,soon\n"), "-o", out});
    CHECK(outcome.code == 1);
    CHECK(contains(outcome.err, "words.csv:3: 'soon' in column 'q.a' is not a number"));
    CHECK(mech({"plot", folder.write("other.csv", "x,y\n1,2\n"), "-o", out}).code == 1);
    CHECK(mech({"plot", folder.write("empty.csv", ""), "-o", out}).code == 1);
    CHECK(mech({"plot", folder.write("names.csv", "t,q.a\n"), "-o", out}).code == 1);
    outcome = mech({"plot", torn, "-o", torn});
    CHECK(outcome.code == 2);
}

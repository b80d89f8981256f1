// Numbers that are none: tables have a number or an empty field, answers a number or a word, over all models and at
// states beyond reason.
#include <cmath>
#include <regex>

#include "tests/app/cli/run_mech.h"
#include "tests/app/cli/table.h"
#include "tests/support/catch.h"
#include "tests/support/loop_models.h"

using namespace mw::test;

namespace {

/// A word that stands for no number, in a text for people.
std::string notANumber(const std::string& text) {
    static const std::regex word("(^|[^A-Za-z_.])-?(inf|nan)(?![A-Za-z_])");
    std::smatch found;
    if (!std::regex_search(text, found, word)) return {};
    const auto at = static_cast<std::size_t>(found.position(0));
    return text.substr(at < 60 ? 0 : at - 60, 90);
}

/// The path of a null that no "states" beside it explains.
std::string unexplained(const Json& json, const std::string& path = {}) {
    if (json.is_array()) {
        for (const Json& one : json)
            if (std::string inside = unexplained(one, path); !inside.empty()) return inside;
        return {};
    }
    if (!json.is_object()) return json.is_null() ? path : std::string();
    for (const auto& [key, value] : json.items()) {
        if (value.is_null()) {
            const bool said = json.contains("states") && json["states"].contains(key);
            // Of a guide that is not touched; of a penalty contact without a step; before any solve.
            const bool other = key == "first" || key == "last" || key == "segment_tension" || key == "solver";
            if (!said && !other) return path + "." + key;
        } else if (std::string inside = unexplained(value, path + "." + key); !inside.empty()) {
            return inside;
        }
    }
    return {};
}

/// Of a table with rows: forces and figures that only a step defines.
bool byStep(const Table& table, const std::string& column) {
    if (!table.has("solver.rows")) return false;
    const auto begins = [&](const char* with) { return column.rfind(with, 0) == 0; };
    const auto ends = [&](const std::string& with) {
        return column.size() > with.size() && column.compare(column.size() - with.size(), with.size(), with) == 0;
    };
    return begins("solver.") || begins("joint.") || begins("contact.") || (begins("tendon.") && ends(".tension"));
}

}  // namespace

TEST_CASE("every model: fields of a trace are numbers, or empty where only a step defines them", "[cli]") {
    const Folder folder;
    for (const std::string& name : exampleNames()) {
        CAPTURE(name);
        const std::string file = folder / (name + ".csv");
        const Outcome run = mech({"simulate", example(name), "--time", "2e-4", "--dt", "1e-4", "--every", "1e-4",
                                  "--kernel", "reference", "--trace", file});
        CAPTURE(run.err);
        REQUIRE(run.code == 0);
        CHECK(notANumber(run.out).empty());
        const Table table = tableOf(slurp(file));  // refuses words
        REQUIRE(table.rows.size() == 3);
        for (std::size_t i = 0; i < table.rows.size(); ++i)
            for (std::size_t k = 0; k < table.names.size(); ++k) {
                if (std::isfinite(table.rows[i][k])) continue;
                INFO("row " << i << ", " << table.names[k]);
                CHECK(i == 0);
                CHECK(byStep(table, table.names[k]));
            }
        const Outcome plot = mech({"plot", file, "-o", folder / "plot.svg"});
        CAPTURE(plot.err);
        CHECK(plot.code == 0);
        const std::string drawn = slurp(folder / "plot.svg");
        CHECK(notANumber(drawn).empty());
    }
}

TEST_CASE("every model: eval says numbers, or that a value is not computed", "[cli]") {
    for (const std::string& name : exampleNames())
        for (const std::vector<std::string>& more :
             std::vector<std::vector<std::string>>{{}, {"--dt", "1e-3"}, {"--dt", "1e-9"}}) {
            CAPTURE(name, more.size());
            std::vector<std::string> ask = {"eval", example(name)};
            ask.insert(ask.end(), more.begin(), more.end());
            const Outcome text = mech(ask);
            CAPTURE(text.err);
            CHECK(text.code == 0);
            CHECK(notANumber(text.out).empty());
            ask.push_back("--json");
            const Json json = mech(ask).json();
            CHECK(unexplained(json["energy"]).empty());
            CHECK(unexplained(json["tendons"]).empty());
            if (json.contains("joints")) CHECK(unexplained(json["joints"]).empty());
        }
}

TEST_CASE("states beyond reason: numbers, or exit code 1 and what is none", "[cli]") {
    const Folder folder;
    const auto onSlide = [](const std::string& law) {
        return "mech 1\ngravity 0 0 0\nbody load\n  joint prismatic x\n  mass 1\n  start 0.3\ntendon cord\n"
               "  site base 0 0 0\n  site load 0 0 0\n" +
               law;
    };
    const std::vector<std::string> laws = {"  stiffness 1e5\n", "  stiffness 1e5  damping 1e3  armature 2\n",
                                           "  muscle 850 0.13 0.16 0\n  excitation 0.5\n",
                                           "  muscle 850 0.13 1e-9 0.3\n  excitation 1\n",
                                           "  muscle 1e20 1e6 1e-160 0\n  excitation 1\n"};
    for (std::size_t i = 0; i < laws.size(); ++i) {
        const std::string file = folder.write("a" + std::to_string(i) + ".mech", onSlide(laws[i]));
        for (const std::string q : {"0.3", "-1e4", "1e9", "1e160", "1e308"})
            for (const std::vector<std::string>& ask : std::vector<std::vector<std::string>>{
                     {"eval", file, "--q", q},
                     {"eval", file, "--q", q, "--dt", "1e-3"},
                     {"simulate", file, "--q", q, "--time", "2e-3", "--dt", "1e-3", "--kernel", "reference"}}) {
                std::string line = laws[i];
                for (const std::string& a : ask) line += " " + a;
                const Outcome text = mech(ask);
                CAPTURE(line, text.out, text.err);
                CHECK(notANumber(text.out).empty());
                CHECK((text.code == 0 || text.code == 1));
                CHECK((text.code == 0 || !text.err.empty()));
                std::vector<std::string> with = ask;
                with.push_back("--json");
                const Outcome json = mech(with);
                CHECK(json.code == text.code);
                if (json.code == 0) CHECK(unexplained(json.json()["energy"]).empty());
            }
    }
}

TEST_CASE("plot: empty fields are gaps, a word is refused, and time has no gap", "[cli]") {
    const Folder folder;
    const auto drawn = [&](const std::string& rows) {
        const std::string file = folder.write(
            "t.csv", "# mechwright trace, model a\nt,q.a,tendon.c.tension,tendon.c.length,solver.rows\n" + rows);
        return mech({"plot", file, "-o", folder / "t.svg", "--json"});
    };
    CHECK(drawn("0,1,,,\n1,2,3,4,5\n2,3,4,5,6\n").code == 0);
    CHECK(drawn("0,1,3,4,5\n1,,,,\n2,3,4,5,6\n").code == 0);
    CHECK(drawn("0,1,nan,inf,-inf\n1,2,3,4,5\n").code == 0);  // as other programs have it
    CHECK(drawn("0,,,,\n").code == 0);
    // The gap is one: two pieces of the curve, no line across it.
    const std::string whole = "0,1,1,0,1\n1,1,3,0,1\n2,1,2,0,1\n3,1,3,0,1\n4,1,1,0,1\n";
    const std::string gap = "0,1,1,0,1\n1,1,3,0,1\n2,1,,0,1\n3,1,3,0,1\n4,1,1,0,1\n";
    const auto moves = [&](const std::string& rows) {
        CHECK(drawn(rows).code == 0);
        const std::string svg = slurp(folder / "t.svg");
        std::size_t count = 0;
        for (std::size_t at = 0; (at = svg.find("M ", at)) != std::string::npos; ++at) ++count;
        return count;
    };
    CHECK(moves(gap) == moves(whole) + 1);
    for (const char* faulty :
         {",1,2,3,4\n", "nan,1,2,3,4\n", "0,1,two,3,4\n", "0,1,2,3\n", "0,1,2,3,4,\n", "0, ,2,3,4\n"}) {
        CAPTURE(faulty);
        const Outcome outcome = drawn(std::string("0,1,2,3,4\n") + faulty);
        CHECK(outcome.code == 1);
        CHECK(contains(outcome.err, "t.csv:4"));
    }
}

TEST_CASE("sweep: the table's fields are empty where loops stay open", "[cli]") {
    const Folder folder;
    // A rocker that can follow the crank over a part of its turn only.
    const std::string file = folder.write("a.mech", R"(mech 1
body crank
  joint revolute y
  mass 1
  inertia 0.1 0.1 0.1 0 0 0
body coupler
  parent crank
  joint revolute y
  at 1 0 0
  mass 1
  inertia 0.1 0.1 0.1 0 0 0
  start (-60*deg)
body rocker
  parent coupler
  joint revolute y
  at 0.5 0 0
  mass 1
  inertia 0.1 0.1 0.1 0 0 0
loop pin
  type point-on-line
  from base 1.5 0 0.8
  to rocker 0.5 0 0
  axis y
tendon cord
  site base 0 0 1
  site crank 0.5 0 0
)");
    const Outcome sweep = mech({"sweep", file, "--tendon", "cord", "--joint", "crank", "--from", "-3", "--to", "3",
                                "--samples", "41", "-o", "-"});
    CAPTURE(sweep.err);
    REQUIRE(sweep.code == 0);
    CHECK(contains(sweep.err, "open"));
    const Table table = tableOf(sweep.out);
    REQUIRE(table.rows.size() == 41);
    int open = 0;
    for (std::size_t i = 0; i < 41; ++i) {
        CHECK(std::isfinite(table.at(i, "q")));
        open += std::isnan(table.at(i, "length"));
        CHECK(std::isnan(table.at(i, "length")) == std::isnan(table.at(i, "moment_arm")));
    }
    CHECK(open > 0);
    CHECK(open < 41);
}

TEST_CASE("eval: prescribed joints stand and move as their drives have them", "[cli][rows]") {
    const Folder folder;
    const std::string file = folder.write("a.mech", R"(mech 1
gravity 0 0 0
body led
  joint prismatic x
  mass 3
  joint-friction 0.5
  rate 7
drive lead joint led  prescribed (2*t + t^2)
)");
    const auto number = [](const Json& json) { return json.get<double>(); };
    // From E'(0) = 2, whatever the text's rate; in a step v+ = (E(h) - E(0))/h = 2 + h, so that 3 kg take 3 N and
    // friction.
    const Json step = mech({"eval", file, "--dt", "1e-3", "--json"}).json();
    CHECK(number(step["v"][0]) == 2);
    CHECK(number(step["vdot"][0]) == Approx(1).epsilon(1e-9));
    CHECK(number(step["joints"]["led"]["friction"]) == Approx(-0.5));
    CHECK(number(step["joints"]["led"]["prescribed"]) == Approx(3.5).epsilon(1e-9));
    const Json state = mech({"eval", file, "--json"}).json();
    CHECK(number(state["v"][0]) == 2);
    CHECK(number(state["vdot"][0]) == Approx(2));
    CHECK(state["joints"]["led"]["friction"].is_null());
    CHECK(state["joints"]["led"]["states"]["friction"] == "not computed");
    // At another time, and where somebody says otherwise: friction is against the velocity of the step's end.
    const Json later = mech({"eval", file, "--time", "0.5", "--json"}).json();
    CHECK(number(later["q"][0]) == 1.25);
    CHECK(number(later["v"][0]) == 3);
    const Json said = mech({"eval", file, "--q", "0.1", "--v", "-4", "--dt", "1e-3", "--json"}).json();
    CHECK(number(said["q"][0]) == 0.1);
    CHECK(number(said["v"][0]) == -4);
    CHECK(number(said["joints"]["led"]["friction"]) == Approx(-0.5));

    // Through a loop the others go along: a slider-crank at its closed form.
    const std::string loop = folder.write("b.mech", "mech 1\n" + mw::test::drivenSliderCrankText());
    for (const double t : {0.0, 0.3}) {
        const Json j = mech({"eval", loop, "--time", std::to_string(t), "--dt", "1e-4", "--json"}).json();
        const double a = 0.5 + 2 * t, s = std::sin(a) / 3, root = std::sqrt(1 - s * s);
        CAPTURE(t);
        CHECK(number(j["q"][0]) == Approx(a).epsilon(1e-12));
        CHECK(number(j["q"][2]) == Approx(0.2 * std::cos(a) + 0.6 * root).epsilon(1e-9));
        CHECK(number(j["v"][0]) == Approx(2).epsilon(1e-12));
        CHECK(number(j["v"][2]) == Approx(2 * (-0.2 * std::sin(a) - 0.6 * s / root * std::cos(a) / 3)).epsilon(1e-9));
        CHECK(number(j["loops"]["pin"]["rate"][0]) == Approx(0).margin(1e-9));
    }
}

TEST_CASE("sweeps of several substeps are not held against the bound of one", "[cli][rows]") {
    const Folder folder;
    for (const int substeps : {1, 20}) {
        const std::string file =
            folder.write("a.mech",
                         "mech 1\nground\n  plane 0 0 1 0\n  mu 0.5\nmaterial m\n  mu 0.5\nbody box\n"
                         "  joint floating\n  mass 1\n  inertia 0.1 0.1 0.1 0 0 0\n  start 1 0 0 0 0 0 0.099\n"
                         "  rate 1 0.3 0 0.4 0.2 -1\nshape cube on box  box 0.2 0.2 0.2  collide m\n"
                         "contact\n  iterations 30  tolerance 1e-300  substeps " +
                             std::to_string(substeps) + "\n");
        const Outcome text = mech({"eval", file, "--dt", "1e-3"});
        CAPTURE(text.out, text.err);
        REQUIRE(text.code == 0);
        CHECK(contains(text.out, substeps > 1 ? "sweeps in 20 substeps (at most 30 in each)" : "sweeps (at most 30)"));
        const Json solver = mech({"eval", file, "--dt", "1e-3", "--json"}).json()["solver"];
        CHECK(solver["substeps"] == substeps);
        CHECK(solver["sweeps"].get<int>() <= 30 * substeps);
    }
}

TEST_CASE("drives that fight over a loop are warned of before they tear it", "[cli]") {
    const Folder folder;
    std::string text = slurp(example("fourbar"));
    const auto at = text.find("drive motor");
    REQUIRE(at != std::string::npos);
    text.replace(at, text.find('\n', at) - at,
                 "drive motor joint crank  prescribed (crank_angle + 4*t)\n"
                 "drive second joint rocker  prescribed (rocker_angle - coupler_angle)");
    const std::string file = folder.write("fight.mech", text);
    const Outcome check = mech({"check", file, "--json"});
    CAPTURE(check.out);
    CHECK(check.code == 0);
    int found = 0;
    for (const Json all = check.json()["warnings"]; const Json& one : all) {
        if (one["code"] != "drives-against-loops") continue;
        ++found;
        CHECK(contains(one["message"].get<std::string>(), "'motor'"));
        CHECK_FALSE(one["remedy"].get<std::string>().empty());
    }
    CHECK(found == 1);
    const Outcome run = mech({"simulate", file, "--time", "0.01", "--kernel", "reference"});
    CHECK(contains(run.err, "drives-against-loops"));
}

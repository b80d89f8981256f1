// The runner with a vehicle on bands: ramp, driving, brake, friction and slope are inputs of the run, recorded and
// replayed; looks at contacts belong to the state shown.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/track/expand.h"
#include "tests/app/live/runner_bench.h"

using namespace mw;
using namespace mw::app;

namespace {

Model banded(const char* name = "track_min") {
    std::ifstream file(std::filesystem::path(MW_SOURCE_DIR) / "models" / (std::string(name) + ".mech"));
    std::stringstream text;
    text << file.rdbuf();
    ReadResult read = readMechanism(text.str());
    REQUIRE(read.ok());
    return read.model;
}

constexpr double kDt = 1e-4;

}  // namespace

TEST_CASE("a vehicle starts with the ramp, its readings show contacts and what can be driven", "[vehicle]") {
    Bench bench(banded(), kDt);
    auto s = bench.now();
    CHECK(s->contact.ramp == 0.02);
    CHECK(s->contact.slope == 0);
    CHECK(s->contact.friction == Friction::regularized);
    REQUIRE(s->driven.size() == 1);
    CHECK(s->model->bodies[static_cast<std::size_t>(s->driven[0].body)].name == "sprocket");
    bench.runner.step(250);
    s = bench.now();
    REQUIRE(!s->readings.contacts.empty());
    REQUIRE(s->readings.tensions.size() == 1);
    // The list and the totals are the same numbers.
    double sum = 0;
    int points = 0;
    for (const ContactReading& c : s->readings.contacts)
        if (c.kind == ContactReading::Kind::ground) sum += c.force[2], ++points;
    CHECK(points == s->readings.contact_totals.points);
    CHECK(sum == Approx(s->readings.contact_totals.ground_force[2]).epsilon(1e-9));
    // The history has them, too.
    const auto samples = bench.runner.energies(0, 1, 1000);
    REQUIRE(!samples.empty());
    CHECK(samples.back().ground == Approx(sum).epsilon(1e-9));
    CHECK(samples.back().contacts > 0);
    CHECK(samples.back().tension == Approx(s->readings.tensions[0].greatest));
}

TEST_CASE("driving turns the sprocket forward, the brake holds it, a replay gives the same bits", "[vehicle]") {
    Bench bench(banded(), kDt);
    bench.runner.step(600);
    bench.runner.setDriving({4.0});
    bench.runner.step(1500);
    auto s = bench.now();
    CHECK(s->inputs.driving == std::vector<double>{4.0});
    const auto speed = [&] { return bench.now()->state.v[static_cast<std::size_t>(s->driven[0].v)]; };
    CHECK(speed() > 1);
    CHECK(speed() < 4.2);
    const Hash driving = bench.hash();
    bench.runner.step(10);
    bench.hash();
    bench.runner.setDriving({});
    bench.runner.setBrake(true);
    bench.runner.step(3000);
    s = bench.now();
    CHECK(s->inputs.brake);
    CHECK(s->inputs.driving.empty());
    CHECK(std::abs(speed()) < 1);
    const Hash braked = bench.hash();
    bench.runner.scrub(2100 * kDt);
    CHECK(bench.hash() == driving);
    CHECK(bench.now()->inputs.driving == std::vector<double>{4.0});
    CHECK_FALSE(bench.now()->inputs.brake);
    bench.runner.step(3010);
    CHECK(bench.hash() == braked);
    // What does not fit is not taken.
    bench.runner.setDriving({1, 2});
    bench.runner.setDriving({NAN});
    CHECK(bench.now()->inputs.driving.empty());
}

TEST_CASE("a slope starts the run anew, turned; a mechanism that hangs on the base refuses it", "[vehicle]") {
    Bench bench(banded(), kDt);
    bench.runner.step(100);
    const std::vector<double> level = bench.now()->state.q;
    bench.runner.setContactSetup(Friction::anchored, 0.2);
    auto s = bench.now();
    CHECK(s->state.step == 0);
    CHECK(s->contact.slope == 0.2);
    CHECK(s->contact.friction == Friction::anchored);
    // The hull's up leans back by the slope: uphill is +x.
    const std::vector<double>& X = s->readings.X;
    CHECK(X[2] == Approx(-std::sin(0.2)).margin(1e-9));
    CHECK(X[8] == Approx(std::cos(0.2)).margin(1e-9));
    // Reset keeps it, another friction goes on.
    bench.runner.step(50);
    bench.runner.flush();
    bench.runner.setContactSetup(Friction::regularized, 0.2);
    s = bench.now();
    CHECK(s->state.step == 50);
    CHECK(s->contact.friction == Friction::regularized);
    bench.runner.reset();
    CHECK(bench.now()->contact.slope == 0.2);
    bench.runner.setContactSetup(Friction::regularized, NAN);
    CHECK_FALSE(bench.now()->problem.empty());
    CHECK(bench.now()->contact.slope == 0.2);

    Bench crank(test::springpend());
    crank.runner.setContactSetup(Friction::regularized, 0.2);
    CHECK_FALSE(crank.now()->problem.empty());
    CHECK(crank.now()->contact.slope == 0);
    CHECK(crank.now()->driven.empty());
}

// The table of readings against independent recomputation: finite differences of positions, momenta of a single body.
#include "app/live/probes.h"

#include <algorithm>
#include <cmath>

#include "engine/dynamics/reference_kernel.h"
#include "tests/support/catch.h"
#include "tests/support/models.h"

using namespace mw;
using namespace mw::app;

namespace {

const Probe& find(const std::vector<Probe>& probes, const std::string& name) {
    const auto it = std::find_if(probes.begin(), probes.end(), [&](const Probe& p) { return p.name == name; });
    INFO(name);
    REQUIRE(it != probes.end());
    return *it;
}

std::shared_ptr<const Snapshot> snapshotAfter(Runner& runner, int steps) {
    runner.step(steps);
    runner.flush();
    return runner.snapshot();
}

}  // namespace

TEST_CASE("velocities are the slopes of positions", "[probes]") {
    const auto model = std::make_shared<const Model>(test::springpend());
    Runner runner;
    const double dt = 1e-5;
    runner.setDt(dt);
    runner.setModel(model, makeReferenceKernel(*model), false);
    const auto before = bodyProbes(*snapshotAfter(runner, 1000), 0);
    const auto now = bodyProbes(*snapshotAfter(runner, 1), 0);
    const auto after = bodyProbes(*snapshotAfter(runner, 1), 0);
    for (const auto& [place, speed] : {std::pair<std::string, std::string>{"position", "velocity"},
                                       {"centre of mass", "velocity of the centre of mass"},
                                       {"q left", "v left"},
                                       {"v left", "dv/dt left"}}) {
        CAPTURE(place);
        const auto &a = find(before, place).values, &b = find(after, place).values, &v = find(now, speed).values;
        REQUIRE(a.size() == v.size());
        for (std::size_t k = 0; k < v.size(); ++k)
            CHECK((b[k] - a[k]) / (2 * dt) == Approx(v[k]).margin(1e-7).epsilon(1e-6));
    }
}

TEST_CASE("every row of every body says what it is", "[probes]") {
    for (Model m : {test::satellite(), test::springpend(), test::elbow()}) {
        const auto model = std::make_shared<const Model>(std::move(m));
        Runner runner;
        runner.setModel(model, makeReferenceKernel(*model), false);
        const auto snapshot = snapshotAfter(runner, 5);
        for (int b = 0; b < static_cast<int>(model->bodies.size()); ++b)
            for (const Probe& p : bodyProbes(*snapshot, b)) {
                CAPTURE(p.name);
                CHECK_FALSE(p.unit.empty());
                CHECK(p.values.empty() == (p.state != Probe::State::value));
                if (p.state == Probe::State::value) {
                    CHECK_FALSE(p.by.empty());
                    CHECK_FALSE(p.axes.empty());
                } else {
                    CHECK_FALSE(p.note.empty());
                }
            }
        CHECK(bodyProbes(*snapshot, kBase).empty());
        CHECK(bodyProbes(*snapshot, 99).empty());
        CHECK(wholeProbes(*snapshot).size() == 9);
    }
    CHECK(bodyProbes(Snapshot{}, 0).empty());
    CHECK(wholeProbes(Snapshot{}).empty());
}

TEST_CASE("a number that is none is invalid, not shown", "[probes]") {
    const auto model = std::make_shared<const Model>(test::elbow());
    Runner runner;
    runner.setModel(model, makeReferenceKernel(*model), false);
    Snapshot snapshot = *snapshotAfter(runner, 1);
    snapshot.state.q[0] = NAN;
    const auto probes = bodyProbes(snapshot, 0);
    CHECK(find(probes, "q waist").state == Probe::State::invalid);
    CHECK(std::string(probeStateName(Probe::State::not_computed)) == "not computed");
}

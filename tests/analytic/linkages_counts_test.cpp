// What each linkage of models/ is: its counts, its mobility, whether its start pose closes, and which are refused.
#include <algorithm>

#include "tests/analytic/linkages.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::test;

namespace {

struct Counts {
    const char* name;
    int nq, nv, nc, mobility;
};

}  // namespace

// nq, nv and nc by counting joints and closures in the files; mobility is nv - nc where nothing is redundant.
// Gruebler's count of a plane mechanism, 3 (links - 1) - 2 (turning and sliding joints), must give the same:
//   crank, fourbar, slidercrank 3*3 - 2*4 = 1 (the slider-crank's rod without mass counts as a link with two pins);
//   watt 3*5 - 2*7 = 1; peaucellier 3*7 - 2*10 = 1;
//   backhoe above its post: 11 moving parts; joints: 5 pins of the arm (boom, dipper, bucket, lever, link), 3 feet, 3
//   slides and 4 closures, 15: 3*11 - 2*15 = 3, and the post's turn.
// In space, 6 (links - 1) - 5 (hinges and slides) - 4 universals - 3 balls:
//   rrrs 6*4 - 5*4 - 3 = 1; stewart (12 leg parts and a plate) 6*13 - 6 (4 + 5 + 3) = 6; bennett 6*3 - 5*4 = -2, yet 1.
TEST_CASE("linkages: counts and mobility", "[analytic][linkages]") {
    const Counts want =
        GENERATE(Counts{"crank", 3, 3, 2, 1}, Counts{"fourbar", 3, 3, 2, 1}, Counts{"rrrs", 4, 4, 3, 1},
                 Counts{"slidercrank", 2, 2, 1, 1}, Counts{"stewart", 25, 24, 18, 6}, Counts{"watt", 5, 5, 4, 1},
                 Counts{"bennett", 3, 3, 2, 1}, Counts{"peaucellier", 7, 7, 6, 1}, Counts{"backhoe", 12, 12, 8, 4});
    CAPTURE(want.name);
    Linkage linkage(want.name);
    CHECK(linkage.layout.nq == want.nq);
    CHECK(linkage.layout.nv == want.nv);
    CHECK(linkage.layout.nc == want.nc);
    CHECK(linkage.worst(linkage.start()) < 1e-12);

    for (const LoopHealth& health :
         {linkage.closure.health(linkage.start(), linkage.param), linkage.closure.generalHealth(linkage.param)}) {
        CHECK(health.rank == want.nc);
        CHECK(health.mobility == want.mobility);
        CHECK(health.redundant.empty());
        CHECK(health.condition < 1e6);
    }
    const std::vector<FreeMotion> motions = linkage.closure.freeMotions(linkage.start(), linkage.param);
    REQUIRE(static_cast<int>(motions.size()) == want.mobility);
    // Each leads itself and keeps the loops: K v = 0.
    const std::vector<double> K = linkage.closure.jacobian(linkage.start(), linkage.param);
    for (const FreeMotion& motion : motions) {
        CAPTURE(motion.name);
        CHECK(motion.v[static_cast<std::size_t>(motion.velocity)] == Approx(1));
        for (int row = 0; row < want.nc; ++row) {
            double rate = 0, scale = 1;
            for (int i = 0; i < want.nv; ++i) {
                const double term =
                    K[static_cast<std::size_t>(row * want.nv + i)] * motion.v[static_cast<std::size_t>(i)];
                rate += term;
                scale = std::max(scale, std::abs(term));
            }
            CHECK(std::abs(rate) < 1e-12 * scale);
        }
    }
}

// A plane loop closed by a hinge: three parallel axes already forbid the two tilts and the move along them. Bennett's:
// all five rows follow from two (the four-bar in space moves, so rank <= 3 - 1).
TEST_CASE("linkages: an overconstrained closure names what it says twice", "[analytic][linkages]") {
    const std::string name = GENERATE(std::string("fourbar_revolute"), std::string("bennett_revolute"));
    CAPTURE(name);
    const std::string text = example("refused/" + name);
    CHECK(text.rfind("# refused: loop-redundant\n", 0) == 0);
    Linkage linkage("refused/" + name);
    CHECK(linkage.layout.nc == 5);
    CHECK(linkage.worst(linkage.start()) < 1e-12);
    const LoopHealth health = linkage.closure.generalHealth(linkage.param);
    CHECK(health.rank == 2);
    CHECK(health.mobility == 1);
    REQUIRE(health.redundant.size() == 3);
    for (const RedundantRow& row : health.redundant) CHECK_FALSE(row.direction.empty());
    if (name == "fourbar_revolute") {
        // The pin's axis is y: the turns across it (z, x) and the move along it are what the chain forbids already.
        std::vector<std::string> directions;
        for (const RedundantRow& row : health.redundant) directions.push_back(row.direction);
        std::sort(directions.begin(), directions.end());
        CHECK(directions == std::vector<std::string>{"moving along y", "turning about x", "turning about z"});
    }
    REQUIRE(health.remedies.size() == 1);
    CHECK(health.remedies[0].type == LoopType::point_on_line);
}

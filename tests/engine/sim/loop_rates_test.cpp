// The largest rate of mechanisms with loops against closed forms: what the loops hold together vibrates together.
#include <cmath>

#include "engine/dynamics/reference_kernel.h"
#include "engine/sim/simulation.h"
#include "tests/support/catch.h"
#include "tests/support/loop_models.h"

using namespace mw;
using namespace mw::test;

namespace {

State startOf(const Model& model, const Layout& layout) {
    State state;
    state.q = startQ(model, layout, model.liveValues());
    state.v = startV(model, layout, model.liveValues());
    return state;
}

double rateOf(const Model& model) {
    const Layout layout = layoutOf(model);
    return largestRate(model, layout, makeReferenceKernel(model), startOf(model, layout), model.liveValues());
}

/// Two sliders along x, held at a distance by a rod; a spring and a damper from the ground to the first.
std::string slidersText(double k, double c, const std::string& more = "") {
    return fmt::format(R"(body near
  joint prismatic x
  mass 2
body far
  joint prismatic x
  mass 3
  start 0.5
{}loop rod
  type distance
  from near 0 0 0
  to far 0 0 0
  length 0.5
poi post on base at -1 0 0
poi mount on near at 0 0 0
tsda spring from post to mount  k {}  c {}
)",
                       more, k, c);
}

}  // namespace

TEST_CASE("rates: what a loop holds together moves as one", "[sim][loops]") {
    // sqrt(k / (m1 + m2)), not sqrt(k / m1).
    CHECK(rateOf(loopModel("stab 1\n" + slidersText(8000, 0))) == Approx(std::sqrt(8000 / 5.0)).epsilon(1e-12));
    CHECK(rateOf(loopModel("stab 1\n" + slidersText(0, 300))) == Approx(300 / 5.0).epsilon(1e-12));
    // A spring that the loop holds still has no rate at all: a second rod ties the first slider to the ground.
    const std::string held =
        slidersText(8000, 0) + "loop anchor\n  type distance\n  from base -1 0 0\n  to near 0 0 0\n  length 1\n";
    CHECK(rateOf(loopModel("stab 0.5\n" + held)) == Approx(2).epsilon(1e-6));
}

TEST_CASE("rates: torn loops close at 1/T, and a step is short for it", "[sim][loops]") {
    const Model model = loopModel("stab 0.001\n" + slidersText(0, 0));
    CHECK(rateOf(model) == Approx(1000));
    const Layout layout = layoutOf(model);
    std::string why;
    const double dt =
        suggestedStep(model, layout, makeReferenceKernel(model), startOf(model, layout), model.liveValues(), &why);
    CHECK(dt == Approx(2e-5));
    CHECK(why.find("closing of loops") != std::string::npos);
    Model loose = model;
    loose.stab = 0;
    CHECK(rateOf(loose) == 0);
}

// Where cards and legend stand: never one over another, never out of the view, whatever the mechanism, the size of the
// window, its scale, and what is unfolded.
#include <algorithm>
#include <fmt/format.h>

#include "app/live/headless.h"
#include "app/panels/view_core.h"
#include "app/render/offscreen.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::app;
using scene::Rect;

namespace {

struct Size {
    int width, height;  // interface px
};
/// Views in windows from 1024x700 up, in each of the layouts; the last ones have their lower panels drawn up.
constexpr Size kSizes[] = {{588, 386},  {454, 386}, {804, 320}, {741, 414},
                           {1416, 830}, {589, 250}, {420, 300}, {630, 386}};

struct Stage {
    render::Offscreen offscreen;
    Mechanism mechanism;
    Runner runner;
    ViewCore core{true};
    double now = 1;
    explicit Stage(const std::string& model)
        : mechanism(mechanismFromFile(std::filesystem::path(MW_SOURCE_DIR) / "models" / (model + ".mech"))) {
        REQUIRE(mechanism.model);
        offscreen.makeCurrent();
        core.setShown(ViewPart::smooth_moves, false);
        core.setShown(ViewPart::grid, false);
        runner.setModel(mechanism.model, makeKernel(mechanism, "reference"), false);
        runner.step(5);
        runner.flush();
        core.setSnapshot(runner.snapshot(), {});
    }
    void draw(const Size& size, double scale) {
        for (int i = 0; i < 3; ++i) {  // cards find their heights
            now += 0.02;
            core.frame({static_cast<int>(size.width * scale), static_cast<int>(size.height * scale), 0, scale, now,
                        scene::ThemeKind::dark, true});
        }
    }
    void want(const Size& size, double scale, const std::string& what) {
        draw(size, scale);
        std::vector<std::pair<std::string, Rect>> all = core.cards();
        REQUIRE(core.legend().width > 0);
        all.emplace_back("legend", core.legend());
        INFO(mechanism.name << ", " << what << ", " << size.width << "x" << size.height << " at " << scale);
        for (std::size_t i = 0; i < all.size(); ++i) {
            const Rect& a = all[i].second;
            INFO(all[i].first << ": " << a.x << " " << a.y << ", " << a.width << " x " << a.height);
            CHECK(a.x >= 0);
            CHECK(a.y >= 0);
            CHECK(a.x + a.width <= size.width * scale + 0.5);
            CHECK(a.y + a.height <= size.height * scale + 0.5);
            for (std::size_t k = i + 1; k < all.size(); ++k) {
                const Rect& b = all[k].second;
                INFO(all[k].first << ": " << b.x << " " << b.y << ", " << b.width << " x " << b.height);
                CHECK_FALSE(a.overlaps(b));
            }
        }
    }
    bool has(const std::string& card) const {
        return std::any_of(core.cards().begin(), core.cards().end(), [&](const auto& c) { return c.first == card; });
    }
};

}  // namespace

TEST_CASE("cards and legend never overlap, at any size, with anything unfolded", "[layout]") {
    const std::string model =
        GENERATE(as<std::string>{}, "elbow_muscle", "cable_robot", "marionette", "track_min", "fourbar", "elbow");
    Stage stage(model);
    PanelState& p = stage.core.panels();
    for (const Size& size : kSizes) {
        const double scale = size.width % 2 == 1 ? 1.5 : 1;
        p.sliders_open = p.contacts_open = p.tendons_open = false;
        p.run_open = true;
        stage.core.setSelection({});
        stage.want(size, scale, "folded");
        // Every head is there to be found.
        CHECK(stage.has("##run"));
        if (size.height >= 320) CHECK(stage.has("##sliders"));
        if (!stage.mechanism.model->tendons.empty()) CHECK(stage.has("##tendons"));
        p.sliders_open = true;
        stage.want(size, scale, "sliders");
        p.contacts_open = p.tendons_open = p.list_open = true;
        stage.want(size, scale, "all unfolded");
        stage.core.toggleCard(ViewCard::performance);
        stage.want(size, scale, "with performance");
        stage.core.toggleCard(ViewCard::performance);
        p.sliders_open = p.contacts_open = p.tendons_open = false;
        const Model& m = *stage.mechanism.model;
        stage.core.setSelection(
            {m.tendons.empty() ? Item{"body", m.bodies[0].name} : Item{"tendon", m.tendons[0].name}});
        stage.want(size, scale, "selected");
        // Colours of forces and a note make the legend longer: it takes further lines.
        for (const ViewPart part : {ViewPart::gravity, ViewPart::logarithmic, ViewPart::loop_forces})
            stage.core.setShown(part, true);
        stage.want(size, scale, "with forces");
        for (const ViewPart part : {ViewPart::gravity, ViewPart::logarithmic, ViewPart::loop_forces})
            stage.core.setShown(part, false);
    }
}

TEST_CASE("the legend keeps its place while numbers change", "[layout]") {
    Stage stage("elbow_muscle");
    stage.core.panels().sliders_open = false;
    stage.draw({741, 414}, 1);
    const Rect before = stage.core.legend();
    CHECK(before.x > 228);  // beside the cards
    stage.runner.step(1500);
    stage.runner.flush();
    stage.core.setSnapshot(stage.runner.snapshot(), {});
    stage.draw({741, 414}, 1);
    CHECK(stage.core.legend().x == before.x);
    CHECK(stage.core.legend().y == before.y);
}

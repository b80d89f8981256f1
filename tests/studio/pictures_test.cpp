// Pictures of the studio at work, for docs/studio.md and for the eyes of who reviews a change; scripts/pictures copies
// them. What is judged here: at every size, scale and theme the window comes up whole, runs, and shows what was asked
// for.
#include <algorithm>

#include "tests/studio/studio.h"
#include "tests/support/catch.h"

using namespace mw::test;
namespace fs = std::filesystem;

namespace {

/// Runs a little way and takes the whole window once it stands still.
void runAndTake(Studio& studio, const std::string& name) {
    Stage& stage = studio.stage();
    REQUIRE(studio.waitProven());
    studio.clickView();
    stage.key(keys::space);
    REQUIRE(until([&] { return studio.slider().part() > 0.11; }));
    stage.key(keys::space);
    const Picture all = studio.still({0, 0, stage.width(), stage.height()});
    CHECK(all.save(pictureFolder() / (name + ".png")));
    // The theme's ground is there, and both ends of the slider are inside the window.
    CHECK(count(all, studio.theme().panel.rgb(), 1) > all.width * all.height / 20);
    CHECK(studio.slider().right < stage.width());
    CHECK(studio.beam().pixels > 200);
}

}  // namespace

TEST_CASE("pictures: both themes, plain and at scale 1.5", "[studio][pictures]") {
    struct Take {
        std::string theme, name;
        std::vector<std::string> more;
        int width, height;
    };
    const Take take = GENERATE(values<Take>({
        {"dark", "studio-dark-1280x720", {}, 1280, 720},
        {"light", "studio-light-1280x720", {}, 1280, 720},
        {"dark", "studio-dark-scale-1.5", {"--scale", "1.5"}, 1440, 900},
        {"light", "studio-light-scale-1.5", {"--scale", "1.5"}, 1440, 900},
    }));
    CAPTURE(take.name);
    const Home home;
    std::vector<std::string> more{"--theme", take.theme};
    more.insert(more.end(), take.more.begin(), take.more.end());
    Studio studio(home, home.copyOf("elbow"), "C.UTF-8", more, take.width, take.height);
    runAndTake(studio, take.name);
}

TEST_CASE("pictures: each layout", "[studio][pictures]") {
    const Home home;
    Studio studio(home, home.copyOf("elbow"));
    Stage& stage = studio.stage();
    runAndTake(studio, "layout-inspect");
    // The switch is the row of four framed buttons at the right of the tool bar.
    const auto choices = [&] { return studio.buttons({stage.width() * 3 / 4 - 8, 36, stage.width() / 4 + 8, 38}); };
    const char* names[] = {"author", "run", "inspect", "teach"};
    for (const std::size_t i : {0u, 1u, 3u}) {
        const std::vector<Rect> all = choices();
        REQUIRE(all.size() == 4);
        const Rect before = studio.view();
        stage.click(all[i].x + all[i].width / 2, all[i].y + all[i].height / 2);
        REQUIRE(until([&] {
            const Rect now = studio.view();
            return now.width > 300 && (now.width != before.width || now.height != before.height);
        }));
        const Picture picture = studio.still({0, 0, stage.width(), stage.height()});
        CHECK(picture.save(pictureFolder() / (std::string("studio-layout-") + names[i] + ".png")));
        CHECK(studio.beam().pixels > 100);
    }
}

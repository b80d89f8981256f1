// The built viewer on a display of its own: what it draws is judged by the picture it saves.
#include <cmath>
#include <set>

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb_image.h>
#pragma GCC diagnostic pop

#include "tests/player/display.h"
#include "tests/support/catch.h"

using namespace mw::test;

namespace {

struct Picture {
    int width = 0, height = 0;
    std::vector<unsigned char> rgb;
    const unsigned char* at(int x, int y) const {
        return &rgb[3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x))];
    }
};

Picture load(const std::string& file) {
    Picture p;
    int channels = 0;
    unsigned char* data = stbi_load(file.c_str(), &p.width, &p.height, &channels, 3);
    if (data) p.rgb.assign(data, data + std::size_t{3} * static_cast<std::size_t>(p.width * p.height));
    stbi_image_free(data);
    return p;
}

// Pixels of a part of two pictures that differ clearly.
int differing(const Picture& a, const Picture& b, int x0, int y0, int x1, int y1) {
    int count = 0;
    for (int y = y0; y < y1; ++y)
        for (int x = x0; x < x1; ++x) {
            const unsigned char *p = a.at(x, y), *q = b.at(x, y);
            if (std::abs(p[0] - q[0]) + std::abs(p[1] - q[1]) + std::abs(p[2] - q[2]) > 40) ++count;
        }
    return count;
}

std::size_t colours(const Picture& p, int x0, int y0, int x1, int y1) {
    std::set<int> seen;
    for (int y = y0; y < y1; ++y)
        for (int x = x0; x < x1; ++x) seen.insert(p.at(x, y)[0] << 16 | p.at(x, y)[1] << 8 | p.at(x, y)[2]);
    return seen.size();
}

std::string example(const char* name) { return std::string(MW_SOURCE_DIR) + "/models/" + name + ".mech"; }

}  // namespace

TEST_CASE("the viewer draws a mechanism, its cards and the run bar") {
    const Display display;
    const Folder folder;
    const std::string empty = folder / "empty.png", still = folder / "still.png", later = folder / "later.png";
    REQUIRE(mechview({"--screenshot", empty}, display.name(), folder).code == 0);
    REQUIRE(mechview({example("springpend"), "--screenshot", still}, display.name(), folder).code == 0);
    REQUIRE(mechview({example("springpend"), "--time", "0.4", "--screenshot", later, "--kernel", "reference"},
                     display.name(), folder)
                .code == 0);
    const Picture none = load(empty), a = load(still), b = load(later);
    REQUIRE(a.width == 1280);
    REQUIRE(a.height == 720);
    REQUIRE(b.rgb.size() == a.rgb.size());
    // The mechanism stands where the empty view has ground; shading gives it many colours.
    CHECK(differing(none, a, 320, 60, 1000, 640) > 20000);
    CHECK(colours(a, 320, 60, 1000, 640) > 200);
    // Cards at the left, the badge at the top, buttons in the bar.
    CHECK(differing(none, a, 12, 12, 228, 170) > 5000);
    CHECK(differing(none, a, 500, 8, 780, 44) > 500);
    CHECK(colours(a, 0, 680, 160, 720) > 8);
    // Another instant is another picture, and the time slider has moved on.
    CHECK(differing(a, b, 320, 60, 1000, 640) > 500);
    CHECK(differing(a, b, 250, 685, 900, 712) > 20);
}

TEST_CASE("the viewer draws at another size and scale, in the light theme") {
    const Display display;
    const Folder folder;
    const std::string file = folder / "large.png";
    REQUIRE(
        mechview({example("elbow"), "--theme", "light", "--size", "1500x900", "--scale", "1.5", "--screenshot", file},
                 display.name(), folder)
            .code == 0);
    const Picture p = load(file);
    REQUIRE(p.width == 1500);
    REQUIRE(p.height == 900);
    // The bar is 44 interface pixels of the light theme's raised ground.
    CHECK(p.at(700, 900 - 60)[0] > 0xF0);
    CHECK(p.at(5, 900 - 5)[0] == 0xF6);
    CHECK(p.at(5, 900 - 62)[0] == 0xF6);
    CHECK(p.at(5, 900 - 72)[0] != 0xF6);
}

TEST_CASE("a faulty file is shown with its places, and said") {
    const Display display;
    const Folder folder;
    const std::string file = folder / "bad.mech", picture = folder / "bad.png";
    std::ofstream(file) << "mech 1\nbody a\n  joint revolut y\n  mass 1\n";
    const Outcome outcome = mechview({file, "--screenshot", picture}, display.name(), folder);
    CHECK(outcome.code == 0);
    CHECK(outcome.err.find("bad.mech:3:9: error:") != std::string::npos);
    CHECK(load(picture).width == 1280);
    const Outcome missing = mechview({folder / "none.mech", "--screenshot", picture}, display.name(), folder);
    CHECK(missing.code == 1);
    CHECK(missing.err.find("none.mech") != std::string::npos);
}

TEST_CASE("without a display the viewer says so; help and usage need none") {
    const Folder folder;
    const Outcome outcome = mechview({example("elbow")}, "", folder);
    CHECK(outcome.code == 1);
    CHECK(outcome.err.find("no display") != std::string::npos);
    CHECK(mechview({"--help"}, "", folder).code == 0);
    CHECK(mechview({"--size", "12"}, "", folder).code == 2);
    CHECK(mechview({"--theme", "pink"}, "", folder).code == 2);
}

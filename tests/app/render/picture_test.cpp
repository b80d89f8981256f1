// Pictures without a window: something is drawn, colours are the tokens', picking and pixels agree, the same scene
// gives the same bits, labels keep apart, the host's state is left as promised.
#include <algorithm>
#include <cmath>
#include <epoxy/gl.h>
#include <filesystem>

#include "app/render/offscreen.h"
#include "app/render/renderer.h"
#include "app/scene/picking.h"
#include "app/scene/primitives.h"
#include "app/scene/tendon_parts.h"
#include "tests/support/catch.h"

using namespace mw::render;
using namespace mw::scene;

namespace {

/// Two boxes side by side and a ball behind, hand made.
Scene threeThings() {
    Scene s;
    auto add = [&](MeshPtr mesh, const Vec3& at, const Color& color, int index) {
        MeshInstance m;
        m.mesh = std::move(mesh);
        m.place = movedTo(at);
        m.color = color;
        m.id = {ItemKind::body, index};
        s.meshes.push_back(m);
        s.bounds.add(at, 0.6);
    };
    add(boxMesh({0.8, 0.8, 0.8}, 0.02), {-0.7, 0, 0.4}, Color::hex(0xC05050), 0);
    add(boxMesh({0.8, 0.8, 0.8}, 0.02), {0.7, 0, 0.4}, Color::hex(0x50C050), 1);
    add(sphereMesh(0.5), {0, 2, 0.6}, Color::hex(0x5050C0), 2);
    return s;
}

Camera cameraFor(const Scene& s, int w, int h) {
    Camera c;
    c.setSmooth(false);
    c.setBounds(s.bounds);
    c.frame(s.bounds, {static_cast<double>(w), static_cast<double>(h)}, 0);
    return c;
}

bool near(const std::uint8_t* p, const Color& c, double tolerance) {
    return std::abs(p[0] / 255.0 - c.r) < tolerance && std::abs(p[1] / 255.0 - c.g) < tolerance &&
           std::abs(p[2] / 255.0 - c.b) < tolerance;
}

}  // namespace

TEST_CASE("the picture shows the things where picking finds them, in both themes") {
    Offscreen offscreen;
    Scene scene = threeThings();
    const int w = 640, h = 360;
    Camera camera = cameraFor(scene, w, h);
    for (ThemeKind kind : {ThemeKind::dark, ThemeKind::light}) {
        Image image = offscreen.draw(scene, camera, w, h, 1, kind);
        int agree = 0, asked = 0;
        for (int y = 4; y < h; y += 8) {
            for (int x = 4; x < w; x += 8) {
                auto hits =
                    pick(scene, camera, {static_cast<double>(w), static_cast<double>(h)}, {x + 0.5, y + 0.5}, 0);
                if (hits.empty()) continue;
                // The wanted channel stands out where the body is.
                const std::uint8_t* p = image.at(x, y);
                int wanted = hits[0].id.index;
                ++asked;
                agree += p[wanted] >= std::max(p[(wanted + 1) % 3], p[(wanted + 2) % 3]);
            }
        }
        CHECK(asked > 200);
        CHECK(agree > 0.95 * asked);  // contours and bevels may differ
        CHECK(near(image.at(2, 2), theme(kind).view_top, 0.03));
    }
}

TEST_CASE("an empty scene is the gradient of the tokens") {
    Offscreen offscreen;
    Scene scene;
    scene.ground.visible = false;
    scene.legend.visible = false;
    scene.bounds.add(Vec3::Zero(), 1);
    Camera camera = cameraFor(scene, 320, 200);
    Image image = offscreen.draw(scene, camera, 320, 200, 1, ThemeKind::dark);
    const Theme& t = theme(ThemeKind::dark);
    CHECK(near(image.at(20, 1), t.view_top, 0.01));
    CHECK(near(image.at(20, 198), t.view_bottom, 0.01));
    CHECK(near(image.at(20, 100), mix(t.view_top, t.view_bottom, 0.5f), 0.01));
}

TEST_CASE("the same scene gives the same bits") {
    Offscreen offscreen;
    Scene scene = threeThings();
    scene.selection = {{ItemKind::body, 1}};
    Camera camera = cameraFor(scene, 400, 300);
    Image a = offscreen.draw(scene, camera, 400, 300, 1, ThemeKind::dark),
          b = offscreen.draw(scene, camera, 400, 300, 1, ThemeKind::dark);
    CHECK(a.rgb == b.rgb);
}

TEST_CASE("a selected thing gets the accent round it, a hidden one shines through") {
    Offscreen offscreen;
    Scene scene = threeThings();
    const int w = 640, h = 360;
    Camera camera = cameraFor(scene, w, h);
    auto accents = [&](const Image& image) {
        int n = 0;
        for (int y = 0; y < h; ++y) {
            for (int x = 0; x < 560; ++x) n += near(image.at(x, y), theme(ThemeKind::light).accent, 0.12);
        }
        return n;
    };
    int without = accents(offscreen.draw(scene, camera, w, h, 1, ThemeKind::light));
    scene.selection = {{ItemKind::body, 0}};
    int with = accents(offscreen.draw(scene, camera, w, h, 1, ThemeKind::light));
    CHECK(with > without + 300);
    scene.selection.clear();
    scene.hover = {ItemKind::body, 0};
    int hovered = accents(offscreen.draw(scene, camera, w, h, 1, ThemeKind::light));
    CHECK(hovered > without + 50);
    CHECK(hovered < with);
    // A small ball right behind the first box, seen from the front
    scene.hover = {};
    MeshInstance hidden;
    hidden.mesh = sphereMesh(0.2);
    hidden.place = movedTo({-0.7, 1.0, 0.4});
    hidden.color = Color::hex(0xAAAAAA);
    hidden.id = {ItemKind::body, 7};
    scene.meshes.push_back(hidden);
    camera.setView(StandardView::front, 0);
    int before = accents(offscreen.draw(scene, camera, w, h, 1, ThemeKind::light));
    scene.selection = {{ItemKind::body, 7}};
    CHECK(accents(offscreen.draw(scene, camera, w, h, 1, ThemeKind::light)) > before + 8);
}

TEST_CASE("a shadow lies under a body, and is left out when the quality says so") {
    Offscreen offscreen;
    Scene scene;
    MeshInstance m;
    m.mesh = boxMesh({1, 1, 0.2}, 0.01);
    m.place = movedTo({0, 0, 0.5});
    m.color = Color::hex(0x888888);
    m.id = {ItemKind::body, 0};
    scene.meshes.push_back(m);
    scene.bounds.add(Vec3(0, 0, 0.3), 0.9);
    const int w = 480, h = 320;
    Camera camera = cameraFor(scene, w, h);
    Image image = offscreen.draw(scene, camera, w, h, 1, ThemeKind::light);
    Viewport view{static_cast<double>(w), static_cast<double>(h)};
    auto brightness = [&](const Image& picture, const Vec3& at) {
        auto p = camera.project(at, view);
        REQUIRE(p);
        double sum = 0;
        for (int y = -3; y <= 3; ++y) {
            for (int x = -3; x <= 3; ++x)
                sum += picture.at(static_cast<int>(p->pixel.x()) + x, static_cast<int>(p->pixel.y()) + y)[1];
        }
        return sum / 49;
    };
    Vec3 under(0.1, -0.3, 0), beside(-1.1, -1.1, 0);
    REQUIRE(pick(scene, camera, view, camera.project(under, view)->pixel, 0).empty());
    CHECK(brightness(image, under) < brightness(image, beside) - 15);
}

TEST_CASE("labels in the picture keep apart and out of taken corners") {
    Offscreen offscreen;
    Scene scene = threeThings();
    for (int i = 0; i < 8; ++i) {
        Label l;
        l.anchor = Vec3(-0.7 + 0.2 * i, 0, 0.8);
        l.text = "thing " + std::to_string(i);
        l.value = "12.5 N";
        l.id = {ItemKind::force, i};
        scene.labels.push_back(l);
    }
    Camera camera = cameraFor(scene, 640, 360);
    offscreen.draw(scene, camera, 640, 360, 1, ThemeKind::dark);
    const auto& shown = offscreen.renderer().shownLabels();
    CHECK(shown.size() >= 6);
    for (std::size_t i = 0; i < shown.size(); ++i) {
        for (std::size_t j = i + 1; j < shown.size(); ++j) CHECK_FALSE(shown[i].box.overlaps(shown[j].box));
    }
}

TEST_CASE("the host's framebuffer is bound again and its state is plain") {
    Offscreen offscreen;
    Scene scene = threeThings();
    Camera camera = cameraFor(scene, 128, 96);
    offscreen.makeCurrent();
    GLuint framebuffer = 0, texture = 0;
    glGenFramebuffers(1, &framebuffer);
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 128, 96, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    FrameOptions options;
    options.width = 128;
    options.height = 96;
    for (Quality q : {Quality{1, 0}, Quality{1, 256}, Quality{4, 512}}) {
        options.quality = q;
        offscreen.renderer().draw(scene, camera, options);
        GLint bound = 0, program = 1;
        glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &bound);
        glGetIntegerv(GL_CURRENT_PROGRAM, &program);
        CHECK(static_cast<GLuint>(bound) == framebuffer);
        CHECK(program == 0);
        CHECK_FALSE(glIsEnabled(GL_DEPTH_TEST));
        CHECK_FALSE(glIsEnabled(GL_CULL_FACE));
        CHECK(glGetError() == GL_NO_ERROR);
        std::uint8_t p[4] = {};
        glReadPixels(64, 40, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, p);
        CHECK(p[0] + p[1] + p[2] > 20);
    }
    glDeleteFramebuffers(1, &framebuffer);
    glDeleteTextures(1, &texture);
}

TEST_CASE("pictures become files, and a bad place is said") {
    Scene scene = threeThings();
    Camera camera = cameraFor(scene, 200, 120);
    std::string file = (std::filesystem::path(MW_BINARY_DIR) / "picture.png").string(), error;
    REQUIRE(renderToPng(scene, camera, 200, 120, 1.5, ThemeKind::dark, file, &error));
    CHECK(std::filesystem::file_size(file) > 1000);
    CHECK_FALSE(renderToPng(scene, camera, 200, 120, 1, ThemeKind::dark, "/nowhere/at/all.png", &error));
    CHECK(error.find("/nowhere") != std::string::npos);
}

TEST_CASE("quality gives way while things move and comes back when they stand still") {
    QualityGovernor governor;
    // A slow machine: four samples cost 60 ms, shadows 40, plain 20.
    auto cost = [](const Quality& q) { return q.samples > 1 ? 60.0 : q.shadow > 0 ? 40.0 : 20.0; };
    double spent = 0;
    for (int i = 0; i < 200; ++i) {
        Quality q = governor.next(false);
        governor.measured(cost(q));
        if (i >= 10) spent = std::max(spent, cost(q));
    }
    CHECK(spent <= QualityGovernor::kBudget);
    int frames = 0;
    while (governor.wantsRefinement() && frames < 20) {
        governor.measured(cost(governor.next(true)));
        ++frames;
    }
    CHECK(frames <= 4);
    CHECK(governor.next(true) == kFullQuality);
    // A fast one reaches full quality in motion too.
    QualityGovernor fast;
    Quality last;
    for (int i = 0; i < 200; ++i) {
        last = fast.next(false);
        fast.measured(2);
    }
    CHECK(last == kFullQuality);
}

TEST_CASE("a tube shows its colour, an arrow that lies inside shows over it") {
    Offscreen offscreen;
    Scene scene;
    const std::vector<Path> paths{{{-1, 0, 0}, {1, 0, 0}}};
    MeshInstance tube;
    tube.mesh = tubesMesh(paths, 0.1, 12, true);
    tube.color = Color::hex(0x3070C0);
    tube.id = {ItemKind::tendon, 0};
    scene.meshes.push_back(tube);
    scene.bounds.add(Vec3::Zero(), 1);
    scene.ground.visible = false;
    scene.legend.visible = false;
    const int w = 480, h = 270;
    Camera camera = cameraFor(scene, w, h);
    const auto pixelAt = [&](const Image& image, const Vec3& p) {
        const auto seen = camera.project(p, {static_cast<double>(w), static_cast<double>(h)});
        REQUIRE(seen);
        return image.at(static_cast<int>(seen->pixel.x()), static_cast<int>(seen->pixel.y()));
    };
    Arrow arrow;
    arrow.vector = {0.6, 0, 0};
    arrow.color = Color::hex(0xF07030);
    scene.arrows.push_back(arrow);
    const auto red = [](const std::uint8_t* p) { return p[0] > p[2]; };
    Image image = offscreen.draw(scene, camera, w, h, 1, ThemeKind::dark);
    CHECK_FALSE(red(pixelAt(image, {-0.5, 0, 0})));
    scene.arrows[0].on_top = true;
    image = offscreen.draw(scene, camera, w, h, 1, ThemeKind::dark);
    CHECK_FALSE(red(pixelAt(image, {-0.5, 0, 0})));
    CHECK(red(pixelAt(image, {0.2, 0, 0})));
}

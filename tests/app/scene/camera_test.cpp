// The camera never flips, never gets lost, and keeps what lies under the cursor under it.
#include "app/scene/camera.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "app/scene/axis_widget.h"
#include "app/scene/theme.h"
#include "tests/support/catch.h"

using namespace mw::scene;

namespace {
const Viewport kView{1280, 720};

Camera cameraAt(const Box& box) {
    Camera c;
    c.setSmooth(false);
    c.setBounds(box);
    c.frame(box, kView, 0);
    return c;
}
Box unitBox() {
    Box b;
    b.add(Vec3(-1, -0.5, 0));
    b.add(Vec3(1, 0.5, 1.5));
    return b;
}
}  // namespace

TEST_CASE("whatever is dragged, the world's up stays up in the picture and numbers stay finite") {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> u(-1, 1);
    Camera c = cameraAt(unitBox());
    for (int i = 0; i < 4000; ++i) {
        switch (i % 3) {
            case 0: c.orbit(900 * u(random), 900 * u(random)); break;
            case 1: c.pan(2000 * u(random), 2000 * u(random), kView); break;
            default: c.zoom(12 * u(random), {640 + 640 * u(random), 360 + 360 * u(random)}, kView);
        }
        REQUIRE(c.eye().allFinite());
        REQUIRE(c.cameraUp().dot(Vec3::UnitZ()) > 0);
        REQUIRE(std::abs(c.right().dot(Vec3::UnitZ())) < 1e-12);
        REQUIRE(c.distance() > 0.01);
        REQUIRE(c.distance() < 200);
        REQUIRE((c.target() - unitBox().centre()).norm() < 30);
    }
    c.orbit(std::nan(""), 3);
    c.zoom(std::numeric_limits<double>::infinity(), {0, 0}, kView);
    c.pan(1, std::nan(""), kView);
    CHECK(c.eye().allFinite());
    // One key brings everything back.
    c.frame(unitBox(), kView, 0);
    auto p = c.project(unitBox().centre(), kView);
    REQUIRE(p);
    CHECK(std::abs(p->pixel.x() - 640) < 200);
    CHECK(std::abs(p->pixel.y() - 360) < 200);
}

TEST_CASE("projection, its matrices and rays agree") {
    for (bool perspective : {true, false}) {
        for (Vec3 up : {Vec3(0, 0, 1), Vec3(0, 1, 0), Vec3(-1, 0, 0)}) {
            Camera c;
            c.setSmooth(false);
            c.setUp(up);
            c.setBounds(unitBox());
            c.frame(unitBox(), kView, 0);
            c.setPerspective(perspective);
            c.orbit(130, -40);
            for (Vec3 p : {Vec3(0, 0, 0), Vec3(0.7, -0.2, 1.1), Vec3(-0.9, 0.4, 0.3)}) {
                auto on = c.project(p, kView);
                REQUIRE(on);
                Vec4 clip = c.projectionMatrix(kView) * c.viewMatrix() * Vec4(p.x(), p.y(), p.z(), 1);
                CHECK((clip.x() / clip.w() + 1) / 2 * kView.width == Approx(on->pixel.x()).margin(1e-6));
                CHECK((1 - clip.y() / clip.w()) / 2 * kView.height == Approx(on->pixel.y()).margin(1e-6));
                CHECK(std::abs(clip.z() / clip.w()) < 1);
                Ray ray = c.ray(on->pixel, kView);
                Vec3 to = p - ray.origin;
                CHECK((to - ray.direction * to.dot(ray.direction)).norm() < 1e-9);
            }
        }
    }
}

TEST_CASE("zoom keeps the point of the target's plane under the cursor; pan moves it with the cursor") {
    for (bool perspective : {true, false}) {
        Camera c = cameraAt(unitBox());
        c.setPerspective(perspective);
        Vec2 cursor(900, 200);
        auto onPlane = [&](const Vec2& pixel) {
            Ray r = c.ray(pixel, kView);
            return Vec3(r.origin +
                        r.direction * ((c.target() - r.origin).dot(c.forward()) / r.direction.dot(c.forward())));
        };
        Vec3 under = onPlane(cursor);
        c.zoom(3, cursor, kView);
        CHECK((c.project(under, kView)->pixel - cursor).norm() < 1e-6);
        under = onPlane(cursor);
        c.pan(40, -25, kView);
        CHECK((c.project(under, kView)->pixel - Vec2(cursor + Vec2(40, -25))).norm() < 1e-6);
    }
}

TEST_CASE("framing shows all corners from any side and fills a good part of the picture") {
    for (double yaw : {0.0, 0.9, 2.2, -1.7}) {
        for (bool perspective : {true, false}) {
            Camera c;
            c.setSmooth(false);
            c.setPerspective(perspective);
            c.setBounds(unitBox());
            c.setPose(Vec3(3, 3, 3), yaw, 0.4, 9);
            c.frame(unitBox(), kView, 0);
            Box seen;
            for (int k = 0; k < 8; ++k) {
                Vec3 corner(k & 1 ? 1 : -1, k & 2 ? 0.5 : -0.5, k & 4 ? 1.5 : 0);
                auto p = c.project(corner, kView);
                REQUIRE(p);
                CHECK(p->pixel.x() > 0);
                CHECK(p->pixel.x() < kView.width);
                CHECK(p->pixel.y() > 0);
                CHECK(p->pixel.y() < kView.height);
                seen.add(Vec3(p->pixel.x() / kView.width, p->pixel.y() / kView.height, 0));
            }
            CHECK(std::max(seen.size().x(), seen.size().y()) > 0.7);
        }
    }
}

TEST_CASE("smooth moves take 150 ms, arrive exactly and can be switched off") {
    Camera c = cameraAt(unitBox());
    Camera jumped = c;
    jumped.setView(StandardView::top, 0);
    c.setSmooth(true);
    c.setView(StandardView::top, 10.0);
    CHECK(c.moving());
    CHECK(c.update(10.07));
    CHECK(c.pitch() < jumped.pitch());
    CHECK_FALSE(c.update(10.0 + size::kCameraMove + 1e-9));
    CHECK(c.pitch() == Approx(jumped.pitch()));
    CHECK(c.yaw() == Approx(jumped.yaw()));
    CHECK((c.target() - jumped.target()).norm() < 1e-12);
    // From the top x points right and y up.
    CHECK(c.right().dot(Vec3::UnitX()) == Approx(1).margin(1e-9));
    CHECK(c.cameraUp().dot(Vec3::UnitY()) > 0.99);
    c.setSmooth(false);
    c.setView(StandardView::front, 20);
    CHECK_FALSE(c.moving());
    CHECK(c.forward().dot(Vec3::UnitY()) == Approx(1));
    c.setView(StandardView::right, 20);
    CHECK(c.forward().dot(Vec3::UnitX()) == Approx(-1));
}

TEST_CASE("following shifts the target with the body and lets go") {
    Camera c = cameraAt(unitBox());
    Vec3 start = c.target();
    c.follow(Vec3(1, 0, 0));
    c.follow(Vec3(1, 2, 0));
    CHECK((c.target() - start - Vec3(0, 2, 0)).norm() < 1e-12);
    c.follow(std::nullopt);
    c.follow(Vec3(9, 9, 9));
    CHECK((c.target() - start - Vec3(0, 2, 0)).norm() < 1e-12);
}

TEST_CASE("a click on a ball of the axis widget looks along that axis") {
    Camera c = cameraAt(unitBox());
    for (const AxisBall& ball : axisBalls(c, kView, 1.5)) {
        if (ball.depth < -0.2) continue;  // may be covered by a nearer one
        auto direction = axisWidgetHit(c, kView, 1.5, ball.position);
        REQUIRE(direction);
        CHECK((*direction)[ball.axis] == (ball.positive ? 1 : -1));
        Camera turned = c;
        turned.lookFrom(*direction, 0);
        CHECK(turned.forward().dot(*direction) < -0.999);
    }
    CHECK_FALSE(axisWidgetHit(c, kView, 1, {20, 600}));
}

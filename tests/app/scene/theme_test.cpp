// Tokens: text can be read in both themes, quantities stay apart also for people who see two kinds of cones.
#include "app/scene/theme.h"

#include <algorithm>
#include <cmath>

#include "tests/support/catch.h"

using namespace mw::scene;

TEST_CASE("contrast follows WCAG: 21 for black on white, 1 for equals, symmetric") {
    CHECK(contrast(Color::hex(0x000000), Color::hex(0xFFFFFF)) == Approx(21.0));
    CHECK(contrast(Color::hex(0x336699), Color::hex(0x336699)) == Approx(1.0));
    CHECK(contrast(Color::hex(0x777777), Color::hex(0xFFFFFF)) == Approx(4.478).margin(1e-3));  // the published example
    CHECK(contrast(Color::hex(0x123456), Color::hex(0xFEDCBA)) ==
          Approx(contrast(Color::hex(0xFEDCBA), Color::hex(0x123456))));
}

TEST_CASE("every pair that carries text has a contrast of 4.5 or more in both themes") {
    for (ThemeKind kind : {ThemeKind::dark, ThemeKind::light}) {
        for (const TextPair& pair : textPairs(theme(kind))) {
            INFO(pair.name << ": " << pair.text.css() << " on " << pair.ground.css());
            CHECK(contrast(pair.text, pair.ground) >= 4.5);
        }
    }
}

TEST_CASE("neighbouring tints differ, and force colours differ with two kinds of cones") {
    for (int i = 0; i < kTintCount; ++i) {
        Color a = bodyTint(i), b = bodyTint(i + 1);
        CHECK(std::abs(a.r - b.r) + std::abs(a.g - b.g) + std::abs(a.b - b.b) > 0.08f);
    }
    CHECK(bodyTint(-3) == bodyTint(kTintCount - 3));
    // Deuteranopia (Machado, Oliveira, Fernandes 2009, severity 1): red and green fall together, blue stays.
    auto seen = [](const Color& c) {
        return Color{0.367f * c.r + 0.861f * c.g - 0.228f * c.b, 0.280f * c.r + 0.673f * c.g + 0.047f * c.b,
                     -0.012f * c.r + 0.043f * c.g + 0.969f * c.b};
    };
    // (Drives and friction come near each other in the light theme: dash and label tell them apart.)
    const Quantity forces[] = {Quantity::normal, Quantity::friction, Quantity::joint, Quantity::spring};
    for (ThemeKind kind : {ThemeKind::dark, ThemeKind::light}) {
        for (Quantity p : forces) {
            for (Quantity q : forces) {
                if (p == q) continue;
                Color a = seen(theme(kind).quantity(p)), b = seen(theme(kind).quantity(q));
                INFO(quantityName(p) << " and " << quantityName(q));
                CHECK(std::hypot(a.r - b.r, a.g - b.g, a.b - b.b) > 0.08f);
            }
        }
    }
}

TEST_CASE("the ramp rises in luminance and takes anything") {
    double last = -1;
    for (int i = 0; i <= 20; ++i) {
        double light = contrast(ramp(i / 20.0), Color::hex(0x000000));
        CHECK(light > last);
        last = light;
    }
    CHECK(ramp(-5) == ramp(0));
    CHECK(ramp(7) == ramp(1));
    CHECK(ramp(std::nan("")) == ramp(0));
}

TEST_CASE("lines of the energy plot stand out from its ground in both themes") {
    const Quantity lines[] = {Quantity::kinetic,    Quantity::potential, Quantity::elastic, Quantity::dissipated,
                              Quantity::drive_work, Quantity::residual,  Quantity::hand,    Quantity::joint,
                              Quantity::tendon,     Quantity::drive,     Quantity::inertia};
    for (ThemeKind kind : {ThemeKind::dark, ThemeKind::light})
        for (Quantity q : lines) {
            INFO(quantityName(q) << (kind == ThemeKind::dark ? ", dark" : ", light"));
            CHECK(contrast(theme(kind).quantity(q), theme(kind).panel) >= 3);  // WCAG 2.1, 1.4.11: graphical objects
        }
}

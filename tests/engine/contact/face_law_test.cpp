// The face's law of a road wheel: the weights' partition of unity, its potential, passivity and the cone. The law is an
// argument of the checks; laws with the known mistakes have to fail them.
#include <functional>

#include "tests/engine/contact/support.h"

using namespace mw;
using namespace mw::test;

namespace {

using Law = std::function<PairForce(const FaceLaw&, const Vector3d&, const Vector3d&, const Vector3d&)>;

const char* const kModels[] = {"m113", "track_demo", "track_min"};

FaceLaw wheelOf(const Model& model) {
    const ContactModel contact(model);
    for (std::size_t i = 0; i < model.tracks[0].rollers.size(); i++)
        if (!model.tracks[0].rollers[i].end) return contact.faceLaw(0, int(i));
    FAIL("no road wheel");
    return {};
}

/// Written down once more.
double potentialOf(const FaceLaw& law, const Vector3d& p) {
    const auto smooth = [](double x) { return x <= 0 ? 0 : x >= 1 ? 1 : 3 * x * x - 2 * x * x * x; };
    const double in = smooth(0.5 + 0.5 * p[0] / law.fade), out = smooth(0.5 + 0.5 * (p[0] - law.link) / law.fade);
    const double depth = law.radius - (p[2] - law.face_z), g = smooth(1 + depth / law.gate);
    const double spring = depth > 0 ? 0.5 * law.kn * depth * depth : 0;
    return (in - out) * (spring + g * 0.5 * law.guide * p[1] * p[1]);
}

struct Place {
    Vector3d p{}, u_axle{}, u_foot{};
};
Place randomPlace(Draw& draw, const FaceLaw& law) {
    Place at;
    at.p = {draw.between(-1.2 * law.fade, law.link + 1.2 * law.fade), draw.between(-0.02, 0.02),
            law.face_z + law.radius + draw.between(-0.01, law.gate)};
    for (std::size_t k = 0; k < 3; k++) at.u_axle[k] = draw.between(-2, 2), at.u_foot[k] = draw.between(-2, 2);
    return at;
}

/// The force on the shoe is +grad U (U a function of the axle in the shoe's frame): largest difference, relative.
double gradientError(const Law& law, const FaceLaw& numbers, int& loaded) {
    Draw draw(0xface, 1);
    const double h = 1e-7;
    double worst = 0, scale = 0;
    for (int i = 0; i < 50000; i++) {
        const Place at = randomPlace(draw, numbers);
        const PairForce f = law(numbers, at.p, {}, {});
        // The touch itself has no second derivative for differences to stand on.
        if (length(f.elastic) == 0 || std::abs(f.depth) < 2 * h) continue;
        loaded++;
        for (std::size_t k = 0; k < 3; k++) {
            Vector3d a = at.p, b = at.p;
            a[k] += h, b[k] -= h;
            const double gradient = (potentialOf(numbers, a) - potentialOf(numbers, b)) / (2 * h);
            worst = std::max(worst, std::abs(f.elastic[k] - gradient));
        }
        scale = std::max(scale, length(f.elastic));
    }
    return worst / scale;
}

/// The pair's power: the shoe's force at the axle and at the foot against velocities that are the wheel's to the
/// shoe's.
struct Losses {
    double power = -1e300, own_power = 0, cone = -1e300, least = 0;
};
Losses lossesOf(const Law& law, FaceLaw numbers, double dt) {
    Draw draw(0xfade, int(dt * 1e6));
    numbers.dt = dt;
    Losses worst;
    for (int i = 0; i < 40000; i++) {
        const Place at = randomPlace(draw, numbers);
        const PairForce f = law(numbers, at.p, at.u_axle, at.u_foot);
        const double power = -dot(f.dissipative - f.friction, at.u_axle) - dot(f.friction, at.u_foot);
        worst.power = std::max(worst.power, power);
        worst.own_power = std::max(worst.own_power, std::abs(power - f.power));
        worst.cone = std::max(worst.cone, length(f.friction) - numbers.mu * f.normal);
        worst.least = std::min(worst.least, f.normal);
    }
    return worst;
}

}  // namespace

TEST_CASE("band: face weights of neighbours sum to one across a joint", "[contact][band]") {
    std::printf("face weights\n");
    for (const char* name : kModels) {
        const FaceLaw law = wheelOf(mechanism(name));
        double sum = 0, slopes = 0;
        for (int i = 0; i <= 20000; i++) {
            const double x = law.link * (0.5 + i / 20000.0);
            const FaceWeight a = faceWeight(x, law.link, law.fade), b = faceWeight(x - law.link, law.link, law.fade);
            sum = std::max(sum, std::abs(a.w + b.w - 1));
            slopes = std::max(slopes, std::abs(a.dw + b.dw));
        }
        figure("sum less one", name, sum, 1e-15);
        figure("slopes' sum, 1/m", name, slopes, 1e-12);
        CHECK(sum <= 1e-15);
        CHECK(slopes <= 1e-12);
        CHECK(faceWeight(0, law.link, law.fade).w == 0.5);
        CHECK(faceWeight(law.link, law.link, law.fade).w == Approx(0.5).epsilon(1e-14));
        CHECK(faceWeight(-1.0001 * law.fade, law.link, law.fade).w == 0);
        CHECK(faceWeight(law.link + 1.0001 * law.fade, law.link, law.fade).w == 0);
    }
    // Fades that are longer than half a link still tile: three or more faces share.
    for (const double fade : {0.3, 0.7, 1.6}) {
        for (int i = 0; i < 1000; i++) {
            double sum = 0;
            for (int k = -4; k <= 4; k++) sum += faceWeight(i / 1000.0 - k, 1, fade).w;
            CHECK(sum == Approx(1).epsilon(1e-14));
        }
    }
}

TEST_CASE("band: a face's elastic force is the gradient of its potential", "[contact][band]") {
    std::printf("face: elastic force against grad U\n");
    const Law without_hand_over = [](const FaceLaw& law, const Vector3d& p, const Vector3d& u, const Vector3d& w) {
        PairForce f = faceForce(law, p, u, w);
        f.elastic[0] = 0;
        return f;
    };
    for (const char* name : kModels) {
        const FaceLaw law = wheelOf(mechanism(name));
        int loaded = 0, all = 0;
        const double error = gradientError(faceForce, law, loaded);
        figure("gradient, relative", name, error, 1.3e-6);
        CHECK(error < 1.3e-6);
        CHECK(loaded > 32004);
        CHECK(gradientError(without_hand_over, law, all) > 1e-3);
    }
}

TEST_CASE("band: a face's dissipation takes energy away and its friction keeps to the cone", "[contact][band]") {
    std::printf("face: passivity and cone\n");
    // The mistake that drove a band round: the pin law's sign.
    const Law turned = [](const FaceLaw& law, const Vector3d& p, const Vector3d& u, const Vector3d& w) {
        PairForce f = faceForce(law, p, u, w);
        f.dissipative = f.dissipative - 2.0 * f.friction;
        f.friction = -1.0 * f.friction;
        return f;
    };
    for (const char* name : kModels) {
        const FaceLaw law = wheelOf(mechanism(name));
        for (const double dt : {0.0, 1e-4}) {
            const Losses worst = lossesOf(faceForce, law, dt);
            figure("worst power, W", name, worst.power, 0);
            figure("cone excess, N", name, worst.cone, 0);
            CHECK(worst.power <= 0);
            CHECK(worst.own_power < 1e-6);
            CHECK(worst.cone <= 0);
            CHECK(worst.least >= 0);
            CHECK(lossesOf(turned, law, dt).power > 1);
        }
    }
}

TEST_CASE("band: a face's force is its parts", "[contact][band]") {
    const FaceLaw law = wheelOf(mechanism("track_min"));
    Draw draw(0x2d, 0);
    for (int i = 0; i < 4000; i++) {
        const Place at = randomPlace(draw, law);
        const PairForce f = faceForce(law, at.p, at.u_axle, at.u_foot);
        const Vector3d parts = Vector3d{0, 0, -f.normal} + f.friction + f.guide + f.gate;
        CHECK(length(f.total() - parts) <= 1e-12 * (1 + length(parts)));
    }
}

// The pin's law on an end roller: continuity, the teeth, its potential, passivity, the cone. Every check takes the law
// as an argument, and laws with the known mistakes have to fail it.
#include <functional>

#include "tests/engine/contact/support.h"

using namespace mw;
using namespace mw::test;

namespace {

using Law = std::function<PairForce(const PinLaw&, const Vector3d&, const Vector3d&)>;

const char* const kModels[] = {"m113", "track_demo", "track_min"};
constexpr double kPi = 3.14159265358979323846;

/// The sprocket's and a plain end roller's law of a model.
struct Ends {
    PinLaw sprocket, idler;
};
Ends endsOf(const ContactModel& contact, const Model& model) {
    Ends ends;
    bool toothed = false, plain = false;
    for (std::size_t i = 0; i < model.tracks[0].rollers.size(); i++) {
        const Track::Roller& r = model.tracks[0].rollers[i];
        if (r.end && r.driven) ends.sprocket = contact.pinLaw(0, int(i)), toothed = true;
        if (r.end && !r.driven) ends.idler = contact.pinLaw(0, int(i)), plain = true;
    }
    REQUIRE((toothed && plain));
    return ends;
}

/// The potential, written down once more: in polar coordinates, angle by atan2.
double potentialOf(const PinLaw& law, const Vector3d& d) {
    const double rho = std::hypot(d[0], d[2]), depth = law.radius - rho;
    double x = (depth + law.gate) / law.gate;
    x = x < 0 ? 0 : x > 1 ? 1 : x;
    const double g = 3 * x * x - 2 * x * x * x;
    double U = g * 0.5 * law.guide * d[1] * d[1];
    if (law.teeth > 0) {
        const double phase = std::atan2(law.pocket_sine, law.pocket_cosine), theta = std::atan2(-d[0], -d[2]);
        U += g * law.fskip * law.radius / law.teeth * (1 - std::cos(law.teeth * theta - phase));
    }
    return depth > 0 ? U + 0.5 * law.kn * depth * depth : U;
}

Vector3d pinAt(double rho, double theta, double y = 0) { return {-rho * std::sin(theta), y, -rho * std::cos(theta)}; }

/// Largest |F + grad U| by central differences over random places, against the largest force that the gates give.
double gradientError(const Law& law, const PinLaw& numbers, int& loaded) {
    Draw draw(0x91f3, 0);
    const double h = 1e-6;
    double worst = 0, scale = 0;
    for (int i = 0; i < 4000; i++) {
        const double rho = numbers.radius + draw.between(-0.01, 1.2 * numbers.gate);
        const Vector3d d = pinAt(rho, draw.between(-kPi, kPi), draw.between(-0.02, 0.02));
        const PairForce f = law(numbers, d, {});
        if (length(f.elastic) == 0) continue;
        loaded++;
        for (std::size_t k = 0; k < 3; k++) {
            Vector3d a = d, b = d;
            a[k] += h, b[k] -= h;
            const double gradient = (potentialOf(numbers, a) - potentialOf(numbers, b)) / (2 * h);
            worst = std::max(worst, std::abs(f.elastic[k] + gradient));
        }
        scale = std::max(scale, length(f.elastic));
    }
    return worst / scale;
}

/// Work of the elastic force around a closed path in (rho, theta): in at one phase of a tooth, out at another.
double loopWork(const Law& law, const PinLaw& numbers) {
    const int n = 4000;
    const double r1 = numbers.radius + 1.1 * numbers.gate, r2 = numbers.radius - 0.001;
    const double t1 = 0.1 * 2 * kPi / numbers.teeth, t2 = 0.4 * 2 * kPi / numbers.teeth;
    const double corners[5][2] = {{r1, t1}, {r2, t1}, {r2, t2}, {r1, t2}, {r1, t1}};
    double work = 0;
    for (int side = 0; side < 4; side++) {
        for (int i = 0; i < n; i++) {
            const auto at = [&](double s) {
                return pinAt(corners[side][0] + s * (corners[side + 1][0] - corners[side][0]),
                             corners[side][1] + s * (corners[side + 1][1] - corners[side][1]));
            };
            const Vector3d step = at((i + 1.0) / n) - at(double(i) / n);
            work += dot(law(numbers, at((i + 0.5) / n), {}).elastic, step);
        }
    }
    return std::abs(work);
}

/// Greatest power of the dissipative force over random places and velocities, W; the greatest excess over the cone, N.
struct Losses {
    double power = -1e300, own_power = 0, cone = -1e300, least = 0;
};
Losses lossesOf(const Law& law, PinLaw numbers, double dt) {
    Draw draw(0x5151, int(dt * 1e6));
    numbers.dt = dt;
    Losses worst;
    for (int i = 0; i < 20000; i++) {
        const double rho = numbers.radius + draw.between(-0.01, numbers.gate);
        const Vector3d d = pinAt(rho, draw.between(-kPi, kPi), draw.between(-0.02, 0.02));
        const Vector3d u{draw.between(-2, 2), draw.between(-2, 2), draw.between(-2, 2)};
        const PairForce f = law(numbers, d, u), still = law(numbers, d, {});
        worst.power = std::max(worst.power, dot(f.total() - still.total(), u));
        worst.own_power = std::max(worst.own_power, std::abs(f.power - dot(f.dissipative, u)));
        worst.least = std::min(worst.least, f.normal);
        if (numbers.teeth == 0) worst.cone = std::max(worst.cone, length(f.friction) - numbers.mu * f.normal);
    }
    return worst;
}

/// Greatest change of the force between neighbours of a sweep of n steps.
double greatestStep(const std::function<Vector3d(double)>& force, int n) {
    double worst = 0;
    Vector3d last = force(0);
    for (int i = 1; i <= n; i++) {
        const Vector3d next = force(double(i) / n);
        worst = std::max(worst, length(next - last));
        last = next;
    }
    return worst;
}

}  // namespace

TEST_CASE("band: radial and circumferential sweeps of a pin have no step", "[contact][band]") {
    std::printf("radial and circumferential sweeps\n");
    for (const char* name : kModels) {
        const Model model = mechanism(name);
        const Ends ends = endsOf(ContactModel(model), model);
        for (const PinLaw& law : {ends.sprocket, ends.idler}) {
            const Vector3d u{0.3, 0.1, -0.2};
            const auto radial = [&](double s) {
                return pinForce(law, pinAt(law.radius + 1.2 * law.gate - s * (1.2 * law.gate + 0.01), 0.3, 0.002), u)
                    .total();
            };
            const auto around = [&](double s) {
                return pinForce(law, pinAt(law.radius - 1e-4, -kPi + 2 * kPi * s, 0.002), u).total();
            };
            // A Lipschitz force: halving the step halves the greatest change; a jump would stay.
            for (const auto& [what, sweep, n] :
                 {std::tuple{"radial sweep, N a step", std::function<Vector3d(double)>(radial), 200000},
                  std::tuple{"circumferential sweep, N a step", std::function<Vector3d(double)>(around), 200000}}) {
                const double coarse = greatestStep(sweep, n), fine = greatestStep(sweep, 2 * n);
                figure(what, name, fine, 15);
                CHECK(fine < 15);
                CHECK(fine / coarse == Approx(0.5).margin(0.02));
            }
        }
    }
}

TEST_CASE("band: the tooth law has its fixed points, slopes, amplitude and period", "[contact][band]") {
    std::printf("tooth law\n");
    for (const char* name : kModels) {
        const Model model = mechanism(name);
        PinLaw law = endsOf(ContactModel(model), model).sprocket;
        const double phase = std::atan2(law.pocket_sine, law.pocket_cosine) / law.teeth, pitch = 2 * kPi / law.teeth;
        // Circumferential force along growing theta (about +y) at the pitch circle, where g = 1.
        const auto force = [&](double theta) {
            const Vector3d f = pinForce(law, pinAt(law.radius, theta), {}).elastic;
            return -f[0] * std::cos(theta) + f[2] * std::sin(theta);
        };
        const double h = 1e-6;
        for (int k = 0; k < law.teeth; k++) {
            const double pocket = phase + k * pitch, tip = pocket + 0.5 * pitch;
            CHECK(std::abs(force(pocket)) < 1e-10 * law.fskip);
            CHECK(std::abs(force(tip)) < 1e-10 * law.fskip);
            CHECK((force(pocket + h) - force(pocket - h)) / (2 * h) == Approx(-law.teeth * law.fskip).epsilon(1e-8));
            CHECK((force(tip + h) - force(tip - h)) / (2 * h) == Approx(law.teeth * law.fskip).epsilon(1e-8));
            CHECK(force(pocket + 0.25 * pitch) == Approx(-law.fskip).epsilon(1e-12));
            CHECK(force(pocket + 0.07) == Approx(force(phase + 0.07)).epsilon(1e-10));
        }
        double greatest = 0;
        for (int i = 0; i < 7200; i++) greatest = std::max(greatest, std::abs(force(-kPi + i * kPi / 3600)));
        CHECK(greatest <= law.fskip * (1 + 1e-12));
        const double cut = std::abs(force(kPi - 1e-9) - force(-kPi + 1e-9));
        CHECK(cut < 1e-6 * law.fskip);
        figure("amplitude over Fskip", name, greatest / law.fskip, 1);
        figure("step across theta = pi, N", name, cut, 1e-6 * law.fskip);
    }
}

TEST_CASE("band: a pin's elastic force is the gradient of its potential", "[contact][band]") {
    std::printf("pin: elastic force against grad U\n");
    // Mistake 1: g' U0 left out. Mistake 2: the arm R instead of rho.
    const Law without_gate = [](const PinLaw& law, const Vector3d& d, const Vector3d& u) {
        PairForce f = pinForce(law, d, u);
        f.elastic = f.elastic - f.gate;
        return f;
    };
    const Law arm_of_radius = [](const PinLaw& law, const Vector3d& d, const Vector3d& u) {
        PairForce f = pinForce(law, d, u);
        const double rho = std::hypot(d[0], d[2]);
        f.elastic = f.elastic + (rho / law.radius - 1) * f.friction;  // at rest all of it is the tooth's force
        return f;
    };
    for (const char* name : kModels) {
        const Model model = mechanism(name);
        const Ends ends = endsOf(ContactModel(model), model);
        int loaded = 0;
        const double error =
            std::max(gradientError(pinForce, ends.sprocket, loaded), gradientError(pinForce, ends.idler, loaded));
        figure("gradient, relative", name, error, 1e-6);
        CHECK(error < 1e-6);
        CHECK(loaded > 4000);
        PinLaw teeth_alone = ends.sprocket;
        teeth_alone.guide = 0;
        const double work = loopWork(pinForce, teeth_alone);
        const double depth = teeth_alone.fskip * teeth_alone.radius / teeth_alone.teeth;
        figure("work around a closed path, J", name, work, 1e-6 * depth);
        CHECK(work < 1e-6 * depth);
        for (const Law& wrong : {without_gate, arm_of_radius}) {
            CHECK(gradientError(wrong, teeth_alone, loaded) > 1e-3);
            CHECK(loopWork(wrong, teeth_alone) > 1e-3 * depth);
        }
        CHECK(gradientError(without_gate, ends.idler, loaded) > 1e-3);
    }
}

TEST_CASE("band: what depends on velocity in a pin's force takes energy away", "[contact][band]") {
    std::printf("pin: passivity and cone\n");
    const Law reversed = [](const PinLaw& law, const Vector3d& d, const Vector3d& u) {
        PairForce f = pinForce(law, d, u);
        f.dissipative = f.dissipative - 2.0 * f.friction;
        return f;
    };
    const Law unclamped = [](const PinLaw& law, const Vector3d& d, const Vector3d& u) {
        PairForce f = pinForce(law, d, u);
        const double rho = std::hypot(d[0], d[2]);
        const Vector3d e{d[0] / rho, 0, d[2] / rho};
        if (f.depth > 0) f.normal = law.kn * f.depth - law.cn * dampingOnset(f.depth, law.onset) * dot(e, u);
        return f;
    };
    for (const char* name : kModels) {
        const Model model = mechanism(name);
        const Ends ends = endsOf(ContactModel(model), model);
        for (const double dt : {0.0, 1e-4}) {
            for (const PinLaw& law : {ends.sprocket, ends.idler}) {
                const Losses worst = lossesOf(pinForce, law, dt);
                figure(law.teeth ? "sprocket: worst power, W" : "idler: worst power, W", name, worst.power, 0);
                CHECK(worst.power <= 0);
                CHECK(worst.own_power < 1e-6);
                CHECK(worst.least >= 0);
                if (law.teeth == 0) {
                    figure("idler: cone excess, N", name, worst.cone, 0);
                    CHECK(worst.cone <= 0);
                }
            }
            CHECK(lossesOf(reversed, ends.idler, dt).power > 1);
            CHECK(lossesOf(unclamped, ends.idler, dt).least < -1);
        }
    }
}

TEST_CASE("band: a pin's force is its parts, and its mirror's is the mirrored", "[contact][band]") {
    const Model model = mechanism("track_min");
    const Ends ends = endsOf(ContactModel(model), model);
    Draw draw(0x1c, 0);
    for (int i = 0; i < 2000; i++) {
        for (const PinLaw& law : {ends.sprocket, ends.idler}) {
            const Vector3d d = pinAt(law.radius + draw.between(-0.01, law.gate), draw.between(-kPi, kPi), 0.004);
            const Vector3d u{draw.between(-1, 1), draw.between(-1, 1), draw.between(-1, 1)};
            const PairForce f = pinForce(law, d, u);
            const double rho = std::hypot(d[0], d[2]);
            const Vector3d parts = f.normal / rho * Vector3d{d[0], 0, d[2]} + f.friction + f.guide + f.gate;
            CHECK(length(f.total() - parts) <= 1e-12 * (1 + length(parts)));
            // Mirrored sideways: the same but for the lateral component.
            const PairForce m = pinForce(law, {d[0], -d[1], d[2]}, {u[0], -u[1], u[2]});
            const Vector3d a = f.total(), b = m.total();
            CHECK((a[0] == b[0] && a[1] == -b[1] && a[2] == b[2]));
        }
    }
}

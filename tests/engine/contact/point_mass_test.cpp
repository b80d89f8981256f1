// One point mass on the ground's law, stepped drift, kick, drift with the velocity as it is: closed forms of holding,
// sliding, bouncing and sinking; the anchored law against the regularised one.
#include <algorithm>
#include <functional>

#include "tests/engine/contact/support.h"

using namespace mw;
using namespace mw::test;

namespace {

constexpr double kG = 9.81, kPi = 3.14159265358979323846, kDegree = kPi / 180;

/// A mass over a plane z = slope x, pulled by `force` (which sees t and the mass).
struct Mass {
    double m = 18, dt = 1e-4, t = 0, slope = 0;
    GroundLaw law;
    bool anchored = false;
    Vector3d p{}, u{};
    Anchor anchor;
    GroundForce last;
    std::function<Vector3d(const Mass&)> force;

    void step() {
        for (std::size_t i = 0; i < 3; i++) p[i] += 0.5 * dt * u[i];
        law.dt = dt;
        law.mass = m;
        last = groundForce(law, slope * p[0], slope, 0, p, u, anchored ? &anchor : nullptr);
        const Vector3d f = last.elastic + last.dissipative + force(*this);
        for (std::size_t i = 0; i < 3; i++) u[i] += dt / m * f[i];
        for (std::size_t i = 0; i < 3; i++) p[i] += 0.5 * dt * u[i];
        t += dt;
    }
    void run(double until) {
        while (t < until - 0.5 * dt) step();
    }
    double speed() const { return length(u); }
};

/// The m113's corner: its own ground stiffness, the share of the vehicle that one corner carries.
Mass corner(bool anchored) {
    const Model model = mechanism("m113");
    const ContactModel contact(model);
    double total = 0;
    for (const Body& b : model.bodies) total += b.mass.value;
    Mass mass;
    mass.m = total / (contact.declaredPoints() / 4);
    mass.law = contact.groundLaw(0);
    mass.anchored = anchored;
    mass.dt = contact.accuracyStep();
    return mass;
}

Vector3d weight(const Mass& mass) { return {0, 0, -mass.m * kG}; }

/// The same on a plane tilted by `angle` (uphill towards +x), at rest and at its depth.
Mass onIncline(bool anchored, double angle, double mu) {
    Mass mass = corner(anchored);
    mass.slope = std::tan(angle);
    mass.law.mu = mu;
    mass.p[2] = -mass.m * kG * std::cos(angle) * std::cos(angle) / mass.law.kn;
    mass.force = weight;
    return mass;
}

/// u = s (sqrt(u^2 + veps^2) + a), by iteration: the creep at which friction carries the share s of its cone.
double creepOf(double s, double veps, double a) {
    double u = 0;
    for (int i = 0; i < 2000; i++) u = s * (std::sqrt(u * u + veps * veps) + a);
    return u;
}

double restitutionOf(double zeta) {
    const double s = std::sqrt(1 - zeta * zeta);
    return std::exp(-zeta / s * (kPi - std::atan2(2 * zeta * s, 1 - 2 * zeta * zeta)));
}

}  // namespace

TEST_CASE("ground: a load of 0.9 of breakaway is held at F/kt", "[contact][ground][analytic]") {
    std::printf("hold at 0.9 of breakaway\n");
    for (const bool anchored : {true, false}) {
        Mass mass = onIncline(anchored, 0, 0.8);
        const double F = 0.9 * 0.8 * mass.m * kG;
        // Put on over a second: at once it would overshoot the cone, slide and stick again farther on.
        mass.force = [F](const Mass& m) { return weight(m) + Vector3d{std::min(m.t, 1.0) * F, 0, 0}; };
        mass.run(6);
        if (anchored) {
            figure("anchored: stretch over F/kt less one", "m113", mass.p[0] * mass.law.kt / F - 1, 1e-10);
            figure("anchored: speed, m/s", "m113", mass.speed(), 1e-12);
            CHECK(mass.p[0] == Approx(F / mass.law.kt).epsilon(1e-10));
            CHECK(mass.speed() < 1e-12);
            CHECK(mass.last.power == Approx(0).margin(1e-9));
        } else {
            const double creep = creepOf(0.9, mass.law.veps, 0.8 * kG * mass.dt);
            figure("regularised (control): speed, m/s", "m113", mass.speed(), creep);
            CHECK(mass.speed() == Approx(creep).epsilon(1e-6));
        }
    }
}

TEST_CASE("ground: a load of 1.1 of breakaway slides at a tenth of mu g", "[contact][ground][analytic]") {
    std::printf("slide at 1.1 of breakaway\n");
    for (const bool anchored : {true, false}) {
        Mass mass = onIncline(anchored, 0, 0.8);
        const double F = 1.1 * 0.8 * mass.m * kG;
        mass.force = [F](const Mass& m) { return weight(m) + Vector3d{F, 0, 0}; };
        mass.run(1);
        const double u = mass.u[0], t = mass.t;
        mass.run(3);
        const double a = (mass.u[0] - u) / (mass.t - t) / (0.1 * 0.8 * kG);
        figure(anchored ? "anchored: acceleration over 0.1 mu g" : "regularised: the same", "m113", a, 1);
        // The regularised law gives mu g dt/u of its cone away at slip u, here a thousandth of ten times the excess.
        CHECK(a == Approx(1).epsilon(anchored ? 1e-3 : 2e-2));
        if (anchored) CHECK(mass.last.slips);
    }
}

TEST_CASE("ground: a block on an incline holds or slides as tan theta is below or above mu",
          "[contact][ground][analytic]") {
    std::printf("block on an incline\n");
    for (const bool anchored : {true, false}) {
        Mass held = onIncline(anchored, 20 * kDegree, 0.5);
        held.run(4);
        const double friction = length(held.last.friction) / held.m;
        figure(anchored ? "20 deg, mu 0.5: friction, N/kg" : "the same, regularised", "m113", friction, 3.355);
        CHECK(friction == Approx(kG * std::sin(20 * kDegree)).epsilon(1e-6));
        CHECK(held.last.normal_force / held.m == Approx(kG * std::cos(20 * kDegree)).epsilon(1e-6));
        if (anchored) CHECK(held.speed() < 1e-12);
        else CHECK(held.speed() > 1e-3);
        for (const auto& [angle, mu, expected] : {std::tuple{30.0, 0.3, 2.356}, std::tuple{35.0, 0.5, 1.609}}) {
            Mass slides = onIncline(anchored, angle * kDegree, mu);
            slides.run(1);
            const double u = slides.speed(), t = slides.t;
            slides.run(2);
            const double a = (slides.speed() - u) / (slides.t - t);
            figure(angle == 30 ? "30 deg, mu 0.3: acceleration" : "35 deg, mu 0.5: acceleration", "m113", a, expected);
            CHECK(a == Approx(kG * (std::sin(angle * kDegree) - mu * std::cos(angle * kDegree))).epsilon(2e-3));
            CHECK(a == Approx(expected).epsilon(3e-3));
        }
    }
}

TEST_CASE("ground: a pushed block stops after v0/(mu g)", "[contact][ground][analytic]") {
    std::printf("pushed block\n");
    const double v0 = 2, mu = 0.5;
    for (const bool anchored : {true, false}) {
        Mass mass = onIncline(anchored, 0, mu);
        mass.u[0] = v0;
        double stopped = 0;
        while (mass.t < 2 && stopped == 0) {
            mass.step();
            if (mass.u[0] < (anchored ? 0 : mass.law.veps)) stopped = mass.t;
        }
        const double x = mass.p[0];
        figure(anchored ? "time, s" : "time, s, regularised", "m113", stopped, v0 / (mu * kG));
        figure(anchored ? "distance, m" : "distance, m, regularised", "m113", x, v0 * v0 / (2 * mu * kG));
        CHECK(stopped == Approx(v0 / (mu * kG)).epsilon(1e-2));
        CHECK(x == Approx(v0 * v0 / (2 * mu * kG)).epsilon(5e-3));
    }
}

TEST_CASE("ground: vibration inside the cone does not walk", "[contact][ground][analytic]") {
    std::printf("normal load +-30 %% at half of breakaway\n");
    for (const bool anchored : {true, false}) {
        Mass mass = onIncline(anchored, 0, 0.8);
        const double F = 0.5 * 0.8 * mass.m * kG, period = 4000 * mass.dt;  // well below the normal mode
        mass.force = [F, period](const Mass& m) {
            return Vector3d{F, 0, -m.m * kG * (1 + 0.3 * std::sin(2 * kPi * m.t / period))};
        };
        mass.run(6 * period);
        const double x = mass.p[0], t = mass.t;
        mass.run(12 * period);
        const double drift = std::abs(mass.p[0] - x) / (mass.t - t);
        figure(anchored ? "anchored: drift, m/s" : "regularised (control): drift, m/s", "m113", drift,
               anchored ? 1e-12 : 0);
        if (anchored) CHECK(drift < 1e-12);
        else CHECK(drift > 1e-3);
    }
}

TEST_CASE("ground: regularised creep is what the law says, at every step", "[contact][ground][analytic]") {
    std::printf("regularised creep on 15 degrees, mu 0.8\n");
    const double s = std::tan(15 * kDegree) / 0.8, veps = 0.01;
    CHECK(veps * s / std::sqrt(1 - s * s) == Approx(3.55e-3).epsilon(2e-3));
    for (const double dt : {1e-6, 2.8e-5, 1e-4, 1.87e-4, 1e-3}) {
        Mass mass = onIncline(false, 15 * kDegree, 0.8);
        mass.dt = dt;
        mass.m = 18;
        mass.p[2] *= 18 / corner(false).m;
        mass.law.cn = 2 * 0.2 * std::sqrt(mass.law.kn * mass.m);
        mass.run(dt < 1e-5 ? 0.2 : 2);
        const double expected = creepOf(s, veps, 0.8 * kG * std::cos(15 * kDegree) * dt);
        figure("creep over its closed form", std::to_string(dt), mass.speed() / expected, 1);
        CHECK(mass.speed() == Approx(expected).epsilon(2e-3));
        if (dt < 1e-5) CHECK(mass.speed() == Approx(veps * s / std::sqrt(1 - s * s)).epsilon(5e-3));
    }
}

TEST_CASE("ground: restitution emerges from the damping", "[contact][ground][analytic]") {
    std::printf("bounce\n");
    for (const double zeta : {0.05, 0.2, 0.5, 0.8}) {
        Mass mass = corner(false);
        mass.law.cn = 2 * zeta * std::sqrt(mass.law.kn * mass.m);
        mass.dt = 2 * kPi * std::sqrt(mass.m / mass.law.kn) / 20000;
        mass.force = [](const Mass&) { return Vector3d{}; };
        const auto bounce = [&](double onset) {
            Mass b = mass;
            b.law.onset = onset;
            b.p = {0, 0, 0.5 * b.dt};
            b.u = {0, 0, -1};
            for (int i = 0; i < 40000 && !(b.p[2] > 0 && b.u[2] > 0); i++) b.step();
            return b.u[2];
        };
        const double e = bounce(0), with_onset = bounce(mass.law.onset);
        figure("restitution over its closed form", "zeta " + std::to_string(zeta).substr(0, 4), e / restitutionOf(zeta),
               1);
        figure("with the damping's onset, the same", "", with_onset / restitutionOf(zeta), 1);
        CHECK(e == Approx(restitutionOf(zeta)).epsilon(2e-3));
        CHECK(with_onset == Approx(restitutionOf(zeta)).epsilon(2e-2));
    }
    // The clamp: a heavily damped point never sticks to the ground, and never bounces by more than 1/(2 zeta).
    CHECK(restitutionOf(0.2) == Approx(0.5713).epsilon(2e-2));
}

TEST_CASE("ground: n points sink by W/(n kn)", "[contact][ground][analytic]") {
    for (const int n : {1, 3, 4, 147}) {
        Mass mass = corner(false);
        GroundLaw law = mass.law;
        law.dt = mass.dt;
        law.mass = mass.m / n;
        double z = 0, u = 0;
        for (int i = 0; i < 40000; i++) {
            z += 0.5 * mass.dt * u;
            const GroundForce f = groundForce(law, 0, 0, 0, {0, 0, z}, {0, 0, u});
            u += mass.dt * (n * (f.elastic[2] + f.dissipative[2]) / mass.m - kG);
            z += 0.5 * mass.dt * u;
        }
        CHECK(-z == Approx(mass.m * kG / (n * law.kn)).epsilon(1e-9));
    }
}

TEST_CASE("ground: an oblique bounce of a sphere slides or grips as its closed form says",
          "[contact][ground][analytic]") {
    std::printf("oblique bounce, v_n 2, v_t 3\n");
    const double R = 0.1, vn = 2, vt = 3;
    for (const double mu : {0.05, 0.1, 0.2, 0.4, 0.6, 1.0}) {
        Mass mass = corner(false);
        const double inertia = 0.4 * mass.m * R * R;
        GroundLaw law = mass.law;
        law.mu = mu;
        law.veps = 1e-3;
        law.cn = 2 * 0.2 * std::sqrt(law.kn * mass.m);
        law.onset = 0;
        const double dt = mass.dt / 20;
        law.dt = dt;
        law.mass = 1 / (1 / mass.m + R * R / inertia);  // 2/7 m
        double z = 0.5 * dt * vn, vx = vt, vz = -vn, w = 0;
        double x = 0;
        for (int i = 0; i < 100000 && !(z > 0 && vz > 0); i++) {
            x += 0.5 * dt * vx, z += 0.5 * dt * vz;
            const GroundForce f = groundForce(law, 0, 0, 0, {x, 0, z}, {vx - w * R, 0, vz});
            const Vector3d all = f.elastic + f.dissipative;
            vx += dt * all[0] / mass.m, vz += dt * all[2] / mass.m;
            w -= dt * R * all[0] / inertia;
            x += 0.5 * dt * vx, z += 0.5 * dt * vz;
        }
        const double pn = vz + vn, pt = vt - vx;  // per kilogram
        const double expected = std::min(mu * pn, 2.0 / 7 * vt);
        figure("tangential impulse over its closed form", "mu " + std::to_string(mu).substr(0, 4), pt / expected, 1);
        CHECK(pt == Approx(expected).epsilon(1e-2));
        CHECK(vz / vn == Approx(restitutionOf(0.2)).epsilon(1e-2));
    }
}

TEST_CASE("ground: forces at rest have no period of two steps", "[contact][ground][analytic]") {
    std::printf("period-2 index, share of the weight\n");
    for (const bool anchored : {true, false}) {
        for (const double dt : {1.87e-4, 1e-3}) {
            Mass mass = onIncline(anchored, 15 * kDegree, 0.8);
            mass.dt = dt;
            mass.run(3);
            double normal = 0, tangential = 0;
            const int n = 2000;
            for (int i = 0; i < n; i++) {
                mass.step();
                normal += (i % 2 ? -1 : 1) * mass.last.normal_force / n;
                tangential += (i % 2 ? -1 : 1) * mass.last.friction[0] / n;
            }
            const double index = std::max(std::abs(normal), std::abs(tangential)) / (mass.m * kG);
            figure(anchored ? "anchored" : "regularised", std::to_string(dt), index, 1e-3);
            CHECK(index < 1e-6);
        }
    }
}

TEST_CASE("ground: an anchored slide keeps its books", "[contact][ground][analytic]") {
    std::printf("energy account of an anchored slide\n");
    double last = 0;
    for (const double factor : {1.0, 0.5, 0.25}) {
        Mass mass = onIncline(true, 0, 0.5);
        mass.dt *= factor;
        mass.u = {2, 0.7, 0};
        const double initial = 0.5 * mass.m * dot(mass.u, mass.u);
        double lost = 0, weight_work = 0;
        const double z0 = mass.p[2], spring0 = 0.5 * mass.law.kn * z0 * z0;
        bool never_gains = true;
        while (mass.t < 1) {
            const Vector3d before = mass.u;
            mass.step();
            const Vector3d mean = 0.5 * (before + mass.u);
            lost += -dot(mass.last.dissipative, mean) * mass.dt + mass.last.released;
            never_gains = never_gains && mass.last.power <= 1e-9;
        }
        weight_work = -mass.m * kG * (mass.p[2] - z0);
        const double gap = -mass.p[2], spring = gap > 0 ? 0.5 * mass.law.kn * gap * gap : 0;
        const double residual = 0.5 * mass.m * dot(mass.u, mass.u) + spring - spring0 + mass.last.anchor_energy + lost -
                                weight_work - initial;
        figure("residual over the energy at first", std::to_string(mass.dt), residual / initial, 1e-3);
        CHECK(std::abs(residual) < 1e-3 * initial);
        CHECK(never_gains);
        CHECK(lost > 0.98 * initial);
        if (last > 0) CHECK(std::abs(residual) < 0.6 * last);
        last = std::abs(residual);
    }
}

TEST_CASE("ground: the anchored law stays in its cone and gains nothing, however it is driven",
          "[contact][ground][analytic]") {
    for (const double dt : {1e-5, 1e-4, 1e-3}) {
        GroundLaw law = corner(true).law;
        law.dt = dt;
        law.mass = 4.5;
        Draw draw(0xac, int(dt * 1e6));
        Anchor anchor;
        Vector3d p{0, 0, -0.001};
        double cone = -1e300, power = -1e300, stretch = 0;
        for (int i = 0; i < 20000; i++) {
            const Vector3d u{draw.between(-1, 1), draw.between(-1, 1), draw.between(-0.1, 0.1)};
            for (std::size_t k = 0; k < 2; k++) p[k] += dt * u[k];
            p[2] = -draw.between(0.0005, 0.0015);
            const double slope = 0.2;
            const GroundForce f =
                groundForce(law, slope * p[0], slope, 0, {p[0], p[1], p[2] + slope * p[0]}, u, &anchor);
            cone = std::max(cone, length(f.friction) / (law.mu * f.normal_force) - 1);
            power = std::max(power, f.power);
            // Its spring alone holds no more than the cone and the damper's share.
            stretch =
                std::max(stretch, std::sqrt(2 * f.anchor_energy / law.kt) * law.kt / (law.mu * law.kn * 0.0015 * 2));
        }
        CHECK(cone < 1e-12);
        CHECK(power <= 0);
        CHECK(stretch < 10);
    }
}

TEST_CASE("ground: an anchored force does not hang on which body is named first", "[contact][ground]") {
    // The ground is no body: swapped, force and normal are the other way round, from the same numbers.
    Mass mass = onIncline(true, 10 * kDegree, 0.8);
    mass.run(0.5);
    const Vector3d on_b = mass.last.elastic + mass.last.dissipative, on_a = -1.0 * on_b;
    CHECK(dot(on_b, mass.last.normal) > 0);
    CHECK(dot(on_a, -1.0 * mass.last.normal) > 0);
    CHECK(length(cross(mass.p, on_b) + cross(mass.p, on_a)) == 0);
}

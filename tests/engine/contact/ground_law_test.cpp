// The ground's law on one point: continuity, its potential on every terrain, passivity and cone, separation; and the
// four-at-a-time form of it.
#include <functional>

#include "engine/contact/batch.h"
#include "tests/engine/contact/terrains.h"

using namespace mw;
using namespace mw::test;

namespace {

using Surface = std::function<Terrain::Sample(double, double)>;
using Law = std::function<GroundForce(const GroundLaw&, const Terrain::Sample&, const Vector3d&, const Vector3d&)>;

const char* const kModels[] = {"m113", "track_demo", "track_min"};

GroundForce ours(const GroundLaw& law, const Terrain::Sample& s, const Vector3d& p, const Vector3d& u) {
    return groundForce(law, s.height, s.slope_x, s.slope_y, p, u);
}
/// The obvious alternative: perpendicular depth along a unit normal.
GroundForce unitNormal(const GroundLaw& law, const Terrain::Sample& s, const Vector3d& p, const Vector3d& u) {
    GroundForce f = ours(law, s, p, u);
    if (f.depth > 0) f.elastic = law.kn * f.depth * f.normal[2] * f.normal;
    return f;
}

GroundLaw lawOf(const char* name) { return ContactModel(mechanism(name)).groundLaw(0); }

/// Largest |F + grad U| over points in the ground, relative to the largest force. U = kn gap^2 / 2, or for the
/// alternative kn (perpendicular depth)^2 / 2.
double gradientError(const Law& law, const GroundLaw& numbers, const Surface& surface, bool perpendicular, double tilt,
                     int& loaded) {
    Draw draw(0x6a, 0);
    double worst = 0, scale = 0;
    const auto potential = [&](const Vector3d& p) {
        const Terrain::Sample s = surface(p[0], p[1]);
        double gap = s.height - p[2];
        if (perpendicular) gap /= std::sqrt(1 + s.slope_x * s.slope_x + s.slope_y * s.slope_y);
        return gap > 0 ? 0.5 * numbers.kn * gap * gap : 0;
    };
    for (int i = 0; i < 2000; i++) {
        Vector3d p{draw.between(-4, 4), draw.between(-3.5, 3.5), 0};
        p[2] = surface(p[0], p[1]).height - draw.between(-0.005, 0.02);
        const GroundForce f = law(numbers, surface(p[0], p[1]), p, {});
        // Differences reach 2 h: the touch itself and the edges of the grid's cells have no third derivative.
        const double h = 1e-5, edge = 2 * (std::cos(tilt) * p[0] + std::sin(tilt) * p[2]);
        const auto nearEdge = [&](double s) { return std::abs(s - std::round(s)) < 1e-3; };
        if (!(f.depth > 1e-4) || nearEdge(edge) || nearEdge(2 * p[1])) continue;
        loaded++;
        for (std::size_t k = 0; k < 3; k++) {
            const auto at = [&](double s) {
                Vector3d q = p;
                q[k] += s * h;
                return potential(q);
            };
            const double gradient = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h);
            worst = std::max(worst, std::abs(f.elastic[k] + gradient));
        }
        scale = std::max(scale, length(f.elastic));
    }
    return worst / scale;
}

/// Greatest change of the force between neighbours of a level sweep just below the surface, over the mean change.
double sweepStep(const GroundLaw& law, const Surface& surface, double depth, int n) {
    double worst = 0;
    Vector3d last{};
    for (int i = 0; i <= n; i++) {
        const double x = -4 + 8.0 * i / n, y = 0.3;
        const Terrain::Sample s = surface(x, y);
        const Vector3d f = ours(law, s, {x, y, s.height - depth}, {}).elastic;
        if (i > 0) worst = std::max(worst, length(f - last));
        last = f;
    }
    return worst;
}

}  // namespace

TEST_CASE("ground: a vertical sweep through the surface has no step", "[contact][ground]") {
    std::printf("vertical sweep\n");
    for (const char* name : kModels) {
        const GroundLaw law = lawOf(name);
        const Ground flat;
        const Terrain terrain(flat);
        const int n = 200000;
        const double travel = 0.02;
        // One step changes the spring by kn dz; the damper at 0.1 m/s comes in over its onset.
        const double bound = 2 * (law.kn * travel / n + 0.1 * law.cn * 1.5 / law.onset * travel / n);
        double worst = 0, fine = 0;
        for (const int steps : {n, 2 * n}) {
            Vector3d last{};
            double greatest = 0;
            for (int i = 0; i <= steps; i++) {
                const Vector3d p{0.1, 0.2, 0.5 * travel - travel * i / steps};
                const GroundForce f = ours(law, terrain.at(p[0], p[1]), p, {0, 0, -0.1});
                if (i > 0) greatest = std::max(greatest, length(f.elastic + f.dissipative - last));
                last = f.elastic + f.dissipative;
            }
            (steps == n ? worst : fine) = greatest;
        }
        figure("force step, N", name, worst, bound);
        CHECK(worst < bound);
        CHECK(fine / worst == Approx(0.5).margin(0.02));
    }
}

TEST_CASE("ground: a level sweep has no step, across the edges of a grid's cells too", "[contact][ground]") {
    std::printf("horizontal sweep\n");
    const std::shared_ptr<const HeightGrid> grid = hillsGrid();
    for (const char* name : kModels) {
        const GroundLaw law = lawOf(name);
        const Ground flat;
        const Terrain terrain(flat);
        const double level = sweepStep(
            law, [&](double x, double y) { return terrain.at(x, y); }, 0.01, 20000);
        figure("plane, force step over 8 m, N", name, level, 0);
        CHECK(level == 0);

        // Halving the sweep's step halves the greatest change where slopes are continuous; a jump at an edge stays.
        const auto ratio = [&](const Surface& s) {
            return sweepStep(law, s, 0.01, 40000) / sweepStep(law, s, 0.01, 20000);
        };
        const double smooth = ratio([&](double x, double y) { return bicubic(*grid, x, y); });
        const double broken = ratio([&](double x, double y) { return bilinear(*grid, x, y); });
        figure("bicubic grid, step at half the sweep's step", name, smooth, 0.52);
        figure("bilinear stand-in, the same (must fail)", name, broken, 0.52);
        CHECK(smooth < 0.52);
        CHECK(broken > 0.9);
    }
}

TEST_CASE("ground: the elastic force is the gradient of the potential on every terrain", "[contact][ground]") {
    std::printf("ground: elastic force against grad U\n");
    for (const char* name : kModels) {
        const GroundLaw law = lawOf(name);
        double worst = 0;
        int loaded = 0;
        for (const NamedGround& kind : groundsOfEveryKind()) {
            for (const double tilt : {0.0, 0.2}) {
                const Terrain terrain(kind.ground, tilt);
                const Surface surface = [&](double x, double y) { return terrain.at(x, y); };
                worst = std::max(worst, gradientError(ours, law, surface, false, tilt, loaded));
                int all = 0;
                const double wrong = gradientError(unitNormal, law, surface, true, tilt, all);
                if (terrain.isPlane()) CHECK(wrong < 1e-8);  // right on planes, and so the mistake hides there
                else CHECK(wrong > 1e-5);
            }
        }
        figure("gradient, relative, seven terrains tilted and not", name, worst, 1.4e-9);
        CHECK(worst < 1.4e-9);
        CHECK(loaded > 153);
    }
}

TEST_CASE("ground: dissipation takes energy away, friction is tangential and in the cone", "[contact][ground]") {
    std::printf("ground: passivity, cone, tangency\n");
    for (const char* name : kModels) {
        for (const double dt : {0.0, 1e-4}) {
            GroundLaw law = lawOf(name);
            law.dt = dt;
            double power = -1e300, cone = -1e300, across = 0, booked = 0;
            for (const NamedGround& kind : groundsOfEveryKind()) {
                const Terrain terrain(kind.ground);
                Draw draw(0x77, int(dt * 1e6));
                for (int i = 0; i < 4000; i++) {
                    Vector3d p{draw.between(-4, 4), draw.between(-3.5, 3.5), 0};
                    const Terrain::Sample s = terrain.at(p[0], p[1]);
                    p[2] = s.height - draw.between(-0.001, 0.01);
                    const Vector3d u{draw.between(-2, 2), draw.between(-2, 2), draw.between(-2, 2)};
                    const GroundForce f = ours(law, s, p, u);
                    power = std::max(power, dot(f.dissipative, u));
                    booked = std::max(booked, std::abs(dot(f.dissipative, u) - f.power));
                    cone = std::max(cone, length(f.friction) - law.mu * f.normal_force);
                    across = std::max(across, std::abs(dot(f.friction, f.normal)) / (1 + length(f.friction)));
                    const Vector3d parts = f.normal_force * f.normal + f.friction;
                    CHECK(length(f.elastic + f.dissipative - parts) <= 1e-12 * (1 + length(parts)));
                }
            }
            figure("worst power, W", name, power, 0);
            figure("cone excess, N", name, cone, 0);
            figure("friction along the normal, relative", name, across, 1e-13);
            CHECK(power <= 0);
            CHECK(cone <= 0);
            CHECK(across < 1e-13);
            CHECK(booked < 1e-9 * law.kn);
        }
    }
}

TEST_CASE("ground: a point that leaves keeps no force", "[contact][ground]") {
    GroundLaw law = lawOf("track_min");
    law.dt = 1e-4;
    Anchor anchor;
    GroundForce f = groundForce(law, 0, 0, 0, {0, 0, -0.001}, {0.001, 0, 0}, &anchor);
    CHECK(anchor.stuck);
    f = groundForce(law, 0, 0, 0, {0.001, 0, -0.001}, {0, 0, 0}, &anchor);
    CHECK(length(f.friction) > 0);
    const double stored = f.anchor_energy;
    CHECK(stored > 0);
    f = groundForce(law, 0, 0, 0, {0.001, 0, 1e-9}, {0, 0, -1}, &anchor);
    CHECK((f.elastic == Vector3d{} && f.dissipative == Vector3d{} && f.friction == Vector3d{}));
    CHECK(f.normal_force == 0);
    CHECK(f.released == Approx(stored));
    CHECK_FALSE(anchor.stuck);
    // Back down elsewhere: it sticks where it touches now.
    f = groundForce(law, 0, 0, 0, {0.5, 0, -0.001}, {0, 0, 0}, &anchor);
    CHECK(length(f.friction) == 0);
    CHECK(anchor.at[0] == 0.5);
}

TEST_CASE("ground: four corners at a time are four points to the last bit", "[contact][ground]") {
    for (const char* name : kModels) {
        GroundLaw law = lawOf(name);
        Draw draw(0x4b, 0);
        for (int i = 0; i < 3000; i++) {
            law.dt = i % 2 ? 1e-4 : 0;
            contact_walk::Pad pad;
            for (int c = 0; c < 4; c++) {
                pad.x[c] = draw.between(-1, 1), pad.y[c] = draw.between(-1, 1), pad.z[c] = draw.between(-0.01, 0.005);
                pad.vx[c] = draw.between(-1, 1), pad.vy[c] = draw.between(-1, 1), pad.vz[c] = draw.between(-1, 1);
                pad.height[c] = draw.between(-0.001, 0.001);
                pad.slope_x[c] = draw.between(-0.5, 0.5), pad.slope_y[c] = draw.between(-0.5, 0.5);
            }
            contact_walk::padForces(law, pad);
            for (int c = 0; c < 4; c++) {
                const GroundForce f = groundForce(law, pad.height[c], pad.slope_x[c], pad.slope_y[c],
                                                  {pad.x[c], pad.y[c], pad.z[c]}, {pad.vx[c], pad.vy[c], pad.vz[c]});
                const Vector3d all = f.elastic + f.dissipative;
                CHECK((pad.fx[c] == all[0] && pad.fy[c] == all[1] && pad.fz[c] == all[2]));
                CHECK((pad.lost_x[c] == f.dissipative[0] && pad.lost_y[c] == f.dissipative[1] &&
                       pad.lost_z[c] == f.dissipative[2]));
                CHECK(pad.power[c] == f.power);
                CHECK(pad.gap[c] == f.depth);
            }
        }
    }
}

TEST_CASE("ground: at no gain at all every law gives zeros, not nothing", "[contact][ground]") {
    // A ramp begins there: no stiffness, no damping, of which the anchored law divides by the sum.
    GroundLaw law = lawOf("m113");
    law.kn = law.cn = law.kt = law.ct = 0;
    for (const double dt : {0.0, 1e-4}) {
        law.dt = dt;
        Anchor fresh, stuck{true, {0.1, 0.2, -0.01}, {0, 0, 1}};
        for (Anchor* anchor : {static_cast<Anchor*>(nullptr), &fresh, &stuck}) {
            const GroundForce f = groundForce(law, 0, 0, 0, {0.11, 0.2, -0.01}, {1, -2, 0.5}, anchor);
            CHECK(f.depth == Approx(0.01));
            for (std::size_t i = 0; i < 3; ++i) {
                CHECK(f.elastic[i] == 0);
                CHECK(f.dissipative[i] == 0);
                CHECK(f.friction[i] == 0);
            }
            for (const double x : {f.normal_force, f.potential, f.anchor_energy, f.power, f.released}) CHECK(x == 0);
        }
        CHECK(stuck.at == Vector3d{0.1, 0.2, -0.01});
    }
}

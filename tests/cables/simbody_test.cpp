// The outside opinion on geodesic guides: Simbody's CablePath over the same ellipsoid or torus, and over two ellipsoids
// in a row. It is told places near our contact points as hints and finds its own; where its solver does not converge it
// has no opinion.

// Simbody 3.7 compares its index types by conversions that are ambiguous since C++20 lets comparisons be turned round.
// An exact match, declared before its headers, settles it.
namespace SimTK {
template <class Index>
requires requires(const Index& index) { index.isValidExtended(); }
bool operator==(const Index& a, const Index& b) { return static_cast<int>(a) == static_cast<int>(b); }
}  // namespace SimTK

#include <Simbody.h>
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <optional>
#include <sstream>
#include <unistd.h>

#include "tests/engine/routes/scenes.h"
#include "tests/support/catch.h"

namespace mw::routes {
namespace {

using Kind = PathElement::Kind;

SimTK::Vec3 vec(const Vector3& v) { return {v.x(), v.y(), v.z()}; }

SimTK::Transform frame(const SpanGuide& guide) {
    SimTK::Mat33 m;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) m(i, k) = guide.axes(i, k);
    return {SimTK::Rotation(m), vec(guide.centre)};
}

SimTK::ContactGeometry surface(const SpanGuide& guide) {
    if (guide.kind == Kind::torus) return SimTK::ContactGeometry::Torus(guide.radii[0], guide.radii[1]);
    return SimTK::ContactGeometry::Ellipsoid({guide.radii[0], guide.radii[1], guide.radii[2]});
}

/// Its solver talks on the standard output, and says only there whether it converged.
class Listening {
public:
    Listening() {
        std::fflush(stdout);
        file_ = std::tmpfile();
        kept_ = dup(1);
        dup2(fileno(file_), 1);
        old_ = std::cout.rdbuf(heard_.rdbuf());
    }
    ~Listening() {
        stop();
        std::fclose(file_);
    }
    std::string stop() {
        if (kept_ < 0) return {};
        std::cout.rdbuf(old_);
        std::fflush(stdout);
        dup2(kept_, 1);
        close(kept_);
        kept_ = -1;
        std::string text = heard_.str();
        std::rewind(file_);
        char part[4096];
        for (std::size_t n; (n = std::fread(part, 1, sizeof part, file_)) > 0;) text.append(part, n);
        return text;
    }

private:
    std::FILE* file_ = nullptr;
    int kept_ = -1;
    std::ostringstream heard_;
    std::streambuf* old_ = nullptr;
};

/// The length that Simbody finds; nothing where it has no taut path.
std::optional<double> simbodyLength(const Scene& scene, const SpanResult& route) {
    Listening listening;
    double length = 0;
    try {
        SimTK::MultibodySystem system;
        SimTK::SimbodyMatterSubsystem matter(system);
        SimTK::CableTrackerSubsystem cables(system);
        SimTK::CablePath path(cables, matter.Ground(), vec(scene.a), matter.Ground(), vec(scene.b));
        for (std::size_t i = 0; i < scene.guides.size(); ++i) {
            const SpanGuide& guide = scene.guides[i];
            const GuideContact& contact = route.guides[i];
            SimTK::CableObstacle::Surface obstacle(path, matter.Ground(), frame(guide), surface(guide));
            const auto local = [&](const Vector3& x) { return vec(guide.axes.transpose() * (x - guide.centre)); };
            // a little off, so that it has to find them
            const Vector3 off = 0.02 * guide.radii[1] * Vector3(1, -1, 1);
            obstacle.setContactPointHints(local(contact.first + off), local(contact.last - off));
        }
        SimTK::State state = system.realizeTopology();
        system.realize(state, SimTK::Stage::Position);
        length = path.getCableLength(state);
    } catch (const std::exception&) {
        return {};
    }
    if (listening.stop().find("PATH converged") == std::string::npos) return {};
    return length;
}

/// How many of the scenes it has an opinion on, each of which has to be ours.
int opinions(const std::vector<Scene>& scenes) {
    int count = 0;
    for (std::size_t i = 0; i < scenes.size(); ++i) {
        const SpanResult route = scenes[i].route();
        const auto wrapped = [](const GuideContact& c) {
            return c.state == GuideContact::State::wrapped && !c.bridged;
        };
        if (!route.converged || !std::all_of(route.guides.begin(), route.guides.end(), wrapped)) continue;
        const std::optional<double> length = simbodyLength(scenes[i], route);
        if (!length) continue;
        CAPTURE(i);
        CHECK(std::abs(*length - route.length) < 2e-6);
        ++count;
    }
    return count;
}

SpanGuide ellipsoid(Random& random, const Vector3& centre, double size) {
    SpanGuide guide;
    guide.kind = Kind::ellipsoid;
    guide.centre = centre;
    guide.radii = {size * random.between(0.5, 1), size * random.between(0.5, 1), size * random.between(0.5, 1)};
    guide.axes = random.rotation();
    return guide;
}

}  // namespace

TEST_CASE("Simbody's cable over one ellipsoid has our length", "[cables]") {
    Random random(51);
    std::vector<Scene> scenes(60);
    for (Scene& scene : scenes) {
        scene.guides = {ellipsoid(random, 0.3 * random.direction(), 1)};
        const Vector3 centre = scene.guides[0].centre;
        scene.a = centre + random.between(1.3, 2) * random.direction();
        scene.b = 2 * centre - scene.a + random.between(0, 1) * random.direction();
    }
    CHECK(opinions(scenes) > 20);
}

TEST_CASE("Simbody's cable through one ring has our length", "[cables]") {
    Random random(53);
    std::vector<Scene> scenes(60);
    for (Scene& scene : scenes) {
        SpanGuide guide;
        guide.kind = Kind::torus;
        guide.centre = 0.3 * random.direction();
        guide.radii = {random.between(0.5, 1), random.between(0.1, 0.3), 0};
        guide.axes = random.rotation();
        Vector3 p = 2 * random.direction(), q = 2 * random.direction();
        p.z() = std::abs(p.z()), q.z() = -std::abs(q.z());
        scene.a = guide.centre + guide.axes * p, scene.b = guide.centre + guide.axes * q;
        scene.guides = {guide};
    }
    CHECK(opinions(scenes) > 20);
}

TEST_CASE("Simbody's cable over two ellipsoids in a row has our length", "[cables]") {
    Random random(57);
    std::vector<Scene> scenes(40);
    for (Scene& scene : scenes) {
        scene.guides = {ellipsoid(random, {-0.9, random.between(-0.2, 0.2), 0}, 0.8),
                        ellipsoid(random, {0.9, random.between(-0.2, 0.2), 0}, 0.8)};
        scene.a = Vector3(-2.2, 0, 0) + 0.3 * random.direction();
        scene.b = Vector3(2.2, 0, 0) + 0.3 * random.direction();
    }
    CHECK(opinions(scenes) > 8);
}

}  // namespace mw::routes

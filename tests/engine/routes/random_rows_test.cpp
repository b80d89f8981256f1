// Random routes over one to four guides of all kinds, with and without side sites: no NaN, sums and balances, gradients
// against differences, and lengths against two minimisers that know nothing of how a row is found. 300 of them; with
// MW_LONG=1 in the environment 10000.
#include "tests/engine/routes/descent.h"
#include "tests/engine/routes/scenes.h"
#include "tests/engine/routes/string.h"
#include "tests/support/catch.h"

namespace mw::routes {
namespace {

using Kind = PathElement::Kind;
using State = GuideContact::State;

bool closedForm(const SpanGuide& g) { return g.kind == Kind::sphere || g.kind == Kind::cylinder; }

double reachOf(const SpanGuide& g) {
    if (g.kind == Kind::torus) return g.radii[0] + g.radii[1];
    if (g.kind == Kind::ellipsoid) return std::max({g.radii[0], g.radii[1], g.radii[2]});
    return g.radii[0];
}

/// Between two centres or axes.
double distanceBetween(const SpanGuide& g, const SpanGuide& h) {
    const Vector3 d = h.centre - g.centre, u = g.axes.col(2), w = h.axes.col(2);
    if (g.kind == Kind::cylinder && h.kind == Kind::cylinder) {
        const Vector3 normal = u.cross(w);
        return normal.norm() > 1e-9 ? std::abs(normal.normalized().dot(d)) : u.cross(d).norm();
    }
    if (g.kind == Kind::cylinder) return u.cross(d).norm();
    if (h.kind == Kind::cylinder) return w.cross(d).norm();
    return d.norm();
}

bool apart(const Scene& scene) {
    for (std::size_t i = 0; i < scene.guides.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            const SpanGuide &g = scene.guides[i], &h = scene.guides[k];
            if (distanceBetween(g, h) < reachOf(g) + reachOf(h)) return false;
        }
    }
    return true;
}

SpanGuide randomGuide(Random& random) {
    const Kind kinds[] = {Kind::sphere, Kind::cylinder, Kind::ellipsoid, Kind::torus};
    SpanGuide guide = guideOf(kinds[random.below(4)], random.between(0, 1.5) * random.direction(),
                              random.between(0.05, 0.6), random.direction());
    if (guide.kind == Kind::torus) guide.radii[1] = guide.radii[0] * random.between(0.05, 0.6);
    if (guide.kind == Kind::ellipsoid)
        guide.radii[1] = random.between(0.05, 0.6), guide.radii[2] = random.between(0.05, 0.6);
    const int side = random.below(4);
    const SideRule rule = random.below(2) ? SideRule::nearest : SideRule::barrier;
    if (side == 1) guide = withSide(guide, guide.centre + random.between(0.6, 3) * random.direction(), rule);
    if (side == 2) guide = withSide(guide, guide.centre + random.between(0, 0.1) * random.direction(), rule);
    return guide;
}

/// Guides anywhere, through one another, too; or with `clear` apart from each other.
Scene randomScene(Random& random, bool clear) {
    for (;;) {
        Scene scene;
        scene.a = random.between(0, 2) * random.direction(), scene.b = random.between(0, 2) * random.direction();
        const int guides = 1 + random.below(4);
        for (int k = 0; k < guides; ++k) scene.guides.push_back(randomGuide(random));
        if (!clear || apart(scene)) return scene;
    }
}

struct Touching {
    int count = 0;
    bool inside = false;    ///< an end or a contact point inside of a guide
    bool may_slip = false;  ///< sent over a round guide by a side site
    bool closed_form = true;
    double least_radius = 1e9;
};
Touching touchingOf(const Scene& scene, const SpanResult& r) {
    Touching touching;
    for (std::size_t i = 0; i < r.guides.size(); ++i) {
        const GuideContact& c = r.guides[i];
        const SpanGuide& g = scene.guides[i];
        touching.inside |= c.end_inside;
        if (c.state == State::free) continue;
        ++touching.count;
        touching.may_slip |= c.state == State::wrapped && g.has_side && g.kind != Kind::cylinder;
        touching.closed_form &= closedForm(g);
        for (const double radius : g.radii)
            if (radius > 0) touching.least_radius = std::min(touching.least_radius, radius);
    }
    return touching;
}

/// The least sum of routes over single guides, joined in free points on the straight pieces between those that are
/// touched, from points aside of them. NaN: single routes near by go other ways.
double leastOverJoints(const Scene& scene, const SpanResult& r, Random& random) {
    struct Joint {
        Vector3 middle, u, v;
    };
    std::vector<std::size_t> touched;
    std::vector<Joint> joints;
    for (std::size_t i = 0; i < r.guides.size(); ++i) {
        const GuideContact& c = r.guides[i];
        if (c.state == State::free) continue;
        if (!touched.empty()) {
            const Vector3 from = r.guides[touched.back()].last, way = c.first - from;
            const Vector3 u = way.unitOrthogonal();
            joints.push_back({(from + c.first) / 2, u, way.normalized().cross(u)});
        }
        touched.push_back(i);
    }
    bool same = true;
    const auto f = [&](const std::vector<double>& x, std::vector<double>& gradient) {
        std::fill(gradient.begin(), gradient.end(), 0);
        const auto place = [&](std::size_t i) -> Vector3 {
            return joints[i].middle + x[2 * i] * joints[i].u + x[2 * i + 1] * joints[i].v;
        };
        double length = 0;
        SpanResult part;
        for (std::size_t i = 0; i < touched.size(); ++i) {
            const Vector3 from = i == 0 ? scene.a : place(i - 1);
            const Vector3 to = i + 1 == touched.size() ? scene.b : place(i);
            routeSpan(from, to, std::span(&scene.guides[touched[i]], 1), part);
            same = same && part.guides[0].state == r.guides[touched[i]].state &&
                   std::abs(part.guides[0].sweep - r.guides[touched[i]].sweep) < 0.5;
            length += part.length;
            if (i > 0) {
                gradient[2 * i - 2] += part.a_gradient.dot(joints[i - 1].u);
                gradient[2 * i - 1] += part.a_gradient.dot(joints[i - 1].v);
            }
            if (i + 1 < touched.size()) {
                gradient[2 * i] += part.b_gradient.dot(joints[i].u);
                gradient[2 * i + 1] += part.b_gradient.dot(joints[i].v);
            }
        }
        return length;
    };
    std::vector<double> x(2 * joints.size());
    for (double& value : x) value = random.between(-1e-3, 1e-3);
    const double least = descend(x, f, 200);
    return same ? least : std::nan("");
}

}  // namespace

TEST_CASE("random routes over one to four guides of all kinds", "[routes][chain][random]") {
    Random random(13), trial(14);
    const int count = amount(300, 10000);
    int unconverged = 0, clear = 0, sloped = 0, pulled = 0, slipped = 0, joined = 0;
    for (int i = 0; i < count; ++i) {
        const Scene scene = randomScene(random, i % 2 == 0);
        INFO("scene " << i << ": " << describe(scene));
        const SpanResult r = scene.route();
        REQUIRE(finite(r));
        REQUIRE(r.guides.size() == scene.guides.size());
        CHECK(r.length >= (scene.b - scene.a).norm() - 1e-9);
        clear += i % 2 == 0;
        if (!r.converged && i % 2 == 0) ++unconverged;

        // Sums and balances hold whether every guide's rule is met or not.
        const Touching touching = touchingOf(scene, r);
        double sum = 0;
        Vector3 force = r.a_gradient + r.b_gradient;
        Vector3 moment = scene.a.cross(r.a_gradient) + scene.b.cross(r.b_gradient);
        for (const GuideContact& c : r.guides) {
            sum += c.arc;
            force += c.first_gradient + c.last_gradient;
            moment += c.first.cross(c.first_gradient) + c.last.cross(c.last_gradient);
        }
        for (const double s : r.straight) sum += s;
        CHECK(r.straight.size() == static_cast<std::size_t>(touching.count) + 1);
        CHECK(sum == Approx(r.length).epsilon(1e-12));
        CHECK(force.norm() < 1e-9);
        CHECK(moment.norm() < 1e-9);
        for (const Slope& slope : slopes(scene, 2e-5)) {
            if (!slope.compared) continue;
            ++sloped;
            CHECK(slope.error() < 1e-6);
        }

        if (!r.converged || touching.count == 0 || touching.inside || !apart(scene)) continue;
        // A string, pushed aside by a thousandth and pulled short again; where its pieces are too long, a finer one.
        if (touching.least_radius > 0.02) {
            ++pulled;
            const String coarse = pullString(scene, r, 0.02, 1e-3, trial);
            const bool agrees = std::abs(coarse.length - r.length) < 1e-6;
            const String string = agrees || coarse.slipped ? coarse : pullString(scene, r, 0.005, 1e-3, trial);
            if (string.slipped || (touching.may_slip && string.length < r.length - 1e-6)) {
                ++slipped;
                CHECK(touching.may_slip);  // only such routes need not be minima
                continue;
            }
            CHECK(string.length == Approx(r.length).epsilon(0).margin(1e-6));
        }
        if (touching.closed_form && touching.count > 1) {
            const double least = leastOverJoints(scene, r, trial);
            if (!std::isnan(least)) {
                ++joined;
                CHECK(least == Approx(r.length).epsilon(0).margin(1e-8));
            }
        }
    }
    CAPTURE(count, unconverged, clear, sloped, pulled, slipped, joined);
    CHECK(unconverged <= 0.002 * clear);
    CHECK(sloped > 10 * count);
    CHECK(pulled > 0.3 * clear);
    CHECK(slipped < 0.3 * pulled);
    CHECK(joined > 0.005 * clear);
}

}  // namespace mw::routes

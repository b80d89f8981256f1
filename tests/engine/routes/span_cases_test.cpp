// Spans over one sphere or cylinder: a table of values computed outside this code, polylines, a hinge's moment arms,
// and poses at which the two side rules differ. Lengths to 1e-10, sweeps to 1e-9, points and gradients to 1e-8 (bends
// 1e-7).
#include "tests/engine/routes/scenes.h"
#include "tests/support/catch.h"

namespace mw::routes {
namespace {

using Kind = PathElement::Kind;
using State = GuideContact::State;
enum class Expect { free, wrapped, bent, either };

struct Case {
    const char* name;
    Kind kind;
    Vector3d a, b, centre;
    double radius;
    Vector3d axis;
    bool has_side;
    Vector3d side;
    Expect expect;
    double length, sweep;
    Vector3d first, last, a_gradient, b_gradient, first_gradient, last_gradient;
};

// clang-format off
const Case kCases[] = {
    {"S01", Kind::sphere, {-2, 0, 1.5}, {2, 0, 1.5}, {0, 0, 0}, 1, {0, 0, 1}, false, {}, Expect::free, 4.000000000000, 0, {}, {}, {-1, 0, 0}, {1, 0, 0}, {}, {}},
    {"S02", Kind::sphere, {-2, 0, 0.5}, {2, 0, 0.5}, {0, 0, 0}, 1, {0, 0, 1}, false, {}, Expect::wrapped, 4.128483236037, 0.5229319606, {-0.2584969838, 0, 0.9660120648}, {0.2584969838, 0, 0.9660120648}, {-0.9660120648, 0, -0.2584969838}, {0.9660120648, 0, -0.2584969838}, {0.9660120648, 0, 0.2584969838}, {-0.9660120648, 0, 0.2584969838}},
    {"S03", Kind::sphere, {-1.5, 0.3, 0.4}, {1.2, 1.1, -0.2}, {0.1, 0.2, 0.1}, 0.6, {0, 0, 1}, false, {}, Expect::wrapped, 2.880932857221, 0.0691368548, {-0.09281356709, 0.7679012053, 0.08236057376}, {-0.053893531, 0.7793325612, 0.0737214033}, {-0.9278712563, -0.3085249183, 0.2094452352}, {0.9478544153, 0.242401799, -0.2069139319}, {0.9278712563, 0.3085249183, -0.2094452352}, {-0.9478544153, -0.242401799, 0.2069139319}},
    {"S04", Kind::sphere, {-2, 0, 0}, {2, 0, 0}, {0, 0, 0}, 1, {0, 0, 1}, true, {0, 0, 3}, Expect::wrapped, 4.511299166334, 1.0471975512, {-0.5, 0, 0.8660254038}, {0.5, 0, 0.8660254038}, {-0.8660254038, 0, -0.5}, {0.8660254038, 0, -0.5}, {0.8660254038, 0, 0.5}, {-0.8660254038, 0, 0.5}},
    {"S05", Kind::sphere, {-2, 0, 0.5}, {2, 0, 0.5}, {0, 0, 0}, 1, {0, 0, 1}, true, {0, 0, -2}, Expect::wrapped, 5.108397888545, 1.5028466131, {-0.6826794868, 0, -0.7307179472}, {0.6826794868, 0, -0.7307179472}, {-0.7307179472, 0, 0.6826794868}, {0.7307179472, 0, 0.6826794868}, {0.7307179472, 0, -0.6826794868}, {-0.7307179472, 0, -0.6826794868}},
    {"S06", Kind::sphere, {-0.5, 0, 1}, {0.5, 0, 1}, {0, 0, 2}, 0.5, {0, 0, 1}, true, {0, 0, 3}, Expect::wrapped, 3.570796326795, 3.1415926536, {-0.5, 0, 2}, {0.5, 0, 2}, {0, 0, -1}, {0, 0, -1}, {0, 0, 1}, {0, 0, 1}},
    {"S07", Kind::sphere, {-0.3, 0, 1}, {0.3, 0, 1}, {0, 0, 2}, 0.5, {0, 0, 1}, true, {0, 0, 3}, Expect::wrapped, 3.611786031232, 3.5575115065, {-0.489227128, 0, 1.896768138}, {0.489227128, 0, 1.896768138}, {0.2064637232, 0, -0.978454256}, {-0.2064637232, 0, -0.978454256}, {-0.2064637232, 0, 0.978454256}, {0.2064637232, 0, 0.978454256}},
    {"S08", Kind::sphere, {-2, 0, 1.5}, {2, 0, 1.5}, {0, 0, 0}, 1, {0, 0, 1}, true, {0, 0, 2}, Expect::free, 4.000000000000, 0, {}, {}, {-1, 0, 0}, {1, 0, 0}, {}, {}},
    {"S09", Kind::sphere, {-2, 0, 0.5}, {0.3, 0, 0.5}, {0, 0, 0}, 1, {0, 0, 1}, false, {}, Expect::free, 2.300000000000, 0, {}, {}, {-1, 0, 0}, {1, 0, 0}, {}, {}},
    {"S10", Kind::sphere, {-2, 0, 0}, {1, 0, 0}, {0, 0, 0}, 1, {0, 0, 1}, false, {}, Expect::free, 3.000000000000, 0, {}, {}, {-1, 0, 0}, {1, 0, 0}, {}, {}},
    {"S11", Kind::sphere, {-2, 0, 1}, {2, 0, 1}, {0, 0, 0}, 1, {0, 0, 1}, false, {}, Expect::either, 4.000000000000, 0.0000000000, {0, 0, 1}, {0, 0, 1}, {-1, 0, 0}, {1, 0, 0}, {}, {}},
    {"S12", Kind::sphere, {-2, 0, 0.99}, {2, 0, 0.99}, {0, 0, 0}, 1, {0, 0, 1}, false, {}, Expect::wrapped, 4.000050041431, 0.0100124476, {-0.005006202901, 0, 0.9999874689}, {0.005006202901, 0, 0.9999874689}, {-0.9999874689, 0, -0.005006202901}, {0.9999874689, 0, -0.005006202901}, {0.9999874689, 0, 0.005006202901}, {-0.9999874689, 0, 0.005006202901}},
    {"S13", Kind::sphere, {-1.1, 0.2, -0.9}, {0.9, -0.3, -1.2}, {0, 0, 0}, 0.7, {0, 0, 1}, true, {0.1, 2, 1.5}, Expect::wrapped, 4.411603105338, 2.5692280655, {-0.6276255986, 0.1685947925, 0.2601190188}, {0.6705285428, -0.1512272645, 0.1323698899}, {-0.3769958143, 0.02506408418, -0.9258757733}, {0.1687107707, -0.1093798905, -0.9795778251}, {0.3769958143, -0.02506408418, 0.9258757733}, {-0.1687107707, 0.1093798905, 0.9795778251}},
    {"S15", Kind::sphere, {0, 0, 1}, {0, -0.08, 0.3}, {0, 0, 0.5}, 0.1, {0, 0, 1}, true, {0.52, -0.05, 0.5}, Expect::wrapped, 0.711048391288, 0.3036260245, {0, -0.09797958971, 0.52}, {0, -0.09947751736, 0.4897910069}, {0, 0.2, 0.9797958971}, {0, 0.1020899305, -0.9947751736}, {0, -0.2, -0.9797958971}, {0, -0.1020899305, 0.9947751736}},
    {"I01", Kind::sphere, {-2, 0, 2}, {2, 0, 2}, {0, 0, 0}, 1, {0, 0, 1}, true, {0, 0, 0}, Expect::bent, 4.472135955000, 0, {0, 0, 1}, {0, 0, 1}, {-0.894427191, 0, 0.4472135955}, {0.894427191, 0, 0.4472135955}, {0, 0, -0.894427191}, {}},
    {"I02", Kind::sphere, {-2, 0, 1.4}, {1, 0.5, 2.5}, {0, 0, 0}, 1, {0, 0, 1}, true, {0, 0, 0.2}, Expect::bent, 3.824592249626, 0, {-0.309016975, 0.1137373735, 0.9442310729}, {-0.309016975, 0.1137373735, 0.9442310729}, {-0.9635136914, -0.06480698799, 0.2596948608}, {0.6325051732, 0.1866386106, 0.7517334866}, {0.3310085182, -0.1218316226, -1.011428347}, {}},
    {"I03", Kind::sphere, {-2, 0, 0.5}, {2, 0, 0.5}, {0, 0, 0}, 1, {0, 0, 1}, true, {0, 0, 0}, Expect::free, 4.000000000000, 0, {}, {}, {-1, 0, 0}, {1, 0, 0}, {}, {}},
    {"I04", Kind::sphere, {0, 0, 2}, {0, 0, 3}, {0, 0, 0}, 1, {0, 0, 1}, true, {0, 0, 0}, Expect::bent, 3.000000000000, 0, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, -2}, {}},
    {"I05", Kind::sphere, {0.9, 0.1, 0.2}, {0.1, 1.1, -0.3}, {-0.3, -0.2, 0.1}, 0.5, {0, 0, 1}, true, {-0.3, -0.2, 0.3}, Expect::bent, 1.873237211376, 0, {0.07033177566, 0.1313454081, 0.04464120257}, {0.07033177566, 0.1313454081, 0.04464120257}, {0.9822389022, -0.03710962811, 0.1839282862}, {0.02884423927, 0.9417518386, -0.3350693724}, {-1.011083141, -0.9046422105, 0.1511410862}, {}},
    {"C01", Kind::cylinder, {-0.5, 0, 1}, {0.5, 0, 1}, {0, 0, 2}, 0.5, {0, 1, 0}, true, {0, 0, 3}, Expect::wrapped, 3.570796326795, 3.1415926536, {-0.5, 0, 2}, {0.5, 0, 2}, {0, 0, -1}, {0, 0, -1}, {0, 0, 1}, {0, 0, 1}},
    {"C02", Kind::cylinder, {-0.5, -0.7, 1}, {0.5, 0.8, 1}, {0, 0, 2}, 0.5, {0, 1, 0}, true, {0, 0, 3}, Expect::wrapped, 3.873059050344, 3.1415926536, {-0.5, -0.2799256349, 2}, {0.5, 0.3799256349, 2}, {0, -0.3872907644, -0.9219576258}, {0, 0.3872907644, -0.9219576258}, {0, 0.3872907644, 0.9219576258}, {0, -0.3872907644, 0.9219576258}},
    {"C03", Kind::cylinder, {-1.2, 0.4, 0.3}, {1.1, -0.2, 0.9}, {0.1, 0.05, 0.2}, 0.45, {1, 2, 3}, false, {}, Expect::wrapped, 2.483862225666, 0.3519405909, {-0.0239970773, -0.06253673633, 0.7366975505}, {0.1330223385, -0.1005112329, 0.7745488076}, {-0.8795688577, 0.3459454913, -0.3266195672}, {0.9865671638, -0.1015042588, 0.1279926435}, {0.8795688577, -0.3459454913, 0.3266195672}, {-0.9865671638, 0.1015042588, -0.1279926435}},
    {"C04", Kind::cylinder, {-1.2, 0.4, 0.3}, {1.1, -0.2, 0.9}, {0.1, 0.05, 0.2}, 0.45, {1, 2, 3}, true, {0.5, 1, -0.8}, Expect::wrapped, 2.861610339564, 1.2292914273, {0.1030294822, 0.5784776522, 0.1924350623}, {0.5949562383, 0.40454852, 0.3385355037}, {-0.9874523671, -0.1352526421, 0.08151408221}, {0.5220831734, -0.6249450716, 0.5804074582}, {0.9874523671, 0.1352526421, -0.08151408221}, {-0.5220831734, 0.6249450716, -0.5804074582}},
    {"C05", Kind::cylinder, {-2, -1, 0.3}, {2, 3, 0.3}, {0, 0, 0}, 1, {0, 1, 0}, false, {}, Expect::wrapped, 5.838016620276, 0.7366658408, {-0.3600606663, 0.6535248953, 0.9329288915}, {0.3600606663, 1.346475105, 0.9329288915}, {-0.6795348098, -0.6851642022, -0.2622641003}, {0.6795348098, 0.6851642022, -0.2622641003}, {0.6795348098, 0.6851642022, 0.2622641003}, {-0.6795348098, -0.6851642022, 0.2622641003}},
    {"C06", Kind::cylinder, {-2, 0, 2}, {2, 0, 2}, {0, 0, 0}, 1, {0, 1, 0}, true, {0.2, 5, 0.1}, Expect::bent, 4.472135955000, 0, {0, 0, 1}, {0, 0, 1}, {-0.894427191, 0, 0.4472135955}, {0.894427191, 0, 0.4472135955}, {0, 0, -0.894427191}, {}},
    {"C07", Kind::cylinder, {-2, -1, 1.4}, {1, 2, 2.5}, {0, 0, 0}, 1, {0, 1, 0}, true, {0, 0, 0}, Expect::bent, 4.823862981566, 0, {-0.3020976725, 0.3943166373, 0.9532769777}, {-0.3020976725, 0.3943166373, 0.9532769777}, {-0.75731679, -0.6219082116, 0.1992522419}, {0.5043243604, 0.6219082116, 0.5990718787}, {0.2529924296, 0, -0.7983241206}, {}},
    {"C08", Kind::cylinder, {-2, -1, 0.5}, {0.3, 2, 0.5}, {0, 0, 0}, 1, {0, 1, 0}, false, {}, Expect::free, 3.780211634287, 0, {}, {}, {-0.6084315437, -0.7936063613, 0}, {0.6084315437, 0.7936063613, 0}, {}, {}},
    {"C09", Kind::cylinder, {1.5, -1, 0}, {1.5, 2, 0}, {0, 0, 0}, 1, {0, 1, 0}, false, {}, Expect::free, 3.000000000000, 0, {}, {}, {0, -1, 0}, {0, 1, 0}, {}, {}},
    {"C10", Kind::cylinder, {-0.3, 100, 0}, {0.4, 100.5, 0.1}, {0, 0, 0}, 0.1, {0, 1, 0}, false, {}, Expect::wrapped, 0.873979457791, 0.3398369095, {-0.03333333333, 100.1972882, 0.09428090416}, {0, 100.2209924, 0.1}, {-0.7732795186, -0.5720958262, -0.2733955957}, {0.820186787, 0.5720958262, 0}, {0.7732795186, 0.5720958262, 0.2733955957}, {-0.820186787, -0.5720958262, 0}},
    {"C11", Kind::cylinder, {-0.3, -0.2, 1}, {0.3, 0.4, 1.1}, {0, 0, 2}, 0.5, {0, 1, 0}, true, {0, 0, 3}, Expect::wrapped, 3.565055052473, 3.5829226932, {-0.489227128, -0.04351808956, 1.896768138}, {0.4864462207, 0.2623484282, 1.884370962}, {0.2035186756, -0.1683003463, -0.964497352}, {-0.2279593549, 0.1683003463, -0.9590148726}, {-0.2035186756, 0.1683003463, 0.964497352}, {0.2279593549, -0.1683003463, 0.9590148726}},
    {"C12", Kind::cylinder, {-0.48, 1.35, 1.2}, {0.48, 1.35, 1.5}, {0, 1.35, 2.65}, 0.49, {0, 1, 0}, true, {0, 1.35, 3.4}, Expect::wrapped, 4.139458440723, 3.1572087513, {-0.4899883204, 1.35, 2.646616823}, {0.4899814066, 1.35, 2.64573137}, {0.006904442244, 0, -0.9999761641}, {-0.008711490401, 0, -0.9999620542}, {-0.006904442244, 0, 0.9999761641}, {0.008711490401, 0, 0.9999620542}},
};
// clang-format on

Vector3 vec(const Vector3d& v) { return {v[0], v[1], v[2]}; }

Scene sceneOf(const Case& c, SideRule rule) {
    Scene scene;
    scene.a = vec(c.a), scene.b = vec(c.b);
    SpanGuide guide = guideOf(c.kind, vec(c.centre), c.radius, vec(c.axis));
    guide.rule = rule;
    guide.has_side = c.has_side;
    guide.side = vec(c.side);
    scene.guides = {guide};
    return scene;
}

bool near(const Vector3& x, const Vector3d& y, double tolerance) {
    // The table has ten digits: 1e-8 in numbers below 10.
    return (x - vec(y)).cwiseAbs().maxCoeff() <= tolerance * std::max(1.0, vec(y).cwiseAbs().maxCoeff() / 10);
}

/// Invariants of any route over one guide, relative to the largest length.
void checkBalance(const Scene& scene) {
    const SpanResult r = scene.route();
    const GuideContact& c = r.guides[0];
    const SpanGuide& guide = scene.guides[0];
    const double limit = 1e-10 * std::max(1.0, sizeOf(scene));
    REQUIRE(finite(r));
    // 1: forces and moments add up to nothing
    CHECK((r.a_gradient + r.b_gradient + c.first_gradient + c.last_gradient).norm() < limit);
    CHECK((scene.a.cross(r.a_gradient) + scene.b.cross(r.b_gradient) + c.first.cross(c.first_gradient) +
           c.last.cross(c.last_gradient))
              .norm() < limit);
    // 2, 3: frictionless surfaces
    const Vector3 moment =
        (c.first - guide.centre).cross(c.first_gradient) + (c.last - guide.centre).cross(c.last_gradient);
    if (guide.kind == Kind::sphere) CHECK(moment.norm() < limit);
    if (guide.kind == Kind::cylinder) {
        CHECK(std::abs(guide.axes.col(2).dot(moment)) < limit);
        CHECK(std::abs(guide.axes.col(2).dot(c.first_gradient + c.last_gradient)) < limit);
    }
    // 4: unit ends
    CHECK(r.a_gradient.norm() == Approx(1).margin(1e-10));
    CHECK(r.b_gradient.norm() == Approx(1).margin(1e-10));
    // the pieces are the whole
    double sum = c.arc;
    for (const double s : r.straight) sum += s;
    CHECK(sum == Approx(r.length).margin(limit));
    // 5: the other way along
    const SpanResult back = exchanged(scene).route();
    CHECK(back.length == Approx(r.length).margin(limit));
    CHECK(back.guides[0].state == c.state);
    CHECK((back.guides[0].first - c.last).norm() < limit);
    CHECK((back.guides[0].last - c.first).norm() < limit);
    CHECK((back.a_gradient - r.b_gradient).norm() < limit);
    // 7: scale
    for (const double k : {1e-3, 37.0}) {
        const SpanResult big = scaled(scene, k).route();
        CHECK(big.length == Approx(k * r.length).margin(k * limit));
        CHECK((big.a_gradient - r.a_gradient).norm() < 1e-10);
        CHECK((big.guides[0].first_gradient - c.first_gradient).norm() < 1e-10);
    }
}

}  // namespace

TEST_CASE("every case of the table, under both side rules", "[routes]") {
    for (const SideRule rule : {SideRule::nearest, SideRule::barrier}) {
        for (const Case& c : kCases) {
            INFO(c.name << " " << sideRuleName(rule));
            const Scene scene = sceneOf(c, rule);
            const SpanResult r = scene.route();
            REQUIRE(r.guides.size() == 1);
            const GuideContact& g = r.guides[0];
            CHECK(r.converged);
            CHECK(r.length == Approx(c.length).epsilon(0).margin(1e-10));
            CHECK(near(r.a_gradient, c.a_gradient, 1e-8));
            CHECK(near(r.b_gradient, c.b_gradient, 1e-8));
            if (c.expect == Expect::free) CHECK(g.state == State::free);
            if (c.expect == Expect::wrapped) {
                CHECK(g.state == State::wrapped);
                CHECK(near(g.first, c.first, 1e-8));
                CHECK(near(g.last, c.last, 1e-8));
                CHECK(near(g.first_gradient, c.first_gradient, 1e-8));
                CHECK(near(g.last_gradient, c.last_gradient, 1e-8));
            }
            if (c.expect == Expect::bent) {
                CHECK(g.state == State::bent);
                CHECK(near(g.first, c.first, 1e-7));
                CHECK(near(g.first_gradient, c.first_gradient, 1e-8));
                CHECK(g.last_gradient.norm() == 0);
            }
            CHECK(g.sweep == Approx(c.sweep).epsilon(0).margin(1e-9));
            checkBalance(scene);
        }
    }
}

TEST_CASE("the table's gradients and moments on the guide are those of differences", "[routes]") {
    for (const Case& c : kCases) {
        const std::string name = c.name;
        // Directions that are free (a route's plane, a tie) or at a change of route.
        if (name == "S04" || name == "S10" || name == "S11" || name == "I04" || name == "C10" || name == "C09")
            continue;
        INFO(c.name);
        for (const Slope& slope : slopes(sceneOf(c, SideRule::nearest), 1e-5)) {
            if (slope.compared) CHECK(slope.claimed == Approx(slope.difference).margin(1e-8));
        }
    }
}

TEST_CASE("a whole scene moved as one keeps its lengths and turns its gradients", "[routes]") {
    Random random(7);
    for (const Case& c : kCases) {
        const std::string name = c.name;
        INFO(name);
        const Scene scene = sceneOf(c, SideRule::nearest);
        const SpanResult r = scene.route();
        for (int i = 0; i < 10; i++) {
            const Matrix3 R = random.rotation();
            const Vector3 t = 3 * random.direction();
            const SpanResult s = moved(scene, R, t).route();
            CHECK(s.length == Approx(r.length).epsilon(0).margin(1e-10));
            CHECK((s.a_gradient - R * r.a_gradient).norm() < 1e-8);
            CHECK((s.b_gradient - R * r.b_gradient).norm() < 1e-8);
            if (r.guides[0].state == State::wrapped) {
                CHECK((s.guides[0].first - (R * r.guides[0].first + t)).norm() < 1e-8);
            }
            CHECK(s.guides[0].state == r.guides[0].state);
        }
    }
}

TEST_CASE("polylines: straight spans with a direction, coincident points without", "[routes]") {
    const auto span = [](const Vector3& a, const Vector3& b) { return Scene{a, b, {}}.route(); };
    SECTION("3 4 12") {
        const SpanResult r = span({0, 0, 0}, {3, 4, 12});
        CHECK(r.length == 13);
        CHECK((r.a_gradient + Vector3(3, 4, 12) / 13).norm() < 1e-15);
        CHECK((r.b_gradient - Vector3(3, 4, 12) / 13).norm() < 1e-15);
        CHECK(r.straight == std::vector<double>{13});
        CHECK(r.guides.empty());
    }
    SECTION("a via-point gets both neighbours' gradients") {
        const Vector3 p[] = {{0, 0, 2}, {1, 0, 1}, {1, 2, 1}, {-1, 2, 0}};
        const SpanResult r0 = span(p[0], p[1]), r1 = span(p[1], p[2]), r2 = span(p[2], p[3]);
        CHECK(r0.length + r1.length + r2.length == Approx(5.650281539873).epsilon(0).margin(1e-10));
        CHECK((r0.a_gradient - Vector3(-0.7071067812, 0, 0.7071067812)).norm() < 1e-8);
        CHECK((r0.b_gradient + r1.a_gradient - Vector3(0.7071067812, -1, -0.7071067812)).norm() < 1e-8);
        CHECK((r1.b_gradient + r2.a_gradient - Vector3(0.8944271910, 1, 0.4472135955)).norm() < 1e-8);
        CHECK((r2.b_gradient - Vector3(-0.8944271910, 0, -0.4472135955)).norm() < 1e-8);
    }
    SECTION("coincident") {
        const Vector3 p(0.2, 0.3, 0.4);
        for (const Vector3& q : {p, Vector3(0.1 + 0.1, 0.1 + 0.2, 0.4), Vector3(p + Vector3(1e-16, -1e-16, 0))}) {
            const SpanResult r = span(p, q);
            CHECK(r.length == 0);
            CHECK(r.a_gradient.norm() == 0);
            CHECK(r.b_gradient.norm() == 0);
        }
        // A nanometre is a direction.
        CHECK(span(p, p + Vector3(1e-9, 0, 0)).b_gradient.x() == Approx(1).margin(1e-6));
    }
    SECTION("coincident ends at a guide") {
        for (const Kind kind : {Kind::sphere, Kind::cylinder}) {
            for (const SideRule rule : {SideRule::nearest, SideRule::barrier}) {
                const Scene scene{{0, 0, -2}, {0, 0, -2}, {withSide(guideOf(kind, {0, 0, 0}, 1), {3, 0, 0}, rule)}};
                const SpanResult r = scene.route();
                CHECK(r.length == 0);
                CHECK(r.a_gradient.norm() == 0);
                CHECK(r.guides[0].state == State::free);
            }
        }
    }
}

TEST_CASE("two guides apart: a via-point between", "[routes]") {
    const Scene one{{-1, 0, 0},
                    {0.3, 0.1, 1.2},
                    {withSide(guideOf(Kind::cylinder, {-0.35, 0, 0.45}, 0.2, {0, 1, 0}), {-0.6, 0, 1})}};
    const Scene two{
        {0.3, 0.1, 1.2}, {1.5, 0.4, -0.2}, {withSide(guideOf(Kind::sphere, {0.95, 0.3, 0.4}, 0.25), {1.4, 0.4, 1.2})}};
    const SpanResult r = one.route(), s = two.route();
    CHECK(r.length == Approx(1.781274640793).epsilon(0).margin(1e-10));
    CHECK(s.length == Approx(1.915622588234).epsilon(0).margin(1e-10));
    CHECK((r.b_gradient + s.a_gradient - Vector3(0.0493095558, 0.0486068464, 1.2762547240)).norm() < 1e-8);
    CHECK((r.guides[0].first - Vector3(-0.501738821, 0.0430063417, 0.580289409)).norm() < 1e-8);
    CHECK((r.guides[0].last - Vector3(-0.471641285, 0.0453398936, 0.60875578)).norm() < 1e-8);
    CHECK((s.guides[0].first - Vector3(1.05793611, 0.107681905, 0.517743564)).norm() < 1e-8);
    CHECK((s.guides[0].last - Vector3(1.12910602, 0.128437143, 0.431420044)).norm() < 1e-8);
}

TEST_CASE("a helix at 10 N: force and moment on the guide", "[routes]") {
    const Scene scene{
        {-0.5, -0.7, 1}, {0.5, 0.8, 1}, {withSide(guideOf(Kind::cylinder, {0, 0, 2}, 0.5, {0, 1, 0}), {0, 0, 3})}};
    const GuideContact g = scene.route().guides[0];
    const Vector3 about(0.2, 0, 2);
    const Vector3 force = -10 * (g.first_gradient + g.last_gradient);
    const Vector3 moment = -10 * ((g.first - about).cross(g.first_gradient) + (g.last - about).cross(g.last_gradient));
    CHECK((force - Vector3(0, 0, -18.4391525)).norm() < 1e-7);
    CHECK((moment - Vector3(-0.921957626, -3.68783050, 3.87290764)).norm() < 1e-7);
    // Turning in space: less than the planar sweep by the slope of the helix.
    CHECK(g.turn == Approx(g.sweep * 0.9219576258).epsilon(1e-9));
    CHECK(g.arc == Approx(0.5 * g.sweep / 0.9219576258).epsilon(1e-9));
}

namespace {

Scene hinge(double q, double height, SideRule rule) {
    const Vector3 tip = rotationAbout(Vector3::UnitZ(), q) * Vector3(0.25, 0.06, height);
    return {{-0.30, 0.06, 0}, tip, {withSide(guideOf(Kind::cylinder, {0, 0, 0}, 0.05), {0, 0.1, 0}, rule)}};
}
double hingeArm(const Scene& scene) { return scene.b.cross(scene.route().b_gradient).z(); }

}  // namespace

TEST_CASE("moment arms of a hinge with a cylinder about its axis", "[routes]") {
    struct Row {
        double q;
        State state;
        double length, arm;
    };
    const Row flat[] = {
        {-1.50, State::wrapped, 0.625365704180, -0.050000000}, {-1.00, State::wrapped, 0.600365704180, -0.050000000},
        {-0.50, State::wrapped, 0.575365704180, -0.050000000}, {-0.25, State::wrapped, 0.562865704180, -0.050000000},
        {-0.10, State::wrapped, 0.555365704180, -0.050000000}, {0.00, State::free, 0.550000000000, -0.060000000},
        {0.25, State::free, 0.530784355939, -0.093519622},     {0.50, State::free, 0.503365378518, -0.125537454},
        {1.00, State::free, 0.425814612573, -0.182969307},     {1.50, State::free, 0.322438526362, -0.228122460},
        {2.00, State::free, 0.200650446226, -0.255125227}};
    const Row helix[] = {{-1.00, State::wrapped, 0.612240948284, -0.049030182},
                         {-0.50, State::wrapped, 0.587746283311, -0.048946775},
                         {0.50, State::free, 0.517471452633, -0.122115351}};
    const auto check = [](const Row& row, double height, SideRule rule) {
        INFO("q = " << row.q << ", height " << height);
        const Scene scene = hinge(row.q, height, rule);
        const SpanResult r = scene.route();
        CHECK(r.length == Approx(row.length).epsilon(0).margin(1e-10));
        CHECK(hingeArm(scene) == Approx(row.arm).epsilon(0).margin(1e-8));
        CHECK(r.guides[0].state == row.state);
    };
    for (const SideRule rule : {SideRule::nearest, SideRule::barrier}) {
        for (const Row& row : flat) check(row, 0, rule);
        for (const Row& row : helix) check(row, 0.12, rule);
        // The release: continuous in length and moment arm.
        const double release = -0.073049310689;
        const Scene before = hinge(release - 1e-9, 0, rule), after = hinge(release + 1e-9, 0, rule);
        CHECK(before.length() == Approx(0.554018169714).epsilon(0).margin(1e-9));
        CHECK(after.length() == Approx(0.554018169714).epsilon(0).margin(1e-9));
        CHECK(hingeArm(before) == Approx(-0.05).margin(1e-8));
        CHECK(hingeArm(after) == Approx(-0.05).margin(1e-8));
    }
}

TEST_CASE("where the side rules differ", "[routes]") {
    const auto scene = [](const Vector3& a, const Vector3& b, SideRule rule) {
        return Scene{a, b, {withSide(guideOf(Kind::cylinder, {0, 0, 0}, 1, {0, 1, 0}), {0, 0, 3}, rule)}};
    };
    const auto check = [](const Scene& nearest, double wrapped, const Scene& barrier, double straight) {
        const SpanResult n = nearest.route(), b = barrier.route();
        CHECK(n.length == Approx(wrapped).epsilon(0).margin(1e-9));
        CHECK(n.guides[0].state == State::wrapped);
        CHECK(b.length == Approx(straight).epsilon(0).margin(1e-9));
        CHECK(b.guides[0].state == State::free);
    };
    SECTION("the segment misses on one flank") {
        check(scene({-2, 0, -0.5}, {-2, 0, -3}, SideRule::nearest), 8.458134391,
              scene({-2, 0, -0.5}, {-2, 0, -3}, SideRule::barrier), 2.5);
    }
    SECTION("the long way") {
        check(scene({-2, 0, 0.9}, {-0.5, 0, -2}, SideRule::nearest), 6.127514888,
              scene({-2, 0, 0.9}, {-0.5, 0, -2}, SideRule::barrier), 3.264965543);
    }
    SECTION("an end swings behind the guide") {
        check(hinge(-2.0, 0, SideRule::nearest), 0.650365704, hinge(-2.0, 0, SideRule::barrier), 0.400359666);
    }
}

}  // namespace mw::routes

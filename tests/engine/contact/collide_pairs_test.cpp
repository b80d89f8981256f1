// Pairs of primitives against an opinion from support functions, mirrored, moved a little, and in degenerate places.
#include "tests/engine/contact/collide_support.h"

using namespace mw;
using namespace mw::test;

namespace {

constexpr Kind kPrimitives[] = {Kind::sphere, Kind::capsule, Kind::box};
const char* kindName(Kind kind) {
    constexpr const char* kNames[] = {"box", "sphere", "capsule", "cylinder", "cone", "mesh"};
    return kNames[static_cast<int>(kind)];
}

void checkSound(const Touches& touches) {
    for (const Touch& t : touches) {
        REQUIRE(t.a.allFinite());
        REQUIRE(t.b.allFinite());
        REQUIRE(std::isfinite(t.gap));
        CHECK(std::abs(t.normal.norm() - 1) < 1e-12);
        CHECK((t.b - t.a - t.gap * t.normal).norm() < 1e-9);
    }
    for (std::size_t i = 0; i < touches.size(); i++)
        for (std::size_t j = i + 1; j < touches.size(); j++) CHECK(touches[i].feature != touches[j].feature);
}

/// B moved along a direction so that the two are `gap` apart by the opinion.
void place(const Solid& A, Solid& B, double gap) {
    Vector3 n = Vector3::UnitZ();
    for (int k = 0; k < 4; k++) {
        const double d = signedDistance(A, B, &n);
        B.p += (gap - d) * n;
    }
}

}  // namespace

TEST_CASE("pairs of primitives: gap against the greatest separation over all directions") {
    for (Kind ka : kPrimitives) {
        for (Kind kb : kPrimitives) {
            double apart = 0, deep = 0, off = 0;
            for (int trial = 0; trial < 120; trial++) {
                Draw draw(4100 + 10 * int(ka) + int(kb), trial);
                const Solid A = randomSolid(ka, draw);
                Solid B = randomSolid(kb, draw);
                B.p += draw.between(0, 1.5) * unitVector(draw);
                const double core = coreDistance(A, B), wanted = core > 0 ? core : signedDistance(A, B);
                Touches touches;
                collide::touches(A, B, 10, touches);
                INFO(kindName(ka) << " " << kindName(kb) << " trial " << trial << " wanted " << wanted);
                REQUIRE(!touches.empty());
                checkSound(touches);
                const double error = std::abs(leastGap(touches) - wanted);
                if (wanted > 0) {
                    apart = std::max(apart, error);
                    CHECK(error < 1e-8);
                } else {
                    // Along a face the depth is that of the overlap's corners, up to 3 degrees off the least axis.
                    deep = std::max(deep, error);
                    CHECK(error < 1e-5 + 1e-2 * std::abs(wanted));
                }
                for (const Touch& t : touches) {
                    if (wanted > 0 || t.gap == leastGap(touches)) {
                        off = std::max({off, surfaceDistance(A, t.a), surfaceDistance(B, t.b)});
                        CHECK(surfaceDistance(A, t.a) < 1e-8);
                        CHECK(surfaceDistance(B, t.b) < 1e-8);
                    }
                }
            }
            std::printf("  %-8s %-8s apart %9.2g  overlapping %9.2g  beyond a surface %9.2g\n", kindName(ka),
                        kindName(kb), apart, deep, off);
        }
    }
}

TEST_CASE("pairs of primitives: the other way round everything is mirrored") {
    for (Kind ka : kPrimitives) {
        for (Kind kb : kPrimitives) {
            for (int trial = 0; trial < 200; trial++) {
                Draw draw(5100 + 10 * int(ka) + int(kb), trial);
                const Solid A = randomSolid(ka, draw);
                Solid B = randomSolid(kb, draw);
                B.p += draw.between(0, 1) * unitVector(draw);
                Touches one, other;
                collide::touches(A, B, 10, one);
                collide::touches(B, A, 10, other);
                INFO(kindName(ka) << " " << kindName(kb) << " trial " << trial);
                REQUIRE(one.size() == other.size());
                for (const Touch& t : one) {
                    bool found = false;
                    for (const Touch& u : other)
                        found = found || ((t.a - u.b).norm() < 1e-9 && (t.b - u.a).norm() < 1e-9 &&
                                          (t.normal + u.normal).norm() < 1e-9 && std::abs(t.gap - u.gap) < 1e-12);
                    CHECK(found);
                }
            }
        }
    }
}

TEST_CASE("pairs of primitives: a small motion moves the gap by no more") {
    for (Kind ka : kPrimitives) {
        for (Kind kb : kPrimitives) {
            double worst = 0;
            for (int trial = 0; trial < 60; trial++) {
                Draw draw(6100 + 10 * int(ka) + int(kb), trial);
                const Solid A = randomSolid(ka, draw);
                Solid B = randomSolid(kb, draw);
                place(A, B, draw.between(-0.01, 0.01));
                const Vector3 go = unitVector(draw), turn = unitVector(draw);
                const Vector3 p = B.p;
                const Matrix3 R = B.R;
                double before = 0;
                constexpr double kStep = 1e-4;
                for (int k = 0; k < 200; k++) {
                    B.p = p + k * kStep * go;
                    B.R = rotationAbout(turn, k * kStep) * R;
                    Touches touches;
                    collide::touches(A, B, 10, touches);
                    REQUIRE(!touches.empty());
                    const double gap = leastGap(touches);
                    if (k > 0) worst = std::max(worst, std::abs(gap - before));
                    before = gap;
                }
            }
            INFO(kindName(ka) << " " << kindName(kb));
            std::printf("  %-8s %-8s greatest change over steps of 1e-4: %9.3g\n", kindName(ka), kindName(kb), worst);
            // A point of B moves by at most 1e-4 (1 + its distance from the origin, at most 2); a box's depth of up to
            // a few centimetres changes by 1.4e-3 of itself where the face takes over.
            CHECK(worst < 3.5e-4);
        }
    }
}

TEST_CASE("concentric, parallel and flat: finite, unit normals, deterministic") {
    const Matrix3 I = Matrix3::Identity();
    const Vector3 o = Vector3::Zero();
    std::vector<Solid> solids;
    for (Kind kind : kPrimitives) {
        solids.push_back(solidOf(kind, Vector3(0.3, 0.5, 0.4), o, I));
        solids.push_back(solidOf(kind, Vector3(0.3, 0.5, 0.4), Vector3(0, 0, 0.5), I));
        solids.push_back(solidOf(kind, Vector3(0.3, 0.5, 0.4), Vector3(0.3, 0, 0),
                                 rotationAbout(Vector3::UnitX(), 1.5707963267948966)));
        solids.push_back(solidOf(kind, Vector3(0.3, 0, 0.4), o, I));
        solids.push_back(solidOf(kind, Vector3(0, 0.5, 0.4), Vector3(0, 0.1, 0), I));
        solids.push_back(solidOf(kind, Vector3(0, 0, 0), o, I));
    }
    for (const Solid& A : solids) {
        for (const Solid& B : solids) {
            Touches touches, again;
            collide::touches(A, B, 10, touches);
            collide::touches(A, B, 10, again);
            INFO(kindName(A.kind) << " " << kindName(B.kind));
            REQUIRE(!touches.empty());
            checkSound(touches);
            REQUIRE(touches.size() == again.size());
            for (std::size_t i = 0; i < touches.size(); i++) CHECK(touches[i].gap == again[i].gap);
        }
    }
}

TEST_CASE("parallel capsules touch in two places, crossed ones in one, a flat X at its ends and its middle") {
    const Solid A = solidOf(Kind::capsule, Vector3(0.1, 0.5, 0));
    Touches touches;
    collide::touches(A, solidOf(Kind::capsule, Vector3(0.1, 0.5, 0), Vector3(0.21, 0, 0.3)), 1, touches);
    REQUIRE(touches.size() == 2);
    CHECK(touches[0].gap == Approx(0.01));
    CHECK(touches[1].gap == Approx(0.01));
    CHECK(std::abs(std::abs(touches[0].a.z() - touches[1].a.z()) - 0.7) < 1e-12);
    touches.clear();
    collide::touches(A, solidOf(Kind::capsule, Vector3(0.1, 0.2, 0), Vector3(0.21, 0, 0.1)), 1, touches);
    REQUIRE(touches.size() == 2);
    CHECK(std::abs(std::abs(touches[0].a.z() - touches[1].a.z()) - 0.4) < 1e-12);
    touches.clear();
    collide::touches(
        A, solidOf(Kind::capsule, Vector3(0.1, 0.5, 0), Vector3(0.21, 0, 0), rotationAbout(Vector3::UnitX(), 1)), 1,
        touches);
    REQUIRE(touches.size() == 1);
    CHECK(touches[0].gap == Approx(0.01));
    touches.clear();
    collide::touches(
        A, solidOf(Kind::capsule, Vector3(0.1, 0.5, 0), Vector3(0.21, 0, 0), rotationAbout(Vector3::UnitX(), 0.02)), 1,
        touches);
    CHECK(touches.size() == 5);
    CHECK(leastGap(touches) == Approx(0.01));
}

TEST_CASE("box on box: corners of the overlap, names that survive a small motion") {
    const Solid A = solidOf(Kind::box, Vector3(0.5, 0.5, 0.1));
    Solid B = solidOf(Kind::box, Vector3(0.5, 0.5, 0.1), Vector3(0, 0, 0.2 - 1e-4));
    Touches flush;
    collide::touches(A, B, 1e-2, flush);
    REQUIRE(flush.size() == 4);
    for (const Touch& t : flush) {
        CHECK(t.gap == Approx(-1e-4));
        CHECK(t.normal.z() == 1);
        CHECK(std::abs(std::abs(t.a.x()) - 0.5) < 1e-12);
        CHECK(std::abs(std::abs(t.a.y()) - 0.5) < 1e-12);
    }
    // Rounding and drifts far below the tolerance keep the four names, whichever box is the base.
    for (int trial = 0; trial < 200; trial++) {
        Draw draw(88, trial);
        Solid C = B;
        const double scale = std::pow(10, draw.between(-16, -9));
        C.p += scale * unitVector(draw);
        C.R = rotationAbout(unitVector(draw), scale) * C.R;
        Touches moved;
        collide::touches(A, C, 1e-2, moved);
        REQUIRE(moved.size() == 4);
        for (const Touch& t : moved) {
            bool known = false;
            for (const Touch& u : flush) known = known || (u.feature == t.feature && (u.a - t.a).norm() < 1e-6);
            CHECK(known);
        }
    }
    // A smaller one on top: its own corners. Half over the edge: two of its corners and two crossings of edges.
    B.size = Vector3(0.2, 0.3, 0.1);
    Touches small;
    collide::touches(A, B, 1e-2, small);
    REQUIRE(small.size() == 4);
    for (const Touch& t : small) CHECK((t.feature >= 8 && t.feature < 16));
    B.p.x() = 0.5;
    Touches half;
    collide::touches(A, B, 1e-2, half);
    REQUIRE(half.size() == 4);
    int crossings = 0;
    double sum = 0;
    for (const Touch& t : half) {
        crossings += t.feature >= 16;
        sum += t.a.x();
    }
    CHECK(crossings == 2);
    CHECK(sum == Approx(2 * 0.3 + 2 * 0.5));
    // Turned by 45 degrees an octagon.
    B = solidOf(Kind::box, Vector3(0.5, 0.5, 0.1), Vector3(0, 0, 0.2),
                rotationAbout(Vector3::UnitZ(), 0.7853981633974483));
    Touches octagon;
    collide::touches(A, B, 1e-2, octagon);
    CHECK(octagon.size() == 8);
}

TEST_CASE("capsule on a box: two places along a face, one at an edge") {
    const Solid B = solidOf(Kind::box, Vector3(0.5, 0.5, 0.1));
    const Matrix3 lying = rotationAbout(Vector3::UnitY(), 1.5707963267948966);
    Touches touches;
    collide::touches(solidOf(Kind::capsule, Vector3(0.1, 0.3, 0), Vector3(0, 0, 0.205), lying), B, 1e-2, touches);
    REQUIRE(touches.size() == 2);
    CHECK(touches[0].gap == Approx(0.005));
    CHECK(std::abs(std::abs(touches[0].b.x()) - 0.3) < 1e-9);
    touches.clear();  // longer than the box
    collide::touches(solidOf(Kind::capsule, Vector3(0.1, 0.9, 0), Vector3(0, 0, 0.205), lying), B, 1e-2, touches);
    REQUIRE(touches.size() == 2);
    CHECK(std::abs(std::abs(touches[0].b.x()) - 0.5) < 1e-6);
    touches.clear();  // upright
    collide::touches(solidOf(Kind::capsule, Vector3(0.1, 0.3, 0), Vector3(0, 0, 0.505)), B, 1e-2, touches);
    REQUIRE(touches.size() == 1);
    CHECK(touches[0].gap == Approx(0.005));
    touches.clear();  // across the edge at 45 degrees
    collide::touches(solidOf(Kind::capsule, Vector3(0.1, 0.3, 0), Vector3(0.5 + 0.1, 0, 0.1 + 0.1),
                             rotationAbout(Vector3::UnitY(), -0.7853981633974483)),
                     B, 1e-1, touches);
    REQUIRE(touches.size() == 1);
    CHECK(touches[0].gap == Approx(std::sqrt(0.02) - 0.1));
}

// Loops as text and as rows: what is read, in which order the rows come, and by how much a pose misses them.
#include <cmath>

#include "engine/model/layout.h"
#include "engine/model/loop_rows.h"
#include "engine/model/read.h"
#include "tests/support/catch.h"

using namespace mw;

namespace {

const std::string kArms =
    "mech 1\nbody a\n  joint spherical\n  mass 1\n  inertia 1 1 1 0 0 0\nbody b\n  joint floating\n  mass 1\n  inertia "
    "1 1 1 "
    "0 0 0\n";

Model sound(const std::string& text) {
    const ReadResult read = readModel(kArms + text);
    for (const Diagnostic& d : read.diagnostics)
        if (d.severity == Severity::error) FAIL_CHECK(formatDiagnostic(d, text, "text"));
    return read.model;
}

Loop loopOf(LoopType type, Vector3d axis = {0, 0, 1}) {
    Loop loop;
    loop.type = type;
    loop.axis = axis;
    loop.length = Number(2);
    return loop;
}

std::vector<std::string> names(const Loop& loop) {
    std::vector<std::string> all;
    for (const LoopRow& row : rowsOf(loop)) all.push_back(rowName(row));
    return all;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("A loop reads with a turn of the frame on either side, on its own line or on one") {
    for (const char* text :
         {"loop l\n  type revolute\n  from a 1 2 3 rot 0.1 0.2 0.3\n  to b 4 5 6 rot 0.4 0.5 0.6\n  axis 0 3 4\n",
          "loop l\n  axis 0 3 4  to b 4 5 6 rot 0.4 0.5 0.6\n  type revolute  from a 1 2 3 rot 0.1 0.2 0.3\n"}) {
        const Model m = sound(text);
        REQUIRE(m.loops.size() == 1);
        const Loop& l = m.loops[0];
        CHECK(l.name == "l");
        CHECK(l.type == LoopType::revolute);
        CHECK(l.from.body == 0);
        CHECK(l.to.body == 1);
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(l.from.at[i].value == 1.0 + static_cast<double>(i));
            CHECK(l.to.at[i].value == 4.0 + static_cast<double>(i));
            CHECK(l.from.rot[i].value == Approx(0.1 * (static_cast<double>(i) + 1)));
            CHECK(l.to.rot[i].value == Approx(0.1 * (static_cast<double>(i) + 4)));
        }
        CHECK(l.axis[1] == Approx(0.6));
        CHECK(l.axis[2] == Approx(0.8));
    }
    // One side turned: the other stays.
    const Model m = sound("loop l\n  type spherical\n  from a 0 0 0\n  to b 0 0 0 rot 0 0 1\n");
    CHECK(m.loops[0].from.rot[2].value == 0);
    CHECK(m.loops[0].to.rot[2].value == 1);
}

TEST_CASE("stab is read, and noted where no loop reads it") {
    CHECK(sound("").stab == 0.1);
    const Model m = sound("stab 0\nloop l\n  type spherical\n  from a 0 0 0\n  to b 0 0 0\n");
    CHECK(m.stab == 0);
    CHECK(readModel(kArms + "stab 0.2\nloop l\n  type spherical\n  from a 0 0 0\n  to b 0 0 0\n").diagnostics.empty());
}

TEST_CASE("Rows follow one another as loops say, and find() gives the first of each") {
    const Model m = sound(
        "loop one\n  type revolute\n  from base 0 0 0\n  to a 0 0 0\n  axis z\n"
        "loop two\n  type distance\n  from a 1 0 0\n  to b 0 0 0\n  length 1\n"
        "loop three\n  type cylindrical\n  from a 0 0 0\n  to b 0 0 0\n  axis y\n");
    const Layout layout = layoutOf(m);
    CHECK(layout.nc == 10);
    CHECK(layout.nloop == 3);
    CHECK(findSlot(m, layout, "loop", "one") == 0);
    CHECK(findSlot(m, layout, "loop", "two") == 5);
    CHECK(findSlot(m, layout, "loop", "three") == 6);
    CHECK(findSlot(m, layout, "loop", "four") == -1);
}

TEST_CASE("What enters the equations changes the hash: type, frames, axis, length, stab") {
    const std::string loop = "loop l\n  type revolute\n  from a 1 0 0 rot 0.1 0 0\n  to b 0 0 1\n  axis z\n";
    const Hash hash = dynamicsHash(sound(loop));
    CHECK(dynamicsHash(sound(loop + "# a remark\n")) == hash);
    for (const char* other :
         {"loop l\n  type prismatic\n  from a 1 0 0 rot 0.1 0 0\n  to b 0 0 1\n  axis z\n",
          "loop l\n  type revolute\n  from a 1 0 0 rot 0.2 0 0\n  to b 0 0 1\n  axis z\n",
          "loop l\n  type revolute\n  from a 1 0 0\n  to b 0 0 1 rot 0.1 0 0\n  axis z\n",
          "loop l\n  type revolute\n  from a 1 0 0 rot 0.1 0 0\n  to b 0 0 1\n  axis y\n",
          "stab 0.2\nloop l\n  type revolute\n  from a 1 0 0 rot 0.1 0 0\n  to b 0 0 1\n  axis z\n", ""})
        CHECK_FALSE(dynamicsHash(sound(other)) == hash);
}

TEST_CASE("The order of the rows is the one of the conventions") {
    CHECK(names(loopOf(LoopType::revolute, {1, 0, 0})) ==
          Names{"turning about y", "turning about z", "moving along y", "moving along z", "moving along x"});
    CHECK(names(loopOf(LoopType::prismatic, {0, 1, 0})) ==
          Names{"turning about z", "turning about x", "turning about y", "moving along z", "moving along x"});
    CHECK(names(loopOf(LoopType::cylindrical, {0, 0, 1})) ==
          Names{"turning about x", "turning about y", "moving along x", "moving along y"});
    CHECK(names(loopOf(LoopType::point_on_line, {0, 0, 1})) == Names{"moving along x", "moving along y"});
    CHECK(names(loopOf(LoopType::spherical)) == Names{"moving along x", "moving along y", "moving along z"});
    CHECK(names(loopOf(LoopType::distance)) == Names{"distance"});
    for (const LoopType type : {LoopType::revolute, LoopType::prismatic, LoopType::cylindrical, LoopType::spherical,
                                LoopType::point_on_line, LoopType::distance})
        CHECK(rowsOf(loopOf(type)).size() == static_cast<std::size_t>(loopRows(type)));
}

TEST_CASE("Directions across any axis complete a right-handed frame") {
    for (int i = 0; i < 200; ++i) {
        Vector3d a{std::sin(1.0 + i), std::cos(2.3 * i), std::sin(0.7 * i * i)};
        const double length = std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
        for (double& x : a) x /= length;
        const auto [b, c] = directionsAcross(a);
        const auto dot = [](const Vector3d& u, const Vector3d& v) { return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]; };
        CHECK(dot(a, b) == Approx(0).margin(1e-15));
        CHECK(dot(b, b) == Approx(1));
        // a x b = c
        CHECK(a[1] * b[2] - a[2] * b[1] == Approx(c[0]).margin(1e-15));
        CHECK(a[2] * b[0] - a[0] * b[2] == Approx(c[1]).margin(1e-15));
        CHECK(a[0] * b[1] - a[1] * b[0] == Approx(c[2]).margin(1e-15));
    }
}

TEST_CASE("Errors are the displacement and the turn that were put in") {
    // The successor is displaced by d and turned by the vector r, both in the predecessor's loop frame.
    const Vector3d at{0.3, -0.2, 0.5};
    Placement from;
    from.rotation = axisRotation({0.6, 0, 0.8}, 1.1);
    from.position = at;
    for (double angle : {0.0, 1e-9, 1e-3, 0.4, 2.0, 3.1}) {
        const Vector3d d{0.01, 0.02, -0.03}, u{2.0 / 7, 3.0 / 7, 6.0 / 7};
        Placement step;
        step.rotation = axisRotation(u, angle);
        step.position = d;
        const Placement to = compose(from, step);
        INFO("angle " << angle);
        const auto close = [](double a, double b) { return std::abs(a - b) < 1e-14; };

        const auto prismatic = loopError(loopOf(LoopType::prismatic, {1, 0, 0}), from, to, {});
        CHECK(close(prismatic[0], angle * u[1]));
        CHECK(close(prismatic[1], angle * u[2]));
        CHECK(close(prismatic[2], angle * u[0]));
        CHECK(close(prismatic[3], d[1]));
        CHECK(close(prismatic[4], d[2]));
        const auto ball = loopError(loopOf(LoopType::spherical), from, to, {});
        for (std::size_t i = 0; i < 3; ++i) CHECK(close(ball[i], d[i]));
        const auto line = loopError(loopOf(LoopType::point_on_line, {0, 1, 0}), from, to, {});
        CHECK(close(line[0], d[2]));
        CHECK(close(line[1], d[0]));

        // A turn across the axis is the whole error of a revolute loop, whatever the free turn before it.
        for (double free : {0.0, 0.7, -2.5}) {
            Placement across, about;
            across.rotation = axisRotation({0.6, 0.8, 0}, angle);
            about.rotation = axisRotation({0, 0, 1}, free);
            const Placement turned = compose(from, compose(across, about));
            const auto revolute = loopError(loopOf(LoopType::revolute, {0, 0, 1}), from, turned, {});
            CHECK(close(revolute[0], 0.6 * angle));
            CHECK(close(revolute[1], 0.8 * angle));
            for (std::size_t i = 2; i < 5; ++i) CHECK(close(revolute[i], 0));
        }
        const auto rod = loopError(loopOf(LoopType::distance), from, to, {});
        CHECK(close(rod[0], std::sqrt(0.0014) - 2));
    }
    // Half a turn away nothing is lost.
    Placement to = from;
    to.rotation = axisRotation({0.6, 0, 0.8}, 1.1);
    Placement half;
    half.rotation = axisRotation({1, 0, 0}, std::acos(-1.0));
    const auto opposite = loopError(loopOf(LoopType::revolute, {0, 0, 1}), from, compose(from, half), {});
    CHECK(std::hypot(opposite[0], opposite[1]) == Approx(std::acos(-1.0)));
}

TEST_CASE("An open loop is a warning that says by how much and where; a closed one is silent") {
    const std::string arm = "mech 1\nbody arm\n  joint revolute y\n  mass 1\n  cg 0.5 0 0\n";
    const ReadResult open =
        readModel(arm + "loop l\n  type point-on-line\n  from base 1 0 0.25\n  to arm 1 0 0\n  axis y\n");
    REQUIRE(open.diagnostics.size() == 1);
    CHECK(open.ok());
    CHECK(open.diagnostics[0].code == "loop-open");
    CHECK(open.diagnostics[0].message.find("0.25 m") != std::string::npos);
    CHECK(open.diagnostics[0].message.find("moving along z") != std::string::npos);
    CHECK(readModel(arm + "loop l\n  type point-on-line\n  from base 1 0 0\n  to arm 1 0 0\n  axis y\n")
              .diagnostics.empty());
}

TEST_CASE("A live value is judged where sliders get: each parameter's ends, then corners of all") {
    const auto warnings = [](const std::string& params, const std::string& length) {
        std::string found;
        for (const Diagnostic& d :
             readModel("mech 1\n" + params +
                       "body arm\n  joint revolute y\n  mass 1\n  cg 0.5 0 0\nloop l\n  type distance\n  from base 1 0 "
                       "0.3\n  to arm 1 0 0\n  length " +
                       length + "\n")
                 .diagnostics)
            if (d.code == "singular-range") found += d.message + ";";
        return found;
    };
    CHECK(warnings("param L 1 range 0.8 1 live\n", "(L - 0.7)").empty());
    CHECK(warnings("param L 1 range 0.5 1 live\n", "(L - 0.7)") == "loop 'l': with L = 0.5 L is -0.2;");
    CHECK(warnings("param L 1 range 0.5 1\n", "(L - 0.7)").empty());  // not live: the text says 1
    CHECK(warnings("param L 1 live\n", "(L - 0.7)").empty());         // no range: no slider
    // Neither of two alone, but both together.
    const std::string two = "param a 1 range 0.5 1 live\nparam b 0 range 0 0.5 live\n";
    CHECK(warnings(two, "(a - b)") == "loop 'l': with a = 0.5, b = 0.5 L is 0;");
    CHECK(warnings(two, "(0.1 + a - b)").empty());
    CHECK(warnings("param a 1 range 0 1 live\nlet c = 0.3/a\n", "c") == "loop 'l': with a = 0 L is inf;");
}

TEST_CASE("A stabilisation faster than any step is refused, none at all is not") {
    const std::string loop = "loop l\n  type spherical\n  from a 0 0 0\n  to b 0 0 0\n";
    for (const char* time : {"0", "1e-6", "3"}) CHECK(readModel(kArms + "stab " + time + "\n" + loop).ok());
    for (const char* time : {"1e-200", "9.9e-7", "-1"}) {
        const ReadResult read = readModel(kArms + "stab " + time + "\n" + loop);
        REQUIRE(read.diagnostics.size() == 1);
        CHECK(read.diagnostics[0].code == "out-of-range");
    }
}

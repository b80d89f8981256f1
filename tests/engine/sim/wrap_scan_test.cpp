// The wrap scan against the tables of a hinge's moment arms, the places where routes let go, closed loops, and what it
// has to refuse.
#include "engine/sim/wrap_scan.h"

#include <atomic>
#include <cmath>
#include <fmt/format.h>
#include <sstream>
#include <stop_token>
#include <thread>

#include "engine/dynamics/reference_kernel.h"
#include "engine/model/read.h"
#include "tests/support/catch.h"
#include "tests/support/loop_models.h"

using namespace mw;

namespace {

constexpr double kPi = 3.141592653589793;

Model read(const std::string& text) {
    const ReadResult result = readModel(text);
    for (const Diagnostic& d : result.diagnostics)
        if (d.severity == Severity::error) throw std::runtime_error(formatDiagnostic(d, text, "test"));
    return result.model;
}

/// A hinge about z; the rope comes from the left over a cylinder around the hinge and ends in the link.
Model hinge(double height, const std::string& more = "") {
    return read(fmt::format(R"(mech 1
body link
  joint revolute z
  mass 1  cg 0.2 0 0
  inertia 0.01 0.01 0.01 0 0 0
tendon rope
  site base -0.30 0.06 0
  cylinder base 0 0 0  axis z  radius 0.05  side base 0 0.1 0
  site link 0.25 0.06 {}
{})",
                            height, more));
}

struct Scene {
    Model model;
    Layout layout;
    Kernel kernel;
    explicit Scene(Model m) : model(std::move(m)), layout(layoutOf(model)), kernel(makeReferenceKernel(model)) {}
    WrapScan scan(double from, double to, int samples, int velocity = 0) const {
        WrapScanRequest request;
        request.velocity = velocity;
        request.from = from;
        request.to = to;
        request.samples = samples;
        return wrapScan(model, layout, kernel, request);
    }
};

struct Expected {
    double q, length, arm;
    bool wrapped;
};

void compare(const WrapScan& scan, const std::vector<Expected>& table) {
    for (const Expected& e : table) {
        bool found = false;
        for (const WrapScan::Sample& s : scan.samples) {
            if (std::abs(s.q - e.q) > 1e-12) continue;
            found = true;
            CAPTURE(e.q);
            CHECK(s.length == Approx(e.length).margin(1e-10));
            CHECK(s.moment_arm == Approx(e.arm).margin(1e-8));
            CHECK(s.difference == Approx(e.arm).margin(1e-7));
            REQUIRE(s.touched.size() == 1);
            CHECK(static_cast<bool>(s.touched[0]) == e.wrapped);
        }
        CHECK(found);
    }
}

}  // namespace

TEST_CASE("wrap scan: a hinge's lengths and moment arms, and where the rope lets go", "[wrap]") {
    const WrapScan scan = Scene(hinge(0)).scan(-1.5, 2, 71);
    REQUIRE(scan.problem.empty());
    CHECK(scan.closed);
    CHECK(scan.tendon == "rope");
    CHECK(scan.joint == "link");
    CHECK(scan.unit_q == "rad");
    CHECK(scan.unit_length == "m");
    CHECK(scan.unit_arm == "m/rad");
    CHECK(scan.guides == std::vector<std::string>{"cylinder on base"});
    compare(scan, {{-1.50, 0.625365704180, -0.050000000, true},
                   {-1.00, 0.600365704180, -0.050000000, true},
                   {-0.50, 0.575365704180, -0.050000000, true},
                   {-0.25, 0.562865704180, -0.050000000, true},
                   {-0.10, 0.555365704180, -0.050000000, true},
                   {0.00, 0.550000000000, -0.060000000, false},
                   {0.25, 0.530784355939, -0.093519622, false},
                   {0.50, 0.503365378518, -0.125537454, false},
                   {1.00, 0.425814612573, -0.182969307, false},
                   {1.50, 0.322438526362, -0.228122460, false},
                   {2.00, 0.200650446226, -0.255125227, false}});
    // Length and moment arm are continuous where the cylinder is let go.
    REQUIRE(scan.events.size() == 1);
    const WrapScan::Event& e = scan.events[0];
    CHECK(e.kind == WrapScan::Event::Kind::left);
    CHECK(e.q == Approx(-0.073049310689).margin(1e-9));
    CHECK(e.guide == 0);
    CHECK_FALSE(e.leaps);
    CHECK(e.length_before == Approx(0.554018169714).margin(1e-9));
    CHECK(e.length_after == Approx(0.554018169714).margin(1e-9));
    const WrapScan::Sample& after = scan.samples[static_cast<std::size_t>(e.sample)];
    CHECK(after.change);
    CHECK_FALSE(after.jump);
    CHECK(after.q == Approx(-0.05).margin(1e-12));
    CHECK(scan.worst < 1e-8);
    // Wrapped, the sweep grows as the link turns.
    CHECK(scan.samples[0].sweep[0] - scan.samples[10].sweep[0] == Approx(0.5).margin(1e-9));
}

TEST_CASE("wrap scan: a helix has a smaller moment arm than its cylinder's radius", "[wrap]") {
    const WrapScan scan = Scene(hinge(0.12)).scan(-1, 0.5, 4);
    compare(scan, {{-1.0, 0.612240948284, -0.049030182, true},
                   {-0.5, 0.587746283311, -0.048946775, true},
                   {0.5, 0.517471452633, -0.122115351, false}});
}

TEST_CASE("wrap scan: where a rope leaps the place and both lengths are told", "[wrap]") {
    // Rule B lets go where the end passes behind the guide: the end's direction is opposite to the side site's.
    const double place = -kPi / 2 - std::atan2(0.06, 0.25);
    const WrapScan scan = Scene(hinge(0, "  side-rule barrier\n")).scan(-2.4, 0.4, 57);
    const WrapScan::Event* leap = nullptr;
    for (const WrapScan::Event& e : scan.events)
        if (e.leaps) {
            CHECK_FALSE(leap);
            leap = &e;
        }
    REQUIRE(leap);
    CHECK(leap->q == Approx(place).margin(1e-9));
    CHECK(leap->kind == WrapScan::Event::Kind::taken);
    // Straight before, wrapped as ever after it.
    const double r = std::hypot(0.25, 0.06);
    CHECK(leap->length_before == Approx(std::hypot(-0.30, 0.06 + r)).margin(1e-7));
    CHECK(leap->length_after == Approx(0.550365704180 - 0.05 * place).margin(1e-7));
    CHECK(scan.samples[static_cast<std::size_t>(leap->sample)].jump);
    int jumps = 0;
    for (const WrapScan::Sample& s : scan.samples) jumps += s.jump;
    CHECK(jumps == 1);
    CHECK(scan.worst < 1e-8);
}

TEST_CASE("wrap scan: loops stay closed, and the moment arm is that of the closed motion", "[wrap]") {
    // A four-bar with a cord from the frame to the coupler's end: by cosines, an oracle without any gradient.
    const double a = 0.12, b = 0.34, c = 0.28, d = 0.36;
    Model model = read("mech 1\n" + test::fourBarText(a, b, c, d));
    Tendon cord;
    cord.name = "cord";
    PathElement end;
    end.point.body = kBase;
    end.point.at = {Number(-0.1), Number(0.0), Number(0.3)};
    cord.path.push_back(end);
    end.point.body = 1;
    end.point.at = {Number(b), Number(0.0), Number(0.0)};
    cord.path.push_back(end);
    model.tendons.push_back(cord);
    const Scene scene(model);
    REQUIRE(scene.layout.nc > 0);
    const WrapScan scan = scene.scan(-2.5, 2.5, 41);
    REQUIRE(scan.problem.empty());
    CHECK(scan.closed);
    CHECK(scan.worst < 1e-6);
    double most = 0;
    for (const WrapScan::Sample& s : scan.samples) most = std::max(most, std::abs(s.moment_arm));
    CHECK(most > 0.02);  // it does something
    // The moment arm adds up to the length.
    double sum = 0;
    for (std::size_t i = 1; i < scan.samples.size(); ++i)
        sum += (scan.samples[i].moment_arm + scan.samples[i - 1].moment_arm) / 2 *
               (scan.samples[i].q - scan.samples[i - 1].q);
    CHECK(sum == Approx(scan.samples.back().length - scan.samples.front().length).margin(2e-3));
}

TEST_CASE("wrap scan: fixed tendons, joints without an angle, ranges of joints", "[wrap]") {
    const Model model = read(R"(mech 1
body arm
  joint revolute y
  mass 1  inertia 0.1 0.1 0.1 0 0 0
  limits -0.5 1.25
body slide
  parent arm
  joint prismatic x
  mass 1
  slider -0.2 0.3
body ball
  joint spherical
  mass 1  inertia 0.1 0.1 0.1 0 0 0
body puck
  joint planar z
  mass 1  inertia 0.1 0.1 0.1 0 0 0
tendon sum fixed
  term arm 2
  term slide -0.5
tendon angle fixed
  term arm 3
)");
    const Scene scene(model);
    const WrapScan scan = scene.scan(-0.2, 0.2, 5, 1);
    REQUIRE(scan.problem.empty());
    CHECK(scan.unit_q == "m");
    for (const WrapScan::Sample& s : scan.samples) {
        CHECK(s.length == Approx(-0.5 * s.q).margin(1e-14));
        CHECK(s.moment_arm == -0.5);
        CHECK(s.difference == Approx(-0.5).margin(1e-9));
    }
    CHECK(scan.events.empty());

    const std::vector<double> none;
    using Range = std::array<double, 2>;
    CHECK(scanRange(model, scene.layout, 0, none) == Range{-0.5, 1.25});
    CHECK(scanRange(model, scene.layout, 1, none) == Range{-0.2, 0.3});
    CHECK_FALSE(scanRange(model, scene.layout, 2, none));                 // ball
    CHECK(scanRange(model, scene.layout, 5, none) == Range{-1, 1});       // puck's x
    CHECK((*scanRange(model, scene.layout, 7, none))[1] == Approx(kPi));  // puck's angle
    CHECK_FALSE(scanRange(model, scene.layout, 99, none));
    CHECK_FALSE(scene.scan(0, 1, 5, 3).problem.empty());  // ball
    CHECK_FALSE(scene.scan(1, 0, 5, 0).problem.empty());
    CHECK_FALSE(scene.scan(0, 1, 1, 0).problem.empty());
    CHECK_FALSE(scene.scan(0, std::nan(""), 5, 0).problem.empty());
    CHECK_FALSE(scene.scan(0, 1, 5, 42).problem.empty());
}

TEST_CASE("wrap scan: a joint that its loops hold does not move, and that is said", "[wrap]") {
    Model model = read(R"(mech 1
body arm
  joint revolute y
  mass 1  cg 0.2 0 0  inertia 0.1 0.1 0.1 0 0 0
loop bolt
  type point-on-line
  from base 0.5 0 0
  to arm 0.5 0 0
  axis x
tendon cord
  site base 0 0 1
  site arm 0.5 0 0
)");
    const WrapScan scan = Scene(model).scan(0.3, 0.9, 7);
    CHECK_FALSE(scan.closed);
    CHECK(scan.problem.find("cannot be closed") != std::string::npos);
}

TEST_CASE("wrap scan: its table reads back", "[wrap]") {
    const WrapScan scan = Scene(hinge(0)).scan(-1.5, 2, 71);
    std::stringstream in(wrapScanCsv(scan));
    std::vector<std::string> comments;
    std::string names;
    std::size_t row = 0;
    for (std::string line; std::getline(in, line);) {
        if (line[0] == '#') comments.push_back(line);
        else if (names.empty()) names = line;
        else {
            std::stringstream fields(line);
            std::vector<double> numbers;
            for (std::string one; std::getline(fields, one, ',');) numbers.push_back(std::stod(one));
            REQUIRE(numbers.size() == 8);
            const WrapScan::Sample& s = scan.samples[row++];
            CHECK(numbers[0] == s.q);
            CHECK(numbers[1] == s.length);
            CHECK(numbers[2] == s.moment_arm);
            CHECK(numbers[3] == s.difference);
            CHECK(numbers[7] == s.sweep[0]);
        }
    }
    CHECK(row == scan.samples.size());
    CHECK(names == "q,length,moment_arm,difference,jump,change,touched.cylinder_on_base,sweep.cylinder_on_base");
    bool told = false;
    for (const std::string& c : comments) told = told || c.find("-0.07304931") != std::string::npos;
    CHECK(told);
}

TEST_CASE("a scan that is no longer wanted gives up within a sample, and has none", "[wrapscan]") {
    const Scene scene(hinge(0.0));
    WrapScanRequest request;
    request.from = -1;
    request.to = 1;
    std::stop_source stop;
    REQUIRE(wrapScan(scene.model, scene.layout, scene.kernel, request, stop.get_token()).problem.empty());
    stop.request_stop();
    const WrapScan none = wrapScan(scene.model, scene.layout, scene.kernel, request, stop.get_token());
    CHECK(none.samples.empty());
    CHECK(none.events.empty());
    CHECK_FALSE(none.problem.empty());
    // On its way, too: a million samples take far longer than the test has.
    request.samples = 1000000;
    std::stop_source later;
    WrapScan outcome;
    std::atomic<bool> begun{false};
    std::thread other([&] {
        begun = true;
        outcome = wrapScan(scene.model, scene.layout, scene.kernel, request, later.get_token());
    });
    while (!begun) std::this_thread::yield();
    later.request_stop();
    other.join();
    CHECK(outcome.samples.empty());
}

// Forces in linkages at rest against hand calculation: torque ratio, wrench balance, virtual work.
#include <Eigen/Dense>
#include <algorithm>
#include <array>

#include "tests/analytic/linkages.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::test;

namespace {

const double kPi = std::acos(-1.0), kG = 9.81;
Plane unit(double angle) { return std::polar(1.0, angle); }
std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace

// Crank a, rod l, crank angle w: the piston is at x = a cos w + sqrt(l^2 - a^2 sin^2 w), so that
//   dx/dw = -a sin w - a^2 sin w cos w / sqrt(l^2 - a^2 sin^2 w).
// A push P against the piston (towards the crank), the crank's weight (its centre at a/4) and the spring's tension f at
// the lug (0.6 a out) are in balance with the torque T when no small turn does work:
//   T - P dx/dw - m g d(0.25 a sin w)/dw - f dL/dw = 0,
// and the rod pushes with P / cos(its slope).
TEST_CASE("slider-crank: torque against force at ten crank angles", "[analytic][linkages]") {
    Linkage linkage("slidercrank");
    const double a = 0.1, l = 0.28, h = 0.26, push = 250, k = 500, rest = 0.24;
    std::vector<double> q = linkage.start();
    for (const Kernel& kernel : bothKernels(*linkage.model))
        for (const double degrees : {10., 45., 80., 110., 150., 175., 200., 250., 300., 350.}) {
            const double w = degrees * kPi / 180, root = std::sqrt(l * l - std::pow(a * std::sin(w), 2));
            q[at(linkage.q("crank"))] = w;
            q[at(linkage.q("piston"))] = a * std::cos(w) + root;
            REQUIRE(linkage.worst(q) < 1e-13);
            const double ratio = -a * std::sin(w) - a * a * std::sin(w) * std::cos(w) / root;

            const Plane post(-0.3, 0.42), lug = Plane(0, h) + 0.6 * a * unit(w), apart = lug - post;
            const double f = k * (std::abs(apart) - rest);
            const Plane lug_rate = 0.6 * a * unit(w + kPi / 2);
            const double length_rate = (apart * std::conj(lug_rate)).real() / std::abs(apart);
            const double torque = push * ratio + 2.4 * kG * 0.25 * a * std::cos(w) + f * length_rate;

            std::vector<double> tau(2);
            tau[at(linkage.v("crank"))] = torque;
            tau[at(linkage.v("piston"))] = -push;
            const AtRest rest_state = atRest(linkage, kernel, q, tau);
            CAPTURE(kernel.maker, degrees, torque, ratio);
            CHECK(rest_state.worst() < 1e-9);
            CHECK(rest_state.lambda[0] == Approx(push * l / root).epsilon(1e-10));
        }
}

namespace {

// A Stewart platform at rest: what each leg must push, from the balance of the plate.
//
// A leg is free to turn about its universal joint's two axes, both of which cross at the foot; the moment of all that
// acts on it has no share along the leg, so it vanishes. With F the force of the plate on the leg's ball, u the leg's
// direction, S = sum of m r over barrel and rod (r from the foot) and L the length:
//   L u x F + S u x g = 0,  so  F = phi u - (S/L) (g - (g.u) u),
// and along the rod, which slides freely, f + m_rod g.u + phi = 0. The plate with the weight then gives six equations
// in the six phi: sum F = (m_plate + load) g and sum (R t) x F = (R c) x load g.
struct Stewart {
    double foot_radius = 0.5, plate_radius = 0.32, height = 0.62, foot_z = 0.09;
    double load = 30, load_x = 0.08, load_y = 0.05;
    static constexpr double barrel_mass = 3.2, barrel_cg = 0.18, rod_mass = 1.4, rod_back = 0.2, plate_mass = 14;

    // Legs in the file's order: the pairs about 0, 120 and 240 degrees, the left of each first.
    static double side(int leg) { return leg % 2 == 0 ? 1 : -1; }
    static double turn(int leg) { return leg / 2 * 2 * std::acos(-1.0) / 3; }
    double leg0() const {
        return std::sqrt(foot_radius * foot_radius + plate_radius * plate_radius -
                         2 * foot_radius * plate_radius * std::cos(kPi / 6) + height * height);
    }
    Eigen::Vector3d foot(int leg) const {
        const double angle = turn(leg) + side(leg) * kPi / 12;
        return {foot_radius * std::cos(angle), foot_radius * std::sin(angle), foot_z};
    }
    Eigen::Vector3d socket(int leg) const {
        const double angle = turn(leg) + side(leg) * kPi / 4;
        return {plate_radius * std::cos(angle), plate_radius * std::sin(angle), 0};
    }

    struct Answer {
        std::array<double, 6> push;             // by the drive on the rod, along the leg
        std::array<Eigen::Vector3d, 6> onBall;  // by the plate on the leg, base axes
    };
    Answer balance(const Eigen::Matrix3d& R, const Eigen::Vector3d& p) const {
        const Eigen::Vector3d g(0, 0, -kG);
        Eigen::Matrix<double, 6, 6> A;
        Eigen::Matrix<double, 6, 1> b;
        b << (plate_mass + load) * g, (R * Eigen::Vector3d(load_x, load_y, 0.12)).cross(load * g);
        std::array<Eigen::Vector3d, 6> direction, across;
        for (int leg = 0; leg < 6; ++leg) {
            const Eigen::Vector3d arm = R * socket(leg), line = p + arm - foot(leg);
            const double L = line.norm();
            const Eigen::Vector3d u = line / L;
            const double S = barrel_mass * barrel_cg + rod_mass * (L - rod_back);
            direction[at(leg)] = u;
            across[at(leg)] = -S / L * (g - g.dot(u) * u);
            A.col(leg) << u, arm.cross(u);
            b.head<3>() -= across[at(leg)];
            b.tail<3>() -= arm.cross(across[at(leg)]);
        }
        const Eigen::Matrix<double, 6, 1> phi = A.fullPivLu().solve(b);
        Answer answer;
        for (int leg = 0; leg < 6; ++leg) {
            const Eigen::Vector3d& u = direction[at(leg)];
            answer.push[at(leg)] = -phi[leg] - rod_mass * g.dot(u);
            answer.onBall[at(leg)] = phi[leg] * u + across[at(leg)];
        }
        return answer;
    }
    // A leg's two angles and stroke. Its direction in the foot's axes is (sin q2, -sin q1 cos q2, cos q1 cos q2).
    std::array<double, 3> inverse(int leg, const Eigen::Matrix3d& R, const Eigen::Vector3d& p) const {
        const Eigen::Vector3d line = p + R * socket(leg) - foot(leg);
        const double angle = turn(leg) + side(leg) * kPi / 12;
        const Eigen::Vector3d u = Eigen::AngleAxisd(-angle, Eigen::Vector3d::UnitZ()) * line.normalized();
        return {std::atan2(-u.y(), u.z()), std::asin(u.x()), line.norm() - leg0()};
    }
};

Eigen::Matrix3d attitude(double roll, double pitch, double yaw) {
    return (Eigen::AngleAxisd(yaw, Eigen::Vector3d::UnitZ()) * Eigen::AngleAxisd(pitch, Eigen::Vector3d::UnitY()) *
            Eigen::AngleAxisd(roll, Eigen::Vector3d::UnitX()))
        .toRotationMatrix();
}

}  // namespace

TEST_CASE("Stewart platform: leg forces from the balance of the plate", "[analytic][linkages]") {
    Linkage linkage("stewart");
    const Stewart oracle;
    struct Pose {
        double x, y, z, roll, pitch, yaw;
    };
    const Pose pose = GENERATE(Pose{0, 0, 0, 0, 0, 0}, Pose{0.05, -0.08, 0.04, 0.1, -0.15, 0.2},
                               Pose{-0.07, 0.02, -0.06, -0.18, 0.07, -0.22});
    const Eigen::Matrix3d R = attitude(pose.roll, pose.pitch, pose.yaw);
    const Eigen::Vector3d p(pose.x, pose.y, oracle.foot_z + oracle.height + pose.z);

    // The pose by inverse kinematics closes all six sockets.
    std::vector<double> q = linkage.start();
    const auto plate = at(linkage.q("plate"));
    const Eigen::Quaterniond turned(R);
    for (int i = 0; i < 4; ++i) q[plate + at(i)] = i == 0 ? turned.w() : turned.vec()[i - 1];
    for (int i = 0; i < 3; ++i) q[plate + 4 + at(i)] = p[i];
    for (int leg = 0; leg < 6; ++leg) {
        const std::array<double, 3> angles = oracle.inverse(leg, R, p);
        const std::string number = std::to_string(leg + 1);
        q[at(linkage.q("barrel" + number))] = angles[0];
        q[at(linkage.q("barrel" + number)) + 1] = angles[1];
        q[at(linkage.q("rod" + number))] = angles[2];
    }
    CHECK(linkage.worst(q) < 1e-14);

    const Stewart::Answer answer = oracle.balance(R, p);
    std::vector<double> tau(at(linkage.layout.nv), 0.0);
    for (int leg = 0; leg < 6; ++leg) tau[at(linkage.v("rod" + std::to_string(leg + 1)))] = answer.push[at(leg)];
    for (const Kernel& kernel : bothKernels(*linkage.model)) {
        CAPTURE(kernel.maker);
        const AtRest rest = atRest(linkage, kernel, q, tau);
        CHECK(rest.worst() < 1e-9);
        for (int leg = 0; leg < 6; ++leg)
            for (int i = 0; i < 3; ++i)
                CHECK(std::abs(rest.loops[at(leg)].wrench[at(3 + i)] - answer.onBall[at(leg)][i]) < 1e-8);
    }
}

TEST_CASE("Stewart platform: the drives' targets are the inverse kinematics, and they carry the load",
          "[analytic][linkages]") {
    auto model = modelOf(example("stewart"));
    Simulation run(model, makeReferenceKernel(*model), Integrator::verlet, 5e-4);
    const auto live = [&](const char* name) -> double& {
        return run.inputs().param[at(findSlot(*model, run.layout(), "param", name))];
    };
    live("bob") = 0;
    live("surge") = 0.04, live("sway") = -0.03, live("heave") = 0.02;
    live("roll") = 0.1, live("pitch") = -0.08, live("yaw") = 0.15;
    live("load") = 55;
    Stewart oracle;
    oracle.load = 55;
    runUntil(run, 5);
    const Readings readings = run.read();

    const Eigen::Matrix3d wanted = attitude(0.1, -0.08, 0.15);
    const Eigen::Vector3d place(0.04, -0.03, oracle.foot_z + oracle.height + 0.02);
    const auto plate = at(12 * model->findBody("plate"));
    Eigen::Matrix3d R;
    for (int i = 0; i < 9; ++i) R(i / 3, i % 3) = readings.X[plate + at(i)];
    const Eigen::Vector3d p(readings.X[plate + 9], readings.X[plate + 10], readings.X[plate + 11]);
    // The drives are springs of 6e4 N/m: the plate stands some millimetres below what was asked.
    CHECK((p - place).norm() < 8e-3);
    CHECK((R - wanted).norm() < 3e-2);
    const Stewart::Answer answer = oracle.balance(R, p);
    for (int leg = 0; leg < 6; ++leg) {
        CAPTURE(leg);
        CHECK(std::abs(readings.drive_target[at(leg)] - oracle.inverse(leg, wanted, place)[2]) < 1e-12);
        CHECK(readings.drive_force[at(leg)] == Approx(answer.push[at(leg)]).margin(0.02));
    }
}

namespace {

// The backhoe's weight, J, over its three cylinder lengths, worked out triangle by triangle (law of cosines) in the
// plane of the arm, x + i z from the post's axis. The file's dimensions and masses.
struct Backhoe {
    struct Pose {
        double boom, dipper, bucket, lever, link;    // absolute directions
        double boom_tube, dipper_tube, bucket_tube;  // of the cylinders
        Plane boom_pin, dipper_pin, bucket_pin, lever_pin, lever_end, boom_foot, dipper_foot, bucket_foot;
        Plane teeth() const { return bucket_pin + unit(bucket) * Plane(1.0, -0.03); }
    };
    static double corner(double a, double b, double opposite) {
        return std::acos((a * a + b * b - opposite * opposite) / (2 * a * b));
    }
    static Pose pose(double boom_l, double dipper_l, double bucket_l) {
        Pose p;
        const Plane boom_eye(1.0, 0.2), dipper_eye(-0.42, 0.1);
        p.boom_pin = {0.25, 0.1};
        p.boom_foot = {0.5, -0.16};
        Plane base = p.boom_foot - p.boom_pin;
        p.boom = std::arg(base) + corner(std::abs(base), std::abs(boom_eye), boom_l) - std::arg(boom_eye);
        p.boom_tube = std::arg(p.boom_pin + boom_eye * unit(p.boom) - p.boom_foot);

        p.dipper_pin = p.boom_pin + 2.4 * unit(p.boom);
        p.dipper_foot = p.boom_pin + Plane(1.1, 0.42) * unit(p.boom);
        base = p.dipper_foot - p.dipper_pin;
        p.dipper = std::arg(base) - corner(std::abs(base), std::abs(dipper_eye), dipper_l) - std::arg(dipper_eye);
        p.dipper_tube = std::arg(p.dipper_pin + dipper_eye * unit(p.dipper) - p.dipper_foot);

        p.bucket_pin = p.dipper_pin + 1.7 * unit(p.dipper);
        p.lever_pin = p.dipper_pin + Plane(1.33, 0.03) * unit(p.dipper);
        p.bucket_foot = p.dipper_pin + Plane(0.25, 0.3) * unit(p.dipper);
        base = p.bucket_foot - p.lever_pin;
        p.lever = std::arg(base) - corner(std::abs(base), 0.38, bucket_l);
        p.lever_end = p.lever_pin + 0.38 * unit(p.lever);
        p.bucket_tube = std::arg(p.lever_end - p.bucket_foot);
        const Plane span = p.bucket_pin - p.lever_end;
        p.link = std::arg(span) + corner(0.4, std::abs(span), 0.26);
        p.bucket = std::arg(p.lever_end + 0.4 * unit(p.link) - p.bucket_pin) - 100 * kPi / 180;
        return p;
    }
    // A force on the teeth (x, z) works too; its work is taken off.
    static double energy(double boom_l, double dipper_l, double bucket_l, Plane force) {
        const Pose p = pose(boom_l, dipper_l, bucket_l);
        const auto height = [](Plane pin, double direction, Plane cg) { return (pin + unit(direction) * cg).imag(); };
        double moment = 290 * height(p.boom_pin, p.boom, {1.15, 0.17}) +
                        165 * height(p.dipper_pin, p.dipper, {0.62, 0.06}) +
                        115 * height(p.bucket_pin, p.bucket, {0.42, 0.2}) + 18 * height(p.lever_pin, p.lever, 0.19) +
                        14 * height(p.lever_end, p.link, 0.2);
        moment +=
            42 * height(p.boom_foot, p.boom_tube, 0.45 * 0.74) + 24 * height(p.boom_foot, p.boom_tube, boom_l - 0.35);
        moment += 46 * height(p.dipper_foot, p.dipper_tube, 0.45 * 1.0) +
                  28 * height(p.dipper_foot, p.dipper_tube, dipper_l - 0.35);
        moment += 34 * height(p.bucket_foot, p.bucket_tube, 0.45 * 0.95) +
                  20 * height(p.bucket_foot, p.bucket_tube, bucket_l - 0.35);
        return kG * moment - (p.teeth() * std::conj(force)).real();
    }
    // F = dU/dl, by a central difference of fourth order.
    static std::array<double, 3> forces(const std::array<double, 3>& l, Plane force) {
        std::array<double, 3> out{};
        const double h = 2e-4;
        for (std::size_t i = 0; i < 3; ++i) {
            const auto U = [&](double by) {
                std::array<double, 3> moved = l;
                moved[i] += by;
                return energy(moved[0], moved[1], moved[2], force);
            };
            out[i] = (8 * (U(h) - U(-h)) - (U(2 * h) - U(-2 * h))) / (12 * h);
        }
        return out;
    }
};

const std::array<double, 3> kShort{0.74, 1.0, 0.95};
const std::array<const char*, 3> kRods{"boom_rod", "dipper_rod", "bucket_rod"};

}  // namespace

// Virtual work: when one cylinder lengthens by dl and the others keep theirs, its force does F dl and the weight rises
// by dU (and a force at the teeth does its work), so F = dU/dl.
TEST_CASE("backhoe: cylinder forces by virtual work", "[analytic][linkages]") {
    Linkage linkage("backhoe");
    const std::array<double, 3> stroke =
        GENERATE(std::array<double, 3>{0.38, 0.3, 0.24}, std::array<double, 3>{0.2, 0.08, 0.1},
                 std::array<double, 3>{0.45, 0.45, 0.4});
    const Plane force = GENERATE(Plane(0, 0), Plane(-9000, 14000));
    const std::array<double, 3> length{kShort[0] + stroke[0], kShort[1] + stroke[1], kShort[2] + stroke[2]};
    const std::array<double, 3> expected = Backhoe::forces(length, force);

    std::vector<double> q = linkage.start();
    for (std::size_t i = 0; i < 3; ++i) {
        AssembleOptions options;
        options.tolerance = 1e-14;
        for (std::size_t k = 0; k < i; ++k) options.keep.push_back(linkage.v(kRods[k]));
        const Assembly assembly =
            linkage.closure.setCoordinate(q, linkage.v(kRods[i]), stroke[i], linkage.param, options);
        REQUIRE(assembly.worst < 1e-13);
        q = assembly.q;
    }
    for (std::size_t i = 0; i < 3; ++i) REQUIRE(std::abs(q[at(linkage.q(kRods[i]))] - stroke[i]) < 1e-13);
    // The post may have been turned by the way; the arm's own plane is what counts.
    q[at(linkage.q("post"))] = 0;
    const Plane teeth = Backhoe::pose(length[0], length[1], length[2]).teeth() + Plane(0, 0.78);
    const Vector3d tip = linkage.point(q, "bucket", {1.0, 0, -0.03});
    CHECK(std::abs(Plane(tip[0], tip[2]) - teeth) < 1e-11);

    std::vector<double> tau(at(linkage.layout.nv), 0.0), fext(at(6 * linkage.layout.nbody), 0.0);
    for (std::size_t i = 0; i < 3; ++i) tau[at(linkage.v(kRods[i]))] = expected[i];
    // [moment about the base origin; force]: z Fx - x Fz about y.
    const auto bucket = at(6 * linkage.body("bucket"));
    fext[bucket + 1] = teeth.imag() * force.real() - teeth.real() * force.imag();
    fext[bucket + 3] = force.real();
    fext[bucket + 5] = force.imag();
    for (const Kernel& kernel : bothKernels(*linkage.model)) {
        CAPTURE(kernel.maker, expected[0], expected[1], expected[2]);
        const AtRest rest = atRest(linkage, kernel, q, tau, fext);
        CHECK(rest.worst() < 1e-7);
        // What the pin at the eye does to the rod is all that holds it along its line, but for its own weight there.
        const std::array<double, 3> weight{24, 28, 20};
        const Backhoe::Pose p = Backhoe::pose(length[0], length[1], length[2]);
        const std::array<double, 3> line{p.boom_tube, p.dipper_tube, p.bucket_tube};
        for (std::size_t i = 0; i < 3; ++i) {
            const Plane pin(rest.loops[i].wrench[3], rest.loops[i].wrench[5]);
            const double along = (pin * std::conj(unit(line[i]))).real();
            CHECK(along == Approx(weight[i] * kG * std::sin(line[i]) - expected[i]).margin(1e-4));
        }
    }
}

TEST_CASE("backhoe: the drives come to rest at the forces of virtual work", "[analytic][linkages]") {
    auto model = modelOf(example("backhoe"));
    Simulation run(model, makeReferenceKernel(*model), Integrator::verlet, 5e-4);
    run.inputs().param[at(findSlot(*model, run.layout(), "param", "dig"))] = 0;
    runUntil(run, 4);
    const Readings readings = run.read();
    const Layout& layout = run.layout();
    std::array<double, 3> length{};
    for (std::size_t i = 0; i < 3; ++i)
        length[i] = kShort[i] + run.state().q[at(layout.q_of_body[at(model->findBody(kRods[i]))])];
    const std::array<double, 3> expected = Backhoe::forces(length, 0);
    for (std::size_t i = 0; i < 3; ++i) {
        CAPTURE(kRods[i], expected[i]);
        CHECK(readings.drive_force[i] == Approx(expected[i]).epsilon(1e-5));
        CHECK(std::abs(expected[i]) > 1000);
    }
}

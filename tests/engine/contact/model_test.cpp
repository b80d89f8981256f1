// All contacts of whole models: third law, determinism, the start pose, sums written down a second time, energy as a
// potential, readings as the same numbers.
#include <algorithm>

#include "tests/engine/contact/support.h"

using namespace mw;
using namespace mw::test;

namespace {

const char* const kModels[] = {"m113", "track_demo", "track_min"};

std::vector<double> zeros(const Scene& s) { return std::vector<double>(6 * s.bodies(), 0.0); }

/// A wrench added at a point, the other way round on `a`.
void add(std::vector<double>& fext, int b, int a, const Vector3d& p, const Vector3d& f) {
    const Vector3d m = cross(p, f);
    for (std::size_t i = 0; i < 3; i++) {
        fext[6 * std::size_t(b) + i] += m[i];
        fext[6 * std::size_t(b) + 3 + i] += f[i];
        if (a < 0) continue;
        fext[6 * std::size_t(a) + i] -= m[i];
        fext[6 * std::size_t(a) + 3 + i] -= f[i];
    }
}

double largest(const std::vector<double>& a) {
    double worst = 0;
    for (const double x : a) worst = std::max(worst, std::abs(x));
    return worst;
}
double largestDifference(const std::vector<double>& a, const std::vector<double>& b) {
    double worst = 0;
    for (std::size_t i = 0; i < a.size(); i++) worst = std::max(worst, std::abs(a[i] - b[i]));
    return worst;
}

/// The bands' wrenches, summed the slow way: every pair, no nearness test, the laws called one by one.
std::vector<double> bandsAgain(const Scene& s, const Poses& p, double dt) {
    std::vector<double> fext = zeros(s);
    for (std::size_t t = 0; t < s.model().tracks.size(); t++) {
        const Track& track = s.model().tracks[t];
        for (std::size_t r = 0; r < track.rollers.size(); r++) {
            const int a = track.rollers[r].body;
            const Vector3d axle = originOf(p, a);
            PinLaw pin = s.contact.pinLaw(int(t), int(r));
            FaceLaw face = s.contact.faceLaw(int(t), int(r));
            const auto local = [&](int b) { return toBody(p, a, originOf(p, b) - axle); };
            int loaded = 0;
            for (int k = 0; k < track.shoes; k++) {
                const Vector3d d = local(track.first_shoe + k);
                loaded += std::hypot(d[0], d[2]) < pin.radius + (pin.teeth > 0 ? pin.gate : 0);
            }
            pin.dt = face.dt = dt;
            pin.mass = s.contact.pairMass(int(t), int(r), std::max(loaded, 1));
            for (int k = 0; k < track.shoes; k++) {
                const int b = track.first_shoe + k;
                const Vector3d origin = originOf(p, b);
                if (track.rollers[r].end) {
                    const Vector3d u = toBody(p, a, materialAt(p, b, origin) - materialAt(p, a, origin));
                    add(fext, b, a, origin, toBase(p, a, pinForce(pin, local(b), u).total()));
                } else {
                    const Vector3d q = toBody(p, b, axle - origin);
                    const Vector3d foot = origin + toBase(p, b, {q[0], q[1], face.face_z});
                    const Vector3d u = toBody(p, b, materialAt(p, a, axle) - materialAt(p, b, axle));
                    const Vector3d w = toBody(p, b, materialAt(p, a, foot) - materialAt(p, b, foot));
                    const PairForce f = faceForce(face, q, u, w);
                    add(fext, b, a, axle, toBase(p, b, f.total() - f.friction));
                    add(fext, b, a, foot, toBase(p, b, f.friction));
                }
            }
        }
    }
    return fext;
}

std::vector<double> groundAgain(const Scene& s, const Poses& p, double dt) {
    std::vector<double> fext = zeros(s);
    for (std::size_t t = 0; t < s.model().tracks.size(); t++) {
        const Track& track = s.model().tracks[t];
        GroundLaw law = s.contact.groundLaw(int(t));
        law.dt = dt;
        for (int k = 0; k < track.shoes; k++) {
            const int b = track.first_shoe + k;
            for (const Vector3d& corner : s.contact.padCorners(int(t))) {
                const Vector3d at = originOf(p, b) + toBase(p, b, corner);
                const Terrain::Sample g = s.contact.terrain().at(at[0], at[1]);
                const GroundForce f = groundForce(law, g.height, g.slope_x, g.slope_y, at, materialAt(p, b, at));
                add(fext, b, kBase, at, f.elastic + f.dissipative);
            }
        }
    }
    return fext;
}

}  // namespace

TEST_CASE("band: internal wrenches sum to zero over 1000 random states", "[contact][band][models]") {
    std::printf("third law\n");
    for (const char* name : kModels) {
        const Scene s(mechanism(name));
        double worst = 0;
        int pins = 0, faces = 0;
        for (int trial = 0; trial < 1000; trial++) {
            Draw draw(0x3d, trial);
            const Poses p = s.around(draw, trial % 4 == 0 ? 1.0 : 0.02);
            std::vector<double> fext = zeros(s);
            ContactTotals totals;
            s.contact.addBandForces(p.X, p.V, {trial % 2 ? 1e-4 : 0}, fext, {}, totals);
            pins += totals.pins;
            faces += totals.faces;
            double sum[6] = {}, size = 1;
            for (std::size_t i = 0; i < fext.size(); i++) {
                sum[i % 6] += fext[i];
                size += std::abs(fext[i]);
            }
            for (const double x : sum) worst = std::max(worst, std::abs(x) / size);
        }
        figure("sum of wrenches, relative", name, worst, 1e-14);
        CHECK(worst < 1e-14);
        CHECK(pins > 1000);
        CHECK(faces > 100);
    }
}

TEST_CASE("band and ground: a repeated state gives the same bits", "[contact][band][ground][models]") {
    for (const char* name : kModels) {
        const Scene s(mechanism(name));
        Draw draw(0xd7, 0);
        const Poses p = s.around(draw, 0.02, -0.02), other = s.around(draw, 0.5);
        std::vector<double> first = zeros(s), second = zeros(s), between = zeros(s);
        s.contact.addForces(p.X, p.V, {1e-4}, {}, first);
        s.contact.addForces(other.X, other.V, {1e-4}, {}, between);
        s.contact.addForces(p.X, p.V, {1e-4}, {}, second);
        CHECK(first == second);
        CHECK(ContactModel(s.model()).energy(p.X, {}, {}).total() == s.contact.energy(p.X, {}, {}).total());
    }
}

TEST_CASE("band: forces are a second sum's, pair by pair", "[contact][band][models]") {
    std::printf("bands against a second sum\n");
    for (const char* name : kModels) {
        const Scene s(mechanism(name));
        double worst = 0;
        for (int trial = 0; trial < 40; trial++) {
            Draw draw(0x2e, trial);
            const Poses p = s.around(draw, trial % 4 == 0 ? 1.0 : 0.02);
            const double dt = trial % 2 ? 1e-4 : 0;
            std::vector<double> fext = zeros(s);
            ContactTotals totals;
            s.contact.addBandForces(p.X, p.V, {dt}, fext, {}, totals);
            worst = std::max(worst, largestDifference(fext, bandsAgain(s, p, dt)) / (1 + largest(fext)));
        }
        figure("difference, relative", name, worst, 1e-11);
        CHECK(worst < 1e-11);
    }
}

TEST_CASE("band: at the start pose nothing is jammed into the end rollers", "[contact][band][models]") {
    std::printf("start pose\n");
    for (const char* name : kModels) {
        const Scene s(mechanism(name));
        const Poses p = s.poses(s.startQ(), std::vector<double>(std::size_t(s.topology.layout().nv), 0.0));
        double clearance = 1e300, gap = 1e300, engaged = 0;
        for (std::size_t t = 0; t < s.model().tracks.size(); t++) {
            const Track& track = s.model().tracks[t];
            for (std::size_t r = 0; r < track.rollers.size(); r++) {
                const PinLaw pin = s.contact.pinLaw(int(t), int(r));
                const FaceLaw face = s.contact.faceLaw(int(t), int(r));
                const int a = track.rollers[r].body;
                for (int k = 0; k < track.shoes; k++) {
                    const int b = track.first_shoe + k;
                    if (track.rollers[r].end) {
                        const PairForce f = pinForce(pin, toBody(p, a, originOf(p, b) - originOf(p, a)), {});
                        clearance = std::min(clearance, -f.depth);
                        if (pin.teeth > 0) engaged = std::max(engaged, length(f.friction) / pin.fskip);
                    } else {
                        const Vector3d q = toBody(p, b, originOf(p, a) - originOf(p, b));
                        if (faceWeight(q[0], face.link, face.fade).w > 0)
                            gap = std::min(gap, -faceForce(face, q, {}, {}).depth);
                    }
                }
            }
        }
        figure("worst clearance of a pin, m", name, clearance, 0);
        figure("worst gap under a road wheel, m", name, gap, -0.009);
        figure("greatest tooth force over Fskip", name, engaged, 0.5);
        CHECK(clearance >= -1e-12);
        CHECK(gap > -0.009);
        CHECK(engaged < 0.5);  // pockets lie where the pins are
    }
}

TEST_CASE("band: a sprocket's axle torque is the sum over its pins", "[contact][band][models]") {
    std::printf("sprocket torque\n");
    for (const char* name : kModels) {
        const Scene s(mechanism(name));
        double worst = 0;
        for (int trial = 0; trial < 100; trial++) {
            Draw draw(0x70, trial);
            const Poses p = s.around(draw, 0.02);
            std::vector<double> fext = zeros(s);
            ContactTotals totals;
            s.contact.addBandForces(p.X, p.V, {}, fext, {}, totals);
            for (std::size_t t = 0; t < s.model().tracks.size(); t++) {
                const Track& track = s.model().tracks[t];
                for (std::size_t r = 0; r < track.rollers.size(); r++) {
                    if (!track.rollers[r].driven) continue;
                    const int a = track.rollers[r].body;
                    const double* w = &fext[6 * std::size_t(a)];
                    const Vector3d moment = Vector3d{w[0], w[1], w[2]} - cross(originOf(p, a), {w[3], w[4], w[5]});
                    const double assembled = toBody(p, a, moment)[1];
                    // Pin by pin, in the roller's frame: y component of d x (-F).
                    double direct = 0, size = 1;
                    const PinLaw law = s.contact.pinLaw(int(t), int(r));
                    for (int k = 0; k < track.shoes; k++) {
                        const Vector3d at = originOf(p, track.first_shoe + k), d = toBody(p, a, at - originOf(p, a));
                        const Vector3d u = toBody(p, a, materialAt(p, track.first_shoe + k, at) - materialAt(p, a, at));
                        const Vector3d f = pinForce(law, d, u).total();
                        direct -= d[2] * f[0] - d[0] * f[2];
                        size += length(d) * length(f);
                    }
                    worst = std::max(worst, std::abs(assembled - direct) / size);
                }
            }
        }
        figure("difference, relative", name, worst, 1e-13);
        CHECK(worst < 1e-13);
    }
}

TEST_CASE("band and ground: what is booked as dissipation takes energy away", "[contact][band][ground][models]") {
    std::printf("dissipation of whole models\n");
    for (const char* name : kModels) {
        const Scene s(mechanism(name));
        double worst = -1e300, booked = 0, most = 0;
        for (int trial = 0; trial < 400; trial++) {
            Draw draw(0x9a, trial);
            const Poses p = s.around(draw, 0.02, -0.02);
            std::vector<double> fext = zeros(s), lost = zeros(s);
            const ContactTotals totals = s.contact.addForces(p.X, p.V, {trial % 2 ? 1e-4 : 0}, {}, fext, lost);
            double power = 0;
            for (std::size_t b = 0; b < s.bodies(); b++) {
                // [moment about base origin; force] against [w; velocity at the base origin].
                const double *w = &lost[6 * b], *v = &p.V[6 * b];
                const Vector3d at_origin = materialAt(p, int(b), {});
                power += w[0] * v[0] + w[1] * v[1] + w[2] * v[2];
                power += w[3] * at_origin[0] + w[4] * at_origin[1] + w[5] * at_origin[2];
            }
            worst = std::max(worst, power);
            most = std::max(most, -power);
            booked = std::max(booked, std::abs(power - totals.power) / (1 + std::abs(power)));
        }
        figure("worst power, W", name, worst, 0);
        figure("its own account, relative", name, booked, 1e-9);
        CHECK(worst <= 0);
        CHECK(booked < 1e-9);
        CHECK(most > 1);
    }
}

TEST_CASE("ground: wrenches are a second sum's and land on padded bodies alone", "[contact][ground][models]") {
    std::printf("ground against a second sum\n");
    for (const char* name : kModels) {
        const Scene s(mechanism(name));
        double worst = 0;
        int loaded = 0;
        bool clean = true;
        for (int trial = 0; trial < 200; trial++) {
            Draw draw(0x6e, trial);
            const Poses p = s.around(draw, trial % 4 == 0 ? 1.0 : 0.02, -0.02);
            const double dt = trial % 2 ? 1e-4 : 0;
            std::vector<double> fext = zeros(s);
            ContactTotals totals;
            s.contact.addGroundForces(p.X, p.V, {dt}, {}, fext, {}, totals);
            loaded += totals.points > 0;
            const std::vector<double> again = groundAgain(s, p, dt);
            worst = std::max(worst, largestDifference(fext, again) / (1 + largest(again)));
            double sum[6] = {};
            for (std::size_t i = 0; i < fext.size(); i++) {
                const int body = int(i / 6);
                if (shoePlaceOf(s.model(), body).track < 0) clean = clean && fext[i] == 0;
                sum[i % 6] += fext[i];
            }
            for (std::size_t i = 0; i < 3; i++) {
                CHECK(totals.ground_moment[i] == Approx(sum[i]).margin(1e-9 * (1 + largest(fext))));
                CHECK(totals.ground_force[i] == Approx(sum[3 + i]).margin(1e-9 * (1 + largest(fext))));
            }
        }
        figure("difference, relative", name, worst, 1e-12);
        CHECK(worst < 1e-12);
        CHECK(loaded > 150);
        CHECK(clean);
    }
}

TEST_CASE("band and ground: the elastic wrench is the gradient of the energy", "[contact][band][ground][models]") {
    std::printf("elastic wrench against the energy of shifted and turned bodies\n");
    for (const char* name : kModels) {
        const Scene s(mechanism(name));
        double worst = 0;
        int loaded = 0;
        for (int trial = 0; trial < 160; trial++) {
            Draw draw(0xe6, trial);
            Poses p = s.around(draw, 0.01, -0.03);
            std::vector<double> fext = zeros(s), lost = zeros(s);
            std::vector<double> still(p.V.size(), 0.0);
            const ContactTotals totals = s.contact.addForces(p.X, still, {}, {}, fext, lost);
            loaded += totals.points > 0;
            CHECK(largest(lost) == 0);
            // One random body of those with force, along and about a random direction: F.dx + M.dphi = -dU.
            std::vector<int> touched;
            for (std::size_t b = 0; b < s.bodies(); b++)
                if (largest({fext.begin() + 6 * long(b), fext.begin() + 6 * long(b) + 6}) > 1)
                    touched.push_back(int(b));
            if (touched.empty()) continue;
            const int b = touched[std::size_t(draw.unit() * double(touched.size()))];
            const Vector3d n{draw.between(-1, 1), draw.between(-1, 1), draw.between(-1, 1)};
            const double* w = &fext[6 * std::size_t(b)];
            const Vector3d force{w[3], w[4], w[5]};
            const Vector3d moment = Vector3d{w[0], w[1], w[2]} - cross(originOf(p, b), force);
            const double h = 1e-7;
            const auto moved = [&](bool turn, double by) {
                Poses q = p;
                double* X = &q.X[12 * std::size_t(b)];
                if (!turn) {
                    for (int i = 0; i < 3; i++) X[9 + i] += by * n[std::size_t(i)];
                } else {
                    const Matrix3 R = rotationAbout(Vector3(n[0], n[1], n[2]).normalized(), by);
                    Matrix3 now;
                    for (int i = 0; i < 9; i++) now(i / 3, i % 3) = X[i];
                    now = R * now;
                    for (int i = 0; i < 9; i++) X[i] = now(i / 3, i % 3);
                }
                return s.contact.energy(q.X, {}, {}).total();
            };
            const double along = -(moved(false, h) - moved(false, -h)) / (2 * h);
            const double about = -(moved(true, h) - moved(true, -h)) / (2 * h);
            const double scale = 1 + largest(fext);
            worst = std::max(worst, std::abs(along - dot(force, n)) / scale);
            worst = std::max(worst, std::abs(about - dot(moment, n) / length(n)) / scale);
        }
        figure("difference, relative", name, worst, 1e-5);
        CHECK(worst < 1e-5);
        CHECK(loaded >= 153);
    }
}

TEST_CASE("band and ground: readings are the numbers that act", "[contact][band][ground][models]") {
    for (const char* name : kModels) {
        const Scene s(mechanism(name));
        Draw draw(0x4e, 0);
        const Poses p = s.around(draw, 0.02, -0.02);
        std::vector<double> fext = zeros(s);
        const ContactTotals totals = s.contact.addForces(p.X, p.V, {}, {}, fext);
        const std::vector<ContactReading> all = s.contact.readings(p.X, p.V, {}, {});
        std::vector<std::string> ids;
        Vector3d ground{};
        int pins = 0, faces = 0, points = 0;
        double potential = 0, power = 0;
        for (const ContactReading& r : all) {
            ids.push_back(r.id);
            potential += r.potential;
            power += r.power;
            pins += r.kind == ContactReading::Kind::pin && r.depth > 0;
            faces += r.kind == ContactReading::Kind::face && r.depth > 0;
            points += r.kind == ContactReading::Kind::ground;
            if (r.kind == ContactReading::Kind::ground) ground = ground + r.force;
            CHECK(length(r.normal) == Approx(1));
            CHECK(r.normal_force >= 0);
            CHECK(r.power <= 1e-9);
            const Vector3d parts = r.normal_force * r.normal + r.friction + r.guide + r.gate;
            CHECK(length(parts - r.force) <= 1e-9 * (1 + length(r.force)));
            CHECK(std::abs(dot(r.slip, r.normal)) <= 1e-9 * (1 + length(r.slip)));
            if (r.kind != ContactReading::Kind::pin && r.depth > 0) {
                CHECK(length(r.friction) <= r.limit * (1 + 1e-12));
                CHECK(r.state == (length(r.slip) > 0.01 ? ContactState::slip : ContactState::stick));
            }
        }
        CHECK(pins == totals.pins);
        CHECK(faces == totals.faces);
        CHECK(points == totals.points);
        CHECK(length(ground - totals.ground_force) <= 1e-9 * length(ground));
        CHECK(potential == Approx(s.contact.energy(p.X, {}, {}).total()));
        CHECK(power == Approx(totals.power));
        std::sort(ids.begin(), ids.end());
        CHECK(std::adjacent_find(ids.begin(), ids.end()) == ids.end());
        REQUIRE_FALSE(ids.empty());
        CHECK(ids.front().find(".shoe") != std::string::npos);
    }
}

TEST_CASE("band and ground: bodies pulled apart leave no force behind", "[contact][band][ground][models]") {
    for (const char* name : kModels) {
        const Scene s(mechanism(name));
        Draw draw(0x5a, 0);
        std::vector<double> anchors(s.contact.anchorSize(), 0.0);
        const ContactSettings settings{1e-4, 1, Friction::anchored};
        for (int i = 0; i < 3; i++) {
            const Poses p = s.around(draw, 0.02, -0.1);
            std::vector<double> fext = zeros(s);
            CHECK(s.contact.addForces(p.X, p.V, settings, anchors, fext).points > 0);
        }
        CHECK(largest(anchors) > 0);
        Poses far = s.around(draw, 0);
        for (std::size_t b = 0; b < s.bodies(); b++) {
            const double pose[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 100.0 * double(b), 0, 100};
            std::copy(pose, pose + 12, &far.X[12 * b]);
        }
        std::vector<double> fext = zeros(s);
        const ContactTotals totals = s.contact.addForces(far.X, far.V, settings, anchors, fext);
        CHECK(largest(fext) == 0);
        CHECK(largest(anchors) == 0);
        CHECK(totals.released > 0);
        CHECK(s.contact.readings(far.X, far.V, settings, anchors).empty());
        CHECK(s.contact.energy(far.X, settings, anchors).total() == 0);
    }
}

TEST_CASE("band and ground: the gain scales springs, and the step comes from the contact's period",
          "[contact][models]") {
    for (const char* name : kModels) {
        const Scene s(mechanism(name));
        Draw draw(0x31, 0);
        const Poses p = s.around(draw, 0.02, -0.02);
        CHECK(s.contact.energy(p.X, {0, 0.25}, {}).total() == Approx(0.25 * s.contact.energy(p.X, {}, {}).total()));
        std::vector<double> fext = zeros(s);
        s.contact.addForces(p.X, p.V, {1e-4, 0}, {}, fext);
        CHECK(largest(fext) == 0);
        CHECK(s.contact.accuracyStep(45) == Approx(2 * s.contact.accuracyStep()));
    }
    CHECK(ContactModel(mechanism("m113")).accuracyStep() == Approx(1.87e-4).epsilon(0.01));
    CHECK(ContactModel(mechanism("track_min")).accuracyStep() == Approx(1.06e-4).epsilon(0.01));
    CHECK(ContactModel(mechanism("track_demo")).accuracyStep() == Approx(8.34e-5).epsilon(0.01));
    CHECK(ContactModel(mechanism("m113")).declaredPairs() == 882);
    CHECK(ContactModel(mechanism("m113")).declaredPoints() == 504);
}

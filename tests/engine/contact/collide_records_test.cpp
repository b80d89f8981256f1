// Records and rows: who meets whom, margins and gaps, mixing, identity, capacity; Jacobians against the bodies' own
// velocities, momentum of a pair, targets.
#include <set>

#include "engine/contact/shape_contacts.h"
#include "tests/engine/contact/collide_support.h"

using namespace mw;
using namespace mw::test;

namespace {

/// Floating bodies, one shape each, of one material, with poses and velocities of their own.
struct Crowd {
    Model model;
    std::vector<double> X, V;
    MotionAxes axes;  // of six velocities a body: [w; v] of the origin, body axes
    std::vector<double> v;

    Crowd() {
        Material m;
        m.name = "steel";
        model.materials.push_back(m);
        axes.chain_begin.push_back(0);
    }
    int add(Kind kind, const Vector3& sizes, const Vector3& p, const Matrix3& R = Matrix3::Identity(),
            const Vector3& w = Vector3::Zero(), const Vector3& u = Vector3::Zero()) {
        const int body = int(model.bodies.size());
        Body b;
        b.name = "b" + std::to_string(body);
        b.joint.type = JointType::floating;
        model.bodies.push_back(b);
        Shape s;
        s.name = "s" + std::to_string(body);
        s.body = body;
        s.kind = kind;
        for (int k = 0; k < 3; k++) s.size[std::size_t(k)] = sizes(k);
        s.material = 0;
        model.shapes.push_back(s);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) X.push_back(R(i, j));
        for (int i = 0; i < 3; i++) X.push_back(p(i));
        for (int i = 0; i < 3; i++) V.push_back(w(i));
        for (int i = 0; i < 3; i++) V.push_back(u(i));
        const Vector3 wb = R.transpose() * w, ub = R.transpose() * u;
        for (int i = 0; i < 6; i++) {
            const Vector3 axis = R.col(i % 3), linear = i < 3 ? Vector3(p.cross(axis)) : axis;
            axes.axis.push_back(
                i < 3 ? std::array<double, 6>{axis.x(), axis.y(), axis.z(), linear.x(), linear.y(), linear.z()}
                      : std::array<double, 6>{0, 0, 0, linear.x(), linear.y(), linear.z()});
            axes.chain_slots.push_back(6 * body + i);
            v.push_back(i < 3 ? wb(i) : ub(i - 3));
        }
        axes.chain_begin.push_back(int(axes.chain_slots.size()));
        return body;
    }
    void ground(double mu = -1) {
        model.ground = Ground{};
        if (mu >= 0) model.ground->mu = Number(mu);
    }
    std::vector<ContactRecord> detect(double h = 1e-3, ContactFacts* facts = nullptr) const {
        std::vector<ContactRecord> records;
        const ContactFacts f = ShapeContacts(model).detect(X, V, h, records);
        if (facts) *facts = f;
        return records;
    }
};

Vector3 of(const Vector3d& v) { return {v[0], v[1], v[2]}; }

/// Bodies thrown together, boxes, spheres and capsules.
Crowd heap(std::uint64_t seed, int count, double room) {
    Draw draw(seed, 0);
    Crowd crowd;
    crowd.ground();
    constexpr Kind kKinds[] = {Kind::sphere, Kind::capsule, Kind::box};
    for (int i = 0; i < count; i++) {
        const Vector3 p(draw.between(-room, room), draw.between(-room, room), draw.between(0, room));
        const Matrix3 R = anyTurn(draw);
        const Vector3 w = draw.between(0, 3) * unitVector(draw), u = draw.between(0, 3) * unitVector(draw);
        crowd.add(kKinds[i % 3], Vector3(draw.between(0.1, 0.3), draw.between(0.1, 0.3), draw.between(0.1, 0.3)), p, R,
                  w, u);
    }
    return crowd;
}

}  // namespace

TEST_CASE(
    "a heap: the sweep finds what testing every pair finds, records are sound, rows move momentum between bodies") {
    std::size_t records_seen = 0;
    for (int seed = 0; seed < 10; seed++) {
        const Crowd crowd = heap(std::uint64_t(9000 + seed), 40, 0.8);
        ContactFacts facts;
        const std::vector<ContactRecord> records = crowd.detect(1e-3, &facts);
        CHECK(facts.records == int(records.size()));
        CHECK(!facts.overflow);
        records_seen += records.size();
        // Without a broad phase: every pair alone in the world.
        std::size_t alone = 0;
        for (std::size_t i = 0; i < crowd.model.shapes.size(); i++) {
            for (std::size_t j = i; j < crowd.model.shapes.size(); j++) {
                Crowd two = crowd;
                if (i != j) two.model.ground.reset();
                for (std::size_t k = 0; k < two.model.shapes.size(); k++)
                    if (k != i && k != j) two.model.shapes[k].material = -1;
                alone += two.detect().size();
            }
        }
        CHECK(alone == records.size());

        std::set<std::uint64_t> keys;
        for (std::size_t i = 0; i < records.size(); i++) {
            const ContactRecord& r = records[i];
            CHECK(keys.insert(r.key).second);
            if (i > 0) CHECK(records[i - 1].key < r.key);
            const Vector3 n = of(r.normal), t1 = of(r.tangent1), t2 = of(r.tangent2);
            CHECK(std::abs(n.norm() - 1) < 1e-12);
            CHECK(std::abs(t1.norm() - 1) < 1e-12);
            CHECK((n.cross(t1) - t2).norm() < 1e-12);
            CHECK(std::abs(n.dot(t1)) < 1e-12);
            CHECK((r.a == kBase || r.shape_a >= 0));
            CHECK(r.a != r.b);
            // Surface points from body axes: midway and gap.
            const auto placed = [&](int body, const Vector3d& local) -> Vector3 {
                if (body < 0) return of(local);
                const double* x = crowd.X.data() + 12 * std::size_t(body);
                Matrix3 R;
                R << x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8];
                return R * of(local) + Vector3(x[9], x[10], x[11]);
            };
            const Vector3 a = placed(r.a, r.local_a), b = placed(r.b, r.local_b);
            CHECK((0.5 * (a + b) - of(r.point)).norm() < 1e-9);
            CHECK((b - a - r.gap * n).norm() < 1e-9);
        }

        // Rows: u = J v is the relative velocity at the reference point; an impulse leaves the sum of momenta, linear
        // and angular about the base origin, as it is.
        RowSet rows;
        Crowd torsional = crowd;
        torsional.model.materials[0].values.mu_torsion = 0.01;
        torsional.model.materials[0].values.mu_rolling = 0.002;
        const std::vector<ContactRecord> full = torsional.detect();
        REQUIRE(full.size() == records.size());
        addContactRows(full, crowd.axes, crowd.v, ContactRowSettings{}, rows);
        REQUIRE(rows.size() == 6 * int(full.size()));
        for (int i = 0; i < rows.size(); i++) {
            const Row& row = rows.rows[std::size_t(i)];
            const ContactRecord& r = full[std::size_t(row.owner)];
            CHECK((row.feature & ~(std::uint64_t(1) << 63)) == r.key);
            const auto velocity = [&](int body, bool turning) -> Vector3 {
                if (body < 0) return Vector3::Zero();
                const double* u = crowd.V.data() + 6 * std::size_t(body);
                const double* x = crowd.X.data() + 12 * std::size_t(body);
                const Vector3 w(u[0], u[1], u[2]), o(u[3], u[4], u[5]);
                return turning ? w : Vector3(o + w.cross(of(r.point) - Vector3(x[9], x[10], x[11])));
            };
            const int k = i % 6;
            const Vector3 d = k == 0 || k == 3 ? of(r.normal) : k == 1 || k == 4 ? of(r.tangent1) : of(r.tangent2);
            const double wanted = d.dot(velocity(r.b, k > 2) - velocity(r.a, k > 2));
            double u = 0;
            Vector3 force = Vector3::Zero(), moment = Vector3::Zero();
            for (std::size_t j = 0; j < rows.slotsOf(row).size(); j++) {
                const int slot = rows.slotsOf(row)[j];
                const double value = rows.valuesOf(row)[j];
                u += value * crowd.v[std::size_t(slot)];
                const double* x = crowd.X.data() + 12 * std::size_t(slot / 6);
                const Vector3 axis(x[slot % 3], x[3 + slot % 3], x[6 + slot % 3]), p(x[9], x[10], x[11]);
                if (slot % 6 < 3) moment += value * axis;
                else force += value * axis, moment += p.cross(value * axis);
            }
            CHECK(std::abs(u - wanted) < 1e-12);
            if (r.a == kBase) continue;
            CHECK(force.norm() < 1e-12);
            CHECK(moment.norm() < 1e-12);
        }
    }
    CHECK(records_seen > 300);
}

TEST_CASE("margins move the surface, gaps only let records begin earlier, speed lets them begin in time") {
    Crowd crowd;
    crowd.ground();
    crowd.add(Kind::sphere, Vector3(0.1, 0, 0), Vector3(0, 0, 0.15));
    CHECK(crowd.detect().empty());
    crowd.model.shapes[0].gap = Number(0.06);
    std::vector<ContactRecord> records = crowd.detect();
    REQUIRE(records.size() == 1);
    CHECK(records[0].gap == Approx(0.05));
    CHECK(records[0].point[2] == Approx(0.025));
    crowd.model.shapes[0].gap = Number(0);
    crowd.model.shapes[0].margin = Number(0.06);
    records = crowd.detect();
    REQUIRE(records.size() == 1);
    CHECK(records[0].gap == Approx(-0.01));
    CHECK(records[0].local_b[2] == Approx(-0.16));
    crowd.model.shapes[0].margin = Number(0);
    crowd.V[5] = -49;
    CHECK(crowd.detect(1e-3).empty());
    crowd.V[5] = -51;
    CHECK(crowd.detect(1e-3).size() == 1);
    crowd.V[5] = 51;  // away
    CHECK(crowd.detect(1e-3).empty());
    // A pair adds both.
    Crowd pair;
    pair.add(Kind::sphere, Vector3(0.1, 0, 0), Vector3(0, 0, 0));
    pair.add(Kind::sphere, Vector3(0.1, 0, 0), Vector3(0, 0, 0.3));
    pair.model.shapes[0].margin = Number(0.03);
    pair.model.shapes[1].margin = Number(0.05);
    pair.model.shapes[0].gap = Number(0.01);
    pair.model.shapes[1].gap = Number(0.02);
    records = pair.detect();
    REQUIRE(records.size() == 1);
    CHECK(records[0].gap == Approx(0.02));
    CHECK(records[0].point[2] == Approx(0.14));
}

TEST_CASE("who meets whom: groups, exclusions, materials, one body") {
    const auto meets = [](int ga, int gb) {
        Crowd c;
        c.add(Kind::sphere, Vector3(0.1, 0, 0), Vector3::Zero());
        c.add(Kind::sphere, Vector3(0.1, 0, 0), Vector3(0, 0, 0.1));
        c.model.shapes[0].group = ga;
        c.model.shapes[1].group = gb;
        return !c.detect().empty();
    };
    CHECK(meets(1, 1));
    CHECK_FALSE(meets(1, 2));
    CHECK_FALSE(meets(0, 0));
    CHECK_FALSE(meets(0, -1));
    CHECK(meets(1, -1));
    CHECK(meets(-1, -2));
    CHECK_FALSE(meets(-1, -1));
    Crowd c;
    c.ground();
    c.add(Kind::sphere, Vector3(0.1, 0, 0), Vector3::Zero());
    c.add(Kind::sphere, Vector3(0.1, 0, 0), Vector3(0, 0, 0.1));
    CHECK(c.detect().size() == 3);
    c.model.excludes.push_back({0, 1, {}});
    CHECK(c.detect().size() == 2);
    c.model.excludes.push_back({1, kBase, {}});
    CHECK(c.detect().size() == 1);
    c.model.shapes[0].material = -1;
    CHECK(ShapeContacts(c.model).empty());
    CHECK(c.detect().empty());
    c.model.shapes[0].material = 0;
    c.model.shapes[1].body = 0;
    c.model.excludes.clear();
    c.model.ground.reset();
    CHECK(ShapeContacts(c.model).empty());
}

TEST_CASE("mixing of materials: mean, geometric, greatest, least; pairs override; the ground has a mu alone") {
    Crowd c;
    c.ground(0.3);
    c.add(Kind::sphere, Vector3(0.1, 0, 0), Vector3::Zero());
    c.add(Kind::sphere, Vector3(0.1, 0, 0), Vector3(0, 0, 0.1));
    Material rubber = c.model.materials[0];
    rubber.name = "rubber";
    c.model.materials[0].values.mu = Number(0.2);
    rubber.values.mu = Number(0.8);
    rubber.values.restitution = Number(0.5);
    c.model.materials.push_back(rubber);
    c.model.shapes[1].material = 1;
    using Mix = ContactOptions::Mix;
    const auto mu = [&](Mix mix, int a, int b) {
        c.model.contact.mix = mix;
        return ShapeContacts(c.model).valuesOf(a, b).mu;
    };
    CHECK(mu(Mix::mean, 0, 1) == Approx(0.5));
    CHECK(mu(Mix::own, 0, 1) == Approx(0.5));
    CHECK(mu(Mix::geometric, 0, 1) == Approx(0.4));
    CHECK(mu(Mix::max, 0, 1) == Approx(0.8));
    CHECK(mu(Mix::min, 0, 1) == Approx(0.2));
    CHECK(mu(Mix::mean, -1, 1) == Approx(0.55));
    c.model.contact.mix = Mix::mean;
    CHECK(ShapeContacts(c.model).valuesOf(-1, 1).restitution == Approx(0.5));
    CHECK(ShapeContacts(c.model).valuesOf(0, 1).restitution == Approx(0.25));
    c.model.ground->mu.reset();
    CHECK(mu(Mix::mean, -1, 1) == Approx(0.8));
    MaterialPair pair;
    pair.a = 1, pair.b = 0;
    pair.values.mu = Number(0.05);
    pair.written = {"mu"};
    c.model.pairs.push_back(pair);
    pair.a = -1, pair.b = 1;
    pair.values.restitution = Number(0.9);
    pair.written = {"restitution"};
    c.model.pairs.push_back(pair);
    CHECK(mu(Mix::mean, 0, 1) == Approx(0.05));
    CHECK(ShapeContacts(c.model).valuesOf(0, 1).restitution == Approx(0.25));
    CHECK(ShapeContacts(c.model).valuesOf(-1, 1).restitution == Approx(0.9));
    CHECK(ShapeContacts(c.model).valuesOf(-1, 1).mu == Approx(0.8));
}

TEST_CASE("more contacts than the capacity: the frame says so") {
    Crowd c = heap(9100, 30, 0.4);
    ContactFacts facts;
    const std::size_t all = c.detect(1e-3, &facts).size();
    REQUIRE(all > 10);
    CHECK_FALSE(facts.overflow);
    c.model.contact.capacity = 10;
    CHECK(c.detect(1e-3, &facts).size() == 10);
    CHECK(facts.overflow);
    c.model.contact.capacity = int(all);
    CHECK(c.detect(1e-3, &facts).size() == all);
    CHECK_FALSE(facts.overflow);
}

TEST_CASE("ids name both sides and the feature") {
    Crowd c;
    c.ground();
    c.add(Kind::sphere, Vector3(0.1, 0, 0), Vector3(0, 0, 0.1));
    c.add(Kind::sphere, Vector3(0.1, 0, 0), Vector3(0, 0, 0.3));
    const std::vector<ContactRecord> records = c.detect();
    REQUIRE(records.size() == 2);
    const ShapeContacts contacts(c.model);
    CHECK(contacts.idOf(records[0]) == "s0/ground.0");
    CHECK(contacts.idOf(records[1]) == "s1/s0.0");
}

TEST_CASE("target of the normal row") {
    ContactRowSettings s;  // h 1e-3, beta 0.2, slop 5e-4
    PairValues v;
    v.restitution = 0;
    CHECK(contactTarget(0, -1, v, s) == 0);
    CHECK(contactTarget(-4e-4, 0, v, s) == 0);
    CHECK(contactTarget(-1.5e-3, 0, v, s) == Approx(0.2));
    CHECK(contactTarget(2e-3, -1, v, s) == Approx(-2));
    CHECK(contactTarget(5e-4, -1, v, s) == Approx(-0.5));
    v.restitution = 0.5;
    CHECK(contactTarget(0, -1, v, s) == Approx(0.5));
    CHECK(contactTarget(0, -0.4, v, s) == 0);                // below the threshold
    CHECK(contactTarget(5e-4, -1, v, s) == Approx(0.5));     // arrives within the step
    CHECK(contactTarget(2e-3, -1, v, s) == Approx(-2));      // does not
    CHECK(contactTarget(-3e-3, -0.6, v, s) == Approx(0.5));  // repair is faster than the rebound of 0.3
    CHECK(contactTarget(0, 1, v, s) == 0);
}

TEST_CASE("live parameters: sizes and materials follow") {
    Crowd c;
    c.ground();
    c.add(Kind::sphere, Vector3(0.1, 0, 0), Vector3(0, 0, 0.2));
    Parameter p;
    p.name = "r", p.value = 0.1, p.live = true, p.slot = 0;
    c.model.parameters.push_back(p);
    c.model.shapes[0].size[0] = Number(0.1, Expression::liveParameter(0));
    c.model.materials[0].values.mu = Number(0.1, Expression::liveParameter(0));
    ShapeContacts contacts(c.model);
    std::vector<ContactRecord> records;
    contacts.detect(c.X, c.V, 1e-3, records);
    CHECK(records.empty());
    const std::vector<double> param{0.25};
    contacts.setParameters(param);
    contacts.detect(c.X, c.V, 1e-3, records);
    REQUIRE(records.size() == 1);
    CHECK(records[0].gap == Approx(-0.05));
    CHECK(records[0].values.mu == Approx(0.25));
}

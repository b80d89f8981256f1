// Which shapes may meet, their numbers, the broad phase, the records.
#include "engine/contact/shape_contacts.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/contact/collide.h"
#include "engine/contact/hull.h"
#include "engine/model/meetings.h"

namespace mw {

namespace {

using collide::Solid;
using collide::Touch;

Vector3 vectorOf(const Vector3d& v) { return {v[0], v[1], v[2]}; }
Vector3d plain(const Vector3& v) { return {v.x(), v.y(), v.z()}; }

// A key has 21 bits for each shape and for the feature; the top bit is the second row's of a pair of rows.
constexpr int kBits = 21;
constexpr std::uint32_t kFeatureMask = (1u << kBits) - 1;

double mixOf(ContactOptions::Mix mix, double a, double b) {
    switch (mix) {
        case ContactOptions::Mix::own:  // of the impulse solver: the mean
        case ContactOptions::Mix::mean: return 0.5 * (a + b);
        case ContactOptions::Mix::geometric: return std::sqrt(std::max(a * b, 0.0));
        case ContactOptions::Mix::max: return std::max(a, b);
        case ContactOptions::Mix::min: return std::min(a, b);
    }
    return a;
}

/// A body's pose and velocity; those of the base where there is none.
struct Placed {
    Matrix3 R = Matrix3::Identity();
    Vector3 p = Vector3::Zero(), w = Vector3::Zero(), v = Vector3::Zero();
};
Placed placeOf(int body, std::span<const double> X, std::span<const double> V) {
    Placed placed;
    if (body < 0) return placed;
    const double* x = X.data() + 12 * static_cast<std::size_t>(body);
    placed.R << x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8];
    placed.p = {x[9], x[10], x[11]};
    if (!V.empty()) {
        const double* u = V.data() + 6 * static_cast<std::size_t>(body);
        placed.w = {u[0], u[1], u[2]};
        placed.v = {u[3], u[4], u[5]};
    }
    return placed;
}

}  // namespace

ShapeContacts::ShapeContacts(const Model& model, double tilt)
    : shapes_(model.shapes),
      materials_(model.materials),
      pairs_(model.pairs),
      ground_(model.ground),
      options_(model.contact),
      gravity_(model.gravity) {
    if (ground_) terrain_ = Terrain(*ground_, tilt);
    const Meetings meetings(model);
    for (std::size_t i = 0; i < shapes_.size(); i++) {
        if (shapes_[i].material < 0) continue;
        if (shapes_[i].kind == Shape::Kind::mesh && (!shapes_[i].vertices || shapes_[i].vertices->empty())) continue;
        Collider collider;
        collider.shape = static_cast<int>(i);
        collider.ground = meetings.ground(static_cast<int>(i));
        any_ground_ = any_ground_ || collider.ground;
        if (shapes_[i].kind == Shape::Kind::mesh) {
            std::vector<Vector3> all;
            for (const Vector3d& p : *shapes_[i].vertices) all.push_back(vectorOf(p));
            for (const Vector3& p : collide::hullCorners(all)) collider.corners.push_back(plain(p));
        }
        colliders_.push_back(std::move(collider));
    }
    const std::size_t n = colliders_.size();
    may_meet_.assign(n * n, 0);
    for (std::size_t i = 0; i < n; i++) {
        for (std::size_t j = i + 1; j < n; j++) {
            if (!meetings.pair(colliders_[i].shape, colliders_[j].shape)) continue;
            may_meet_[i * n + j] = may_meet_[j * n + i] = 1;
            any_pair_ = true;
        }
    }
    resolve(model.liveValues());
}

bool ShapeContacts::empty() const { return !any_pair_ && !any_ground_; }

void ShapeContacts::setParameters(std::span<const double> param) {
    if (std::equal(param.begin(), param.end(), param_.begin(), param_.end())) return;
    resolve(param);
}

void ShapeContacts::resolve(std::span<const double> param) {
    param_.assign(param.begin(), param.end());
    gravity_size_ = std::hypot(gravity_[0].at(param), gravity_[1].at(param), gravity_[2].at(param));
    for (Collider& c : colliders_) {
        const Shape& shape = shapes_[static_cast<std::size_t>(c.shape)];
        const auto number = [&](int i) { return shape.size[static_cast<std::size_t>(i)].at(param); };
        const double a = std::abs(number(0)), b = std::abs(number(1));
        switch (shape.kind) {
            case Shape::Kind::box: c.size = {0.5 * a, 0.5 * b, 0.5 * std::abs(number(2))}; break;
            case Shape::Kind::sphere: c.size = {a, 0, 0}; break;
            case Shape::Kind::capsule:
            case Shape::Kind::cylinder: c.size = {a, 0.5 * b, 0}; break;
            case Shape::Kind::cone: c.size = {a, b, 0}; break;
            case Shape::Kind::mesh: c.size = {number(0), 0, 0}; break;
        }
        c.low = {-a, -a, -a};
        c.high = {a, a, a};
        if (shape.kind == Shape::Kind::box) {
            for (std::size_t i = 0; i < 3; i++) c.low[i] = -c.size[i], c.high[i] = c.size[i];
        } else if (shape.kind == Shape::Kind::cone) {
            c.low[2] = 0, c.high[2] = b;
        } else if (shape.kind == Shape::Kind::cylinder || shape.kind == Shape::Kind::capsule) {
            const double end = 0.5 * b + (shape.kind == Shape::Kind::capsule ? a : 0);
            c.low[2] = -end, c.high[2] = end;
        } else if (shape.kind == Shape::Kind::mesh) {
            c.points.clear();
            c.low = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
            c.high = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
            for (const Vector3d& p : c.corners) {
                c.points.push_back({c.size[0] * p[0], c.size[0] * p[1], c.size[0] * p[2]});
                for (std::size_t i = 0; i < 3; i++) {
                    c.low[i] = std::min(c.low[i], c.points.back()[i]);
                    c.high[i] = std::max(c.high[i], c.points.back()[i]);
                }
            }
        }
        for (std::size_t i = 0; i < 3; i++) c.at[i] = shape.at[i].at(param);
        const Matrix3 R = rotationRollPitchYaw(shape.rot[0].at(param), shape.rot[1].at(param), shape.rot[2].at(param));
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) c.turn[static_cast<std::size_t>(3 * i + j)] = R(i, j);
        c.margin = std::max(shape.margin.at(param), 0.0);
        c.gap = std::max(shape.gap.at(param), 0.0);
    }
}

PairValues ShapeContacts::valuesOf(int shape_a, int shape_b) const {
    const std::span<const double> param = param_;
    const int kind_a = shape_a < 0 ? -1 : shapes_[static_cast<std::size_t>(shape_a)].material;
    const int kind_b = shapes_[static_cast<std::size_t>(shape_b)].material;
    const ContactValues& b = materials_[static_cast<std::size_t>(kind_b)].values;
    // The ground is a material of one property, its mu, where that is written; in all else it follows the other.
    ContactValues a = kind_a >= 0 ? materials_[static_cast<std::size_t>(kind_a)].values : b;
    if (kind_a < 0 && ground_ && ground_->mu) a.mu = *ground_->mu;
    const auto mixed = [&](const Number& x, const Number& y) { return mixOf(options_.mix, x.at(param), y.at(param)); };
    PairValues values;
    values.mu = mixed(a.mu, b.mu);
    values.mu_torsion = mixed(a.mu_torsion, b.mu_torsion);
    values.mu_rolling = mixed(a.mu_rolling, b.mu_rolling);
    values.restitution = mixed(a.restitution, b.restitution);
    values.restitution_speed = mixed(a.restitution_speed, b.restitution_speed);
    for (const MaterialPair& pair : pairs_) {
        if (!((pair.a == kind_a && pair.b == kind_b) || (pair.a == kind_b && pair.b == kind_a))) continue;
        for (const std::string& word : pair.written) {
            if (word == "mu") values.mu = pair.values.mu.at(param);
            if (word == "mu-torsion") values.mu_torsion = pair.values.mu_torsion.at(param);
            if (word == "mu-rolling") values.mu_rolling = pair.values.mu_rolling.at(param);
            if (word == "restitution") values.restitution = pair.values.restitution.at(param);
            if (word == "restitution-speed") values.restitution_speed = pair.values.restitution_speed.at(param);
        }
    }
    return values;
}

std::string ShapeContacts::idOf(const ContactRecord& record) const {
    const std::string& b = shapes_[static_cast<std::size_t>(record.shape_b)].name;
    return fmt::format("{}/{}.{}", b,
                       record.shape_a < 0 ? "ground" : shapes_[static_cast<std::size_t>(record.shape_a)].name,
                       record.feature);
}

ContactFacts ShapeContacts::detect(std::span<const double> X, std::span<const double> V, double h,
                                   std::vector<ContactRecord>& out) const {
    out.clear();
    ContactFacts facts;
    if (empty()) return facts;
    const std::size_t n = colliders_.size();
    // What gravity adds to an approach within the step, and a rest for rounding: a body that lies keeps its records.
    const double skin = 2 * h * h * gravity_size_ + 1e-6;

    struct Entry {
        Solid solid;
        Placed body;
        Vector3 low, high;
        double reach = 0;  // margin, gap and what its own speed covers
    };
    std::vector<Entry> entries(n);
    std::vector<std::vector<Vector3>> points(n);
    for (std::size_t i = 0; i < n; i++) {
        const Collider& c = colliders_[i];
        Entry& e = entries[i];
        const Shape& shape = shapes_[static_cast<std::size_t>(c.shape)];
        e.body = placeOf(shape.body, X, V);
        Matrix3 turn;
        for (int r = 0; r < 3; r++)
            for (int k = 0; k < 3; k++) turn(r, k) = c.turn[static_cast<std::size_t>(3 * r + k)];
        e.solid.kind = shape.kind;
        e.solid.size = vectorOf(c.size);
        e.solid.R = e.body.R * turn;
        e.solid.p = e.body.R * vectorOf(c.at) + e.body.p;
        if (!c.points.empty()) {
            for (const Vector3d& p : c.points) points[i].push_back(vectorOf(p));
            e.solid.points = &points[i];
        }
        const Vector3 low = vectorOf(c.low), high = vectorOf(c.high), half = 0.5 * (high - low);
        const Vector3 centre = e.solid.p + e.solid.R * (0.5 * (low + high));
        const double speed = (e.body.v + e.body.w.cross(centre - e.body.p)).norm() + e.body.w.norm() * half.norm();
        e.reach = c.margin + c.gap + h * speed;
        if (!std::isfinite(e.reach)) e.reach = c.margin + c.gap;
        Vector3 extent = e.solid.R.cwiseAbs() * half;
        extent.array() += e.reach + skin;
        e.low = centre - extent;
        e.high = centre + extent;
    }

    collide::Touches touches;
    const auto record = [&](int shape_a, const Placed& body_a, int a, double margin_a, double gap_a, std::size_t ib) {
        const Collider& cb = colliders_[ib];
        const Placed& body_b = entries[ib].body;
        PairValues values;
        bool mixed = false;
        for (const Touch& touch : touches) {
            ContactRecord r;
            r.gap = touch.gap - margin_a - cb.margin;
            const Vector3 on_a = touch.a + margin_a * touch.normal, on_b = touch.b - cb.margin * touch.normal;
            const Vector3 point = 0.5 * (on_a + on_b);
            const Vector3 approach =
                body_b.v + body_b.w.cross(point - body_b.p) - body_a.v - body_a.w.cross(point - body_a.p);
            const double closing = std::max(0.0, -approach.dot(touch.normal));
            if (!(r.gap <= gap_a + cb.gap + h * closing + skin)) continue;
            r.shape_a = shape_a;
            r.shape_b = cb.shape;
            r.a = a;
            r.b = shapes_[static_cast<std::size_t>(cb.shape)].body;
            r.feature = touch.feature & kFeatureMask;
            r.key = (std::uint64_t(shape_a + 1) << (2 * kBits)) | (std::uint64_t(cb.shape) << kBits) | r.feature;
            r.point = plain(point);
            r.normal = plain(touch.normal);
            const Vector3 t1 = collide::acrossOf(touch.normal);
            r.tangent1 = plain(t1);
            r.tangent2 = plain(touch.normal.cross(t1));
            r.local_a = plain(body_a.R.transpose() * (on_a - body_a.p));
            r.local_b = plain(body_b.R.transpose() * (on_b - body_b.p));
            if (!mixed) values = valuesOf(shape_a, cb.shape), mixed = true;
            r.values = values;
            out.push_back(r);
        }
    };

    const Placed base;
    for (std::size_t i = 0; i < n; i++) {
        if (!colliders_[i].ground) continue;
        const Entry& e = entries[i];
        // A plane that the terrain nowhere rises above: nothing of the shape is below it when its lowest corner is not.
        const Terrain::Sample s = terrain_.ceiling(0, 0);
        const double lowest = std::min(-s.slope_x * e.low.x(), -s.slope_x * e.high.x()) +
                              std::min(-s.slope_y * e.low.y(), -s.slope_y * e.high.y()) + e.low.z() - s.height;
        if (lowest > 0) continue;
        facts.tested++;
        touches.clear();
        collide::touchesGround(terrain_, e.solid, e.reach + skin, touches);
        record(-1, base, kBase, 0, 0, i);
    }

    if (any_pair_) {
        // Sweep along x over the boxes around the shapes.
        std::vector<std::size_t> sorted(n);
        for (std::size_t i = 0; i < n; i++) sorted[i] = i;
        std::sort(sorted.begin(), sorted.end(), [&](std::size_t i, std::size_t j) {
            return entries[i].low.x() != entries[j].low.x() ? entries[i].low.x() < entries[j].low.x() : i < j;
        });
        for (std::size_t s = 0; s < n; s++) {
            const Entry& first = entries[sorted[s]];
            for (std::size_t t = s + 1; t < n && !(entries[sorted[t]].low.x() > first.high.x()); t++) {
                const std::size_t i = std::min(sorted[s], sorted[t]), j = std::max(sorted[s], sorted[t]);
                if (!mayMeet(i, j)) continue;
                const Entry &a = entries[i], &b = entries[j];
                if (a.low.y() > b.high.y() || b.low.y() > a.high.y() || a.low.z() > b.high.z() ||
                    b.low.z() > a.high.z())
                    continue;
                facts.tested++;
                touches.clear();
                collide::touches(a.solid, b.solid, a.reach + b.reach + 2 * skin, touches);
                record(colliders_[i].shape, a.body, shapes_[static_cast<std::size_t>(colliders_[i].shape)].body,
                       colliders_[i].margin, colliders_[i].gap, j);
            }
        }
    }
    std::sort(out.begin(), out.end(), [](const ContactRecord& a, const ContactRecord& b) { return a.key < b.key; });
    const auto capacity = static_cast<std::size_t>(std::max(options_.capacity, 0));
    if (out.size() > capacity) {
        facts.overflow = true;
        out.resize(capacity);
    }
    facts.records = static_cast<int>(out.size());
    return facts;
}

}  // namespace mw

// Measures of a model, its shapes, and the skeleton of a body without shapes.
#include "app/scene/body_parts.h"

#include <algorithm>
#include <cmath>

#include "app/scene/mesh_file.h"
#include "app/scene/primitives.h"
#include "app/scene/track_parts.h"

namespace mw::scene {

Vec3 vectorOf(const Vector3d& v) { return {v[0], v[1], v[2]}; }

Mat3 rotationOf(const Vec3& rpy) {
    return (Eigen::AngleAxisd(rpy.z(), Vec3::UnitZ()) * Eigen::AngleAxisd(rpy.y(), Vec3::UnitY()) *
            Eigen::AngleAxisd(rpy.x(), Vec3::UnitX()))
        .toRotationMatrix();
}

Placement jointFrame(const Body& body, const Evaluated& value) {
    return placed(rotationOf(value(body.rot)), value(body.at));
}

namespace {

bool validParent(const Model& model, int body) {
    int p = model.bodies[static_cast<std::size_t>(body)].parent;
    return p >= 0 && p < static_cast<int>(model.bodies.size()) && p != body;
}

/// Largest half extent of a shape about its body's origin, roughly.
double shapeReach(const Shape& shape, const Evaluated& value) {
    double a = std::abs(value(shape.size[0])), b = std::abs(value(shape.size[1])), c = std::abs(value(shape.size[2]));
    switch (shape.kind) {
        case Shape::Kind::box: return std::max({a, b, c}) / 2;
        case Shape::Kind::sphere: return a;
        case Shape::Kind::capsule: return a + b / 2;
        case Shape::Kind::cylinder: return std::max(a, b / 2);
        case Shape::Kind::cone: return std::max(a, b);
        case Shape::Kind::mesh: return 0;
    }
    return 0;
}

}  // namespace

std::vector<int> depths(const Model& model) {
    int n = static_cast<int>(model.bodies.size());
    std::vector<int> depth(static_cast<std::size_t>(n), 0);
    for (int b = 0; b < n; ++b) {
        int d = 0;
        for (int at = b; d <= n && validParent(model, at); ++d) at = model.bodies[static_cast<std::size_t>(at)].parent;
        depth[static_cast<std::size_t>(b)] = d;
    }
    return depth;
}

std::vector<int> tints(const Model& model) {
    std::size_t n = model.bodies.size();
    std::vector<int> tint(n, -1);
    int last_of_base = -1;
    for (std::size_t b = 0; b < n; ++b) {
        int avoid_parent =
            validParent(model, static_cast<int>(b)) ? tint[static_cast<std::size_t>(model.bodies[b].parent)] : -1;
        int avoid_brother = -1;
        for (std::size_t o = 0; o < b; ++o) {
            if (model.bodies[o].parent == model.bodies[b].parent) avoid_brother = tint[o];
        }
        if (model.bodies[b].parent == kBase) avoid_brother = last_of_base;
        int t = static_cast<int>(b) % kTintCount;
        while (t == avoid_parent || t == avoid_brother) t = (t + 1) % kTintCount;
        tint[b] = t;
        if (model.bodies[b].parent == kBase) last_of_base = t;
    }
    return tint;
}

Measures measure(const Model& model, const Evaluated& value) {
    std::size_t n = model.bodies.size();
    // Shoes are many and small: a band counts by its rollers.
    const std::vector<int> band = bandOfBody(model);
    std::vector<double> lengths, own(n, 0.0);
    std::vector<bool> has_child(n, false);
    auto note = [&](double l) {
        if (std::isfinite(l) && l > 1e-9) lengths.push_back(l);
    };
    for (std::size_t b = 0; b < n; ++b) {
        if (band[b] >= 0 || !validParent(model, static_cast<int>(b))) continue;
        has_child[static_cast<std::size_t>(model.bodies[b].parent)] = true;
        note(value(model.bodies[b].at).norm());
    }
    for (std::size_t l = 0; l < model.loops.size(); ++l) {
        const Loop& loop = model.loops[l];
        if (closesBand(model, static_cast<int>(l))) continue;
        for (const LoopFrame* side : {&loop.from, &loop.to}) {
            if (side->body < 0 || static_cast<std::size_t>(side->body) >= n) continue;
            const double reach = value(side->at).norm();
            note(reach);
            own[static_cast<std::size_t>(side->body)] = std::max(own[static_cast<std::size_t>(side->body)], reach);
            has_child[static_cast<std::size_t>(side->body)] = true;
        }
    }
    for (const Track& track : model.tracks)
        for (const Track::Roller& roller : track.rollers) {
            if (roller.body < 0 || static_cast<std::size_t>(roller.body) >= n) continue;
            note(2 * roller.radius);
            own[static_cast<std::size_t>(roller.body)] =
                std::max(own[static_cast<std::size_t>(roller.body)], roller.radius);
        }
    for (std::size_t b = 0; b < n; ++b) {
        if (band[b] >= 0) continue;
        double cg = value(model.bodies[b].cg).norm();
        if (!has_child[b]) note(2 * cg);
        own[b] = std::max(own[b], 2 * cg);
        if (auto e = inertiaEllipsoid(model.bodies[b], value)) own[b] = std::max(own[b], cg + e->half_axes.maxCoeff());
    }
    for (const Shape& s : model.shapes) {
        double reach = shapeReach(s, value) + value(s.at).norm();
        note(2 * shapeReach(s, value));
        if (s.body >= 0 && static_cast<std::size_t>(s.body) < n)
            own[static_cast<std::size_t>(s.body)] = std::max(own[static_cast<std::size_t>(s.body)], reach);
    }
    for (const PointOfInterest& p : model.points) {
        double reach = value(p.point.at).norm();
        if (p.point.body >= 0 && static_cast<std::size_t>(p.point.body) < n) {
            note(reach);
            own[static_cast<std::size_t>(p.point.body)] = std::max(own[static_cast<std::size_t>(p.point.body)], reach);
        }
    }
    Measures m;
    bool reached = false;
    for (std::size_t b = 0; b < n; ++b) {
        if (band[b] >= 0) continue;
        double along = own[b];
        int guard = 0;
        for (int at = static_cast<int>(b); validParent(model, at) && guard++ <= static_cast<int>(n);) {
            along += value(model.bodies[static_cast<std::size_t>(at)].at).norm();
            at = model.bodies[static_cast<std::size_t>(at)].parent;
        }
        if (std::isfinite(along)) m.reach = !reached ? along : std::max(m.reach, along), reached = true;
    }
    if (!lengths.empty()) {
        std::nth_element(lengths.begin(), lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2),
                         lengths.end());
        m.link = lengths[lengths.size() / 2];
    } else {
        m.link = m.reach > 1e-9 ? m.reach : 1;
    }
    m.reach = std::max({m.reach, m.link, 1e-6});
    m.joint = std::clamp(0.058 * m.link, 0.008 * m.reach, 0.05 * m.reach);
    return m;
}

std::optional<Ellipsoid> inertiaEllipsoid(const Body& body, const Evaluated& value) {
    double mass = value(body.mass);
    Mat3 inertia;
    double xy = value(body.inertia[3]), xz = value(body.inertia[4]), yz = value(body.inertia[5]);
    inertia << value(body.inertia[0]), xy, xz, xy, value(body.inertia[1]), yz, xz, yz, value(body.inertia[2]);
    if (!(mass > 0) || !inertia.allFinite() || inertia.trace() <= 0) return std::nullopt;
    Eigen::SelfAdjointEigenSolver<Mat3> solver(inertia);
    Vec3 principal = solver.eigenvalues();
    Mat3 axes = solver.eigenvectors();
    if (axes.determinant() < 0) axes.col(2) = -axes.col(2);
    // Uniform ellipsoid: I_x = m (b^2 + c^2) / 5, so a^2 = 5 (I_y + I_z - I_x) / (2 m).
    Vec3 half;
    double floor = 0.02 * std::sqrt(2.5 * principal.sum() / mass);
    for (int i = 0; i < 3; ++i) {
        double squared = 2.5 * (principal.sum() - 2 * principal[i]) / mass;
        half[i] = std::max(std::sqrt(std::max(squared, 0.0)), floor);
    }
    return Ellipsoid{half, axes};
}

void addShapeParts(const PartsInput& in, std::vector<Part>& parts) {
    // Many round things do with fewer corners each.
    const auto rounds = std::count_if(in.model.shapes.begin(), in.model.shapes.end(),
                                      [](const Shape& s) { return s.kind != Shape::Kind::box && !s.hidden; });
    const double spare = std::min(1.0, std::sqrt(24.0 / static_cast<double>(std::max<std::ptrdiff_t>(rounds, 1))));
    for (std::size_t i = 0; i < in.model.shapes.size(); ++i) {
        const Shape& shape = in.model.shapes[i];
        if (shape.hidden || shape.body < kBase || shape.body >= static_cast<int>(in.model.bodies.size())) continue;
        double a = in.value(shape.size[0]), b = in.value(shape.size[1]), c = in.value(shape.size[2]);
        if (!std::isfinite(a + b + c)) continue;
        double bevel = 0.16 * in.measures.joint;
        // Round things get corners by their size: a rim looks round at any scale.
        auto round = [&](double r) {
            double corners = 30 * std::sqrt(std::abs(r) / (3 * in.measures.joint));
            return 4 * static_cast<int>(std::lround(std::clamp(spare * corners, spare < 1 ? 12.0 : 20.0, 96.0) / 4));
        };
        Part part;
        switch (shape.kind) {
            case Shape::Kind::box:
                part.mesh = boxMesh({a, b, c}, std::min(bevel * 1.6, 0.12 * std::min({a, b, c})));
                break;
            case Shape::Kind::sphere: part.mesh = sphereMesh(std::abs(a), round(a)); break;
            case Shape::Kind::capsule: part.mesh = capsuleMesh(std::abs(a), std::abs(b), round(a)); break;
            case Shape::Kind::cylinder:
                part.mesh = cylinderMesh(std::abs(a), std::abs(b),
                                         spare < 0.8 ? 0 : std::min(bevel, 0.1 * std::min(a, b)), round(a));
                break;
            case Shape::Kind::cone: part.mesh = coneMesh(std::abs(a), std::abs(b), round(a)); break;
            case Shape::Kind::mesh:
                if (in.files) part.mesh = in.files->get(shape.file, a).mesh;
                break;
        }
        if (!part.mesh || part.mesh->indices.empty()) continue;
        part.body = shape.body;
        part.place = placed(rotationOf(in.value(shape.rot)), in.value(shape.at));
        part.paint = Paint::tint;
        if (shape.color) {
            const auto& c4 = *shape.color;
            part.paint = Paint::own;
            part.color = {static_cast<float>(c4[0]), static_cast<float>(c4[1]), static_cast<float>(c4[2]),
                          static_cast<float>(c4[3])};
        } else if (shape.body == kBase) {
            part.paint = Paint::base;
        }
        part.id = shape.body == kBase ? ItemId{ItemKind::base, kBase} : ItemId{ItemKind::body, shape.body};
        part.shape = static_cast<int>(i);
        parts.push_back(std::move(part));
    }
}

namespace {

/// A joint or mounting point that a skeleton's link runs to.
struct Station {
    Vec3 at;
    Vec3 axis;  ///< of the pin there, body axes; zero when there is none
    bool slim = false;
};

void addLink(const PartsInput& in, int body, int depth, const Station& from, const Station& to,
             std::vector<Part>& parts) {
    Vec3 along = to.at - from.at;
    double length = along.norm(), s = in.measures.joint;
    if (length < 0.3 * s) return;
    Vec3 direction = along / length;
    Part part;
    part.body = body;
    part.layer = Layer::skeleton;
    part.id = {ItemKind::body, body};
    // A pin across the link makes it a flat bar about that pin; anything else a round one.
    Vec3 pin = from.axis.norm() > 0.5 ? from.axis : to.axis;
    double slant = pin.norm() > 0.5 ? std::abs(pin.dot(direction)) : 1;
    double width = to.slim ? 0.55 * s : 1.45 * s;
    if (slant < 0.3) {
        Vec3 normal = (pin - direction * pin.dot(direction)).normalized();
        // Neighbours differ in thickness: a tongue in a fork, never two faces in one plane.
        double thickness = depth % 2 == 0 ? 1.5 * s : 0.9 * s;
        double end = to.slim ? 0.55 * s : (to.axis.norm() > 0.5 || from.axis.norm() < 0.5 ? width : 0.8 * width);
        part.mesh = plateMesh(barOutline(length, width, end), thickness, 0.18 * s);
        part.place = placed(frameWithZ(normal, direction), from.at);
    } else {
        part.mesh = capsuleMesh(to.slim ? 0.4 * s : 0.75 * s, length);
        part.place = placed(frameWithZ(direction), (from.at + to.at) / 2);
    }
    parts.push_back(std::move(part));
}

/// The end of a uniform rod from the joint with this mass and inertia, or the cg of a point mass.
Vec3 rodEnd(const Body& body, const Evaluated& value, bool& bob) {
    Vec3 cg = value(body.cg);
    Vec3 direction = cg.normalized();
    Mat3 inertia;
    double xy = value(body.inertia[3]), xz = value(body.inertia[4]), yz = value(body.inertia[5]);
    inertia << value(body.inertia[0]), xy, xz, xy, value(body.inertia[1]), yz, xz, yz, value(body.inertia[2]);
    double across = (inertia.trace() - direction.dot(inertia * direction)) / 2, mass = value(body.mass);
    double length = mass > 0 && across > 0 ? std::sqrt(12 * across / mass) : 0;
    bob = length < 0.8 * cg.norm();
    if (bob) return cg;
    return cg + direction * std::min(length / 2, cg.norm());
}

}  // namespace

void addSkeletonParts(const PartsInput& in, int index, int depth, std::vector<Part>& parts) {
    const Body& body = in.model.bodies[static_cast<std::size_t>(index)];
    double s = in.measures.joint;
    auto pinOf = [](const Joint& j) {
        return j.type == JointType::revolute || j.type == JointType::cylindrical ? vectorOf(j.axis)
                                                                                 : Vec3(Vec3::Zero());
    };
    Station own{Vec3::Zero(), pinOf(body.joint), false};

    // Where links run to: child joints, then points that something is mounted on
    std::vector<Station> stations;
    auto taken = [&](const Vec3& p) {
        if (p.norm() < 0.8 * s) return true;
        return std::any_of(stations.begin(), stations.end(),
                           [&](const Station& o) { return (o.at - p).norm() < 0.8 * s; });
    };
    bool has_child = false;
    for (const Body& child : in.model.bodies) {
        if (child.parent != index || &child == &body) continue;
        has_child = true;
        Vec3 at = in.value(child.at);
        if (at.allFinite() && !taken(at))
            stations.push_back({at, rotationOf(in.value(child.rot)) * pinOf(child.joint), false});
    }
    auto mount = [&](const BodyPoint& p) {
        Vec3 at = in.value(p.at);
        if (p.body == index && at.allFinite() && !taken(at)) stations.push_back({at, Vec3::Zero(), true});
    };
    // A closure carries as a child's joint does.
    for (const Loop& loop : in.model.loops)
        for (const LoopFrame* side : {&loop.from, &loop.to}) {
            if (side->body != index) continue;
            const Vec3 at = in.value(side->at);
            const bool pin = loop.type == LoopType::revolute || loop.type == LoopType::cylindrical ||
                             loop.type == LoopType::point_on_line;
            has_child = has_child || at.norm() > 0.8 * s;
            if (at.allFinite() && !taken(at))
                stations.push_back(
                    {at, pin ? Vec3(rotationOf(in.value(side->rot)) * vectorOf(loop.axis)) : Vec3(Vec3::Zero()),
                     loop.type == LoopType::distance});
        }
    for (const Tsda& t : in.model.tsdas) mount(t.from), mount(t.to);
    for (const PointOfInterest& p : in.model.points) mount(p.point);

    Vec3 cg = in.value(body.cg);
    auto ellipsoid = inertiaEllipsoid(body, in.value);
    bool free = body.joint.type == JointType::floating || body.joint.type == JointType::spherical;
    bool bob = false;
    if (!has_child && cg.norm() > 0.5 * s && cg.allFinite()) {
        Vec3 end = rodEnd(body, in.value, bob);
        if (!taken(end)) {
            // Mounting points on the way are part of the rod.
            std::erase_if(stations, [&](const Station& o) {
                double along = o.at.dot(end.normalized());
                return o.slim && along > 0 && along < end.norm() && (o.at - end.normalized() * along).norm() < 0.5 * s;
            });
            stations.insert(stations.begin(), {end, Vec3::Zero(), false});
        }
    }
    for (const Station& to : stations) addLink(in, index, depth, own, to, parts);

    auto add = [&](MeshPtr mesh, const Placement& place) {
        Part part;
        part.body = index;
        part.layer = Layer::skeleton;
        part.id = {ItemKind::body, index};
        part.mesh = std::move(mesh);
        part.place = place;
        parts.push_back(std::move(part));
    };
    if (bob) {
        double radius = std::clamp(0.16 * cg.norm(), 1.8 * s, 3 * s);
        add(sphereMesh(radius), movedTo(cg));
    } else if (ellipsoid && (stations.empty() || free)) {
        // The block of uniform density: edges are sqrt(12/5) of the ellipsoid's half axes, times two over two.
        Vec3 h = ellipsoid->half_axes;
        if (cg.norm() > h.minCoeff() && cg.norm() > s) addLink(in, index, depth, own, {cg, Vec3::Zero(), false}, parts);
        Vec3 edges = h * std::sqrt(12.0 / 5.0);
        double largest = std::min(edges.maxCoeff(), std::max(3 * in.measures.link, 6 * s));
        edges = (edges * (largest / edges.maxCoeff())).cwiseMax(0.8 * s);
        // Two equal principal inertias: a wheel or a rod rather than a block. Its radius is sqrt(2 I/m) = sqrt(4/5) of
        // the ellipsoid's, its length that of the block.
        int axis = -1;
        for (int i = 0; i < 3; ++i) {
            double a = h[(i + 1) % 3], b = h[(i + 2) % 3];
            if (std::abs(a - b) < 0.03 * a && std::abs(h[i] - a) > 0.1 * a) axis = i;
        }
        if (axis < 0) {
            add(boxMesh(edges, 0.25 * s), placed(ellipsoid->axes, cg));
        } else {
            double shrink = edges.maxCoeff() / (h.maxCoeff() * std::sqrt(12.0 / 5.0));
            double radius = std::max(std::sqrt(4.0 / 5.0) * h[(axis + 1) % 3] * std::min(shrink, 1.0), 0.8 * s);
            add(cylinderMesh(radius, edges[axis], 0.2 * s, 40), placed(frameWithZ(ellipsoid->axes.col(axis)), cg));
        }
    } else if (stations.empty() && body.joint.type != JointType::prismatic) {
        add(sphereMesh(1.9 * s), movedTo(cg.allFinite() ? cg : Vec3(Vec3::Zero())));
    }
}

void addInertiaParts(const PartsInput& in, int index, std::vector<Part>& parts) {
    const Body& body = in.model.bodies[static_cast<std::size_t>(index)];
    auto ellipsoid = inertiaEllipsoid(body, in.value);
    Vec3 cg = in.value(body.cg);
    if (!ellipsoid || !cg.allFinite()) return;
    Part part;
    part.body = index;
    part.layer = Layer::inertia;
    part.id = {ItemKind::body, index};
    part.mesh = ellipsoidMesh(ellipsoid->half_axes);
    part.place = placed(ellipsoid->axes, cg);
    part.shadow = false;
    parts.push_back(std::move(part));
}

}  // namespace mw::scene

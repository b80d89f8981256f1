// Few triangles for each: there are hundreds of shoes in a picture.
#include "app/scene/track_parts.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/scene/primitives.h"
#include "engine/model/layout.h"
#include "engine/model/start_pose.h"

namespace mw::scene {

namespace {

constexpr double kPi = std::numbers::pi;

/// Gathers flat pieces into one mesh.
class Pieces {
public:
    /// A block whose lower and upper faces may differ: x and y are half lengths about `centre`.
    void block(const Vec3& centre, const Vec2& below, const Vec2& above, double z0, double z1) {
        std::uint32_t at[8];
        for (int c = 0; c < 8; ++c) {
            const Vec2& half = c & 4 ? above : below;
            at[c] = point({centre.x() + (c & 1 ? half.x() : -half.x()), centre.y() + (c & 2 ? half.y() : -half.y()),
                           c & 4 ? z1 : z0});
        }
        quad(at[0], at[2], at[3], at[1]);
        quad(at[4], at[5], at[7], at[6]);
        quad(at[0], at[1], at[5], at[4]);
        quad(at[2], at[6], at[7], at[3]);
        quad(at[0], at[4], at[6], at[2]);
        quad(at[1], at[3], at[7], at[5]);
    }
    /// A prism about an axis along y.
    void rod(double x, double z, double radius, double y0, double y1, int sides, bool caps) {
        std::vector<std::uint32_t> near, far;
        for (int i = 0; i < sides; ++i) {
            const double a = 2 * kPi * (i + 0.5) / sides;
            near.push_back(point({x + radius * std::cos(a), y0, z + radius * std::sin(a)}));
            far.push_back(point({x + radius * std::cos(a), y1, z + radius * std::sin(a)}));
        }
        const auto n = static_cast<std::size_t>(sides);
        for (std::size_t i = 0; i < n; ++i) quad(near[i], far[i], far[(i + 1) % n], near[(i + 1) % n]);
        for (std::size_t i = 1; caps && i + 1 < n; ++i) {
            triangle(near[0], near[i], near[i + 1]);
            triangle(far[0], far[i + 1], far[i]);
        }
    }
    MeshPtr finish() { return finishMesh(std::move(mesh_)); }
    std::uint32_t point(const Vec3& p) {
        mesh_.positions.push_back(p.cast<float>());
        return static_cast<std::uint32_t>(mesh_.positions.size() - 1);
    }
    void triangle(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        mesh_.indices.insert(mesh_.indices.end(), {a, b, c});
    }
    void quad(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
        triangle(a, b, c);
        triangle(a, c, d);
    }

private:
    Mesh mesh_;
};

double pinRadius(const Track& t) { return std::clamp(0.42 * t.thickness, 0.05 * t.link, 0.11 * t.link); }

// Shares of a shoe's width
constexpr double kHorn = 0.07;                    // the guide horn's foot
constexpr double kWheelIn = 0.06, kWheel = 0.25;  // a wheel's half begins so far from the middle, and is so wide
constexpr double kTeethAt = 0.40, kTeeth = 0.05;
constexpr int kCorners = 18;  // of a wheel

}  // namespace

std::vector<int> bandOfBody(const Model& model) {
    std::vector<int> band(model.bodies.size(), -1);
    for (std::size_t t = 0; t < model.tracks.size(); ++t) {
        const Track& track = model.tracks[t];
        for (int i = 0; track.first_shoe >= 0 && i < track.shoes; ++i) {
            const auto b = static_cast<std::size_t>(track.first_shoe + i);
            if (b < band.size()) band[b] = static_cast<int>(t);
        }
    }
    return band;
}

bool closesBand(const Model& model, int loop) {
    return std::any_of(model.tracks.begin(), model.tracks.end(), [&](const Track& t) { return t.closure == loop; });
}

MeshPtr shoeSteelMesh(const Track& t) {
    const double l = t.link, w = t.pad_width, face = t.pad_z + t.thickness, pin = pinRadius(t);
    Pieces p;
    // The plate, with room for its neighbours to turn
    const Vec2 plate(0.42 * l, 0.5 * w);
    p.block({0.5 * l, 0, 0}, plate, plate, t.pad_z + 0.42 * t.thickness, face);
    // Its own pin with two eyes, and two lugs that take the next one's
    p.rod(0, 0, 0.62 * pin, -0.53 * w, 0.53 * w, 6, true);
    for (const double side : {-1.0, 1.0}) {
        const double a = side * 0.43 * w, b = side * 0.5 * w;
        p.rod(0, 0, pin, std::min(a, b), std::max(a, b), 6, true);
        p.block({0.5 * l, side * 0.388 * w, 0}, {0.5 * l, 0.033 * w}, {0.5 * l, 0.033 * w}, -pin, pin);
    }
    // The guide horn, between the halves of the wheels
    p.block({0.5 * l, 0, 0}, {0.24 * l, 0.5 * kHorn * w}, {0.10 * l, 0.3 * kHorn * w}, face, face + 0.42 * l);
    return p.finish();
}

MeshPtr shoePadMesh(const Track& t) {
    const double x = 0.5 * std::min(t.pad_length, 0.92 * t.link), y = 0.47 * t.pad_width;
    const double chamfer = std::min(0.3 * t.thickness, 0.3 * x);
    Pieces p;
    p.block({0.5 * t.link, 0, 0}, {x - chamfer, y - chamfer}, {x, y}, t.pad_z, t.pad_z + 0.42 * t.thickness);
    return p.finish();
}

MeshPtr toothedMesh(double radius, int teeth, double pin, double width) {
    const double pitch = 2 * kPi / std::max(teeth, 3), root = radius - 1.15 * pin, tip = radius + 0.08 * radius * pitch;
    Pieces p;
    std::vector<std::uint32_t> low, high;
    const std::uint32_t below = p.point({0, 0, -width / 2}), above = p.point({0, 0, width / 2});
    const double seat = std::min(0.22, 0.6 * pin / (radius * pitch));
    for (int i = 0; i < std::max(teeth, 3); ++i)
        for (const auto& [share, r] : {std::pair{-seat, root}, {seat, root}, {0.36, tip}, {0.64, tip}}) {
            const double a = (i + share) * pitch;
            low.push_back(p.point({r * std::cos(a), r * std::sin(a), -width / 2}));
            high.push_back(p.point({r * std::cos(a), r * std::sin(a), width / 2}));
        }
    for (std::size_t i = 0, n = low.size(); i < n; ++i) {
        const std::size_t j = (i + 1) % n;
        p.quad(low[i], low[j], high[j], high[i]);
        p.triangle(above, high[i], high[j]);
        p.triangle(below, low[j], low[i]);
    }
    return p.finish();
}

MeshPtr wheelDiscMesh(double radius, double width) {
    const double r = radius, w = width;
    return latheMesh({{0, 0},
                      {0.86 * r, 0},
                      {0.86 * r, 0.94 * w},
                      {0.79 * r, 0.94 * w},
                      {0.74 * r, 0.5 * w},
                      {0.36 * r, 0.62 * w},
                      {0.27 * r, 1.06 * w},
                      {0, 1.06 * w}},
                     kCorners);
}

MeshPtr wheelTyreMesh(double radius, double width) {
    const double r = radius, w = width;
    return latheMesh({{0.86 * r, 0}, {r, 0}, {r, w}, {0.86 * r, w}, {0.86 * r, 0}}, kCorners);
}

namespace {

/// Bolts on a wheel's web: a wheel that turns is seen to turn.
MeshPtr boltsMesh(double radius, double width) {
    Pieces p;
    constexpr int kBolts = 5;
    for (int i = 0; i < kBolts; ++i) {
        const double a = 2 * kPi * i / kBolts;
        const double s = 0.062 * radius;
        p.block({0.52 * radius * std::cos(a), 0.52 * radius * std::sin(a), 0}, {s, s}, {0.8 * s, 0.8 * s}, 0.5 * width,
                0.72 * width);
    }
    return p.finish();
}

void addRoller(const Track& track, const Track::Roller& roller, double y, bool shaped, std::vector<Part>& parts) {
    const double w = track.pad_width, pin = pinRadius(track);
    const auto add = [&](const MeshPtr& mesh, const Placement& place, Paint paint) {
        Part part;
        part.body = roller.body;
        part.mesh = mesh;
        part.place = place;
        part.layer = Layer::band;
        part.paint = paint;
        part.finish = Finish::metal;
        part.id = {ItemKind::body, roller.body};
        part.small = true;
        part.shadow = paint != Paint::joint_dark;
        parts.push_back(std::move(part));
    };
    // Axes of the meshes: z along the axle, to the left and to the right
    const Mat3 left = frameWithZ(Vec3::UnitY(), Vec3::UnitX()), right = frameWithZ(-Vec3::UnitY(), Vec3::UnitX());
    const auto on = [&](const Mat3& axes, double offset) { return placed(axes, {0, y + offset, 0}); };
    if (roller.driven && roller.teeth >= 3) {
        // A pocket lies at `phase` about +y from -z; that of the mesh about its z from x.
        Mat3 axes;
        const double a = roller.phase;
        axes.col(0) = Vec3(-std::sin(a), 0, -std::cos(a));
        axes.col(2) = Vec3::UnitY();
        axes.col(1) = axes.col(2).cross(axes.col(0));
        const MeshPtr ring = toothedMesh(roller.radius, roller.teeth, pin, kTeeth * w);
        for (const double side : {-1.0, 1.0}) add(ring, placed(axes, {0, y + side * kTeethAt * w, 0}), Paint::rail);
        const double drum = std::max(roller.radius - 3.2 * pin, 0.5 * roller.radius);
        add(cylinderMesh(0.72 * drum, 2 * kTeethAt * w, 0, 18), on(left, 0), Paint::joint_dark);
        const MeshPtr hub = wheelDiscMesh(0.62 * roller.radius, 0.3 * kWheel * w),
                      bolts = boltsMesh(0.8 * roller.radius, 0.3 * kWheel * w);
        const double out = (kTeethAt + 0.5 * kTeeth) * w - 0.12 * kWheel * w;
        for (const auto& [frame, side] : {std::pair{left, 1.0}, std::pair{right, -1.0}}) {
            add(hub, on(frame, side * out), Paint::rail);
            add(bolts, on(frame, side * out), Paint::joint_dark);
        }
        return;
    }
    if (shaped) return;
    // What carries pins has them on its circle; what runs on the face has its circle on that.
    const double radius = roller.end ? roller.radius - 0.9 * pin : roller.radius;
    const MeshPtr disc = wheelDiscMesh(radius, kWheel * w), tyre = wheelTyreMesh(radius, kWheel * w),
                  bolts = boltsMesh(radius, kWheel * w);
    for (const auto& [frame, side] : {std::pair{left, 1.0}, std::pair{right, -1.0}}) {
        const Placement place = on(frame, side * kWheelIn * w);
        add(disc, place, Paint::tint);
        add(tyre, place, roller.end ? Paint::rail : Paint::rubber);
        add(bolts, place, Paint::joint_dark);
    }
    add(cylinderMesh(0.2 * radius, 2 * kWheelIn * w, 0, 12), on(left, 0), Paint::joint_dark);
}

}  // namespace

void addTrackParts(const PartsInput& in, const std::vector<bool>& shaped, std::vector<Part>& parts) {
    const Model& model = in.model;
    if (model.tracks.empty()) return;
    const std::vector<mw::Placement> start =
        bodyPlacements(model, startQ(model, layoutOf(model), in.value.param), in.value.param);
    for (std::size_t t = 0; t < model.tracks.size(); ++t) {
        const Track& track = model.tracks[t];
        if (track.first_shoe < 0 || !(track.link > 0) || !(track.pad_width > 0) || !(track.thickness > 0)) continue;
        const MeshPtr steel = shoeSteelMesh(track), pad = shoePadMesh(track);
        for (int i = 0; i < track.shoes; ++i)
            for (const bool rubber : {false, true}) {
                Part part;
                part.body = track.first_shoe + i;
                part.mesh = rubber ? pad : steel;
                part.layer = Layer::band;
                part.paint = rubber ? Paint::rubber : Paint::shoe;
                part.finish = rubber ? Finish::matt : Finish::metal;
                part.id = {ItemKind::body, part.body};
                part.track = static_cast<int>(t);
                part.small = true;
                part.shadow = !rubber;
                parts.push_back(std::move(part));
            }
        for (const Track::Roller& roller : track.rollers) {
            if (roller.body < 0 || static_cast<std::size_t>(roller.body) >= model.bodies.size()) continue;
            // Along the axle, from the roller's origin to the band's plane
            const mw::Placement& body = start[static_cast<std::size_t>(roller.body)];
            double y = track.lateral;
            Vector3d arm = body.position;
            if (track.root >= 0) {
                const mw::Placement& root = start[static_cast<std::size_t>(track.root)];
                for (std::size_t k = 0; k < 3; ++k) arm[k] -= root.position[k];
                arm = rotateBack(root.rotation, arm);
            }
            y -= arm[1];
            if (std::isfinite(y)) addRoller(track, roller, y, shaped[static_cast<std::size_t>(roller.body)], parts);
        }
    }
}

}  // namespace mw::scene

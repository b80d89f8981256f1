// Joints drawn as what they are, each piece fixed to the side it belongs to: pin, rail and carriage, sleeve, screw and
// nut, cross and yokes, plane and puck, ball and socket, and the brackets that hold the first ones to the world.
// Closures of loops are drawn with the same pieces; they differ only in where the second side has its frame.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/scene/body_parts.h"
#include "app/scene/primitives.h"

namespace mw::scene {

namespace {

constexpr double kPi = std::numbers::pi;

/// What one joint's pieces have in common.
class JointMaker {
public:
    /// `body`: parent, joint frame and joint; `child`: the body on the other side, with the joint's frame in it.
    JointMaker(const PartsInput& in, const Body& body, int child, const Placement& child_frame, const ItemId& id,
               bool base_is_drawn, const std::vector<Part>& solids, std::vector<Part>& parts)
        : in_(in),
          index_(child),
          id_(id),
          body_(body),
          base_is_drawn_(base_is_drawn),
          solids_(solids),
          parts_(parts),
          s_(in.measures.joint),
          frame_(jointFrame(body_, in.value)),
          other_(child_frame),
          axis_(vectorOf(body_.joint.axis)) {}

    void make();
    /// A bead on a wire: the point of the other side slides along the line and turns about it as it likes.
    void bead();

private:
    void add(int body, MeshPtr mesh, const Placement& place, Paint paint, Finish finish = Finish::metal) {
        Part part;
        part.body = body;
        part.mesh = std::move(mesh);
        part.place = place;
        part.layer = Layer::joint;
        part.paint = paint;
        part.id = id_;
        part.finish = finish;
        parts_.push_back(std::move(part));
    }
    /// In the parent: `local` is in the joint frame.
    void onParent(MeshPtr mesh, const Placement& local, Paint paint) {
        add(body_.parent, std::move(mesh), frame_ * local, paint);
    }
    void onChild(MeshPtr mesh, const Placement& local, Paint paint) {
        add(index_, std::move(mesh), other_ * local, paint);
    }

    double pinHalfLength() const;
    bool carriesShapes() const {
        return std::any_of(solids_.begin(), solids_.end(), [&](const Part& p) { return p.body == index_; });
    }
    void pin(double half);
    void bracket(const Vec3& axis, double thickness);
    void railRange(double& low, double& high) const;
    void prismatic();
    void cylindrical();
    void screw();
    void universal();
    void planar();
    void spherical();
    void weld();

    const PartsInput& in_;
    int index_;
    ItemId id_;
    const Body& body_;
    bool base_is_drawn_;
    const std::vector<Part>& solids_;
    std::vector<Part>& parts_;
    double s_;
    Placement frame_, other_;
    Vec3 axis_;
};

/// Half of what the pin has to go through: the farther crossing of its line with the solids that it starts in.
double JointMaker::pinHalfLength() const {
    double half = 0.9 * s_;
    auto through = [&](const Part& part, const Vec3& origin, const Vec3& axis) {
        Placement into = part.place.inverse();
        Vec3 o = into * origin, d = into.linear() * axis;
        if ((o - part.mesh->centre).norm() > part.mesh->radius + s_) return;
        for (double sign : {1.0, -1.0}) {
            // From outside inwards: where the line leaves the solid.
            double far = 2 * (part.mesh->radius + (o - part.mesh->centre).norm()) + s_;
            if (auto t = intersectRay(*part.mesh, o + d * (sign * far), d * -sign)) {
                double leaves = far - *t;
                if (leaves > 0 && leaves < 2.2 * s_) half = std::max(half, leaves);
            }
        }
    };
    for (const Part& part : solids_) {
        if (part.body == index_) through(part, other_.translation(), other_.linear() * axis_);
        else if (part.body == body_.parent) through(part, frame_.translation(), frame_.linear() * axis_);
    }
    return half;
}

void JointMaker::pin(double half) {
    Placement along = placed(frameWithZ(axis_), Vec3::Zero());
    onChild(cylinderMesh(s_, 2 * half + 0.24 * s_, 0.14 * s_), along, Paint::joint_light);
    onChild(cylinderMesh(0.56 * s_, 2 * half + 0.40 * s_, 0.08 * s_, 20), along, Paint::joint_dark);
}

/// What holds a joint to the world: a foot and a triangle up to a pin, or a round socle under an upright axis.
void JointMaker::bracket(const Vec3& axis_in_joint, double thickness) {
    if (body_.parent != kBase || base_is_drawn_) return;
    Vec3 origin = frame_.translation(), axis = frame_.linear() * axis_in_joint, up = in_.up;
    double upright = std::abs(axis.dot(up));
    auto onBase = [&](MeshPtr mesh, const Placement& place) {
        add(kBase, std::move(mesh), place, Paint::base, Finish::matt);
    };
    if (upright > 0.6) {
        double drop = 0.9 * s_;
        onBase(latheMesh({{0, -2.4 * s_},
                          {2.5 * s_, -2.4 * s_},
                          {2.5 * s_, -2.0 * s_},
                          {1.5 * s_, -1.55 * s_},
                          {1.3 * s_, -drop},
                          {0, -drop}}),
               placed(frameWithZ(up), origin));
        return;
    }
    Vec3 across = (axis - up * axis.dot(up)).normalized();
    Mat3 facing;  // x sideways, y up, z along the pin
    facing.col(1) = up;
    facing.col(2) = across;
    facing.col(0) = up.cross(across);
    std::vector<Vec2> outline{{-2.1 * s_, -3.9 * s_}, {2.1 * s_, -3.9 * s_}};
    for (int i = 0; i <= 8; ++i) {
        double a = kPi * (0.06 + 0.88 * i / 8);
        outline.emplace_back(1.2 * s_ * std::cos(a), 1.2 * s_ * std::sin(a));
    }
    onBase(plateMesh(outline, thickness, 0.12 * s_), placed(facing, origin));
    onBase(boxMesh({5.6 * s_, 0.55 * s_, std::max(2.2 * s_, 1.6 * thickness)}, 0.12 * s_),
           placed(facing, origin - up * (4.1 * s_)));
}

/// How far the joint slides: what the author says, else about a link's length, always with the start inside.
void JointMaker::railRange(double& low, double& high) const {
    double unit =
        body_.joint.type == JointType::screw ? in_.value(body_.joint.pitch) : 1;  // m per unit of the coordinate
    if (!std::isfinite(unit)) unit = 1;
    double start = body_.start.empty() ? 0 : unit * in_.value(body_.start.back());
    if (!std::isfinite(start)) start = 0;
    double room = 0.75 * in_.measures.link;
    low = start - room;
    high = start + room;
    auto take = [&](double a, double b) {
        a *= unit;
        b *= unit;
        if (a > b) std::swap(a, b);
        if (std::isfinite(a) && std::isfinite(b) && b > a && b - a < 20 * in_.measures.reach) low = a, high = b;
    };
    if (body_.limits) take(in_.value(body_.limits->lower), in_.value(body_.limits->upper));
    if (body_.slider) take(in_.value((*body_.slider)[0]), in_.value((*body_.slider)[1]));
    low = std::min(low, start) - 1.4 * s_;
    high = std::max(high, start) + 1.4 * s_;
}

void JointMaker::prismatic() {
    double low, high;
    railRange(low, high);
    Mat3 along = frameWithZ(axis_, frame_.linear().transpose() * in_.up);
    onParent(boxMesh({0.34 * s_, 0.9 * s_, high - low}, 0.08 * s_), placed(along, axis_ * ((low + high) / 2)),
             Paint::rail);
    for (double end : {low, high}) {
        onParent(boxMesh({0.9 * s_, 1.3 * s_, 0.3 * s_}, 0.06 * s_), placed(along, axis_ * end), Paint::base);
    }
    if (!carriesShapes() || id_.kind == ItemKind::loop) {
        add(index_, boxMesh({1.7 * s_, 2.3 * s_, 3.0 * s_}, 0.22 * s_), other_ * placed(along, Vec3::Zero()),
            Paint::tint, Finish::matt);
    }
}

void JointMaker::cylindrical() {
    double low, high;
    railRange(low, high);
    Mat3 along = frameWithZ(axis_);
    onParent(cylinderMesh(0.5 * s_, high - low, 0.08 * s_, 20), placed(along, axis_ * ((low + high) / 2)), Paint::rail);
    onChild(ringMesh(1.05 * s_, 0.5 * s_, 3.2 * s_, 0.12 * s_), placed(along, Vec3::Zero()), Paint::joint_light);
    for (double end : {-1.0, 1.0}) {
        onChild(ringMesh(1.2 * s_, 0.5 * s_, 0.35 * s_, 0.06 * s_), placed(along, axis_ * (end * 1.6 * s_)),
                Paint::joint_dark);
    }
    bracket(axis_, 0.5 * s_);
}

void JointMaker::screw() {
    double low, high, pitch = in_.value(body_.joint.pitch);
    railRange(low, high);
    double length = std::clamp(high - low, 3 * s_, 4 * in_.measures.reach);
    Placement middle = placed(frameWithZ(axis_), axis_ * ((low + high) / 2));
    // One turn of thread is one turn of the joint, unless that would be too fine or too coarse to see.
    double turn = std::clamp(std::abs(2 * kPi * pitch), 0.45 * s_, 2.5 * s_);
    onParent(cylinderMesh(0.52 * s_, length, 0.08 * s_, 20), middle, Paint::rail);
    onParent(threadMesh(0.54 * s_, 0.14 * s_, turn, length * 0.98), middle, Paint::joint_light);
    std::vector<Vec2> hexagon;
    for (int i = 0; i < 6; ++i)
        hexagon.emplace_back(1.5 * s_ * std::cos(i * kPi / 3), 1.5 * s_ * std::sin(i * kPi / 3));
    onChild(plateMesh(hexagon, 1.5 * s_, 0.14 * s_), placed(frameWithZ(axis_), Vec3::Zero()), Paint::joint_light);
    bracket(axis_, 0.5 * s_);
}

void JointMaker::universal() {
    Vec3 second = vectorOf(body_.joint.axis2);
    double arm = 1.25 * s_;
    auto cross = [&](const Vec3& axis) { return placed(frameWithZ(axis), Vec3::Zero()); };
    // The cross: its first arm lies in the parent's yoke, its second in the child's.
    onParent(cylinderMesh(0.36 * s_, 2 * arm + 0.5 * s_, 0.06 * s_, 16), cross(axis_), Paint::joint_dark);
    onChild(cylinderMesh(0.36 * s_, 2 * arm + 0.5 * s_, 0.06 * s_, 16), cross(second), Paint::joint_dark);
    onChild(sphereMesh(0.55 * s_, 18), Placement::Identity(), Paint::joint_light);
    // Half rings from one end of an arm round to the other
    auto yoke = [&](const Vec3& axis, const Vec3& toward) {
        std::vector<Vec3> path;
        for (int i = 0; i <= 14; ++i) {
            double a = kPi * i / 14;
            path.push_back(axis * (arm * std::cos(a)) + toward * (arm * std::sin(a)));
        }
        return tubeMesh(path, 0.3 * s_, 10);
    };
    Vec3 normal = axis_.cross(second);
    if (normal.norm() < 1e-6) return;
    normal.normalize();
    // The parent's yoke opens away from where the parent lies, the child's towards where the child lies.
    double side = body_.parent == kBase ? -(frame_.linear().transpose() * in_.up).dot(normal)
                                        : -(frame_.linear().transpose() * frame_.translation()).dot(normal);
    Vec3 parent_side = normal * (side < 0 ? -1 : 1);
    double child_side = in_.value(body_.cg).dot(normal);
    Vec3 child = normal * (std::abs(child_side) > 1e-9 ? (child_side < 0 ? -1 : 1) : (side < 0 ? 1 : -1));
    onParent(yoke(axis_, parent_side), Placement::Identity(), Paint::rail);
    onChild(yoke(second, child), Placement::Identity(), Paint::joint_light);
    bracket(axis_, 0.5 * s_);
}

void JointMaker::planar() {
    Vec3 n = axis_;
    double room = 1.1 * in_.measures.link;
    double x = 0, y = 0;
    if (body_.start.size() >= 2) x = in_.value(body_.start[0]), y = in_.value(body_.start[1]);
    room = std::clamp(std::max({room, std::abs(x) + 3 * s_, std::abs(y) + 3 * s_}), 4 * s_, 3 * in_.measures.reach);
    if (!base_is_drawn_ || body_.parent != kBase) {
        onParent(boxMesh({2 * room, 2 * room, 0.18 * s_}, 0.04 * s_), placed(frameWithZ(n), n * (-0.55 * s_)),
                 Paint::rail);
    }
    onChild(cylinderMesh(1.5 * s_, 0.7 * s_, 0.1 * s_), placed(frameWithZ(n), n * (-0.1 * s_)), Paint::joint_light);
    onChild(cylinderMesh(0.5 * s_, 1.1 * s_, 0.08 * s_, 20), placed(frameWithZ(n), n * 0.05 * s_), Paint::joint_dark);
}

void JointMaker::spherical() {
    // Vehicles have many closures, and small ones: fewer corners do.
    const int corners = id_.kind == ItemKind::loop ? 14 : 28, rings = id_.kind == ItemKind::loop ? 4 : 8;
    onChild(sphereMesh(1.05 * s_, corners), Placement::Identity(), Paint::joint_light);
    // The socket holds the ball from the parent's side and leaves the other half free.
    Vec3 toward = body_.parent == kBase ? Vec3(-in_.up) : Vec3(-frame_.translation());
    if (toward.norm() < 1e-9) toward = -in_.up;
    toward = frame_.linear().transpose() * toward.normalized();
    std::vector<Vec2> cup;
    double inner = 1.12 * s_, outer = 1.42 * s_, rim = 0.22;
    for (int i = 0; i <= rings; ++i) {  // outside, from the bottom up to the rim
        double a = kPi / 2 - (kPi / 2 + rim) * i / rings;
        cup.emplace_back(i == 0 ? 0 : outer * std::cos(a), -outer * std::sin(a));
    }
    for (int i = rings; i >= 0; --i) {  // and back along the inside
        double a = kPi / 2 - (kPi / 2 + rim) * i / rings;
        cup.emplace_back(i == 0 ? 0 : inner * std::cos(a), -inner * std::sin(a));
    }
    onParent(latheMesh(cup, corners), placed(frameWithZ(-toward), Vec3::Zero()), Paint::joint_dark);
    if (body_.parent != kBase || base_is_drawn_) return;
    add(kBase,
        latheMesh({{0, -4.1 * s_},
                   {2.4 * s_, -4.1 * s_},
                   {2.4 * s_, -3.7 * s_},
                   {1.1 * s_, -3.2 * s_},
                   {0.75 * s_, -1.2 * s_},
                   {0, -1.2 * s_}}),
        placed(frameWithZ(in_.up), frame_.translation()), Paint::base, Finish::matt);
}

void JointMaker::bead() {
    if (!frame_.matrix().allFinite() || !axis_.allFinite()) return;
    double low, high;
    railRange(low, high);
    Mat3 along = frameWithZ(axis_);
    onParent(cylinderMesh(0.3 * s_, high - low, 0.05 * s_, 18), placed(along, axis_ * ((low + high) / 2)), Paint::rail);
    for (double end : {low, high})
        onParent(cylinderMesh(0.62 * s_, 0.3 * s_, 0.06 * s_, 20), placed(along, axis_ * end), Paint::base);
    onChild(sphereMesh(0.95 * s_), Placement::Identity(), Paint::joint_light);
}

void JointMaker::weld() {
    onParent(boxMesh(Vec3::Constant(1.3 * s_), 0.15 * s_), Placement::Identity(), Paint::joint_dark);
}

void JointMaker::make() {
    if (!frame_.matrix().allFinite() || !axis_.allFinite()) return;
    switch (body_.joint.type) {
        case JointType::fixed: return weld();
        case JointType::revolute: pin(pinHalfLength()); return bracket(axis_, 0.5 * s_);
        case JointType::prismatic: return prismatic();
        case JointType::cylindrical: return cylindrical();
        case JointType::screw: return screw();
        case JointType::universal: return universal();
        case JointType::planar: return planar();
        case JointType::spherical: return spherical();
        case JointType::floating: return;  // nothing holds it: a sign of lines marks its frame
    }
}

}  // namespace

void addJointParts(const PartsInput& in, int body, bool base_is_drawn, const std::vector<Part>& solids,
                   std::vector<Part>& parts) {
    JointMaker(in, in.model.bodies[static_cast<std::size_t>(body)], body, Placement::Identity(),
               {ItemKind::joint, body}, base_is_drawn, solids, parts)
        .make();
}

void addLoopParts(const PartsInput& in, int index, const LoopSetting& setting, bool base_is_drawn,
                  const std::vector<Part>& solids, std::vector<Part>& parts) {
    const Loop& loop = in.model.loops[static_cast<std::size_t>(index)];
    if (loop.type == LoopType::distance) return;  // a rod between two points that move: drawn picture by picture
    const LoopFrame *near = &loop.from, *far = &loop.to;
    const bool sliding = loop.type == LoopType::prismatic || (loop.type == LoopType::point_on_line && setting.slides);
    // What turns alone looks the same from both sides: the world holds it where it takes part.
    if (!sliding && loop.type != LoopType::cylindrical && far->body == kBase) std::swap(near, far);
    Body carrier;
    carrier.name = loop.name;
    carrier.parent = near->body;
    carrier.at = near->at;
    carrier.rot = near->rot;
    carrier.joint.axis = loop.axis;
    carrier.start = {Number(setting.along)};
    switch (loop.type) {
        case LoopType::prismatic: carrier.joint.type = JointType::prismatic; break;
        case LoopType::cylindrical: carrier.joint.type = JointType::cylindrical; break;
        case LoopType::spherical: carrier.joint.type = JointType::spherical; break;
        default: carrier.joint.type = JointType::revolute; break;
    }
    const Placement other = placed(rotationOf(in.value(far->rot)), in.value(far->at));
    if (!other.matrix().allFinite()) return;
    JointMaker maker(in, carrier, far->body, other, {ItemKind::loop, index}, base_is_drawn, solids, parts);
    if (sliding && loop.type == LoopType::point_on_line) maker.bead();
    else maker.make();
}

}  // namespace mw::scene

// The mechanism in Simbody: mobilised bodies for the tree, exact constraints for the loops, one force element that asks
// Simbody for every position and speed at every evaluation.
//
// Simbody's joints have native axes (a pin turns about z, a slider moves along x, a universal joint turns about x, then
// y), so each joint's two frames are turned by one and the same fixed rotation that brings the native axis to ours.
// Ball and free joints have their speeds in the axes of the outer frame, ours are in the body's.
// Joint armature has no counterpart: each armature is a rotor of that inertia on the ground, its speed coupled to the
// joint's by a constraint. That adds exactly the armature to the joint's inertia and nothing else.
#include "tests/crosscheck/twin.h"

#ifdef MW_HAVE_SIMBODY

// Simbody 3.7 compares its index types by conversions that are ambiguous since C++20 lets comparisons be turned round.
// An exact match, declared before its headers, settles it.
namespace SimTK {
template <class Index>
requires requires(const Index& index) { index.isValidExtended(); }
bool operator==(const Index& a, const Index& b) { return static_cast<int>(a) == static_cast<int>(b); }
}  // namespace SimTK

#include <Simbody.h>
#include <fmt/format.h>

#include "engine/model/layout.h"
#include "tests/crosscheck/laws.h"

namespace mw::cross {

namespace S = SimTK;

namespace {

S::Vec3 vec(const Vector3d& x) { return {x[0], x[1], x[2]}; }
S::Vec3 vec(const Number3& x, std::span<const double> param) {
    return {x[0].at(param), x[1].at(param), x[2].at(param)};
}

/// Yaw about z, then pitch about the new y, then roll about the newest x.
S::Rotation attitude(const Number3& rot, std::span<const double> param) {
    return {S::BodyRotationSequence, rot[2].at(param), S::ZAxis, rot[1].at(param), S::YAxis,
            rot[0].at(param),        S::XAxis};
}

/// Brings a joint's native axes to the model's.
S::Rotation native(const Joint& joint) {
    const S::UnitVec3 axis(vec(joint.axis));
    switch (joint.type) {
        case JointType::prismatic: return {axis, S::XAxis};
        case JointType::universal: return {axis, S::XAxis, vec(joint.axis2), S::YAxis};
        case JointType::planar:
            // The plane's first direction follows the normal in the circle x y z.
            for (int k = 0; k < 3; ++k)
                if (joint.axis[static_cast<std::size_t>(k)] != 0) {
                    S::Vec3 first(0);
                    first[(k + 1) % 3] = 1;
                    return {axis, S::ZAxis, first, S::XAxis};
                }
            return {};
        case JointType::revolute:
        case JointType::cylindrical:
        case JointType::screw: return {axis, S::ZAxis};
        default: return {};
    }
}

/// Which of the mobiliser's coordinates (and speeds) is our k-th, where they are the same numbers.
int slot(JointType type, int k) { return type == JointType::planar ? (k + 1) % 3 : k; }

/// What Simbody says when it throws is a page of places in its own code; the sentence is in the midst of it.
std::string refusal(std::string words) {
    const std::size_t start = words.find("Error detected");
    if (start != std::string::npos) words.erase(0, start);
    for (char& c : words)
        if (c == '\n') c = ' ';
    const std::size_t method = words.find("(): ");
    if (method != std::string::npos) words.erase(0, method + 4);
    const std::size_t condition = words.find("  (Required");
    if (condition != std::string::npos) words.erase(condition);
    return "Simbody refuses it: " + words;
}

bool turnsFreely(JointType type) { return type == JointType::spherical || type == JointType::floating; }

}  // namespace

struct SimbodyTwin::Inside {
    Model model;
    Layout layout;
    std::vector<double> param;
    Forces forces;

    S::MultibodySystem system;
    S::SimbodyMatterSubsystem matter{system};
    S::GeneralForceSubsystem force{system};
    std::vector<S::MobilizedBodyIndex> body_of;  ///< by body of the model
    std::vector<std::vector<S::ConstraintIndex>> loop_of;
    struct Rotor {
        S::MobilizedBodyIndex rotor, joint;
        int speed = 0;
    };
    std::vector<Rotor> rotors;
    S::State state;

    class Laws;

    Inside(const Model& m, std::span<const double> p) : model(m), layout(layoutOf(m)), param(p.begin(), p.end()) {}

    S::MobilizedBody& body(int index) {
        return matter.updMobilizedBody(index == kBase ? S::GroundIndex : body_of[static_cast<std::size_t>(index)]);
    }
    const S::MobilizedBody& body(int index) const {
        return matter.getMobilizedBody(index == kBase ? S::GroundIndex : body_of[static_cast<std::size_t>(index)]);
    }

    S::Body::Rigid matterOf(const Body& b) const;
    void addBody(int index);
    void addRotors(int index);
    void addLoop(const Loop& loop);

    /// Our coordinate and speed of a joint, from Simbody's state.
    double coordinate(const S::State& s, int index, int k) const {
        return body(index).getOneQ(s, slot(model.bodies[static_cast<std::size_t>(index)].joint.type, k));
    }
    double speed(const S::State& s, int index, int k) const;
    /// A joint's forces as we count them, added to Simbody's.
    void push(const S::State& s, int index, const double* ours, S::Vector& mobility) const;
};

/// Everything that acts, gravity left aside.
class SimbodyTwin::Inside::Laws : public S::Force::Custom::Implementation {
public:
    explicit Laws(const Inside& inside) : in_(inside) {}

    void calcForce(const S::State& s, S::Vector_<S::SpatialVec>& on_bodies, S::Vector_<S::Vec3>&,
                   S::Vector& on_joints) const override {
        const Model& model = in_.model;
        const auto act = [&](int slot) { return slot < 0 ? 0.0 : in_.forces.act[static_cast<std::size_t>(slot)]; };
        for (std::size_t i = 0; i < model.tsdas.size(); ++i) {
            const Tsda& tsda = model.tsdas[i];
            const S::MobilizedBody &from = in_.body(tsda.from.body), &to = in_.body(tsda.to.body);
            const S::Vec3 a = vec(tsda.from.at, in_.param), b = vec(tsda.to.at, in_.param);
            S::Vec3 pa, va, pb, vb;
            from.findStationLocationAndVelocityInGround(s, a, pa, va);
            to.findStationLocationAndVelocityInGround(s, b, pb, vb);
            const double length = (pb - pa).norm();
            if (length == 0) continue;
            const S::Vec3 along = (pb - pa) / length;
            const double pull =
                tension(tsda, in_.param, length, S::dot(along, vb - va), act(in_.layout.act_of_tsda[i]));
            from.applyForceToBodyPoint(s, a, pull * along, on_bodies);
            to.applyForceToBodyPoint(s, b, -pull * along, on_bodies);
        }
        std::vector<double> joint(static_cast<std::size_t>(in_.layout.nv), 0.0);
        for (std::size_t b = 0; b < model.bodies.size(); ++b) {
            const int index = static_cast<int>(b);
            double* own = joint.data() + in_.layout.v_of_body[b];
            for (int k = 0; k < jointNv(model.bodies[b].joint.type); ++k)
                own[k] = in_.forces.tau[static_cast<std::size_t>(in_.layout.v_of_body[b] + k)] -
                         model.bodies[b].joint_damping.at(in_.param) * in_.speed(s, index, k);
        }
        for (std::size_t i = 0; i < model.rsdas.size(); ++i) {
            const Rsda& rsda = model.rsdas[i];
            joint[static_cast<std::size_t>(in_.layout.v_of_body[static_cast<std::size_t>(rsda.body)])] +=
                jointForce(rsda, in_.param, in_.coordinate(s, rsda.body, 0), in_.speed(s, rsda.body, 0),
                           act(in_.layout.act_of_rsda[i]));
        }
        if (in_.forces.drives)
            for (const Drive& drive : model.drives) {
                const bool free = turnsFreely(model.bodies[static_cast<std::size_t>(drive.body)].joint.type);
                const double q = free ? 0 : in_.coordinate(s, drive.body, drive.coordinate);
                joint[static_cast<std::size_t>(in_.layout.v_of_body[static_cast<std::size_t>(drive.body)] +
                                               drive.coordinate)] +=
                    driveForce(drive, in_.param, s.getTime(), q, in_.speed(s, drive.body, drive.coordinate));
            }
        for (std::size_t b = 0; b < model.bodies.size(); ++b) {
            const S::MobilizedBody& body = in_.body(static_cast<int>(b));
            in_.push(s, static_cast<int>(b), joint.data() + in_.layout.v_of_body[b], on_joints);
            if (model.bodies[b].fext) {
                const double* w = in_.forces.fext.data() + 6 * b;
                const S::Vec3 moment(w[0], w[1], w[2]), force(w[3], w[4], w[5]);
                body.applyBodyTorque(s, moment - body.getBodyOriginLocation(s) % force, on_bodies);
                body.applyForceToBodyPoint(s, S::Vec3(0), force, on_bodies);
            }
            // A rotor on a free joint's translation resists the change of the speed in ground axes; the armature of the
            // language resists that of the component in body axes.
            const double armature = model.bodies[b].joint_armature.at(in_.param);
            if (armature != 0 && model.bodies[b].joint.type == JointType::floating) {
                const S::Vec3 extra = armature * (body.getBodyAngularVelocity(s) % body.getBodyOriginVelocity(s));
                for (int k = 0; k < 3; ++k) body.applyOneMobilityForce(s, 3 + k, extra[k], on_joints);
            }
        }
    }
    S::Real calcPotentialEnergy(const S::State&) const override { return 0; }

private:
    const Inside& in_;
};

double SimbodyTwin::Inside::speed(const S::State& s, int index, int k) const {
    const S::MobilizedBody& b = body(index);
    const JointType type = model.bodies[static_cast<std::size_t>(index)].joint.type;
    if (!turnsFreely(type)) return b.getOneU(s, slot(type, k));
    const int first = k < 3 ? 0 : 3;
    const S::Vec3 outer(b.getOneU(s, first), b.getOneU(s, first + 1), b.getOneU(s, first + 2));
    return (~b.getMobilizerTransform(s).R() * outer)[k % 3];
}

void SimbodyTwin::Inside::push(const S::State& s, int index, const double* ours, S::Vector& mobility) const {
    const S::MobilizedBody& b = body(index);
    const JointType type = model.bodies[static_cast<std::size_t>(index)].joint.type;
    if (!turnsFreely(type)) {
        for (int k = 0; k < jointNv(type); ++k) b.applyOneMobilityForce(s, slot(type, k), ours[k], mobility);
        return;
    }
    for (int first = 0; first < jointNv(type); first += 3) {
        const S::Vec3 outer = b.getMobilizerTransform(s).R() * S::Vec3(ours[first], ours[first + 1], ours[first + 2]);
        for (int k = 0; k < 3; ++k) b.applyOneMobilityForce(s, first + k, outer[k], mobility);
    }
}

S::Body::Rigid SimbodyTwin::Inside::matterOf(const Body& b) const {
    const double mass = b.mass.at(param);
    std::array<double, 6> I{};
    bool any = false;
    for (std::size_t k = 0; k < 6; ++k) any = (I[k] = b.inertia[k].at(param)) != 0 || any;
    if (mass == 0) {
        if (any) throw Unsuitable(fmt::format("body '{}' has inertia without mass, which Simbody cannot hold", b.name));
        return S::Body::Rigid(S::MassProperties(0, S::Vec3(0), S::Inertia(0, 0, 0)));
    }
    const S::Vec3 centre = vec(b.cg, param);
    const S::Inertia about_centre(S::Vec3(I[0], I[1], I[2]), S::Vec3(I[3], I[4], I[5]));
    return S::Body::Rigid(S::MassProperties(mass, centre, about_centre.shiftFromMassCenter(centre, mass)));
}

void SimbodyTwin::Inside::addBody(int index) {
    const Body& b = model.bodies[static_cast<std::size_t>(index)];
    S::MobilizedBody& parent = body(b.parent);
    const S::Rotation turn = native(b.joint);
    const S::Transform outer(attitude(b.rot, param) * turn, vec(b.at, param)), inner(turn, S::Vec3(0));
    const S::Body::Rigid rigid = matterOf(b);
    S::MobilizedBody made;
    switch (b.joint.type) {
        case JointType::fixed: made = S::MobilizedBody::Weld(parent, outer, rigid, inner); break;
        case JointType::revolute: made = S::MobilizedBody::Pin(parent, outer, rigid, inner); break;
        case JointType::prismatic: made = S::MobilizedBody::Slider(parent, outer, rigid, inner); break;
        case JointType::cylindrical: made = S::MobilizedBody::Cylinder(parent, outer, rigid, inner); break;
        case JointType::screw:
            made = S::MobilizedBody::Screw(parent, outer, rigid, inner, b.joint.pitch.at(param));
            break;
        case JointType::universal: made = S::MobilizedBody::Universal(parent, outer, rigid, inner); break;
        case JointType::planar: made = S::MobilizedBody::Planar(parent, outer, rigid, inner); break;
        case JointType::spherical: made = S::MobilizedBody::Ball(parent, outer, rigid, inner); break;
        case JointType::floating: made = S::MobilizedBody::Free(parent, outer, rigid, inner); break;
    }
    body_of[static_cast<std::size_t>(index)] = made.getMobilizedBodyIndex();
}

void SimbodyTwin::Inside::addRotors(int index) {
    const Body& b = model.bodies[static_cast<std::size_t>(index)];
    const double armature = b.joint_armature.at(param);
    if (armature == 0) return;
    for (int k = 0; k < jointNv(b.joint.type); ++k) {
        const S::Body::Rigid disc(S::MassProperties(armature, S::Vec3(0), S::Inertia(armature, armature, armature)));
        const S::MobilizedBody::Pin rotor(matter.updGround(), S::Transform(), disc, S::Transform());
        const int of_joint = slot(b.joint.type, k);
        S::Vector difference(3, 0.0);
        difference[0] = 1, difference[1] = -1;
        S::Constraint::SpeedCoupler(
            matter, new S::Function::Linear(difference),
            std::vector<S::MobilizedBodyIndex>{rotor.getMobilizedBodyIndex(), body_of[static_cast<std::size_t>(index)]},
            std::vector<S::MobilizerUIndex>{S::MobilizerUIndex(0), S::MobilizerUIndex(of_joint)});
        rotors.push_back({rotor.getMobilizedBodyIndex(), body_of[static_cast<std::size_t>(index)], of_joint});
    }
}

void SimbodyTwin::Inside::addLoop(const Loop& loop) {
    S::MobilizedBody &from = body(loop.from.body), &to = body(loop.to.body);
    const S::Rotation from_frame = attitude(loop.from.rot, param), to_frame = attitude(loop.to.rot, param);
    const S::Vec3 a = vec(loop.from.at, param), b = vec(loop.to.at, param);
    const S::UnitVec3 axis(from_frame * vec(loop.axis)), carried(to_frame * vec(loop.axis));
    const S::UnitVec3 across(axis.perp()), third(axis % across);
    std::vector<S::ConstraintIndex> parts;
    const auto keep = [&](const S::Constraint& part) { parts.push_back(part.getConstraintIndex()); };
    const auto parallel = [&] {
        keep(S::Constraint::ConstantAngle(from, across, to, carried));
        keep(S::Constraint::ConstantAngle(from, third, to, carried));
    };
    switch (loop.type) {
        case LoopType::revolute:
            parallel();
            keep(S::Constraint::Ball(from, a, to, b));
            break;
        case LoopType::prismatic:
            keep(S::Constraint::ConstantOrientation(from, from_frame, to, to_frame));
            keep(S::Constraint::PointOnLine(from, axis, a, to, b));
            break;
        case LoopType::cylindrical:
            parallel();
            keep(S::Constraint::PointOnLine(from, axis, a, to, b));
            break;
        case LoopType::spherical: keep(S::Constraint::Ball(from, a, to, b)); break;
        case LoopType::point_on_line: keep(S::Constraint::PointOnLine(from, axis, a, to, b)); break;
        case LoopType::distance: keep(S::Constraint::Rod(from, a, to, b, loop.length.at(param))); break;
    }
    loop_of.push_back(std::move(parts));
}

SimbodyTwin::SimbodyTwin(const Model& model, std::span<const double> param)
    : inside_(std::make_unique<Inside>(model, param)) {
    Inside& in = *inside_;
    in.forces.tau.resize(static_cast<std::size_t>(in.layout.nv));
    in.forces.fext.resize(6 * model.bodies.size());
    in.forces.act.resize(static_cast<std::size_t>(in.layout.nact));
    try {
        S::Force::UniformGravity(in.force, in.matter, vec(model.gravity, param));
        S::Force::Custom(in.force, new Inside::Laws(in));
        in.body_of.resize(model.bodies.size());
        const std::vector<int> order = model.order();
        for (const int index : order) in.addBody(index);
        for (const int index : order) in.addRotors(index);
        for (const Loop& loop : model.loops) in.addLoop(loop);
        in.system.setUseUniformBackground(true);
        in.state = in.system.realizeTopology();
        in.system.realizeModel(in.state);
    } catch (const S::Exception::Base& fault) {
        throw Unsuitable(refusal(fault.what()));
    }
}

SimbodyTwin::~SimbodyTwin() = default;
SimbodyTwin::SimbodyTwin(SimbodyTwin&&) noexcept = default;
SimbodyTwin& SimbodyTwin::operator=(SimbodyTwin&&) noexcept = default;

void SimbodyTwin::place(std::span<const double> q, std::span<const double> v, const Forces& forces, double t) {
    Inside& in = *inside_;
    in.forces = forces;
    in.state.updTime() = t;
    for (std::size_t i = 0; i < in.model.bodies.size(); ++i) {
        const S::MobilizedBody& b = in.body(static_cast<int>(i));
        const JointType type = in.model.bodies[i].joint.type;
        const double* qi = q.data() + in.layout.q_of_body[i];
        const double* vi = v.data() + in.layout.v_of_body[i];
        if (!turnsFreely(type)) {
            for (int k = 0; k < jointNv(type); ++k) {
                b.setOneQ(in.state, slot(type, k), qi[k]);
                b.setOneU(in.state, slot(type, k), vi[k]);
            }
            continue;
        }
        const S::Rotation R(S::Quaternion(qi[0], qi[1], qi[2], qi[3]));
        b.setQToFitRotation(in.state, R);
        const S::Vec3 turning = R * S::Vec3(vi[0], vi[1], vi[2]);
        for (int k = 0; k < 3; ++k) b.setOneU(in.state, k, turning[k]);
        if (type == JointType::floating) {
            b.setQToFitTranslation(in.state, S::Vec3(qi[4], qi[5], qi[6]));
            const S::Vec3 moving = R * S::Vec3(vi[3], vi[4], vi[5]);
            for (int k = 0; k < 3; ++k) b.setOneU(in.state, 3 + k, moving[k]);
        }
    }
    for (const Inside::Rotor& rotor : in.rotors)
        in.matter.getMobilizedBody(rotor.rotor)
            .setOneU(in.state, 0, in.matter.getMobilizedBody(rotor.joint).getOneU(in.state, rotor.speed));
}

Poses SimbodyTwin::poses() const {
    const Inside& in = *inside_;
    in.system.realize(in.state, S::Stage::Velocity);
    Poses poses;
    for (std::size_t i = 0; i < in.model.bodies.size(); ++i) {
        const S::MobilizedBody& b = in.body(static_cast<int>(i));
        const S::Transform& X = b.getBodyTransform(in.state);
        const S::SpatialVec& V = b.getBodyVelocity(in.state);
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c) poses.X.push_back(X.R()[r][c]);
        for (int k = 0; k < 3; ++k) poses.X.push_back(X.p()[k]);
        for (int part = 0; part < 2; ++part)
            for (int k = 0; k < 3; ++k) poses.V.push_back(V[part][k]);
    }
    return poses;
}

std::vector<double> SimbodyTwin::acceleration() {
    Inside& in = *inside_;
    in.system.realize(in.state, S::Stage::Acceleration);
    std::vector<double> vdot(static_cast<std::size_t>(in.layout.nv));
    for (std::size_t i = 0; i < in.model.bodies.size(); ++i) {
        const S::MobilizedBody& b = in.body(static_cast<int>(i));
        const JointType type = in.model.bodies[i].joint.type;
        double* out = vdot.data() + in.layout.v_of_body[i];
        if (!turnsFreely(type)) {
            for (int k = 0; k < jointNv(type); ++k) out[k] = b.getOneUDot(in.state, slot(type, k));
            continue;
        }
        // d/dt (R' u) = R' (du/dt - w x u); for u = w the product vanishes.
        const S::Rotation& R = b.getMobilizerTransform(in.state).R();
        S::Vec3 w, u, udot;
        for (int first = 0; first < jointNv(type); first += 3) {
            for (int k = 0; k < 3; ++k) {
                w[k] = b.getOneU(in.state, k);
                u[k] = b.getOneU(in.state, first + k);
                udot[k] = b.getOneUDot(in.state, first + k);
            }
            const S::Vec3 ours = ~R * (udot - w % u);
            for (int k = 0; k < 3; ++k) out[first + k] = ours[k];
        }
    }
    return vdot;
}

std::vector<Wrench> SimbodyTwin::wrenches() {
    Inside& in = *inside_;
    in.system.realize(in.state, S::Stage::Acceleration);
    std::vector<Wrench> all;
    for (std::size_t i = 0; i < in.model.loops.size(); ++i) {
        const S::MobilizedBody& successor = in.body(in.model.loops[i].to.body);
        S::SpatialVec sum(S::Vec3(0), S::Vec3(0));
        for (const S::ConstraintIndex index : in.loop_of[i]) {
            const S::Constraint& part = in.matter.getConstraint(index);
            // Simbody keeps constraint forces on the side of the accelerations: theirs is the opposite sign.
            const S::Vector_<S::SpatialVec> on = part.getConstrainedBodyForcesAsVector(in.state);
            for (S::ConstrainedBodyIndex k(0); k < part.getNumConstrainedBodies(); ++k)
                if (part.getMobilizedBodyFromConstrainedBody(k).getMobilizedBodyIndex() ==
                    successor.getMobilizedBodyIndex())
                    sum -= on[k];
        }
        // Simbody's wrench is about the body's origin.
        const S::Vec3 arm = successor.getBodyTransform(in.state).R() * vec(in.model.loops[i].to.at, in.param);
        const S::Vec3 moment = sum[0] - arm % sum[1];
        all.push_back({moment[0], moment[1], moment[2], sum[1][0], sum[1][1], sum[1][2]});
    }
    return all;
}

void SimbodyTwin::run(double time, double accuracy) {
    Inside& in = *inside_;
    S::RungeKuttaMersonIntegrator integrator(in.system);
    integrator.setAccuracy(accuracy);
    integrator.setConstraintTolerance(accuracy);
    integrator.setProjectEveryStep(true);
    const double end = in.state.getTime() + time;
    integrator.initialize(in.state);
    while (integrator.getTime() < end) integrator.stepTo(end, end);
    in.state = integrator.getState();
}

bool SimbodyTwin::built() { return true; }
std::string SimbodyTwin::version() {
    int major = 0, minor = 0, patch = 0;
    SimTK_version_simbody(&major, &minor, &patch);
    return fmt::format("{}.{}.{}", major, minor, patch);
}

}  // namespace mw::cross

#else

namespace mw::cross {

struct SimbodyTwin::Inside {};
SimbodyTwin::SimbodyTwin(const Model&, std::span<const double>) { throw Unsuitable("built without Simbody"); }
SimbodyTwin::~SimbodyTwin() = default;
SimbodyTwin::SimbodyTwin(SimbodyTwin&&) noexcept = default;
SimbodyTwin& SimbodyTwin::operator=(SimbodyTwin&&) noexcept = default;
void SimbodyTwin::place(std::span<const double>, std::span<const double>, const Forces&, double) {}
Poses SimbodyTwin::poses() const { return {}; }
std::vector<double> SimbodyTwin::acceleration() { return {}; }
std::vector<Wrench> SimbodyTwin::wrenches() { return {}; }
void SimbodyTwin::run(double, double) {}
bool SimbodyTwin::built() { return false; }
std::string SimbodyTwin::version() { return {}; }

}  // namespace mw::cross

#endif

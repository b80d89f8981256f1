// Compiles a Model's tree.
#include "engine/dynamics/topology.h"

#include "engine/model/loop_rows.h"

namespace mw {

namespace {

Vector3 toVector(const Vector3d& a) { return {a[0], a[1], a[2]}; }

bool anyLive(std::initializer_list<const Number*> numbers) {
    for (const Number* n : numbers)
        if (n->isLive()) return true;
    return false;
}

bool isLiveBody(const Body& b) {
    bool live = anyLive({&b.mass, &b.joint.pitch, &b.joint_damping, &b.joint_armature});
    for (int k = 0; k < 3; k++) live = live || b.at[k].isLive() || b.rot[k].isLive() || b.cg[k].isLive();
    for (const Number& n : b.inertia) live = live || n.isLive();
    return live;
}

}  // namespace

void planeDirections(const Vector3& normal, Vector3& first, Vector3& second) {
    const auto [a, b] = directionsAcross({normal.x(), normal.y(), normal.z()});
    first = toVector(a);
    second = toVector(b);
}

Topology::Topology(const Model& model) : model_(model), layout_(layoutOf(model)), order_(model.order()) {
    bodies_.resize(model.bodies.size());
    for (std::size_t i = 0; i < bodies_.size(); i++) {
        const Body& from = model.bodies[i];
        TreeBody& to = bodies_[i];
        to.parent = from.parent;
        to.type = from.joint.type;
        to.axis = toVector(from.joint.axis);
        to.axis2 = toVector(from.joint.axis2);
        planeDirections(to.axis, to.plane1, to.plane2);
        to.q = layout_.q_of_body[i];
        to.nq = jointNq(to.type);
        to.v = layout_.v_of_body[i];
        to.nv = jointNv(to.type);
        to.fext = from.fext;
        live_ = live_ || isLiveBody(from);
    }
    live_ = live_ || anyLive({&model.gravity[0], &model.gravity[1], &model.gravity[2]});
    const std::vector<double> param = model.liveValues();
    for (int i = 0; i < static_cast<int>(bodies_.size()); i++) declared_.push_back(numbersOf(i, param));
}

BodyNumbers Topology::numbersOf(int body, std::span<const double> param) const {
    const Body& b = model_.bodies[body];
    BodyNumbers n;
    n.R_tree = rotationRollPitchYaw(b.rot[0].at(param), b.rot[1].at(param), b.rot[2].at(param));
    n.p_tree = vectorAt(b.at, param);
    // Ixx Iyy Izz Ixy Ixz Iyz
    std::array<double, 6> e;
    for (int k = 0; k < 6; k++) e[k] = b.inertia[k].at(param);
    Matrix3 I_c;
    I_c << e[0], e[3], e[4], e[3], e[1], e[5], e[4], e[5], e[2];
    n.inertia = spatialInertia(b.mass.at(param), vectorAt(b.cg, param), I_c);
    n.pitch = b.joint.pitch.at(param);
    n.damping = b.joint_damping.at(param);
    n.armature = b.joint_armature.at(param);
    return n;
}

Vector3 Topology::gravity(std::span<const double> param) const { return vectorAt(model_.gravity, param); }

}  // namespace mw

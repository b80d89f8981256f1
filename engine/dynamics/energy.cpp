// Sums over bodies, elements and joints.
#include "engine/dynamics/energy.h"

#include "engine/dynamics/elements.h"

namespace mw {

namespace {

/// A body's mass quantities at its pose, base axes.
struct BodyInMotion {
    double mass;
    Vector3 centre, velocity;  ///< of the centre of mass
    Vector3 w;                 ///< angular velocity
    Matrix3 I_c;               ///< about the centre of mass
};

BodyInMotion bodyInMotion(const Body& body, std::span<const double> param, const double* X, const double* V) {
    BodyInMotion m;
    const Matrix3 R = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(X);
    const Vector3 p(X[9], X[10], X[11]);
    const Vector3 arm = R * vectorAt(body.cg, param);
    std::array<double, 6> e;
    for (int k = 0; k < 6; k++) e[k] = body.inertia[k].at(param);
    Matrix3 I;
    I << e[0], e[3], e[4], e[3], e[1], e[5], e[4], e[5], e[2];
    m.mass = body.mass.at(param);
    m.w = Vector3(V[0], V[1], V[2]);
    m.centre = p + arm;
    m.velocity = Vector3(V[3], V[4], V[5]) + m.w.cross(arm);
    m.I_c = R * I * R.transpose();
    return m;
}

double springEnergy(double k, const Curve& curve, std::span<const double> param, double extension) {
    return 0.5 * k * extension * extension + curveIntegral(curve, param, extension);
}

}  // namespace

double Energies::elements() const {
    double sum = 0;
    for (const double e : tsda) sum += e;
    for (const double e : rsda) sum += e;
    return sum;
}

Energies energiesOf(const Model& model, const Layout& layout, std::span<const double> param, std::span<const double> X,
                    std::span<const double> V, std::span<const double> obs, std::span<const double> v) {
    Energies energy;
    const Vector3 gravity = vectorAt(model.gravity, param);
    for (std::size_t i = 0; i < model.bodies.size(); i++) {
        const Body& body = model.bodies[i];
        const BodyInMotion m = bodyInMotion(body, param, X.data() + 12 * i, V.data() + 6 * i);
        energy.kinetic += 0.5 * m.mass * m.velocity.squaredNorm() + 0.5 * m.w.dot(m.I_c * m.w);
        energy.gravity -= m.mass * gravity.dot(m.centre);
        const double armature = body.joint_armature.at(param);
        for (int j = 0; j < jointNv(body.joint.type); j++) {
            const double vj = v[layout.v_of_body[i] + j];
            energy.kinetic += 0.5 * armature * vj * vj;
        }
    }
    for (std::size_t e = 0; e < model.tsdas.size(); e++) {
        const Tsda& t = model.tsdas[e];
        energy.tsda.push_back(springEnergy(t.k.at(param), t.curve, param, obs[layout.obs_of_tsda[e]] - t.l0.at(param)));
    }
    for (std::size_t e = 0; e < model.rsdas.size(); e++) {
        const Rsda& r = model.rsdas[e];
        energy.rsda.push_back(springEnergy(r.k.at(param), r.curve, param, obs[layout.obs_of_rsda[e]] - r.q0.at(param)));
    }
    return energy;
}

Momenta momentaOf(const Model& model, std::span<const double> param, std::span<const double> X,
                  std::span<const double> V) {
    Vector3 linear = Vector3::Zero(), angular = Vector3::Zero();
    for (std::size_t i = 0; i < model.bodies.size(); i++) {
        const BodyInMotion m = bodyInMotion(model.bodies[i], param, X.data() + 12 * i, V.data() + 6 * i);
        linear += m.mass * m.velocity;
        angular += m.I_c * m.w + m.mass * m.centre.cross(m.velocity);
    }
    return {{linear.x(), linear.y(), linear.z()}, {angular.x(), angular.y(), angular.z()}};
}

ElementForces elementForces(const Model& model, const Layout& layout, std::span<const double> param,
                            std::span<const double> obs, std::span<const double> act, std::span<const double> v) {
    ElementForces out;
    for (std::size_t e = 0; e < model.tsdas.size(); e++) {
        const Tsda& t = model.tsdas[e];
        const double length = obs[layout.obs_of_tsda[e]], rate = obs[layout.obs_of_tsda[e] + 1];
        double tension = tsdaTension(t, param, length, rate);
        if (t.input && !act.empty()) tension += act[layout.act_of_tsda[e]];
        out.tsda.push_back(tension);
        // A tension does -f dl/dt on the bodies.
        out.tsda_damping_power.push_back(-(t.c.at(param) * rate + curveValue(t.damper_curve, param, rate)) * rate);
    }
    for (std::size_t e = 0; e < model.rsdas.size(); e++) {
        const Rsda& r = model.rsdas[e];
        const double angle = obs[layout.obs_of_rsda[e]], rate = obs[layout.obs_of_rsda[e] + 1];
        double force = rsdaForce(r, param, angle, rate);
        if (r.input && !act.empty()) force += act[layout.act_of_rsda[e]];
        out.rsda.push_back(force);
        out.rsda_damping_power.push_back(-(r.c.at(param) * rate + curveValue(r.damper_curve, param, rate)) * rate);
    }
    for (std::size_t i = 0; i < model.bodies.size(); i++) {
        const double damping = model.bodies[i].joint_damping.at(param);
        double power = 0;
        for (int j = 0; j < jointNv(model.bodies[i].joint.type); j++) {
            const double vj = v[layout.v_of_body[i] + j];
            power -= damping * vj * vj;
        }
        out.joint_damping_power.push_back(power);
    }
    return out;
}

}  // namespace mw

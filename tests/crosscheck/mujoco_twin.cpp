// The mechanism in MuJoCo: written as an MJCF text, loaded from memory. Joints are made of MuJoCo's hinges, slides,
// balls and free joints; its mass matrix, bias, passive forces, tendon lengths, point Jacobians and accelerations at
// qacc = 0 are taken as they come. The loops' rows are formed from those, by cosines and lengths, and the accelerations
// follow from the equations of motion with the rows beside them.
//
// MuJoCo's speeds are ours but for a free joint: there it has the origin's speed in ground axes, then the turning in
// body axes. With qvel = T v and qacc = T vdot + T' v (T' v = w x velocity): M = T^T M_mujoco T, bias = T^T (bias + M
// T' v).
#include "tests/crosscheck/twin.h"

#ifdef MW_HAVE_MUJOCO

#include <Eigen/Dense>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <mujoco/mujoco.h>

#include "engine/model/layout.h"
#include "tests/crosscheck/laws.h"
#include "tests/crosscheck/tendons.h"

namespace mw::cross {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using V3 = Eigen::Vector3d;

std::string triple(const Vector3d& x) { return fmt::format("{} {} {}", x[0], x[1], x[2]); }
std::string triple(const Number3& x, std::span<const double> param) {
    return fmt::format("{} {} {}", x[0].at(param), x[1].at(param), x[2].at(param));
}
/// In the order of the compiler's eulerseq "zyx": about z, then the new y, then the newest x.
std::string euler(const Number3& rot, std::span<const double> param) {
    return fmt::format("{} {} {}", rot[2].at(param), rot[1].at(param), rot[0].at(param));
}

/// MuJoCo ends the program on its errors unless told otherwise; its warnings go to a file of their own.
[[noreturn]] void onError(const char* words) { throw Unsuitable(fmt::format("MuJoCo stops: {}", words)); }
void onWarning(const char*) {}

struct Row {
    VectorXd jacobian;  ///< by MuJoCo's speeds
    double drift = 0;   ///< second derivative at qacc = 0
    V3 moment, force;   ///< on the successor about the `to` point, of a multiplier of one
};

}  // namespace

struct MujocoTwin::Inside {
    Model model;
    Layout layout;
    std::vector<double> param;
    std::string remark;

    mjModel* m = nullptr;
    mjData* d = nullptr;
    std::vector<int> body;                                 ///< MuJoCo's body of each of ours
    std::vector<int> q_of, v_of;                           ///< first addresses of each body's joint(s)
    std::vector<std::array<int, 2>> tsda_site, loop_site;  ///< from, to
    std::vector<int> tendon;                               ///< of each spring
    std::vector<int> route;                                ///< of each tendon, -1: MuJoCo has none like it
    std::vector<double> length;                            ///< of all its tendons

    MatrixXd T, M;  ///< M as MuJoCo has it, armature included
    VectorXd Tdot_v, armature, bias, qacc;
    std::vector<Wrench> wrenches;

    Inside(const Model& model_, std::span<const double> p)
        : model(model_), layout(layoutOf(model_)), param(p.begin(), p.end()) {}
    ~Inside() {
        mj_deleteData(d);
        mj_deleteModel(m);
    }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

    std::string text(bool plain_inertias) const;
    void writeBody(int index, bool plain_inertias, std::string& xml) const;
    std::string sitesOf(int index) const;
    std::string routeOf(std::size_t tendon) const;
    bool load(const std::string& xml, std::string& fault);
    void giveInertias(bool was_read);
    void find();

    int mujocoBody(int index) const { return index == kBase ? 0 : body[static_cast<std::size_t>(index)]; }
    V3 site(int index) const { return V3(d->site_xpos + 3 * index); }
    MatrixXd jacobian(int of_body, const V3& point, bool turning) const;
    /// Angular (0) or linear (1) velocity or acceleration of a site at qacc = 0, ground axes. Accelerations are less
    /// gravity, the ground's too.
    V3 velocity(int index, int part) const;
    V3 acceleration(int index, int part) const;
    std::vector<Row> rowsOf(const Loop& loop, int from, int to) const;
    void solve(const VectorXd& applied);
};

namespace {

const char* refusal(JointType type) { return type == JointType::screw ? "MuJoCo has no screw joint" : nullptr; }

}  // namespace

std::string MujocoTwin::Inside::sitesOf(int index) const {
    std::string xml;
    const auto add = [&](const std::string& name, int carrier, const Number3& at, const Number3& rot) {
        if (carrier == index)
            xml += fmt::format("<site name='{}' pos='{}' euler='{}'/>", name, triple(at, param), euler(rot, param));
    };
    for (std::size_t i = 0; i < model.tsdas.size(); ++i) {
        add(fmt::format("t{}a", i), model.tsdas[i].from.body, model.tsdas[i].from.at, {});
        add(fmt::format("t{}b", i), model.tsdas[i].to.body, model.tsdas[i].to.at, {});
    }
    for (std::size_t i = 0; i < model.loops.size(); ++i) {
        add(fmt::format("l{}a", i), model.loops[i].from.body, model.loops[i].from.at, model.loops[i].from.rot);
        add(fmt::format("l{}b", i), model.loops[i].to.body, model.loops[i].to.at, model.loops[i].to.rot);
    }
    for (std::size_t i = 0; i < model.tendons.size(); ++i) {
        const Tendon& one = model.tendons[i];
        if (unlike(one)) continue;
        for (std::size_t e = 0; e < one.path.size(); ++e) {
            const PathElement& element = one.path[e];
            const std::string name = fmt::format("r{}_{}", i, e);
            if (element.side) add(name + "s", element.side->body, element.side->at, {});
            if (element.kind == PathElement::Kind::site) add(name, element.point.body, element.point.at, {});
            if (!element.isGuide() || element.point.body != index) continue;
            const double r = element.radii[0].at(param);
            const std::string form =
                element.kind == PathElement::Kind::sphere
                    ? fmt::format("type='sphere' size='{}'", r)
                    : fmt::format("type='cylinder' size='{} 1' zaxis='{}'", r, triple(element.axis));
            xml += fmt::format("<geom name='{}' {} pos='{}' contype='0' conaffinity='0' mass='0'/>", name, form,
                               triple(element.point.at, param));
        }
    }
    return xml;
}

std::string MujocoTwin::Inside::routeOf(std::size_t tendon) const {
    const Tendon& one = model.tendons[tendon];
    if (one.fixed) {
        // Summed before: of a joint that is named twice MuJoCo's row keeps the last weight alone.
        std::map<std::string, double> weights;
        for (const TendonTerm& term : one.terms)
            weights[fmt::format("j{}_{}", term.body, term.coordinate)] += term.weight.at(param);
        std::string xml = fmt::format("<fixed name='r{}'>", tendon);
        for (const auto& [joint, weight] : weights) xml += fmt::format("<joint joint='{}' coef='{}'/>", joint, weight);
        return xml + "</fixed>";
    }
    std::string xml = fmt::format("<spatial name='r{}'>", tendon);
    for (std::size_t e = 0; e < one.path.size(); ++e) {
        const PathElement& element = one.path[e];
        const std::string name = fmt::format("r{}_{}", tendon, e);
        if (element.kind == PathElement::Kind::site) xml += fmt::format("<site site='{}'/>", name);
        else if (element.kind == PathElement::Kind::pulley)
            xml += fmt::format("<pulley divisor='{}'/>", element.divisor);
        else xml += fmt::format("<geom geom='{}'{}/>", name, element.side ? fmt::format(" sidesite='{}s'", name) : "");
    }
    return xml + "</spatial>";
}

void MujocoTwin::Inside::writeBody(int index, bool plain_inertias, std::string& xml) const {
    const Body& b = model.bodies[static_cast<std::size_t>(index)];
    xml += fmt::format("<body name='b{}' pos='{}' euler='{}'>", index, triple(b.at, param), euler(b.rot, param));
    int count = 0;
    const auto joint = [&](const char* type, const Vector3d& axis) {
        xml += fmt::format("<joint name='j{}_{}' type='{}' axis='{}' damping='{}' armature='{}'/>", index, count++,
                           type, triple(axis), b.joint_damping.at(param), b.joint_armature.at(param));
    };
    switch (b.joint.type) {
        case JointType::fixed:
        case JointType::screw: break;
        case JointType::revolute: joint("hinge", b.joint.axis); break;
        case JointType::prismatic: joint("slide", b.joint.axis); break;
        case JointType::cylindrical:
            joint("hinge", b.joint.axis);
            joint("slide", b.joint.axis);
            break;
        case JointType::universal:
            joint("hinge", b.joint.axis);
            joint("hinge", b.joint.axis2);
            break;
        case JointType::planar:
            if (b.joint.axis[0] != 0) joint("slide", {0, 1, 0}), joint("slide", {0, 0, 1});
            else if (b.joint.axis[1] != 0) joint("slide", {0, 0, 1}), joint("slide", {1, 0, 0});
            else joint("slide", {1, 0, 0}), joint("slide", {0, 1, 0});
            joint("hinge", b.joint.axis);
            break;
        case JointType::spherical: joint("ball", {0, 0, 1}); break;
        case JointType::floating: joint("free", {0, 0, 1}); break;
    }
    if (plain_inertias) xml += "<inertial mass='1' pos='0.1 0.2 0.3' diaginertia='1 1 1'/>";
    else
        xml += fmt::format("<inertial mass='{}' pos='{}' fullinertia='{} {} {} {} {} {}'/>", b.mass.at(param),
                           triple(b.cg, param), b.inertia[0].at(param), b.inertia[1].at(param), b.inertia[2].at(param),
                           b.inertia[3].at(param), b.inertia[4].at(param), b.inertia[5].at(param));
    xml += sitesOf(index);
    for (std::size_t child = 0; child < model.bodies.size(); ++child)
        if (model.bodies[child].parent == index) writeBody(static_cast<int>(child), plain_inertias, xml);
    xml += "</body>";
}

std::string MujocoTwin::Inside::text(bool plain_inertias) const {
    std::string xml = fmt::format(
        "<mujoco><compiler angle='radian' eulerseq='zyx' inertiafromgeom='false' balanceinertia='false' boundmass='0' "
        "boundinertia='0'/><option gravity='{}' jacobian='dense'><flag contact='disable' constraint='disable'/>"
        "</option><worldbody>",
        triple(model.gravity, param));
    xml += sitesOf(kBase);
    for (std::size_t b = 0; b < model.bodies.size(); ++b)
        if (model.bodies[b].parent == kBase) writeBody(static_cast<int>(b), plain_inertias, xml);
    xml += "</worldbody>";
    std::string tendons;
    for (std::size_t i = 0; i < model.tsdas.size(); ++i)
        tendons += fmt::format("<spatial name='t{0}'><site site='t{0}a'/><site site='t{0}b'/></spatial>", i);
    for (std::size_t i = 0; i < model.tendons.size(); ++i)
        if (!unlike(model.tendons[i])) tendons += routeOf(i);
    if (!tendons.empty()) xml += "<tendon>" + tendons + "</tendon>";
    return xml + "</mujoco>";
}

bool MujocoTwin::Inside::load(const std::string& xml, std::string& fault) {
    // The loader reads files; a virtual one keeps the text in memory.
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    if (mj_makeEmptyFileVFS(files.get(), "twin.xml", static_cast<int>(xml.size())) != 0) {
        fault = "its loader has no room for the text";
        return false;
    }
    std::memcpy(files->filedata[mj_findFileVFS(files.get(), "twin.xml")], xml.data(), xml.size());
    char words[500] = "";
    m = mj_loadXML("twin.xml", files.get(), words, sizeof words);
    mj_deleteVFS(files.get());
    fault = words;
    return m != nullptr;
}

// Inertias are put into the compiled model as they are: MuJoCo's reader refuses some (none at all, or a broken triangle
// inequality) and turns the others to their principal axes to eight digits only. What it made of them must be right to
// these eight digits, else it stays, and the comparison shows it.
void MujocoTwin::Inside::giveInertias(bool was_read) {
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
        const Body& b = model.bodies[i];
        const int k = mj_name2id(m, mjOBJ_BODY, fmt::format("b{}", i).c_str());
        Eigen::Matrix3d I;
        const auto e = [&](std::size_t j) { return b.inertia[j].at(param); };
        I << e(0), e(3), e(4), e(3), e(1), e(5), e(4), e(5), e(2);
        if (was_read) {
            const double* turn = m->body_iquat + 4 * k;
            const Eigen::Matrix3d R = Eigen::Quaterniond(turn[0], turn[1], turn[2], turn[3]).toRotationMatrix();
            const Eigen::Matrix3d read = R * V3(m->body_inertia + 3 * k).asDiagonal() * R.transpose();
            if ((read - I).norm() > 1e-6 * I.norm()) continue;
        }
        const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(I);
        Eigen::Matrix3d axes = principal.eigenvectors();
        if (axes.determinant() < 0) axes.col(2) *= -1;
        const Eigen::Quaterniond turn(axes);
        m->body_mass[k] = b.mass.at(param);
        m->body_sameframe[k] = 0;
        for (int c = 0; c < 3; ++c) {
            m->body_ipos[3 * k + c] = b.cg[static_cast<std::size_t>(c)].at(param);
            m->body_inertia[3 * k + c] = principal.eigenvalues()[c];
        }
        m->body_iquat[4 * k] = turn.w(), m->body_iquat[4 * k + 1] = turn.x();
        m->body_iquat[4 * k + 2] = turn.y(), m->body_iquat[4 * k + 3] = turn.z();
    }
    // Shortcuts that the reader took with its own inertias.
    for (int i = 0; i < m->nv; ++i) m->dof_simplenum[i] = 0;
    for (int i = 0; i < m->nbody; ++i) m->body_simple[i] = 0;
}

void MujocoTwin::Inside::find() {
    const auto id = [&](int kind, const std::string& name) {
        const int found = mj_name2id(m, kind, name.c_str());
        if (found < 0) throw Unsuitable(fmt::format("MuJoCo lost '{}' of the mechanism on the way", name));
        return found;
    };
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
        body.push_back(id(mjOBJ_BODY, fmt::format("b{}", i)));
        const bool moves = model.bodies[i].joint.type != JointType::fixed;
        const int joint = moves ? id(mjOBJ_JOINT, fmt::format("j{}_0", i)) : 0;
        q_of.push_back(moves ? m->jnt_qposadr[joint] : 0);
        v_of.push_back(moves ? m->jnt_dofadr[joint] : 0);
    }
    for (std::size_t i = 0; i < model.tsdas.size(); ++i) {
        tendon.push_back(id(mjOBJ_TENDON, fmt::format("t{}", i)));
        tsda_site.push_back({id(mjOBJ_SITE, fmt::format("t{}a", i)), id(mjOBJ_SITE, fmt::format("t{}b", i))});
    }
    for (std::size_t i = 0; i < model.tendons.size(); ++i)
        route.push_back(unlike(model.tendons[i]) ? -1 : id(mjOBJ_TENDON, fmt::format("r{}", i)));
    for (std::size_t i = 0; i < model.loops.size(); ++i)
        loop_site.push_back({id(mjOBJ_SITE, fmt::format("l{}a", i)), id(mjOBJ_SITE, fmt::format("l{}b", i))});
    armature = VectorXd::Zero(m->nv);
    for (int i = 0; i < m->nv; ++i) armature[i] = m->dof_armature[i];
}

MujocoTwin::MujocoTwin(const Model& model, std::span<const double> param)
    : inside_(std::make_unique<Inside>(model, param)) {
    mju_user_error = onError;
    mju_user_warning = onWarning;
    Inside& in = *inside_;
    for (const Body& b : model.bodies)
        if (const char* why = refusal(b.joint.type)) throw Unsuitable(why);
    std::string fault;
    const bool was_read = in.load(in.text(false), fault);
    if (!was_read) {
        in.remark = fault.substr(0, fault.find('\n'));
        if (in.remark.starts_with("Error: ")) in.remark.erase(0, 7);
        if (!in.load(in.text(true), fault)) throw Unsuitable("MuJoCo refuses it: " + fault);
    }
    in.giveInertias(was_read);
    if (in.m->nv != in.layout.nv) throw Unsuitable("MuJoCo counts other freedoms");
    in.d = mj_makeData(in.m);
    in.find();
}

MujocoTwin::~MujocoTwin() = default;
MujocoTwin::MujocoTwin(MujocoTwin&&) noexcept = default;
MujocoTwin& MujocoTwin::operator=(MujocoTwin&&) noexcept = default;

const std::string& MujocoTwin::remark() const { return inside_->remark; }

MatrixXd MujocoTwin::Inside::jacobian(int of_body, const V3& point, bool turning) const {
    Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor> moving(3, m->nv), turned(3, m->nv);
    mj_jac(m, d, moving.data(), turned.data(), point.data(), of_body);
    return turning ? turned : moving;
}

V3 MujocoTwin::Inside::velocity(int index, int part) const {
    double six[6];
    mj_objectVelocity(m, d, mjOBJ_SITE, index, six, 0);
    return V3(six + 3 * part);
}
V3 MujocoTwin::Inside::acceleration(int index, int part) const {
    double six[6];
    mj_objectAcceleration(m, d, mjOBJ_SITE, index, six, 0);
    return V3(six + 3 * part);
}

std::vector<Row> MujocoTwin::Inside::rowsOf(const Loop& loop, int from, int to) const {
    const int body_a = m->site_bodyid[from], body_b = m->site_bodyid[to];
    const V3 a = site(from), b = site(to), apart = b - a;
    using Frame = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
    const Frame A = Frame(d->site_xmat + 9 * from), B = Frame(d->site_xmat + 9 * to);
    const V3 wa = velocity(from, 0), wb = velocity(to, 0), va = velocity(from, 1), vb = velocity(to, 1);
    const V3 alpha_a = acceleration(from, 0), alpha_b = acceleration(to, 0);
    const V3 acc_apart = acceleration(to, 1) - acceleration(from, 1), vel_apart = vb - va;
    const V3 axis(loop.axis.data()), some = axis.unitOrthogonal(), other = axis.cross(some);
    std::vector<Row> rows;

    // One direction of each body stays perpendicular to one of the other: x . y = 0.
    const auto perpendicular = [&](const V3& x_local, const V3& y_local) {
        const V3 x = A * x_local, y = B * y_local, arm = y.cross(x);
        Row row;
        row.jacobian = ((jacobian(body_b, b, true) - jacobian(body_a, a, true)).transpose() * arm);
        row.drift = (alpha_b - alpha_a).dot(arm) + (wb - wa).dot(wb.cross(y).cross(x) + y.cross(wa.cross(x)));
        row.moment = arm, row.force = V3::Zero();
        rows.push_back(row);
    };
    // The successor's point keeps its place along a direction of the predecessor.
    const auto placed = [&](const V3& local) {
        const V3 e = A * local;
        Row row;
        row.jacobian = (jacobian(body_b, b, false) - jacobian(body_a, b, false)).transpose() * e;
        // (e . apart)'' with e' = wa x e.
        const V3 e_dot = wa.cross(e), e_ddot = alpha_a.cross(e) + wa.cross(e_dot);
        row.drift = e.dot(acc_apart) + 2 * e_dot.dot(vel_apart) + e_ddot.dot(apart);
        row.moment = V3::Zero(), row.force = e;
        rows.push_back(row);
    };
    switch (loop.type) {
        case LoopType::revolute:
            perpendicular(some, axis), perpendicular(other, axis);
            placed(some), placed(other), placed(axis);
            break;
        case LoopType::prismatic:
            perpendicular(some, axis), perpendicular(other, axis), perpendicular(some, other);
            placed(some), placed(other);
            break;
        case LoopType::cylindrical:
            perpendicular(some, axis), perpendicular(other, axis);
            placed(some), placed(other);
            break;
        case LoopType::spherical: placed(V3::UnitX()), placed(V3::UnitY()), placed(V3::UnitZ()); break;
        case LoopType::point_on_line: placed(some), placed(other); break;
        case LoopType::distance: {
            const double length = apart.norm();
            const V3 u = apart / length;
            Row row;
            row.jacobian = (jacobian(body_b, b, false) - jacobian(body_a, a, false)).transpose() * u;
            const double rate = u.dot(vel_apart);
            row.drift = u.dot(acc_apart) + (vel_apart.squaredNorm() - rate * rate) / length;
            row.moment = V3::Zero(), row.force = u;
            rows.push_back(row);
        }
    }
    return rows;
}

// M qacc + bias = applied + K^T lambda, K qacc + drift = 0: through the Cholesky factor of M and a QR of L^-1 K^T,
// which never squares the condition of the rows.
void MujocoTwin::Inside::solve(const VectorXd& applied) {
    std::vector<Row> rows;
    std::vector<std::size_t> first;
    for (std::size_t i = 0; i < model.loops.size(); ++i) {
        first.push_back(rows.size());
        for (Row& row : rowsOf(model.loops[i], loop_site[i][0], loop_site[i][1])) rows.push_back(std::move(row));
    }
    first.push_back(rows.size());
    const Eigen::LLT<MatrixXd> factor(M);
    const VectorXd rhs = applied - bias;
    qacc = factor.solve(rhs);
    wrenches.assign(model.loops.size(), Wrench{});
    const auto n = static_cast<Eigen::Index>(rows.size());
    if (n == 0) return;
    MatrixXd K(n, m->nv);
    VectorXd drift(n);
    for (Eigen::Index i = 0; i < n; ++i) {
        K.row(i) = rows[static_cast<std::size_t>(i)].jacobian.transpose();
        drift[i] = rows[static_cast<std::size_t>(i)].drift;
    }
    const MatrixXd Y = factor.matrixL().solve(K.transpose());
    const Eigen::ColPivHouseholderQR<MatrixXd> qr(Y);
    const VectorXd miss = -drift - K * qacc;
    const auto R = qr.matrixR().topLeftCorner(n, n).triangularView<Eigen::Upper>();
    const VectorXd permuted = qr.colsPermutation().transpose() * miss;
    const VectorXd lambda = qr.colsPermutation() * R.solve(R.transpose().solve(permuted));
    qacc += factor.solve(K.transpose() * lambda);
    for (std::size_t i = 0; i < model.loops.size(); ++i) {
        V3 moment = V3::Zero(), force = V3::Zero();
        for (std::size_t r = first[i]; r < first[i + 1]; ++r) {
            moment += lambda[static_cast<Eigen::Index>(r)] * rows[r].moment;
            force += lambda[static_cast<Eigen::Index>(r)] * rows[r].force;
        }
        wrenches[i] = {moment[0], moment[1], moment[2], force[0], force[1], force[2]};
    }
}

void MujocoTwin::place(std::span<const double> q, std::span<const double> v, const Forces& forces) {
    Inside& in = *inside_;
    mjModel* m = in.m;
    mjData* d = in.d;
    const auto nv = static_cast<Eigen::Index>(in.layout.nv);
    for (std::size_t i = 0; i < in.model.bodies.size(); ++i) {
        const JointType type = in.model.bodies[i].joint.type;
        const double* qi = q.data() + in.layout.q_of_body[i];
        double* to = d->qpos + in.q_of[i];
        if (type == JointType::floating) {
            for (int k = 0; k < 3; ++k) to[k] = qi[4 + k];
            for (int k = 0; k < 4; ++k) to[3 + k] = qi[k];
        } else
            for (int k = 0; k < jointNq(type); ++k) to[k] = qi[k];
    }
    mj_kinematics(m, d);

    in.T = MatrixXd::Zero(nv, nv);
    in.Tdot_v = VectorXd::Zero(nv);
    for (std::size_t i = 0; i < in.model.bodies.size(); ++i) {
        const JointType type = in.model.bodies[i].joint.type;
        const int mine = in.layout.v_of_body[i], theirs = in.v_of[i];
        if (type != JointType::floating) {
            for (int k = 0; k < jointNv(type); ++k) in.T(theirs + k, mine + k) = 1;
            continue;
        }
        const Eigen::Matrix<double, 3, 3, Eigen::RowMajor> R(d->xmat + 9 * in.body[i]);
        in.T.block<3, 3>(theirs, mine + 3) = R;
        in.T.block<3, 3>(theirs + 3, mine) = Eigen::Matrix3d::Identity();
        const double* vi = v.data() + mine;
        in.Tdot_v.segment<3>(theirs) = R * V3(vi).cross(V3(vi + 3));
    }
    const VectorXd qvel = in.T * Eigen::Map<const VectorXd>(v.data(), nv);
    std::copy(qvel.begin(), qvel.end(), d->qvel);

    mj_comPos(m, d);
    mj_tendon(m, d);
    // Routes have no force of their own there; one without a number would make all passive forces numberless.
    in.length.assign(d->ten_length, d->ten_length + m->ntendon);
    for (int i = 0; i < m->ntendon; ++i)
        if (!std::isfinite(d->ten_length[i])) d->ten_length[i] = 0;
    mj_crb(m, d);
    mj_comVel(m, d);
    mj_passive(m, d);
    in.bias.resize(nv);
    std::fill(d->qacc, d->qacc + nv, 0.0);
    mj_rne(m, d, 0, in.bias.data());
    mj_rnePostConstraint(m, d);
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> M(nv, nv);
    mj_fullM(m, M.data(), d->qM);
    in.M = M;

    VectorXd applied = in.T * Eigen::Map<const VectorXd>(forces.tau.data(), nv);
    applied += Eigen::Map<const VectorXd>(d->qfrc_passive, nv);
    const auto act = [&](int slot) { return slot < 0 ? 0.0 : forces.act[static_cast<std::size_t>(slot)]; };
    for (std::size_t i = 0; i < in.model.tsdas.size(); ++i) {
        const Eigen::Map<const VectorXd> row(d->ten_J + in.tendon[i] * m->nv, nv);
        const double length = d->ten_length[in.tendon[i]];
        if (length == 0) continue;
        applied -= tension(in.model.tsdas[i], in.param, length, row.dot(qvel), act(in.layout.act_of_tsda[i])) * row;
    }
    for (std::size_t i = 0; i < in.model.rsdas.size(); ++i) {
        const Rsda& rsda = in.model.rsdas[i];
        const auto b = static_cast<std::size_t>(rsda.body);
        applied[in.v_of[b]] +=
            jointForce(rsda, in.param, d->qpos[in.q_of[b]], d->qvel[in.v_of[b]], act(in.layout.act_of_rsda[i]));
    }
    for (std::size_t i = 0; i < in.model.bodies.size(); ++i) {
        if (!in.model.bodies[i].fext) continue;
        // The moment is about the base origin: the force acts there.
        const double* w = forces.fext.data() + 6 * i;
        const double origin[3] = {0, 0, 0};
        mj_applyFT(m, d, w + 3, w, origin, in.body[i], applied.data());
    }
    // Armature resists the change of a free joint's speed in ground axes; the language's that of the body's axes.
    applied += in.armature.cwiseProduct(in.Tdot_v);
    in.solve(applied);
}

Poses MujocoTwin::poses() const {
    const Inside& in = *inside_;
    Poses poses;
    for (const int b : in.body) {
        poses.X.insert(poses.X.end(), in.d->xmat + 9 * b, in.d->xmat + 9 * b + 9);
        poses.X.insert(poses.X.end(), in.d->xpos + 3 * b, in.d->xpos + 3 * b + 3);
        double six[6];
        mj_objectVelocity(in.m, in.d, mjOBJ_XBODY, b, six, 0);
        poses.V.insert(poses.V.end(), six, six + 6);
    }
    return poses;
}

std::vector<double> MujocoTwin::massMatrix() const {
    const MatrixXd ours = inside_->T.transpose() * inside_->M * inside_->T;
    return {ours.data(), ours.data() + ours.size()};
}

std::vector<double> MujocoTwin::bias() const {
    const Inside& in = *inside_;
    const VectorXd carried = in.M * in.Tdot_v - in.armature.cwiseProduct(in.Tdot_v);
    const VectorXd ours = in.T.transpose() * (in.bias + carried);
    return {ours.data(), ours.data() + ours.size()};
}

std::vector<double> MujocoTwin::acceleration() const {
    const Inside& in = *inside_;
    const VectorXd ours = in.T.transpose() * (in.qacc - in.Tdot_v);  // T is orthogonal
    return {ours.data(), ours.data() + ours.size()};
}

std::vector<Wrench> MujocoTwin::wrenches() const { return inside_->wrenches; }

TendonAt MujocoTwin::tendon(int index) const {
    const Inside& in = *inside_;
    const int k = in.route[static_cast<std::size_t>(index)];
    if (k < 0) return {};
    const VectorXd ours = in.T.transpose() * Eigen::Map<const VectorXd>(in.d->ten_J + k * in.m->nv, in.m->nv);
    return {in.length[static_cast<std::size_t>(k)], {ours.data(), ours.data() + ours.size()}};
}

bool MujocoTwin::built() { return true; }
std::string MujocoTwin::version() { return mj_versionString(); }

}  // namespace mw::cross

#else

#include "tests/crosscheck/tendons.h"

namespace mw::cross {

struct MujocoTwin::Inside {
    std::string remark;
};
MujocoTwin::MujocoTwin(const Model&, std::span<const double>) { throw Unsuitable("built without MuJoCo"); }
MujocoTwin::~MujocoTwin() = default;
MujocoTwin::MujocoTwin(MujocoTwin&&) noexcept = default;
MujocoTwin& MujocoTwin::operator=(MujocoTwin&&) noexcept = default;
const std::string& MujocoTwin::remark() const { return inside_->remark; }
void MujocoTwin::place(std::span<const double>, std::span<const double>, const Forces&) {}
Poses MujocoTwin::poses() const { return {}; }
std::vector<double> MujocoTwin::massMatrix() const { return {}; }
std::vector<double> MujocoTwin::bias() const { return {}; }
std::vector<double> MujocoTwin::acceleration() const { return {}; }
std::vector<Wrench> MujocoTwin::wrenches() const { return {}; }
TendonAt MujocoTwin::tendon(int) const { return {}; }
bool MujocoTwin::built() { return false; }
std::string MujocoTwin::version() { return {}; }

}  // namespace mw::cross

#endif

// A mechanism written as MJCF text, loaded by MuJoCo from memory.
#include "app/cli/bench_mujoco.h"

#ifdef MW_HAVE_MUJOCO

#include <cmath>
#include <cstring>
#include <fmt/core.h>
#include <memory>
#include <mujoco/mujoco.h>
#include <utility>

namespace mw::cli {

struct MujocoTwin::Impl {
    mjModel* model = nullptr;
    mjData* data = nullptr;
    std::vector<int> q_address, v_address;  ///< MuJoCo's slots of our coordinates
    ~Impl() {
        mj_deleteData(data);
        mj_deleteModel(model);
    }
};

namespace {

bool canTell(const Model& model) {
    if (!model.tsdas.empty() || !model.rsdas.empty()) return false;
    for (const Body& body : model.bodies)
        if (body.joint.type != JointType::fixed && body.joint.type != JointType::revolute &&
            body.joint.type != JointType::prismatic)
            return false;
    return true;
}

std::string triple(const Vector3d& x) { return fmt::format("{} {} {}", x[0], x[1], x[2]); }
std::string triple(const Number3& x) { return fmt::format("{} {} {}", x[0].value, x[1].value, x[2].value); }

/// Unit quaternion of R = Rz(yaw) Ry(pitch) Rx(roll).
std::string quaternion(const Number3& rot) {
    const double cr = std::cos(rot[0].value / 2), sr = std::sin(rot[0].value / 2), cp = std::cos(rot[1].value / 2),
                 sp = std::sin(rot[1].value / 2), cy = std::cos(rot[2].value / 2), sy = std::sin(rot[2].value / 2);
    return fmt::format("{} {} {} {}", cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy,
                       cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy);
}

void writeBody(const Model& model, int index, std::string& xml) {
    const Body& body = model.bodies[static_cast<std::size_t>(index)];
    xml += fmt::format("<body name='b{}' pos='{}' quat='{}'>", index, triple(body.at), quaternion(body.rot));
    if (body.joint.type != JointType::fixed)
        xml += fmt::format("<joint name='j{}' type='{}' axis='{}' damping='{}' armature='{}'/>", index,
                           body.joint.type == JointType::revolute ? "hinge" : "slide", triple(body.joint.axis),
                           body.joint_damping.value, body.joint_armature.value);
    const auto& I = body.inertia;
    xml += fmt::format("<inertial mass='{}' pos='{}' fullinertia='{} {} {} {} {} {}'/>", body.mass.value,
                       triple(body.cg), I[0].value, I[1].value, I[2].value, I[3].value, I[4].value, I[5].value);
    for (std::size_t child = 0; child < model.bodies.size(); ++child)
        if (model.bodies[child].parent == index) writeBody(model, static_cast<int>(child), xml);
    xml += "</body>";
}

}  // namespace

MujocoTwin::MujocoTwin(Impl* impl) : impl_(impl) {}
MujocoTwin::MujocoTwin(MujocoTwin&& other) noexcept : impl_(other.impl_) { other.impl_ = nullptr; }
MujocoTwin& MujocoTwin::operator=(MujocoTwin&& other) noexcept {
    std::swap(impl_, other.impl_);
    return *this;
}
MujocoTwin::~MujocoTwin() { delete impl_; }

std::optional<MujocoTwin> MujocoTwin::build(const Model& model, const Layout& layout) {
    if (!canTell(model)) return std::nullopt;
    std::string xml = fmt::format(
        "<mujoco><compiler angle='radian'/><option gravity='{}'><flag contact='disable' constraint='disable' "
        "sensornoise='disable'/></option><worldbody>",
        triple(model.gravity));
    for (std::size_t b = 0; b < model.bodies.size(); ++b)
        if (model.bodies[b].parent == kBase) writeBody(model, static_cast<int>(b), xml);
    xml += "</worldbody></mujoco>";

    // The loader reads files; a virtual one keeps the text in memory.
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    if (mj_makeEmptyFileVFS(files.get(), "twin.xml", static_cast<int>(xml.size())) != 0) return std::nullopt;
    std::memcpy(files->filedata[mj_findFileVFS(files.get(), "twin.xml")], xml.data(), xml.size());
    char fault[500] = "";
    auto impl = std::make_unique<Impl>();
    impl->model = mj_loadXML("twin.xml", files.get(), fault, sizeof fault);
    mj_deleteVFS(files.get());
    if (!impl->model) return std::nullopt;
    impl->data = mj_makeData(impl->model);
    for (int i = 0; i < layout.nv; ++i) {
        const int joint = mj_name2id(impl->model, mjOBJ_JOINT,
                                     fmt::format("j{}", layout.body_of_v[static_cast<std::size_t>(i)]).c_str());
        if (joint < 0) return std::nullopt;
        impl->q_address.push_back(impl->model->jnt_qposadr[joint]);
        impl->v_address.push_back(impl->model->jnt_dofadr[joint]);
    }
    return MujocoTwin(impl.release());
}

namespace {

void put(const double* from, const std::vector<int>& address, double* to) {
    for (std::size_t i = 0; i < address.size(); ++i) to[address[i]] = from[i];
}

}  // namespace

void MujocoTwin::forward(const double* q, const double* v, const double* tau) {
    put(q, impl_->q_address, impl_->data->qpos);
    put(v, impl_->v_address, impl_->data->qvel);
    put(tau, impl_->v_address, impl_->data->qfrc_applied);
    mj_forward(impl_->model, impl_->data);
}

void MujocoTwin::dynamics(const double* q, const double* v, const double* tau) {
    mjModel* m = impl_->model;
    mjData* d = impl_->data;
    put(q, impl_->q_address, d->qpos);
    put(v, impl_->v_address, d->qvel);
    mj_kinematics(m, d);
    mj_comPos(m, d);
    mj_crb(m, d);
    mj_factorM(m, d);
    mj_comVel(m, d);
    mj_passive(m, d);
    mj_rne(m, d, 0, d->qfrc_bias);
    for (std::size_t i = 0; i < impl_->v_address.size(); ++i) {
        const int k = impl_->v_address[i];
        d->qfrc_smooth[k] = tau[i] + d->qfrc_passive[k] - d->qfrc_bias[k];
    }
    mj_solveM(m, d, d->qacc, d->qfrc_smooth, 1);
}

std::vector<double> MujocoTwin::acceleration() const {
    std::vector<double> vdot;
    for (int k : impl_->v_address) vdot.push_back(impl_->data->qacc[k]);
    return vdot;
}

std::string MujocoTwin::version() { return mj_versionString(); }

}  // namespace mw::cli

#else

namespace mw::cli {

struct MujocoTwin::Impl {};
std::optional<MujocoTwin> MujocoTwin::build(const Model&, const Layout&) { return std::nullopt; }
MujocoTwin::MujocoTwin(Impl* impl) : impl_(impl) {}
MujocoTwin::MujocoTwin(MujocoTwin&& other) noexcept : impl_(other.impl_) { other.impl_ = nullptr; }
MujocoTwin& MujocoTwin::operator=(MujocoTwin&&) noexcept { return *this; }
MujocoTwin::~MujocoTwin() { delete impl_; }
void MujocoTwin::forward(const double*, const double*, const double*) {}
void MujocoTwin::dynamics(const double*, const double*, const double*) {}
std::vector<double> MujocoTwin::acceleration() const { return {}; }
std::string MujocoTwin::version() { return {}; }

}  // namespace mw::cli

#endif

// Fills the kernel's interface from the dense algebra of this folder. Everything that a call needs lies in the caller's
// workspace: work[0] holds the context, then come the per-body scratch, the mass matrix, a vector and the loops' rows.
#include "engine/dynamics/reference_kernel.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <type_traits>

#include "engine/dynamics/elements.h"
#include "engine/dynamics/forward.h"
#include "engine/dynamics/inverse.h"
#include "engine/dynamics/loop_solve.h"
#include "engine/dynamics/loops.h"
#include "engine/dynamics/mass_matrix.h"
#include "engine/dynamics/projection.h"
#include "engine/kernel/describe.h"
#include "engine/model/manageable.h"

namespace mw {

namespace {

struct Context {
    Context(const Model& model, ReferenceRoute r) : topology(model), loops(topology), route(r) {}
    Topology topology;
    LoopSet loops;
    ReferenceRoute route;
    mw_kernel c{};
};

/// The caller's workspace in pieces. All types are plain data without alignment demands beyond a double's.
struct Workspace {
    const Context* context;
    BodyNumbers* numbers;
    BodyKinematics* kinematics;
    Vector6* f_base;
    InverseWork* inverse;
    Matrix6* I_composite;
    ArticulatedBody* articulated;
    double* M;
    double* tau;
    LoopNumbers* loop_numbers;
    LoopRows rows;
    ProjectedRows projected;  ///< of the route by composite bodies
    ColumnRows columns;       ///< of the route by articulated bodies
};

template <class T>
constexpr std::size_t doublesOf() {
    static_assert(alignof(T) <= alignof(double) && sizeof(T) % sizeof(double) == 0);
    static_assert(std::is_trivially_destructible_v<T>);
    return sizeof(T) / sizeof(double);
}

/// Cuts a workspace into pieces, in one fixed order; returns the doubles used.
std::size_t carve(const Context& context, double* work, Workspace& out) {
    const std::size_t n = context.topology.bodies().size(), nv = context.topology.layout().nv;
    std::size_t at = 1;
    const auto take = [&]<class T>(T*& piece, std::size_t count) {
        if (work) piece = reinterpret_cast<T*>(work + at);
        at += doublesOf<T>() * count;
    };
    out.context = &context;
    take(out.numbers, n);
    take(out.kinematics, n);
    take(out.f_base, n);
    take(out.inverse, n);
    take(out.I_composite, n);
    take(out.articulated, n);
    take(out.M, nv * nv);
    take(out.tau, nv);

    const std::size_t nc = context.loops.nc();
    take(out.loop_numbers, context.loops.loops().size());
    take(out.rows.K, nc * nv);
    for (double** piece : {&out.rows.gamma, &out.rows.rate, &out.rows.error, &out.rows.length}) take(*piece, nc);
    if (context.route == ReferenceRoute::aba) {
        take(out.columns.Y, nv * nc);
        take(out.columns.A, nc * nc);
        take(out.columns.scale, nc);
        take(out.columns.order, nc);
        take(out.columns.t, nc);
        take(out.columns.force, nv);
    } else {
        take(out.projected.Q, nv * nc);
        take(out.projected.R, nc * nc);
        take(out.projected.scale, nc);
        take(out.projected.order, nc);
        take(out.projected.t, nc);
        take(out.projected.s, nc);
    }
    return at;
}

Workspace workspaceOf(double* work) {
    const Context* context;
    std::memcpy(&context, work, sizeof context);
    Workspace w;
    carve(*context, work, w);
    return w;
}

void initWork(const mw_kernel* self, double* work) {
    static_assert(sizeof(const Context*) <= sizeof(double));
    const auto* context = static_cast<const Context*>(self->context);
    std::memcpy(work, &context, sizeof context);
    Workspace w;
    carve(*context, work, w);
    const std::vector<BodyNumbers>& numbers = context->topology.declaredNumbers();
    for (std::size_t i = 0; i < numbers.size(); i++) {
        new (w.numbers + i) BodyNumbers(numbers[i]);
        new (w.kinematics + i) BodyKinematics;
        new (w.f_base + i) Vector6;
        new (w.inverse + i) InverseWork;
        new (w.I_composite + i) Matrix6;
        new (w.articulated + i) ArticulatedBody;
    }
    const std::vector<LoopNumbers>& loop_numbers = context->loops.declaredNumbers();
    for (std::size_t i = 0; i < loop_numbers.size(); i++) new (w.loop_numbers + i) LoopNumbers(loop_numbers[i]);
    std::int64_t* order = context->route == ReferenceRoute::aba ? w.columns.order : w.projected.order;
    for (int i = 0; i < context->loops.nc(); i++) new (order + i) std::int64_t(0);
}

std::span<const double> paramOf(const Context& context, const double* param) {
    return {param, static_cast<std::size_t>(context.topology.layout().nparam)};
}

/// Numbers at these parameters, then poses and velocities (v may be null).
void prepare(Workspace& w, const double* q, const double* v, const double* param) {
    const Topology& topology = w.context->topology;
    if (topology.isLive())
        for (std::size_t i = 0; i < topology.bodies().size(); i++)
            w.numbers[i] = topology.numbersOf(static_cast<int>(i), paramOf(*w.context, param));
    updateKinematics(topology, w.numbers, q, v, w.kinematics);
}

Eigen::Map<Eigen::MatrixXd> massOf(Workspace& w) {
    const int nv = w.context->topology.layout().nv;
    return {w.M, nv, nv};
}

ConstraintRows rowsOf(const Workspace& w) { return {w.rows.K, w.context->loops.nc(), w.context->topology.layout().nv}; }

/// K and what belongs to it, each route in its own way; prepare comes first.
void prepareLoops(Workspace& w, const double* param) {
    const Context& context = *w.context;
    if (context.loops.isLive())
        for (std::size_t i = 0; i < context.loops.loops().size(); i++)
            w.loop_numbers[i] =
                context.loops.numbersOf(context.topology.model(), static_cast<int>(i), paramOf(context, param));
    if (context.route == ReferenceRoute::aba)
        loopRowsByBodies(context.topology, context.loops, w.loop_numbers, w.kinematics, w.f_base, w.rows);
    else loopRows(context.topology, context.loops, w.loop_numbers, w.kinematics, w.rows);
}

/// The mass matrix, and under loops its projection.
void factorPrepared(Workspace& w, const double* param) {
    const Topology& topology = w.context->topology;
    const bool loops = !w.context->loops.empty();
    if (loops) prepareLoops(w, param);
    if (w.context->route == ReferenceRoute::aba) {
        factorArticulated(topology, w.numbers, w.kinematics, w.articulated);
        if (loops) factorByColumns(topology, w.numbers, w.kinematics, w.articulated, rowsOf(w), w.columns);
    } else {
        Eigen::Map<Eigen::MatrixXd> M = massOf(w);
        massMatrix(topology, w.numbers, w.kinematics, w.I_composite, M);
        factorMassMatrix(M);
        if (loops) factorProjected(M, rowsOf(w), w.projected);
    }
}

void forwardDynamics(const double* q, const double* v, const double* tau, const double* fext, const double* act,
                     const double* param, double* work, double* vdot, double* lambda) {
    Workspace w = workspaceOf(work);
    const Topology& topology = w.context->topology;
    const std::span<const double> p = paramOf(*w.context, param);
    const LoopSet& loops = w.context->loops;
    const int nv = topology.layout().nv;
    prepare(w, q, v, param);
    factorPrepared(w, param);
    if (!loops.empty()) stabilise(loops, w.rows);

    // Forces on bodies in base coordinates: from outside (declared bodies alone), and the elements' pairs.
    for (std::size_t i = 0; i < topology.bodies().size(); i++) {
        w.f_base[i].setZero();
        if (fext && topology.bodies()[i].fext) w.f_base[i] = Eigen::Map<const Vector6>(fext + 6 * i);
    }
    addTsdaForces(topology, p, w.kinematics, act, w.f_base);

    // Forces on joints.
    Eigen::Map<Eigen::VectorXd> tau_all(w.tau, nv), out(vdot, nv);
    if (tau) tau_all = Eigen::Map<const Eigen::VectorXd>(tau, nv);
    else tau_all.setZero();
    addJointForces(topology, w.numbers, p, q, v, act, w.tau);

    // Solve.
    const Vector3 gravity = topology.gravity(p);
    if (w.context->route == ReferenceRoute::aba) {
        solveArticulated(topology, w.numbers, w.kinematics, w.articulated, true, gravity, w.f_base, w.tau, vdot);
        if (!loops.empty()) correctByColumns(rowsOf(w), w.columns, w.rows.gamma, vdot, lambda);
    } else {
        inverseDynamics(topology, w.numbers, w.kinematics, gravity, nullptr, w.f_base, w.inverse, vdot);
        out = tau_all - out;
        if (loops.empty()) solveMassMatrix(massOf(w), out);
        else solveProjected(massOf(w), loops.nc(), w.projected, w.rows.gamma, vdot, lambda);
    }
    // A distance row's multiplier times |rho| is the force along the line.
    for (int i = 0; i < loops.nc(); i++) lambda[i] *= w.rows.length[i];
}

void factor(const double* q, const double* param, double* work) {
    Workspace w = workspaceOf(work);
    prepare(w, q, nullptr, param);
    factorPrepared(w, param);
}

void applyInverseMass(double* work, const double* rhs, int nrhs, double* out) {
    Workspace w = workspaceOf(work);
    const int nv = w.context->topology.layout().nv;
    const bool loops = !w.context->loops.empty();
    for (int k = 0; k < nrhs; k++) {
        const double* b = rhs + static_cast<std::size_t>(k) * nv;
        double* x = out + static_cast<std::size_t>(k) * nv;
        if (w.context->route == ReferenceRoute::aba) {
            solveArticulated(w.context->topology, w.numbers, w.kinematics, w.articulated, false, Vector3::Zero(),
                             nullptr, b, x);
            if (loops) correctByColumns(rowsOf(w), w.columns, nullptr, x, nullptr);
        } else {
            std::copy(b, b + nv, x);
            if (loops) solveProjected(massOf(w), w.context->loops.nc(), w.projected, nullptr, x, nullptr);
            else solveMassMatrix(massOf(w), Eigen::Map<Eigen::VectorXd>(x, nv));
        }
    }
}

void kinematics(const double* q, const double* v, const double* param, double* work, double* X, double* V) {
    Workspace w = workspaceOf(work);
    prepare(w, q, v, param);
    for (std::size_t i = 0; i < w.context->topology.bodies().size(); i++) {
        const BodyKinematics& k = w.kinematics[i];
        Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(X + 12 * i) = k.R;
        Eigen::Map<Vector3>(X + 12 * i + 9) = k.p;
        Eigen::Map<Vector3>(V + 6 * i) = k.R * k.v.head<3>();
        Eigen::Map<Vector3>(V + 6 * i + 3) = k.R * k.v.tail<3>();
    }
}

void observe(const double* q, const double* v, const double* param, double* work, double* obs) {
    Workspace w = workspaceOf(work);
    const Topology& topology = w.context->topology;
    const Model& model = topology.model();
    const Layout& layout = topology.layout();
    const std::span<const double> p = paramOf(*w.context, param);
    prepare(w, q, v, param);
    for (std::size_t i = 0; i < model.points.size(); i++) {
        const BodyPoint& point = model.points[i].point;
        const PointMotion m = pointMotion(w.kinematics, point.body, vectorAt(point.at, p));
        Eigen::Map<Vector3>(obs + layout.obs_of_point[i]) = m.position;
        Eigen::Map<Vector3>(obs + layout.obs_of_point[i] + 3) = m.velocity;
    }
    for (std::size_t e = 0; e < model.tsdas.size(); e++) {
        const TsdaMotion m = tsdaMotion(model.tsdas[e], p, w.kinematics);
        obs[layout.obs_of_tsda[e]] = m.length;
        obs[layout.obs_of_tsda[e] + 1] = m.rate;
    }
    for (std::size_t e = 0; e < model.rsdas.size(); e++) {
        const TreeBody& b = topology.bodies()[model.rsdas[e].body];
        obs[layout.obs_of_rsda[e]] = q[b.q];
        obs[layout.obs_of_rsda[e] + 1] = v[b.v];
    }
}

void massMatrixEntry(const double* q, const double* param, double* work, double* M) {
    Workspace w = workspaceOf(work);
    const Topology& topology = w.context->topology;
    prepare(w, q, nullptr, param);
    Eigen::Map<Eigen::MatrixXd> out(M, topology.layout().nv, topology.layout().nv);
    if (w.context->route == ReferenceRoute::aba) projectedMassMatrix(topology, w.numbers, w.kinematics, out);
    else massMatrix(topology, w.numbers, w.kinematics, w.I_composite, out);
}

void bias(const double* q, const double* v, const double* param, double* work, double* c) {
    Workspace w = workspaceOf(work);
    const Topology& topology = w.context->topology;
    const Vector3 gravity = topology.gravity(paramOf(*w.context, param));
    prepare(w, q, v, param);
    if (w.context->route == ReferenceRoute::aba) projectedBias(topology, w.numbers, w.kinematics, gravity, q, v, c);
    else inverseDynamics(topology, w.numbers, w.kinematics, gravity, nullptr, nullptr, w.inverse, c);
}

void loopJacobian(const double* q, const double* param, double* work, double* K) {
    Workspace w = workspaceOf(work);
    if (w.context->loops.empty()) return;
    prepare(w, q, nullptr, param);
    prepareLoops(w, param);
    const ConstraintRows rows = rowsOf(w);
    Eigen::Map<RowMatrix> out(K, rows.rows(), rows.cols());
    for (Eigen::Index i = 0; i < rows.rows(); i++) out.row(i) = rows.row(i) / w.rows.length[i];
}

int find(const mw_kernel* self, const char* kind, const char* name) {
    if (!kind || !name) return -1;
    const Topology& topology = static_cast<const Context*>(self->context)->topology;
    return findSlot(topology.model(), topology.layout(), kind, name);
}

}  // namespace

Kernel makeReferenceKernel(const Model& model, ReferenceRoute route) {
    auto context = std::make_shared<Context>(model, route);
    const Layout& layout = context->topology.layout();
    const char* maker = route == ReferenceRoute::aba ? "reference aba" : "reference";
    const Hash model_hash = dynamicsHash(model);
    Hasher hasher;
    hasher.add(std::string_view(maker)).add(std::int64_t{1}).add(model_hash);
    const Hash kernel_hash = hasher.finish();

    mw_kernel& c = context->c;
    Workspace unused;
    const std::size_t numbers = carve(*context, nullptr, unused);
    requireManageable(layout, "the reference", numbers);
    describeKernel(c, sizesOf(layout, static_cast<int>(numbers)), model_hash, kernel_hash);
    c.context = context.get();
    c.init_work = initWork;
    c.fwd_dyn = forwardDynamics;
    c.factor = factor;
    c.apply_inverse_mass = applyInverseMass;
    c.kinematics = kinematics;
    c.observe = observe;
    c.mass_matrix = massMatrixEntry;
    c.bias = bias;
    c.loop_jacobian = loopJacobian;
    c.find = find;
    return {&context->c, maker, context};
}

}  // namespace mw

// Rows of joints, the warm start, the solve, and the sums over a step's substeps. What is read of them: row_read.cpp.
#include "engine/sim/row_step.h"

#include <algorithm>
#include <cmath>

#include "engine/sim/floating_bases.h"
#include "engine/sim/motion_axes.h"

namespace mw {
namespace {

// Speed at which a joint's limit begins to bounce, rad/s or m/s: above what gravity adds in a step of a mechanism at
// rest, so that what leans on a limit does not rattle.
constexpr double kLimitRestitutionSpeed = 0.1;
constexpr std::size_t kWarmNumbers = 8;  // of one memory in the state's block

bool isContact(RowKind kind) {
    return kind == RowKind::normal || kind == RowKind::tangent || kind == RowKind::torsion || kind == RowKind::rolling;
}

double low(std::uint64_t key) { return static_cast<double>(key & 0xffffffffu); }
double high(std::uint64_t key) { return static_cast<double>(key >> 32); }
std::uint64_t keyOf(double low, double high) {
    return static_cast<std::uint64_t>(low) | (static_cast<std::uint64_t>(high) << 32);
}

/// Part of a contact's depth that one solve mends: of a depth that is looked at once a step, however many substeps
/// share it, the step as a whole mends its part.
double correctionOf(const ContactOptions& options) {
    return options.collide_each_substep ? options.beta : options.beta / options.substeps;
}

}  // namespace

RowStep::RowStep(const Model& model, const Layout& layout)
    : active_(hasRows(model)), options_(model.contact), tendons_(model, layout) {
    for (const Tendon& tendon : model.tendons) tendon_damping_.push_back(tendon.damping);
    if (!active_) return;
    shapes_ = ShapeContacts(model);
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const Body& body = model.bodies[b];
        const int count = jointNv(body.joint.type);
        const bool losses = !body.joint_friction.isZero() || !body.joint_damping.isZero();
        if (count == 0 || (!body.limits && !losses)) continue;
        for (int k = 0; k < count; ++k) {
            JointLaw law;
            law.v = layout.v_of_body[b] + k;
            law.limited = body.limits && count == 1;
            law.q = layout.q_of_body[b] + k;
            joints_.push_back(law);
            limits_.push_back(body.limits.value_or(JointLimits{}));
            losses_.push_back({body.joint_friction, body.joint_damping});
        }
    }
    for (const Drive& drive : model.drives) {
        if (drive.kind != Drive::Kind::prescribed) continue;
        PrescribedLaw law;
        law.value = drive.expression;
        law.rate = timeDerivative(law.value);
        law.acceleration = timeDerivative(law.rate);
        law.q = layout.q_of_body[static_cast<std::size_t>(drive.body)] + drive.coordinate;
        law.v = layout.v_of_body[static_cast<std::size_t>(drive.body)] + drive.coordinate;
        prescribed_laws_.push_back(law);
    }
    prescribed_.resize(prescribed_laws_.size());
}

void RowStep::setParameters(std::span<const double> param) {
    tendons_.setParameters(param);
    tendon_damping_now_.resize(tendon_damping_.size());
    for (std::size_t i = 0; i < tendon_damping_.size(); ++i) tendon_damping_now_[i] = tendon_damping_[i].at(param);
    if (!active_) return;
    shapes_.setParameters(param);
    for (std::size_t i = 0; i < joints_.size(); ++i) {
        JointLaw& law = joints_[i];
        law.lower = limits_[i].lower.at(param), law.upper = limits_[i].upper.at(param);
        law.margin = limits_[i].margin.at(param), law.compliance = limits_[i].compliance.at(param);
        law.correction = limits_[i].correction.at(param), law.restitution = limits_[i].restitution.at(param);
        law.locked = law.limited && law.lower == law.upper;
        law.friction = losses_[i][0].at(param), law.damping = losses_[i][1].at(param);
    }
}

void RowStep::tilt(const Model& model, double slope) {
    if (active_) shapes_ = ShapeContacts(model, slope);
}

void RowStep::prescribe(std::span<const double> param, double t, std::span<double> q, std::span<double> v) const {
    for (const PrescribedLaw& law : prescribed_laws_) {
        q[static_cast<std::size_t>(law.q)] = evaluate(*law.value, param, t);
        v[static_cast<std::size_t>(law.v)] = evaluate(*law.rate, param, t);
    }
}

void RowStep::place(std::span<const double> param, double t, std::span<double> q) const {
    for (const PrescribedLaw& law : prescribed_laws_)
        q[static_cast<std::size_t>(law.q)] = evaluate(*law.value, param, t);
}

// The elimination of prescribed velocities is linear: what it does to velocities it does to accelerations.
void RowStep::hold(const Kernel& kernel, double* work, std::span<const double> q, std::span<const double> param,
                   std::span<PrescribedVelocity> held, std::span<double> v) const {
    kernel->factor(q.data(), param.data(), work);
    const auto inverse = [&kernel, work](const double* rhs, int count, double* out) {
        kernel->apply_inverse_mass(work, rhs, count, out);
    };
    RowSolver solver;
    solver.solve(RowSet{}, inverse, v, {}, held, SolveOptions{});
}

void RowStep::takeAlong(const Kernel& kernel, double* work, std::span<const double> q, std::span<const double> param,
                        double t, std::span<double> v) {
    std::vector<PrescribedVelocity> held;
    for (const PrescribedLaw& law : prescribed_laws_) held.push_back({law.v, evaluate(*law.rate, param, t), 0});
    hold(kernel, work, q, param, held, v);
}

void RowStep::accelerate(const Kernel& kernel, double* work, std::span<const double> q, std::span<const double> param,
                         double t, std::span<double> vdot, std::span<double> reaction) {
    std::vector<PrescribedVelocity> held;
    for (const PrescribedLaw& law : prescribed_laws_) held.push_back({law.v, evaluate(*law.acceleration, param, t), 0});
    hold(kernel, work, q, param, held, vdot);
    for (const PrescribedVelocity& one : held) reaction[static_cast<std::size_t>(one.slot)] += one.impulse;
}

MotionAxes& RowStep::axesFor(const Model& model, const Layout& layout, std::span<const double> q,
                             std::span<const double> X, std::span<const double> param) {
    fillMotionAxes(model, layout, q, X, param, read_axes_);
    return read_axes_;
}

void RowStep::addStateForces(const Model& model, const Layout& layout, const Start& start, std::span<double> tau) {
    fillMotionAxes(model, layout, start.q, start.X, start.param, read_axes_);
    tendons_.addStateForces(tendonStep(start, &read_axes_), tau);
}

void RowStep::begin(const State& state, double h) {
    warm_.clear();
    sum_rows_.clear(), sum_p_.clear(), sum_contacts_.clear();
    sum_reactions_.assign(prescribed_laws_.size(), 0.0);
    sum_explicit_damping_.assign(joints_.size(), 0.0);
    total_ = SolveReport{};
    t0_ = state.t, t1_ = state.t + h, whole_h_ = h;
    valid_ = false;
    const std::vector<double>* block = options_.warm ? state.findBlock(kWarmBlock) : nullptr;
    for (std::size_t i = 0; block && i + kWarmNumbers <= block->size(); i += kWarmNumbers) {
        const double* x = block->data() + i;
        warm_.push_back({keyOf(x[1], x[2]), keyOf(x[3], x[4]), static_cast<RowKind>(x[0]), {x[5], x[6], x[7]}});
    }
}

void RowStep::end(State& state) {
    valid_ = true;
    if (!options_.warm) return;
    std::vector<double>& block = state.block(kWarmBlock, 0);
    block.resize(kWarmNumbers * warm_.size());
    double* x = block.data();
    for (const Memory& m : warm_) {
        *x++ = static_cast<double>(m.kind);
        *x++ = low(m.owner), *x++ = high(m.owner), *x++ = low(m.feature), *x++ = high(m.feature);
        for (const double impulse : m.impulse) *x++ = impulse;
    }
}

// One joint velocity after the other: damping, friction, limits. Limits as those of a tendon
// (docs/rows.md), with restitution as that of a contact.
void RowStep::addJointRows(const Start& start) {
    joint_bias_.clear();
    const double h = start.h;
    for (const JointLaw& law : joints_) {
        const double q = start.q[static_cast<std::size_t>(law.q)], v = start.v[static_cast<std::size_t>(law.v)];
        const auto put = [&](Row row, double bias) {
            row.owner = law.v;
            const int begin = rows_.mark();
            rows_.put(law.v, 1);
            rows_.add(row, begin);
            joint_bias_.push_back(bias);
        };
        Row row;
        if (law.damping > 0) {
            row.kind = RowKind::joint_damping;
            row.softness = 1 / (h * law.damping), row.target = v;
            put(row, 0);
        }
        if (law.friction > 0) {
            row = Row{};
            row.kind = RowKind::joint_friction;
            row.lower = -h * law.friction, row.upper = h * law.friction;
            put(row, 0);
        }
        if (!law.limited) continue;
        row = Row{};
        row.softness = law.compliance / (h * h);
        if (law.locked) {
            row.kind = RowKind::joint_lock;
            row.target = law.correction * (law.lower - q) / h;
            put(row, row.target);
            continue;
        }
        // side: +1 the lower limit, -1 the upper one; `inward`: speed away from the limit
        const auto limit = [&](RowKind kind, double side, double gap) {
            row.kind = kind;
            const double inward = side * v;
            const double bias = gap < 0 ? -law.correction * gap / h : 0;
            double target = gap < 0 ? bias : -gap / h;
            const bool hits = inward < -kLimitRestitutionSpeed && gap + h * inward < 0;
            if (law.restitution > 0 && hits) target = std::max(target, -law.restitution * inward);
            row.target = side * target;
            row.lower = side > 0 ? 0 : -std::numeric_limits<double>::infinity();
            row.upper = side > 0 ? std::numeric_limits<double>::infinity() : 0;
            put(row, side * bias);
        };
        if (std::isfinite(law.lower)) limit(RowKind::joint_lower, 1, q - law.lower - law.margin);
        if (std::isfinite(law.upper)) limit(RowKind::joint_upper, -1, law.upper - q - law.margin);
    }
}

// Contacts at the start of the step, or carried on by the bodies' motion through its substeps.
void RowStep::collide(const Start& start) {
    if (shapes_.empty()) return;
    const auto placed = [&](int body, const Vector3d& local) {
        if (body == kBase) return local;
        const double* R = start.X.data() + 12 * body;
        Vector3d p{};
        for (std::size_t k = 0; k < 3; ++k)
            p[k] = R[3 * k] * local[0] + R[3 * k + 1] * local[1] + R[3 * k + 2] * local[2] + R[9 + k];
        return p;
    };
    const bool fresh = start.first || options_.collide_each_substep;
    if (fresh) {
        // Records of the whole step see as far as its bodies may come in it.
        const double reach = options_.collide_each_substep ? start.h : start.h * options_.substeps;
        facts_ = shapes_.detect(start.X, start.V, reach, records_);
        if (options_.substeps == 1 || options_.collide_each_substep) return;
        offsets_.resize(records_.size());
    }
    for (std::size_t i = 0; i < records_.size(); ++i) {
        ContactRecord& record = records_[i];
        const Vector3d a = placed(record.a, record.local_a), b = placed(record.b, record.local_b);
        double along = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            along += record.normal[k] * (b[k] - a[k]);
            if (!fresh) record.point[k] = 0.5 * (a[k] + b[k]);
        }
        if (fresh) offsets_[i] = along - record.gap;
        else record.gap = along - offsets_[i];
    }
}

std::uint64_t RowStep::ownerKey(const Row& row) const {
    return isContact(row.kind) ? 0 : static_cast<std::uint64_t>(row.owner);
}

// The two directions that a pair of rows belongs to, and its impulse as one vector.
std::array<double, 3> RowStep::vectorOf(const Row& row, double p1, double p2) const {
    const ContactRecord& record = records_[static_cast<std::size_t>(row.owner)];
    std::array<double, 3> out{};
    for (std::size_t k = 0; k < 3; ++k) out[k] = p1 * record.tangent1[k] + p2 * record.tangent2[k];
    return out;
}

bool RowStep::isPair(std::size_t i) const {
    const Row& row = rows_.rows[i];
    return (row.kind == RowKind::tangent || row.kind == RowKind::rolling) && i + 1 < rows_.rows.size() &&
           rows_.rows[i + 1].kind == row.kind && rows_.rows[i + 1].owner == row.owner;
}

void RowStep::warmStart(std::span<double> p) const {
    std::size_t next = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const Row& row = rows_.rows[i];
        const bool pair = isPair(i);
        const std::uint64_t owner = ownerKey(row);
        for (std::size_t k = 0; k < warm_.size(); ++k) {
            const Memory& m = warm_[(next + k) % warm_.size()];
            if (m.kind != row.kind || m.owner != owner || m.feature != row.feature) continue;
            next = (next + k + 1) % warm_.size();
            if (pair) {
                const ContactRecord& record = records_[static_cast<std::size_t>(row.owner)];
                for (std::size_t c = 0; c < 3; ++c) {
                    p[i] += m.impulse[c] * record.tangent1[c];
                    p[i + 1] += m.impulse[c] * record.tangent2[c];
                }
            } else {
                p[i] = m.impulse[0];
            }
            break;
        }
        if (pair) ++i;
    }
}

void RowStep::remember() {
    warm_.clear();
    for (std::size_t i = 0; i < p_.size(); ++i) {
        const Row& row = rows_.rows[i];
        const bool pair = isPair(i);
        Memory m{ownerKey(row), row.feature, row.kind, {p_[i], 0, 0}};
        if (pair) m.impulse = vectorOf(row, p_[i], p_[i + 1]), ++i;
        if (m.impulse != std::array<double, 3>{}) warm_.push_back(m);
    }
}

void RowStep::solve(const Model& model, const Layout& layout, const Kernel& kernel, double* work, const Start& start,
                    std::span<double> v) {
    h_ = start.h;
    v_start_.assign(start.v.begin(), start.v.end());
    q_start_.assign(start.q.begin(), start.q.end());
    X_start_.assign(start.X.begin(), start.X.end());
    v_free_.assign(v.begin(), v.end());
    rows_.clear();
    if (!tendons_.empty() || !shapes_.empty()) fillMotionAxes(model, layout, start.q, start.X, start.param, axes_);

    // Rows, in the order in which they are swept.
    addJointRows(start);
    const TendonStep step = tendonStep(start, &axes_);
    if (!tendons_.empty()) tendons_.addRows(step, rows_);
    leaveTurning(model, layout, start);
    collide(start);
    if (!records_.empty()) {
        addContactRows(records_, axes_, start.v, {start.h, correctionOf(options_), options_.slop}, rows_);
    }
    for (std::size_t i = 0; i < prescribed_laws_.size(); ++i) {
        const PrescribedLaw& law = prescribed_laws_[i];
        const double now = evaluate(*law.value, start.param, start.t);
        const double then = evaluate(*law.value, start.param, start.end);
        prescribed_[i] = {law.v, (then - now) / start.h, 0};
    }

    // The solve.
    p_.assign(rows_.rows.size(), 0.0);
    warmStart(p_);
    SolveOptions solve;
    solve.iterations = options_.iterations, solve.tolerance = options_.tolerance, solve.warm = options_.warm;
    solve.relaxation = options_.relaxation.value_or(1), solve.box = options_.cone == ContactOptions::Cone::box;
    // At rest a warm start is within the tolerance by itself: one sweep a step takes what is left of the error away.
    solve.at_least = 1;
    if (!rows_.empty() || !prescribed_.empty()) {
        kernel->factor(start.q.data(), start.param.data(), work);
        struct {
            const mw_kernel* kernel;
            double* work;
        } const with{kernel.c, work};
        const auto inverse = [&with](const double* rhs, int count, double* out) {
            with.kernel->apply_inverse_mass(with.work, rhs, count, out);
        };
        report_ = solver_.solve(rows_, inverse, v, p_, prescribed_, solve);
    } else {
        report_ = SolveReport{};
    }
    v_end_.assign(v.begin(), v.end());
    if (options_.warm) remember();
    if (!tendons_.empty()) tendons_.finish(step, rows_, p_, v);
    gather();
}

// An armature's target is made for components in axes that turn with floating bodies; the step works in those of its
// start.
void RowStep::leaveTurning(const Model& model, const Layout& layout, const Start& start) {
    std::vector<double> turning;
    for (Row& row : rows_.rows) {
        if (row.kind != RowKind::armature) continue;
        if (turning.empty()) {
            turning.assign(start.v.size(), 0.0);
            addTurning(model, layout, start.v, start.param, start.h, turning);
        }
        for (int k = row.begin; k < row.begin + row.count; ++k)
            row.target += rows_.values[static_cast<std::size_t>(k)] *
                          turning[static_cast<std::size_t>(rows_.columns[static_cast<std::size_t>(k)])];
    }
}

TendonStep RowStep::tendonStep(const Start& start, const MotionAxes* axes) {
    TendonStep step;
    step.h = start.h, step.t = start.t;
    step.q = start.q, step.v = start.v, step.param = start.param, step.X = start.X, step.V = start.V;
    step.axes = axes;
    step.command = start.command, step.off = start.off, step.memory = start.memory;
    return step;
}

// Adds the solve to the sums of the whole step: rows by their identity, contacts by theirs.
void RowStep::gather() {
    found_.resize(p_.size());
    const bool alone = sum_rows_.rows.empty() && sum_contacts_.empty();
    for (std::size_t i = 0; i < p_.size(); ++i) {
        const Row& row = rows_.rows[i];
        std::size_t found = sum_rows_.rows.size();
        for (std::size_t k = 0; !alone && k < sum_rows_.rows.size(); ++k) {
            const Row& known = sum_rows_.rows[k];
            if (known.kind != row.kind || known.feature != row.feature) continue;
            if (!isContact(row.kind) && known.owner != row.owner) continue;
            if (taken_[k]) continue;  // the second of a pair comes second
            found = k;
            break;
        }
        if (found == sum_rows_.rows.size()) {
            const int begin = sum_rows_.mark();
            for (int k = row.begin; k < row.begin + row.count; ++k)
                sum_rows_.put(rows_.columns[static_cast<std::size_t>(k)], rows_.values[static_cast<std::size_t>(k)]);
            sum_rows_.add(row, begin);
            sum_p_.push_back(0);
            taken_.push_back(0);
        }
        if (taken_.size() < sum_rows_.rows.size()) taken_.resize(sum_rows_.rows.size());
        found_[i] = found;
        sum_p_[found] += p_[i];
        taken_[found] = 1;
    }
    std::fill(taken_.begin(), taken_.end(), 0);
    last_p_.resize(p_.size());
    for (std::size_t i = 0; i < p_.size(); ++i) last_p_[i] = sum_p_[found_[i]];
    for (std::size_t i = 0; i < prescribed_.size(); ++i) sum_reactions_[i] += prescribed_[i].impulse;
    for (std::size_t i = 0; i < joints_.size(); ++i)
        sum_explicit_damping_[i] -= h_ * joints_[i].damping * v_start_[static_cast<std::size_t>(joints_[i].v)];
    gatherContacts();

    // The step is as good as its worst substep.
    const auto rank = [](SolveStatus status) {
        switch (status) {
            case SolveStatus::no_rows: return 0;
            case SolveStatus::converged: return 1;
            case SolveStatus::no_freedom: return 2;
            case SolveStatus::budget_spent: return 3;
        }
        return 0;
    };
    if (rank(report_.status) > rank(total_.status)) total_.status = report_.status;
    total_.rows = std::max(total_.rows, report_.rows);
    total_.sweeps += report_.sweeps, total_.subspace_steps += report_.subspace_steps;
    total_.stuck = std::max(total_.stuck, report_.stuck);
    total_.residual = std::max(total_.residual, report_.residual);
}

RowWork RowStep::work(std::span<const double> before, std::span<const double> after) const {
    RowWork sum;
    for (std::size_t i = 0; i < p_.size(); ++i) {
        const Row& row = rows_.rows[i];
        const double p = p_[i];
        if (p == 0) continue;
        double u_before = 0, u_after = 0;
        for (int k = row.begin; k < row.begin + row.count; ++k) {
            const auto at = static_cast<std::size_t>(k);
            const auto slot = static_cast<std::size_t>(rows_.columns[at]);
            u_before += rows_.values[at] * before[slot];
            u_after += rows_.values[at] * after[slot];
        }
        // A winch gives what its paying out takes of the force; the rest is at work along the tendon's own coordinate.
        const double feed = feedOf(row);
        sum.drives += p * feed;
        u_before -= feed, u_after -= feed;
        const double mean = 0.5 * (u_before + u_after), work = p * mean;
        // What a row is asked for beyond rest is given to the mechanism; what it takes below that is lost.
        const double correction = p * biasOf(row, i);
        switch (row.kind) {
            case RowKind::spring_damper: {
                // p = -h k e - h (d + h k) u+: the spring from where it stood, the damper, and what the spring's
                // end-of-step force adds, which is no law's.
                const double d = tendon_damping_now_[static_cast<std::size_t>(row.owner)];
                const double whole = 1 / (h_ * row.softness);
                sum.tendon_dissipated += h_ * d * u_after * mean;
                sum.numerical += h_ * (whole - d) * u_after * mean;
                break;
            }
            case RowKind::drive: sum.drives += work; break;
            case RowKind::muscle: sum.drives += work + tendons_.muscleStored(row.owner); break;
            case RowKind::armature: break;  // kinetic energy of the armature
            case RowKind::friction:
            case RowKind::flow:
            case RowKind::lower:
            case RowKind::upper:
            case RowKind::lock:
            case RowKind::coupling:
                sum.injected += correction;
                sum.tendon_dissipated += correction - work;
                break;
            case RowKind::joint_damping: sum.damping -= work; break;
            default: sum.injected += correction; sum.row_dissipated += correction - work;
        }
    }
    for (const PrescribedVelocity& one : prescribed_) {
        const auto slot = static_cast<std::size_t>(one.slot);
        sum.prescribed += one.impulse * 0.5 * (before[slot] + after[slot]);
    }
    return sum;
}

double RowStep::feedOf(const Row& row) const {
    switch (row.kind) {
        case RowKind::spring_damper:
        case RowKind::drive:
        case RowKind::muscle:
        case RowKind::friction:
        case RowKind::armature:
        case RowKind::lower:
        case RowKind::upper:
        case RowKind::lock: return tendons_.feedRate(row.owner);
        case RowKind::coupling: return tendons_.couplingFeedRate(row.owner);
        default: return 0;
    }
}

// Speed that position correction asks of a row: the part of its target that is no prediction and no bounce.
double RowStep::biasOf(const Row& row, std::size_t index) const {
    switch (row.kind) {
        case RowKind::lower: return std::max(0.0, row.target - feedOf(row));
        case RowKind::upper: return std::min(0.0, row.target - feedOf(row));
        case RowKind::lock:
        case RowKind::coupling:
        case RowKind::flow: return row.target - feedOf(row);
        case RowKind::normal: {
            const double depth = -records_[static_cast<std::size_t>(row.owner)].gap - options_.slop;
            return std::clamp(correctionOf(options_) * depth / h_, 0.0, std::max(0.0, row.target));
        }
        case RowKind::joint_lower:
        case RowKind::joint_upper:
        case RowKind::joint_lock: return joint_bias_[index];
        default: return 0;
    }
}

void RowStep::addForces(std::span<double> tau) const {
    for (std::size_t i = 0; i < p_.size(); ++i) {
        const Row& row = rows_.rows[i];
        for (int k = row.begin; k < row.begin + row.count; ++k)
            tau[static_cast<std::size_t>(rows_.columns[static_cast<std::size_t>(k)])] +=
                p_[i] / h_ * rows_.values[static_cast<std::size_t>(k)];
    }
    for (const PrescribedVelocity& one : prescribed_) tau[static_cast<std::size_t>(one.slot)] += one.impulse / h_;
}

}  // namespace mw

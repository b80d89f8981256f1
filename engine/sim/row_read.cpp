// What a step's rows left to be read: forces of contacts and joints, and whether the contacts' own forces account for
// the change of momentum.
#include <algorithm>
#include <cmath>

#include "engine/model/vectors.h"
#include "engine/sim/row_step.h"
#include "engine/sim/simulation.h"

namespace mw {
namespace {

double size(const Vector3d& a) { return std::sqrt(dot(a, a)); }

// Velocity of the point of a body that is at `point`.
Vector3d velocityAt(const MotionAxes& axes, int body, const Vector3d& point, std::span<const double> v) {
    if (body == kBase) return {};
    Vector3d w{}, u{};
    for (const int slot : axes.chain(body)) {
        const std::array<double, 6>& a = axes.axis[static_cast<std::size_t>(slot)];
        const double x = v[static_cast<std::size_t>(slot)];
        for (std::size_t k = 0; k < 3; ++k) w[k] += a[k] * x, u[k] += a[3 + k] * x;
    }
    const Vector3d turn = cross(w, point);
    for (std::size_t k = 0; k < 3; ++k) u[k] += turn[k];
    return u;
}

}  // namespace

// Impulses of one contact's rows as vectors in base axes, on B.
void RowStep::addContactRow(std::size_t i, ContactSum& sum) const {
    const Row& row = rows_.rows[i];
    const ContactRecord& record = records_[static_cast<std::size_t>(row.owner)];
    const auto add = [&](Vector3d& to, const Vector3d& direction) {
        for (std::size_t k = 0; k < 3; ++k) to[k] += p_[i] * direction[k];
    };
    const bool second = i > 0 && rows_.rows[i - 1].kind == row.kind && rows_.rows[i - 1].owner == row.owner;
    const Vector3d& tangent = second ? record.tangent2 : record.tangent1;
    if (row.kind == RowKind::normal) sum.normal += p_[i];
    else if (row.kind == RowKind::tangent) add(sum.friction, tangent);
    else if (row.kind == RowKind::torsion) add(sum.couple, record.normal);
    else if (row.kind == RowKind::rolling) add(sum.couple, tangent);
}

void RowStep::gatherContacts() {
    for (const ContactRecord& record : records_) {
        std::size_t at = 0;
        while (at < sum_contacts_.size() && sum_contacts_[at].record.key != record.key) ++at;
        if (at == sum_contacts_.size()) {
            ContactSum fresh;
            fresh.record = record;
            sum_contacts_.push_back(fresh);
        }
        const Vector3d a = velocityAt(axes_, record.a, record.point, v_end_);
        const Vector3d b = velocityAt(axes_, record.b, record.point, v_end_);
        Vector3d slip{b[0] - a[0], b[1] - a[1], b[2] - a[2]};
        const double along = dot(slip, record.normal);
        for (std::size_t k = 0; k < 3; ++k) slip[k] -= along * record.normal[k];
        sum_contacts_[at].slip = slip;
        place_.resize(records_.size());
        place_[static_cast<std::size_t>(&record - records_.data())] = at;
    }
    for (std::size_t i = 0; i < p_.size(); ++i) {
        const RowKind kind = rows_.rows[i].kind;
        if (kind == RowKind::normal || kind == RowKind::tangent || kind == RowKind::torsion || kind == RowKind::rolling)
            addContactRow(i, sum_contacts_[place_[static_cast<std::size_t>(rows_.rows[i].owner)]]);
    }
}

// Of the last solve: M (v+ - v_free) less the rows' impulses, those of contacts taken from the forces that are shown,
// at the points that are shown. With loops what they leave of it.
double RowStep::closure(const Model& model, const Layout& layout, const Kernel& kernel, double* work,
                        std::span<const double> param) const {
    const auto nv = static_cast<std::size_t>(layout.nv);
    std::vector<double> known(nv, 0.0), moved(nv), mass(nv * nv);
    std::vector<ContactSum> sums(records_.size());
    for (std::size_t i = 0; i < p_.size(); ++i) {
        const Row& row = rows_.rows[i];
        if (row.kind == RowKind::normal || row.kind == RowKind::tangent || row.kind == RowKind::torsion ||
            row.kind == RowKind::rolling) {
            addContactRow(i, sums[static_cast<std::size_t>(row.owner)]);
            continue;
        }
        for (int k = row.begin; k < row.begin + row.count; ++k)
            known[static_cast<std::size_t>(rows_.columns[static_cast<std::size_t>(k)])] +=
                p_[i] * rows_.values[static_cast<std::size_t>(k)];
    }
    for (const PrescribedVelocity& one : prescribed_) known[static_cast<std::size_t>(one.slot)] += one.impulse;
    for (std::size_t i = 0; i < records_.size(); ++i) {
        const ContactRecord& record = records_[i];
        Vector3d force = sums[i].friction, couple = sums[i].couple;
        for (std::size_t k = 0; k < 3; ++k) force[k] += sums[i].normal * record.normal[k];
        for (const int side : {1, -1}) {
            const int body = side > 0 ? record.b : record.a;
            if (body == kBase) continue;
            const Vector3d arm = cross(record.point, force);
            Vector3d moment{}, push{};
            for (std::size_t k = 0; k < 3; ++k) moment[k] = side * (couple[k] + arm[k]), push[k] = side * force[k];
            addWrench(model, layout, q_start_, X_start_, param, body, moment, push, known);
        }
    }
    kernel->factor(q_start_.data(), param.data(), work);
    kernel->apply_inverse_mass(work, known.data(), 1, moved.data());
    for (std::size_t i = 0; i < nv; ++i) moved[i] = v_end_[i] - v_free_[i] - moved[i];
    kernel->mass_matrix(q_start_.data(), param.data(), work, mass.data());
    double worst = 0;
    for (std::size_t i = 0; i < nv; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < nv; ++j) sum += mass[i * nv + j] * moved[j];
        worst = std::max(worst, std::abs(sum));
    }
    return worst;
}

void RowStep::read(const Model& model, const Layout& layout, const Kernel& kernel, double* work,
                   std::span<const double> param, bool contacts, RowsReading& out) const {
    out = RowsReading{};
    out.valid = valid_;
    // Joints whose laws are rows stand in the list before any step too, their forces absent.
    for (const JointLaw& law : joints_)
        if (out.joints.empty() || out.joints.back().slot != law.v) out.joints.emplace_back().slot = law.v;
    const auto joint = [&](int slot) -> JointRowReading& {
        for (JointRowReading& one : out.joints)
            if (one.slot == slot) return one;
        out.joints.emplace_back().slot = slot;
        return out.joints.back();
    };
    for (const PrescribedLaw& law : prescribed_laws_) joint(law.v);
    std::sort(out.joints.begin(), out.joints.end(), [](const auto& a, const auto& b) { return a.slot < b.slot; });
    if (!valid_) return;
    out.t0 = t0_, out.t1 = t1_;
    out.report = total_;
    out.facts = facts_;
    const double h = whole_h_;
    for (std::size_t i = 0; i < sum_p_.size(); ++i) {
        const Row& row = sum_rows_.rows[i];
        out.kinds.push_back(row.kind);
        out.impulses.push_back(sum_p_[i]);
        const double force = sum_p_[i] / h;
        switch (row.kind) {
            case RowKind::joint_lower: joint(row.owner).lower = force; break;
            case RowKind::joint_upper: joint(row.owner).upper = force; break;
            case RowKind::joint_lock: joint(row.owner).lock = force; break;
            case RowKind::joint_friction: joint(row.owner).friction = force; break;
            case RowKind::joint_damping: joint(row.owner).damping = force; break;
            default: break;
        }
    }
    for (std::size_t i = 0; i < joints_.size(); ++i)
        if (joints_[i].damping > 0) {
            std::optional<double>& damping = joint(joints_[i].v).damping;
            damping = damping.value_or(0) + sum_explicit_damping_[i] / h;
        }
    for (std::size_t i = 0; i < prescribed_laws_.size(); ++i)
        joint(prescribed_laws_[i].v).prescribed = sum_reactions_[i] / h;
    for (const ContactSum& sum : sum_contacts_) {
        ShapeContactReading reading;
        reading.record = sum.record;
        if (contacts) reading.id = shapes_.idOf(sum.record);
        reading.normal_force = sum.normal / h;
        for (std::size_t k = 0; k < 3; ++k) {
            reading.friction[k] = sum.friction[k] / h, reading.couple[k] = sum.couple[k] / h;
            reading.force[k] = reading.friction[k] + reading.normal_force * sum.record.normal[k];
        }
        reading.slip = sum.slip;
        reading.limit = sum.record.values.mu * reading.normal_force;
        const bool loaded = reading.normal_force > 0;
        const bool on_cone = size(reading.friction) >= reading.limit * (1 - 1e-6);
        reading.state = !loaded                                ? ContactState::open
                        : on_cone && size(reading.slip) > 1e-9 ? ContactState::slip
                                                               : ContactState::stick;
        out.contacts.push_back(reading);
    }
    out.closure = closure(model, layout, kernel, work, param);
}

}  // namespace mw

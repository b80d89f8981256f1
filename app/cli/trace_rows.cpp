// Columns of a table that rows bring: tendons, joints, contacts of shapes, the solve, and the ledger's lines of them.
#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <fmt/format.h>
#include <limits>

#include "app/cli/rows_json.h"
#include "app/cli/trace.h"
#include "engine/base/table_field.h"

namespace mw::cli {

namespace {

constexpr double kNotComputed = std::numeric_limits<double>::quiet_NaN();  // leaves its field empty

/// Which rows a joint's velocity has.
struct JointColumns {
    bool limit = false, friction = false;
};
JointColumns columnsOf(const Body& body) {
    JointColumns out;
    if (jointNv(body.joint.type) == 1 && body.limits)
        out.limit = std::isfinite(body.limits->lower.value) || std::isfinite(body.limits->upper.value) ||
                    body.limits->lower.isLive() || body.limits->upper.isLive();
    out.friction = body.joint_friction.isLive() || body.joint_friction.value > 0;
    return out;
}

}  // namespace

std::string Trace::rowNames() const {
    std::string names =
        ",energy.tendons,energy.tendon_dissipated,energy.row_dissipated,energy.prescribed,energy.injected,"
        "energy.numerical,solver.rows,solver.sweeps,solver.residual,solver.status";
    for (const Tendon& t : model_.tendons)
        names += fmt::format(",tendon.{0}.length,tendon.{0}.rate,tendon.{0}.tension", t.name);
    for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
        const JointColumns columns = columnsOf(model_.bodies[b]);
        for (int i = 0; i < jointNv(model_.bodies[b].joint.type); ++i) {
            const std::string& name = layout_.v_names[static_cast<std::size_t>(layout_.v_of_body[b] + i)];
            if (columns.limit) names += fmt::format(",joint.{}.limit", name);
            if (columns.friction) names += fmt::format(",joint.{}.friction", name);
        }
    }
    if (!shapes_.empty()) names += ",contact.count,contact.loaded,contact.depth";
    if (grounded_ && !contact_) names += ",contact.ground.fx,contact.ground.fy,contact.ground.fz";
    for (const int s : shapes_) {
        const std::string& name = model_.shapes[static_cast<std::size_t>(s)].name;
        names += fmt::format(",contact.{0}.fx,contact.{0}.fy,contact.{0}.fz,contact.{0}.normal", name);
    }
    return names;
}

std::string Trace::rowValues(const Readings& r) const {
    std::string text;
    const auto add = [&text](double x) { addField(text, x); };
    const bool valid = r.rows.valid;
    for (const double x : {r.tendon_energy, r.ledger.tendon_dissipated, r.ledger.row_dissipated, r.ledger.prescribed,
                           r.ledger.injected, r.ledger.numerical})
        add(x);
    add(valid ? r.rows.report.rows : kNotComputed);
    add(valid ? r.rows.report.sweeps : kNotComputed);
    add(valid ? r.rows.report.residual : kNotComputed);
    add(valid ? static_cast<double>(r.rows.report.status) : kNotComputed);
    for (std::size_t i = 0; i < model_.tendons.size(); ++i) {
        const TendonReading& t = r.tendons[i];
        add(t.length);
        add(t.rate);
        add(tensionOf(t, tendonLaws(model_, static_cast<int>(i), param_, valid)).value_or(kNotComputed));
    }
    for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
        const JointColumns columns = columnsOf(model_.bodies[b]);
        for (int i = 0; i < jointNv(model_.bodies[b].joint.type); ++i) {
            const int slot = layout_.v_of_body[b] + i;
            const JointRowReading* found = nullptr;
            for (const JointRowReading& one : r.rows.joints)
                if (one.slot == slot) found = &one;
            if (columns.limit)
                add(!valid  ? kNotComputed
                    : found ? found->lower.value_or(0) + found->upper.value_or(0) + found->lock.value_or(0)
                            : 0);
            if (columns.friction) add(!valid ? kNotComputed : found ? found->friction.value_or(0) : 0);
        }
    }
    // The force on each shape: of a contact on B from A, so A gets the opposite.
    if (!shapes_.empty()) {
        int loaded = 0;
        double depth = 0;
        for (const ShapeContactReading& c : r.rows.contacts) {
            loaded += c.normal_force > 0;
            depth = std::max(depth, -c.record.gap);
        }
        add(valid ? static_cast<double>(r.rows.contacts.size()) : kNotComputed);
        add(valid ? loaded : kNotComputed);
        add(valid ? depth : kNotComputed);
    }
    const auto sum = [&](int shape, Vector3d& force, double& normal) {
        for (const ShapeContactReading& c : r.rows.contacts) {
            const int sign = c.record.shape_b == shape ? 1 : c.record.shape_a == shape ? -1 : 0;
            if (sign == 0) continue;
            for (std::size_t k = 0; k < 3; ++k) force[k] += sign * c.force[k];
            normal += c.normal_force;
        }
    };
    if (grounded_ && !contact_) {
        Vector3d force{};
        double normal = 0;
        sum(-1, force, normal);
        for (const double x : force) add(valid ? -x : kNotComputed);  // the ground's on what stands on it
    }
    for (const int s : shapes_) {
        Vector3d force{};
        double normal = 0;
        sum(s, force, normal);
        for (const double x : force) add(valid ? x : kNotComputed);
        add(valid ? normal : kNotComputed);
    }
    return text;
}

}  // namespace mw::cli

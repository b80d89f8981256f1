// Readings of what rows give: tendons, contacts of shapes, limits and friction of joints, the solve itself. Geometry is
// that of the state shown; forces are averages over the step that led to it (docs/rows.md), and say so.
#include <fmt/format.h>

#include "app/live/probe_table.h"
#include "engine/model/layout.h"
#include "engine/tendon/laws.h"

namespace mw::app {
namespace {

std::vector<double> three(const Vector3d& v) { return {v.begin(), v.end()}; }

/// What all forces of a step have in common.
void ofStep(const Snapshot& s, Probe& p) {
    const bool solved = s.readings.rows.valid;
    p.pass = solved ? "step with rows" : "state alone";
    p.when = solved ? stepSpan(s) : instantOf(s);
    p.trust = solveTrust(s);
}

void ofGeometry(const Snapshot& s, Probe& p, bool converged = true) {
    p.by = "geometry of the route";
    p.pass = "geometry";
    p.when = instantOf(s);
    p.trust = converged ? "exact" : "a geodesic's search ended before it met its end: approximate";
}

/// A tendon's own units put together.
struct TendonUnits {
    std::string length = "m", force = "N";
    std::string rate() const { return length + "/s"; }
    std::string damping() const { return force == length ? force : force + " s/" + length; }
    /// Of a moment arm about a coordinate of unit "rad" or "m".
    std::string arm(const std::string& coordinate) const {
        if (length == "user units") return length;
        return length == coordinate ? std::string("1") : length + "/" + coordinate;
    }
};

TendonUnits unitsOf(const Snapshot& s, std::size_t tendon) {
    if (tendon >= s.tendon_units.size()) return {};
    return {s.tendon_units[tendon].length, s.tendon_units[tendon].force};
}

class TendonTable {
public:
    TendonTable(const Snapshot& s, std::size_t tendon)
        : s_(s),
          model_(*s.model),
          tendon_(model_.tendons[tendon]),
          r_(s.readings.tendons[tendon]),
          index_(tendon),
          units_(unitsOf(s, tendon)),
          off_(r_.off || tendon_.off) {}

    std::vector<Probe> take() {
        geometry();
        forces();
        energies();
        branches();
        points();
        guides();
        arms();
        muscle();
        return table_.take();
    }

private:
    Probe& geometric(std::string name, std::string unit, std::vector<double> values, const char* note) {
        Probe& p = table_.add(std::move(name), std::move(unit), std::move(values));
        ofGeometry(s_, p, r_.route.converged);
        p.axes = "along the tendon";
        p.note = note;
        return p;
    }

    void geometry() {
        geometric("length", units_.length, {r_.length},
                  tendon_.fixed ? "weighted sum of joint coordinates; a function of the pose alone"
                                : "branches over their divisors; a function of the pose alone, guides included");
        Probe& rate = geometric("rate", units_.rate(), {r_.rate}, "gradient times the velocities");
        rate.by = "gradient and velocities";
        Probe& reference =
            geometric("reference length", units_.length, {r_.reference},
                      tendon_.reference ? "as the text has it; the spring rests here where it has no interval"
                                        : "of the start pose; the spring rests here where it has no interval");
        reference.by = tendon_.reference ? "text" : "start pose";
        reference.when = "since the start";
        if (tendon_.feed) {
            Probe& fed = geometric("fed", units_.length, {r_.fed}, "paid out by the winch");
            fed.by = "feed of " + tendon_.name;
        }
        Probe& state = table_.word("state", off_                         ? "off"
                                            : r_.slack && !tendon_.fixed ? "slack"
                                            : r_.tension < 0             ? "pushes"
                                            : r_.tension > 0             ? "pulls"
                                                                         : "rests");
        state.by = "tendon " + tendon_.name;
        ofStep(s_, state);
        state.axes = "along the tendon";
        state.note = off_ ? "switched off: no forces; its route is still read" : "by the sign of its tension";
    }

    /// A force along the tendon: signed as F, positive lengthens.
    void force(bool declared, const std::string& name, const std::optional<double>& value, const std::string& by,
               const std::string& note, const std::string& unit = {}) {
        if (!declared && !value) return;
        const std::string in = unit.empty() ? units_.force : unit;
        Probe& p = off_    ? table_.missing(name, in, Probe::State::unavailable, "the tendon is switched off")
                   : value ? table_.add(name, in, {*value})
                           : table_.missing(name, in, Probe::State::not_computed, "only a step defines it");
        p.by = by;
        ofStep(s_, p);
        p.axes = "along the tendon, positive lengthens";
        if (p.state == Probe::State::value) p.note = note;
        p.acts_on = "every point of its route";
    }

    void forces() {
        const TendonForces& f = r_.forces;
        const std::string me = "tendon " + tendon_.name;
        Probe& tension =
            off_ ? table_.missing("tension", units_.force, Probe::State::unavailable, "the tendon is switched off")
                 : table_.add("tension", units_.force, {r_.tension});
        tension.by = me + ", all its laws";
        ofStep(s_, tension);
        tension.axes = "along the tendon, positive pulls";
        tension.acts_on = "every point of its route";
        if (tension.state == Probe::State::value)
            tension.note = s_.readings.rows.valid
                               ? "minus the sum of all forces below; a branch has it over its divisor"
                               : "minus the sum of what the state alone defines; omits limits, friction, armature and "
                                 "couplings, which only a step defines";

        for (const TendonLaw& law : kTendonLaws)
            force(law.has(tendon_, s_.inputs.param), law.title, f.*law.force, me + ", " + law.part, law.note);
        for (std::size_t c = 0; c < model_.couplings.size(); ++c) {
            const Coupling& coupling = model_.couplings[c];
            if (coupling.off ||
                (coupling.first != static_cast<int>(index_) && coupling.second != static_cast<int>(index_)))
                continue;
            force(true, "coupling " + coupling.name, c < f.couplings.size() ? f.couplings[c] : std::nullopt,
                  "coupling " + coupling.name, "what it puts on this tendon");
        }
        const bool drive = tendon_.actuator || tendon_.input || !tendon_.kp.isZero() || !tendon_.kv.isZero();
        if (drive || tendon_.muscle) {
            force(drive, "actuation", off_ ? std::nullopt : std::optional(r_.actuation), me + ", actuator and servo",
                  "after filter, servo and clamp");
            Probe& activation = table_.add("activation", tendon_.muscle ? "1" : units_.force, {r_.activation});
            activation.by = me + (tendon_.muscle ? ", excitation" : ", filter");
            activation.axes = "along the tendon, positive lengthens";
            activation.pass = "memory of the tendon";
            activation.when = instantOf(s_);
            activation.trust = "exact for a command that is held over the step";
            activation.note = tendon_.muscle ? "0 to 1, behind the excitation by its rise and fall"
                                             : "the command behind its filter; frozen while it is off";
        }
        if (!tendon_.kp.isZero() || !tendon_.kv.isZero() || tendon_.target)
            geometric("target", units_.length, {r_.target}, "of the servo").by = "text";
        if (!tendon_.stiffness.isZero()) {
            Probe& p = table_.add("numerical damping", units_.damping(), {r_.numerical_damping});
            p.by = me + ", spring";
            ofStep(s_, p);
            p.axes = "along the tendon";
            p.note = "h k: what taking the spring's force at the end of the step adds to the damping; 0 while it rests";
        }
    }

    void energies() {
        const auto energy = [&](const char* name, double joule, const char* note) {
            Probe& p = table_.add(name, "J", {joule});
            p.by = "tendon " + tendon_.name;
            p.axes = "none";
            p.pass = "state alone";
            p.when = instantOf(s_);
            p.trust = "exact";
            p.note = note;
        };
        energy("elastic energy", r_.energy, "k e^2 / 2; a muscle's own tendon too");
        if (!tendon_.armature.isZero()) energy("armature's energy", r_.armature_energy, "a l'^2 / 2");
    }

    void branches() {
        const TendonRoute& route = r_.route;
        for (std::size_t b = 0; b < route.branch_length.size(); ++b) {
            if (route.branch_length.size() > 1 || (b < route.branch_divisor.size() && route.branch_divisor[b] != 1)) {
                geometric(fmt::format("branch {}, length", b + 1), "m", {route.branch_length[b]},
                          "of its own rope, before it is divided");
                if (b < route.branch_divisor.size())
                    geometric(fmt::format("branch {}, divisor", b + 1), "1", {route.branch_divisor[b]},
                              "length and tension of the branch count over it")
                        .by = "text";
            }
        }
        if (r_.segment_tension.size() < 2 || off_) return;
        for (std::size_t i = 0; i < r_.segment_tension.size(); ++i) {
            Probe& p = table_.add(fmt::format("segment {}, tension", i + 1), "N", {r_.segment_tension[i]});
            p.by = "tendon " + tendon_.name;
            ofStep(s_, p);
            p.axes = "along the rope, positive pulls";
            p.note = "in travel order; branches and the sides of guides with friction have their own";
        }
    }

    void points() {
        const TendonRoute& route = r_.route;
        for (std::size_t i = 0; i < route.points.size(); ++i) {
            const RoutePoint& point = route.points[i];
            const std::string name = pointName(i);
            Probe& at = geometric(name + ", place", "m", three(point.point), "");
            at.axes = "base";
            at.about = "base origin";
            at.note = "fixed to " + bodyLabel(model_, point.body);
            if (point.kind != RoutePoint::Kind::site) at.note = "on " + bodyLabel(model_, point.body) + " at this pose";
            Probe& gradient = geometric(name + ", gradient", "1", three(point.gradient),
                                        "of the length by the point's place; over the branch's divisor");
            gradient.axes = "base";
            const bool known = !off_ && i < r_.point_forces.size();
            Probe& f = known ? table_.add(name + ", force", "N", three(r_.point_forces[i]))
                             : table_.missing(name + ", force", "N",
                                              off_ ? Probe::State::unavailable : Probe::State::not_computed,
                                              off_ ? "the tendon is switched off" : "nobody has solved a step");
            f.by = "tendon " + tendon_.name;
            f.acts_on = bodyLabel(model_, point.body);
            f.acts_from = "tendon " + tendon_.name;
            f.axes = "base";
            f.about = "the point itself";
            ofStep(s_, f);
            if (known) f.note = "the tension on both sides of the point together";
        }
    }

    void guides() {
        for (std::size_t g = 0; g < r_.route.guides.size(); ++g) {
            const GuideReading& guide = r_.route.guides[g];
            const PathElement& element = tendon_.path[static_cast<std::size_t>(guide.element)];
            const std::string name = fmt::format("{} {}", pathElementName(element.kind), guide.element + 1);
            const std::string on = bodyLabel(model_, guide.body);
            const bool touched = guide.contact.state != GuideContact::State::free;
            Probe& state =
                table_.word(name + ", route", guide.contact.end_inside ? "an end is inside: ignored"
                                              : guide.contact.state == GuideContact::State::wrapped ? "wraps it"
                                              : guide.contact.state == GuideContact::State::bent    ? "bends at it"
                                                                                                    : "passes it by");
            ofGeometry(s_, state, r_.route.converged);
            state.axes = "guide";
            state.note = "guide on " + on;
            const auto place = [&](const char* what, const Vector3& p) {
                if (!touched) {
                    table_.missing(name + ", " + what, "m", Probe::State::unavailable, "the route does not touch it");
                    return;
                }
                Probe& at = geometric(name + ", " + what, "m", {p[0], p[1], p[2]}, "on the guide's surface");
                at.axes = "base";
                at.about = "base origin";
            };
            Probe& sweep = geometric(name + ", sweep", "rad", {guide.contact.sweep}, "turned about the guide");
            sweep.axes = "guide";
            Probe& turn = geometric(name + ", turn", "rad", {guide.contact.turn},
                                    "of the rope's direction in space: what rope friction goes by");
            turn.axes = "guide";
            geometric(name + ", rope on it", "m", {guide.contact.arc}, "length that lies on the guide");
            place("first contact", guide.contact.first);
            place("last contact", guide.contact.last);
            const auto load = [&](const char* what, const char* unit, const std::vector<double>& values,
                                  const std::string& about, const char* note) {
                Probe& p = off_ ? table_.missing(name + ", " + what, unit, Probe::State::unavailable,
                                                 "the tendon is switched off")
                                : table_.add(name + ", " + what, unit, values);
                p.by = "tendon " + tendon_.name;
                p.acts_on = on;
                p.acts_from = "tendon " + tendon_.name;
                p.axes = "base";
                p.about = about;
                ofStep(s_, p);
                if (!off_) p.note = note;
            };
            load("force", "N", three(guide.force), "the guide's own origin", "of both contact points together");
            load("moment", "N m", three(guide.moment), "the guide's own origin",
                 "none about a frictionless sphere's centre or cylinder's axis");
            if (!element.mu.isZero()) {
                load("tension before", "N", {guide.tension_before}, "",
                     "in travel order; the ratio is bounded by rope friction");
                load("tension after", "N", {guide.tension_after}, "",
                     "in travel order; the ratio is bounded by rope friction");
            }
        }
    }

    void arms() {
        const Layout layout = layoutOf(model_);
        const std::vector<double>& gradient = r_.route.gradient;
        const double F = -r_.tension;
        for (std::size_t i = 0; i < gradient.size() && i < layout.v_names.size(); ++i) {
            if (gradient[i] == 0) continue;
            const auto b = static_cast<std::size_t>(layout.body_of_v[i]);
            const JointType type = model_.bodies[b].joint.type;
            const int k = static_cast<int>(i) - layout.v_of_body[b];
            Probe& arm = geometric("moment arm " + layout.v_names[i], units_.arm(velocityUnit(type, k, "")),
                                   {gradient[i]}, "dl/dq: the length that a unit of this velocity adds in a second");
            arm.axes = jointAxes(type);
            if (off_) continue;
            Probe& f = table_.add("force on " + layout.v_names[i], forceUnit(type, k), {gradient[i] * F});
            f.by = "tendon " + tendon_.name;
            f.acts_on = "joint of " + model_.bodies[b].name;
            f.axes = jointAxes(type);
            ofStep(s_, f);
            f.note = "moment arm times minus the tension; what friction on guides shifts is in the guides' forces";
        }
    }

    void muscle() {
        if (!r_.muscle) return;
        const TendonReading::MuscleReading& m = *r_.muscle;
        const auto add = [&](const char* name, const char* unit, double value, const char* note) {
            Probe& p = table_.add(name, unit, {value});
            p.by = "tendon " + tendon_.name + ", muscle";
            p.axes = "along the fibre";
            ofStep(s_, p);
            p.note = note;
        };
        add("fibre length", "m", m.fibre, "of the contractile part");
        add("fibre rate", "m/s", m.fibre_rate, "positive lengthens");
        add("muscle's tendon", "m", m.tendon, "length of the tendon in series");
        add("pennation", "rad", m.pennation, "between fibre and tendon");
        add("active force", "N", m.active, "of the fibre, by activation, length and rate");
        add("passive force", "N", m.passive, "of the stretched fibre");
    }

    /// "site 2", "cylinder 3, first": elements are counted as the text has them.
    std::string pointName(std::size_t i) const {
        const RoutePoint& point = r_.route.points[i];
        const PathElement& element = tendon_.path[static_cast<std::size_t>(point.element)];
        const std::string name = fmt::format("{} {}", pathElementName(element.kind), point.element + 1);
        switch (point.kind) {
            case RoutePoint::Kind::first_contact: return name + ", first contact point";
            case RoutePoint::Kind::last_contact: return name + ", last contact point";
            case RoutePoint::Kind::bend: return name + ", bend";
            case RoutePoint::Kind::site: break;
        }
        return name;
    }

    const Snapshot& s_;
    const Model& model_;
    const Tendon& tendon_;
    const TendonReading& r_;
    std::size_t index_;
    TendonUnits units_;
    bool off_;
    ProbeTable table_;
};

}  // namespace

std::string instantOf(const Snapshot& s) { return fmt::format("at t = {:.6g} s", s.state.t); }

std::string stepSpan(const Snapshot& s) {
    const RowsReading& rows = s.readings.rows;
    return rows.valid ? fmt::format("average over [{:.6g}, {:.6g}] s", rows.t0, rows.t1) : instantOf(s);
}

std::string solveTrust(const Snapshot& s) {
    const RowsReading& rows = s.readings.rows;
    if (!rows.valid) return "exact, of the state alone";
    const SolveReport& report = rows.report;
    const std::string left = fmt::format("residual {:.1e} N s", report.residual);
    // Sweeps of all substeps; the budget is that of each.
    const int substeps = s.model ? s.model->contact.substeps : 1;
    const std::string sweeps = fmt::format("{} sweeps{}", report.sweeps,
                                           substeps > 1 ? fmt::format(" in {} substeps", substeps) : std::string());
    switch (report.status) {
        case SolveStatus::converged: return fmt::format("converged in {}, {}", sweeps, left);
        case SolveStatus::budget_spent: return fmt::format("budget spent after {}, {}", sweeps, left);
        case SolveStatus::no_freedom: return "no degrees of freedom: these rows move nothing";
        case SolveStatus::no_rows: break;
    }
    return "no rows in this step";
}

std::vector<Probe> tendonProbes(const Snapshot& s, int tendon) {
    if (!readable(s) || tendon < 0 || static_cast<std::size_t>(tendon) >= s.model->tendons.size() ||
        s.readings.tendons.size() != s.model->tendons.size())
        return {};
    return TendonTable(s, static_cast<std::size_t>(tendon)).take();
}

std::vector<Probe> shapeContactProbes(const Snapshot& s, const std::string& id) {
    if (!readable(s)) return {};
    const RowsReading& rows = s.readings.rows;
    const auto it = std::find_if(rows.contacts.begin(), rows.contacts.end(),
                                 [&](const ShapeContactReading& c) { return c.id == id; });
    if (it == rows.contacts.end()) return {};
    const ShapeContactReading& c = *it;
    const ContactRecord& record = c.record;
    const Model& model = *s.model;
    const std::string a = record.shape_a < 0 ? std::string("ground") : bodyLabel(model, record.a),
                      b = bodyLabel(model, record.b);
    ProbeTable table;
    const auto force = [&](const char* name, const char* unit, const std::vector<double>& values, const char* axes,
                           const char* note) {
        Probe& p = rows.valid ? table.add(name, unit, values)
                              : table.missing(name, unit, Probe::State::not_computed, "only a step defines it");
        p.by = "contact " + c.id;
        p.acts_on = b;
        p.acts_from = a;
        p.axes = axes;
        p.about = "the contact point";
        ofStep(s, p);
        if (rows.valid) p.note = note;
    };
    const auto geometry = [&](const char* name, const char* unit, const std::vector<double>& values, const char* note) {
        Probe& p = table.add(name, unit, values);
        p.by = "detection";
        p.pass = "geometry";
        p.axes = "base";
        p.when = rows.valid ? fmt::format("at t = {:.6g} s, the start of the step", rows.t0) : instantOf(s);
        p.trust = "exact";
        p.note = note;
    };
    Probe& state = rows.valid
                       ? table.word("state", contactStateName(c.state))
                       : table.missing("state", "in words", Probe::State::not_computed, "only a step defines it");
    state.by = "contact " + c.id;
    state.axes = "none";
    ofStep(s, state);
    force("normal force", "N", {c.normal_force}, "along the normal", "never pulls");
    force("friction", "N", three(c.friction), "base", "tangential, on the disc of the normal force");
    force("force", "N", three(c.force), "base", "normal and friction together; the opposite acts on the other side");
    if (record.values.mu_torsion > 0 || record.values.mu_rolling > 0)
        force("couple", "N m", three(c.couple), "base", "torsion and rolling resistance");
    force("friction's limit", "N", {c.limit}, "tangential", "mu times the normal force");
    Probe& slip = rows.valid ? table.add("slip", "m/s", three(c.slip))
                             : table.missing("slip", "m/s", Probe::State::not_computed, "only a step defines it");
    slip.by = "velocities at the end of the step";
    slip.axes = "base";
    slip.when = instantOf(s);
    slip.pass = "step with rows";
    slip.trust = solveTrust(s);
    if (rows.valid) slip.note = "tangential velocity of the one acted on against the other";
    geometry("point", "m", three(record.point), "midway between both surfaces");
    geometry("normal", "1", three(record.normal), "from the one that acts to the one acted on");
    geometry("gap", "m", {record.gap}, "signed, margins taken off; negative: depth");
    Probe& mu = table.add("mu", "1", {record.values.mu});
    mu.by = "materials of the pair";
    mu.axes = "none";
    mu.note = "as mixed, or as the pair has it";
    return table.take();
}

std::vector<Probe> solverProbes(const Snapshot& s) {
    if (!readable(s) || !s.has_rows) return {};
    const RowsReading& rows = s.readings.rows;
    ProbeTable table;
    if (!rows.valid) {
        table.missing("status", "in words", Probe::State::not_computed, "no step has been solved yet");
        return table.take();
    }
    const SolveReport& report = rows.report;
    const auto add = [&](const char* name, const char* unit, double value, const char* note) {
        Probe& p = table.add(name, unit, {value});
        p.by = "projected Gauss-Seidel";
        p.axes = "none";
        ofStep(s, p);
        p.note = note;
    };
    Probe& status = table.word("status", solveStatusName(report.status));
    status.by = "projected Gauss-Seidel";
    status.axes = "none";
    ofStep(s, status);
    status.note = "of the natural map against the tolerance of the text";
    add("rows", "1", report.rows, "tendons, couplings, contacts, limits and friction of joints together");
    add("sweeps", "1", report.sweeps, "over all rows, in their order; of all substeps of the step together");
    add("residual", "N s", report.residual, "largest of the natural map |p - P(p - rho (W p + b))|");
    add("rows without response", "1", report.stuck, "nothing can move along them: no degrees of freedom");
    add("momentum closure", "N s", rows.closure, "change of momentum minus the impulses that made it");
    if (rows.facts.tested > 0) {
        add("pairs tested", "1", rows.facts.tested, "shapes that may meet");
        add("contact records", "1", rows.facts.records, "positive gaps included");
    }
    if (rows.facts.overflow) {
        Probe& p = table.word("contact capacity", "exceeded");
        p.state = Probe::State::invalid;
        p.note = "more contacts than `capacity`: the contacts of this step are not to be trusted";
    }
    return table.take();
}

void addJointRowProbes(const Snapshot& s, int body, ProbeTable& table) {
    if (!s.has_rows) return;
    const Model& model = *s.model;
    const Layout layout = layoutOf(model);
    const auto b = static_cast<std::size_t>(body);
    const Body& it = model.bodies[b];
    const JointType type = it.joint.type;
    const RowsReading& rows = s.readings.rows;
    const std::vector<double>& param = s.inputs.param;
    for (int k = 0; k < jointNv(type); ++k) {
        const int slot = layout.v_of_body[b] + k;
        const std::string& coordinate = layout.v_names[static_cast<std::size_t>(slot)];
        const auto found = std::find_if(rows.joints.begin(), rows.joints.end(),
                                        [&](const JointRowReading& r) { return r.slot == slot; });
        const JointRowReading r = found == rows.joints.end() ? JointRowReading{} : *found;
        const auto add = [&](bool declared, const std::string& name, const std::optional<double>& value,
                             const std::string& by, const char* note) {
            if (!declared && !value) return;
            const std::string unit = forceUnit(type, k);
            Probe& p = value ? table.add(name + " " + coordinate, unit, {*value})
                             : table.missing(name + " " + coordinate, unit, Probe::State::not_computed,
                                             "only a step defines it");
            p.by = by;
            p.acts_on = "body " + it.name;
            p.acts_from = bodyLabel(model, it.parent);
            p.axes = jointAxes(type);
            ofStep(s, p);
            if (value) p.note = note;
        };
        const bool limited = it.limits && k == 0;
        const bool lower = limited && std::isfinite(it.limits->lower.at(param)),
                   upper = limited && std::isfinite(it.limits->upper.at(param));
        const bool lock = lower && upper && it.limits->lower.at(param) == it.limits->upper.at(param);
        add(lower && !lock, "lower limit", r.lower, "limit of " + it.name, "unilateral: pushes up, never down");
        add(upper && !lock, "upper limit", r.upper, "limit of " + it.name, "unilateral: pushes down, never up");
        add(lock, "lock", r.lock, "limit of " + it.name, "equal limits: two-sided");
        add(!it.joint_friction.isZero(), "joint friction", r.friction, "dry friction of " + it.name,
            "within the loss of the text, against the motion");
        add(false, "joint damping", r.damping, "damping of " + it.name,
            "taken implicitly in a step that has rows: by the solved velocity");
        std::string drive;
        for (const Drive& d : model.drives)
            if (d.kind == Drive::Kind::prescribed && d.body == body && d.coordinate == k) drive = d.name;
        add(!drive.empty(), "drive " + drive + ", reaction", r.prescribed, "drive " + drive,
            "what holds the joint to its prescribed motion");
    }
}

}  // namespace mw::app

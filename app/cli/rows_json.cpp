// Tendons, contacts of shapes, joint rows and their solve as JSON and in words.
#include "app/cli/rows_json.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <fmt/format.h>
#include <iostream>

#include "engine/contact/shape_contacts.h"
#include "engine/tendon/laws.h"

namespace mw::cli {

namespace {

Json array(const Vector3d& v) { return Json::array({v[0], v[1], v[2]}); }
Json array(const Vector3& v) { return Json::array({v.x(), v.y(), v.z()}); }

std::string bodyName(const Model& model, int body) {
    return body == kBase ? "base" : model.bodies[static_cast<std::size_t>(body)].name;
}

/// Values by key, and which of them nobody computed.
class Known {
public:
    explicit Known(Json& object) : object_(object) {}
    ~Known() {
        if (!states_.empty()) object_["states"] = std::move(states_);
    }
    Known(const Known&) = delete;
    Known& operator=(const Known&) = delete;
    void put(const std::string& key, const std::optional<double>& value) {
        if (value) object_[key] = *value;
        else missing(key);
    }
    void missing(const std::string& key) {
        object_[key] = nullptr;
        states_[key] = "not computed";
    }

private:
    Json& object_;
    Json states_;
};

const char* pointKind(RoutePoint::Kind kind) {
    switch (kind) {
        case RoutePoint::Kind::site: return "site";
        case RoutePoint::Kind::first_contact: return "first_contact";
        case RoutePoint::Kind::last_contact: return "last_contact";
        case RoutePoint::Kind::bend: return "bend";
    }
    return "";
}

/// Couplings that act on a tendon which is not switched off.
std::vector<std::size_t> couplingsOf(const Model& model, int tendon) {
    std::vector<std::size_t> found;
    const auto off = [&](int t) { return t >= 0 && model.tendons[static_cast<std::size_t>(t)].off; };
    for (std::size_t c = 0; c < model.couplings.size() && !off(tendon); ++c) {
        const Coupling& coupling = model.couplings[c];
        if (!coupling.off && !off(coupling.first) && !off(coupling.second) &&
            (coupling.first == tendon || coupling.second == tendon))
            found.push_back(c);
    }
    return found;
}

Json rowsOf(const Model& model, int tendon, const TendonReading& r, std::span<const double> param) {
    const Tendon& t = model.tendons[static_cast<std::size_t>(tendon)];
    Json rows = Json::object();
    {
        Known known(rows);
        // A law that the tendon does not have gives no force, and that is a value.
        const auto put = [&](const std::string& key, const std::optional<double>& value, bool has) {
            if (value || !has || r.off) rows[key] = value.value_or(0.0);
            else known.missing(key);
        };
        const bool lock = !t.off && locked(t, param);
        for (const TendonLaw& law : kTendonLaws) {
            const std::optional<double>& force = r.forces.*law.force;
            // Muscles and couplings are listed where they are, and either limits or their lock.
            if (law.force == &TendonForces::muscle && !force && !r.muscle) continue;
            if (law.force == &TendonForces::lock
                    ? !lock
                    : lock && (law.force == &TendonForces::lower || law.force == &TendonForces::upper))
                continue;
            put(law.name, force, !t.off && !law.by_state && law.has(t, param));
        }
        for (const std::size_t c : couplingsOf(model, tendon))
            put("coupling." + model.couplings[c].name,
                c < r.forces.couplings.size() ? r.forces.couplings[c] : std::nullopt, true);
    }
    return rows;
}

}  // namespace

TendonLaws tendonLaws(const Model& model, int tendon, std::span<const double> param, bool stepped) {
    const Tendon& t = model.tendons[static_cast<std::size_t>(tendon)];
    TendonLaws out;
    if (t.off) {
        out.known = true;
        return out;
    }
    out.known = stepped || pullsByState(t, param);
    if (stepped) return out;
    for (const TendonLaw& law : kTendonLaws)
        if (!law.by_state && law.has(t, param)) out.missing.emplace_back(law.name);
    for (const std::size_t c : couplingsOf(model, tendon)) out.missing.push_back("coupling." + model.couplings[c].name);
    if (out.missing.empty()) out.known = true;
    return out;
}

std::optional<double> tensionOf(const TendonReading& reading, const TendonLaws& laws) {
    if (!laws.missing.empty() && !reading.off) return std::nullopt;
    return reading.tension;
}

Json tendonsJson(const Model& model, const Layout& layout, const Readings& now, std::span<const double> param) {
    Json all = Json::object();
    const Tendons tendons(model, layout);
    for (std::size_t i = 0; i < model.tendons.size(); ++i) {
        const Tendon& tendon = model.tendons[i];
        const TendonReading& r = now.tendons[i];
        const bool stepped = now.rows.valid;
        const TendonLaws laws = tendonLaws(model, static_cast<int>(i), param, stepped);
        // What is known pulls even where a limit's part is not: it is then named under "omits".
        const bool pulls = laws.known || r.off;
        Json one = Json::object();
        {
            Known known(one);
            one["length"] = r.length;
            one["rate"] = r.rate;
            one["reference"] = r.reference;
            known.put("tension", pulls ? std::optional(r.tension) : std::nullopt);
            one["actuation"] = r.actuation;
            if (pulls) one["slack"] = r.slack;
            else known.missing("slack");
            one["energy"] = r.energy;
            one["gradient"] = r.route.gradient;
            one["rows"] = rowsOf(model, static_cast<int>(i), r, param);

            Json points = Json::array();
            for (std::size_t k = 0; k < r.route.points.size(); ++k) {
                const RoutePoint& p = r.route.points[k];
                Json point = {{"branch", p.branch},
                              {"body", bodyName(model, p.body)},
                              {"position", array(p.point)},
                              {"gradient", array(p.gradient)}};
                {
                    Known of_point(point);
                    if (pulls && k < r.point_forces.size()) point["force"] = array(r.point_forces[k]);
                    else of_point.missing("force");
                    point["kind"] = pointKind(p.kind);
                }
                points.push_back(std::move(point));
            }
            one["points"] = std::move(points);
            Json guides = Json::array();
            for (const GuideReading& g : r.route.guides) {
                const bool touched = g.contact.state != GuideContact::State::free;
                Json guide = {{"body", bodyName(model, g.body)}, {"touched", touched}, {"sweep", g.contact.sweep}};
                {
                    Known of_guide(guide);
                    guide["first"] = touched ? array(g.contact.first) : Json(nullptr);
                    const bool bent = g.contact.state == GuideContact::State::bent;
                    guide["last"] = touched ? array(bent ? g.contact.first : g.contact.last) : Json(nullptr);
                    if (pulls) {
                        guide["force"] = array(g.force);
                        guide["moment"] = array(g.moment);
                    } else {
                        of_guide.missing("force");
                        of_guide.missing("moment");
                    }
                    guide["kind"] = pathElementName(tendon.path[static_cast<std::size_t>(g.element)].kind);
                    guide["state"] = bent ? "bent" : touched ? "wrapped" : "free";
                    guide["branch"] = g.branch;
                    guide["turn"] = g.contact.turn;
                    guide["arc"] = g.contact.arc;
                    guide["end_inside"] = g.contact.end_inside;
                    of_guide.put("tension_before", pulls ? std::optional(g.tension_before) : std::nullopt);
                    of_guide.put("tension_after", pulls ? std::optional(g.tension_after) : std::nullopt);
                }
                guides.push_back(std::move(guide));
            }
            one["guides"] = std::move(guides);

            // Beyond the contract's keys.
            const Tendons::Units units = tendons.units(static_cast<int>(i));
            one["units"] = {{"length", units.length}, {"force", units.force}};
            one["off"] = r.off;
            one["activation"] = r.activation;
            one["target"] = r.target;
            one["fed"] = r.fed;
            one["armature_energy"] = r.armature_energy;
            one["numerical_damping"] = r.numerical_damping;
            one["branch_length"] = r.route.branch_length;
            one["segment_tension"] = pulls ? Json(r.segment_tension) : Json(nullptr);
            if (r.muscle)
                one["muscle"] = {{"fibre", r.muscle->fibre},        {"fibre_rate", r.muscle->fibre_rate},
                                 {"tendon", r.muscle->tendon},      {"activation", r.muscle->activation},
                                 {"active", r.muscle->active},      {"passive", r.muscle->passive},
                                 {"pennation", r.muscle->pennation}};
            one["converged"] = r.route.converged;
            if (pulls && !laws.missing.empty()) one["omits"] = laws.missing;
        }
        all[tendon.name] = std::move(one);
    }
    return all;
}

Json jointRowsJson(const Model& model, const Layout& layout, const RowsReading& rows, std::span<const double> param) {
    Json all = Json::object();
    for (const JointRowReading& r : rows.joints) {
        const auto slot = static_cast<std::size_t>(r.slot);
        const Body& body = model.bodies[static_cast<std::size_t>(layout.body_of_v[slot])];
        Json one = Json::object();
        {
            Known known(one);
            const auto put = [&](const char* key, const std::optional<double>& value, bool has) {
                if (value) one[key] = *value;
                else if (has && !rows.valid) known.missing(key);
                else if (has) one[key] = 0.0;
            };
            double low = -std::numeric_limits<double>::infinity(), high = -low;
            if (body.limits) low = body.limits->lower.at(param), high = body.limits->upper.at(param);
            const bool lock = std::isfinite(low) && low == high;
            put("lower", r.lower, !lock && std::isfinite(low));
            put("upper", r.upper, !lock && std::isfinite(high));
            put("lock", r.lock, lock);
            put("friction", r.friction, body.joint_friction.at(param) > 0);
            put("damping", r.damping, body.joint_damping.at(param) > 0);
            put("prescribed", r.prescribed, std::any_of(model.drives.begin(), model.drives.end(), [&](const Drive& d) {
                    return d.kind == Drive::Kind::prescribed &&
                           layout.v_of_body[static_cast<std::size_t>(d.body)] + d.coordinate == r.slot;
                }));
        }
        all[layout.v_names[slot]] = std::move(one);
    }
    return all;
}

void addShapeContacts(Json& contacts, const Model& model, const Readings& now, std::int64_t step,
                      std::span<const double> param) {
    const auto common = [&](const ContactRecord& record, const std::string& id) {
        return Json{{"id", id},
                    {"pair", Json::array({bodyName(model, record.a), bodyName(model, record.b)})},
                    {"point", array(record.point)},
                    {"normal", array(record.normal)},
                    {"depth", -record.gap}};
    };
    const auto shapes = [&](const ContactRecord& record) {
        const auto name = [&](int s) {
            return s < 0 ? std::string("ground") : model.shapes[static_cast<std::size_t>(s)].name;
        };
        return Json::array({name(record.shape_a), name(record.shape_b)});
    };
    if (!now.rows.valid) {
        ShapeContacts detector(model);
        if (detector.empty()) return;
        detector.setParameters(param);
        std::vector<ContactRecord> records;
        detector.detect(now.X, now.V, 0, records);
        for (const ContactRecord& record : records) {
            Json one = common(record, detector.idOf(record));
            {
                Known known(one);
                for (const char* key : {"normal_force", "friction", "force_on_b", "impulse"}) known.missing(key);
                one["solver"] = "pgs";
                one["pass"] = "rows";
                for (const char* key : {"status", "residual"}) known.missing(key);
                one["generation"] = step;
                known.missing("state");
                one["shapes"] = shapes(record);
            }
            contacts.push_back(std::move(one));
        }
        return;
    }
    const double h = now.rows.t1 - now.rows.t0;
    for (const ShapeContactReading& c : now.rows.contacts) {
        Json one = common(c.record, c.id);
        one["normal_force"] = c.normal_force;
        one["friction"] = array(c.friction);
        one["force_on_b"] = array(c.force);
        one["impulse"] = Json::array({c.force[0] * h, c.force[1] * h, c.force[2] * h});
        one["solver"] = "pgs";
        one["pass"] = "rows";
        one["status"] = solveStatusName(now.rows.report.status);
        one["residual"] = now.rows.report.residual;
        one["generation"] = step;
        one["state"] = contactStateName(c.state);
        one["shapes"] = shapes(c.record);
        one["couple"] = array(c.couple);
        one["slip"] = array(c.slip);
        one["limit"] = c.limit;
        contacts.push_back(std::move(one));
    }
}

Json solverJson(const ContactOptions& options, const RowsReading& rows) {
    if (!rows.valid) return nullptr;
    return {{"status", solveStatusName(rows.report.status)},
            {"rows", rows.report.rows},
            {"sweeps", rows.report.sweeps},
            {"residual", rows.report.residual},
            {"stuck", rows.report.stuck},
            {"iterations", options.iterations},
            {"substeps", options.substeps},
            {"tolerance", options.tolerance},
            {"warm", options.warm},
            {"contacts", rows.facts.records},
            {"overflow", rows.facts.overflow},
            {"closure", rows.closure},
            {"t0", rows.t0},
            {"t1", rows.t1}};
}

void printTendons(const Json& tendons) {
    const auto number = [](const Json& x) {
        return x.is_null() ? std::string("not computed") : fmt::format("{:.6g}", x.get<double>());
    };
    for (const auto& [name, t] : tendons.items()) {
        const std::string length = t["units"]["length"].get<std::string>(),
                          force = t["units"]["force"].get<std::string>();
        std::cout << fmt::format("\ntendon {}: length {:.9g} {}, rate {:.6g}, tension {} {}{}", name,
                                 t["length"].get<double>(), length, t["rate"].get<double>(), number(t["tension"]),
                                 force,
                                 t["off"].get<bool>() ? " (off)"
                                 : t["slack"] == true ? " (slack)"
                                                      : "");
        if (t.contains("converged") && t["converged"] == false)
            std::cout << "\n     the search for its route ended before the rope was taut: length and forces are "
                         "approximate";
        std::string rows;
        for (const auto& [row, value] : t["rows"].items())
            if (row != "states" && (value.is_null() || value.get<double>() != 0))
                rows += fmt::format("{}{} {}", rows.empty() ? "" : ", ", row, number(value));
        if (!rows.empty()) std::cout << "\n     forces (positive lengthens): " << rows;
        for (const Json& g : t["guides"])
            std::cout << fmt::format("\n     {} on {}: {}, sweep {:.6g} rad", g["kind"].get<std::string>(),
                                     g["body"].get<std::string>(), g["state"].get<std::string>(),
                                     g["sweep"].get<double>());
    }
    if (!tendons.empty()) std::cout << '\n';
}

void printJointRows(const Json& joints) {
    for (const auto& [name, j] : joints.items()) {
        std::string text;
        for (const auto& [key, value] : j.items())
            if (key != "states")
                text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key,
                                    value.is_null() ? "not computed" : fmt::format("{:.6g}", value.get<double>()));
        if (!text.empty()) std::cout << fmt::format("\njoint {}: {}", name, text);
    }
    if (!joints.empty()) std::cout << '\n';
}

void printSolver(const Json& solver) {
    if (solver.is_null() || solver["rows"].get<int>() == 0) return;
    // Sweeps are those of all substeps, the bound is that of each.
    const int substeps = solver["substeps"].get<int>();
    std::cout << fmt::format(
        "\nsolve: {}, {} rows, {} sweeps {}(at most {}{}), residual {:.3g} N s\n", solver["status"].get<std::string>(),
        solver["rows"].get<int>(), solver["sweeps"].get<int>(),
        substeps > 1 ? fmt::format("in {} substeps ", substeps) : std::string(), solver["iterations"].get<int>(),
        substeps > 1 ? " in each" : "", solver["residual"].get<double>());
}

}  // namespace mw::cli

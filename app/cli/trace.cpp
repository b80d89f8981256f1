// Head and rows of a run's table.
#include "app/cli/trace.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fmt/core.h>
#include <fmt/format.h>
#include <iostream>
#include <numbers>

#include "app/cli/support.h"
#include "engine/base/table_field.h"
#include "engine/model/meetings.h"

namespace mw::cli {

namespace {

/// The row so far; numbers are added with a comma before each, fields without one stay empty.
class Row {
public:
    explicit Row(double first) : text_(fmt::format("{}", first)) {}
    void add(double x) { addField(text_, x); }
    void add(std::span<const double> all) {
        for (const double x : all) add(x);
    }
    const std::string& text() const { return text_; }

private:
    std::string text_;
};

void once(std::vector<int>& list, int value) {
    if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

}  // namespace

std::array<double, 3> rollPitchYaw(const double* R) {
    // R20 = -sin(pitch); at pitch = +-90 degrees roll and yaw turn about one axis, and all of it is called yaw.
    const double sine = std::clamp(-R[6], -1.0, 1.0);
    const double pitch = std::asin(sine);
    if (std::abs(sine) > 1 - 1e-12) return {0, pitch, std::atan2(-R[1], R[4])};
    return {std::atan2(R[7], R[8]), pitch, std::atan2(R[3], R[0])};
}

std::string terrainInWords(const Ground& ground) {
    std::string text = fmt::format("plane {:.12g} {:.12g} {:.12g} {:.12g}", ground.normal[0], ground.normal[1],
                                   ground.normal[2], ground.offset);
    for (const Ground::Wave& w : ground.waves)
        text += fmt::format(", wave {:.12g} {:.12g} direction {:.12g}", w.amplitude, w.length, w.direction);
    for (const Ground::Step& s : ground.steps)
        text += fmt::format(", step {:.12g} at {:.12g} width {:.12g}", s.height, s.at, s.width);
    for (const Ground::Bump& b : ground.bumps)
        text += fmt::format(", bump {:.12g} {:.12g} {:.12g} {:.12g}", b.x, b.y, b.height, b.radius);
    if (ground.grid)
        text += fmt::format(", grid {} ({} x {} heights)", ground.grid_file, ground.grid->nx, ground.grid->ny);
    return text;
}

Trace::Trace(const std::string& file, const Model& model, const Layout& layout)
    : file_(file), model_(model), layout_(layout) {
    for (const Track& track : model.tracks) {
        once(roots_, track.root);
        for (const Track::Roller& roller : track.rollers) once(placed_, roller.body);
    }
    const Meetings meetings(model);
    for (std::size_t i = 0; i < model.shapes.size(); ++i) {
        const int shape = static_cast<int>(i);
        bool meets = meetings.ground(shape);
        grounded_ = grounded_ || meets;
        for (std::size_t k = 0; k < model.shapes.size() && !meets; ++k)
            meets = k != i && meetings.pair(shape, static_cast<int>(k));
        if (meets) shapes_.push_back(shape);
    }
    for (const Track& track : model.tracks)
        for (int i = 0; i < (track.first_shoe < 0 ? 0 : track.shoes); ++i) placed_.push_back(track.first_shoe + i);
    if (file == "-") return;
    errno = 0;
    opened_.open(file, std::ios::binary | std::ios::trunc);
    if (!opened_) throw UsageError(fmt::format("cannot write '{}': {}", file, std::strerror(errno ? errno : EIO)));
}

void Trace::line(const std::string& text) {
    (file_ == "-" ? std::cout : static_cast<std::ostream&>(opened_)) << text << '\n';
}

void Trace::head(const TraceHead& head, const Simulation& run) {
    contact_ = !run.contact().empty();
    rows_of_ = hasRows(model_);
    param_ = run.inputs().param;
    line(fmt::format("# mechwright trace, model {}", head.name));
    line(fmt::format("# model hash {}, kernel {} {}", modelHash(model_).hex(), run.kernel().maker,
                     run.kernel().kernelHash().hex()));
    line(fmt::format("# integrator {}, {}; a row every {} steps", integratorName(run.integrator()), head.why_dt,
                     head.every));
    line("# units: s, m, rad, m/s, rad/s, N, N m, J; quaternions w x y z");
    line(
        "# frames: q and v of each joint in its own frame, angular velocity of spherical and floating joints in "
        "body axes; points in base axes");
    if (!model_.parameters.empty()) {
        std::string text = "# parameters:";
        for (const Parameter& p : model_.parameters) text += fmt::format(" {}={}", p.name, p.value);
        line(text);
    }
    if (contact_) contactHead(head, run);
    if (rows_of_) {
        line(
            "# rows: forces are averages over the step that led to the row's state, empty where no step has been; a "
            "tendon's rows are positive where they lengthen, its tension is minus their sum");
        line("# solver status: 0 no rows, 1 converged, 2 budget spent, 3 no degrees of freedom");
    }

    std::string names = "t";
    for (const std::string& n : layout_.q_names) names += ",q." + n;
    for (const std::string& n : layout_.v_names) names += ",v." + n;
    names += ",energy.kinetic,energy.gravity,energy.elements,energy.total";
    names += ",energy.dissipated,energy.drives,energy.residual";
    if (!model_.loops.empty()) names += ",energy.loops";
    for (const Loop& l : model_.loops) names += fmt::format(",loop.{0}.error,loop.{0}.force", l.name);
    for (const Tsda& e : model_.tsdas) names += fmt::format(",element.{0}.length,element.{0}.force", e.name);
    for (const Rsda& e : model_.rsdas) names += fmt::format(",element.{}.torque", e.name);
    for (const Drive& d : model_.drives) names += fmt::format(",drive.{}.force", d.name);
    for (const PointOfInterest& p : model_.points) names += fmt::format(",point.{0}.x,point.{0}.y,point.{0}.z", p.name);
    if (contact_) names += contactNames();
    if (rows_of_) names += rowNames();
    line(names);
}

void Trace::contactHead(const TraceHead& head, const Simulation& run) {
    const ContactSetup& setup = run.contactSetup();
    line(fmt::format("# weight {:.12g} N", head.weight));
    line(fmt::format("# ramp {:.12g} s", setup.ramp));
    if (model_.ground) {
        line(fmt::format("# terrain {}", terrainInWords(*model_.ground)));
        line(fmt::format("# slope {:.12g} deg", setup.slope * 180 / std::numbers::pi));
        line(fmt::format("# friction {}", head.friction));
    }
    if (run.inputs().brake) line("# brake on every driven roller");
    for (const Track& track : model_.tracks) {
        line(fmt::format("# track {}: root {}, shoes {}, link {:.12g} m, perimeter {:.12g} m", track.name,
                         track.root == kBase ? "base" : model_.bodies[static_cast<std::size_t>(track.root)].name,
                         track.shoes, track.link, track.perimeter));
        for (const Track::Roller& roller : track.rollers)
            line(fmt::format("# roller {} of {}: radius {:.12g} m{}{}",
                             model_.bodies[static_cast<std::size_t>(roller.body)].name, track.name, roller.radius,
                             roller.end ? ", end" : "",
                             roller.driven ? fmt::format(", driven, teeth {}", roller.teeth) : ""));
    }
}

std::string Trace::contactNames() const {
    std::string names =
        ",energy.contact,energy.anchors,energy.brakes,energy.contact_dissipated,energy.brake_dissipated,energy.ramp,"
        "contact.depth.pair,contact.depth.point,contact.loaded.pins,contact.loaded.faces,contact.loaded.points";
    if (model_.ground)
        names +=
            ",contact.ground.fx,contact.ground.fy,contact.ground.fz,contact.ground.mx,contact.ground.my,"
            "contact.ground.mz";
    for (const Track& track : model_.tracks)
        names += fmt::format(",track.{0}.tension.least,track.{0}.tension.greatest", track.name);
    for (const int root : roots_)
        if (root != kBase)
            names += fmt::format(",pose.{0}.x,pose.{0}.y,pose.{0}.z,pose.{0}.roll,pose.{0}.pitch,pose.{0}.yaw",
                                 model_.bodies[static_cast<std::size_t>(root)].name);
    for (const int b : placed_)
        names += fmt::format(",body.{0}.x,body.{0}.y,body.{0}.z", model_.bodies[static_cast<std::size_t>(b)].name);
    return names;
}

void Trace::row(const State& state, const Readings& r, const ContactTotals& applied) {
    Row row(state.t);
    row.add(state.q);
    row.add(state.v);
    for (const double x : {r.energy.kinetic, r.energy.gravity, r.energy.elements(), r.total_energy, r.ledger.dissipated,
                           r.ledger.drives, r.residual})
        row.add(x);
    if (!r.loops.empty()) row.add(r.ledger.loops);
    for (const LoopReading& l : r.loops) {
        row.add(l.worst());
        row.add(std::hypot(l.wrench[3], l.wrench[4], l.wrench[5]));
    }
    for (std::size_t i = 0; i < model_.tsdas.size(); ++i) {
        row.add(r.obs[static_cast<std::size_t>(layout_.obs_of_tsda[i])]);
        row.add(r.elements.tsda[i]);
    }
    row.add(r.elements.rsda);
    row.add(r.drive_force);
    for (std::size_t i = 0; i < model_.points.size(); ++i)
        row.add(std::span(r.obs).subspan(static_cast<std::size_t>(layout_.obs_of_point[i]), 3));
    if (contact_) {
        for (const double x : {r.contact_energy.bands + r.contact_energy.ground, r.contact_energy.anchors,
                               r.brake_energy, r.ledger.contact_dissipated, r.ledger.brake_dissipated, r.ledger.ramp,
                               r.contact_totals.deepest_pair, r.contact_totals.deepest_point})
            row.add(x);
        for (const int n : {r.contact_totals.pins, r.contact_totals.faces, r.contact_totals.points}) row.add(n);
        if (model_.ground) {
            row.add(applied.ground_force);
            row.add(applied.ground_moment);
        }
        for (const BandTension& t : r.tensions) {
            row.add(t.least);
            row.add(t.greatest);
        }
        for (const int root : roots_) {
            if (root == kBase) continue;
            const double* pose = r.X.data() + 12 * static_cast<std::size_t>(root);
            row.add(std::span(pose + 9, 3));
            row.add(rollPitchYaw(pose));
        }
        for (const int b : placed_) row.add(std::span(r.X).subspan(12 * static_cast<std::size_t>(b) + 9, 3));
    }
    line(rows_of_ ? row.text() + rowValues(r) : row.text());
    ++rows_;
}

void Trace::close() {
    if (file_ != "-") opened_.close();
    if (file_ == "-" ? !std::cout.flush() : opened_.fail())
        throw UsageError(fmt::format("cannot write '{}': {}", file_, std::strerror(errno ? errno : EIO)));
}

}  // namespace mw::cli

// Redundant rows of loops as findings of the text, with the patch that mends them; loops that cannot be closed, start
// poses that are singular, and prescribed motions that loops do not leave free.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>

#include "engine/dynamics/closure_space.h"
#include "engine/mech/findings.h"
#include "engine/mech/patch.h"

namespace mw {
namespace {

bool usable(const Model& model) {
    const int bodies = static_cast<int>(model.bodies.size());
    for (const Body& b : model.bodies)
        if (b.parent < kBase || b.parent >= bodies) return false;
    for (const Loop& l : model.loops)
        for (const LoopFrame* f : {&l.from, &l.to})
            if (f->body < kBase || f->body >= bodies) return false;
    return smallEnoughForFindings(model);
}

// The type word, and the axis with it, become the remedy's.
void addPatch(std::vector<TextEdit>& fix, const mech::SyntaxTree& tree, const Loop& loop, const LoopRemedy& remedy) {
    const mech::Statement* statement = tree.find(mech::NameSpace::loop, loop.name);
    if (!statement || loop.type_range.begin >= loop.type_range.end) return;
    fix.push_back({loop.type_range, loopTypeName(remedy.type)});
    std::vector<TextEdit> axis;
    if (!hasAxis(remedy.type)) axis = mech::removeProperty(tree, *statement, "axis");
    else if (!hasAxis(loop.type))
        axis = mech::setProperty(tree, *statement, "axis",
                                 mech::numberTexts({remedy.axis[0], remedy.axis[1], remedy.axis[2]}));
    fix.insert(fix.end(), axis.begin(), axis.end());
}

}  // namespace

namespace {

// Rows that are independent in general, and not at the start: a run from there has no accelerations to begin with.
void judgeStart(const Model& model, const LoopHealth& general, std::vector<Diagnostic>& out) {
    if (!general.sound() || !general.closes || !usable(model)) return;
    constexpr double kClosed = 1e-6;  // m, rad: an open start is another finding's matter
    const std::vector<double> param = model.liveValues();
    Closure closure(model);
    const std::vector<double> start = startQ(model, closure.layout(), param);
    for (const double e : closure.error(start, param))
        if (!(std::abs(e) < kClosed)) return;
    const LoopHealth there = closure.health(start, param);
    if (there.rank >= general.rank || there.redundant.empty()) return;
    const RedundantRow& row = there.redundant.front();
    const Loop& loop = model.loops[static_cast<std::size_t>(row.loop)];
    Diagnostic d;
    d.code = mech::info(mech::Code::singular_start).name;
    d.severity = Severity::warning;
    d.range = loop.origin.name;
    d.message = fmt::format(
        "the start pose is singular: {} of loop '{}' is forbidden twice there, so that the rank is {} of {} (elsewhere "
        "{})",
        row.direction, loop.name, there.rank, general.nc, general.rank);
    d.expected = "a start pose at which the loops' rows are independent";
    d.remedy = "turn a joint of the loop a little at the start: links in one line are the usual case";
    out.push_back(std::move(d));
}

constexpr double kRank = 1e-9;  // singular values below this part of the largest count as zero

/// How many of some velocities the loops (unit rows) and the others among them fix: with the velocities' columns taken
/// away the rows lose so much of their rank, since these velocities reach as many dimensions of K v = 0 as their
/// number less that.
int fixedAmong(const MatrixXd& rows, const VectorXd& singular_values, const std::vector<int>& velocities) {
    MatrixXd rest = rows;
    for (const int v : velocities) rest.col(v).setZero();
    const double least = singular_values.size() > 0 ? kRank * singular_values[0] : 0;
    const auto rank = [least](const VectorXd& s) { return static_cast<int>((s.array() > least).count()); };
    return rank(singular_values) - rank(Eigen::JacobiSVD<MatrixXd>(rest).singularValues());
}

/// Drives of prescribed motion beyond what the loops leave free: each against those written before it.
void judgeDrives(const Model& model, const LoopHealth& general, std::vector<Diagnostic>& out) {
    if (!general.sound() || !general.closes || model.loops.empty() || !usable(model)) return;
    const auto prescribes = [](const Drive& d) { return d.kind == Drive::Kind::prescribed; };
    if (std::none_of(model.drives.begin(), model.drives.end(), prescribes)) return;
    const std::vector<double> param = model.liveValues();
    Closure closure(model);
    const Assembly start = closure.assemble(startQ(model, closure.layout(), param), param);
    if (!start.closed) return;
    ClosureSpace space(model);
    space.place(start.q, param);
    const MatrixXd rows = unitRows(space, space.jacobian(), allRows(space));
    const VectorXd singular_values = Eigen::JacobiSVD<MatrixXd>(rows).singularValues();

    struct Held {
        std::size_t drive;
        int velocity;
    };
    std::vector<Held> held;  // that the loops leave free
    const auto fixed = [&](int velocity, std::optional<std::size_t> without) {
        std::vector<int> velocities{velocity};
        for (std::size_t i = 0; i < held.size(); ++i)
            if (i != without) velocities.push_back(held[i].velocity);
        return fixedAmong(rows, singular_values, velocities) > 0;
    };
    for (std::size_t i = 0; i < model.drives.size(); ++i) {
        const Drive& drive = model.drives[i];
        if (!prescribes(drive)) continue;
        const int velocity = space.layout().v_of_body[static_cast<std::size_t>(drive.body)] + drive.coordinate;
        if (!fixed(velocity, std::nullopt)) {
            held.push_back({i, velocity});
            continue;
        }
        std::string others;  // without which it would be free
        for (std::size_t k = 0; k < held.size(); ++k)
            if (!fixed(velocity, k))
                others += fmt::format("{}'{}'", others.empty() ? "" : ", ", model.drives[held[k].drive].name);
        const std::string& joint = space.layout().v_names[static_cast<std::size_t>(velocity)];
        Diagnostic d;
        d.code = "drives-against-loops";
        d.severity = Severity::warning;
        d.range = drive.origin.name;
        if (others.empty()) {
            d.message = fmt::format("drive '{}' prescribes the motion of '{}', which the loops hold at the start pose",
                                    drive.name, joint);
            d.expected = "a start pose from which the loops let it move: a dead centre does not";
            d.remedy = "turn a joint of the loop a little at the start, or prescribe another joint's motion";
        } else {
            d.message = fmt::format(
                "drive '{}' prescribes the motion of '{}', which the loops make follow from {} already: where both "
                "disagree the loops are torn open",
                drive.name, joint, others);
            d.expected = fmt::format("at most as many prescribed motions as the loops leave free (mobility {})",
                                     general.mobility);
            d.remedy = "take one of these drives away, or let it be a `position` or `torque` drive, which gives way";
        }
        out.push_back(std::move(d));
    }
}

}  // namespace

bool smallEnoughForFindings(const Model& model) {
    // Dense algebra with more takes seconds.
    constexpr int kMostRows = 250, kMostVelocities = 500;
    const Layout layout = layoutOf(model);
    return layout.nc <= kMostRows && layout.nv <= kMostVelocities;
}

std::vector<Diagnostic> closureFindings(const Model& model, const mech::SyntaxTree& tree) {
    if (model.loops.empty() || hasErrors(tree.diagnostics) || !usable(model)) return {};
    return closureFindings(model, tree, Closure(model).generalHealth(model.liveValues()));
}

std::vector<Diagnostic> closureFindings(const Model& model, const mech::SyntaxTree& tree, const LoopHealth& health) {
    std::vector<Diagnostic> out;
    if (!health.closes && health.open_loop >= 0) {
        const Loop& loop = model.loops[static_cast<std::size_t>(health.open_loop)];
        Diagnostic d;
        d.code = mech::info(mech::Code::loop_unclosable).name;
        d.severity = Severity::warning;
        d.range = loop.origin.name;
        d.message = fmt::format("no closed pose was found from this start: {}", health.open);
        d.expected = "lengths and a start pose with which the loops meet";
        d.remedy = "change a length or a placement, or start nearer to a closed pose";
        out.push_back(std::move(d));
    }
    judgeStart(model, health, out);
    judgeDrives(model, health, out);
    if (health.sound()) return out;

    std::map<int, std::string> redundant;
    std::map<int, int> count;
    for (const RedundantRow& r : health.redundant) {
        std::string& list = redundant[r.loop];
        list += (list.empty() ? "" : ", ") + r.direction;
        ++count[r.loop];
    }
    std::vector<TextEdit> fix;
    std::string remedy;
    for (const LoopRemedy& r : health.remedies) {
        const Loop& loop = model.loops[r.loop];
        std::string axis;
        if (hasAxis(r.type) && !hasAxis(loop.type))
            axis = fmt::format(" along {:g} {:g} {:g}", r.axis[0], r.axis[1], r.axis[2]);
        remedy +=
            fmt::format("{}'{}' by {}{}", remedy.empty() ? "close " : " and ", loop.name, loopTypeName(r.type), axis);
        addPatch(fix, tree, loop, r);
    }
    if (remedy.empty()) remedy = "use a type with fewer rows, or cut this loop at another of its joints";
    else remedy += ": the motion stays the same";

    for (const auto& [index, list] : redundant) {
        const Loop& loop = model.loops[index];
        Diagnostic d;
        d.code = mech::info(mech::Code::loop_redundant).name;
        d.severity = Severity::error;
        d.range = loop.type_range.begin < loop.type_range.end ? loop.type_range : loop.origin.name;
        d.message = fmt::format(
            "loop '{}': {} of its {} rows {} what other rows or the joints forbid already ({}); the rank is {} of {}",
            loop.name, count[index], loopRows(loop.type), count[index] == 1 ? "forbids" : "forbid", list, health.rank,
            health.nc);
        d.expected = fmt::format("{} independent rows in all, for a mobility of {}", health.rank, health.mobility);
        d.remedy = remedy;
        d.fix = fix;
        out.push_back(std::move(d));
    }
    return out;
}

}  // namespace mw

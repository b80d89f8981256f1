// Loops: what closes two chains of bodies, and whether the start pose closes it.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/mech/patch.h"
#include "engine/model/loop_rows.h"
#include "engine/model/reader.h"

namespace mw::mech {
namespace {

constexpr double kClosed = 1e-6;   // m, rad
constexpr double kFarthest = 1e9;  // m: a double beyond it does not resolve kClosed

/// Some joint on the way between two bodies moves (what both hang on moves them alike).
bool movesBetween(const Model& model, int a, int b) {
    std::vector<int> count(model.bodies.size(), 0);
    for (int body : {a, b})
        for (std::size_t steps = 0; body >= 0 && steps <= model.bodies.size(); ++steps) {
            ++count[static_cast<std::size_t>(body)];
            body = model.bodies[static_cast<std::size_t>(body)].parent;
        }
    for (std::size_t i = 0; i < count.size(); ++i)
        if (count[i] == 1 && jointNv(model.bodies[i].joint.type) > 0) return true;
    return false;
}

}  // namespace

bool Reading::loopFrame(StatementReader& in, std::string_view word, LoopFrame& out) {
    out.body = body(in, word, 0);
    const bool numbers = in.numbers(word, out.at, 1);
    const std::string turn = std::string(word) + ".rot";
    if (in.has(turn)) in.numbers(turn, out.rot);
    for (std::size_t i = 0; i < 3 && numbers; ++i) {
        if (std::abs(out.at[i].value) <= kFarthest) continue;
        Diagnostic& d = findings.error(Code::out_of_range, in.range(word, 1 + i),
                                       fmt::format("{}: its end on '{}' lies {:.3g} m away from that body", in.title(),
                                                   in.text(word, 0), std::abs(out.at[i].value)));
        d.expected =
            fmt::format("a point within {:.0e} m: farther away no loop can be closed to {:.0e} m", kFarthest, kClosed);
        return false;
    }
    return out.body != -2 && numbers;
}

void Reading::readLoops() {
    std::vector<Placement> pose;
    const std::vector<double> param = model.liveValues();
    for (std::size_t i = 0; i < tree.statements.size(); ++i) {
        const Statement& statement = tree.statements[i];
        if (statement.spec->defines != NameSpace::loop || model.loops.size() >= kMostItems) continue;
        StatementReader in(tree, statement, scope, findings);
        Loop loop;
        loop.origin = {statement.range, tree.nameRange(statement), -1};
        loop.name = tree.view(loop.origin.name);
        bool typed = false;
        for (const LoopType type : {LoopType::revolute, LoopType::prismatic, LoopType::cylindrical, LoopType::spherical,
                                    LoopType::point_on_line, LoopType::distance})
            if (in.text("type", 0) == loopTypeName(type)) loop.type = type, typed = true;
        if (typed) loop.type_range = in.range("type", 0);
        const bool from = loopFrame(in, "from", loop.from);
        const bool to = loopFrame(in, "to", loop.to);
        const bool joined = from && to && bodies_sound;
        if (joined && pose.size() != model.bodies.size()) pose = startPose(model);
        bool complete = typed;
        if (typed && hasAxis(loop.type)) {
            std::size_t index = 0;
            if (in.has("axis")) {
                complete = in.axis("axis", index, loop.axis);
            } else {
                complete = false;
                Diagnostic& d = in.fault(Code::missing_property, "type",
                                         fmt::format("a {} loop needs an 'axis'", loopTypeName(loop.type)));
                d.expected = "axis x, y, z or three numbers, in the predecessor's loop frame";
                d.remedy = "add the axis about or along which the loop is free";
                d.fix = insertProperty(tree, statement, "axis", "z");
            }
        }
        if (typed && loop.type == LoopType::distance) {
            if (in.has("length")) {
                complete = in.number("length", 0, loop.length);
            } else {
                complete = false;
                Diagnostic& d = in.fault(Code::missing_property, "type", "a distance loop needs a 'length'");
                d.expected = "length L, in metres";
                const double apart =
                    joined ? distance(pose, {loop.from.body, loop.from.at}, {loop.to.body, loop.to.at}, param) : 0;
                if (apart > 0) {
                    d.remedy = fmt::format("add `length {}`, what the start pose has", numberText(apart));
                    d.fix = insertProperty(tree, statement, "length", numberText(apart));
                } else {
                    d.remedy = "add the distance that the two points keep";
                }
            }
        }
        if (typed) in.finish(fmt::format("a {} loop", loopTypeName(loop.type)));
        else
            for (const char* word : {"axis", "length"}) in.has(word);
        if (!typed) in.finish();
        if (!from || !to || !complete) continue;
        if (joined && !movesBetween(model, loop.from.body, loop.to.body)) {
            Diagnostic& d = in.fault(Code::loop_idle, "",
                                     "no joint between its two ends moves, so that there is "
                                     "nothing to close");
            d.expected = "two bodies that move against each other";
            d.remedy = "join it to another body, or remove it";
            continue;
        }
        if (joined) {
            const std::vector<double> error = loopError(loop, pose, param);
            const auto worst = std::max_element(error.begin(), error.end(),
                                                [](double a, double b) { return std::abs(a) < std::abs(b); });
            if (!(std::abs(*worst) <= kFarthest)) {
                in.fault(Code::out_of_range, "",
                         fmt::format("its ends lie {:.3g} m apart at the start pose", std::abs(*worst)))
                    .expected = fmt::format("ends within {:.0e} m", kFarthest);
                continue;
            }
            if (!(std::abs(*worst) <= kClosed)) {
                const LoopRow row = rowsOf(loop)[static_cast<std::size_t>(worst - error.begin())];
                Diagnostic& d = in.warn(Code::loop_open, "",
                                        fmt::format("it is open by {:.3g} {} at the start pose ({})", std::abs(*worst),
                                                    rowUnit(row), rowName(row)));
                d.expected = "a start pose that closes it to 1e-6 m or rad";
                d.remedy = "assemble the start pose (Edit > Assemble, or `mech assemble`)";
            }
        }
        item[i] = static_cast<int>(model.loops.size());
        model.loops.push_back(std::move(loop));
    }
}

}  // namespace mw::mech

// Points, springs and drives: what hangs between bodies and on joints.
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "engine/mech/patch.h"
#include "engine/model/reader.h"
#include "engine/model/start_pose.h"

namespace mw::mech {
namespace {

/// Pairs of a curve, x strictly rising.
void readCurve(StatementReader& in, const char* word, Curve& curve) {
    std::vector<Number> values;
    if (!in.list(word, values)) return;
    if (values.size() % 2 != 0 || values.size() < 4) {
        in.fault(Code::bad_curve, word,
                 fmt::format("'{}' has {} number{}", word, values.size(), values.size() == 1 ? "" : "s"))
            .expected = "pairs x f, at least two";
        return;
    }
    for (std::size_t i = 2; i < values.size(); i += 2)
        if (values[i].value <= values[i - 2].value) {
            Diagnostic& d =
                in.fault(Code::bad_curve, word,
                         fmt::format("'{}' goes from x = {} to x = {}", word, values[i - 2].value, values[i].value));
            d.expected = "x strictly rising";
            d.range = in.range(word, i);
            return;
        }
    for (std::size_t i = 0; i < values.size(); i += 2) {
        curve.x.push_back(std::move(values[i]));
        curve.f.push_back(std::move(values[i + 1]));
    }
}

/// A prescribed joint begins where its drive has it; else it is moved there at once.
void checkStart(Reading& r, StatementReader& in, const Drive& drive) {
    const Body& body = r.model.bodies[static_cast<std::size_t>(drive.body)];
    const auto coordinate = static_cast<std::size_t>(drive.coordinate);
    const double begin = evaluate(*drive.expression, r.model.liveValues(), 0);
    const double start = body.start[coordinate].value;
    if (!std::isfinite(begin) || std::abs(begin - start) <= 1e-9 * std::max(1.0, std::abs(begin))) return;
    Diagnostic& d = in.warn(
        Code::start_off_motion, "prescribed",
        fmt::format("at t = 0 it has '{}' at {:.9g}, which starts at {:.9g}", in.text("joint", 0), begin, start));
    d.expected = "a joint that starts where its drive begins";
    d.remedy = fmt::format("start '{}' there", body.name);
    const Statement* statement = r.tree.find(NameSpace::body, body.name);
    if (!statement) return;
    std::vector<double> values;
    for (const Number& n : body.start) values.push_back(n.value);
    values[coordinate] = begin;
    d.fix = statement->find("start") ? setValue(r.tree, *statement, "start", coordinate, numberText(begin))
                                     : insertProperty(r.tree, *statement, "start", numberTexts(values));
}

Origin originOf(const SyntaxTree& tree, const Statement& statement) {
    return {statement.range, tree.nameRange(statement), -1};
}

}  // namespace

void Reading::readPoints() {
    for (std::size_t i = 0; i < tree.statements.size(); ++i) {
        const Statement& statement = tree.statements[i];
        if (statement.spec->defines != NameSpace::point || model.points.size() >= kMostItems) continue;
        StatementReader in(tree, statement, scope, findings);
        PointOfInterest poi;
        poi.origin = originOf(tree, statement);
        poi.name = tree.view(poi.origin.name);
        poi.point.body = body(in, "on", 0);
        in.numbers("at", poi.point.at);
        in.finish();
        if (poi.point.body < kBase) continue;  // what could not be understood does not enter the Model
        item[i] = static_cast<int>(model.points.size());
        model.points.push_back(std::move(poi));
    }
}

void Reading::readElements() {
    std::vector<Placement> pose;
    std::vector<double> param;
    for (std::size_t i = 0; i < tree.statements.size(); ++i) {
        const Statement& statement = tree.statements[i];
        if (statement.spec->defines != NameSpace::element) continue;
        if (model.tsdas.size() + model.rsdas.size() >= kMostItems) break;
        StatementReader in(tree, statement, scope, findings);
        if (std::string_view(statement.spec->head) == "rsda") {
            Rsda rsda;
            rsda.origin = originOf(tree, statement);
            rsda.name = tree.view(rsda.origin.name);
            int velocity = 0;
            const bool known = coordinate(in, "joint", rsda.body, velocity, true);
            const bool angle =
                known && model.bodies[static_cast<std::size_t>(rsda.body)].joint.type != JointType::prismatic;
            in.number("k", 0, rsda.k);
            in.number("c", 0, rsda.c);
            in.number("q0", 0, rsda.q0, angle);
            rsda.input = in.has("input");
            readCurve(in, "curve", rsda.curve);
            readCurve(in, "damper-curve", rsda.damper_curve);
            in.finish();
            if (!known) continue;
            item[i] = static_cast<int>(model.rsdas.size());
            model.rsdas.push_back(std::move(rsda));
            continue;
        }
        Tsda tsda;
        tsda.origin = originOf(tree, statement);
        tsda.name = tree.view(tsda.origin.name);
        const bool from = point(in, "from", 0, tsda.from);
        const bool to = point(in, "to", 0, tsda.to);
        in.number("k", 0, tsda.k);
        in.number("c", 0, tsda.c);
        tsda.input = in.has("input");
        readCurve(in, "curve", tsda.curve);
        readCurve(in, "damper-curve", tsda.damper_curve);
        in.number("l0", 0, tsda.l0);
        if (from && to && bodies_sound) {
            if (pose.size() != model.bodies.size()) {
                pose = startPose(model);
                param = model.liveValues();
            }
            const double length = distance(pose, tsda.from, tsda.to, param);
            if (!in.has("l0")) tsda.l0 = Number(length);
            if (!(length > 1e-12)) {
                Diagnostic& d =
                    in.fault(Code::zero_length, "", "its ends coincide at the start pose, so that it has no direction");
                d.expected = "two ends apart from each other";
                d.remedy = "move one end, or the start";
            }
        }
        if (from && to && tsda.from.body == tsda.to.body)
            in.warn(Code::no_effect, "", "both ends are on the same body, so that it moves nothing").remedy =
                "put one end on another body";
        in.finish();
        if (!from || !to) continue;
        item[i] = static_cast<int>(model.tsdas.size());
        model.tsdas.push_back(std::move(tsda));
    }
}

void Reading::readDrives() {
    std::set<std::pair<int, int>> prescribed;  // body and coordinate
    for (std::size_t i = 0; i < tree.statements.size(); ++i) {
        const Statement& statement = tree.statements[i];
        if (statement.spec->defines != NameSpace::drive || model.drives.size() >= kMostItems) continue;
        StatementReader in(tree, statement, scope, findings);
        Drive drive;
        drive.origin = originOf(tree, statement);
        drive.name = tree.view(drive.origin.name);
        const bool known = coordinate(in, "joint", drive.body, drive.coordinate, false);
        const JointType type =
            known ? model.bodies[static_cast<std::size_t>(drive.body)].joint.type : JointType::revolute;
        struct Law {
            Drive::Kind kind;
            const char* word;
        };
        const Law* law = nullptr;
        bool several = false;
        static constexpr Law kLaws[] = {{Drive::Kind::torque, "torque"},
                                        {Drive::Kind::speed, "speed"},
                                        {Drive::Kind::position, "position"},
                                        {Drive::Kind::prescribed, "prescribed"}};
        Number expression;
        for (const Law& candidate : kLaws) {
            if (!in.has(candidate.word)) continue;
            const std::vector<bool> turns = known ? angles(type) : std::vector<bool>{};
            const bool angle = (candidate.kind == Drive::Kind::position || candidate.kind == Drive::Kind::prescribed) &&
                               static_cast<std::size_t>(drive.coordinate) < turns.size() &&
                               turns[static_cast<std::size_t>(drive.coordinate)];
            in.number(candidate.word, 0, expression, angle);
            several = law != nullptr;
            law = &candidate;
        }
        drive.kind = law ? law->kind : Drive::Kind::torque;
        if (several) law = nullptr;  // said by the parser; what either of them needs is not asked for
        drive.expression = expression.live ? expression.live : Expression::constant(expression.value);
        const auto needs = [&](const char* word, Number& out) {
            if (in.has(word)) {
                in.number(word, 0, out);
                return;
            }
            Diagnostic& d =
                in.fault(Code::missing_property, law->word, fmt::format("a {} law needs '{}'", law->word, word));
            d.expected = signature(word, statement.spec->find(word)->values);
            d.remedy = fmt::format("add `{} 10`, say", word);
            d.fix = insertProperty(tree, statement, word, "10");
        };
        if (law && law->kind == Drive::Kind::speed) needs("gain", drive.gain);
        if (law && law->kind == Drive::Kind::position) {
            needs("kp", drive.kp);
            in.number("kd", 0, drive.kd);
        }
        const bool by_coordinate = law && (law->kind == Drive::Kind::position || law->kind == Drive::Kind::prescribed);
        const bool scalar = type != JointType::spherical && type != JointType::floating;
        if (by_coordinate && known && !scalar) {
            Diagnostic& d =
                in.fault(Code::not_scalar, law->word,
                         fmt::format("a {} joint has no coordinate of its own for each velocity", jointTypeName(type)));
            d.expected = "a torque or speed law, or another joint";
        }
        if (law && law->kind == Drive::Kind::prescribed) {
            if (known && !prescribed.emplace(drive.body, drive.coordinate).second) {
                Diagnostic& d = in.fault(Code::driven_twice, "joint",
                                         fmt::format("the motion of '{}' is prescribed already", in.text("joint", 0)));
                d.expected = "one prescribed motion for a coordinate";
                d.remedy = "remove one of the two drives";
                d.fix = removeStatement(tree, statement);
            } else if (known && scalar && bodies_sound && in.sound("prescribed")) {
                checkStart(*this, in, drive);
            }
        } else {
            in.number("limit", 0, drive.limit);
        }
        if (law) in.finish(fmt::format("a {} law", law->word));
        else
            for (const char* word : {"gain", "kp", "kd"}) in.has(word);
        if (!law) in.finish();
        if (!known) continue;
        item[i] = static_cast<int>(model.drives.size());
        model.drives.push_back(std::move(drive));
    }
}

}  // namespace mw::mech

// Bodies: joint, place, mass, start state; circles of parents; inertias that no body has.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/mech/patch.h"
#include "engine/model/check_inertia.h"
#include "engine/model/check_tendons.h"
#include "engine/model/layout.h"
#include "engine/model/reader.h"

namespace mw::mech {
namespace {

class BodyReader {
public:
    BodyReader(Reading& reading, const Statement& statement, Body& body)
        : r_(reading), body_(body), in_(reading.tree, statement, reading.scope, reading.findings) {}

    /// Does it know its joint?
    bool run() {
        body_.parent = in_.has("parent") ? r_.body(in_, "parent", 0) : kBase;
        if (body_.parent == -2) body_.parent = kBase;
        const bool known = joint();
        in_.numbers("at", body_.at);
        in_.numbers("rot", body_.rot);
        if (known && body_.joint.type == JointType::floating) checkFloating();
        in_.number("mass", 0, body_.mass);
        in_.numbers("cg", body_.cg);
        if (in_.numbers("inertia", body_.inertia)) checkInertia(in_, r_.tree, body_.inertia);
        body_.fext = in_.has("fext");
        startState(known);
        range(known);
        limits(known);
        dissipation(known);
        in_.finish();
        return known;
    }

private:
    bool joint() {
        if (!in_.has("joint")) return true;
        const std::string_view type = in_.text("joint", 0);
        if (type.empty()) return false;
        static constexpr JointType kTypes[] = {JointType::fixed,       JointType::revolute,  JointType::prismatic,
                                               JointType::cylindrical, JointType::screw,     JointType::universal,
                                               JointType::planar,      JointType::spherical, JointType::floating};
        for (const JointType t : kTypes)
            if (type == jointTypeName(t)) body_.joint.type = t;
        std::size_t index = 1;
        switch (body_.joint.type) {
            case JointType::fixed:
            case JointType::spherical:
            case JointType::floating: return true;
            case JointType::screw: {
                const bool axis = in_.axis("joint", index, body_.joint.axis);
                // the word `pitch`, then its value
                return in_.number("joint", index + 1, body_.joint.pitch) && axis;
            }
            case JointType::universal: {
                if (!in_.axis("joint", index, body_.joint.axis)) return false;
                const std::size_t second = index;
                return in_.axis("joint", index, body_.joint.axis2) && perpendicular(second, index - 1);
            }
            case JointType::planar: {
                const std::string_view normal = in_.text("joint", 1);
                body_.joint.axis = {normal == "x" ? 1.0 : 0.0, normal == "y" ? 1.0 : 0.0, normal == "z" ? 1.0 : 0.0};
                return !normal.empty();
            }
            default: return in_.axis("joint", index, body_.joint.axis);
        }
    }

    // Up to rounding in the text; then exactly, by taking off the part along the first axis.
    bool perpendicular(std::size_t first_value, std::size_t last_value) {
        const Vector3d& a = body_.joint.axis;
        Vector3d& b = body_.joint.axis2;
        const double along = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        if (along == 0) return true;
        Vector3d across = {b[0] - along * a[0], b[1] - along * a[1], b[2] - along * a[2]};
        const double length = std::hypot(across[0], across[1], across[2]);
        if (std::abs(along) > 1e-6) {
            const TextRange place = {in_.range("joint", first_value).begin, in_.range("joint", last_value).end};
            Diagnostic& d =
                r_.findings.error(Code::axes_not_perpendicular, place,
                                  fmt::format("{}: the axes of the universal joint meet at {:.4g} degrees", in_.title(),
                                              std::acos(std::clamp(along, -1.0, 1.0)) * 180 / 3.14159265358979323846));
            d.expected = "perpendicular axes";
            if (length > 1e-3) {
                d.remedy = "take the part of the second axis across the first";
                d.fix = {{place, numberTexts({across[0] / length, across[1] / length, across[2] / length})}};
            } else {
                d.remedy = "give the second axis another direction";
            }
            return false;
        }
        for (double& component : across) component /= length;
        b = across;
        return true;
    }

    void checkFloating() {
        if (body_.parent != kBase) {
            Diagnostic& d = in_.fault(Code::floating_not_on_base, "parent",
                                      fmt::format("a floating joint cannot hang from '{}'", in_.text("parent", 0)));
            d.expected = "base";
            d.remedy = "leave `parent` out, or take a spherical joint";
            d.fix = removeProperty(r_.tree, in_.statement(), "parent");
        }
        for (const char* word : {"at", "rot"}) {
            if (!in_.has(word)) continue;
            Diagnostic& d =
                in_.fault(Code::floating_not_on_base, word, fmt::format("a floating joint has no '{}'", word));
            d.expected = "the place in `start`: qw qx qy qz x y z";
            d.remedy = "remove it and move the place into `start`";
            d.fix = removeProperty(r_.tree, in_.statement(), word);
        }
    }

    void startState(bool known) {
        const JointType type = body_.joint.type;
        const bool quaternion = type == JointType::spherical || type == JointType::floating;
        std::vector<Number> start, rate;
        const bool read_start = in_.list("start", start, known ? angles(type) : std::vector<bool>{});
        const bool read_rate = in_.list("rate", rate);
        if (in_.sound("start")) body_.start_range = in_.values("start");
        const auto nq = static_cast<std::size_t>(jointNq(type));
        const auto nv = static_cast<std::size_t>(jointNv(type));
        const auto fits = [&](const char* word, std::size_t given, std::size_t wanted, bool velocities) {
            if (given == wanted || !known) return known;
            Diagnostic& d = in_.fault(
                Code::wrong_count, word,
                fmt::format("'{}' has {} value{}, its {} joint {}", word, given, given == 1 ? "" : "s",
                            jointTypeName(type), wanted == 0 ? "takes none" : fmt::format("takes {}", wanted)));
            d.expected = wanted == 0 ? "nothing: a fixed joint does not move" : coordinateNames(type, velocities);
            if (wanted == 0) d.fix = removeProperty(r_.tree, in_.statement(), word);
            return false;
        };
        if (read_start && fits("start", start.size(), nq, false)) body_.start = std::move(start);
        if (read_rate && fits("rate", rate.size(), nv, true)) body_.rate = std::move(rate);
        if (quaternion && !body_.start.empty()) normalise();
        if (body_.start.empty()) {
            body_.start.assign(nq, Number(0));
            if (quaternion) body_.start[0] = Number(1);
        }
        if (body_.rate.empty()) body_.rate.assign(nv, Number(0));
    }

    void normalise() {
        std::array<double, 4> unit{};
        bool live = false;
        for (std::size_t i = 0; i < 4; ++i) {
            unit[i] = body_.start[i].value;
            live = live || body_.start[i].isLive();
        }
        const double length = normaliseQuaternion(unit.data());
        if (length == 0) {
            Diagnostic& d = in_.fault(Code::zero_quaternion, "start", "a quaternion of length zero is no attitude");
            d.expected = "qw qx qy qz, such as 1 0 0 0";
            body_.start[0] = Number(1);
            return;
        }
        if (std::abs(length - 1) > 1e-6) {
            Diagnostic& d = in_.warn(Code::quaternion_not_unit, "start",
                                     fmt::format("the quaternion has length {:.9g}; it was normalised", length));
            d.expected = "qw² + qx² + qy² + qz² = 1";
            d.remedy = "write it with length 1";
            if (in_.literal("start"))
                for (std::size_t i = 0; i < 4; ++i) d.fix.push_back({in_.range("start", i), numberText(unit[i])});
        }
        if (live) return;  // startQ normalises with the values of the run
        if (length != 1)
            for (std::size_t i = 0; i < 4; ++i) body_.start[i] = Number(unit[i]);
    }

    bool scalar(const char* word, bool known) {
        if (!known || isScalar(body_.joint.type)) return true;
        in_.fault(Code::not_scalar, word,
                  fmt::format("'{}' needs a joint with one coordinate, and this one is {}", word,
                              jointTypeName(body_.joint.type)))
            .expected = "a revolute, prismatic or screw joint";
        return false;
    }

    void range(bool known) {
        if (!in_.has("slider") || !scalar("slider", known)) return;
        const bool angle = known && body_.joint.type != JointType::prismatic;
        double low = 0, high = 0;
        if (!(in_.fixed("slider", 0, low, angle) & in_.fixed("slider", 1, high, angle))) return;
        if (low >= high) crossed("slider", low, high);
        else body_.slider = std::array<Number, 2>{Number(low), Number(high)};
    }

    void crossed(const char* word, double low, double high) {
        Diagnostic& d = in_.fault(Code::crossed_range, word, fmt::format("'{}' runs from {} to {}", word, low, high));
        d.expected = "the lower value first";
        if (low > high) {
            d.remedy = "swap them";
            d.fix = {{in_.range(word, 0), std::string(in_.text(word, 1))},
                     {in_.range(word, 1), std::string(in_.text(word, 0))}};
        }
    }

    void limits(bool known) {
        if (!in_.has("limits")) return;
        JointLimits limits;
        const bool angle = known && isScalar(body_.joint.type) && body_.joint.type != JointType::prismatic;
        const bool low = in_.number("limits", 0, limits.lower, angle);
        const bool high = in_.number("limits", 1, limits.upper, angle);
        in_.number("margin", 0, limits.margin);
        in_.number("compliance", 0, limits.compliance);
        in_.number("correction", 0, limits.correction);
        in_.number("restitution", 0, limits.restitution);
        if (!low || !high || !scalar("limits", known)) return;
        if (limits.lower.value > limits.upper.value || limits.lower.value == kInfinity ||
            limits.upper.value == -kInfinity) {
            crossed("limits", limits.lower.value, limits.upper.value);
            return;
        }
        if (known && (body_.start[0].value < limits.lower.value || body_.start[0].value > limits.upper.value)) {
            Diagnostic& d = in_.warn(Code::start_outside_range, in_.has("start") ? "start" : "limits",
                                     fmt::format("it starts at {}, outside its limits {} to {}", body_.start[0].value,
                                                 limits.lower.value, limits.upper.value));
            d.remedy = "start inside the limits";
        }
        checkMargins(in_, r_.tree, limits.lower, limits.upper, limits.margin);
        checkCreep(in_, r_.tree, limits.compliance, limits.correction);
        body_.limits = limits;
    }

    void dissipation(bool known) {
        in_.number("joint-friction", 0, body_.joint_friction);
        in_.number("joint-damping", 0, body_.joint_damping);
        in_.number("joint-armature", 0, body_.joint_armature);
        if (!known || body_.joint.type != JointType::fixed) return;
        for (const char* word : {"joint-friction", "joint-damping", "joint-armature"}) {
            if (!in_.has(word)) continue;
            Diagnostic& d =
                in_.warn(Code::no_effect, word, fmt::format("'{}' does nothing: a fixed joint does not move", word));
            d.remedy = "remove it, or give the body a joint";
            d.fix = removeProperty(r_.tree, in_.statement(), word);
        }
    }

    Reading& r_;
    Body& body_;
    StatementReader in_;
};

void checkParents(Reading& r) {
    enum class Mark : char { unseen, on_the_way, done };
    std::vector<Body>& bodies = r.model.bodies;
    std::vector<Mark> marks(bodies.size(), Mark::unseen);
    std::vector<std::size_t> way;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        way.clear();
        int at = static_cast<int>(i);
        while (at >= 0 && marks[static_cast<std::size_t>(at)] == Mark::unseen) {
            marks[static_cast<std::size_t>(at)] = Mark::on_the_way;
            way.push_back(static_cast<std::size_t>(at));
            at = bodies[static_cast<std::size_t>(at)].parent;
        }
        if (at >= 0 && marks[static_cast<std::size_t>(at)] == Mark::on_the_way) {
            Body& first = bodies[static_cast<std::size_t>(at)];
            std::string circle = first.name;
            int next = first.parent;
            for (int count = 0; next != at; next = bodies[static_cast<std::size_t>(next)].parent)
                if (++count < 8) circle += " -> " + bodies[static_cast<std::size_t>(next)].name;
            Diagnostic& d =
                r.findings.error(Code::parent_cycle, first.origin.name,
                                 fmt::format("'{}' carries itself: {} -> {}", first.name, circle, first.name));
            d.expected = "a chain of parents that ends at base";
            d.remedy = "hang one of them from another body";
            first.parent = kBase;  // so that what follows can walk the tree
            r.bodies_sound = false;
        }
        for (const std::size_t body : way) marks[body] = Mark::done;
    }
}

}  // namespace

void checkInertia(StatementReader& in, const SyntaxTree& tree, const std::array<Number, 6>& inertia) {
    std::array<double, 6> values{};
    for (std::size_t i = 0; i < 6; ++i) values[i] = inertia[i].value;
    const PrincipalInertia principal = principalInertia(values);
    const double largest = std::max(std::abs(principal.value[0]), std::abs(principal.value[2]));
    if (largest == 0) return;
    if (principal.value[0] < -1e-12 * largest) {
        Diagnostic& d =
            in.fault(Code::negative_inertia, "inertia",
                     fmt::format("the inertia has a negative principal value, {:.6g} kg m²", principal.value[0]));
        d.expected = "a matrix without negative principal values";
        d.remedy =
            "Ixy, Ixz and Iyz are matrix entries: minus the products of inertia of many tables; and the order is "
            "Ixx Iyy Izz Ixy Ixz Iyz";
        return;
    }
    const double sum = principal.value[0] + principal.value[1];
    if (principal.value[2] <= sum + 1e-9 * principal.value[2]) return;
    Diagnostic& d = in.warn(
        Code::impossible_inertia, "inertia",
        fmt::format(
            "the largest principal inertia, {:.6g}, exceeds the sum of the others, {:.6g}; no real body does that",
            principal.value[2], sum));
    d.expected = "each principal inertia at most the sum of the other two";
    if (!in.literal("inertia")) {
        d.remedy = "the equations still hold; check the numbers";
        return;
    }
    d.remedy = "the equations still hold; or lower the largest to that sum";
    // I - (largest - sum) e e^T, e the axis of the largest.
    const double excess = principal.value[2] - sum;
    const Vector3d e = {principal.axes[2], principal.axes[5], principal.axes[8]};
    const std::size_t rows[6] = {0, 1, 2, 0, 0, 1};
    const std::size_t columns[6] = {0, 1, 2, 1, 2, 2};
    std::vector<double> mended;
    for (std::size_t i = 0; i < 6; ++i) {
        const double lowered = values[i] - excess * e[rows[i]] * e[columns[i]];
        mended.push_back(std::abs(lowered) < 1e-15 * largest ? 0.0 : lowered);
    }
    d.fix = setProperty(tree, in.statement(), "inertia", numberTexts(mended));
}

void Reading::readBodies() {
    const std::size_t before = findings.errors();
    bool structural = false;
    // Slots first, since a parent may come after its child in the text.
    for (std::size_t i = 0; i < tree.statements.size(); ++i) {
        const Statement& statement = tree.statements[i];
        if (statement.spec->defines != NameSpace::body) continue;
        const TextRange name = tree.nameRange(statement);
        for (const Property& property : statement.properties) structural = structural || property.faulty;
        if (!statement.find("mass")) structural = true;
        if (model.bodies.size() >= kMostItems) continue;
        item[i] = static_cast<int>(model.bodies.size());
        Body body;
        body.name = tree.view(name);
        body.origin = {statement.range, name.end > 0 ? name : tree.token(statement.keyword).range(), -1};
        model.bodies.push_back(std::move(body));
    }
    joint_known.assign(model.bodies.size(), 1);
    for (std::size_t i = 0; i < tree.statements.size(); ++i) {
        if (tree.statements[i].spec->defines != NameSpace::body || item[i] < 0) continue;
        const auto index = static_cast<std::size_t>(item[i]);
        joint_known[index] = BodyReader(*this, tree.statements[i], model.bodies[index]).run() ? 1 : 0;
    }
    bodies_sound = !structural && findings.errors() == before;
    checkParents(*this);
}

}  // namespace mw::mech

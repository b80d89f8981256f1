// Force elements as rows over the joints between their ends, joint damping, and observations.
#include "generator/derive/elements.h"

#include <algorithm>

#include "generator/derive/numbers.h"

namespace mw::gen {

namespace {
std::size_t at(int i) { return static_cast<std::size_t>(i); }
}  // namespace

int Elements::dofOfBody(int body) const {
    const int v = layout_.v_of_body[at(body)];
    for (int d = 0; d < tree_.ndof(); ++d)
        if (tree_.v_of_dof[at(d)] == v) return d;
    return -1;
}

Expr Elements::stiffness(const Number& k) {
    return tree_.fault == Fault::spring_sign ? -numberExpr(graph_, k) : numberExpr(graph_, k);
}

Expr Elements::curve(const Curve& curve, Expr x) {
    // Straight between the points, end slopes kept: f0 + s0 (x - x0) + sum (s_i - s_(i-1)) max(0, x - x_i).
    if (curve.empty()) return {};
    const std::size_t n = std::min(curve.x.size(), curve.f.size());
    Expr sum = numberExpr(graph_, curve.f[0]), before;
    for (std::size_t i = 0; i + 1 < n; ++i) {
        const Expr xi = numberExpr(graph_, curve.x[i]), fi = numberExpr(graph_, curve.f[i]);
        const Expr slope = (numberExpr(graph_, curve.f[i + 1]) - fi) / (numberExpr(graph_, curve.x[i + 1]) - xi);
        const Expr beyond = x - xi;
        sum = sum + (slope - before) * (i == 0 ? beyond : max(graph_.constant(0), beyond));
        before = slope;
    }
    return sum;
}

Line Elements::lineOf(const Tsda& tsda) {
    // Both ends walk towards the base until they meet; the joints on the way are the ones that the length depends on.
    struct Step {
        int link;
        Vec end;  ///< the anchor, in the link's axes from its origin
    };
    const LinkTree::Ways ways = tree_.waysBetween(tsda.from.body, tsda.to.body);
    const auto walk = [&](const std::vector<int>& path, Vec point, std::vector<Step>& steps) {
        for (int link : path) {
            steps.push_back({link, point});
            point = tree_.link(link).p + tree_.link(link).rotation.out(point);
        }
        return point;
    };
    std::vector<Step> stepsFrom, stepsTo;
    const Vec from = walk(ways.from, tree_.point(graph_, tsda.from), stepsFrom);
    const Vec to = walk(ways.to, tree_.point(graph_, tsda.to), stepsTo);

    Line line;
    const Vec d = to - from;
    line.length = sqrt(dot(d, d));
    // Far below any length; its inverse times any sensible force is still a number, and d is zero there.
    constexpr double kTiny = 1e-150;
    line.inverse_length = graph_.constant(1) / max(line.length, graph_.constant(kTiny));
    const auto descend = [&](const std::vector<Step>& steps, bool successor) {
        Vec direction = d;
        for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
            const Link& link = tree_.link(step->link);
            direction = link.rotation.in(direction);
            const Wrench wrench{cross(step->end, direction), direction};
            for (int k = 0; k < link.dofs(); ++k) {
                const Expr entry = freedomOf(link, k).along(wrench);
                if (!entry.isZero()) line.row.emplace_back(link.dof + k, successor ? entry : -entry);
            }
        }
    };
    descend(stepsFrom, false), descend(stepsTo, true);
    Expr moving;
    for (const auto& [dof, entry] : line.row) moving = moving + entry * graph_.input(Array::v, tree_.v_of_dof[at(dof)]);
    line.rate = moving * line.inverse_length;
    return line;
}

Expr Elements::rsdaCoordinate(const Rsda& rsda) const {
    return graph_.input(Array::q, layout_.q_of_body[at(rsda.body)]);
}
Expr Elements::rsdaRate(const Rsda& rsda) const { return graph_.input(Array::v, layout_.v_of_body[at(rsda.body)]); }

void Elements::addForces(std::vector<Expr>& tau) {
    for (const Link& link : tree_.links)
        for (int d = 0; d < link.dofs(); ++d) {
            Expr& force = tau[at(link.dof + d)];
            force = force - link.damping * graph_.input(Array::v, link.v + d);
        }
    for (std::size_t i = 0; i < model_.rsdas.size(); ++i) {
        const Rsda& rsda = model_.rsdas[i];
        const int dof = dofOfBody(rsda.body);
        if (dof < 0) continue;
        const Expr turn = rsdaCoordinate(rsda) - numberExpr(graph_, rsda.q0), rate = rsdaRate(rsda);
        Expr& force = tau[at(dof)];
        force = force - stiffness(rsda.k) * turn;

        force = force - numberExpr(graph_, rsda.c) * rate;
        force = force - curve(rsda.curve, turn) - curve(rsda.damper_curve, rate);
        force = force + actuator(layout_.act_of_rsda[i]);
        owners_.claim(rsda.body);
    }
    for (std::size_t i = 0; i < model_.tsdas.size(); ++i) {
        const Tsda& tsda = model_.tsdas[i];
        const Line line = lineOf(tsda);
        const Expr extension = line.length - numberExpr(graph_, tsda.l0);
        Expr tension = actuator(layout_.act_of_tsda[i]);
        tension = tension + stiffness(tsda.k) * extension;

        tension = tension + numberExpr(graph_, tsda.c) * line.rate;
        tension = tension + curve(tsda.curve, extension) + curve(tsda.damper_curve, line.rate);
        const Expr scaled = tension * line.inverse_length;
        for (const auto& [dof, entry] : line.row) tau[at(dof)] = tau[at(dof)] - scaled * entry;
        owners_.claim(tsda.to.body != kBase ? tsda.to.body : tsda.from.body);
    }
}

std::pair<Vec, Vec> Elements::pointState(const BodyPoint& point) {
    Vec position = tree_.point(graph_, point), velocity;
    for (int i = tree_.linkOf(point.body); i != kBase; i = tree_.link(i).parent) {
        const Link& link = tree_.link(i);
        // Relative to the parent: what its joint does, then into the parent's axes.
        for (int d = 0; d < link.dofs(); ++d) {
            const Expr rate = graph_.input(Array::v, link.v + d);
            const Freedom freedom = freedomOf(link, d);
            Vec axis{};
            if (freedom.turn >= 0) {
                axis[at(freedom.turn)] = rate;
                velocity = velocity + cross(axis, position);
            }
            if (freedom.slide >= 0) {
                axis = Vec{};
                axis[at(freedom.slide)] = freedom.turn >= 0 ? freedom.ratio * rate : rate;
                velocity = velocity + axis;
            }
        }
        position = link.p + link.rotation.out(position);
        velocity = link.rotation.out(velocity);
    }
    return {position, velocity};
}

}  // namespace mw::gen

// Element laws and their explicit application.
#include "engine/dynamics/elements.h"

#include <algorithm>

namespace mw {

namespace {

/// Slope and start of the piece of a curve that holds at x.
struct Piece {
    double x, f, slope;
};

Piece pieceAt(const Curve& curve, std::span<const double> param, std::size_t i) {
    const double x0 = curve.x[i].at(param), f0 = curve.f[i].at(param);
    if (i + 1 >= curve.x.size()) return {x0, f0, 0};
    const double dx = curve.x[i + 1].at(param) - x0;
    return {x0, f0, dx > 0 ? (curve.f[i + 1].at(param) - f0) / dx : 0};
}

/// Index of the piece that x lies in: the first and the last reach to infinity.
std::size_t pieceIndex(const Curve& curve, std::span<const double> param, double x) {
    std::size_t i = 0;
    while (i + 2 < curve.x.size() && x > curve.x[i + 1].at(param)) i++;
    return i;
}

}  // namespace

double curveValue(const Curve& curve, std::span<const double> param, double x) {
    if (curve.empty()) return 0;
    const Piece p = pieceAt(curve, param, pieceIndex(curve, param, x));
    return p.f + p.slope * (x - p.x);
}

double curveIntegral(const Curve& curve, std::span<const double> param, double x) {
    if (curve.empty()) return 0;
    // From 0 to x piece by piece, each exactly (trapezium of its ends).
    const double lower = std::min(0.0, x), upper = std::max(0.0, x);
    const std::size_t first = pieceIndex(curve, param, lower), last = pieceIndex(curve, param, upper);
    double sum = 0;
    for (std::size_t i = first; i <= last; i++) {
        const Piece p = pieceAt(curve, param, i);
        const double a = i == first ? lower : p.x;
        const double b = i == last ? upper : curve.x[i + 1].at(param);
        sum += (b - a) * (p.f + p.slope * ((a + b) / 2 - p.x));
    }
    return x < 0 ? -sum : sum;
}

double tsdaTension(const Tsda& tsda, std::span<const double> param, double length, double rate) {
    const double extension = length - tsda.l0.at(param);
    return tsda.k.at(param) * extension + tsda.c.at(param) * rate + curveValue(tsda.curve, param, extension) +
           curveValue(tsda.damper_curve, param, rate);
}

double rsdaForce(const Rsda& rsda, std::span<const double> param, double q, double v) {
    const double turn = q - rsda.q0.at(param);
    return -rsda.k.at(param) * turn - rsda.c.at(param) * v - curveValue(rsda.curve, param, turn) -
           curveValue(rsda.damper_curve, param, v);
}

TsdaMotion tsdaMotion(const Tsda& tsda, std::span<const double> param, const BodyKinematics* bodies) {
    const PointMotion from = pointMotion(bodies, tsda.from.body, vectorAt(tsda.from.at, param));
    const PointMotion to = pointMotion(bodies, tsda.to.body, vectorAt(tsda.to.at, param));
    TsdaMotion m;
    m.from = from.position;
    m.to = to.position;
    const Vector3 line = to.position - from.position;
    m.length = line.norm();
    m.direction = m.length > 0 ? Vector3(line / m.length) : Vector3(Vector3::Zero());
    m.rate = m.direction.dot(to.velocity - from.velocity);
    return m;
}

void addTsdaForces(const Topology& topology, std::span<const double> param, const BodyKinematics* bodies,
                   const double* act, Vector6* f_base) {
    const Model& model = topology.model();
    for (std::size_t e = 0; e < model.tsdas.size(); e++) {
        const Tsda& tsda = model.tsdas[e];
        const TsdaMotion m = tsdaMotion(tsda, param, bodies);
        double tension = tsdaTension(tsda, param, m.length, m.rate);
        if (act && tsda.input) tension += act[topology.layout().act_of_tsda[e]];

        // Tension pulls the `to` anchor back along the line, and the `from` anchor forth.
        const Vector3 f = tension * m.direction;
        Vector6 pull;
        pull << m.from.cross(f), f;
        if (tsda.from.body != kBase) f_base[tsda.from.body] += pull;
        pull << m.to.cross(-f), -f;
        if (tsda.to.body != kBase) f_base[tsda.to.body] += pull;
    }
}

void addJointForces(const Topology& topology, const BodyNumbers* numbers, std::span<const double> param,
                    const double* q, const double* v, const double* act, double* tau) {
    const Model& model = topology.model();
    for (std::size_t i = 0; i < topology.bodies().size(); i++) {
        const TreeBody& b = topology.bodies()[i];
        for (int j = b.v; j < b.v + b.nv; j++) tau[j] -= numbers[i].damping * v[j];
    }
    for (std::size_t e = 0; e < model.rsdas.size(); e++) {
        const Rsda& rsda = model.rsdas[e];
        const TreeBody& b = topology.bodies()[rsda.body];
        tau[b.v] += rsdaForce(rsda, param, q[b.q], v[b.v]);
        if (act && rsda.input) tau[b.v] += act[topology.layout().act_of_rsda[e]];
    }
}

}  // namespace mw

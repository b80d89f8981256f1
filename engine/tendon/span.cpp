// A span's route by what lies in it, and its drawn line.
#include "engine/tendon/span.h"

#include <algorithm>
#include <cmath>

#include "engine/tendon/circle.h"
#include "engine/tendon/geodesic.h"

namespace mw {

namespace {

using Kind = PathElement::Kind;
using State = GuideContact::State;

void straightSpan(const Vector3& a, const Vector3& b, SpanResult& result) {
    const Vector3 along = b - a;
    const double length = along.stableNorm();
    result.guides.clear();
    result.straight.clear();
    result.converged = true;
    // Coincident as far as rounding can tell: no direction, so that nothing is pulled by chance.
    if (length <= coordinateNoise(std::max(a.cwiseAbs().maxCoeff(), b.cwiseAbs().maxCoeff()))) {
        result.length = 0;
        result.a_gradient.setZero();
        result.b_gradient.setZero();
    } else {
        result.length = length;
        result.b_gradient = along / length;
        result.a_gradient = -result.b_gradient;
    }
    result.straight.push_back(result.length);
}

/// Points behind the first one up to the last one, on a sphere or a cylinder.
void drawArc(const SpanGuide& guide, const GuideContact& contact, double angle, std::vector<Vector3>& points) {
    const Vector3 axis = guide.kind == Kind::cylinder ? Vector3(guide.axes.col(2)) : Vector3::Zero();
    const Vector3 arm = contact.first - guide.centre;
    const double height = axis.dot(arm), rise = axis.dot(contact.last - contact.first);
    const Vector3 radial = arm - height * axis;
    const Vector3 forward = contact.first_direction - axis.dot(contact.first_direction) * axis;
    const double size = forward.norm();
    const int pieces = std::max(1, static_cast<int>(std::ceil(contact.sweep / angle)));
    for (int i = 1; i < pieces; i++) {
        const double part = static_cast<double>(i) / pieces, turn = part * contact.sweep;
        points.push_back(guide.centre + (height + part * rise) * axis + std::cos(turn) * radial +
                         std::sin(turn) * radial.norm() / size * forward);
    }
    points.push_back(contact.last);
}

}  // namespace

void routeSpan(const Vector3& a, const Vector3& b, std::span<const SpanGuide> guides, SpanResult& result) {
    if (guides.empty()) return straightSpan(a, b, result);
    if (guides.size() > 1) return routeOverChain(a, b, guides, result);
    switch (guides[0].kind) {
        case Kind::sphere: return routeOverSphere(a, b, guides[0], result);
        case Kind::cylinder: return routeOverCylinder(a, b, guides[0], result);
        case Kind::ellipsoid: return routeOverEllipsoid(a, b, guides[0], result);
        case Kind::torus: return routeOverTorus(a, b, guides[0], result);
        case Kind::site:
        case Kind::pulley: break;
    }
    straightSpan(a, b, result);
    result.guides.assign(1, {});
}

void drawSpan(const Vector3& a, const Vector3& b, std::span<const SpanGuide> guides, const SpanResult& result,
              double angle, std::vector<Vector3>& points, std::vector<int>& on_guide) {
    points.clear();
    on_guide.clear();
    const double step = angle > 1e-3 ? angle : 1e-3;
    points.push_back(a);
    for (std::size_t i = 0; i < guides.size() && i < result.guides.size(); i++) {
        const GuideContact& contact = result.guides[i];
        if (contact.state == State::free) continue;
        points.push_back(contact.first);
        on_guide.push_back(-1);
        if (contact.state == State::bent) continue;
        if (guides[i].kind == Kind::sphere || guides[i].kind == Kind::cylinder) {
            drawArc(guides[i], contact, step, points);
        } else {
            points.pop_back();  // the curve brings its first point along
            geodesicCurve(guides[i], contact, step, points);
        }
        on_guide.resize(points.size() - 1, static_cast<int>(i));
    }
    points.push_back(b);
    on_guide.push_back(-1);
}

}  // namespace mw

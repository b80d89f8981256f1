// Surfaces of guides and geodesics on them: in closed form on sphere and cylinder, integrated on ellipsoid and torus.
//
// A geodesic comes with its natural variations (Scholz, Sherman, Stavness, Delp, Kecskemethy, "A fast multi-obstacle
// muscle wrapping method using natural geodesic variations", Multibody System Dynamics 36, 2015): what its end does
// when its start moves sideways or turns. They are Jacobi fields J'' = -K J, K the Gaussian curvature.
#pragma once

#include <vector>

#include "engine/tendon/span.h"

namespace mw {

/// A piece of a geodesic, guide's frame; n: outward normal, b = n x t.
struct GeodesicArc {
    Vector3 p = Vector3::Zero(), t = Vector3::Zero(), n = Vector3::Zero();  ///< start
    Vector3 q = Vector3::Zero(), u = Vector3::Zero(), m = Vector3::Zero();  ///< end: point, direction, normal
    double s = 0;                                                           ///< m
    double a = 1, da = 0;        ///< sideways at the end for a start moved sideways by 1; its rate along the arc
    double r = 0, dr = 1;        ///< the same for a start turned by 1 rad
    double turn = 0;             ///< rad: integral of the normal curvature
    double least_curvature = 0;  ///< 1/m, along the arc, sampled; negative where a taut rope would lift off
    bool sound = true;           ///< the integrator met its tolerance
};

class GuideSurface {
public:
    GuideSurface() = default;
    explicit GuideSurface(const SpanGuide& guide);

    PathElement::Kind kind() const { return kind_; }
    const std::array<double, 3>& radii() const { return radii_; }
    double size() const { return size_; }  ///< m, the largest radius of bending
    Vector3 toLocal(const Vector3& x) const { return axes_.transpose() * (x - centre_); }
    Vector3 toBase(const Vector3& x) const { return axes_ * x + centre_; }
    Vector3 turnToBase(const Vector3& x) const { return axes_ * x; }
    Vector3 turnToLocal(const Vector3& x) const { return axes_.transpose() * x; }

    // In the guide's frame.
    double level(const Vector3& x) const;  ///< negative inside, zero on the surface; not a distance on an ellipsoid
    Vector3 normal(const Vector3& x) const;
    Vector3 project(const Vector3& x) const;  ///< a point of the surface near by
    /// u . (dn/dw): the second fundamental form, positive where the surface bends away from its normal.
    double bend(const Vector3& x, const Vector3& u, const Vector3& w) const;
    double gauss(const Vector3& x) const;
    /// The geodesic from p (on the surface) along t (unit, tangent) over s metres; s may be negative.
    /// `tolerance`: of an integration, relative to the guide's size.
    static constexpr double kFinest = 2e-13;
    void flow(const Vector3& p, const Vector3& t, double s, GeodesicArc& arc, double tolerance = kFinest) const;

private:
    void integrate(GeodesicArc& arc, double tolerance) const;

    PathElement::Kind kind_ = PathElement::Kind::sphere;
    Vector3 centre_ = Vector3::Zero();
    Matrix3 axes_ = Matrix3::Identity();
    std::array<double, 3> radii_{};
    double size_ = 0;
};

/// Points of the rope on a wrapped guide from `contact.first` to `contact.last`, both included, one at least every
/// `angle` rad of turning; appended to `points`. Follows the surface from the first point in its direction. All kinds.
void geodesicCurve(const SpanGuide& guide, const GuideContact& contact, double angle, std::vector<Vector3>& points);

}  // namespace mw

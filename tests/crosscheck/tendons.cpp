// Which routes both engines define alike, and the comparison of those.
#include "tests/crosscheck/tendons.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "engine/sim/motion_axes.h"

namespace mw::cross {

namespace {

using V2 = Eigen::Vector2d;
using V3 = Eigen::Vector3d;

constexpr double kEdge = 1e-9;  ///< of the sizes around: closer to a decision than this, either side of it may be had
constexpr double kBendBound = 1e-5;  ///< MuJoCo's search for a bend stops at a residual of 1e-6
constexpr double kPi = std::numbers::pi;

V3 placed(const BodyPoint& point, std::span<const double> param, std::span<const double> X) {
    const V3 local(point.at[0].at(param), point.at[1].at(param), point.at[2].at(param));
    if (point.body == kBase) return local;
    const double* x = X.data() + 12 * static_cast<std::size_t>(point.body);
    return Eigen::Matrix<double, 3, 3, Eigen::RowMajor>(x) * local + V3(x[9], x[10], x[11]);
}

double cross(const V2& a, const V2& b) { return a[0] * b[1] - a[1] * b[0]; }

bool cut(const V2& a, const V2& b, const V2& c, const V2& d) {
    return cross(b - a, c - a) * cross(b - a, d - a) < 0 && cross(d - c, a - c) * cross(d - c, b - c) < 0;
}

V2 turned(const V2& along, double angle) { return Eigen::Rotation2Dd(angle) * along; }

/// One guide with its section's plane: ends and side site from its centre.
const char* unlikeInSection(const V2& a, const V2& b, double r, bool has_side, const V2& side) {
    const double ra = a.norm(), rb = b.norm();
    if (std::abs(ra - r) <= kEdge * r || std::abs(rb - r) <= kEdge * r) return "an end on the surface";
    if (ra < r || rb < r) return nullptr;  // straight for both
    const double apart = (b - a).norm();
    if (apart <= kEdge * ra) return "both ends at one place of the section";
    const double along = std::clamp(-a.dot(b - a) / (apart * apart), 0.0, 1.0);
    const V2 nearest = a + along * (b - a);
    if (!has_side) {
        // Both ways round are equally long there.
        return nearest.norm() <= kEdge * r ? "the centre on the segment: both ways are equally long" : nullptr;
    }
    if (side.norm() <= kEdge * r) return "the side site straight across the plane of the route";
    const V2 to = side.normalized();
    if (std::abs(nearest.dot(to)) <= kEdge * r) return "the side site just between both ways";
    if (nearest.norm() > r && nearest.dot(to) > 0) return nullptr;
    // The two ways round: tangent, arc, tangent.
    int ways = 0;
    bool half = false;
    for (const double sense : {1.0, -1.0}) {
        double between = sense * std::atan2(cross(a, b), a.dot(b));
        if (between < 0) between += 2 * kPi;
        const double sweep = between - std::acos(r / ra) - std::acos(r / rb);
        const V2 first = turned(a / ra * r, sense * std::acos(r / ra));
        const V2 last = turned(b / rb * r, -sense * std::acos(r / rb));
        // MuJoCo's arccosine of a number that rounding may have put below -1.
        if (std::abs(sweep - kPi) <= 1e-6) return "an arc of just half a turn";
        if (cut(a, first, b, last)) continue;
        ++ways;
        half = half || sweep > kPi;
    }
    // Alone it is taken; beside another it is judged by the sum of its contact points, which points away from it.
    if (ways == 2 && half) return "a way of more than half a turn about a guide with a side site";
    return nullptr;
}

const char* unlikeAtGuide(const V3& a, const V3& b, const PathElement& guide, std::span<const double> param,
                          std::span<const double> X) {
    const V3 centre = placed(guide.point, param, X), u = a - centre, w = b - centre;
    const double r = guide.radii[0].at(param);
    const V3 side = guide.side ? V3(placed(*guide.side, param, X) - centre) : V3(V3::Zero());
    V3 e0, e1;
    const bool sphere = guide.kind == PathElement::Kind::sphere;
    if (sphere) {
        const V3 normal = u.cross(w);
        if (normal.norm() <= kEdge * u.norm() * w.norm()) return "both ends on a line with the sphere's centre";
        e0 = u.normalized();
        e1 = normal.normalized().cross(e0);
    } else {
        V3 axis(guide.axis[0], guide.axis[1], guide.axis[2]);
        if (guide.point.body != kBase)
            axis = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>(X.data() +
                                                                12 * static_cast<std::size_t>(guide.point.body)) *
                   axis;
        e0 = axis.unitOrthogonal();
        e1 = axis.normalized().cross(e0);
    }
    const auto flat = [&](const V3& p) { return V2(p.dot(e0), p.dot(e1)); };
    bool has_side = guide.side.has_value();
    if (has_side) {
        const double projected = flat(side).norm(), distance = sphere ? side.norm() : projected;
        if (std::abs(distance - r) <= kEdge * r) return "the side site on the surface";
        if (distance < r) {  // inside: one bend, whatever the side
            if (std::abs(u.norm() - r) <= kEdge * r || std::abs(w.norm() - r) <= kEdge * r)
                return "an end on the surface";
            return nullptr;
        }
        if (projected <= r * (1 + kEdge)) return "a side site outside the sphere that its plane has inside";
    }
    return unlikeInSection(flat(u), flat(w), r, has_side, flat(side));
}

}  // namespace

const char* unlike(const Tendon& tendon) {
    if (tendon.fixed) return nullptr;
    bool guide_before = false;
    for (const PathElement& element : tendon.path) {
        if (element.kind == PathElement::Kind::ellipsoid || element.kind == PathElement::Kind::torus)
            return "MuJoCo has no ellipsoid and no torus";
        if (element.isGuide() && (element.mu.value != 0 || element.mu.isLive()))
            return "MuJoCo has no friction on guides";
        if (element.isGuide() && guide_before) return "MuJoCo has no guides in a row without a site between them";
        if (element.side && tendon.side_rule == SideRule::barrier) return "MuJoCo has no rule barrier";
        guide_before = element.isGuide();
    }
    return nullptr;
}

const char* unlikeNow(const Tendon& tendon, std::span<const double> param, std::span<const double> X) {
    if (tendon.fixed) return nullptr;
    // A guide stands between two sites: `unlike` has seen to it.
    for (std::size_t e = 0; e < tendon.path.size(); ++e) {
        const PathElement& element = tendon.path[e];
        if (element.kind == PathElement::Kind::pulley) continue;
        if (element.isGuide()) {
            const V3 a = placed(tendon.path[e - 1].point, param, X), b = placed(tendon.path[e + 1].point, param, X);
            if (const char* why = unlikeAtGuide(a, b, element, param, X)) return why;
        } else if (e > 0 && tendon.path[e - 1].kind == PathElement::Kind::site) {
            const V3 a = placed(tendon.path[e - 1].point, param, X), b = placed(element.point, param, X);
            if ((b - a).norm() <= kEdge * std::max(1.0, a.norm())) return "two points that coincide";
        }
    }
    return nullptr;
}

TendonComparison::TendonComparison(const Subject& subject)
    : subject_(subject), tendons_(*subject.whole, subject.layout), tally_(subject.whole->tendons.size()) {
    length_.name = "tendon-length", arms_.name = "tendon-arms", bends_.name = "tendon-bends";
    length_.bound = arms_.bound = kBound;
    bends_.bound = kBendBound;
}

void TendonComparison::take(int state, std::span<const double> q, std::span<const double> param,
                            std::span<const double> X, const MujocoTwin& twin) {
    const Model& model = *subject_.whole;
    if (tendons_.empty()) return;
    tendons_.setParameters(param);
    fillMotionAxes(model, subject_.layout, q, X, param, axes_);
    for (std::size_t t = 0; t < model.tendons.size(); ++t) {
        const Tendon& tendon = model.tendons[t];
        const char* why = unlike(tendon);
        if (!why) why = unlikeNow(tendon, param, X);
        if (why) {
            ++tally_[t].skipped[why];
            continue;
        }
        ++tally_[t].compared;
        tendons_.route(static_cast<int>(t), q, X, &axes_, route_);
        const TendonAt theirs = twin.tendon(static_cast<int>(t));
        const auto judge = [&](Check& check, const std::vector<double>& a, const std::vector<double>& b) {
            std::size_t index = 0;
            const double error = scaledError(a, b, &index);
            if (!check.detail.empty() && !(error > check.value)) return;
            check.value = error;
            check.detail = fmt::format("worst at state {}, tendon {}", state, tendon.name);
            if (a.size() > 1) check.detail += ", velocity " + subject_.layout.v_names[index];
        };
        judge(length_, {route_.length}, {theirs.length});
        const bool bent = std::any_of(route_.guides.begin(), route_.guides.end(), [](const GuideReading& guide) {
            return guide.contact.state == GuideContact::State::bent;
        });
        judge(bent ? bends_ : arms_, route_.gradient, theirs.arms);
    }
}

bool TendonComparison::enough() const {
    for (std::size_t t = 0; t < tally_.size(); ++t) {
        if (unlike(subject_.whole->tendons[t])) continue;
        int skipped = 0;
        for (const auto& [why, count] : tally_[t].skipped) skipped += count;
        if (tally_[t].compared < std::max(1, skipped)) return false;
    }
    return true;
}

std::string TendonComparison::words() const {
    int compared = 0, tendons = 0;
    std::map<std::string, std::string> named;
    std::map<std::string, int> skipped;
    for (std::size_t t = 0; t < tally_.size(); ++t) {
        const Tendon& tendon = subject_.whole->tendons[t];
        if (const char* why = unlike(tendon)) {
            named[why] += (named[why].empty() ? "" : ", ") + tendon.name;
            continue;
        }
        ++tendons;
        compared += tally_[t].compared;
        for (const auto& [why, count] : tally_[t].skipped) skipped[why] += count;
    }
    std::string all =
        tendons > 0 ? fmt::format("{} routes of {} tendons compared", compared, tendons) : "none compared";
    for (const auto& [why, count] : skipped) all += fmt::format("; {} not: {}", count, why);
    for (const auto& [why, names] : named) all += fmt::format("; without {}: {}", names, why);
    return all;
}

std::vector<Check> TendonComparison::finish() const {
    std::vector<Check> checks{length_, arms_, bends_};
    const bool none = std::all_of(tally_.begin(), tally_.end(), [](const Tally& tally) { return tally.compared == 0; });
    const bool all_unlike = std::all_of(subject_.whole->tendons.begin(), subject_.whole->tendons.end(),
                                        [](const Tendon& t) { return unlike(t); });
    for (Check& check : checks) {
        if (tendons_.empty() || all_unlike) {
            check.pass = check.skipped = true;
            check.detail = tendons_.empty() ? "the mechanism has no tendons" : words();
        } else if (check.detail.empty() && !none) {
            check.pass = check.skipped = true;
            check.detail = check.name == "tendon-bends" ? "no route bends at a guide" : "every route bends at a guide";
        } else {
            check.pass = !none && check.value <= check.bound && enough();
            check.detail += (check.detail.empty() ? "" : "; ") + words();
            if (!enough()) check.detail += "; a tendon has fewer states that can be compared than others";
        }
    }
    return checks;
}

}  // namespace mw::cross

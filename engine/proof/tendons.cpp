// Tendons at random states: the gradient against differences of the length and against the work of its own points,
// what must cancel, what must be nothing, and the curvature bias. Each is a second way to a figure that the rows of a
// step are made of.
#include "engine/tendon/tendons.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "engine/dynamics/drift.h"
#include "engine/model/vectors.h"
#include "engine/proof/checks.h"
#include "engine/rows/motion_axes.h"
#include "engine/sim/motion_axes.h"

namespace mw::proof {

namespace {

constexpr double kGradientBound = 1e-6, kCurvatureBound = 1e-3, kBalanceBound = 1e-10;
constexpr double kStep = 1e-6;  ///< s, of the differences along a velocity of size 1
constexpr double kCurvatureStep = 2e-4;
constexpr double kShort = 2e-2;  ///< m: with a shorter piece the length has nearly a corner

double speedOf(const std::vector<double>& v) {
    double sum = 0;
    for (const double x : v) sum += x * x;
    return std::sqrt(sum);
}

/// Which way a route runs: what may not change within a difference.
bool sameWay(const TendonRoute& a, const TendonRoute& b) {
    if (a.guides.size() != b.guides.size() || !a.converged || !b.converged) return false;
    for (std::size_t g = 0; g < a.guides.size(); g++) {
        const GuideContact &x = a.guides[g].contact, &y = b.guides[g].contact;
        if (x.state != y.state || std::abs(x.sweep - y.sweep) > 0.1) return false;
        // The other way round may turn by as much.
        if (x.state == GuideContact::State::wrapped && x.first_direction.dot(y.first_direction) < 0.5) return false;
    }
    return true;
}

double shortest(const TendonRoute& route) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i + 1 < route.points.size(); i++) {
        const RoutePoint &a = route.points[i], &b = route.points[i + 1];
        if (a.branch != b.branch || a.kind == RoutePoint::Kind::first_contact) continue;
        least = std::min(least, std::hypot(a.point[0] - b.point[0], a.point[1] - b.point[1], a.point[2] - b.point[2]));
    }
    // An arc that is nearly nothing is about to be let go.
    for (const GuideReading& guide : route.guides)
        if (guide.contact.state == GuideContact::State::wrapped) least = std::min(least, 10 * guide.contact.arc);
    return least;
}

class TendonCheck : public TrialCheck {
public:
    explicit TendonCheck(const Subject& subject)
        : subject_(subject), tendons_(subject.model, subject.layout), routes_(subject.model.tendons.size()) {}

    void look(const Trial& trial, int number, Speaker& speaker, const Outputs& outputs,
              const std::vector<double>&) override {
        tendons_.setParameters(trial.param);
        fillMotionAxes(subject_.model, subject_.layout, trial.q, outputs.X, trial.param, axes_);
        for (int t = 0; t < tendons_.size(); t++) {
            TendonRoute& route = routes_[static_cast<std::size_t>(t)];
            tendons_.route(t, trial.q, outputs.X, &axes_, route);
            if (subject_.options.bend_route) subject_.options.bend_route(t, route);
            const auto where = [&] {
                return fmt::format("tendon {} at trial {}", subject_.model.tendons[static_cast<std::size_t>(t)].name,
                                   number);
            };
            judgeWork(trial, outputs, route, t, where);
            judgeBalance(trial, route, where);
            judgeGuides(trial, outputs, route, t, where);
            judgeCrossing(trial, route, t, where);
        }
        if (subject_.layout.nv == 0) return;
        // Along all velocities at once, and along one alone: a small one does not hide behind the others.
        std::vector<double> one(trial.v.size(), 0.0);
        one[static_cast<std::size_t>(number) % one.size()] = 1;
        for (const std::vector<double>& way : {trial.v, one}) judgeGradient(trial, number, way, speaker);
        judgeCurvature(trial, number, speaker, outputs);
    }

    bool failed() const override {
        const auto all = meters();
        return std::any_of(all.begin(), all.end(), [](const Meter* m) { return m->failed(); });
    }
    void finish(std::vector<Gate>& gates) override {
        if (subject_.layout.nv == 0 || smooth_ == 0)
            gradient_.skip("no random state lies away from all changes of the routes");
        if (subject_.layout.nv == 0 || bent_ == 0)
            curvature_.skip("no random state lies away from all changes of the routes");
        if (guided_ == 0) guides_.skip("no route lies on a sphere or a cylinder");
        if (crossed_ == 0) crossing_.skip("every tendon crosses every joint");
        std::string note = fmt::format("{} comparisons away from changes of the route", smooth_);
        if (open_ > 0) note += fmt::format("; {} routes whose search ended before they were taut", open_);
        for (const Meter* m : meters()) gates.push_back(m->finish(m == &gradient_ ? note : std::string()));
    }

private:
    using Where = std::function<std::string()>;
    std::vector<const Meter*> meters() const {
        return {&gradient_, &work_, &balance_, &guides_, &crossing_, &curvature_};
    }

    /// Of a point fixed to a body, base axes.
    Vector3d velocity(const Outputs& outputs, int body, const Vector3d& point) const {
        if (body == kBase) return {};
        const double* X = &outputs.X[12 * static_cast<std::size_t>(body)];
        const double* V = &outputs.V[6 * static_cast<std::size_t>(body)];
        const Vector3d turn = cross({V[0], V[1], V[2]}, {point[0] - X[9], point[1] - X[10], point[2] - X[11]});
        return {V[3] + turn[0], V[4] + turn[1], V[5] + turn[2]};
    }

    /// The rate of the length is the work of its gradients on the points they belong to; of a fixed tendon the weighted
    /// sum of rates.
    void judgeWork(const Trial& trial, const Outputs& outputs, const TendonRoute& route, int t, const Where& where) {
        const Tendon& tendon = subject_.model.tendons[static_cast<std::size_t>(t)];
        double by_points = 0, size = 1, by_row = 0;
        if (tendon.fixed) {
            for (const TendonTerm& term : tendon.terms) {
                const auto v = static_cast<std::size_t>(subject_.layout.v_of_body[static_cast<std::size_t>(term.body)] +
                                                        term.coordinate);
                const double part = term.weight.at(trial.param) * trial.v[v];
                by_points += part, size += std::abs(part);
            }
        } else {
            for (const RoutePoint& p : route.points) {
                const double part = dot(p.gradient, velocity(outputs, p.body, p.point));
                by_points += part, size += std::abs(part);
            }
        }
        for (std::size_t i = 0; i < route.gradient.size(); i++) by_row += route.gradient[i] * trial.v[i];
        work_.take(std::abs(by_row - by_points) / size, trial.q, trial.v, where);
    }

    /// Gradients at all points, those on the world too, add up to nothing, and so do their moments.
    void judgeBalance(const Trial& trial, const TendonRoute& route, const Where& where) {
        Vector3d force{}, moment{};
        double size = 1, reach = 1;
        for (const RoutePoint& p : route.points) {
            const Vector3d m = cross(p.point, p.gradient);
            for (std::size_t k = 0; k < 3; k++) force[k] += p.gradient[k], moment[k] += m[k];
            size += norm(p.gradient);
            reach = std::max(reach, norm(p.point));
        }
        balance_.take(std::max(norm(force) / size, norm(moment) / (size * reach)), trial.q, trial.v, where);
    }

    /// No moment about a sphere's centre or a cylinder's axis, no force along that axis.
    void judgeGuides(const Trial& trial, const Outputs& outputs, const TendonRoute& route, int t, const Where& where) {
        const Tendon& tendon = subject_.model.tendons[static_cast<std::size_t>(t)];
        for (const GuideReading& guide : route.guides) {
            const PathElement& element = tendon.path[static_cast<std::size_t>(guide.element)];
            const bool sphere = element.kind == PathElement::Kind::sphere;
            if (!sphere && element.kind != PathElement::Kind::cylinder) continue;
            if (guide.contact.state == GuideContact::State::free) continue;
            guided_++;
            Vector3d force{}, moment{};
            for (const RoutePoint& p : route.points) {
                if (p.element != guide.element || p.kind == RoutePoint::Kind::site) continue;
                const Vector3d arm{p.point[0] - guide.centre[0], p.point[1] - guide.centre[1],
                                   p.point[2] - guide.centre[2]};
                const Vector3d m = cross(arm, p.gradient);
                for (std::size_t k = 0; k < 3; k++) force[k] += p.gradient[k], moment[k] += m[k];
            }
            double worst = norm(moment);
            if (!sphere) {
                const Vector3d axis = turned(outputs, element.point.body, element.axis);
                worst = std::max(std::abs(dot(moment, axis)), std::abs(dot(force, axis)));
            }
            guides_.take(worst / std::max(1.0, guide.contact.arc + 1), trial.q, trial.v, where);
        }
    }
    static Vector3d turned(const Outputs& outputs, int body, const Vector3d& v) {
        if (body == kBase) return v;
        const double* R = &outputs.X[12 * static_cast<std::size_t>(body)];
        return {R[0] * v[0] + R[1] * v[1] + R[2] * v[2], R[3] * v[0] + R[4] * v[1] + R[5] * v[2],
                R[6] * v[0] + R[7] * v[1] + R[8] * v[2]};
    }

    /// A velocity that moves all points of a route alike, or none of them, feels nothing, to the last bit.
    void judgeCrossing(const Trial& trial, const TendonRoute& route, int t, const Where& where) {
        if (subject_.model.tendons[static_cast<std::size_t>(t)].fixed) return;
        std::vector<int> moved(trial.v.size(), 0);
        for (const RoutePoint& p : route.points)
            if (p.body != kBase)
                for (const int slot : axes_.chain(p.body)) moved[static_cast<std::size_t>(slot)]++;
        for (std::size_t i = 0; i < moved.size(); i++) {
            if (moved[i] != 0 && moved[i] != static_cast<int>(route.points.size())) continue;
            crossed_++;
            crossing_.take(std::abs(route.gradient[i]), trial.q, trial.v, where);
        }
    }

    void judgeGradient(const Trial& trial, int number, const std::vector<double>& way, Speaker& speaker) {
        const double size = std::max(1e-3, speedOf(way)), h = kStep / size;
        std::vector<double> q[2] = {trial.q, trial.q};
        std::vector<double> X[2], V;
        for (int side = 0; side < 2; side++) {
            drift(subject_.model, subject_.layout, q[side], way, side ? h : -h);
            speaker.kinematics(q[side], trial.v, trial.param, X[side], V);
        }
        for (int t = 0; t < tendons_.size(); t++) {
            const TendonRoute& route = routes_[static_cast<std::size_t>(t)];
            if (!route.converged) {
                open_++;
                continue;
            }
            if (shortest(route) < kShort) continue;
            for (int side = 0; side < 2; side++) tendons_.route(t, q[side], X[side], nullptr, around_[side]);
            if (!sameWay(around_[0], route) || !sameWay(around_[1], route)) continue;
            // A leap between the two is no slope.
            if (std::abs(around_[0].length - around_[1].length) > 1e3 * kStep * std::max(1.0, route.length)) continue;
            smooth_++;
            double slope = 0;
            for (std::size_t i = 0; i < way.size(); i++) slope += route.gradient[i] * way[i];
            const double difference = (around_[1].length - around_[0].length) / (2 * h);
            gradient_.take(std::abs(slope - difference) / (size * std::max(1.0, route.length)), trial.q, trial.v, [&] {
                return fmt::format("tendon {} at trial {}: {:.9g} against {:.9g}",
                                   subject_.model.tendons[static_cast<std::size_t>(t)].name, number, slope, difference);
            });
        }
    }

    void judgeCurvature(const Trial& trial, int number, Speaker& speaker, const Outputs& outputs) {
        const double size = std::max(1.0, speedOf(trial.v)), h = kCurvatureStep / size;
        std::vector<double> q[2] = {trial.q, trial.q}, X[2], V;
        for (int side = 0; side < 2; side++) {
            drift(subject_.model, subject_.layout, q[side], trial.v, side ? h : -h);
            speaker.kinematics(q[side], trial.v, trial.param, X[side], V);
        }
        for (int t = 0; t < tendons_.size(); t++) {
            const TendonRoute& route = routes_[static_cast<std::size_t>(t)];
            if (!route.converged || shortest(route) < 5 * kShort || geodesic(t)) continue;
            for (int side = 0; side < 2; side++) tendons_.route(t, q[side], X[side], nullptr, around_[side]);
            if (!sameWay(around_[0], route) || !sameWay(around_[1], route)) continue;
            bent_++;
            const double difference = (around_[0].length - 2 * route.length + around_[1].length) / (h * h);
            const double bias = tendons_.curvature(t, trial.q, trial.v, outputs.X, outputs.V, axes_);
            curvature_.take(std::abs(bias - difference) / (size * size * std::max(1.0, route.length) / kShort), trial.q,
                            trial.v, [&] {
                                return fmt::format("tendon {} at trial {}: {:.6g} against {:.6g}",
                                                   subject_.model.tendons[static_cast<std::size_t>(t)].name, number,
                                                   bias, difference);
                            });
        }
    }
    /// Searched for to a tolerance: its second difference is coarser than the bound.
    bool geodesic(int t) const {
        const auto& path = subject_.model.tendons[static_cast<std::size_t>(t)].path;
        return std::any_of(path.begin(), path.end(), [](const PathElement& e) {
            return e.kind == PathElement::Kind::ellipsoid || e.kind == PathElement::Kind::torus;
        });
    }

    const Subject& subject_;
    Tendons tendons_;
    MotionAxes axes_;
    std::vector<TendonRoute> routes_;
    TendonRoute around_[2];
    long smooth_ = 0, open_ = 0, bent_ = 0, guided_ = 0, crossed_ = 0;
    Meter gradient_{"tendon.gradient", kGradientBound}, work_{"tendon.work", kBalanceBound},
        balance_{"tendon.balance", kBalanceBound}, guides_{"tendon.guides", kBalanceBound},
        crossing_{"tendon.crossing", 0}, curvature_{"tendon.curvature", kCurvatureBound};
};

}  // namespace

std::unique_ptr<TrialCheck> tendonCheck(const Subject& subject) { return std::make_unique<TendonCheck>(subject); }

}  // namespace mw::proof

// Ways round a circle and bends at it. Every decision is made against a small limit rather than against zero, so that
// rounding does not choose a route; angles come from atan2 of cross and dot products.
#include "engine/tendon/circle.h"

#include <algorithm>
#include <cmath>

namespace mw {

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kAngleNoise = 1e-11;  ///< rad; an end just outside the circle magnifies rounding
constexpr double kTie = 1e-10;         ///< of cosines and angles that count as equal

double cross(const Vector2& u, const Vector2& v) { return u.x() * v.y() - u.y() * v.x(); }
Vector2 quarterTurn(const Vector2& u) { return {-u.y(), u.x()}; }
double angleBetween(const Vector2& from, const Vector2& to) { return std::atan2(cross(from, to), from.dot(to)); }

/// One of the two ways round.
struct Way {
    int sense = 0;
    double sweep = 0;
    Vector2 middle = Vector2::Zero();  ///< unit, towards the arc's middle
};

/// The two ends seen from the centre, and what follows from them whichever way the route runs.
struct Ends {
    Vector2 a, b;             ///< unit
    double before, after;     ///< m, tangents
    double a_reach, b_reach;  ///< rad from an end's direction to its contact points: acos(r / distance)
    double ahead;             ///< rad from a to b counter-clockwise, in [0, 2 pi)
    double noise;             ///< rad
};

double tangentLength(double distance, double radius) {
    return std::sqrt(std::max((distance - radius) * (distance + radius), 0.0));
}

double separation(const Ends& e, int sense) { return sense > 0 ? e.ahead : 2 * kPi - e.ahead; }

Way wayRound(const Ends& e, int sense, double sweep) {
    const double half = sense * (e.a_reach + sweep / 2);
    return {sense, sweep, e.a * std::cos(half) + quarterTurn(e.a) * std::sin(half)};
}

/// Of two ways that nothing else tells apart: the one that runs higher, in base coordinates.
const Way& higher(const CircleQuestion& question, const Way& one, const Way& other) {
    for (const Vector2& up : question.up) {
        const double lead = (one.middle - other.middle).dot(up);
        if (std::abs(lead) > kTie) return lead > 0 ? one : other;
    }
    return one.sense > 0 ? one : other;
}

const Way& shorter(const CircleQuestion& question, const Way& one, const Way& other) {
    const double lead = one.sweep - other.sweep;
    if (std::abs(lead) > kTie) return lead < 0 ? one : other;
    return higher(question, one, other);
}

/// Rule N. `misses`: the segment has no point inside the circle. Sense 0: straight.
Way nearestWay(const CircleQuestion& question, const Ends& e, bool misses) {
    const Vector2 side = question.side.normalized();
    if (misses) {
        const Vector2 along = question.b - question.a;
        const double square = along.squaredNorm();
        const double t = square > 0 ? std::clamp(-question.a.dot(along) / square, 0.0, 1.0) : 0.0;
        const Vector2 nearest = question.a + t * along;
        if (nearest.dot(side) >= -kTie * nearest.norm()) return {};
    }
    Way ways[2];
    int count = 0;
    for (const int sense : {1, -1}) {
        const double turn = separation(e, sense);
        double sweep = turn - e.a_reach - e.b_reach;
        if (sweep <= e.noise) {
            // The straight parts meet before they reach the circle, unless an end is on the other side of the other
            // end's tangent: then there is a way all round.
            if (turn >= std::abs(e.a_reach - e.b_reach) - e.noise) continue;
            sweep += 2 * kPi;
        }
        ways[count++] = wayRound(e, sense, sweep);
    }
    if (count == 0) return {};
    if (count == 1) return ways[0];
    const double lead = (ways[0].middle - ways[1].middle).dot(side);
    if (std::abs(lead) > kTie) return lead > 0 ? ways[0] : ways[1];
    return shorter(question, ways[0], ways[1]);
}

/// Rule B: the route does not cross the half-line from the centre away from the side. Sense 0: straight.
Way barrierWay(const CircleQuestion& question, const Ends& e) {
    double from = angleBetween(question.side, e.a), to = angleBetween(question.side, e.b);
    // An end on the half-line counts to the side of the other end.
    const bool from_behind = kPi - std::abs(from) <= e.noise, to_behind = kPi - std::abs(to) <= e.noise;
    if (from_behind && to_behind) return {};
    const auto sweepBetween = [&](double f, double t) { return std::abs(t - f) - e.a_reach - e.b_reach; };
    const bool tie = (from_behind && std::abs(to) <= e.noise) || (to_behind && std::abs(from) <= e.noise);
    if (tie) {
        const double sweep = kPi - e.a_reach - e.b_reach;
        if (sweep <= e.noise) return {};
        return higher(question, wayRound(e, 1, sweep), wayRound(e, -1, sweep));
    }
    if (from_behind) from = std::copysign(kPi, to);
    if (to_behind) to = std::copysign(kPi, from);
    const double sweep = sweepBetween(from, to);
    if (!(sweep > e.noise)) return {};
    return wayRound(e, to > from ? 1 : -1, sweep);
}

Way chooseWay(const CircleQuestion& question, const Ends& e) {
    const bool misses = std::min(e.ahead, 2 * kPi - e.ahead) <= e.a_reach + e.b_reach + e.noise;
    if (question.has_side) {
        return question.rule == SideRule::nearest ? nearestWay(question, e, misses) : barrierWay(question, e);
    }
    if (misses) return {};
    return shorter(question, wayRound(e, 1, separation(e, 1) - e.a_reach - e.b_reach),
                   wayRound(e, -1, separation(e, -1) - e.a_reach - e.b_reach));
}

}  // namespace

CircleRoute routeAroundCircle(const CircleQuestion& question) {
    CircleRoute route;
    const double r = question.radius, ra = question.a.norm(), rb = question.b.norm();
    const double surface = r * (1 + kRelativeNoise) + question.noise;
    if (!(ra > surface && rb > surface)) {
        route.end_inside = true;
        return route;
    }
    // Ends at one place: nothing to go round for.
    if ((question.b - question.a).norm() <= kRelativeNoise * std::max(ra, rb) + question.noise) return route;
    Ends e;
    e.a = question.a / ra, e.b = question.b / rb;
    e.before = tangentLength(ra, r), e.after = tangentLength(rb, r);
    e.a_reach = std::atan2(e.before, r), e.b_reach = std::atan2(e.after, r);
    const double turn = angleBetween(question.a, question.b);
    e.ahead = turn < 0 ? turn + 2 * kPi : turn;
    e.noise = kAngleNoise + question.noise / r;
    const Way way = chooseWay(question, e);
    if (way.sense == 0) return route;
    route.wrapped = true;
    route.sense = way.sense, route.sweep = way.sweep;
    route.before = e.before, route.after = e.after;
    // cos(acos(r / distance)) and its sine, without the angle.
    route.first_direction = way.sense * quarterTurn(e.a) * (r / ra) - e.a * (e.before / ra);
    route.last_direction = way.sense * quarterTurn(e.b) * (r / rb) + e.b * (e.after / rb);
    route.first = r * (e.a * (r / ra) + way.sense * quarterTurn(e.a) * (e.before / ra));
    route.last = r * (e.b * (r / rb) - way.sense * quarterTurn(e.b) * (e.after / rb));
    return route;
}

CircleBend bendAtCircle(const Vector2& a, const Vector2& b, double radius, double noise) {
    CircleBend bend;
    const double ra = a.norm(), rb = b.norm();
    const double surface = radius * (1 + kRelativeNoise) + noise;
    if (!(ra > surface && rb > surface)) return bend;  // an end is in the disk: the path meets it
    const double turn = angleBetween(a, b), between = std::abs(turn);
    const double a_reach = std::atan2(tangentLength(ra, radius), radius);
    const double b_reach = std::atan2(tangentLength(rb, radius), radius);
    if (between >= a_reach + b_reach - kAngleNoise) return bend;
    bend.bent = true;
    // The sum of both pieces over the angle x from a's direction towards b's falls at one end of the part of the
    // boundary that both ends see and rises at the other; in between it has one minimum, for it is a convex function
    // on the disk. Root of its derivative: bisection, with secants where they help.
    const auto pieces = [&](double x) {
        // Distances by squares that do not cancel: |p - a|^2 = (ra - r)^2 + 4 ra r sin^2(x/2).
        const double sa = std::sin(x / 2), sb = std::sin((between - x) / 2);
        return std::array{std::sqrt((ra - radius) * (ra - radius) + 4 * ra * radius * sa * sa),
                          std::sqrt((rb - radius) * (rb - radius) + 4 * rb * radius * sb * sb)};
    };
    const auto slope = [&](double x) {
        const auto d = pieces(x);
        return ra * std::sin(x) / d[0] - rb * std::sin(between - x) / d[1];
    };
    double low = std::max(0.0, between - b_reach), high = std::min(between, a_reach);
    double at_low = slope(low), at_high = slope(high);
    double x = low;
    if (at_low < 0 && at_high > 0) {
        int stuck = 0;  // Illinois: the end that stays gets half its weight
        for (int i = 0; i < 200 && high - low > 4e-16 * (1 + high); i++) {
            const bool halve = i % 4 == 3;
            x = halve ? (low + high) / 2 : low + (high - low) * (at_low / (at_low - at_high));
            if (!(x > low && x < high)) x = (low + high) / 2;
            const double value = slope(x);
            if (value == 0 || !(x > low && x < high)) break;
            if (value < 0) {
                low = x, at_low = value;
                if (stuck == -1) at_high /= 2;
                stuck = -1;
            } else {
                high = x, at_high = value;
                if (stuck == 1) at_low /= 2;
                stuck = 1;
            }
        }
    } else if (at_low < 0) {
        x = high;
    }
    const auto d = pieces(x);
    bend.before = d[0], bend.after = d[1];
    const Vector2 unit = a / ra;
    bend.point = radius * (unit * std::cos(x) + std::copysign(std::sin(x), turn) * quarterTurn(unit));
    return bend;
}

}  // namespace mw

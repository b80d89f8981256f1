// The hull of circles by gift wrapping, and links of equal length laid around it.
//
// Everything runs over the normal angle phi: the circle i reaches c_i . u(phi) + r_i in the direction u(phi), the hull
// is what reaches farthest, and a common outer tangent of i and j is where both reach equally far.
#include "engine/track/belt.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace mw {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kTurn = 2 * kPi;
constexpr double kTied = 1e-9;  // rad: tangents closer than this touch all their circles alike

using Point = std::array<double, 2>;

Point pointOn(const BeltCircle& circle, double radius, double angle) {
    return {circle.x + radius * std::cos(angle), circle.z + radius * std::sin(angle)};
}

double reach(const BeltCircle& c, double angle) { return c.x * std::cos(angle) + c.z * std::sin(angle) + c.radius; }

struct Contact {
    std::size_t circle = 0;
    double from = 0, to = 0;  // normal angles, rising
};

/// By how much the normal must turn from `angle` until `other` reaches as far as `circle`, for good; -1: never.
double turnTo(const BeltCircle& circle, const BeltCircle& other, double angle) {
    const double dx = other.x - circle.x, dz = other.z - circle.z;
    const double apart = std::hypot(dx, dz);
    const double difference = circle.radius - other.radius;
    if (!(apart > std::abs(difference))) return -1;  // one holds the other
    double turn = std::fmod(std::atan2(dz, dx) - std::acos(difference / apart) - angle, kTurn);
    if (turn < -kTied) turn += kTurn;
    if (turn >= kTurn - kTied) turn -= kTurn;
    return std::max(turn, 0.0);
}

/// The circle that reaches farthest at an angle; of those tied the one that does so just behind it.
std::size_t farthest(const std::vector<BeltCircle>& circles, double angle) {
    std::size_t best = circles.size();
    for (std::size_t i = 0; i < circles.size(); ++i) {
        if (!(circles[i].radius > 0)) continue;
        if (best == circles.size() || reach(circles[i], angle) > reach(circles[best], angle)) best = i;
    }
    return best;
}

/// The hull as a walk over circles. `touched`: those on it, tied ones included, in the order of the walk.
std::vector<Contact> wrap(const std::vector<BeltCircle>& circles, std::vector<int>& touched) {
    std::vector<Contact> contacts;
    // Some angle at which hardly any drawing has a tangent.
    const double start = 0.7390851332;
    const std::size_t first = farthest(circles, start);
    if (first == circles.size()) return contacts;
    std::size_t at = first;
    double angle = start;
    const double end = start + kTurn;
    struct Tied {
        double apart;
        std::size_t circle;
    };
    std::vector<Tied> tied;
    for (std::size_t steps = 0; steps < 4 * circles.size() + 8; ++steps) {
        contacts.push_back({at, angle, end});
        touched.push_back(static_cast<int>(at));
        double least = std::numeric_limits<double>::infinity();
        tied.clear();
        for (std::size_t j = 0; j < circles.size(); ++j) {
            if (j == at || !(circles[j].radius > 0)) continue;
            const double turn = turnTo(circles[at], circles[j], angle);
            if (turn < 0 || turn > least + kTied) continue;
            if (turn < least - kTied) tied.clear();
            least = std::min(least, turn);
            tied.push_back({std::hypot(circles[j].x - circles[at].x, circles[j].z - circles[at].z), j});
        }
        if (tied.empty() || angle + least >= end - kTied) break;
        std::sort(tied.begin(), tied.end(), [](const Tied& a, const Tied& b) { return a.apart < b.apart; });
        for (std::size_t k = 0; k + 1 < tied.size(); ++k) touched.push_back(static_cast<int>(tied[k].circle));
        angle += least;
        contacts.back().to = angle;
        at = tied.back().circle;
    }
    // The walk ends where it began: its last contact and its first are one.
    if (contacts.size() > 1 && contacts.back().circle == first) {
        contacts.front().from = contacts.back().from - kTurn;
        contacts.pop_back();
    }
    // Each once.
    std::vector<char> seen(circles.size(), 0);
    std::erase_if(touched, [&](int i) { return std::exchange(seen[static_cast<std::size_t>(i)], 1) != 0; });
    return contacts;
}

/// The pieces of contacts on circles grown by `outward`, from the topmost tangent point on.
std::vector<Belt::Piece> piecesOf(const std::vector<BeltCircle>& circles, const std::vector<Contact>& contacts,
                                  double outward) {
    std::vector<Belt::Piece> pieces;
    pieces.reserve(2 * contacts.size());
    for (std::size_t k = 0; k < contacts.size(); ++k) {
        const Contact& c = contacts[k];
        const BeltCircle& circle = circles[c.circle];
        const double radius = circle.radius + outward;
        Belt::Piece arc;
        arc.arc = true;
        arc.circle = static_cast<int>(c.circle);
        arc.begin = pointOn(circle, radius, c.from);
        arc.direction = c.from + kPi / 2;
        arc.length = radius * (c.to - c.from);
        arc.curvature = 1 / radius;
        pieces.push_back(arc);
        const Contact& next = contacts[(k + 1) % contacts.size()];
        if (contacts.size() == 1) break;
        const BeltCircle& other = circles[next.circle];
        const Point end = pointOn(other, other.radius + outward, c.to);
        Belt::Piece run;
        run.circle = arc.circle;
        run.begin = pointOn(circle, radius, c.to);
        run.direction = c.to + kPi / 2;
        run.length = std::hypot(end[0] - run.begin[0], end[1] - run.begin[1]);
        pieces.push_back(run);
    }
    return pieces;
}

/// Index of the piece that begins at the topmost tangent point (of two equally high ones where the run begins).
std::size_t topmost(const std::vector<Belt::Piece>& pieces, double perimeter) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < pieces.size(); ++i) {
        const double higher = pieces[i].begin[1] - pieces[best].begin[1];
        const bool alike = std::abs(higher) <= 1e-9 * perimeter;
        if (alike ? !pieces[i].arc && pieces[best].arc : higher > 0) best = i;
    }
    return best;
}

/// A lone circle is cut at its top.
void cutLone(std::vector<Contact>& contacts) {
    if (contacts.size() == 1) contacts[0].from = kPi / 2, contacts[0].to = kPi / 2 + kTurn;
}

/// Lays links on a closed path of pieces.
class Layer {
public:
    Layer(const std::vector<BeltCircle>& circles, const std::vector<Belt::Piece>& pieces, double outward)
        : circles_(circles), pieces_(pieces), outward_(outward) {
        for (const Belt::Piece& piece : pieces_) perimeter_ += piece.length;
    }

    /// Arc length from the first pin to where the `count`-th link ends, less the perimeter; infinite where a link
    /// reaches over the whole belt. `pins`: the first `count` pins, where wanted.
    double overshoot(double link, int count, std::vector<Point>* pins) {
        piece_ = 0;
        along_ = 0;
        Point at = pieces_.front().begin;
        double walked = 0;
        for (int i = 0; i < count; ++i) {
            if (pins) pins->push_back(at);
            const double step = next(at, link);
            if (!(step >= 0)) return std::numeric_limits<double>::infinity();
            walked += step;
        }
        return walked - perimeter_;
    }

    double perimeter() const { return perimeter_; }

private:
    /// Moves `at` along the path to the first point `link` away from it; the arc length walked, negative: none.
    double next(Point& at, double link) {
        double walked = 0;
        for (std::size_t tries = 0; tries <= pieces_.size(); ++tries) {
            const Belt::Piece& piece = pieces_[piece_];
            const double found = piece.arc ? onArc(piece, at, link) : onRun(piece, at, link);
            if (found >= along_ && found <= piece.length) {
                walked += found - along_;
                along_ = found;
                if (piece.arc) {
                    const BeltCircle& circle = circles_[static_cast<std::size_t>(piece.circle)];
                    at = pointOn(circle, circle.radius + outward_, piece.direction - kPi / 2 + found * piece.curvature);
                } else {
                    at = {piece.begin[0] + found * std::cos(piece.direction),
                          piece.begin[1] + found * std::sin(piece.direction)};
                }
                return walked;
            }
            walked += piece.length - along_;
            along_ = 0;
            piece_ = (piece_ + 1) % pieces_.size();
        }
        return -1;
    }

    /// Place on a run at which the distance from p grows through `link`: |b + t d - p| = link, the greater root.
    double onRun(const Belt::Piece& run, const Point& p, double link) const {
        const double x = run.begin[0] - p[0], z = run.begin[1] - p[1];
        const double c = std::cos(run.direction), s = std::sin(run.direction);
        const double forward = x * c + z * s, across = x * s - z * c;
        const double square = (link - across) * (link + across);
        return square < 0 ? -1 : std::sqrt(square) - forward;
    }

    /// The same on an arc: |p - q|^2 = (D - R)^2 + 4 D R sin^2(a/2), with D from the centre to p and a the angle
    /// between the two.
    double onArc(const Belt::Piece& arc, const Point& p, double link) const {
        const BeltCircle& circle = circles_[static_cast<std::size_t>(arc.circle)];
        const double radius = circle.radius + outward_;
        const double x = p[0] - circle.x, z = p[1] - circle.z;
        const double apart = std::hypot(x, z);
        const double square = (link - (apart - radius)) * (link + (apart - radius)) / (4 * apart * radius);
        if (!(square >= 0 && square <= 1)) return -1;
        const double begin = arc.direction - kPi / 2 + along_ * arc.curvature;
        double turn = std::remainder(std::atan2(z, x) - begin, kTurn) + 2 * std::asin(std::sqrt(square));
        // The pin itself is on this arc or before it: a turn back is rounding, or a whole turn on.
        if (turn < -1e-9) turn += kTurn;
        return along_ + std::max(turn, 0.0) * radius;
    }

    const std::vector<BeltCircle>& circles_;
    const std::vector<Belt::Piece>& pieces_;
    double outward_ = 0, perimeter_ = 0;
    std::size_t piece_ = 0;  // where the walk is
    double along_ = 0;
};

}  // namespace

std::array<double, 2> Belt::at(double s) const {
    s = std::fmod(s, perimeter);
    if (s < 0) s += perimeter;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const Piece& p = pieces[i];
        if (s > p.length && i + 1 < pieces.size()) {
            s -= p.length;
            continue;
        }
        // A chord of a piece turned by kappa s: begin + s sinc(kappa s / 2) in the mean direction.
        const double half = p.curvature * s / 2;
        const double chord = half == 0 ? s : s * std::sin(half) / half;
        return {p.begin[0] + chord * std::cos(p.direction + half), p.begin[1] + chord * std::sin(p.direction + half)};
    }
    return {};
}

Belt hullOf(const std::vector<BeltCircle>& circles) {
    Belt belt;
    std::vector<Contact> contacts = wrap(circles, belt.touched);
    cutLone(contacts);
    belt.pieces = piecesOf(circles, contacts, 0);
    for (const Belt::Piece& piece : belt.pieces) belt.perimeter += piece.length;
    if (belt.pieces.empty()) return belt;
    const std::size_t first = topmost(belt.pieces, belt.perimeter);
    std::rotate(belt.pieces.begin(), belt.pieces.begin() + static_cast<std::ptrdiff_t>(first), belt.pieces.end());
    const auto where = std::find(belt.touched.begin(), belt.touched.end(), belt.pieces.front().circle);
    std::rotate(belt.touched.begin(), where, belt.touched.end());
    return belt;
}

LaidPins layPins(const std::vector<BeltCircle>& circles, int count) {
    LaidPins laid;
    std::vector<int> touched;
    std::vector<Contact> contacts = wrap(circles, touched);
    cutLone(contacts);
    std::vector<Belt::Piece> pieces = piecesOf(circles, contacts, 0);
    double perimeter = 0;
    for (const Belt::Piece& piece : pieces) perimeter += piece.length;
    if (count < 3 || pieces.empty() || !std::isfinite(perimeter)) return laid;
    const std::size_t first = topmost(pieces, perimeter);
    laid.link = perimeter / count;

    const auto overshoot = [&](double outward, std::vector<Point>* pins) {
        pieces = piecesOf(circles, contacts, outward);
        std::rotate(pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(first), pieces.end());
        return Layer(circles, pieces, outward).overshoot(laid.link, count, pins);
    };
    // Chords are shorter than their arcs, so that links on the belt itself reach too far; moved outward by c the belt
    // is longer by 2 pi c, and by c = link, at the latest, they do not reach.
    double low = 0, high = laid.link;
    double over = overshoot(low, nullptr), under = overshoot(high, nullptr);
    for (int i = 0; i < 60 && under > 0; ++i) under = overshoot(high *= 2, nullptr);
    if (!(over >= 0) || !(under <= 0)) return laid;
    double best = low, least = std::abs(over);
    const double enough = 2e-15 * perimeter;
    // Bisection while a side is infinite, then the Illinois rule.
    int kept = 0;
    for (int i = 0; i < 80 && least > enough && high - low > 1e-17 * perimeter; ++i) {
        double middle = std::isinf(over) ? (low + high) / 2 : high - under * (high - low) / (under - over);
        if (!(middle > low && middle < high)) middle = (low + high) / 2;
        const double value = overshoot(middle, nullptr);
        if (std::abs(value) < least) best = middle, least = std::abs(value);
        if (value > 0) {
            low = middle, over = value;
            if (kept > 0) under /= 2;
            kept = 1;
        } else {
            high = middle, under = value;
            if (kept < 0) over /= 2;
            kept = -1;
        }
    }
    if (!(least <= 1e-12 * perimeter)) return laid;
    laid.clearance = best;
    laid.pins.reserve(static_cast<std::size_t>(count));
    overshoot(best, &laid.pins);
    const Point& last = laid.pins.back();
    const double closing = std::hypot(laid.pins[0][0] - last[0], laid.pins[0][1] - last[1]);
    if (!(std::abs(closing - laid.link) <= 1e-10 * perimeter)) laid.pins.clear();
    return laid;
}

}  // namespace mw

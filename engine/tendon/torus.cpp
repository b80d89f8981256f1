// A rope between two points and one torus: a ring to pass through.
//
// The ring's plane divides space. Ends on its two sides: the rope passes through the hole, or outside of the ring where
// a side site farther from the axis than the ring's circle says so. Ends on one side: it does not pass through, and the
// wire is an obstacle like any other. Which of these holds hangs on the pose alone. A rope that is in the right place
// already and clear of the wire is straight; else it is laid over the wire where it would cut it deepest, as over a
// cylinder there, and tightened; where a straight piece cuts the wire once more, it touches it once more.
#include <algorithm>
#include <cmath>

#include "engine/tendon/chain.h"
#include "engine/tendon/circle.h"
#include "engine/tendon/ring_string.h"

namespace mw {
namespace {

using State = GuideContact::State;
constexpr double kPi = 3.14159265358979323846;
constexpr std::size_t kMostTouches = 3;

struct Ring {
    double ring, wire;
    explicit Ring(const GuideSurface& surface) : ring(surface.radii()[0]), wire(surface.radii()[1]) {}
    Vector3 radial(double azimuth) const { return {std::cos(azimuth), std::sin(azimuth), 0}; }
};

double distanceToCircle(const Vector3& x, double ring) { return std::hypot(std::hypot(x.x(), x.y()) - ring, x.z()); }

// Where a segment comes closest to the ring's circle: its parameter, and the distance. Within parts of the segment
// that a rope on the wire may touch at `skip` ends the level does not count.
struct Closest {
    double t = 0, distance = 1e300;
};
Closest closest(const Vector3& p, const Vector3& q, const Ring& ring) {
    const auto at = [&](double t) { return distanceToCircle(p + t * (q - p), ring.ring); };
    // The distance has its minima where the segment is near the two sides of the ring: sample the part near it.
    const Vector3 way = q - p;
    const double length = way.norm(), reach = ring.ring + ring.wire;
    const double middle = -p.dot(way) / (length * length), half = 1.5 * reach / length;
    const double low = std::clamp(middle - half, 0.0, 1.0), high = std::clamp(middle + half, 0.0, 1.0);
    Closest best;
    constexpr int kPieces = 32;
    std::array<double, kPieces + 1> sampled;
    for (int i = 0; i <= kPieces; ++i) sampled[i] = at(low + (high - low) * i / kPieces);
    for (int i = 0; i <= kPieces; ++i) {
        if ((i > 0 && sampled[i] > sampled[i - 1]) || (i < kPieces && sampled[i] > sampled[i + 1])) continue;
        // golden section inside the two neighbours
        double l = low + (high - low) * std::max(i - 1, 0) / kPieces;
        double h = low + (high - low) * std::min(i + 1, kPieces) / kPieces;
        constexpr double kGolden = 0.6180339887498949;
        double x = h - kGolden * (h - l), y = l + kGolden * (h - l), fx = at(x), fy = at(y);
        for (int k = 0; k < 40 && (h - l) * length > 1e-9 * ring.wire; ++k) {
            if (fx <= fy) {
                h = y, y = x, fy = fx;
                x = h - kGolden * (h - l), fx = at(x);
            } else {
                l = x, x = y, fx = fy;
                y = l + kGolden * (h - l), fy = at(y);
            }
        }
        const double t = (l + h) / 2, distance = at(t);
        if (distance < best.distance) best = {t, distance};
    }
    return best;
}

// Rope laid over the wire at an azimuth, as over a cylinder there; `out` and `up`: the side that it runs on, in the
// meridian plane. `shy`: other starts for the same, a short piece in the middle of that, the farther from the azimuth
// the shyer. Points in the guide's frame.
constexpr int kShyest = 6;
TautNode laidOver(const GuideSurface& surface, const Ring& ring, const Vector3& p, const Vector3& q, double azimuth,
                  double out, double up, int shy) {
    constexpr std::array<double, kShyest + 1> kShift{0, 0, 0.3, -0.3, 0.7, -0.7, 0};
    azimuth += kShift[static_cast<std::size_t>(shy)];
    const Vector3 radial = ring.radial(azimuth), along(-radial.y(), radial.x(), 0);
    const Vector3 centre = ring.ring * radial;
    const auto plane = [&](const Vector3& x) {
        Vector2 v(radial.dot(x - centre), x.z());
        // an end far along the ring may seem to be inside the wire
        const double d = v.norm();
        if (d < 1.05 * ring.wire) v = d > 0 ? Vector2(v * (1.05 * ring.wire / d)) : Vector2(0, 1.05 * ring.wire);
        return v;
    };
    CircleQuestion question;
    question.a = plane(p), question.b = plane(q);
    question.radius = ring.wire;
    question.has_side = true;
    question.side = {out, up};
    question.rule = SideRule::barrier;
    const CircleRoute route = routeAroundCircle(question);
    TautNode node;
    node.surface = &surface;
    Vector2 first(out, up);
    first *= ring.wire / first.norm();
    double h = 0, sweep = 0.02, rise = 0;
    if (route.wrapped) {
        const double flat = route.before + ring.wire * route.sweep + route.after;
        const double hp = along.dot(p - centre), hq = along.dot(q - centre);
        first = route.first;
        sweep = route.sweep;
        h = hp + (hq - hp) * route.before / flat;
        rise = (hq - hp) * ring.wire * route.sweep / flat;
        if (shy > 0) {
            const Vector2 middle = route.first + route.last;
            if (middle.norm() > 1e-3 * ring.wire) first = middle * (ring.wire / middle.norm());
            h = 0, rise = 0, sweep = shy == kShyest ? 0.6 * sweep : 0.2;
        }
    }
    const double rho = ring.ring + first.x();
    const double turned = azimuth + std::clamp(h / rho, -0.7, 0.7);
    node.p = surface.project(rho * ring.radial(turned) + Vector3(0, 0, first.y()));
    const Vector3 n = surface.normal(node.p);
    const auto tangent = [&](const Vector3& v) -> Vector3 { return v - n * n.dot(v); };
    Vector3 t = route.wrapped && shy == 0 ? tangent(node.p - p) : tangent(q - p);
    if (!(t.norm() > 0)) t = tangent(along);
    node.t = t.normalized();
    node.s = std::hypot(ring.wire * sweep, std::clamp(rise, -ring.ring, ring.ring));
    return node;
}

// Where along the ring a rope would best be laid: its two straight pieces to a circle in the ring's plane.
double bestAzimuth(const Vector3& p, const Vector3& q, double radius) {
    const auto sum = [&](double x) {
        const Vector3 c(radius * std::cos(x), radius * std::sin(x), 0);
        return (p - c).norm() + (q - c).norm();
    };
    constexpr int kScan = 24;
    double best = 0, least = 1e300;
    for (int i = 0; i < kScan; ++i) {
        const double x = 2 * kPi * i / kScan, value = sum(x);
        if (value < least) best = x, least = value;
    }
    double step = kPi / kScan;
    for (int k = 0; k < 12; ++k, step *= 0.5) {
        for (const double x : {best - step, best + step})
            if (sum(x) < least) best = x, least = sum(x);
    }
    return best;
}

// Opens a bridge: the touch at a place of the row ends after a part of its length, another one begins at a part of it.
void openBridge(const GuideSurface& surface, std::vector<TautNode>& nodes, std::size_t place, double lift,
                double land) {
    TautNode second = nodes[place];
    GeodesicArc arc;
    surface.flow(second.p, second.t, second.s * land, arc);
    second.p = arc.q, second.t = arc.u;
    second.s *= 1 - land;
    nodes[place].s *= lift;
    nodes.insert(nodes.begin() + static_cast<std::ptrdiff_t>(place) + 1, second);
}

// A rope on the wire that crosses a hollow leaves the surface there: two touches instead of one.
bool split(const GuideSurface& surface, std::vector<TautNode>& nodes) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const TautNode node = nodes[i];
        if (node.arc.least_curvature > -1e-9 / surface.size() || nodes.size() >= kMostTouches) continue;
        constexpr int kPieces = 24;
        double low = 2, high = -1;
        std::array<GeodesicArc, kPieces + 1> at;
        for (int k = 0; k <= kPieces; ++k) {
            surface.flow(node.p, node.t, node.s * k / kPieces, at[k]);
            if (surface.bend(at[k].q, at[k].u, at[k].u) < 0) {
                low = std::min(low, static_cast<double>(k) / kPieces);
                high = std::max(high, static_cast<double>(k) / kPieces);
            }
        }
        if (low > 1 || low == 0 || high == 1) continue;
        openBridge(surface, nodes, i, low / 2, (1 + high) / 2);
        return true;
    }
    return false;
}

// As `tighten`; where that fails, two touches as one, or each as two: a bridge over a shallow hollow may close or open.
bool tightenOtherwise(const Vector3& a, const Vector3& b, std::vector<TautNode>& nodes) {
    const std::vector<TautNode> start = nodes;
    if (tighten(a, b, nodes)) return true;
    for (std::size_t i = 0; i + 1 < start.size(); ++i) {
        nodes = start;
        nodes[i].s += (start[i + 1].p - start[i].p).norm() - start[i].s + start[i + 1].s;
        nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        if (tighten(a, b, nodes)) return true;
    }
    for (std::size_t i = 0; i < start.size(); ++i) {
        for (const double kept : {0.1, 0.4}) {
            nodes = start;
            openBridge(*start[i].surface, nodes, i, kept, 1 - kept);
            if (tighten(a, b, nodes)) return true;
        }
    }
    nodes = start;
    return false;
}

// Whether a rope over the nodes crosses the disk of the ring's circle an odd number of times.
bool crossesDisk(const Vector3& p, const Vector3& q, const std::vector<TautNode>& nodes, const GuideSurface& surface,
                 const Ring& ring) {
    bool odd = false;
    Vector3 at = p;
    const auto onTo = [&](const Vector3& next) {
        if ((at.z() >= 0) != (next.z() >= 0)) {
            const Vector3 x = at + (next - at) * (at.z() / (at.z() - next.z()));
            if (std::hypot(x.x(), x.y()) < ring.ring) odd = !odd;
        }
        at = next;
    };
    for (const TautNode& node : nodes) {
        onTo(node.arc.p);
        constexpr int kPieces = 8;
        const bool flat = node.s < 0.5 * ring.wire;
        for (int k = 1; k < kPieces && !flat; ++k) {
            GeodesicArc arc;
            surface.flow(node.p, node.t, node.s * k / kPieces, arc);
            onTo(arc.q);
        }
        onTo(node.arc.q);
    }
    onTo(q);
    return odd;
}

// Bend at the wire: the point of its surface with the least sum of both pieces.
void bendAtWire(const Vector3& a, const Vector3& b, const Vector3& p, const Vector3& q, const GuideSurface& surface,
                const Ring& ring, Touch& touch) {
    const auto point = [&](double azimuth, double about) -> Vector3 {
        return (ring.ring + ring.wire * std::cos(about)) * ring.radial(azimuth) +
               Vector3(0, 0, ring.wire * std::sin(about));
    };
    const auto sum = [&](double azimuth, double about) {
        const Vector3 x = point(azimuth, about);
        return (x - p).norm() + (q - x).norm();
    };
    double azimuth = 0, about = 0, least = 1e300;
    for (int i = 0; i < 32; ++i) {
        for (int k = 0; k < 16; ++k) {
            const double x = 2 * kPi * i / 32, y = 2 * kPi * k / 16, value = sum(x, y);
            if (value < least) azimuth = x, about = y, least = value;
        }
    }
    double dx = kPi / 32, dy = kPi / 16;
    for (int k = 0; k < 80 && dx > 1e-6; ++k) {
        bool moved = false;
        for (const auto& [x, y] : {std::pair{dx, 0.0}, {-dx, 0.0}, {0.0, dy}, {0.0, -dy}}) {
            const double value = sum(azimuth + x, about + y);
            if (value < least) azimuth += x, about += y, least = value, moved = true;
        }
        if (!moved) dx *= 0.5, dy *= 0.5;
    }
    TautNode node;
    node.surface = &surface;
    node.bend = true;
    node.p = surface.project(point(azimuth, about));
    node.t = Vector3(-std::sin(azimuth), std::cos(azimuth), 0);
    touch.state = State::bent;
    touch.nodes.assign(1, node);
    touch.converged = tighten(a, b, touch.nodes);
}

}  // namespace

void touchTorus(const Vector3& a, const Vector3& b, const SpanGuide& guide, const GuideSurface& surface, Touch& touch,
                const std::array<Vector3, 2>* ends) {
    touch = {};
    const Ring ring(surface);
    const Vector3 p = surface.toLocal(a), q = surface.toLocal(b);
    const double noise =
        kRelativeNoise * surface.size() + coordinateNoise(std::max(a.cwiseAbs().maxCoeff(), b.cwiseAbs().maxCoeff()));
    const Vector3 side = guide.has_side ? surface.toLocal(guide.side) : Vector3::Zero();
    const bool interior = guide.has_side && surface.level(side) < -noise;
    if (surface.level(p) <= noise || surface.level(q) <= noise) {
        touch.end_inside = !interior;
        return;
    }
    if (!((q - p).norm() > noise)) return;
    const Closest straight = closest(p, q, ring);
    if (interior) {
        if (straight.distance > ring.wire + noise) bendAtWire(a, b, p, q, surface, ring, touch);
        return;
    }
    // through the disk that the ring's circle spans, or not
    const bool from_above = surface.toLocal(ends ? (*ends)[0] : a).z() >= 0;
    const bool to_above = surface.toLocal(ends ? (*ends)[1] : b).z() >= 0;
    const bool opposite = from_above != to_above;
    const bool outside = guide.has_side && std::hypot(side.x(), side.y()) > ring.ring;
    const bool through = opposite && !outside;
    const bool crosses = crossesDisk(p, q, {}, surface, ring);
    std::vector<TautNode>& nodes = touch.nodes;
    // A node more, at the place in the row; false: no start of it became taut.
    const auto add = [&](std::size_t place, const Vector3& from, const Vector3& to, double azimuth, double out,
                         double up) {
        const std::vector<TautNode> before = nodes;
        for (int shy = 0; shy <= kShyest; ++shy) {
            nodes = before;
            nodes.insert(nodes.begin() + static_cast<std::ptrdiff_t>(place),
                         laidOver(surface, ring, from, to, azimuth, out, up, shy));
            if (tighten(a, b, nodes) && (nodes.size() > 1 || nodes[0].s > 0)) return true;
        }
        nodes = before;
        return false;
    };
    const double depth = 1e-9 * ring.wire + noise;
    // The rope from a start, straight, laid over the wire where it is best, by way of the hole's middle, or as a string
    // pulled short: clear of the wire and in the right place?
    enum class Start { straight, laid, middle, string };
    const auto pull = [&](Start start) {
        nodes.clear();
        if (start == Start::middle) {
            const Vector3 middle = Vector3::Zero();
            for (const auto& [from, to] : {std::pair{p, middle}, std::pair{middle, q}}) {
                const Closest cut = closest(from, to, ring);
                if (cut.distance > 1.2 * ring.wire) continue;
                const Vector3 x = from + cut.t * (to - from);
                nodes.push_back(laidOver(surface, ring, from, to, std::atan2(x.y(), x.x()),
                                         std::hypot(x.x(), x.y()) - ring.ring, x.z(), 1));
            }
            if (nodes.empty() || !tighten(a, b, nodes)) return false;
        }
        if (start == Start::laid) {
            const double azimuth = bestAzimuth(p, q, through ? ring.ring - ring.wire : ring.ring + ring.wire);
            if (!add(0, p, q, azimuth, through ? -1 : 1, 0)) return false;
        }
        if (start == Start::string) {
            const RingWay way = !through ? RingWay::past : from_above ? RingWay::down : RingWay::up;
            nodes = stringAroundRing(surface, p, q, way, bestAzimuth(p, q, ring.ring + ring.wire));
            if (!nodes.empty() && !tightenOtherwise(a, b, nodes)) return false;
        }
        for (int round = 0; round < 8; ++round) {
            const auto slack = [](const TautNode& node) { return node.s <= 0; };
            if (nodes.size() > 1 && std::any_of(nodes.begin(), nodes.end(), slack)) {
                nodes.erase(std::remove_if(nodes.begin(), nodes.end(), slack), nodes.end());
                if (!nodes.empty() && !tighten(a, b, nodes)) return false;
                continue;
            }
            if (!nodes.empty()) {
                const std::vector<TautNode> whole = nodes;
                if (split(surface, nodes)) {
                    if (tighten(a, b, nodes)) continue;
                    nodes = whole;
                }
            }
            // the deepest cut of a straight piece
            std::size_t place = 0;
            Closest deepest;
            Vector3 from = p, to = q;
            for (std::size_t i = 0; i <= nodes.size(); ++i) {
                const Vector3 x = i == 0 ? p : surface.toLocal(nodes[i - 1].last);
                const Vector3 y = i == nodes.size() ? q : surface.toLocal(nodes[i].first);
                const Closest here = closest(x, y, ring);
                if (here.distance < deepest.distance) deepest = here, place = i, from = x, to = y;
            }
            const bool right = crossesDisk(p, q, nodes, surface, ring) == through;
            if (deepest.distance > ring.wire - depth) {
                return right && std::none_of(nodes.begin(), nodes.end(), [&](const TautNode& node) {
                           return node.arc.least_curvature < -1e-6 / surface.size();
                       });
            }
            if (nodes.size() >= kMostTouches) return false;
            const Vector3 x = from + deepest.t * (to - from);
            Vector2 way(std::hypot(x.x(), x.y()) - ring.ring, x.z());
            if (!(way.norm() > 1e-9 * ring.wire)) way = through ? Vector2(-1, 0) : Vector2(0, p.z() >= 0 ? 1 : -1);
            // pulled taut it may have slipped through the wire to the other side of its circle
            if (!right) way = -way;
            if (!add(place, from, to, std::atan2(x.y(), x.x()), way.x(), way.y())) return false;
        }
        return false;
    };
    const bool in_place = crosses == through;
    if (in_place && straight.distance >= ring.wire - noise) return;
    const Start first = in_place ? Start::straight : Start::laid, second = in_place ? Start::laid : Start::straight;
    touch.converged = pull(first);
    const std::vector<TautNode> nearest = nodes;
    if (!touch.converged) touch.converged = pull(second) || (through && pull(Start::middle)) || pull(Start::string);
    if (!touch.converged) nodes = nearest;
    nodes.erase(std::remove_if(nodes.begin(), nodes.end(), [](const TautNode& node) { return !(node.s > 0); }),
                nodes.end());
    touch.state = nodes.empty() ? State::free : State::wrapped;
}

void routeOverTorus(const Vector3& a, const Vector3& b, const SpanGuide& guide, SpanResult& result) {
    const GuideSurface surface(guide);
    Touch touch;
    touchTorus(a, b, guide, surface, touch);
    fillSpan(a, b, std::span(&touch, 1), touch.nodes, result);
}

}  // namespace mw

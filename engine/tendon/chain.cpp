// A rope between two points over several guides in a row.
//
// A route is what every guide makes of it alone, between its neighbours' contact points: each in turn is laid anew
// until nothing moves (the length falls with every turn where the ways are shortest ones), and Newton's method on all
// contact points together does the last part. Where no side site decides, each guide is also tried the other way round
// at first, and the shortest of the routes that come out of it is taken. Nothing is kept from call to call.
#include "engine/tendon/chain.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/tendon/circle.h"

namespace mw {
namespace {

using Kind = PathElement::Kind;
using State = GuideContact::State;

constexpr int kMostRounds = 40;
constexpr int kPatience = 12;    // turns by the rule as written
constexpr int kMostAsked = 4;    // guides whose ways are tried in all combinations
constexpr int kPolishAfter = 2;  // turns over all guides before Newton's method takes over

struct Link {
    Touch touch;
    Vector3 entry = Vector3::Zero(), exit = Vector3::Zero();
    double arc = 0;
    bool proxy = false;  ///< not laid yet: entry stands for where it will be
};

double arcOf(const std::vector<TautNode>& nodes) {
    double arc = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!nodes[i].bend) arc += nodes[i].s;
        if (i > 0) arc += (nodes[i].first - nodes[i - 1].last).norm();
    }
    return arc;
}

class Chain {
public:
    Chain(const Vector3& a, const Vector3& b, std::span<const SpanGuide> guides)
        : a_(a), b_(b), guides_(guides), ends_{a, b} {
        surfaces_.reserve(guides.size());
        for (const SpanGuide& guide : guides) surfaces_.emplace_back(guide);
        size_ = (b - a).norm();
        for (const GuideSurface& surface : surfaces_) size_ += surface.size();
        for (const SpanGuide& guide : guides) sided_ = sided_ || guide.has_side;
    }

    /// A taut route from scratch. Guides of `asked` are told the way by a bit of `answer`: a cylinder stays on one side
    /// of the line from a to b to the end, the others go the best or the next best way round in the first turns.
    /// With `push`, m, ellipsoids without a side site are passed on that side of their centres in the first turns.
    void lay(unsigned asked, unsigned answer, const Vector3& push = Vector3::Zero()) {
        links_.assign(guides_.size(), {});
        told_.assign(guides_.begin(), guides_.end());
        for (std::size_t i = 0; i < told_.size() && i < 32; ++i) {
            SpanGuide& guide = told_[i];
            if (!(asked >> i & 1) || guide.kind != Kind::cylinder) continue;
            const Vector3 side = guide.axes.col(2).cross(b_ - a_);
            if (!(side.norm() > 1e-9 * size_)) continue;
            guide.has_side = true;
            guide.rule = SideRule::barrier;
            guide.side = guide.centre + (answer >> i & 1 ? 10.0 : -10.0) * guide.radii[0] * side.normalized();
        }
        const unsigned other = asked & answer;
        const bool pushed = push.squaredNorm() > 0;
        const auto nudge = [&](bool on) {
            for (std::size_t i = 0; i < told_.size(); ++i) {
                if (guides_[i].has_side || guides_[i].kind != Kind::ellipsoid) continue;
                told_[i].has_side = on;
                told_[i].side = guides_[i].centre + push;
            }
        };
        if (pushed) nudge(true);
        for (std::size_t i = 0; i < guides_.size(); ++i) place(i);
        converged = calmed_ = false;
        double moved = 0;
        History history{};
        for (int round = 0; round < kMostRounds; ++round) {
            // Neighbours may pull each other over the edges of their rules for ever. "barrier" finds peace more often
            // than "nearest", and rings do when the route's ends say whether they are passed through.
            if (!calmed_ && (round == kPatience || goesRound(history))) {
                for (SpanGuide& guide : told_) guide.rule = SideRule::barrier;
                calmed_ = true;
                history = {};
            } else if (goesRound(history)) {
                break;
            }
            if (pushed && round == 2) nudge(false);
            moved = turn(round < 2 ? other : 0);
            if (round >= 2) history = {Turn{moved, lengthNow()}, history[0], history[1], history[2]};
            if (moved <= 1e-13 * size_ && !(pushed && round < 2)) {
                converged = true;
                break;
            }
            if (round + 1 < kPolishAfter + (pushed ? 1 : 0)) continue;
            const std::vector<Link> before = links_;
            const double length = lengthNow();
            // A way that a side site asks for need not be a shortest one: there the length may rise.
            if (polish() && (sided_ || lengthNow() <= length + 1e-9 * size_)) {
                const std::vector<Link> tight = links_;
                // what each guide alone makes of the result has to be the same
                if (turn(0) <= 1e-7 * size_) {
                    links_ = tight;
                    converged = true;
                    break;
                }
            } else {
                links_ = before;
            }
        }
        if (!converged && moved <= 1e-9 * size_) converged = true;
        const auto found = [](const Link& link) { return link.touch.converged; };
        const bool all_found = std::all_of(links_.begin(), links_.end(), found);
        if (!converged || !all_found) converged = settle() && all_found;
    }

    double lengthNow() const {
        double length = 0;
        Vector3 at = a_;
        for (const Link& link : links_) {
            if (link.touch.state == State::free) continue;
            length += (link.entry - at).norm() + link.arc;
            at = link.exit;
        }
        return length + (b_ - at).norm();
    }

    const std::vector<Link>& links() const { return links_; }
    /// Guides that are wrapped and had no side site to say which way: worth trying the other.
    unsigned undecided() const { return undecided_; }

    void fill(const std::vector<Link>& links, bool good, SpanResult& result) const {
        std::vector<Touch> touches;
        std::vector<TautNode> nodes;
        for (std::size_t i = 0; i < links.size(); ++i) {
            touches.push_back(links[i].touch);
            for (TautNode node : links[i].touch.nodes) {
                node.guide = static_cast<int>(i);
                // a route of a single turn has no geodesics yet
                if (!node.bend) node.surface->flow(node.p, node.t, node.s, node.arc);
                nodes.push_back(node);
            }
        }
        // directions and lengths of the straight pieces are those of the whole
        for (std::size_t i = 0; i <= nodes.size(); ++i) {
            const Vector3& from = i == 0 ? a_ : nodes[i - 1].last;
            const Vector3& to = i == nodes.size() ? b_ : nodes[i].first;
            const double length = (to - from).norm();
            const Vector3 along = length > 0 ? Vector3((to - from) / length) : Vector3::Zero();
            if (i > 0) nodes[i - 1].behind = length, nodes[i - 1].out = along;
            if (i < nodes.size()) nodes[i].before = length, nodes[i].into = along;
        }
        fillSpan(a_, b_, touches, nodes, result);
        result.converged = good;
    }

    bool converged = false;

private:
    // Where a guide will be met, before it has been: for its neighbours in the first turn.
    void place(std::size_t i) {
        const SpanGuide& guide = guides_[i];
        Link& link = links_[i];
        if (guide.kind == Kind::torus) {
            link.proxy = true;
            link.entry = link.exit = guide.centre;
            return;
        }
        if (!guide.has_side) return;
        link.proxy = true;
        const GuideSurface& surface = surfaces_[i];
        Vector3 side = surface.toLocal(guide.side);
        if (guide.kind == Kind::cylinder) side.z() = (surface.toLocal(a_).z() + surface.toLocal(b_).z()) / 2;
        const Vector3 onto = surface.project(side);
        link.entry = link.exit = surface.toBase(onto + 1e-6 * surface.size() * surface.normal(onto));
    }

    Vector3 before(std::size_t i) const {
        while (i-- > 0)
            if (links_[i].proxy || links_[i].touch.state != State::free) return links_[i].exit;
        return a_;
    }
    Vector3 behind(std::size_t i) const {
        while (++i < links_.size())
            if (links_[i].proxy || links_[i].touch.state != State::free) return links_[i].entry;
        return b_;
    }

    void touchOne(std::size_t i, const Vector3& from, const Vector3& to, bool other, Touch& touch) const {
        const SpanGuide& guide = told_[i];
        switch (guide.kind) {
            case Kind::sphere:
            case Kind::cylinder: return touchSphereOrCylinder(from, to, guide, surfaces_[i], other, touch);
            case Kind::ellipsoid: return touchEllipsoid(from, to, guide, surfaces_[i], other, touch);
            case Kind::torus: return touchTorus(from, to, guide, surfaces_[i], touch, calmed_ ? &ends_ : nullptr);
            default: touch = {};
        }
    }

    // Lays every guide's part anew between its neighbours; how far contact points moved.
    double turn(unsigned other) {
        double moved = 0;
        for (std::size_t i = 0; i < links_.size(); ++i) {
            Link& link = links_[i];
            const bool was = link.touch.state != State::free;
            const Vector3 entry = link.entry, exit = link.exit;
            touchOne(i, before(i), behind(i), i < 32 && (other >> i & 1), link.touch);
            link.proxy = false;
            const bool is = link.touch.state != State::free;
            if (is) {
                const auto& nodes = link.touch.nodes;
                link.entry = nodes.front().first, link.exit = nodes.back().last;
                link.arc = arcOf(nodes);
                if (!guides_[i].has_side && link.touch.state == State::wrapped && i < 32) undecided_ |= 1u << i;
            }
            if (was != is) moved = std::max(moved, is ? std::max(link.arc, 1e-12 * size_) : size_);
            else if (is) moved = std::max({moved, (link.entry - entry).norm(), (link.exit - exit).norm()});
        }
        return moved;
    }

    // No peace: the guides that are touched now keep their ways, the rope is pulled taut over them, and those that it
    // lifts off are left out. False: others had to be left out, too, before it became taut.
    bool settle() {
        bool peace = true;
        for (std::size_t tries = 0; tries <= 2 * links_.size(); ++tries) {
            const std::vector<Link> before = links_;
            if (polish()) return peace;
            links_ = before;
            bool lifted = false;
            for (const TautNode& node : nodes_) {
                Link& link = links_[static_cast<std::size_t>(node.guide)];
                if (!node.bend && node.s < 0) leaveOut(link), lifted = true;
            }
            if (lifted) continue;
            // one that found no taut rope by itself, else the last one
            peace = false;
            Link* worst = nullptr;
            for (Link& link : links_)
                if (link.touch.state != State::free && (!worst || worst->touch.converged)) worst = &link;
            if (!worst) return false;
            leaveOut(*worst);
        }
        return false;
    }
    static void leaveOut(Link& link) {
        link.touch.state = State::free;
        link.touch.nodes.clear();
    }

    // All contact points together. False: not taut; links are in disorder then.
    bool polish() {
        std::vector<TautNode>& nodes = nodes_;
        nodes.clear();
        for (std::size_t i = 0; i < links_.size(); ++i) {
            for (TautNode node : links_[i].touch.nodes) {
                node.guide = static_cast<int>(i);
                nodes.push_back(node);
            }
        }
        if (nodes.empty()) return false;
        if (!tighten(a_, b_, nodes)) return false;
        for (Link& link : links_) link.touch.nodes.clear();
        for (const TautNode& node : nodes) {
            if (!node.bend && node.s < -1e-12 * size_) return false;
            links_[static_cast<std::size_t>(node.guide)].touch.nodes.push_back(node);
        }
        for (Link& link : links_) {
            if (link.touch.nodes.empty()) continue;
            link.entry = link.touch.nodes.front().first, link.exit = link.touch.nodes.back().last;
            link.arc = arcOf(link.touch.nodes);
        }
        return true;
    }

    /// The last turns, the latest first: how far contact points moved, and the length. Turns that repeat, or every
    /// second of them, will repeat for ever.
    struct Turn {
        double moved = 0, length = 0;
    };
    using History = std::array<Turn, 4>;
    bool goesRound(const History& history) const {
        const auto alike = [&](const Turn& x, const Turn& y) {
            return y.length > 0 && x.moved > 1e-6 * size_ && std::abs(x.moved - y.moved) < 1e-9 * size_ &&
                   std::abs(x.length - y.length) < 1e-9 * size_;
        };
        return (alike(history[0], history[1]) && alike(history[1], history[2])) ||
               (alike(history[0], history[2]) && alike(history[1], history[3]));
    }

    Vector3 a_, b_;
    std::span<const SpanGuide> guides_;
    std::vector<GuideSurface> surfaces_;
    std::vector<SpanGuide> told_;
    std::vector<Link> links_;
    std::vector<TautNode> nodes_;
    double size_ = 0;
    bool sided_ = false;
    bool calmed_ = false;  ///< the neighbours' places no longer decide everything
    std::array<Vector3, 2> ends_;
    unsigned undecided_ = 0;
};

}  // namespace

TautNode nodeAt(const GuideSurface& surface, const Vector3& point, const Vector3& direction, double length) {
    TautNode node;
    node.surface = &surface;
    node.p = surface.project(surface.toLocal(point));
    const Vector3 n = surface.normal(node.p), t = surface.turnToLocal(direction);
    Vector3 tangent = t - n * n.dot(t);
    if (!(tangent.norm() > 1e-12 * t.norm())) tangent = n.unitOrthogonal();
    node.t = tangent.normalized();
    node.s = length;
    return node;
}

void fillSpan(const Vector3& a, const Vector3& b, std::span<const Touch> touches, std::span<const TautNode> nodes,
              SpanResult& result) {
    routeSpan(a, b, {}, result);
    result.guides.assign(touches.size(), {});
    for (std::size_t i = 0; i < touches.size(); ++i) {
        result.guides[i].end_inside = touches[i].end_inside;
        result.converged = result.converged && touches[i].converged;
    }
    if (nodes.empty()) return;
    result.straight.clear();
    result.length = 0;
    std::size_t i = 0, k = 0;
    for (std::size_t g = 0; g < touches.size(); ++g) {
        const std::size_t count = touches[g].nodes.size();
        if (count == 0) continue;
        const TautNode& first = nodes[k];
        const TautNode& last = nodes[k + count - 1];
        GuideContact& contact = result.guides[g];
        contact.state = touches[g].state;
        contact.first = first.first, contact.last = last.last;
        contact.first_direction = first.into, contact.last_direction = last.out;
        result.straight.push_back(first.before);
        result.length += first.before;
        if (contact.state == State::bent) {
            contact.first_gradient = first.into - first.out;
            contact.turn = std::atan2(first.into.cross(first.out).norm(), first.into.dot(first.out));
        } else {
            contact.first_gradient = first.into;
            contact.last_gradient = -last.out;
            for (std::size_t j = k; j < k + count; ++j) {
                contact.arc += nodes[j].s;
                contact.turn += nodes[j].arc.turn;
                if (j > k) contact.arc += nodes[j].before;
            }
            contact.turn = std::max(contact.turn, 0.0);  // a rope that is not taut may run along a hollow
            contact.sweep = contact.turn;
            if (first.surface->kind() == Kind::cylinder) {
                const Vector3 from = first.arc.n, to = first.arc.t;
                contact.sweep = std::abs(from.x() * to.y() - from.y() * to.x()) * first.s / first.surface->radii()[0];
            }
            if (count > 1) {
                contact.bridged = true;
                contact.lift = first.s;
                contact.land = contact.arc - last.s;
            }
            result.length += contact.arc;
        }
        k += count;
        i = k - 1;
    }
    result.straight.push_back(nodes[i].behind);
    result.length += nodes[i].behind;
    result.a_gradient = -nodes.front().into;
    result.b_gradient = nodes.back().out;
}

void touchSphereOrCylinder(const Vector3& a, const Vector3& b, const SpanGuide& guide, const GuideSurface& surface,
                           bool other, Touch& touch) {
    thread_local SpanResult span;
    const auto route = [&](const SpanGuide& g) {
        if (g.kind == Kind::sphere) routeOverSphere(a, b, g, span);
        else routeOverCylinder(a, b, g, span);
    };
    route(guide);
    if (other && !guide.has_side && span.guides[0].state == State::wrapped) {
        // a side site far on the other side
        SpanGuide turned = guide;
        turned.has_side = true;
        turned.rule = SideRule::nearest;
        const Vector3 middle = (span.guides[0].first + span.guides[0].last) / 2 - guide.centre;
        turned.side = guide.centre - 10 * guide.radii[0] * middle.normalized();
        route(turned);
    }
    const GuideContact& contact = span.guides[0];
    touch.state = contact.state;
    touch.end_inside = contact.end_inside;
    touch.converged = true;
    touch.nodes.clear();
    if (contact.state == State::free) return;
    TautNode node = nodeAt(surface, contact.first, contact.first_direction, contact.arc);
    node.bend = contact.state == State::bent;
    node.first = contact.first, node.last = contact.last;
    touch.nodes.push_back(node);
}

void routeOverChain(const Vector3& a, const Vector3& b, std::span<const SpanGuide> guides, SpanResult& result) {
    Chain chain(a, b, guides);
    chain.lay(0, 0);
    std::vector<Link> best = chain.links();
    double length = chain.lengthNow();
    bool good = chain.converged;
    const auto attempt = [&](unsigned asked, unsigned answer, const Vector3& push = Vector3::Zero()) {
        chain.lay(asked, answer, push);
        const double now = chain.lengthNow();
        // ways of one length: the first one tried
        if ((chain.converged && !good) || (chain.converged == good && now < length * (1 - 1e-10))) {
            best = chain.links();
            length = now;
            good = chain.converged;
        }
    };
    // Every combination of ways over those that were touched; more of them may come into touch on the way.
    unsigned asked = 0;
    while (asked != chain.undecided() && std::popcount(chain.undecided()) <= kMostAsked) {
        asked = chain.undecided();
        for (unsigned answer = asked;; answer = (answer - 1) & asked) {
            attempt(asked, answer);
            if (answer == 0) break;
        }
    }
    if (std::popcount(chain.undecided()) > kMostAsked) {
        // too many: one at a time
        const unsigned all = chain.undecided();
        for (unsigned i = 0; i < 32; ++i) {
            if (!(all >> i & 1)) continue;
            attempt(1u << i, 1u << i);
            attempt(1u << i, 0);
        }
    }
    // Ellipsoids have more than two ways to be passed: all round the line between the ends.
    const auto loose = [](const SpanGuide& g) { return g.kind == Kind::ellipsoid && !g.has_side; };
    if (chain.undecided() != 0 && std::any_of(guides.begin(), guides.end(), loose) && (b - a).norm() > 0) {
        const Vector3 along = (b - a).normalized(), u = along.unitOrthogonal(), v = along.cross(u);
        const double far = 10 * (b - a).norm();
        for (const Vector3& push : {u, v, Vector3(-u), Vector3(-v)}) attempt(0, 0, far * push);
    }
    chain.fill(best, good, result);
}

}  // namespace mw

// Newton's method with line search on the taut rope's conditions.
#include "engine/tendon/taut.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mw {
namespace {

constexpr int kMostSteps = 40;
constexpr double kWanted = 1e-12;    // rad, of all errors: as far as Newton goes while it gains
constexpr double kAccepted = 1e-10;  // rad: good where rounding ends the descent
constexpr double kLongestTurn = 0.6;

// A first-order change of a frame (t, n, b = n x t) at a point of a surface that moves by along t + across b and turns
// by `spin` about n.
struct Motion {
    double along = 0, across = 0, spin = 0;
};

struct Frame {
    Vector3 x = Vector3::Zero(), t = Vector3::Zero(), n = Vector3::Zero(), b = Vector3::Zero();
    double tt = 0, tb = 0, bb = 0;  // second fundamental form
    Vector3 dx(const Motion& m) const { return m.along * t + m.across * b; }
    double tipT(const Motion& m) const { return tt * m.along + tb * m.across; }
    double tipB(const Motion& m) const { return tb * m.along + bb * m.across; }
    Vector3 dn(const Motion& m) const { return tipT(m) * t + tipB(m) * b; }
    Vector3 dt(const Motion& m) const { return -tipT(m) * n + m.spin * b; }
    Vector3 db(const Motion& m) const { return -tipB(m) * n - m.spin * t; }
};

struct Ends {
    Frame start, end;
    int first = 0, count = 0;  // unknowns
    // What unknown k does to the two frames.
    Motion startMotion(int k) const { return {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0}; }
    Motion endMotion(int k, const GeodesicArc& arc) const {
        switch (k) {
            case 0: return {1, 0, 0};
            case 1: return {0, arc.a, arc.da};
            case 2: return {0, arc.r, arc.dr};
            default: return {1, 0, 0};
        }
    }
};

struct Workspace {
    std::vector<Ends> ends;
    std::vector<double> matrix, residual, step;
    std::vector<TautNode> trial;
};

Frame frameAt(const GuideSurface& surface, const Vector3& x, const Vector3& t, const Vector3& n) {
    Frame f;
    const Vector3 b = n.cross(t);
    f.tt = surface.bend(x, t, t), f.tb = surface.bend(x, t, b), f.bb = surface.bend(x, b, b);
    f.x = surface.toBase(x);
    f.t = surface.turnToBase(t), f.n = surface.turnToBase(n);
    f.b = f.n.cross(f.t);
    return f;
}

// Geodesics, straight pieces and errors of the nodes as they stand. The sum of the errors' squares; infinite where a
// straight piece runs against its geodesic.
double evaluate(const Vector3& a, const Vector3& b, std::vector<TautNode>& nodes, Workspace& work, double tolerance) {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    work.ends.resize(nodes.size());
    int unknowns = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        TautNode& node = nodes[i];
        Ends& ends = work.ends[i];
        ends.first = unknowns;
        ends.count = node.bend ? 2 : 4;
        unknowns += ends.count;
        if (node.bend) {
            node.arc.p = node.arc.q = node.p;
            node.arc.n = node.arc.m = node.surface->normal(node.p);
            node.arc.t = node.arc.u = node.t;
            node.arc.s = 0;
            ends.start = ends.end = frameAt(*node.surface, node.p, node.t, node.arc.n);
        } else {
            node.surface->flow(node.p, node.t, node.s, node.arc, tolerance);
            if (!node.arc.sound) return kNever;
            ends.start = frameAt(*node.surface, node.arc.p, node.arc.t, node.arc.n);
            ends.end = frameAt(*node.surface, node.arc.q, node.arc.u, node.arc.m);
        }
        node.first = ends.start.x, node.last = ends.end.x;
    }
    work.residual.assign(static_cast<std::size_t>(unknowns), 0);
    for (std::size_t i = 0; i <= nodes.size(); ++i) {
        const Vector3& from = i == 0 ? a : nodes[i - 1].last;
        const Vector3& to = i == nodes.size() ? b : nodes[i].first;
        const Vector3 way = to - from;
        const double length = way.norm();
        if (!(length > 0)) return kNever;
        if (i > 0) nodes[i - 1].out = way / length, nodes[i - 1].behind = length;
        if (i < nodes.size()) nodes[i].into = way / length, nodes[i].before = length;
    }
    double sum = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const TautNode& node = nodes[i];
        const Ends& ends = work.ends[i];
        double* r = work.residual.data() + ends.first;
        if (node.bend) {
            const Vector3 pull = node.into - node.out;
            r[0] = pull.dot(ends.start.t), r[1] = pull.dot(ends.start.b);
        } else {
            if (node.into.dot(ends.start.t) <= 0 || node.out.dot(ends.end.t) <= 0) return kNever;
            r[0] = node.into.dot(ends.start.n), r[1] = node.into.dot(ends.start.b);
            r[2] = node.out.dot(ends.end.n), r[3] = node.out.dot(ends.end.b);
        }
        for (int k = 0; k < ends.count; ++k) sum += r[k] * r[k];
    }
    return std::isfinite(sum) ? sum : kNever;
}

// Change of the unit vector e along a piece of length d when its ends move.
Vector3 turned(const Vector3& e, double d, const Vector3& move) { return (move - e * e.dot(move)) / d; }

// d residual / d unknowns, row by row.
void differentiate(const std::vector<TautNode>& nodes, Workspace& work) {
    const std::size_t n = work.residual.size();
    work.matrix.assign(n * n, 0);
    const auto at = [&](int row, int column) -> double& {
        return work.matrix[static_cast<std::size_t>(row) * n + static_cast<std::size_t>(column)];
    };
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const TautNode& node = nodes[i];
        const Ends& ends = work.ends[i];
        const Frame& start = ends.start;
        const Frame& end = ends.end;
        const int row = ends.first;
        // its own motion
        for (int k = 0; k < ends.count; ++k) {
            const int column = ends.first + k;
            const Motion m = ends.startMotion(k);
            const Vector3 de = turned(node.into, node.before, start.dx(m));
            if (node.bend) {
                const Vector3 pull = node.into - node.out;
                const Vector3 dpull = de - turned(node.out, node.behind, -start.dx(m));
                at(row, column) = dpull.dot(start.t) + pull.dot(start.dt(m));
                at(row + 1, column) = dpull.dot(start.b) + pull.dot(start.db(m));
                continue;
            }
            at(row, column) = de.dot(start.n) + node.into.dot(start.dn(m));
            at(row + 1, column) = de.dot(start.b) + node.into.dot(start.db(m));
            const Motion w = ends.endMotion(k, node.arc);
            const Vector3 df = turned(node.out, node.behind, -end.dx(w));
            at(row + 2, column) = df.dot(end.n) + node.out.dot(end.dn(w));
            at(row + 3, column) = df.dot(end.b) + node.out.dot(end.db(w));
        }
        // the end of the one before it
        if (i > 0) {
            const Ends& other = work.ends[i - 1];
            for (int k = 0; k < other.count; ++k) {
                const Motion w = nodes[i - 1].bend ? other.startMotion(k) : other.endMotion(k, nodes[i - 1].arc);
                const Vector3 de = turned(node.into, node.before, -other.end.dx(w));
                at(row, other.first + k) += de.dot(node.bend ? start.t : start.n);
                at(row + 1, other.first + k) += de.dot(start.b);
            }
        }
        // the start of the one behind it
        if (i + 1 < nodes.size()) {
            const Ends& other = work.ends[i + 1];
            for (int k = 0; k < other.count; ++k) {
                const Vector3 df = turned(node.out, node.behind, other.start.dx(other.startMotion(k)));
                if (node.bend) {
                    at(row, other.first + k) -= df.dot(start.t);
                    at(row + 1, other.first + k) -= df.dot(start.b);
                } else {
                    at(row + 2, other.first + k) += df.dot(end.n);
                    at(row + 3, other.first + k) += df.dot(end.b);
                }
            }
        }
    }
}

// matrix x = -residual by elimination with row pivots; the zeros of the band are skipped.
bool solve(Workspace& work) {
    const std::size_t n = work.residual.size();
    std::vector<double>& m = work.matrix;
    std::vector<double>& x = work.step;
    x.resize(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = -work.residual[i];
    for (std::size_t c = 0; c < n; ++c) {
        std::size_t pivot = c;
        for (std::size_t r = c + 1; r < n; ++r)
            if (std::abs(m[r * n + c]) > std::abs(m[pivot * n + c])) pivot = r;
        if (!(std::abs(m[pivot * n + c]) > 1e-300)) return false;
        if (pivot != c) {
            std::swap_ranges(m.begin() + static_cast<std::ptrdiff_t>(c * n),
                             m.begin() + static_cast<std::ptrdiff_t>((c + 1) * n),
                             m.begin() + static_cast<std::ptrdiff_t>(pivot * n));
            std::swap(x[c], x[pivot]);
        }
        for (std::size_t r = c + 1; r < n; ++r) {
            const double f = m[r * n + c] / m[c * n + c];
            if (f == 0) continue;
            for (std::size_t k = c + 1; k < n; ++k) m[r * n + k] -= f * m[c * n + k];
            x[r] -= f * x[c];
        }
    }
    for (std::size_t c = n; c-- > 0;) {
        for (std::size_t k = c + 1; k < n; ++k) x[c] -= m[c * n + k] * x[k];
        x[c] /= m[c * n + c];
        if (!std::isfinite(x[c])) return false;
    }
    return true;
}

// The largest part of the step that keeps every node near where it was.
double reachOfStep(const std::vector<TautNode>& nodes, const Workspace& work) {
    double part = 1;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Ends& ends = work.ends[i];
        const double* x = work.step.data() + ends.first;
        const Frame& f = ends.start;
        const double sharp = std::max({std::abs(f.tt), std::abs(f.bb), 1 / nodes[i].surface->size()});
        const double way = std::hypot(x[0], x[1]) * sharp;
        if (way * part > kLongestTurn) part = kLongestTurn / way;
        if (nodes[i].bend) continue;
        if (std::abs(x[2]) * part > kLongestTurn) part = kLongestTurn / std::abs(x[2]);
        const double longer = std::abs(x[3]) / (nodes[i].surface->size() + std::abs(nodes[i].s));
        if (longer * part > kLongestTurn) part = kLongestTurn / longer;
    }
    return part;
}

void move(std::vector<TautNode>& nodes, const Workspace& work, double part) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        TautNode& node = nodes[i];
        const double* x = work.step.data() + work.ends[i].first;
        const Vector3 b = node.arc.n.cross(node.arc.t);
        const Vector3 p = node.arc.p + part * (x[0] * node.arc.t + x[1] * b);
        node.p = node.surface->project(p);
        const Vector3 n = node.surface->normal(node.p);
        Vector3 t = node.arc.t;
        if (!node.bend) {
            const double spin = part * x[2];
            t = std::cos(spin) * t + std::sin(spin) * b;
            node.s += part * x[3];
        }
        t -= n * n.dot(t);
        node.t = t.normalized();
    }
}

double largest(const std::vector<double>& values) {
    double most = 0;
    for (const double v : values) most = std::max(most, std::abs(v));
    return most;
}

}  // namespace

bool tighten(const Vector3& a, const Vector3& b, std::vector<TautNode>& nodes, double* error) {
    thread_local Workspace work;
    // Far from the end coarse geodesics do: Newton's next error is about the square of this one.
    constexpr double kFinest = GuideSurface::kFinest;
    double tolerance = 1e-6;
    double sum = evaluate(a, b, nodes, work, tolerance);
    double worst = std::isfinite(sum) ? largest(work.residual) : 1;
    for (int step = 0; step < kMostSteps && std::isfinite(sum); ++step) {
        if (worst <= kWanted) {
            if (tolerance <= kFinest) break;
            tolerance = kFinest;
            sum = evaluate(a, b, nodes, work, tolerance);
            worst = std::isfinite(sum) ? largest(work.residual) : 1;
            continue;
        }
        differentiate(nodes, work);
        if (!solve(work)) break;
        double part = reachOfStep(nodes, work);
        bool better = false;
        tolerance = std::clamp(1e-3 * worst * worst, kFinest, 1e-6);
        for (int half = 0; half < 12; ++half, part *= 0.5) {
            work.trial = nodes;
            move(work.trial, work, part);
            const double now = evaluate(a, b, work.trial, work, tolerance);
            if (now < sum * (1 - 0.1 * part)) {
                sum = now;
                std::swap(nodes, work.trial);
                better = true;
                break;
            }
            if (worst < 1e-9) break;  // rounding has the last word
        }
        if (!better) {
            tolerance = kFinest;
            sum = evaluate(a, b, nodes, work, tolerance);
            worst = std::isfinite(sum) ? largest(work.residual) : 1;
            break;
        }
        worst = largest(work.residual);
    }
    if (error) *error = worst;
    return std::isfinite(sum) && worst <= kAccepted;
}

double tautLength(const std::vector<TautNode>& nodes) {
    double length = nodes.empty() ? 0 : nodes.front().before;
    for (const TautNode& node : nodes) length += (node.bend ? 0 : node.s) + node.behind;
    return length;
}

}  // namespace mw

// Accelerations from forces: the sparse L^T D L of the mass matrix, and articulated bodies.
#include "generator/derive/articulated.h"
#include "generator/derive/numbers.h"
#include "generator/derive/tree.h"

namespace mw::gen {

namespace {
std::size_t at(int i) { return static_cast<std::size_t>(i); }
}  // namespace

Factors TreeDynamics::factorise(TreeMatrix H) {
    // RBDA table 6.3 over the expanded parent array: nothing fills in.
    const int n = H.size();
    const auto parent = [&](int i) { return tree_.expanded_parent[at(i)]; };
    Factors r{TreeMatrix(n), std::vector<Expr>(at(n))};
    for (int k = n - 1; k >= 0; --k) {
        r.inverse_d[at(k)] = graph_.constant(1) / H(k, k);
        for (int i = parent(k); i >= 0; i = parent(i)) {
            if (H(k, i).isZero()) continue;
            const Expr a = H(k, i) * r.inverse_d[at(k)];
            for (int j = i; j >= 0; j = parent(j)) H(i, j) = H(i, j) - a * H(k, j);
            r.L(k, i) = a;
        }
        owners_.claim(tree_.link(tree_.link_of_dof[at(k)]).body);
    }
    return r;
}

std::vector<Expr> TreeDynamics::solve(const Factors& factors, std::vector<Expr> x) {
    // RBDA table 6.5.
    const int n = tree_.ndof();
    const auto parent = [&](int i) { return tree_.expanded_parent[at(i)]; };
    for (int i = n - 1; i >= 0; --i) {
        for (int j = parent(i); j >= 0; j = parent(j)) x[at(j)] = x[at(j)] - factors.L(i, j) * x[at(i)];
        owners_.claim(tree_.link(tree_.link_of_dof[at(i)]).body);
    }
    for (int i = 0; i < n; ++i) {
        x[at(i)] = x[at(i)] * factors.inverse_d[at(i)];
        for (int j = parent(i); j >= 0; j = parent(j)) x[at(i)] = x[at(i)] - factors.L(i, j) * x[at(j)];
        owners_.claim(tree_.link(tree_.link_of_dof[at(i)]).body);
    }
    return x;
}

Articulated articulatedOf(const Inertia& body) {
    Articulated A;
    A.I = body.I;
    A.B = crossMatrix(body.h);
    for (int i = 0; i < 3; ++i) A.M(i, i) = body.m;
    return A;
}

Wrench columnOf(const Articulated& A, const Freedom& freedom) {
    Wrench U;
    for (int i = 0; i < 3; ++i) {
        if (freedom.turn >= 0) {
            U.n[at(i)] = A.I(i, freedom.turn);
            U.f[at(i)] = A.B(freedom.turn, i);
        }
        if (freedom.slide >= 0) {
            const Expr n = A.B(i, freedom.slide), f = A.M(i, freedom.slide);
            U.n[at(i)] = freedom.turn < 0 ? n : U.n[at(i)] + freedom.ratio * n;
            U.f[at(i)] = freedom.turn < 0 ? f : U.f[at(i)] + freedom.ratio * f;
        }
    }
    return U;
}

Articulated projected(const Articulated& A, const Freedom& freedom, const Wrench& U, const Wrench& g, bool vanishes) {
    Articulated r = A;
    const int turn = vanishes ? freedom.turn : -1, slide = vanishes ? freedom.slide : -1;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            if (j >= i) {
                r.I(i, j) = i == turn || j == turn ? Expr() : A.I(i, j) - g.n[at(i)] * U.n[at(j)];
                r.M(i, j) = i == slide || j == slide ? Expr() : A.M(i, j) - g.f[at(i)] * U.f[at(j)];
            }
            r.B(i, j) = i == turn || j == slide ? Expr() : A.B(i, j) - g.n[at(i)] * U.f[at(j)];
        }
    return r;
}

Articulated seenFromParent(const Articulated& A, const Rotation& R, const Vec& p, Fault fault) {
    // With P = [p]x: M' = M, B' = B + P M, I' = I + P B^T - B' P.
    const bool wrong = fault == Fault::inertia_transposed;
    const Articulated r{wrong ? R.transposed().out(A.I) : R.out(A.I), R.out(A.B), R.out(A.M)};
    const auto crossed = [&](const Vec& v) { return cross(p, v); };
    Articulated s = r;
    Mat PBt;
    for (int j = 0; j < 3; ++j) {
        const Vec PM = crossed(Vec{r.M(0, j), r.M(1, j), r.M(2, j)});
        const Vec PB = crossed(Vec{r.B(j, 0), r.B(j, 1), r.B(j, 2)});
        for (int i = 0; i < 3; ++i) s.B(i, j) = r.B(i, j) + PM[at(i)], PBt(i, j) = PB[at(i)];
    }
    for (int i = 0; i < 3; ++i) {
        // Row i of B' P is B'_i x p, turned: (b P)_j = (b x p)_j = -(p x b)_j.
        const Vec bP = crossed(Vec{s.B(i, 0), s.B(i, 1), s.B(i, 2)});
        for (int j = i; j < 3; ++j) s.I(i, j) = r.I(i, j) + PBt(i, j) + bP[at(j)];
    }
    return s;
}

ArticulatedFactors TreeDynamics::articulate() {
    // RBDA table 7.1 in accelerations relative to a reference motion whose velocity products are all in the forces, so
    // that none travels with the inertias. A joint of several freedoms is eliminated one freedom at a time (its last
    // first), which is table 9.4 for the floating link too.
    std::vector<Articulated> A;
    for (const Link& link : tree_.links) A.push_back(articulatedOf(link.inertia));
    ArticulatedFactors r{std::vector<Wrench>(at(tree_.ndof())), std::vector<Expr>(at(tree_.ndof()))};
    for (int i = static_cast<int>(tree_.links.size()) - 1; i >= 0; --i) {
        const Link& link = tree_.link(i);
        for (int d = link.dofs() - 1; d >= 0; --d) {
            const Freedom freedom = freedomOf(link, d);
            const int k = link.dof + d;
            const Wrench U = columnOf(A[at(i)], freedom);
            r.inverse_d[at(k)] = graph_.constant(1) / (freedom.along(U) + link.armature);
            if (d == 0 && link.parent == kBase) break;  // nothing is carried on
            r.g[at(k)] = {r.inverse_d[at(k)] * U.n, r.inverse_d[at(k)] * U.f};
            const bool vanishes = link.armature.isZero() && (freedom.turn < 0 || freedom.slide < 0);
            A[at(i)] = projected(A[at(i)], freedom, U, r.g[at(k)], vanishes);
        }
        if (link.parent != kBase) {
            const Articulated seen = seenFromParent(A[at(i)], link.rotation, link.p, tree_.fault);
            A[at(link.parent)] = A[at(link.parent)] + seen;
        }
        owners_.claim(link.body);
    }
    return r;
}

std::vector<Expr> TreeDynamics::inward(const ArticulatedFactors& factors, std::vector<Wrench> p,
                                       const std::vector<Expr>& tau) {
    std::vector<Expr> u(at(tree_.ndof()));
    for (int i = static_cast<int>(tree_.links.size()) - 1; i >= 0; --i) {
        const Link& link = tree_.link(i);
        for (int d = link.dofs() - 1; d >= 0; --d) {
            const int k = link.dof + d;
            u[at(k)] = tau[at(k)] - freedomOf(link, d).along(p[at(i)]);
            if (d == 0 && link.parent == kBase) break;
            const Wrench& g = factors.g[at(k)];
            p[at(i)] = {p[at(i)].n + u[at(k)] * g.n, p[at(i)].f + u[at(k)] * g.f};
        }
        if (link.parent != kBase && !(isZero(p[at(i)].n) && isZero(p[at(i)].f))) {
            const Vec f = link.rotation.out(p[at(i)].f);
            const Vec n = link.rotation.out(p[at(i)].n) + cross(link.p, f);
            p[at(link.parent)] = p[at(link.parent)] + Wrench{n, f};
        }
        owners_.claim(link.body);
    }
    return u;
}

std::vector<Expr> TreeDynamics::outward(const ArticulatedFactors& factors, const std::vector<Expr>& u) {
    // Accelerations relative to the reference motion.
    const int count = static_cast<int>(tree_.links.size());
    std::vector<Vec> alpha(at(count)), a(at(count));
    std::vector<Expr> vdot(at(tree_.ndof()));
    for (int i = 0; i < count; ++i) {
        const Link& link = tree_.link(i);
        Vec turning, linear;
        if (link.parent != kBase) {
            const Vec& parent = alpha[at(link.parent)];
            turning = link.rotation.in(parent);
            linear = link.rotation.in(a[at(link.parent)] + cross(parent, link.p));
        }
        for (int d = 0; d < link.dofs(); ++d) {
            const Freedom freedom = freedomOf(link, d);
            const int k = link.dof + d;
            const Wrench& g = factors.g[at(k)];
            const Expr x = factors.inverse_d[at(k)] * u[at(k)] - (dot(g.n, turning) + dot(g.f, linear));
            vdot[at(k)] = x;
            if (freedom.turn >= 0) turning[at(freedom.turn)] = turning[at(freedom.turn)] + x;
            if (freedom.slide >= 0)
                linear[at(freedom.slide)] = linear[at(freedom.slide)] + (freedom.turn >= 0 ? freedom.ratio * x : x);
        }
        alpha[at(i)] = turning;
        a[at(i)] = linear;
        owners_.claim(link.body);
    }
    return vdot;
}

void TreeDynamics::addFreeFall(std::vector<Expr>& vdot) {
    // The falling origin's classical acceleration is vdot + w x v = g in the link's axes, so that much was left out of
    // vdot.
    const Vec gravity = vectorExpr(graph_, model_.gravity);
    for (const Link& link : tree_.links) {
        if (link.kind != LinkKind::floating) continue;
        const auto rate = [&](int d) { return graph_.input(Array::v, link.v + d); };
        const Vec fall =
            link.rotation.in(gravity)-cross(Vec{rate(0), rate(1), rate(2)}, Vec{rate(3), rate(4), rate(5)});
        for (int d = 0; d < 3; ++d) vdot[at(link.dof + 3 + d)] = vdot[at(link.dof + 3 + d)] + fall[at(d)];
        owners_.claim(link.body);
    }
}

}  // namespace mw::gen

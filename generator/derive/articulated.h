// Articulated inertias of one link, for trees and for bands.
#pragma once

#include <functional>

#include "generator/derive/tree.h"

namespace mw::gen {

/// moment = I alpha + B a, force = B^T alpha + M a, about the link's origin.
struct Articulated {
    Sym I;
    Mat B;
    Sym M;
};
inline Articulated operator+(const Articulated& a, const Articulated& b) { return {a.I + b.I, a.B + b.B, a.M + b.M}; }

/// Of a single body.
Articulated articulatedOf(const Inertia& body);
/// A column: the wrench that the freedom's unit acceleration takes.
Wrench columnOf(const Articulated& A, const Freedom& freedom);
/// A - g U^T with g = U / D. `vanishes`: the freedom is one coordinate axis without armature; what is left along it is
/// then exactly zero.
Articulated projected(const Articulated& A, const Freedom& freedom, const Wrench& U, const Wrench& g, bool vanishes);
/// Seen from the parent: rotated, then about the parent's origin.
Articulated seenFromParent(const Articulated& A, const Rotation& R, const Vec& p, Fault fault);

/// Calls f with each number.
template <class F>
void eachOf(Wrench& w, F&& f) {
    for (Vec* v : {&w.n, &w.f})
        for (Expr& e : *v) f(e);
}
template <class F>
void eachOf(Articulated& A, F&& f) {
    for (Expr& e : A.I.e) f(e);
    for (Expr& e : A.B.e) f(e);
    for (Expr& e : A.M.e) f(e);
}

}  // namespace mw::gen

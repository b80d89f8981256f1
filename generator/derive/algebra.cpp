// Rotations of vectors and of the two kinds of matrices, factor by factor.
#include "generator/derive/algebra.h"

namespace mw::gen {

Sym operator+(const Sym& a, const Sym& b) {
    Sym r;
    for (std::size_t i = 0; i < 6; ++i) r.e[i] = a.e[i] + b.e[i];
    return r;
}

Sym operator-(const Sym& a, const Sym& b) {
    Sym r;
    for (std::size_t i = 0; i < 6; ++i) r.e[i] = a.e[i] - b.e[i];
    return r;
}

Mat operator+(const Mat& a, const Mat& b) {
    Mat r;
    for (std::size_t i = 0; i < 9; ++i) r.e[i] = a.e[i] + b.e[i];
    return r;
}

Vec operator*(const Mat& a, const Vec& v) {
    Vec r;
    for (int i = 0; i < 3; ++i) r[static_cast<std::size_t>(i)] = a(i, 0) * v[0] + a(i, 1) * v[1] + a(i, 2) * v[2];
    return r;
}

Vec operator*(const Sym& a, const Vec& v) {
    Vec r;
    for (int i = 0; i < 3; ++i) r[static_cast<std::size_t>(i)] = a(i, 0) * v[0] + a(i, 1) * v[1] + a(i, 2) * v[2];
    return r;
}

Mat operator*(const Mat& a, const Mat& b) {
    Mat r;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) r(i, j) = a(i, 0) * b(0, j) + a(i, 1) * b(1, j) + a(i, 2) * b(2, j);
    return r;
}

Vec transposedTimes(const Mat& a, const Vec& v) {
    Vec r;
    for (int i = 0; i < 3; ++i) r[static_cast<std::size_t>(i)] = a(0, i) * v[0] + a(1, i) * v[1] + a(2, i) * v[2];
    return r;
}

Mat crossMatrix(const Vec& a) {
    Mat r;
    r(0, 1) = -a[2], r(0, 2) = a[1];
    r(1, 0) = a[2], r(1, 2) = -a[0];
    r(2, 0) = -a[1], r(2, 1) = a[0];
    return r;
}

namespace {

// The two axes that a turn about `axis` mixes: i towards j.
struct Plane {
    int i, j;
};
Plane planeOf(int axis) { return {(axis + 1) % 3, (axis + 2) % 3}; }
std::size_t at(int i) { return static_cast<std::size_t>(i); }

Vec outward(const Turn& t, const Vec& v) {
    if (t.axis < 0) return t.matrix * v;
    const auto [i, j] = planeOf(t.axis);
    Vec r = v;
    r[at(i)] = t.c * v[at(i)] - t.s * v[at(j)];
    r[at(j)] = t.s * v[at(i)] + t.c * v[at(j)];
    return r;
}

Vec inward(const Turn& t, const Vec& v) {
    if (t.axis < 0) return transposedTimes(t.matrix, v);
    const auto [i, j] = planeOf(t.axis);
    Vec r = v;
    r[at(i)] = t.c * v[at(i)] + t.s * v[at(j)];
    r[at(j)] = t.c * v[at(j)] - t.s * v[at(i)];
    return r;
}

// R A R^T for a turn by (c, s) that mixes i and j, with k the axis. With d = Aii - Ajj, e = Aij + Aji, w = s d + c e:
// Aii' = Aii - s w, Ajj' = Ajj + s w, Aij' = c w - Aji, Aji' = c w - Aij. (Multiply out, cos^2 = 1 - sin^2.)
template <class Matrix>
Matrix turned(const Turn& t, const Matrix& a, bool symmetric) {
    const auto [i, j] = planeOf(t.axis);
    const int k = t.axis;
    Matrix r = a;
    const Expr d = a(i, i) - a(j, j), e = a(i, j) + a(j, i);
    const Expr w = t.s * d + t.c * e;
    const Expr cw = t.c * w, sw = t.s * w;
    r(i, i) = a(i, i) - sw;
    r(j, j) = a(j, j) + sw;
    r(i, j) = cw - a(j, i);
    if (!symmetric) r(j, i) = cw - a(i, j);
    r(i, k) = t.c * a(i, k) - t.s * a(j, k);
    r(j, k) = t.s * a(i, k) + t.c * a(j, k);
    if (!symmetric) {
        r(k, i) = t.c * a(k, i) - t.s * a(k, j);
        r(k, j) = t.s * a(k, i) + t.c * a(k, j);
    }
    return r;
}

}  // namespace

Vec Rotation::out(const Vec& v) const {
    Vec r = v;
    for (auto turn = turns_.rbegin(); turn != turns_.rend(); ++turn) r = outward(*turn, r);
    return r;
}

Vec Rotation::in(const Vec& v) const {
    Vec r = v;
    for (const Turn& turn : turns_) r = inward(turn, r);
    return r;
}

Sym Rotation::out(const Sym& a) const {
    Sym r = a;
    for (auto turn = turns_.rbegin(); turn != turns_.rend(); ++turn) {
        if (turn->axis >= 0) {
            r = turned(*turn, r, true);
            continue;
        }
        const Mat& m = turn->matrix;
        Mat half;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) half(i, j) = m(i, 0) * r(0, j) + m(i, 1) * r(1, j) + m(i, 2) * r(2, j);
        for (int i = 0; i < 3; ++i)
            for (int j = i; j < 3; ++j) r(i, j) = half(i, 0) * m(j, 0) + half(i, 1) * m(j, 1) + half(i, 2) * m(j, 2);
    }
    return r;
}

Mat Rotation::out(const Mat& a) const {
    Mat r = a;
    for (auto turn = turns_.rbegin(); turn != turns_.rend(); ++turn) {
        if (turn->axis >= 0) {
            r = turned(*turn, r, false);
            continue;
        }
        const Mat& m = turn->matrix;
        const Mat half = m * r;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) r(i, j) = half(i, 0) * m(j, 0) + half(i, 1) * m(j, 1) + half(i, 2) * m(j, 2);
    }
    return r;
}

Rotation Rotation::transposed() const {
    Rotation r;
    for (auto turn = turns_.rbegin(); turn != turns_.rend(); ++turn) {
        Turn back{turn->axis, turn->c, -turn->s, {}};
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) back.matrix(i, j) = turn->matrix(j, i);
        r.append(back);
    }
    return r;
}

Mat Rotation::after(const Mat& outer) const {
    Mat r = outer;
    for (const Turn& turn : turns_) {
        if (turn.axis < 0) {
            r = r * turn.matrix;
            continue;
        }
        const auto [i, j] = planeOf(turn.axis);
        const Mat m = r;
        for (int row = 0; row < 3; ++row) {
            r(row, i) = turn.c * m(row, i) + turn.s * m(row, j);
            r(row, j) = turn.c * m(row, j) - turn.s * m(row, i);
        }
    }
    return r;
}

}  // namespace mw::gen

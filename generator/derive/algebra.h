// Vectors, matrices and rotations of expressions. Zeros and ones vanish as the expressions are made, so the plain
// formulas below are already the sparse ones.
#pragma once

#include <array>
#include <vector>

#include "generator/expr/expr.h"

namespace mw::gen {

using Vec = std::array<Expr, 3>;

/// A 3x3 matrix.
struct Mat {
    std::array<Expr, 9> e{};
    Expr& operator()(int i, int j) { return e[static_cast<std::size_t>(3 * i + j)]; }
    Expr operator()(int i, int j) const { return e[static_cast<std::size_t>(3 * i + j)]; }
};

/// A symmetric 3x3 matrix: xx yy zz xy xz yz.
struct Sym {
    std::array<Expr, 6> e{};
    static std::size_t slot(int i, int j) { return static_cast<std::size_t>(i == j ? i : i + j + 2); }
    Expr& operator()(int i, int j) { return e[slot(i, j)]; }
    Expr operator()(int i, int j) const { return e[slot(i, j)]; }
};

inline Vec operator+(const Vec& a, const Vec& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Vec operator-(const Vec& a, const Vec& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline Vec operator-(const Vec& a) { return {-a[0], -a[1], -a[2]}; }
inline Vec operator*(Expr s, const Vec& a) { return {s * a[0], s * a[1], s * a[2]}; }
inline Expr dot(const Vec& a, const Vec& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Vec cross(const Vec& a, const Vec& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline bool isZero(const Vec& a) { return a[0].isZero() && a[1].isZero() && a[2].isZero(); }

Sym operator+(const Sym& a, const Sym& b);
Sym operator-(const Sym& a, const Sym& b);
Mat operator+(const Mat& a, const Mat& b);
Vec operator*(const Mat& a, const Vec& v);
Vec operator*(const Sym& a, const Vec& v);
Mat operator*(const Mat& a, const Mat& b);
Vec transposedTimes(const Mat& a, const Vec& v);
/// The matrix of a cross product: crossMatrix(a) b = a x b.
Mat crossMatrix(const Vec& a);

/// One factor of a rotation: by an angle about a coordinate axis, or a whole matrix.
struct Turn {
    int axis = -1;  ///< -1: `matrix`
    Expr c, s;
    Mat matrix;
};

/// A rotation as the factors it is written in, the leftmost first: vectors go through them one by one, which is cheaper
/// than multiplying the factors out. `out`: from the inner (child's) axes to the outer (parent's); `in`: back.
class Rotation {
public:
    void append(const Turn& turn) { turns_.push_back(turn); }
    void append(const Rotation& inner) { turns_.insert(turns_.end(), inner.turns_.begin(), inner.turns_.end()); }
    bool isIdentity() const { return turns_.empty(); }
    Vec out(const Vec& v) const;
    Vec in(const Vec& v) const;
    Sym out(const Sym& a) const;  ///< R A R^T
    Mat out(const Mat& a) const;  ///< R A R^T
    Rotation transposed() const;
    Mat after(const Mat& outer) const;  ///< outer R, as a matrix

private:
    std::vector<Turn> turns_;
};

}  // namespace mw::gen

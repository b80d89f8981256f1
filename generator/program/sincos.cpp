// Sine and cosine: reduction by pi/2 in four parts (Cody and Waite 1980), minimax polynomials on [-pi/4, pi/4], and the
// quadrant chosen by arithmetic instead of branches.
#include "generator/program/sincos.h"

#include "generator/program/builder.h"

namespace mw::gen {

namespace {

// pi/2 = P1 + P2 + P3 + P4, the first three with 26 bits each: n P1, n P2 and n P3 are exact for |n| < 2^26.
constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
constexpr double kP1 = 0x1.921fb50000000p+0;
constexpr double kP2 = 0x1.110b460000000p-26;
constexpr double kP3 = 0x1.1a62630000000p-54;
constexpr double kP4 = 0x1.8a2e03707344ap-81;

// Above this the remainder of 4880635 turns is taken first: a multiple of 2 pi that is a double to a relative 2.7e-23.
constexpr double kFar = 1e8;
constexpr double kManyTurns = 0x1.d3ecce1f28274p+24;

// Minimax coefficients by the Remez exchange in 60 digits, z = r^2 on [0, (1.005 pi/4)^2]:
// sin r = r + r z S(z), relative error 2^-57.9; cos r = 1 - z/2 + z^2 C(z), error 2^-64.
constexpr double kS[] = {-0x1.5555555555548p-3, 0x1.111111110f740p-7,   -0x1.a01a019be8840p-13,
                         0x1.71de3552bc110p-19, -0x1.ae5e485063097p-26, 0x1.5d8a136125c23p-33};
constexpr double kC[] = {0x1.555555555554bp-5,   -0x1.6c16c16c15029p-10, 0x1.a01a019c8f06cp-16,
                         -0x1.27e4f7efe2a95p-22, 0x1.1ee9d9963c020p-29,  -0x1.8fa4d3ddd7cf4p-37};

/// c0 + c1 z + ... + c5 z^5 with a short dependency path (pairs, then powers of z^2).
int polynomial(Builder& b, const double (&c)[6], int z, int z2) {
    const int low = b.mulAdd(b.constant(c[1]), z, b.constant(c[0]));
    const int middle = b.mulAdd(b.constant(c[3]), z, b.constant(c[2]));
    const int high = b.mulAdd(b.constant(c[5]), z, b.constant(c[4]));
    return b.mulAdd(z2, b.mulAdd(z2, high, middle), low);
}

}  // namespace

Function makeSincos(CpuClass cpu) {
    Function function;
    function.name = kSincosName;
    function.caption = "sine and cosine of an angle";
    Builder b(function, cpu);
    const int argument = b.parameter();

    // Far arguments (and infinities, which become NaN here).
    const int far = b.op(Code::less, b.constant(kFar), b.op(Code::abs, argument));
    const int x = b.op(Code::select, far, b.library(Library::fmod, argument, b.constant(kManyTurns)), argument);

    // r + tail = x - n pi/2.
    const int n = b.op(Code::round, b.op(Code::mul, x, b.constant(kTwoOverPi)));
    const int p3 = b.constant(kP3);
    const int r2 = b.mulSubFrom(b.mulSubFrom(x, n, b.constant(kP1)), n, b.constant(kP2));
    const int r = b.mulSubFrom(r2, n, p3);
    const int tail = b.mulSubFrom(b.mulSubFrom(b.op(Code::sub, r2, r), n, p3), n, b.constant(kP4));

    // sin(r + tail) = r + (r z S(z) + tail (1 - z/2)).
    const int half = b.constant(0.5);
    const int one = b.constant(1);
    const int z = b.op(Code::mul, r, r);
    const int z2 = b.op(Code::mul, z, z);
    const int hz = b.op(Code::mul, half, z);
    const int w = b.op(Code::sub, one, hz);
    const int s = polynomial(b, kS, z, z2);
    const int sine = b.op(Code::add, r, b.mulAdd(b.op(Code::mul, r, z), s, b.op(Code::mul, tail, w)));

    // cos(r + tail) = w + (((1 - w) - z/2) + z^2 C(z) - r tail), w = 1 - z/2 rounded.
    const int c = polynomial(b, kC, z, z2);
    const int lost = b.op(Code::sub, b.op(Code::sub, one, w), hz);
    const int cosine = b.op(Code::add, w, b.mulAdd(z2, c, b.mulSubFrom(lost, r, tail)));

    // n = 2 h + odd, odd in {-1, 0, 1}; where odd is not 0, h is even (ties go to even), so n mod 4 = odd.
    const int two = b.constant(2);
    const int h = b.op(Code::round, b.op(Code::mul, n, half));
    const int odd = b.mulSubFrom(n, two, h);
    const int g = b.op(Code::round, b.op(Code::mul, h, half));
    const int parity = b.mulSubFrom(h, two, g);
    const int sign = b.mulSubFrom(one, two, b.op(Code::abs, parity));  // even turn: 1, odd: -1
    const int sine_sign = b.op(Code::select, odd, odd, sign);
    const int cosine_sign = b.op(Code::select, odd, b.op(Code::neg, odd), sign);
    b.result(b.op(Code::mul, sine_sign, b.op(Code::select, odd, cosine, sine)));
    b.result(b.op(Code::mul, cosine_sign, b.op(Code::select, odd, sine, cosine)));
    return function;
}

}  // namespace mw::gen

// The program's own sine and cosine against long double, run by a small walker of the instructions.
#include "generator/program/sincos.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tests/support/catch.h"

using namespace mw::gen;

namespace {

/// Walks straight-line code; an oracle for nothing but the instructions' definitions.
struct Walker {
    Function function;
    std::vector<double> r;
    explicit Walker(CpuClass cpu) : function(makeSincos(cpu)), r(static_cast<std::size_t>(function.nregisters)) {}
    void run(double x, double& sine, double& cosine) {
        const auto at = [&](int k) -> double& { return r[static_cast<std::size_t>(k)]; };
        at(function.parameters[0]) = x;
        for (const Instruction& i : function.code) {
            double& d = at(i.dst);
            switch (i.code) {
                case Code::constant: d = i.value; break;
                case Code::neg: d = -at(i.a); break;
                case Code::abs: d = std::fabs(at(i.a)); break;
                case Code::round: d = (at(i.a) + 0x1.8p52) - 0x1.8p52; break;
                case Code::add: d = at(i.a) + at(i.b); break;
                case Code::sub: d = at(i.a) - at(i.b); break;
                case Code::mul: d = at(i.a) * at(i.b); break;
                case Code::fma: d = std::fma(at(i.a), at(i.b), at(i.c)); break;
                case Code::fnma: d = std::fma(-at(i.a), at(i.b), at(i.c)); break;
                case Code::less: d = at(i.a) < at(i.b) ? 1 : 0; break;
                case Code::select: d = at(i.a) != 0 ? at(i.b) : at(i.c); break;
                case Code::library: d = std::fmod(at(i.a), at(i.b)); break;
                default: FAIL("instruction that sincos does not use"); break;
            }
        }
        sine = at(function.results[0]);
        cosine = at(function.results[1]);
    }
};

/// Error in units of the last place of the true value.
double ulps(double got, long double wanted) {
    const double rounded = static_cast<double>(wanted);
    const double unit =
        std::nextafter(std::fabs(rounded), std::numeric_limits<double>::infinity()) - std::fabs(rounded);
    return static_cast<double>(std::fabs(static_cast<long double>(got) - wanted) / static_cast<long double>(unit));
}

double worst(Walker& walker, double x) {
    double s, c;
    walker.run(x, s, c);
    return std::max(ulps(s, sinl(static_cast<long double>(x))), ulps(c, cosl(static_cast<long double>(x))));
}

}  // namespace

TEST_CASE("sine and cosine: at most 1.5 ulp for arguments up to 1e5") {
    const CpuClass cpu = GENERATE(CpuClass::baseline, CpuClass::fma);
    Walker walker(cpu);
    std::mt19937_64 random(7);
    double error = 0, at = 0;
    const auto note = [&](double x) {
        const double e = worst(walker, x);
        if (e > error) {
            error = e;
            at = x;
        }
    };
    for (const double scale : {1e-300, 1e-10, 1e-3, 0.8, 3.2, 100.0, 1e5}) {
        std::uniform_real_distribution<double> uniform(-scale, scale);
        for (int k = 0; k < 20000; ++k) note(uniform(random));
    }
    INFO("class " << cpuClassName(cpu) << ", worst " << error << " ulp at " << at);
    CHECK(error < 1.0);
}

TEST_CASE("sine and cosine at the edges of quadrants") {
    Walker walker(GENERATE(CpuClass::baseline, CpuClass::fma));
    double error = 0;
    for (int n = 1; n < 60000; n += n < 200 ? 1 : 97) {
        for (const double part : {0.5, 1.0}) {
            const double x =
                static_cast<double>(static_cast<long double>(n) * part * 1.57079632679489661923132169163975144L);
            // sinl reduces with 66 bits of pi: near a zero its own error shows, so the zero's place is checked, not its
            // last bits.
            for (const double y : {x, std::nextafter(x, 0.0), std::nextafter(x, 1e9), -x}) {
                double s, c;
                walker.run(y, s, c);
                error = std::max(error, std::fabs(s - std::sin(y)));
                error = std::max(error, std::fabs(c - std::cos(y)));
                // The C library reduces exactly: relative agreement even at a zero.
                CHECK(std::fabs(s - std::sin(y)) <= 2.3e-16 * std::fabs(std::sin(y)));
                CHECK(std::fabs(c - std::cos(y)) <= 2.3e-16 * std::fabs(std::cos(y)));
            }
        }
    }
    CHECK(error < 2.3e-16);
}

TEST_CASE("sine and cosine of far arguments") {
    Walker walker(GENERATE(CpuClass::baseline, CpuClass::fma));
    std::mt19937_64 random(3);
    double s, c;
    double near = 0, far = 0;
    for (int k = 0; k < 20000; ++k) {
        double x = std::uniform_real_distribution<double>(-1e8, 1e8)(random);
        walker.run(x, s, c);
        near = std::max({near, std::fabs(s - std::sin(x)), std::fabs(c - std::cos(x))});
        x *= 1e4;
        walker.run(x, s, c);
        far = std::max({far, std::fabs(s - std::sin(x)), std::fabs(c - std::cos(x))});
    }
    CHECK(near < 2.3e-16);
    CHECK(far < 1e-10);
    for (const double huge : {1e17, 1e30, 1e300, std::numeric_limits<double>::max()}) {
        walker.run(huge, s, c);
        CHECK(std::fabs(s * s + c * c - 1) < 1e-15);
    }
}

TEST_CASE("sine and cosine of what is not a number") {
    Walker walker(GENERATE(CpuClass::baseline, CpuClass::fma));
    double s, c;
    const double infinity = std::numeric_limits<double>::infinity();
    for (const double x : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
        walker.run(x, s, c);
        CHECK(std::isnan(s));
        CHECK(std::isnan(c));
    }
    walker.run(0, s, c);
    CHECK(s == 0);
    CHECK(c == 1);
    const double tiny = std::numeric_limits<double>::denorm_min();
    walker.run(tiny, s, c);
    CHECK(s == tiny);
}

TEST_CASE("sine is odd, cosine even, and neither leaves [-1, 1]") {
    Walker walker(GENERATE(CpuClass::baseline, CpuClass::fma));
    std::mt19937_64 random(11);
    std::uniform_real_distribution<double> uniform(0, 50);
    for (int k = 0; k < 20000; ++k) {
        const double x = uniform(random);
        double s, c, sn, cn;
        walker.run(x, s, c);
        walker.run(-x, sn, cn);
        REQUIRE(sn == -s);
        REQUIRE(cn == c);
        REQUIRE(std::fabs(s) <= 1);
        REQUIRE(std::fabs(c) <= 1);
    }
}

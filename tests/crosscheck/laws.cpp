// Springs, dampers and drives in a few lines each.
#include "tests/crosscheck/laws.h"

#include <cmath>

namespace mw::cross {

double curveAt(const Curve& curve, std::span<const double> param, double x) {
    const std::size_t n = curve.x.size();
    if (n == 0) return 0;
    if (n == 1) return curve.f[0].at(param);
    // Hat functions: a straight line through the first two points, and a change of slope at every inner point.
    const auto at = [&](const std::vector<Number>& values, std::size_t i) { return values[i].at(param); };
    const auto slope = [&](std::size_t i) {
        return (at(curve.f, i + 1) - at(curve.f, i)) / (at(curve.x, i + 1) - at(curve.x, i));
    };
    double value = at(curve.f, 0) + slope(0) * (x - at(curve.x, 0));
    for (std::size_t i = 1; i + 1 < n; ++i)
        if (x > at(curve.x, i)) value += (slope(i) - slope(i - 1)) * (x - at(curve.x, i));
    return value;
}

double tension(const Tsda& tsda, std::span<const double> param, double length, double rate, double act) {
    const double longer = length - tsda.l0.at(param);
    return act + tsda.k.at(param) * longer + tsda.c.at(param) * rate + curveAt(tsda.curve, param, longer) +
           curveAt(tsda.damper_curve, param, rate);
}

double jointForce(const Rsda& rsda, std::span<const double> param, double coordinate, double rate, double act) {
    const double away = coordinate - rsda.q0.at(param);
    return act - (rsda.k.at(param) * away + rsda.c.at(param) * rate + curveAt(rsda.curve, param, away) +
                  curveAt(rsda.damper_curve, param, rate));
}

double driveForce(const Drive& drive, std::span<const double> param, double t, double coordinate, double rate) {
    const double wanted = evaluate(*drive.expression, param, t);
    double force = wanted;
    if (drive.kind == Drive::Kind::speed) force = drive.gain.at(param, t) * (wanted - rate);
    if (drive.kind == Drive::Kind::position)
        force = drive.kp.at(param, t) * (wanted - coordinate) +
                drive.kd.at(param, t) * (evaluate(*timeDerivative(drive.expression), param, t) - rate);
    const double limit = drive.limit.at(param, t);
    if (force > limit) return limit;
    return force < -limit ? -limit : force;
}

}  // namespace mw::cross

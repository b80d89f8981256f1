// Readings of loops from poses and velocities, in the outside form of every row.
#include "engine/dynamics/loop_readings.h"

#include <algorithm>
#include <cmath>

#include "engine/dynamics/topology.h"

namespace mw {

namespace {

/// A loop frame and how it moves, base axes.
struct FrameMotion {
    Placement placement;
    Matrix3 R;
    Vector3 p, w = Vector3::Zero(), p_dot = Vector3::Zero();
};

FrameMotion frameMotion(const LoopFrame& frame, std::span<const double> param, std::span<const double> X,
                        std::span<const double> V) {
    FrameMotion m;
    m.R = rotationRollPitchYaw(frame.rot[0].at(param), frame.rot[1].at(param), frame.rot[2].at(param));
    m.p = vectorAt(frame.at, param);
    if (frame.body != kBase) {
        const double* x = X.data() + 12 * static_cast<std::size_t>(frame.body);
        const double* v = V.data() + 6 * static_cast<std::size_t>(frame.body);
        const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> R(x);
        const Vector3 arm = R * m.p;
        m.R = R * m.R;
        m.p = Eigen::Map<const Vector3>(x + 9) + arm;
        m.w = Eigen::Map<const Vector3>(v);
        m.p_dot = Eigen::Map<const Vector3>(v + 3) + m.w.cross(arm);
    }
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) m.placement.rotation[3 * i + k] = m.R(i, k);
        m.placement.position[i] = m.p[i];
    }
    return m;
}

}  // namespace

double LoopReading::worst() const {
    double largest = 0;
    for (const double e : error) {
        if (std::isnan(e)) return e;
        largest = std::max(largest, std::abs(e));
    }
    return largest;
}

std::vector<LoopReading> loopReadings(const Model& model, const Layout& layout, std::span<const double> param,
                                      std::span<const double> X, std::span<const double> V,
                                      std::span<const double> lambda) {
    std::vector<LoopReading> readings;
    for (std::size_t l = 0; l < model.loops.size(); l++) {
        const Loop& loop = model.loops[l];
        const FrameMotion from = frameMotion(loop.from, param, X, V), to = frameMotion(loop.to, param, X, V);
        LoopReading reading;
        reading.from_point = from.placement.position;
        reading.to_point = to.placement.position;
        reading.error = loopError(loop, from.placement, to.placement, param);

        // Rates as the predecessor sees them; couples and forces on the successor, at its own point.
        const Vector3 line = to.p - from.p;
        const Vector3 turn = to.w - from.w, move = to.p_dot - from.p_dot - from.w.cross(line);
        Vector3 moment = Vector3::Zero(), force = Vector3::Zero();
        int slot = layout.row_of_loop[l];
        for (const LoopRow& row : rowsOf(loop)) {
            Vector3 e = from.R * Vector3(row.direction[0], row.direction[1], row.direction[2]);
            if (row.kind == LoopRow::Kind::distance) e = line / line.norm();
            const double multiplier = lambda.empty() ? 0 : lambda[static_cast<std::size_t>(slot++)];
            const bool turns = row.kind == LoopRow::Kind::turn;
            reading.rate.push_back(e.dot(turns ? turn : move));
            reading.lambda.push_back(multiplier);
            (turns ? moment : force) += multiplier * e;
        }
        for (int k = 0; k < 3; k++) {
            reading.wrench[k] = moment[k];
            reading.wrench[3 + k] = force[k];
        }
        readings.push_back(std::move(reading));
    }
    return readings;
}

LoopPower::LoopPower(const Model& model) {
    for (const Loop& loop : model.loops) loops_.push_back({loop.from, loop.to, rowsOf(loop)});
}

double LoopPower::operator()(std::span<const double> param, std::span<const double> X, std::span<const double> V,
                             std::span<const double> lambda) const {
    double power = 0;
    std::size_t slot = 0;
    for (const Closure& loop : loops_) {
        const FrameMotion from = frameMotion(loop.from, param, X, V), to = frameMotion(loop.to, param, X, V);
        const Vector3 line = to.p - from.p;
        const Vector3 turn = to.w - from.w, move = to.p_dot - from.p_dot - from.w.cross(line);
        for (const LoopRow& row : loop.rows) {
            Vector3 e = from.R * Vector3(row.direction[0], row.direction[1], row.direction[2]);
            if (row.kind == LoopRow::Kind::distance) e = line / line.norm();
            power += lambda[slot++] * e.dot(row.kind == LoopRow::Kind::turn ? turn : move);
        }
    }
    return power;
}

}  // namespace mw

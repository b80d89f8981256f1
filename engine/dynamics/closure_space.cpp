// Poses, loop rows and steps between poses.
#include "engine/dynamics/closure_space.h"

#include <algorithm>
#include <cmath>

#include "engine/dynamics/drift.h"
#include "engine/dynamics/mass_matrix.h"

namespace mw {
namespace {

constexpr double kTiny = 1e-9;    // rows and singular values below this part of the largest are rounding
constexpr double kLongest = 1e8;  // m, rad: coordinates beyond are taken for faults

Vector3 toVector(const Vector3d& a) { return {a[0], a[1], a[2]}; }

Placement placementOf(const BodyKinematics& body) {
    Placement p;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) p.rotation[3 * i + j] = body.R(i, j);
        p.position[i] = body.p[i];
    }
    return p;
}

// A length that the mechanism is made of: the quadratic mean of what the text offsets joints and loop ends by.
double sizeOf(const Model& model, std::span<const double> param) {
    double sum = 0;
    int count = 0;
    const auto add = [&](double square) {
        if (square > 0 && std::isfinite(square)) sum += square, ++count;
    };
    for (const Body& b : model.bodies) add(vectorAt(b.at, param).squaredNorm());
    for (const Loop& l : model.loops) {
        for (const LoopFrame* f : {&l.from, &l.to}) add(vectorAt(f->at, param).squaredNorm());
        if (l.type == LoopType::distance) add(std::pow(l.length.at(param), 2));
    }
    return count > 0 ? std::sqrt(sum / count) : 1;
}

// Cholesky factor with held velocities taken out.
Eigen::LLT<MatrixXd> factorOf(MatrixXd metric, const Hold& hold) {
    for (std::size_t i = 0; i < hold.size(); ++i) {
        const auto c = static_cast<Eigen::Index>(i);
        if (hold[i] == kFixed) {
            metric.row(c).setZero();
            metric.col(c).setZero();
            metric(c, c) = 1;
        } else {
            metric(c, c) *= 1 + hold[i];
        }
    }
    return metric.llt();
}

}  // namespace

ClosureSpace::ClosureSpace(const Model& m) : topology(m) {
    const std::vector<double> param = m.liveValues();
    numbers_ = topology.declaredNumbers();
    bodies_.resize(m.bodies.size());
    composite_.resize(m.bodies.size());
    from_.resize(m.loops.size());
    to_.resize(m.loops.size());
    lengths_.resize(m.loops.size());
    size = sizeOf(m, param);

    unit = VectorXd::Ones(layout().nv);
    const std::vector<double> q = startQ(m, layout(), param);
    for (std::size_t i = 0; i < m.bodies.size(); ++i) {
        const TreeBody& b = topology.bodies()[i];
        const JointMotion j = jointMotion(b, numbers_[i].pitch, q.data() + b.q, nullptr);
        for (int c = 0; c < b.nv; ++c)
            if (j.S.col(c).head<3>().isZero()) unit[b.v + c] = size;
    }

    on_loop.assign(m.bodies.size(), 0);
    for (const Loop& l : m.loops) {
        rows.push_back(rowsOf(l));
        std::vector<int> side(m.bodies.size(), 0);
        for (int b = l.to.body; b >= 0; b = m.bodies[b].parent) side[b] += 1;
        for (int b = l.from.body; b >= 0; b = m.bodies[b].parent) side[b] -= 1;
        std::vector<PathStep> path;
        for (std::size_t b = 0; b < side.size(); ++b)
            if (side[b] != 0 && topology.bodies()[b].nv > 0) {
                path.push_back({static_cast<int>(b), static_cast<double>(side[b])});
                on_loop[b] = 1;
            }
        paths.push_back(std::move(path));
    }
}

void ClosureSpace::place(std::span<const double> q, std::span<const double> param) {
    param_.assign(param.begin(), param.end());
    if (topology.isLive())
        for (std::size_t i = 0; i < numbers_.size(); ++i) numbers_[i] = topology.numbersOf(static_cast<int>(i), param);
    updateKinematics(topology, numbers_.data(), q.data(), nullptr, bodies_.data());
    const std::vector<Loop>& loops = model().loops;
    // Only the bodies at the ends are asked for.
    std::vector<Placement> placements(bodies_.size());
    for (const Loop& l : loops)
        for (const int b : {l.from.body, l.to.body})
            if (b >= 0) placements[b] = placementOf(bodies_[b]);
    for (std::size_t i = 0; i < loops.size(); ++i) {
        from_[i] = framePlacement(loops[i].from, placements, param);
        to_[i] = framePlacement(loops[i].to, placements, param);
        lengths_[i] = loops[i].length.at(param);
    }
}

VectorXd ClosureSpace::error() const {
    VectorXd e(layout().nc);
    for (std::size_t i = 0; i < paths.size(); ++i) {
        const std::vector<double> part = loopError(model().loops[i], from_[i], to_[i], param_);
        std::copy(part.begin(), part.end(), e.data() + layout().row_of_loop[i]);
    }
    return e;
}

Worst ClosureSpace::worst(const VectorXd& error) const {
    Worst w;
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t r = 0; r < rows[i].size(); ++r) {
            const double e = std::abs(error[layout().row_of_loop[i] + static_cast<int>(r)]);
            // A NaN is worse than any number, and stays so.
            if (std::isnan(w.error)) return w;
            if (w.loop < 0 || !(e <= w.error)) w = {e, static_cast<int>(i), static_cast<int>(r)};
        }
    return w;
}

double ClosureSpace::rounding() const {
    double reach = size;
    for (const std::vector<Placement>* frames : {&from_, &to_})
        for (const Placement& p : *frames)
            for (const double x : p.position) reach = std::max(reach, std::abs(x));
    return 16 * std::numeric_limits<double>::epsilon() * reach;
}

MatrixXd ClosureSpace::rowsOfLoop(int loop, const std::vector<LoopRow>& wanted) const {
    MatrixXd K = MatrixXd::Zero(static_cast<int>(wanted.size()), layout().nv);
    const Placement &from = from_[loop], &to = to_[loop];
    const Vector3 p_s = toVector(to.position);
    std::vector<Vector3> direction;
    for (const LoopRow& row : wanted) {
        if (row.kind != LoopRow::Kind::distance) {
            direction.push_back(toVector(mw::rotate(from.rotation, row.direction)));
            continue;
        }
        const Vector3 rho = p_s - toVector(from.position);
        const double length = rho.norm();
        direction.push_back(length > 0 ? Vector3(rho / length) : toVector(mw::rotate(from.rotation, {1, 0, 0})));
    }
    for (const PathStep& step : paths[loop]) {
        const TreeBody& b = topology.bodies()[step.body];
        const BodyKinematics& k = bodies_[step.body];
        for (int c = 0; c < b.nv; ++c) {
            // Velocity of the body, and of its point at p_s, for a unit velocity of this joint.
            const Vector3 w = k.R * k.S.col(c).head<3>();
            const Vector3 v = k.R * k.S.col(c).tail<3>() + w.cross(p_s - k.p);
            for (std::size_t r = 0; r < wanted.size(); ++r)
                K(static_cast<int>(r), b.v + c) =
                    step.sign * direction[r].dot(wanted[r].kind == LoopRow::Kind::turn ? w : v);
        }
    }
    return K;
}

MatrixXd ClosureSpace::jacobian() const {
    MatrixXd K(layout().nc, layout().nv);
    for (std::size_t i = 0; i < rows.size(); ++i)
        K.middleRows(layout().row_of_loop[i], static_cast<int>(rows[i].size())) =
            rowsOfLoop(static_cast<int>(i), rows[i]);
    return K;
}

MatrixXd ClosureSpace::mass() {
    MatrixXd M(layout().nv, layout().nv);
    massMatrix(topology, numbers_.data(), bodies_.data(), composite_.data(), M);
    return M;
}

Eigen::LLT<MatrixXd> ClosureSpace::metric(const Hold& hold) {
    double total = 0;
    for (const BodyNumbers& n : numbers_) total += n.inertia(5, 5);
    const double mean = total > 0 && std::isfinite(total) ? total / static_cast<double>(numbers_.size()) : 1;
    const VectorXd even = mean * size * size * unit.cwiseAbs2().cwiseInverse();
    MatrixXd G = mass();
    G.diagonal() += 1e-3 * even;
    // Masses that no mechanism has still leave a metric.
    if (G.allFinite())
        if (Eigen::LLT<MatrixXd> factor = factorOf(std::move(G), hold); factor.info() == Eigen::Success) return factor;
    return factorOf(even.asDiagonal(), hold);
}

Eigen::LLT<MatrixXd> ClosureSpace::evenMetric() const {
    return Eigen::LLT<MatrixXd>(MatrixXd(unit.cwiseAbs2().cwiseInverse().asDiagonal()));
}

Vector3 ClosureSpace::point(int body, const Vector3& at) const {
    return body < 0 ? at : Vector3(bodies_[body].p + bodies_[body].R * at);
}

MatrixXd ClosureSpace::pointJacobian(int body, const Vector3& at) const {
    MatrixXd J = MatrixXd::Zero(3, layout().nv);
    const Vector3 p = point(body, at);
    for (int i = body; i >= 0; i = topology.bodies()[i].parent) {
        const BodyKinematics& k = bodies_[i];
        for (int c = 0; c < topology.bodies()[i].nv; ++c)
            J.col(topology.bodies()[i].v + c) =
                k.R * k.S.col(c).tail<3>() + (k.R * k.S.col(c).head<3>()).cross(p - k.p);
    }
    return J;
}

bool ClosureSpace::sanitise(std::vector<double>& q, std::span<const double> param) const {
    const std::vector<double> start = startQ(model(), layout(), param);
    bool good = q.size() == start.size();
    if (!good) q = start;
    for (std::size_t i = 0; i < q.size(); ++i)
        if (!(std::abs(q[i]) < kLongest)) q[i] = std::abs(start[i]) < kLongest ? start[i] : 0, good = false;
    for (const TreeBody& b : topology.bodies()) {
        if (b.type != JointType::spherical && b.type != JointType::floating) continue;
        if (normaliseQuaternion(q.data() + b.q) > 0) continue;
        good = false;
        std::fill_n(q.begin() + b.q, 4, 0.0);
        q[b.q] = 1;
    }
    return good;
}

MatrixXd transposedWithout(const MatrixXd& K, const Hold& hold) {
    MatrixXd Kt = K.transpose();
    for (std::size_t i = 0; i < hold.size(); ++i)
        if (hold[i] == kFixed) Kt.row(static_cast<Eigen::Index>(i)).setZero();
    return Kt;
}

std::vector<LoopRow> allRows(const ClosureSpace& space) {
    std::vector<LoopRow> all;
    for (const std::vector<LoopRow>& rows : space.rows) all.insert(all.end(), rows.begin(), rows.end());
    return all;
}

MatrixXd unitRows(const ClosureSpace& space, const MatrixXd& K, const std::vector<LoopRow>& rows) {
    MatrixXd out = K;
    for (Eigen::Index r = 0; r < K.rows(); ++r) {
        const double whole = rows[r].kind == LoopRow::Kind::turn ? 1 : space.size;
        // What a step of one does: a radian, or the size of the mechanism.
        const double norm = K.row(r).transpose().cwiseProduct(space.unit).norm();
        if (norm > kTiny * whole) out.row(r) /= K.row(r).norm();
        else out.row(r).setZero();
    }
    return out;
}

double stepLength(const ClosureSpace& space, const VectorXd& v) {
    return v.size() ? v.cwiseQuotient(space.unit).lpNorm<Eigen::Infinity>() : 0;
}

std::vector<double> moved(const ClosureSpace& space, std::vector<double> q, const VectorXd& v) {
    drift(space.model(), space.layout(), q, {v.data(), v.data() + v.size()}, 1);
    return q;
}

ClosureSpace::Descent ClosureSpace::descend(std::vector<double>& q, std::span<const double> param, const Hold& hold,
                                            double tolerance, int most_steps, double least_gain) {
    constexpr double kStep = 0.5, kLeastDamping = 1e-13, kMostDamping = 1e3;
    const int nc = layout().nc;
    VectorXd scale(nc);
    for (int r = 0, i = 0; i < static_cast<int>(rows.size()); ++i)
        for (const LoopRow& row : rows[i]) scale[r++] = row.kind == LoopRow::Kind::turn ? 1 : 1 / size;

    Descent d;
    place(q, param);
    VectorXd e = error();
    d.left = worst(e);
    const auto closed = [&] { return d.left.error <= std::max(tolerance, rounding()); };
    double merit = e.cwiseProduct(scale).squaredNorm(), damping = kLeastDamping;
    double strongest = 0;
    int slow = 0;
    while (!(d.closed = closed()) && d.steps < most_steps) {
        const Eigen::LLT<MatrixXd> G = metric(hold);
        const MatrixXd Bt = G.matrixL().solve(transposedWithout(scale.asDiagonal() * jacobian(), hold));
        const MatrixXd A = Bt.transpose() * Bt;
        // Against the strongest there was: at a pose where hardly anything helps, steps must not grow without bound.
        const double mean = strongest = std::max(strongest, A.trace() / nc);
        const VectorXd b = -e.cwiseProduct(scale);
        // Nothing that moves changes the errors.
        if (!(mean > 0) || !((Bt * b).norm() > 1e-14 * std::sqrt(mean) * b.norm())) break;
        bool better = false;
        const double before = merit;
        for (; damping <= kMostDamping && d.steps < most_steps; damping = std::max(10 * damping, 1e-6)) {
            ++d.steps;
            MatrixXd damped = A;
            damped.diagonal().array() += damping * mean;
            VectorXd v = G.matrixU().solve(Bt * damped.llt().solve(b));
            if (!v.allFinite()) continue;
            const double length = stepLength(*this, v);
            if (length > kStep) v *= kStep / length;
            std::vector<double> next = moved(*this, q, v);
            place(next, param);
            const VectorXd e_next = error();
            const double merit_next = e_next.cwiseProduct(scale).squaredNorm();
            if (!(merit_next < merit)) continue;
            // Steps that were cut short say nothing of the damping.
            q = std::move(next);
            e = e_next;
            merit = merit_next;
            better = true;
            break;
        }
        if (!better) {
            place(q, param);
            break;
        }
        d.left = worst(e);
        damping = damping > 1e-9 ? damping / 10 : kLeastDamping;
        // A minimum that is not zero is approached ever more slowly.
        slow = merit > (1 - least_gain) * before ? slow + 1 : 0;
        if (slow >= 8) break;
    }
    return d;
}

// Motions that the loops allow

Tangent::Tangent(const ClosureSpace& space, const MatrixXd& K, Eigen::LLT<MatrixXd> metric, const Hold& hold)
    : metric_(std::move(metric)) {
    const MatrixXd unit = unitRows(space, K, allRows(space));
    MatrixXd Bt = metric_.matrixL().solve(transposedWithout(unit, hold));
    // In the metric rows differ in size by what they move: each counts alike again.
    for (Eigen::Index c = 0; c < Bt.cols(); ++c)
        if (const double norm = Bt.col(c).norm(); norm > 0) Bt.col(c) /= norm;
    if (Bt.cols() == 0) {  // no rows: everything moves
        Q_ = MatrixXd::Zero(Bt.rows(), 0);
        return;
    }
    qr_.compute(Bt);
    pivots_ = qr_.matrixQR().diagonal().cwiseAbs();
    const int r = rank(kTiny);
    Q_ = qr_.householderQ() * MatrixXd::Identity(Bt.rows(), r);
}

int Tangent::rank(double threshold) const {
    int r = 0;
    while (r < pivots_.size() && pivots_[r] > threshold * pivots_[0]) ++r;
    return r;
}

VectorXd Tangent::allowed(const VectorXd& y) const {
    // Twice: the second pass takes off the rounding of the first.
    VectorXd out = y - Q_ * (Q_.transpose() * y);
    return out - Q_ * (Q_.transpose() * out);
}

MatrixXd Tangent::basis() const {
    if (pivots_.size() == 0) return MatrixXd::Identity(Q_.rows(), Q_.rows());
    const MatrixXd Q = qr_.householderQ();
    return Q.rightCols(Q.cols() - Q_.cols());
}

VectorXd Tangent::project(const VectorXd& v) const { return toVelocity(allowed(toMetric(v))); }

}  // namespace mw

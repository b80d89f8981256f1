// Loops in the derived equations against differences of positions: K is how errors change with each velocity, its
// velocity products are how their rates change while all velocities stand still, and accelerations and multipliers must
// satisfy the equations of motion of the open tree with them.
#include <algorithm>
#include <cmath>

#include "engine/model/loop_rows.h"
#include "generator/derive/equations.h"
#include "generator/derive/operations.h"
#include "tests/support/catch.h"
#include "tests/support/derive_evaluate.h"
#include "tests/support/derive_models.h"
#include "tests/support/kernel_calls.h"

using namespace mw;
using namespace mw::test;

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }
double dot(const Vector3d& a, const Vector3d& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// One row's rate at a state, by central differences of order h^4 of positions along the motion: for turns of the
/// relative rotation, for distances of half the squared length, all seen from the predecessor's loop frame.
struct Geometry {
    const Model& model;
    Layout layout;
    Numbers param;

    Placement frame(const LoopFrame& f, const Numbers& q) const {
        return framePlacement(f, bodyPlacements(model, q, param), param);
    }
    struct Relative {
        Vector3d d{};
        std::array<double, 9> R{};
    };
    Relative relative(const Loop& loop, const Numbers& q) const {
        const Placement p = frame(loop.from, q), s = frame(loop.to, q);
        Relative r;
        r.d = rotateBack(p.rotation,
                         {s.position[0] - p.position[0], s.position[1] - p.position[1], s.position[2] - p.position[2]});
        for (std::size_t j = 0; j < 3; ++j) {
            const Vector3d column = rotateBack(p.rotation, {s.rotation[j], s.rotation[3 + j], s.rotation[6 + j]});
            for (std::size_t i = 0; i < 3; ++i) r.R[3 * i + j] = column[i];
        }
        return r;
    }
    Numbers moved(const Numbers& q, const Numbers& v, double t) const { return advanced(model, layout, q, v, t); }

    /// Rates of all rows (inside form) at the time t of the motion that starts at q with constant v.
    Numbers rates(const Numbers& q, const Numbers& v, double t) const {
        constexpr double h = 2e-3;
        static constexpr double weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
        static constexpr double step[4] = {-2, -1, 1, 2};
        Numbers out;
        for (const Loop& loop : model.loops) {
            const Relative now = relative(loop, moved(q, v, t));
            Vector3d move{};
            std::array<double, 9> dR{};
            double half = 0;
            for (int k = 0; k < 4; ++k) {
                const Relative r = relative(loop, moved(q, v, t + step[k] * h));
                for (std::size_t i = 0; i < 3; ++i) move[i] += weight[k] / h * r.d[i];
                for (std::size_t i = 0; i < 9; ++i) dR[i] += weight[k] / h * r.R[i];
                half += weight[k] / h * 0.5 * dot(r.d, r.d);
            }
            // [w]x = R' R^T.
            const auto W = [&](std::size_t i, std::size_t j) {
                double sum = 0;
                for (std::size_t k = 0; k < 3; ++k) sum += dR[3 * i + k] * now.R[3 * j + k];
                return sum;
            };
            const Vector3d turn{0.5 * (W(2, 1) - W(1, 2)), 0.5 * (W(0, 2) - W(2, 0)), 0.5 * (W(1, 0) - W(0, 1))};
            for (const LoopRow& row : rowsOf(loop)) {
                if (row.kind == LoopRow::Kind::distance) out.push_back(half);
                else out.push_back(dot(row.direction, row.kind == LoopRow::Kind::turn ? turn : move));
            }
        }
        return out;
    }
    Numbers errors(const Numbers& q) const {
        Numbers out;
        for (const Loop& loop : model.loops) {
            if (loop.type == LoopType::distance) {
                const Vector3d d = relative(loop, q).d;
                const double L = loop.length.at(param);
                out.push_back(0.5 * (dot(d, d) - L * L));
                continue;
            }
            const Numbers own = loopError(loop, bodyPlacements(model, q, param), param);
            out.insert(out.end(), own.begin(), own.end());
        }
        return out;
    }
    /// |rho| for distances, 1 for all other rows.
    Numbers scales(const Numbers& q) const {
        Numbers out;
        for (const Loop& loop : model.loops)
            for (const LoopRow& row : rowsOf(loop))
                out.push_back(row.kind == LoopRow::Kind::distance
                                  ? std::sqrt(dot(relative(loop, q).d, relative(loop, q).d))
                                  : 1.0);
        return out;
    }
    /// d/dt of the rates while v stands still.
    Numbers products(const Numbers& q, const Numbers& v) const {
        constexpr double h = 2e-3;
        const Numbers a = rates(q, v, -2 * h), b = rates(q, v, -h), c = rates(q, v, h), d = rates(q, v, 2 * h);
        Numbers out(a.size());
        for (std::size_t i = 0; i < a.size(); ++i) out[i] = (a[i] - 8 * b[i] + 8 * c[i] - d[i]) / (12 * h);
        return out;
    }
};

LoopFrame randomFrame(Random& random, int body) {
    LoopFrame f;
    f.body = body;
    for (int k = 0; k < 3; ++k) {
        f.at[at(k)] = random.between(-0.4, 0.4);
        f.rot[at(k)] = random.between(-1.5, 1.5);
    }
    return f;
}

Loop randomLoop(Random& random, LoopType type, int from, int to) {
    Loop loop;
    loop.name = "loop_" + std::to_string(random.below(1000000));
    loop.type = type;
    loop.from = randomFrame(random, from), loop.to = randomFrame(random, to);
    loop.axis = randomDirection(random);
    loop.length = random.between(0.5, 1.5);
    return loop;
}

constexpr LoopType kTypes[] = {LoopType::revolute,  LoopType::prismatic,     LoopType::cylindrical,
                               LoopType::spherical, LoopType::point_on_line, LoopType::distance};

double differenceOf(const Numbers& a, const Numbers& b) { return scaledError(a, b); }

/// Worst scaled error of: K, the accelerations' constraint, the equations of motion, the projection.
struct Findings {
    double jacobian = 0, closure = 0, motion = 0, projection = 0;
};

Findings examine(const Model& model, gen::Form form, std::uint64_t seed, gen::Fault fault = gen::Fault::none) {
    const Layout layout = layoutOf(model);
    const gen::Equations equations = gen::derive(model, form, fault);
    Random random(seed);
    Numbers q, v;
    randomState(model, layout, random, q, v);
    EntryArrays arrays;
    arrays.work.assign(static_cast<std::size_t>(equations.nwork), 0);
    Numbers tau(at(layout.nv)), rhs(at(layout.nv));
    for (double& x : tau) x = random.between(-10, 10);
    for (double& x : rhs) x = random.between(-10, 10);
    Geometry geometry{model, layout, model.liveValues()};
    for (double& p : geometry.param) p *= random.between(0.8, 1.2);
    arrays.read[gen::Array::q] = q, arrays.read[gen::Array::v] = v, arrays.read[gen::Array::tau] = tau;
    arrays.read[gen::Array::param] = geometry.param, arrays.read[gen::Array::rhs] = rhs;
    const auto run = [&](const char* entry, int size) {
        Numbers out(at(size), 99.0);
        runEntry(equations, entry, arrays, out);
        return out;
    };
    const int nv = layout.nv, nc = layout.nc;
    const Numbers vdot = run("fwd_dyn", nv), lambda = arrays.lambda, K = run("loop_jacobian", nc * nv);
    const Numbers M = run("mass_matrix", nv * nv), bias = run("bias", nv);
    run("factor", 0);
    const Numbers x = run("apply_inverse_mass", nv);

    Findings f;
    const Numbers scale = geometry.scales(q);
    Numbers expected(at(nc * nv));
    for (int j = 0; j < nv; ++j) {
        Numbers unit(at(nv), 0.0);
        unit[at(j)] = 1;
        const Numbers column = geometry.rates(q, unit, 0);
        for (int r = 0; r < nc; ++r) expected[at(r * nv + j)] = column[at(r)] / scale[at(r)];
    }
    f.jacobian = differenceOf(K, expected);

    const Numbers products = geometry.products(q, v), rates = geometry.rates(q, v, 0), errors = geometry.errors(q);
    const double T = model.stab;
    Numbers got(at(nc)), wanted(at(nc));
    for (int r = 0; r < nc; ++r) {
        for (int j = 0; j < nv; ++j) got[at(r)] += scale[at(r)] * K[at(r * nv + j)] * vdot[at(j)];
        wanted[at(r)] = -products[at(r)];
        if (T > 0) wanted[at(r)] -= 2 / T * rates[at(r)] + errors[at(r)] / (T * T);
    }
    f.closure = differenceOf(got, wanted);

    Numbers left(at(nv)), right(at(nv)), projected(at(nc)), none(at(nc), 0.0), force(at(nv)), balance(at(nv), 0.0);
    for (int i = 0; i < nv; ++i) {
        left[at(i)] = bias[at(i)], right[at(i)] = tau[at(i)];
        for (int j = 0; j < nv; ++j) left[at(i)] += M[at(i * nv + j)] * vdot[at(j)];
        for (int r = 0; r < nc; ++r) right[at(i)] += K[at(r * nv + i)] * lambda[at(r)];
    }
    f.motion = differenceOf(left, right);
    // x = M^-1 (b - K^T mu) with K x = 0: K x vanishes, and b - M x has no part that a free motion could feel.
    for (int r = 0; r < nc; ++r)
        for (int j = 0; j < nv; ++j) projected[at(r)] += K[at(r * nv + j)] * x[at(j)];
    double work = 0, size = 1;
    for (int i = 0; i < nv; ++i) {
        double inertia = 0;
        for (int j = 0; j < nv; ++j) inertia += M[at(i * nv + j)] * x[at(j)];
        work += x[at(i)] * (rhs[at(i)] - inertia);
        size = std::max(size, std::fabs(x[at(i)] * rhs[at(i)]));
    }
    f.projection = std::max(differenceOf(projected, none), std::fabs(work) / size);
    return f;
}

void check(const Model& model, gen::Form form, std::uint64_t seed) {
    const Findings f = examine(model, form, seed);
    CHECK(f.jacobian < 1e-8);
    CHECK(f.closure < 1e-6);
    CHECK(f.motion < 1e-8);
    CHECK(f.projection < 1e-8);
}

}  // namespace

TEST_CASE("every type of loop over every type of joint, torn and moving, in both forms") {
    const gen::Form form = GENERATE(gen::Form::crba, gen::Form::aba);
    const JointType joint =
        GENERATE(JointType::revolute, JointType::prismatic, JointType::cylindrical, JointType::screw,
                 JointType::universal, JointType::planar, JointType::spherical, JointType::floating);
    for (const LoopType type : kTypes) {
        INFO(jointTypeName(joint) << ", " << loopTypeName(type));
        if (joint == JointType::prismatic &&
            (type == LoopType::revolute || type == LoopType::prismatic || type == LoopType::cylindrical))
            continue;  // slides alone turn nothing: the rows could not be independent
        Random random(static_cast<std::uint64_t>(type) * 10 + 3);
        TreeOptions options;
        options.bodies = 8 / jointNv(joint) + (joint == JointType::planar ? 3 : 1);
        options.chain = true;
        options.joints = {joint};
        options.fext = false;
        Model model = randomTree(21 + static_cast<std::uint64_t>(joint), options);
        const int last = static_cast<int>(model.bodies.size()) - 1;
        // A chain closed on the base, and on itself.
        model.loops = {randomLoop(random, type, kBase, last)};
        check(model, form, 5);
        model.loops = {randomLoop(random, type, last, kBase)};
        check(model, form, 6);
        if (joint == JointType::floating) model.loops = {randomLoop(random, type, 0, 1)};
        else model.loops = {randomLoop(random, type, last, 0)};
        if (joint != JointType::floating && (last - 0) * jointNv(joint) <= loopRows(type)) continue;
        check(model, form, 7);
    }
}

TEST_CASE("random trees with several loops of all types, live numbers in their frames") {
    const gen::Form form = GENERATE(gen::Form::crba, gen::Form::aba);
    for (std::uint64_t seed = 1; seed <= 16; ++seed) {
        INFO("seed " << seed);
        Random random(seed * 77);
        TreeOptions options;
        options.bodies = 9;
        options.fext = false;
        options.dissipation = false;
        options.live = seed % 2 == 0;
        Model model = randomTree(seed, options);
        const int tilt = addLiveParameter(model, "tilt", 0.4, 0, 1);
        int rows = 0;
        const int nv = layoutOf(model).nv;
        for (int k = 0; k < 6; ++k) {
            const LoopType type = kTypes[at(random.below(6))];
            const int from = random.below(10) - 1, to = random.below(9);
            Model trial = model;
            Loop loop = randomLoop(random, type, from, to);
            if (from == to || rows + loopRows(type) > nv / 2) continue;
            loop.from.rot[1] = liveNumber(model, tilt, 1.5);
            loop.to.at[2] = liveNumber(model, tilt, 0.3);
            loop.length = liveNumber(model, tilt, 2);
            trial.loops.push_back(loop);
            // Only loops that leave K of full rank at this state.
            const Layout layout = layoutOf(trial);
            Random state(seed);
            Numbers q, v;
            randomState(trial, layout, state, q, v);
            Geometry geometry{trial, layout, trial.liveValues()};
            std::vector<Numbers> basis;
            bool independent = true;
            std::vector<Numbers> K(at(layout.nc), Numbers(at(layout.nv)));
            for (int j = 0; j < layout.nv; ++j) {
                Numbers unit(at(layout.nv), 0.0);
                unit[at(j)] = 1;
                const Numbers column = geometry.rates(q, unit, 0);
                for (int r = 0; r < layout.nc; ++r) K[at(r)][at(j)] = column[at(r)];
            }
            for (Numbers row : K) {
                double before = 0, after = 0;
                for (double e : row) before += e * e;
                for (const Numbers& b : basis) {
                    double along = 0;
                    for (std::size_t i = 0; i < row.size(); ++i) along += b[i] * row[i];
                    for (std::size_t i = 0; i < row.size(); ++i) row[i] -= along * b[i];
                }
                for (double e : row) after += e * e;
                independent &= after > 1e-3 * before && before > 1e-6;
                for (double& e : row) e /= std::sqrt(after);
                basis.push_back(row);
            }
            if (!independent) continue;
            model = trial;
            rows += loopRows(type);
        }
        REQUIRE(rows > 0);
        check(model, form, seed);
    }
}

TEST_CASE("entries of K are there for the joints on the two ways alone") {
    // Two arms of a trunk, a leaf off each: the trunk carries both ends, the leaf of the one arm none.
    Model m;
    const auto r = [](Vector3d a) { return joint(JointType::revolute, a); };
    addBody(m, "trunk", kBase, joint(JointType::floating), {0, 0, 0}, 3, {0, 0, 0.1}, {1, 1, 1, 0.1, 0, 0});
    addBody(m, "left", 0, r(kX), {0.3, 0.1, 0}, 1, {0.1, 0.2, 0}, {0.1, 0.1, 0.1, 0, 0, 0});
    addBody(m, "right", 0, r({0.6, 0.8, 0}), {-0.3, 0, 0.2}, 1, {0, 0.1, 0.2}, {0.1, 0.1, 0.1, 0, 0, 0});
    addBody(m, "hand", 1, r(kY), {0.2, 0, 0.3}, 1, {0, 0.1, 0.2}, {0.1, 0.1, 0.1, 0, 0, 0});
    addBody(m, "leaf", 1, r(kZ), {0, 0.3, 0}, 1, {0.2, 0, 0.1}, {0.1, 0.1, 0.1, 0, 0, 0});
    Random random(3);
    m.loops = {randomLoop(random, LoopType::point_on_line, 3, 2), randomLoop(random, LoopType::distance, 2, 3)};
    const Layout layout = layoutOf(m);
    for (const gen::Form form : {gen::Form::crba, gen::Form::aba}) {
        const gen::Equations equations = gen::derive(m, form);
        for (const gen::Section& section : entryOf(equations, "loop_jacobian").sections)
            for (const gen::Assignment& assignment : section.assignments) {
                const int v = assignment.place.index % layout.nv;
                const bool moves = v == layout.v_of_body[1] || v == layout.v_of_body[2] || v == layout.v_of_body[3];
                CHECK(assignment.value.isZero() == !moves);
            }
        check(m, form, 4);
    }
}

TEST_CASE("floating bodies hung on several loops: as successors, as predecessors, on each other") {
    const gen::Form form = GENERATE(gen::Form::crba, gen::Form::aba);
    const int order = GENERATE(0, 1, 2);
    Random random(8);
    TreeOptions options;
    options.bodies = 3;
    options.joints = {JointType::floating};
    options.fext = false;
    Model m = randomTree(40, options);
    // A wheel on the second body, an arm on the first.
    m.bodies.push_back(randomBody(random, "arm", 0, JointType::revolute));
    m.bodies.push_back(randomBody(random, "wheel", 1, JointType::revolute));
    fillStart(m);
    const auto tie = [&](LoopType type, int from, int to) {
        m.loops.push_back(randomLoop(random, type, order == 1 ? to : from, order == 1 ? from : to));
    };
    tie(LoopType::spherical, 0, 1), tie(LoopType::spherical, 3, 1), tie(LoopType::distance, kBase, 1);
    tie(LoopType::distance, 0, 4);
    if (order == 2) tie(LoopType::revolute, 1, 2), tie(LoopType::point_on_line, kBase, 2);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) check(m, form, seed);
}

TEST_CASE("rows that depend on others, or on no joint, give no number") {
    const gen::Form form = GENERATE(gen::Form::crba, gen::Form::aba);
    Model m = elbow();
    Random random(5);
    Loop loop = randomLoop(random, LoopType::spherical, kBase, 5);
    m.loops = {loop, loop};
    const auto accelerations = [&] {
        const gen::Equations equations = gen::derive(m, form);
        EntryArrays arrays;
        Numbers q, v;
        randomState(m, layoutOf(m), random, q, v);
        arrays.read[gen::Array::q] = q, arrays.read[gen::Array::v] = v;
        Numbers vdot(at(layoutOf(m).nv));
        runEntry(equations, "fwd_dyn", arrays, vdot);
        for (double x : arrays.lambda) CHECK_FALSE(std::isfinite(x));
        return vdot;
    };
    for (double x : accelerations()) CHECK_FALSE(std::isfinite(x));
    // A planar chain closed by a revolute: three rows that nothing moves.
    m = planarChain(4);
    m.loops = {randomLoop(random, LoopType::revolute, kBase, 3)};
    m.loops[0].axis = kY, m.loops[0].from.rot = m.loops[0].to.rot = {};
    for (double x : accelerations()) CHECK_FALSE(std::isfinite(x));
    // Two floating bodies tied by the same weld twice: constant pivots as well.
    TreeOptions options;
    options.bodies = 2;
    options.joints = {JointType::floating};
    m = randomTree(3, options);
    loop = randomLoop(random, LoopType::spherical, 0, 1);
    m.loops = {loop, loop};
    for (double x : accelerations()) CHECK_FALSE(std::isfinite(x));
}

TEST_CASE("each deliberate mistake in loops changes K, the accelerations or the multipliers") {
    using gen::Fault;
    const gen::Form form = GENERATE(gen::Form::crba, gen::Form::aba);
    TreeOptions options;
    options.bodies = 7;
    options.fext = false;
    options.joints = {JointType::revolute, JointType::spherical};
    Model tree = randomTree(77, options);
    Random random(4);
    const auto with = [&](LoopType type) {
        Model m = tree;
        m.loops = {randomLoop(random, type, 2, 6)};
        // Both ends in one branch off a common body, so that something carries both.
        m.bodies[1].parent = m.bodies[3].parent = 0;
        m.bodies[2].parent = 1, m.bodies[4].parent = 3, m.bodies[5].parent = 4, m.bodies[6].parent = 5;
        return m;
    };
    const auto worst = [&](const Model& m, Fault fault) {
        const Findings f = examine(m, form, 9, fault);
        return std::max({f.jacobian, f.closure, f.motion});
    };
    const std::pair<Fault, LoopType> faults[] = {{Fault::loop_paths_added, LoopType::spherical},
                                                 {Fault::loop_paths_added, LoopType::distance},
                                                 {Fault::loop_common_ancestors, LoopType::point_on_line},
                                                 {Fault::loop_own_point, LoopType::spherical},
                                                 {Fault::loop_turns_in_successor, LoopType::revolute},
                                                 {Fault::loop_moves_in_successor, LoopType::point_on_line},
                                                 {Fault::loop_rot_ignored, LoopType::cylindrical},
                                                 {Fault::loop_bias_missing, LoopType::revolute},
                                                 {Fault::loop_bias_missing, LoopType::distance},
                                                 {Fault::loop_coriolis_missing, LoopType::spherical},
                                                 {Fault::loop_centrifugal_missing, LoopType::spherical},
                                                 {Fault::loop_turn_bias_missing, LoopType::prismatic},
                                                 {Fault::loop_stretch_missing, LoopType::distance},
                                                 {Fault::loop_stab_sign, LoopType::cylindrical},
                                                 {Fault::loop_stab_sign, LoopType::distance},
                                                 {Fault::loop_stab_factor, LoopType::point_on_line},
                                                 {Fault::loop_attitude_sign, LoopType::revolute},
                                                 {Fault::loop_attitude_sign, LoopType::prismatic},
                                                 {Fault::loop_distance_unsquared, LoopType::distance},
                                                 {Fault::loop_lambda_sign, LoopType::spherical},
                                                 {Fault::loop_lambda_unscaled, LoopType::distance}};
    for (const auto& [fault, type] : faults) {
        INFO(static_cast<int>(fault) << ", " << loopTypeName(type));
        const Model m = with(type);
        CHECK(worst(m, Fault::none) < 1e-6);
        CHECK(worst(m, fault) > 1e-3);
    }
}

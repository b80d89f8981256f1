// What the entries of a band share: the walk out along the shoes, pins and the anchor as articulated bodies, the
// closure's rows; and the forward dynamics made of them.
#include "generator/derive/band.h"

#include "generator/derive/constraints.h"
#include "generator/derive/numbers.h"

namespace mw::gen {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }
constexpr int kPinAxis = 1;
const Freedom kPin{kPinAxis, -1, {}};

Freedom anchorFreedom(int d) { return d < 3 ? Freedom{d, -1, {}} : Freedom{-1, d - 3, {}}; }

/// e_y x p.
Vec acrossPin(const Vec& p) { return {p[2], Expr(), -p[0]}; }

}  // namespace

BandDynamics::BandDynamics(Graph& graph, const Model& model, const Layout& layout, const Band& band, NodeOwners& owners,
                           Fault fault)
    : graph_(graph),
      model_(model),
      band_(band),
      owners_(owners),
      fault_(fault),
      q_(layout.q_of_body[at(band.first)]),
      v_(layout.v_of_body[at(band.first)]),
      nv_(layout.nv),
      row_(layout.row_of_loop[at(band.loop)]) {
    const Body& anchor = model.bodies[at(band.first)];
    const Body& shoe = model.bodies[at(band.first + 1)];
    const Loop& loop = model.loops[at(band.loop)];
    anchor_fext_ = anchor.fext, shoe_fext_ = shoe.fext;
    Numbers& n = numbers_;
    n.anchor = bodyInertia(graph, anchor), n.shoe = bodyInertia(graph, shoe);
    n.link = vectorExpr(graph, shoe.at);
    n.from = vectorExpr(graph, loop.from.at), n.to = vectorExpr(graph, loop.to.at);
    n.damping = numberExpr(graph, shoe.joint_damping), n.armature = numberExpr(graph, shoe.joint_armature);
    n.anchor_damping = numberExpr(graph, anchor.joint_damping);
    const auto q = [&](int i) { return graph.input(Array::q, q_ + i); };
    n.R = quaternionMatrix(graph, {q(0), q(1), q(2), q(3)});
    n.r = {q(4), q(5), q(6)};
    n.w = input(Array::v, v_), n.v = input(Array::v, v_ + 3);
    owners_.claim(band_.first);
}

Section BandDynamics::section(const std::string& caption) const {
    Section section;
    section.caption = caption;
    section.body = band_.first;
    return section;
}

Vec BandDynamics::input(Array array, int first) const {
    return {graph_.input(array, first), graph_.input(array, first + 1), graph_.input(array, first + 2)};
}

Expr BandDynamics::pinInput(Array array, const Walk& walk) const {
    int first = array == Array::q ? q_ + 7 : v_ + 6;
    if (fault_ == Fault::band_rate_shifted && array == Array::v) --first;
    return graph_.input(walk.place(array, first, 1));
}

Rotation BandDynamics::turned(Expr c, Expr s) const {
    Rotation R;
    R.append(Turn{kPinAxis, c, s, {}});
    return R;
}

Motion BandDynamics::anchorMotion(bool free_fall) const {
    // The acceleration of the origin when the components of v stand still, less gravity; falling freely it has none.
    Motion m;
    m.w = numbers_.w;
    if (!free_fall)
        m.a = cross(numbers_.w, numbers_.v) - transposedTimes(numbers_.R, vectorExpr(graph_, model_.gravity));
    m.W = accelerationPerDistance(m.w, m.alpha);
    return m;
}

Wrench BandDynamics::external(const Place& first) const {
    // Base axes about the base's origin; anchor's axes about its own.
    Vec n, f;
    for (int k = 0; k < 3; ++k) {
        n[at(k)] = graph_.input(Place{first.array, first.index + k, first.stride});
        f[at(k)] = graph_.input(Place{first.array, first.index + 3 + k, first.stride});
    }
    return {transposedTimes(numbers_.R, n - cross(numbers_.r, f)), transposedTimes(numbers_.R, f)};
}

BandDynamics::Walked BandDynamics::walkOut(Rolling& rolling, std::vector<Section>& sections,
                                           const Wanted& wanted) const {
    const Numbers& numbers = numbers_;
    const Walk walk = outward();
    Walked left;
    Forward start;
    start.c = graph_.constant(1);
    start.pin = start.arm = numbers.link;
    if (wanted.forces) {
        const Motion motion = anchorMotion(wanted.free_fall);
        start.a = motion.a + motion.W * numbers.link;
        left.anchor_force = inertialForce(numbers.anchor, motion);
        if (wanted.external && anchor_fext_) {
            const Wrench given = external({Array::fext, 6 * band_.first});
            left.anchor_force = {left.anchor_force.n - given.n, left.anchor_force.f - given.f};
        }
    }
    const bool external_forces = wanted.external && shoe_fext_;
    // What waits for the shoe before; and then, for all shoes side by side, what does not.
    Section before = section("anchor"), loop = section("shoes: angles and motion");
    Section apart = section("shoes: inertias and forces");
    const auto motionOf = [&](Expr rate, const Vec& a) {
        // Each pin adds w x (its rate), along the same axis for all.
        Motion motion;
        const Vec turning{Expr(), rate, Expr()};
        motion.w = numbers.w + turning;
        motion.alpha = cross(numbers.w, turning);
        motion.a = a;
        motion.W = accelerationPerDistance(motion.w, motion.alpha);
        return motion;
    };
    Kept cosine, sine, rate;
    KeptAll<3> acceleration, pin;
    const bool turned_shoes = wanted.inertia || wanted.forces;
    left.last = rolling.roll(before, loop, walk, start, [&](Forward& s, std::vector<Assignment>& stores) {
        s.angle = s.angle + pinInput(Array::q, walk);
        const Expr c = cos(s.angle), sin_angle = sin(s.angle);
        const Expr turn = fault_ == Fault::rotation_transposed ? -sin_angle : sin_angle;
        const Vec next = turned(c, turn).out(numbers.link);
        if (turned_shoes) cosine = rolling.keep(stores, walk, c), sine = rolling.keep(stores, walk, turn);
        if (wanted.forces || wanted.rates) s.rate = s.rate + pinInput(Array::v, walk);
        if (wanted.forces) {
            rate = rolling.keep(stores, walk, s.rate), acceleration = rolling.keep(stores, walk, s.a);
            if (external_forces) pin = rolling.keep(stores, walk, s.pin);
            s.a = s.a + motionOf(s.rate, {}).W * next;
        }
        if (wanted.arms) left.arm = rolling.keep(stores, walk, s.arm);
        if (wanted.pins) left.pin = rolling.keep(stores, walk, s.pin);
        if (wanted.rates) {
            s.pin_rate = s.pin_rate + s.rate * acrossPin(next);
            s.pin_products = s.pin_products + (s.rate * s.rate) * acrossPin(acrossPin(next));
        }
        if (wanted.rows) s.c = c, s.s = sin_angle;
        if (wanted.rows || wanted.pins || external_forces) s.pin = s.pin + next;
        s.arm = next;
    });
    sections.push_back(before), sections.push_back(loop);
    if (turned_shoes) {
        apart.repeat = Section::Count::constant, apart.count = walk.turns;
        const Rotation R = turned(rolling.read(cosine, walk), rolling.read(sine, walk));
        const Inertia own{
            numbers.shoe.m, R.out(numbers.shoe.h),
            fault_ == Fault::inertia_transposed ? R.transposed().out(numbers.shoe.I) : R.out(numbers.shoe.I)};
        if (wanted.forces) {
            Wrench force = inertialForce(own, motionOf(rolling.read(rate, walk), rolling.read(acceleration, walk)));
            if (external_forces) {
                const Wrench given = external(walk.place(Array::fext, 6 * (band_.first + 1), 6));
                force = {force.n - (given.n - cross(rolling.read(pin, walk), given.f)), force.f - given.f};
            }
            left.n = rolling.keep(apart.assignments, walk, force.n);
            left.f = rolling.keep(apart.assignments, walk, force.f);
        }
        if (wanted.inertia) {
            left.h = rolling.keep(apart.assignments, walk, own.h);
            left.I = rolling.keep(apart.assignments, walk, own.I.e);
        }
        sections.push_back(apart);
    }
    owners_.claim(band_.first);
    return left;
}

BandDynamics::Rows BandDynamics::rowsOf(const Forward& last, bool rates) const {
    // The walk has ended at the far end of the last shoe, a point fixed to it.
    Rows rows;
    const Rotation R = turned(last.c, last.s);
    const Vec to = numbers_.to - last.pin;
    const bool own_point = fault_ == Fault::loop_own_point;
    const Vec on_last = own_point ? R.out(numbers_.from) : to + last.arm;  // from its pin
    Vec moving;
    if (rates) {
        // The anchor's point as the turning last shoe sees it.
        const Vec seen = -last.pin_rate - last.rate * acrossPin(to);
        const Vec coriolis = (graph_.constant(2) * last.rate) * acrossPin(seen);
        const Vec centrifugal = (last.rate * last.rate) * acrossPin(acrossPin(to));
        moving = -last.pin_products;
        if (fault_ != Fault::loop_coriolis_missing) moving = moving - coriolis;
        if (fault_ != Fault::loop_centrifugal_missing) moving = moving - centrifugal;
        if (fault_ == Fault::loop_bias_missing) moving = Vec{};
        const double T = model_.stab;
        if (T > 0) {
            const Vec apart = to - R.out(numbers_.from - numbers_.link);
            const double back = fault_ == Fault::loop_stab_sign ? -1 : 1;
            moving = moving + graph_.constant((fault_ == Fault::loop_stab_factor ? 1 : 2) / T) * seen;
            moving = moving + graph_.constant(back / (T * T)) * apart;
        }
    }
    const std::vector<LoopRow> declared = mw::rowsOf(model_.loops[at(band_.loop)]);
    for (std::size_t k = 0; k < kRows; ++k) {
        const Vector3d& d = declared[k].direction;
        const Vec direction{graph_.constant(d[0]), graph_.constant(d[1]), graph_.constant(d[2])};
        const Vec e = R.out(direction);
        const Vec force = fault_ == Fault::loop_moves_in_successor ? direction
                          : fault_ == Fault::loop_paths_added      ? -e
                                                                   : e;
        rows.on_last[k] = {cross(on_last, force), force};
        rows.on_anchor[k] = {cross(numbers_.to, force), force};
        if (own_point) rows.on_anchor[k].n = cross(last.pin - last.arm + on_last, force);
        rows.wanted[k] = -dot(e, moving);
    }
    return rows;
}

BandDynamics::Pin BandDynamics::eliminate(Articulated& A) const {
    const Wrench U = columnOf(A, kPin);
    Pin pin;
    pin.inverse = graph_.constant(1) / (U.n[kPinAxis] + numbers_.armature);
    pin.g = {pin.inverse * U.n, pin.inverse * U.f};
    if (vanishes()) pin.g.n[kPinAxis] = graph_.constant(1);
    A = projected(A, kPin, U, pin.g, vanishes());
    return pin;
}

Wrench BandDynamics::passOn(const Wrench& p, Expr tau, const Pin& pin) const {
    const Expr u = tau - p.n[kPinAxis];
    Wrench r{p.n + u * pin.g.n, p.f + u * pin.g.f};
    if (vanishes()) r.n[kPinAxis] = tau;  // all that a pin passes on about itself
    return r;
}

Expr BandDynamics::accelerated(const Wrench& g, Expr share, Vec& alpha, const Vec& a) const {
    Vec n = g.n;
    if (vanishes()) {
        // g is 1 about the pin: the shoe's own turning does not depend on what its parent's is.
        n[kPinAxis] = Expr();
        const Expr turning = share - (dot(n, alpha) + dot(g.f, a)), x = turning - alpha[kPinAxis];
        alpha[kPinAxis] = turning;
        return x;
    }
    const Expr x = share - (dot(n, alpha) + dot(g.f, a));
    alpha[kPinAxis] = alpha[kPinAxis] + x;
    return x;
}

Articulated BandDynamics::onPinBefore(const Articulated& A, const Vec& arm) const {
    return fault_ == Fault::band_inertia_unmoved ? A : seenFromParent(A, Rotation(), arm, Fault::none);
}

BandDynamics::Anchor BandDynamics::eliminateAnchor(Articulated A) const {
    A = A + articulatedOf(numbers_.anchor);
    Anchor r;
    for (int d = 5; d >= 0; --d) {
        const Freedom freedom = anchorFreedom(d);
        const Wrench U = columnOf(A, freedom);
        r.inverse[at(d)] = graph_.constant(1) / freedom.along(U);
        if (d == 0) break;
        r.g[at(d)] = {r.inverse[at(d)] * U.n, r.inverse[at(d)] * U.f};
        A = projected(A, freedom, U, r.g[at(d)], true);
    }
    owners_.claim(band_.first);
    return r;
}

BandDynamics::Six BandDynamics::inwardAnchor(const Anchor& anchor, Wrench p, const Six& tau) const {
    Six u;
    for (int d = 5; d >= 0; --d) {
        u[at(d)] = tau[at(d)] - anchorFreedom(d).along(p);
        if (d > 0) p = {p.n + u[at(d)] * anchor.g[at(d)].n, p.f + u[at(d)] * anchor.g[at(d)].f};
    }
    return u;
}

BandDynamics::Six BandDynamics::outwardAnchor(const Anchor& anchor, const Six& u) const {
    Six x;
    for (int d = 0; d < 6; ++d) {
        const Wrench& g = anchor.g[at(d)];
        x[at(d)] = anchor.inverse[at(d)] * u[at(d)] - (dot(g.n, {x[0], x[1], x[2]}) + dot(g.f, {x[3], x[4], x[5]}));
    }
    return x;
}

BandDynamics::Closed BandDynamics::close(const Anchor& anchor, const Gram& gram, const Wrench (&columns)[kRows],
                                         const Rows& rows) const {
    Closed closed{{}, {}, Elimination(graph_, 0, kRows)};
    Gram sum = gram;
    for (std::size_t r = 0; r < kRows; ++r) {
        Wrench p{columns[r].n - rows.on_anchor[r].n, columns[r].f - rows.on_anchor[r].f};
        if (fault_ == Fault::loop_common_ancestors) p = {p.n - rows.on_anchor[r].n, p.f - rows.on_anchor[r].f};
        closed.u[r] = inwardAnchor(anchor, p, {});
        for (std::size_t d = 0; d < 6; ++d) closed.z[r][d] = anchor.inverse[d] * closed.u[r][d];
    }
    for (std::size_t r = 0; r < kRows; ++r)
        for (std::size_t s = 0; s <= r; ++s) {
            Expr& entry = sum[r + s];
            for (std::size_t d = 6; d-- > 0;) entry = entry + closed.z[r][d] * closed.u[s][d];
            closed.system.entry(static_cast<int>(r), static_cast<int>(s)) = entry;
            if (r == s) closed.system.gain(static_cast<int>(r)) = entry;
        }
    for (std::size_t r = 0; r < kRows; ++r) closed.system.pivot(static_cast<int>(r));
    owners_.claim(band_.first);
    return closed;
}

std::vector<Section> BandDynamics::accelerations(Rolling& rolling) const {
    std::vector<Section> sections;
    Wanted wanted;
    wanted.forces = wanted.external = wanted.free_fall = wanted.inertia = wanted.rows = wanted.rates = true;
    const Walked walked = walkOut(rolling, sections, wanted);
    const Rows rows = rowsOf(walked.last, true);

    // From the last shoe to the anchor: articulated inertia, force, and the two rows' unit forces.
    struct Inward {
        Articulated A;
        Wrench p;
        Wrench columns[kRows];
        Gram gram;
        std::array<Expr, kRows> taken;
        void each(const std::function<void(Expr&)>& f) {
            eachOf(A, f), eachOf(p, f);
            for (Wrench& column : columns) eachOf(column, f);
            for (Expr& e : gram) f(e);
            for (Expr& e : taken) f(e);
        }
    };
    Inward start;
    for (std::size_t r = 0; r < kRows; ++r) start.columns[r] = rows.on_last[r];
    Section before = section("closure"), loop = section("shoes: articulated inertias and forces");
    Kept share;
    KeptAll<kRows> column_share;
    KeptAll<3> gn, gf;
    const Walk in = inward();
    const Inward at_anchor = rolling.roll(before, loop, in, start, [&](Inward& s, std::vector<Assignment>& stores) {
        const Vec arm = rolling.read(walked.arm, in);
        s.A = s.A + articulatedOf({numbers_.shoe.m, rolling.read(walked.h, in), Sym{rolling.read(walked.I, in)}});
        const Pin pin = eliminate(s.A);
        s.A = onPinBefore(s.A, arm);
        const Wrench p = s.p + Wrench{rolling.read(walked.n, in), rolling.read(walked.f, in)};
        const Expr tau = pinInput(Array::tau, in) - numbers_.damping * pinInput(Array::v, in);
        const Expr u = tau - p.n[kPinAxis];
        share = rolling.keep(stores, in, pin.inverse * u);
        s.p = moved(passOn(p, tau, pin), arm);
        inwardColumns(rolling, stores, in, pin, arm, s.columns, s.gram, column_share,
                      [&](std::size_t r, Expr z) { s.taken[r] = s.taken[r] + z * u; });
        keepPin(rolling, stores, in, pin, gn, gf);
    });
    sections.push_back(before), sections.push_back(loop);
    owners_.claim(band_.first);

    // The anchor, the rows' multipliers, and its accelerations: relative to free fall, so that much is left out.
    Section middle = section("anchor and closure");
    const Anchor anchor = eliminateAnchor(at_anchor.A);
    const Closed closed = close(anchor, at_anchor.gram, at_anchor.columns, rows);
    Six tau;
    for (int d = 0; d < 6; ++d)
        tau[at(d)] = graph_.input(Array::tau, v_ + d) - numbers_.anchor_damping * graph_.input(Array::v, v_ + d);
    Six u = inwardAnchor(anchor, at_anchor.p + walked.anchor_force, tau);
    std::vector<Expr> right(kRows);
    for (std::size_t r = 0; r < kRows; ++r) {
        right[r] = rows.wanted[r] - at_anchor.taken[r];
        for (std::size_t d = 6; d-- > 0;) right[r] = right[r] - closed.z[r][d] * u[d];
    }
    std::vector<Expr> lambda = closed.system.solve(std::move(right));
    for (Expr& force : lambda) force = rolling.local(middle, force);
    for (std::size_t d = 0; d < 6; ++d)
        for (std::size_t r = 0; r < kRows; ++r) u[d] = u[d] + lambda[r] * closed.u[r][d];
    Six x = outwardAnchor(anchor, u);
    sections.push_back(middle);
    middle = section("anchor's accelerations, multipliers");
    for (Expr& e : x) e = rolling.local(middle, e);
    sections.push_back(middle);

    Section results = section("shoes: accelerations"), last = results;
    const Vec fall = transposedTimes(numbers_.R, vectorExpr(graph_, model_.gravity)) - cross(numbers_.w, numbers_.v);
    for (int d = 0; d < 6; ++d)
        results.assignments.push_back({Place{Array::vdot, v_ + d}, d < 3 ? x[at(d)] : x[at(d)] + fall[at(d - 3)]});
    for (int r = 0; r < static_cast<int>(kRows); ++r)
        results.assignments.push_back(
            {Place{Array::lambda, row_ + r}, fault_ == Fault::loop_lambda_sign ? -lambda[at(r)] : lambda[at(r)]});
    const Walk out = outward();
    rolling.roll(results, last, out, Outward{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}},
                 [&](Outward& s, std::vector<Assignment>& stores) {
                     s.a = s.a + cross(s.alpha, rolling.read(walked.arm, out));
                     Expr sum = rolling.read(share, out);
                     for (std::size_t r = 0; r < kRows; ++r) sum = sum + lambda[r] * rolling.read(column_share[r], out);
                     const Wrench g{rolling.read(gn, out), rolling.read(gf, out)};
                     stores.push_back({out.place(Array::vdot, v_ + 6, 1), accelerated(g, sum, s.alpha, s.a)});
                 });
    sections.push_back(results), sections.push_back(last);
    owners_.claim(band_.first);
    return sections;
}

void BandDynamics::keepPin(Rolling& rolling, std::vector<Assignment>& stores, const Walk& walk, const Pin& pin,
                           KeptAll<3>& n, KeptAll<3>& f) const {
    n = rolling.keep(stores, walk, pin.g.n), f = rolling.keep(stores, walk, pin.g.f);
}

}  // namespace mw::gen

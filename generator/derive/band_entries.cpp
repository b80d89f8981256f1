// The other entries of a band: inverse mass, poses, bias forces, mass matrix, Jacobian of the closure.
#include "generator/derive/band.h"
#include "generator/derive/numbers.h"
#include "generator/derive/stored.h"

namespace mw::gen {

namespace {
std::size_t at(int i) { return static_cast<std::size_t>(i); }
constexpr int kPinAxis = 1;
}  // namespace

BandDynamics::InverseMass BandDynamics::inverseMass(Rolling& rolling) const {
    InverseMass result;
    std::vector<Section>& factor = result.factor;
    Wanted wanted;
    wanted.inertia = wanted.rows = true;
    const Walked walked = walkOut(rolling, factor, wanted);
    const Rows rows = rowsOf(walked.last, false);
    struct Inward {
        Articulated A;
        Wrench columns[kRows];
        Gram gram;
        void each(const std::function<void(Expr&)>& f) {
            eachOf(A, f);
            for (Wrench& column : columns) eachOf(column, f);
            for (Expr& e : gram) f(e);
        }
    };
    Inward start;
    for (std::size_t r = 0; r < kRows; ++r) start.columns[r] = rows.on_last[r];
    Section before = section("closure"), loop = section("shoes: articulated inertias");
    const Walk in = inward(), out = outward();
    Kept inverse;
    KeptAll<3> gn, gf;
    KeptAll<kRows> column_share;
    const Inward at_anchor = rolling.roll(before, loop, in, start, [&](Inward& s, std::vector<Assignment>& stores) {
        const Vec arm = rolling.read(walked.arm, in);
        s.A = s.A + articulatedOf({numbers_.shoe.m, rolling.read(walked.h, in), Sym{rolling.read(walked.I, in)}});
        const Pin pin = eliminate(s.A);
        s.A = onPinBefore(s.A, arm);
        inverse = rolling.keep(stores, in, pin.inverse);
        inwardColumns(rolling, stores, in, pin, arm, s.columns, s.gram, column_share, [](std::size_t, Expr) {});
        keepPin(rolling, stores, in, pin, gn, gf);
    });
    factor.push_back(before), factor.push_back(loop);
    owners_.claim(band_.first);
    const Anchor anchor = eliminateAnchor(at_anchor.A);
    const Closed closed = close(anchor, at_anchor.gram, at_anchor.columns, rows);

    // One right-hand side: forces inwards, then the anchor, then outwards.
    const int first_local = rolling.nextLocal();
    struct Forces {
        Wrench p;
        std::array<Expr, kRows> taken;
        void each(const std::function<void(Expr&)>& f) {
            eachOf(p, f);
            for (Expr& e : taken) f(e);
        }
    };
    Section begin = section("inverse mass on each right-hand side"), inwards = section("shoes: forces");
    Walk rhs = in, results = out;
    rhs.outer = results.outer = nv_;
    Kept share;
    const Forces collected =
        rolling.roll(begin, inwards, in, Forces{}, [&](Forces& s, std::vector<Assignment>& stores) {
            const Pin pin{rolling.read(inverse, in), {rolling.read(gn, in), rolling.read(gf, in)}};
            const Expr tau = graph_.input(rhs.place(Array::rhs, v_ + 6, 1));
            const Expr u = tau - s.p.n[kPinAxis];
            share = rolling.keep(stores, in, pin.inverse * u);
            const std::array<Expr, kRows> z = rolling.read(column_share, in);
            for (std::size_t r = 0; r < kRows; ++r) s.taken[r] = s.taken[r] + z[r] * u;
            s.p = moved(passOn(s.p, tau, pin), rolling.read(walked.arm, in));
        });
    Six tau;
    for (int d = 0; d < 6; ++d) tau[at(d)] = graph_.input(Place{Array::rhs, v_ + d, nv_});
    Six u = inwardAnchor(anchor, collected.p, tau);
    std::vector<Expr> right(kRows);
    for (std::size_t r = 0; r < kRows; ++r) {
        right[r] = -collected.taken[r];
        for (std::size_t d = 6; d-- > 0;) right[r] = right[r] - closed.z[r][d] * u[d];
    }
    std::vector<Expr> values = closed.system.solve(std::move(right));
    for (std::size_t d = 0; d < 6; ++d)
        for (std::size_t r = 0; r < kRows; ++r) u[d] = u[d] + values[r] * closed.u[r][d];
    for (Expr x : outwardAnchor(anchor, u)) values.push_back(x);
    for (Expr& value : values) value = rolling.given(value);
    owners_.claim(band_.first);
    const int constants = rolling.end();
    const Stored split(graph_, owners_, values, constants, [&](const Place& place) {
        return place.array == Array::rhs || (place.array == Array::local && place.index >= first_local);
    });
    result.constants = static_cast<int>(split.kept.size());
    Section keeping = section("anchor and closure");
    for (std::size_t i = 0; i < split.kept.size(); ++i)
        keeping.assignments.push_back({Place{Array::work, constants + static_cast<int>(i)}, split.kept[i]});
    factor.push_back(keeping);

    Section middle = section("anchor and closure");
    values.clear();
    for (Expr value : split.results) values.push_back(rolling.local(middle, value));
    const Expr* x = values.data() + kRows;
    Section anchor_results = section("accelerations"), outwards = section("shoes: accelerations");
    for (int d = 0; d < 6; ++d) anchor_results.assignments.push_back({Place{Array::out, v_ + d, nv_}, x[d]});
    rolling.roll(anchor_results, outwards, out, Outward{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}},
                 [&](Outward& s, std::vector<Assignment>& stores) {
                     s.a = s.a + cross(s.alpha, rolling.read(walked.arm, out));
                     Expr sum = rolling.read(share, out);
                     for (std::size_t r = 0; r < kRows; ++r) sum = sum + values[r] * rolling.read(column_share[r], out);
                     const Wrench g{rolling.read(gn, out), rolling.read(gf, out)};
                     stores.push_back({results.place(Array::out, v_ + 6, 1), accelerated(g, sum, s.alpha, s.a)});
                 });
    result.apply = {begin, inwards, middle, anchor_results, outwards};
    owners_.claim(band_.first);
    return result;
}

std::vector<Section> BandDynamics::kinematics(Rolling& rolling) const {
    struct Pose {
        Expr angle;
        Vec r, w, v;
        void each(const std::function<void(Expr&)>& f) {
            f(angle);
            for (Vec* x : {&r, &w, &v})
                for (Expr& e : *x) f(e);
        }
    };
    const Mat& R0 = numbers_.R;
    const auto store = [&](std::vector<Assignment>& to, const auto& place, const Mat& R, const Pose& pose) {
        for (int k = 0; k < 9; ++k) to.push_back({place(Array::X, k), rolling.given(R.e[at(k)])});
        for (int k = 0; k < 3; ++k) {
            to.push_back({place(Array::X, 9 + k), pose.r[at(k)]});
            to.push_back({place(Array::V, k), pose.w[at(k)]});
            to.push_back({place(Array::V, 3 + k), pose.v[at(k)]});
        }
    };
    const Vec arm = R0 * numbers_.link;
    Pose anchor{{}, numbers_.r, R0 * numbers_.w, R0 * numbers_.v};
    Section before = section("pose and velocity of the anchor"), loop = section("shoes: poses and velocities");
    store(
        before.assignments,
        [&](Array array, int k) {
            return Place{array, (array == Array::X ? 12 : 6) * band_.first + k};
        },
        R0, anchor);
    anchor.r = anchor.r + arm, anchor.v = anchor.v + cross(anchor.w, arm);
    const Walk out = outward();
    rolling.roll(before, loop, out, anchor, [&](Pose& s, std::vector<Assignment>& stores) {
        s.angle = s.angle + pinInput(Array::q, out);
        const Expr sine = sin(s.angle);
        const Mat R = turned(cos(s.angle), fault_ == Fault::rotation_transposed ? -sine : sine).after(R0);
        s.w = s.w + pinInput(Array::v, out) * Vec{R0(0, kPinAxis), R0(1, kPinAxis), R0(2, kPinAxis)};
        store(
            stores,
            [&](Array array, int k) {
                const int each = array == Array::X ? 12 : 6;
                return out.place(array, each * (band_.first + 1) + k, each);
            },
            R, s);
        const Vec next = R * numbers_.link;
        s.r = s.r + next, s.v = s.v + cross(s.w, next);
    });
    owners_.claim(band_.first);
    return {before, loop};
}

std::vector<Section> BandDynamics::bias(Rolling& rolling) const {
    std::vector<Section> sections;
    Wanted wanted;
    wanted.forces = true;
    const Walked walked = walkOut(rolling, sections, wanted);
    struct Sum {
        Wrench p;
        void each(const std::function<void(Expr&)>& f) { eachOf(p, f); }
    };
    Section before = section("shoes: bias forces"), loop = before, last = section("bias forces of the anchor");
    const Walk in = inward();
    const Sum sum = rolling.roll(before, loop, in, Sum{}, [&](Sum& s, std::vector<Assignment>& stores) {
        const Wrench p = s.p + Wrench{rolling.read(walked.n, in), rolling.read(walked.f, in)};
        stores.push_back({in.place(Array::c, v_ + 6, 1), rolling.given(p.n[kPinAxis])});
        s.p = moved(p, rolling.read(walked.arm, in));
    });
    const Wrench total = sum.p + walked.anchor_force;
    for (int d = 0; d < 6; ++d)
        last.assignments.push_back(
            {Place{Array::c, v_ + d}, rolling.given(d < 3 ? total.n[at(d)] : total.f[at(d - 3)])});
    sections.insert(sections.end(), {before, loop, last});
    owners_.claim(band_.first);
    return sections;
}

std::vector<Section> BandDynamics::massMatrix(Rolling& rolling) const {
    std::vector<Section> sections;
    Wanted wanted;
    wanted.inertia = wanted.pins = true;
    const Walked walked = walkOut(rolling, sections, wanted);
    // What hangs on each pin as one body, about the pin; its momentum when the pin turns.
    struct Composite {
        Inertia body;
        void each(const std::function<void(Expr&)>& f) {
            f(body.m);
            for (Expr& e : body.h) f(e);
            for (Expr& e : body.I.e) f(e);
        }
    };
    const auto entry = [&](int row, int column) { return Place{Array::M, row * nv_ + column}; };
    const Walk in = inward(), out = outward();
    const Vec axis{Expr(), graph_.constant(1), Expr()};
    KeptAll<3> kept_n, kept_f;
    Section before = section("composite bodies"), loop = before;
    const Composite all =
        rolling.roll(before, loop, in, Composite{}, [&](Composite& s, std::vector<Assignment>& stores) {
            const Inertia body{s.body.m + numbers_.shoe.m, s.body.h + rolling.read(walked.h, in),
                               s.body.I + Sym{rolling.read(walked.I, in)}};
            kept_n = rolling.keep(stores, in, Vec{body.I(0, kPinAxis), body.I(1, kPinAxis), body.I(2, kPinAxis)});
            kept_f = rolling.keep(stores, in, cross(axis, body.h));
            s.body = gen::moved(graph_, body, Rotation(), rolling.read(walked.arm, in));
        });
    sections.insert(sections.end(), {before, loop});

    // The whole band about the anchor.
    Section block = section("mass matrix, rows of the anchor");
    const Inertia body{all.body.m + numbers_.anchor.m, all.body.h + numbers_.anchor.h, all.body.I + numbers_.anchor.I};
    const Mat H = crossMatrix(body.h);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const auto add = [&](int row, int column, Expr value) {
                if (!value.isZero()) block.assignments.push_back({entry(v_ + row, v_ + column), value});
            };
            add(i, j, body.I(i, j));
            add(i, 3 + j, H(i, j));
            add(3 + i, j, H(j, i));
            add(3 + i, 3 + j, i == j ? body.m : Expr());
        }
    sections.push_back(block);

    const auto strided = [&](int row, int column, int per) {
        const Place place = entry(row, column);
        return out.place(place.array, place.index, per);
    };
    Section columns = section("mass matrix, shoes against the anchor");
    columns.repeat = Section::Count::constant, columns.count = joints();
    const Vec n = rolling.read(kept_n, out), f = rolling.read(kept_f, out);
    const Vec about = n + cross(rolling.read(walked.pin, out), f);
    for (int d = 0; d < 6; ++d) {
        const Expr value = d < 3 ? about[at(d)] : f[at(d - 3)];
        if (value.isZero()) continue;
        columns.assignments.push_back({strided(v_ + 6, v_ + d, nv_), value});
        columns.assignments.push_back({strided(v_ + d, v_ + 6, 1), value});
    }
    sections.push_back(columns);

    // Two shoes: the outer one's momentum about the inner one's pin. Each turn of the outer loop writes a whole row and
    // column; what it writes towards later shoes is no entry, and these write over it.
    Section pairs = section("mass matrix, shoes against shoes");
    pairs.repeat = Section::Count::constant, pairs.count = joints();
    const auto outerOf = [&](const KeptAll<3>& kept) {
        Vec values;
        for (std::size_t k = 0; k < 3; ++k) values[k] = rolling.local(pairs, rolling.given(rolling.read(kept[k], out)));
        return values;
    };
    const Vec pin = outerOf(walked.pin), n_outer = outerOf(kept_n), f_outer = outerOf(kept_f);
    Section inner = section("");
    inner.repeat = Section::Count::constant, inner.count = joints();
    const Expr value = n_outer[kPinAxis] + cross(pin - rolling.read(walked.pin, out), f_outer)[kPinAxis];
    const int corner = (v_ + 6) * nv_ + v_ + 6;
    inner.assignments.push_back({Place{Array::M, corner, 1, nv_}, value});
    inner.assignments.push_back({Place{Array::M, corner, nv_, 1}, value});
    pairs.inner.push_back(inner);
    sections.push_back(pairs);

    if (!numbers_.armature.isZero()) {
        Section diagonal = section("mass matrix, armature");
        diagonal.repeat = Section::Count::constant, diagonal.count = joints();
        diagonal.assignments.push_back({Place{Array::M, corner, nv_ + 1}, n[kPinAxis] + numbers_.armature});
        sections.push_back(diagonal);
    }
    owners_.claim(band_.first);
    return sections;
}

std::vector<Section> BandDynamics::jacobian(Rolling& rolling) const {
    std::vector<Section> sections;
    Wanted wanted;
    wanted.rows = wanted.pins = true;
    wanted.arms = false;
    const Walked walked = walkOut(rolling, sections, wanted);
    const Rows rows = rowsOf(walked.last, false);
    Section before = section("closure"), loop = section("Jacobian of the closure");
    const Walk out = outward();
    loop.repeat = Section::Count::constant, loop.count = joints();
    const bool common = fault_ == Fault::loop_common_ancestors;
    Section on_anchor = section("");
    for (std::size_t r = 0; r < kRows; ++r) {
        // The row's force on the predecessor, taken about each pin.
        const int row = (row_ + static_cast<int>(r)) * nv_ + v_;
        Vec force, about_anchor = rows.on_anchor[r].n;
        for (std::size_t k = 0; k < 3; ++k) {
            force[k] = rolling.local(before, rolling.given(rows.on_anchor[r].f[k]));
            about_anchor[k] = rolling.local(before, rolling.given(about_anchor[k]));
        }
        const Vec moment = about_anchor - cross(rolling.read(walked.pin, out), force);
        loop.assignments.push_back({out.place(Array::K, row + 6, 1), -moment[kPinAxis]});
        if (common)
            for (int d = 0; d < 6; ++d)
                on_anchor.assignments.push_back(
                    {Place{Array::K, row + d}, rolling.given(d < 3 ? about_anchor[at(d)] : force[at(d - 3)])});
    }
    sections.insert(sections.end(), {before, loop});
    if (common) sections.push_back(on_anchor);
    owners_.claim(band_.first);
    return sections;
}

}  // namespace mw::gen

// Which routine a pair of kinds takes, and the order in which it takes them.
#include "engine/contact/collide.h"

#include <algorithm>
#include <cmath>

namespace mw::collide {

namespace {

using Kind = Shape::Kind;

/// A routine for (A, B) where the two came the other way round.
void swapped(void (*routine)(const Solid&, const Solid&, double, Touches&), const Solid& A, const Solid& B,
             double reach, Touches& out) {
    const std::size_t before = out.size();
    routine(B, A, reach, out);
    for (std::size_t i = before; i < out.size(); i++) {
        std::swap(out[i].a, out[i].b);
        out[i].normal = -out[i].normal;
    }
}

}  // namespace

void touches(const Solid& A, const Solid& B, double reach, Touches& out) {
    using Routine = void (*)(const Solid&, const Solid&, double, Touches&);
    struct Entry {
        Kind a, b;
        Routine routine;
    };
    static constexpr Entry kRoutines[] = {
        {Kind::sphere, Kind::sphere, sphereSphere}, {Kind::sphere, Kind::capsule, sphereCapsule},
        {Kind::sphere, Kind::box, sphereBox},       {Kind::capsule, Kind::capsule, capsuleCapsule},
        {Kind::capsule, Kind::box, capsuleBox},     {Kind::box, Kind::box, boxBox},
    };
    for (const Entry& entry : kRoutines) {
        if (A.kind == entry.a && B.kind == entry.b) return entry.routine(A, B, reach, out);
        if (A.kind == entry.b && B.kind == entry.a) return swapped(entry.routine, A, B, reach, out);
    }
    convexPair(A, B, reach, out);
}

void keepEight(Touches& out, std::size_t before) {
    if (out.size() <= before + 8) return;
    const auto begin = out.begin() + std::ptrdiff_t(before);
    std::iter_swap(begin, std::min_element(begin, out.end(), [](const Touch& s, const Touch& t) {
                       return s.gap < t.gap - 1e-9 || (std::abs(s.gap - t.gap) <= 1e-9 && s.feature < t.feature);
                   }));
    for (std::ptrdiff_t k = 1; k < 8; k++) {
        auto far = begin + k;
        double most = -1;
        for (auto it = begin + k; it != out.end(); ++it) {
            double room = HUGE_VAL;
            for (auto taken = begin; taken != begin + k; ++taken)
                room = std::min(room, (taken->a - it->a).squaredNorm());
            if (room > most * (1 + 1e-6) + 1e-18) most = room, far = it;
        }
        std::iter_swap(begin + k, far);
    }
    out.resize(before + 8);
}

}  // namespace mw::collide

// Every loaded contact as people read it: who on whom, where, how deep, with which force and state.
#include "engine/contact/contact_walk.h"

namespace mw {

std::vector<ContactReading> ContactModel::readings(std::span<const double> X, std::span<const double> V,
                                                   const ContactSettings& settings,
                                                   std::span<const double> anchors) const {
    using namespace contact_walk;
    std::vector<ContactReading> all;
    const auto shoeName = [&](int track, int shoe) -> const std::string& {
        return bodies_[std::size_t(bands_[std::size_t(track)].first + shoe)].name;
    };

    visitPairs(X.data(), V.data(), settings, [&](const PairAt& at) {
        const PairForce& f = at.force;
        const Vector3d total = f.total();
        if (!(f.depth > 0) && total == Vector3d{}) return;
        ContactReading r;
        r.kind = at.pin ? ContactReading::Kind::pin : ContactReading::Kind::face;
        r.track = at.track;
        r.shoe = at.shoe;
        r.roller = at.roller;
        r.a = at.a;
        r.b = at.b;
        r.id = shoeName(at.track, at.shoe) + "/" + bands_[std::size_t(at.track)].rollers[std::size_t(at.roller)].name;
        r.point = at.point;
        r.depth = f.depth;
        r.normal_force = f.normal;
        r.friction = toBase(at.frame, f.friction);
        r.guide = toBase(at.frame, f.guide);
        r.gate = toBase(at.frame, f.gate);
        r.force = toBase(at.frame, total);
        r.potential = f.potential;
        r.power = f.power;
        Vector3d normal{0, 0, -1}, slip{-at.u_foot[0], -at.u_foot[1], 0};
        if (at.pin) {
            const double rho = std::hypot(at.local[0], at.local[2]);
            normal = rho > 1e-12 ? Vector3d{at.local[0] / rho, 0, at.local[2] / rho} : Vector3d{0, 0, 1};
            const double along = dot(at.u, normal);
            for (std::size_t i = 0; i < 3; i++) slip[i] = at.u[i] - along * normal[i];
        }
        r.normal = toBase(at.frame, normal);
        r.slip = toBase(at.frame, slip);
        const bool toothed = at.fskip > 0;
        r.limit = toothed ? at.fskip : at.mu * f.normal;
        const double veps = bands_[std::size_t(at.track)].rollers[std::size_t(at.roller)].pin.veps;
        const bool slips = toothed ? f.tooth < 0 : dot(slip, slip) > veps * veps;
        const bool held = toothed || f.depth > 0;
        r.state = !held ? ContactState::open : slips ? ContactState::slip : ContactState::stick;
        all.push_back(std::move(r));
    });

    const bool anchored = settings.friction == Friction::anchored && anchors.size() >= anchorSize();
    visitPoints(X.data(), V.data(), settings, anchored ? anchors.data() : nullptr, nullptr, [&](const PointAt& at) {
        const GroundForce& f = at.force;
        ContactReading r;
        r.kind = ContactReading::Kind::ground;
        r.track = at.track;
        r.shoe = at.shoe;
        r.corner = at.corner;
        r.b = at.body;
        r.id = shoeName(at.track, at.shoe) + "/ground" + std::to_string(at.corner);
        r.point = at.point;
        r.normal = f.normal;
        r.depth = f.depth;
        r.normal_force = f.normal_force;
        r.friction = f.friction;
        r.force = f.elastic + f.dissipative;
        const double along = dot(at.u, f.normal);
        for (std::size_t i = 0; i < 3; i++) r.slip[i] = at.u[i] - along * f.normal[i];
        r.limit = at.mu * f.normal_force;
        r.potential = f.potential + f.anchor_energy;
        r.power = f.power;
        r.state = f.slips ? ContactState::slip : ContactState::stick;
        all.push_back(std::move(r));
    });
    return all;
}

}  // namespace mw

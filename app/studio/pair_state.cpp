// Frames and velocities as engine/contact/pair_laws.h wants them (docs/contact.md, "Pins on an end roller", "Faces
// under a road wheel").
#include "app/studio/pair_state.h"

#include <algorithm>
#include <cmath>

#include "engine/model/vectors.h"

namespace mw::app {
namespace {

Vector3d operator-(const Vector3d& a, const Vector3d& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Vector3d operator+(const Vector3d& a, const Vector3d& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }

/// A body as kernel_abi.h has it: R row by row and origin; angular velocity and that of the origin.
struct Placed {
    const double *X, *V;
    Vector3d origin() const { return {X[9], X[10], X[11]}; }
    Vector3d toBase(const Vector3d& v) const {
        return {X[0] * v[0] + X[1] * v[1] + X[2] * v[2], X[3] * v[0] + X[4] * v[1] + X[5] * v[2],
                X[6] * v[0] + X[7] * v[1] + X[8] * v[2]};
    }
    Vector3d toBody(const Vector3d& v) const {
        return {X[0] * v[0] + X[3] * v[1] + X[6] * v[2], X[1] * v[0] + X[4] * v[1] + X[7] * v[2],
                X[2] * v[0] + X[5] * v[1] + X[8] * v[2]};
    }
    /// Of the material at a place of the base.
    Vector3d velocityAt(const Vector3d& p) const {
        return Vector3d{V[3], V[4], V[5]} + cross({V[0], V[1], V[2]}, p - origin());
    }
};

}  // namespace

std::optional<PairId> pairOf(const Model& model, const std::string& contact) {
    const std::size_t slash = contact.find('/');
    if (slash == std::string::npos) return std::nullopt;
    const int body = model.findBody(contact.substr(0, slash));
    const std::string other = contact.substr(slash + 1);
    for (std::size_t t = 0; t < model.tracks.size(); ++t) {
        const Track& track = model.tracks[t];
        if (track.first_shoe < 0 || body < track.first_shoe || body >= track.first_shoe + track.shoes) continue;
        PairId pair{static_cast<int>(t), body - track.first_shoe, -1, 0};
        for (std::size_t r = 0; r < track.rollers.size(); ++r) {
            if (model.bodies[static_cast<std::size_t>(track.rollers[r].body)].name != other) continue;
            pair.roller = static_cast<int>(r);
            return pair;
        }
        if (other.size() != 7 || other.compare(0, 6, "ground") != 0 || other[6] < '0' || other[6] > '3')
            return std::nullopt;
        pair.corner = other[6] - '0';
        return pair;
    }
    return std::nullopt;
}

std::string contactName(const Model& model, const PairId& pair) {
    const Track& track = model.tracks[static_cast<std::size_t>(pair.track)];
    const std::string shoe = model.bodies[static_cast<std::size_t>(track.first_shoe + pair.shoe)].name;
    if (pair.roller < 0) return shoe + "/ground" + std::to_string(pair.corner);
    const int body = track.rollers[static_cast<std::size_t>(pair.roller)].body;
    return shoe + "/" + model.bodies[static_cast<std::size_t>(body)].name;
}

PairState pairState(const Snapshot& s, const ContactModel& contact, const PairId& id) {
    PairState p;
    const Track& track = s.model->tracks[static_cast<std::size_t>(id.track)];
    const auto placed = [&](int body) {
        const auto b = static_cast<std::size_t>(body);
        return Placed{&s.readings.X[12 * b], &s.readings.V[6 * b]};
    };
    const Placed shoe = placed(track.first_shoe + id.shoe);
    const double gain = contactGain(s.contact, s.state.t);
    p.pad_z = track.pad_z;
    p.link = track.link;
    const auto scale = [&](auto& law) {
        law.kn *= gain, law.cn *= gain, law.guide *= gain, law.cg *= gain;
        law.dt = s.dt;
    };
    PairForce f;
    if (id.roller >= 0) {
        const Track::Roller& roller = track.rollers[static_cast<std::size_t>(id.roller)];
        const Placed wheel = placed(roller.body);
        if (roller.end) {
            p.kind = PairState::Kind::pin;
            p.pin = contact.pinLaw(id.track, id.roller);
            scale(p.pin);
            p.pin.fskip *= gain, p.pin.ct *= gain;
            const auto inRoller = [&](int index) {
                const int wrapped = (index + track.shoes) % track.shoes;
                return wheel.toBody(placed(track.first_shoe + wrapped).origin() - wheel.origin());
            };
            p.at = inRoller(id.shoe), p.next = inRoller(id.shoe + 1), p.before = inRoller(id.shoe - 1);
            p.u = wheel.toBody(shoe.velocityAt(shoe.origin()) - wheel.velocityAt(shoe.origin()));
            f = pinForce(p.pin, p.at, p.u);
            // The depth is said of pairs that are far apart, too.
            p.depth = p.pin.radius - std::hypot(p.at[0], p.at[2]);
            if (p.pin.teeth > 0) {
                const double theta = std::atan2(-p.at[0], -p.at[2]), n = p.pin.teeth;
                p.tooth_angle =
                    std::remainder(n * theta - std::atan2(p.pin.pocket_sine, p.pin.pocket_cosine), 2 * M_PI) / n;
            }
            const double rho = std::hypot(p.at[0], p.at[2]);
            if (rho > 0) {
                const double along = (p.at[2] * p.u[0] - p.at[0] * p.u[2]) / rho;
                p.slip = std::hypot(along, p.u[1]);
            }
        } else {
            p.kind = PairState::Kind::face;
            p.face = contact.faceLaw(id.track, id.roller);
            scale(p.face);
            p.at = shoe.toBody(wheel.origin() - shoe.origin());
            p.u = shoe.toBody(wheel.velocityAt(wheel.origin()) - shoe.velocityAt(wheel.origin()));
            const Vector3d foot = shoe.origin() + shoe.toBase({p.at[0], p.at[1], p.face.face_z});
            p.u_foot = shoe.toBody(wheel.velocityAt(foot) - shoe.velocityAt(foot));
            f = faceForce(p.face, p.at, p.u, p.u_foot);
            p.depth = p.face.radius - (p.at[2] - p.face.face_z);
            p.slip = std::hypot(p.u_foot[0], p.u_foot[1]);
        }
        p.normal = f.normal, p.tangential = norm(f.friction), p.potential = f.potential, p.power = f.power;
    } else {
        p.kind = PairState::Kind::ground;
        p.ground = contact.groundLaw(id.track);
        p.ground.kn *= gain, p.ground.cn *= gain, p.ground.kt *= gain, p.ground.ct *= gain;
        p.ground.dt = s.dt;
        const Vector3d corner = contact.padCorners(id.track)[static_cast<std::size_t>(id.corner)];
        p.at = shoe.origin() + shoe.toBase(corner);
        p.u = shoe.velocityAt(p.at);
        constexpr std::size_t kOtherEnd[] = {1, 0, 3, 2};  // corners go round
        p.pad_end =
            shoe.origin() + shoe.toBase(contact.padCorners(id.track)[kOtherEnd[static_cast<std::size_t>(id.corner)]]);
        if (contact.hasGround()) {
            const auto here = contact.terrain().at(p.at[0], p.at[1]);
            p.height = here.height, p.slope_x = here.slope_x, p.slope_y = here.slope_y;
            const GroundForce g = groundForce(p.ground, p.height, p.slope_x, p.slope_y, p.at, p.u);
            p.normal = g.normal_force, p.tangential = norm(g.friction), p.potential = g.potential, p.power = g.power;
            const double up = std::sqrt(1 + p.slope_x * p.slope_x + p.slope_y * p.slope_y);
            const Vector3d n{-p.slope_x / up, -p.slope_y / up, 1 / up};
            const double away = p.u[0] * n[0] + p.u[1] * n[1] + p.u[2] * n[2];
            p.slip = std::sqrt(std::max(0.0, norm(p.u) * norm(p.u) - away * away));
            p.depth = p.height - p.at[2];
        }
    }
    // What acts is in the readings; friction there knows how many pins share the roller, and anchors.
    const std::string name = contactName(*s.model, id);
    for (const ContactReading& c : s.readings.contacts) {
        if (c.id != name) continue;
        p.loaded = true;
        p.depth = c.depth, p.normal = c.normal_force, p.tangential = norm(c.friction), p.slip = norm(c.slip);
        p.potential = c.potential, p.power = c.power, p.state = c.state;
    }
    return p;
}

LawForce forceAtDepth(const PairState& p, double depth, bool moving) {
    const Vector3d u = moving ? p.u : Vector3d{}, u_foot = moving ? p.u_foot : Vector3d{};
    switch (p.kind) {
        case PairState::Kind::pin: {
            const double rho = std::hypot(p.at[0], p.at[2]), to = p.pin.radius - depth;
            const Vector3d d =
                rho > 1e-9 ? Vector3d{p.at[0] / rho * to, p.at[1], p.at[2] / rho * to} : Vector3d{0, p.at[1], -to};
            const PairForce f = pinForce(p.pin, d, u);
            return {f.normal, f.potential};
        }
        case PairState::Kind::face: {
            const PairForce f = faceForce(p.face, {p.at[0], p.at[1], p.face.face_z + p.face.radius - depth}, u, u_foot);
            return {f.normal, f.potential};
        }
        case PairState::Kind::ground: {
            const GroundForce f = groundForce(p.ground, p.at[2] + depth, p.slope_x, p.slope_y, p.at, u);
            return {f.normal_force, f.potential};
        }
    }
    return {};
}

double toothPotential(const PairState& p, double angle, double g) {
    // On the rim itself the teeth are engaged whole, and the radial spring has nothing yet.
    const double theta = std::atan2(p.pin.pocket_sine, p.pin.pocket_cosine) / std::max(1, p.pin.teeth) + angle;
    return g * pinForce(p.pin, {-p.pin.radius * std::sin(theta), 0, -p.pin.radius * std::cos(theta)}, {}).potential;
}

double frictionAtSlip(const PairState& p, double slip) {
    double mu = p.face.mu, veps = p.face.veps, dt = p.face.dt, mass = p.face.mass;
    if (p.kind == PairState::Kind::pin) mu = p.pin.mu, veps = p.pin.veps, dt = p.pin.dt, mass = p.pin.mass;
    if (p.kind == PairState::Kind::ground)
        mu = p.ground.mu, veps = p.ground.veps, dt = p.ground.dt, mass = p.ground.mass;
    return frictionSlope(mu, p.normal, slip * slip, veps, dt, mass) * slip;
}

}  // namespace mw::app

// What of a Model the contact laws need, gathered once: bands, rollers, pads, and their numbers as parameters stand.
#include "engine/contact/contact.h"

#include <algorithm>
#include <cmath>

namespace mw {

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kStandardGravity = 9.81;  // m/s^2, for depths that scale with a weight
constexpr double kLeastMass = 1e-12;       // kg

double criticalShare(double zeta, double stiffness, double mass) {
    return 2 * zeta * std::sqrt(std::max(stiffness * mass, 0.0));
}

}  // namespace

const char* contactStateName(ContactState state) {
    switch (state) {
        case ContactState::open: return "open";
        case ContactState::stick: return "stick";
        case ContactState::slip: return "slip";
    }
    return "";
}

ContactModel::ContactModel(const Model& model, double tilt) {
    if (model.ground) {
        ground_ = model.ground;
        terrain_ = Terrain(*model.ground, tilt);
    }
    for (const Track& track : model.tracks)
        if (track.first_shoe >= 0) tracks_.push_back(track);
    if (!tracks_.empty()) bodies_ = model.bodies;

    for (const Track& track : tracks_) {
        Band band;
        band.first = track.first_shoe;
        band.count = track.shoes;
        band.link = track.link;
        band.pad_z = track.pad_z;
        band.pad_x = 0.5 * track.pad_length;
        band.pad_y = 0.5 * track.pad_width;
        band.name = track.name;
        for (const Track::Roller& r : track.rollers) {
            Roller roller;
            roller.body = r.body;
            roller.end = r.end;
            roller.name = r.body >= 0 ? bodies_[std::size_t(r.body)].name : "base";
            roller.pin.radius = roller.face.radius = r.radius;
            roller.pin.gate = roller.face.gate = track.gate;
            roller.pin.teeth = r.driven ? r.teeth : 0;
            roller.pin.pocket_cosine = std::cos(r.teeth * r.phase);
            roller.pin.pocket_sine = std::sin(r.teeth * r.phase);
            roller.face.link = track.link;
            roller.face.fade = track.fade > 0 ? track.fade : 0.25 * track.link;
            roller.face.face_z = track.pad_z + track.thickness;
            band.rollers.push_back(roller);
        }
        pairs_ += track.shoes * static_cast<int>(track.rollers.size());
        if (ground_) points_ += 4 * track.shoes;
        bands_.push_back(std::move(band));
    }
    resolve(model.liveValues());
}

void ContactModel::setParameters(std::span<const double> param) {
    if (std::equal(param.begin(), param.end(), param_.begin(), param_.end())) return;
    resolve(param);
}

void ContactModel::resolve(std::span<const double> param) {
    param_.assign(param.begin(), param.end());
    double total = 0;
    for (const Body& body : bodies_) total += body.mass.at(param);
    // What one point of the ground carries: of all declared, about a quarter (the lower run) is down at a time.
    const double supported = total / std::max(0.25 * points_, 1.0);

    for (std::size_t i = 0; i < bands_.size(); i++) {
        const Track& track = tracks_[i];
        Band& band = bands_[i];
        const double kn = track.kn.at(param), zeta = track.zeta.at(param), guide = track.guide.at(param);
        const double mu = track.mu.at(param), veps = track.veps.at(param), fskip = track.fskip.at(param);
        band.shoe_mass = std::max(bodies_[std::size_t(band.first)].mass.at(param), kLeastMass);
        const double cn = criticalShare(zeta, kn, band.shoe_mass), cg = criticalShare(zeta, guide, band.shoe_mass);
        const double onset = band.shoe_mass * kStandardGravity / kn;

        for (Roller& roller : band.rollers) {
            roller.rim = 0;
            if (roller.body >= 0) {
                const Body& body = bodies_[std::size_t(roller.body)];
                const double mass = body.mass.at(param), x = body.cg[0].at(param), z = body.cg[2].at(param);
                const double spin = body.inertia[1].at(param) + mass * (x * x + z * z);  // about the axle
                const double radius = roller.pin.radius;
                // A roller without mass is held by what it hangs on; one without inertia spins along at once.
                roller.rim = (mass > 0 ? 1 / mass : 0) + radius * radius / std::max(spin, kLeastMass);
            }
            PinLaw& pin = roller.pin;
            pin.kn = kn;
            pin.cn = cn;
            pin.guide = guide;
            pin.cg = cg;
            pin.mu = mu;
            pin.veps = veps;
            pin.onset = onset;
            pin.mass = 1 / (1 / band.shoe_mass + roller.rim);
            if (pin.teeth > 0) {
                pin.fskip = fskip;
                pin.ct = criticalShare(zeta, fskip * pin.teeth / pin.radius, band.shoe_mass);  // of the tooth's spring
            }
            FaceLaw& face = roller.face;
            face.kn = kn;
            face.cn = cn;
            face.guide = guide;
            face.cg = cg;
            face.mu = mu;
            face.veps = veps;
            face.onset = onset;
            face.mass = pin.mass;
        }

        GroundLaw& law = band.ground;
        const auto own = [&](const std::optional<Number>& value, const Number& other) {
            return (value ? *value : other).at(param);
        };
        const Ground none;
        const Ground& ground = ground_ ? *ground_ : none;
        law.kn = own(ground.kn, track.kn);
        const double track_kt = track.kt.at(param);
        law.kt = ground.kt ? ground.kt->at(param) : ground.kn || !(track_kt > 0) ? law.kn : track_kt;
        law.mu = own(ground.mu, track.mu);
        law.veps = own(ground.veps, track.veps);
        const double ground_zeta = own(ground.zeta, track.zeta);
        law.cn = criticalShare(ground_zeta, law.kn, supported);
        law.ct = criticalShare(ground_zeta, law.kt, supported);
        law.onset = 0.1 * supported * kStandardGravity / law.kn;
        law.mass = 0.25 * band.shoe_mass;
    }
}

bool ContactModel::empty() const { return pairs_ == 0 && points_ == 0; }
bool ContactModel::hasGround() const { return ground_.has_value(); }
bool ContactModel::hasBands() const { return !bands_.empty(); }
int ContactModel::declaredPairs() const { return pairs_; }
int ContactModel::declaredPoints() const { return points_; }
std::size_t ContactModel::anchorSize() const { return 4 * std::size_t(points_); }

double ContactModel::accuracyStep(double samples) const {
    double least = 0;
    const auto consider = [&](double mass, double stiffness) {
        if (!(stiffness > 0)) return;
        const double step = 2 * kPi * std::sqrt(mass / stiffness) / samples;
        if (least == 0 || step < least) least = step;
    };
    for (const Band& band : bands_) {
        if (!band.rollers.empty()) consider(band.shoe_mass, band.rollers.front().pin.kn);
        if (points_ > 0) consider(band.ground.mass, band.ground.kn);
    }
    return least;
}

PinLaw ContactModel::pinLaw(int track, int roller) const {
    return bands_.at(std::size_t(track)).rollers.at(std::size_t(roller)).pin;
}

FaceLaw ContactModel::faceLaw(int track, int roller) const {
    return bands_.at(std::size_t(track)).rollers.at(std::size_t(roller)).face;
}

GroundLaw ContactModel::groundLaw(int track) const { return bands_.at(std::size_t(track)).ground; }

std::array<Vector3d, 4> ContactModel::padCorners(int track) const {
    const Band& b = bands_.at(std::size_t(track));
    const double back = 0.5 * b.link - b.pad_x, front = 0.5 * b.link + b.pad_x;
    return {Vector3d{back, -b.pad_y, b.pad_z}, Vector3d{front, -b.pad_y, b.pad_z}, Vector3d{front, b.pad_y, b.pad_z},
            Vector3d{back, b.pad_y, b.pad_z}};
}

double ContactModel::pairMass(int track, int roller, int loaded) const {
    const Band& band = bands_.at(std::size_t(track));
    return 1 / (1 / band.shoe_mass + loaded * band.rollers.at(std::size_t(roller)).rim);
}

}  // namespace mw

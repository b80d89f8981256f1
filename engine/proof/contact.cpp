// Gates of contacts at single states: that forces come in pairs, that the elastic part is a gradient and the rest only
// brakes, that friction stays in its cone, that the ground presses on shoes alone and by the law that is written once
// more here.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/draw.h"
#include "engine/dynamics/drift.h"
#include "engine/proof/contact_laws.h"
#include "engine/proof/contact_states.h"
#include "engine/spatial/spatial.h"

namespace mw::proof {

namespace {

Vector3 vec(const double* p) { return {p[0], p[1], p[2]}; }
Vector3 vec(const Vector3d& p) { return {p[0], p[1], p[2]}; }
Matrix3 turnOf(const double* X) { return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(X); }

Model withoutGround(Model model) {
    model.ground.reset();
    return model;
}

/// [moment about the base origin; force] per body.
using Wrenches = std::vector<double>;

void addTo(Wrenches& wrenches, int body, const Vector3& point, const Vector3& force) {
    if (body == kBase) return;
    double* w = &wrenches[6 * static_cast<std::size_t>(body)];
    Eigen::Map<Vector3>{w} += point.cross(force);
    Eigen::Map<Vector3>{w + 3} += force;
}

/// Power of a wrench on a body that moves with V (kernel_abi.h) and has its origin at p.
double powerOf(const double* wrench, const double* V, const double* X) {
    const Vector3 w = vec(V), at_base = vec(V + 3) - w.cross(vec(X + 9));
    return vec(wrench).dot(w) + vec(wrench + 3).dot(at_base);
}

double smooth(double t) {
    t = std::clamp(t, 0.0, 1.0);
    return t * t * (3 - 2 * t);
}

class Contacts {
public:
    explicit Contacts(const Subject& subject)
        : subject_(subject),
          own_(subject.options.contact ? nullptr : std::make_unique<ContactLaws>(subject.model)),
          laws_(subject.options.contact ? *subject.options.contact : *own_),
          bands_alone_(withoutGround(subject.model)),
          states_(subject.model, subject.layout, subject.options.seed),
          speaker_(subject.kernel),
          dt_(laws_.contact().accuracyStep()) {
        for (const Track& track : subject.model.tracks)
            for (const Track::Roller& roller : track.rollers) {
                if (roller.body >= 0 && jointNv(subject.model.bodies[roller.body].joint.type) == 1)
                    roller_slots_.push_back(subject.layout.v_of_body[roller.body]);
            }
    }

    void look(int number) {
        const Trial trial = states_.at(number);
        laws_.setParameters(trial.param);
        bands_alone_.setParameters(trial.param);
        speaker_.kinematics(trial.q, trial.v, trial.param, X_, V_);
        ContactSettings settings;
        settings.dt = number % 2 == 0 ? dt_ : 0;
        const bool anchored = number % 8 == 7 && laws_.contact().hasGround();
        if (anchored) settings.friction = Friction::anchored, settings.dt = dt_;
        anchors_ = anchored ? someAnchors(number) : std::vector<double>{};

        forces(settings, totals_, all_, lost_);
        const std::vector<ContactReading> readings = laws_.readings(X_, V_, settings, anchors_);
        pins_ += totals_.pins, faces_ += totals_.faces, points_ += totals_.points;
        deepest_ = std::max({deepest_, totals_.deepest_pair, totals_.deepest_point});

        lookAtBalance(trial, number);
        lookAtReadings(trial, number, readings);
        lookAtPassivity(trial, number, readings, anchored);
        lookAtCone(trial, number, readings, settings);
        if (!anchored) {
            if (laws_.contact().hasGround()) lookAtGround(trial, number, settings);
            lookAtGradient(trial, number, settings);
        }
        if (laws_.contact().hasGround()) lookAtTerrain(trial, number);
        if (number % 8 == 0 || anchored) lookAtDeterminism(trial, number, settings);
    }

    bool failed() const {
        for (const Meter* m : all())
            if (m->failed()) return true;
        return false;
    }

    void finish(std::vector<Gate>& gates, int states) {
        std::string missing;
        int never = 0;
        const auto wants = [&](bool within_reach, long loaded, const char* what) {
            if (!within_reach || loaded > 0) return;
            never++;
            missing += fmt::format("; no {} was ever loaded", what);
        };
        const ContactStates::Reach reach = states_.reachable();
        wants(reach.pins, pins_, "end roller's pin");
        wants(reach.faces, faces_, "shoe's face under a roller");
        wants(reach.ground, points_, "pad corner");
        Meter loaded("contact.loaded", 0);
        loaded.take(never, {}, {}, [] { return std::string(); });
        Gate gate = loaded.finish();
        gate.worst.reset();
        gate.detail = fmt::format("over {} states {} pins, {} faces and {} pad corners loaded, up to {:.2g} m deep{}",
                                  states, pins_, faces_, points_, deepest_, missing);
        gates.push_back(gate);
        if (!laws_.contact().hasGround()) {
            ground_.skip("this model has no ground");
            terrain_.skip("this model has no ground");
        }
        for (const Meter* m : all()) gates.push_back(m->finish());
    }

private:
    std::vector<const Meter*> all() const {
        return {&balance_, &ground_, &gradient_, &passivity_, &cone_, &readings_, &terrain_, &determinism_};
    }

    void forces(const ContactSettings& settings, ContactTotals& totals, Wrenches& all, Wrenches& lost) {
        all.assign(6 * subject_.model.bodies.size(), 0.0);
        lost.assign(all.size(), 0.0);
        std::vector<double> anchors = anchors_;  // they move on
        totals = laws_.addForces(X_, V_, settings, anchors, all, lost);
    }

    std::string inWords(int number, int body = kBase) const {
        std::string s = "contact state " + std::to_string(number);
        if (body >= 0) s += ", body " + subject_.model.bodies[static_cast<std::size_t>(body)].name;
        return s;
    }

    /// Half of the corners stuck, some way from where they stand: within the cone and beyond it.
    std::vector<double> someAnchors(int number) const {
        Draw draw(subject_.options.seed + 17, number);
        std::vector<double> anchors(laws_.contact().anchorSize(), 0.0);
        std::size_t at = 0;
        int band = -1;
        for (const Track& track : subject_.model.tracks) {
            if (track.first_shoe < 0) continue;
            band++;
            const GroundLaw law = laws_.contact().groundLaw(band);
            const double far = 2 * law.mu * law.kn * 5e-3 / std::max(law.kt, 1.0);  // the cone's radius at 5 mm, twice
            for (int k = 0; k < track.shoes; k++)
                for (const Vector3d& corner : laws_.contact().padCorners(band)) {
                    const double* X = &X_[12 * static_cast<std::size_t>(track.first_shoe + k)];
                    const Vector3 p = vec(X + 9) + turnOf(X) * vec(corner);
                    anchors[at] = draw.unit() < 0.5 ? 1 : 0;
                    const double x = p[0] + draw.between(-far, far), y = p[1] + draw.between(-far, far);
                    if (anchors[at] > 0) anchors[at + 1] = x, anchors[at + 2] = y, anchors[at + 3] = p[2];
                    at += 4;
                }
        }
        return anchors;
    }

    /// All wrenches together are the ground's: pairs cancel.
    void lookAtBalance(const Trial& trial, int number) {
        double sum[6] = {}, size[6] = {};
        for (std::size_t i = 0; i < all_.size(); i++) sum[i % 6] += all_[i], size[i % 6] += std::abs(all_[i]);
        for (std::size_t k = 0; k < 3; k++) sum[k] -= totals_.ground_moment[k], sum[3 + k] -= totals_.ground_force[k];
        Largest worst;
        for (int half : {0, 3}) {
            const double scale = std::max({size[half], size[half + 1], size[half + 2], 1e-9});
            for (int k = half; k < half + 3; k++) worst.take(std::abs(sum[k]) / scale, k);
        }
        balance_.take(worst.value, trial.q, trial.v,
                      [&] { return inWords(number) + (worst.index < 3 ? ", the moments" : ", the forces"); });
    }

    /// The rows of the table, summed up, are the wrenches. A face bears its friction at the foot, all else at the axle.
    void lookAtReadings(const Trial& trial, int number, const std::vector<ContactReading>& readings) {
        Wrenches sum(all_.size(), 0.0);
        for (const ContactReading& r : readings) {
            const Vector3 force = vec(r.force), point = vec(r.point);
            const auto pair = [&](const Vector3& at, const Vector3& f) {
                addTo(sum, r.b, at, f);
                addTo(sum, r.a, at, -f);
            };
            if (r.kind == ContactReading::Kind::face) {
                const Vector3 friction = vec(r.friction);
                const Vector3 axle = r.a == kBase ? Vector3(Vector3::Zero()) : vec(&X_[12 * std::size_t(r.a) + 9]);
                pair(axle, force - friction);
                pair(point, friction);
            } else {
                pair(point, force);
            }
        }
        int index = 0;
        const double error = scaledError(sum, all_, &index);
        readings_.take(error, trial.q, trial.v, [&] { return inWords(number, index / 6); });
    }

    /// What no potential gives may only brake.
    void lookAtPassivity(const Trial& trial, int number, const std::vector<ContactReading>& readings, bool anchored) {
        double power = 0, size = 0;
        for (std::size_t i = 0; 6 * i < lost_.size(); i++) {
            const double p = powerOf(&lost_[6 * i], &V_[6 * i], &X_[12 * i]);
            power += p;
            size += std::abs(p);
        }
        Largest worst;
        int body = kBase;
        const auto take = [&](double value, int b) {
            if (value > worst.value) body = b;
            worst.take(std::max(value, 0.0), 0);
        };
        // An anchor that slides takes its share at its own speed.
        if (!anchored && size > 0) {
            take(power / size, kBase);
            take(std::abs(power - totals_.power) / size, kBase);
        }
        take(totals_.power / std::max(size, 1e-9), kBase);
        double rates = 0;
        for (const ContactReading& r : readings) rates += std::abs(r.power);
        for (const ContactReading& r : readings) {
            take(r.power / std::max(rates, 1e-9), r.b);
            const bool toothed =
                r.kind == ContactReading::Kind::pin && laws_.contact().pinLaw(r.track, r.roller).teeth > 0;
            const double slides = vec(r.friction).norm() * vec(r.slip).norm();
            if (!toothed && !anchored && slides > 0) take(vec(r.friction).dot(vec(r.slip)) / slides, r.b);
        }
        passivity_.take(worst.value, trial.q, trial.v, [&] { return inWords(number, body); });
    }

    /// Nothing pulls, friction stays within mu times the normal force, and a step of it never turns a slip around.
    void lookAtCone(const Trial& trial, int number, const std::vector<ContactReading>& readings,
                    const ContactSettings& settings) {
        Largest worst;
        for (const ContactReading& r : readings) {
            double mu = 0, mass = 0;
            if (r.kind == ContactReading::Kind::ground) {
                mu = laws_.contact().groundLaw(r.track).mu;
                mass = laws_.contact().groundLaw(r.track).mass;
            } else {
                const PinLaw pin = laws_.contact().pinLaw(r.track, r.roller);
                if (r.kind == ContactReading::Kind::pin && pin.teeth > 0) continue;
                mu = r.kind == ContactReading::Kind::pin ? pin.mu : laws_.contact().faceLaw(r.track, r.roller).mu;
                mass = laws_.contact().pairMass(r.track, r.roller);
            }
            const double friction = vec(r.friction).norm(), limit = mu * r.normal_force;
            if (!(r.normal_force >= 0)) worst.take(1, r.b);
            worst.take(std::max(0.0, friction - limit) / std::max(limit, 1e-6), r.b);
            if (settings.dt > 0 && settings.friction == Friction::regularized) {
                const double most = mass * vec(r.slip).norm();
                worst.take(std::max(0.0, friction * settings.dt - most) / std::max(most, 1e-12), r.b);
            }
        }
        cone_.take(worst.value, trial.q, trial.v, [&] { return inWords(number, worst.index); });
    }

    /// Pads on the ground, once more from the words of the law; nothing else may feel it.
    void lookAtGround(const Trial& trial, int number, const ContactSettings& settings) {
        Wrenches pads(all_.size(), 0.0), pairs(all_.size(), 0.0);
        ContactTotals none;
        bands_alone_.addBandForces(X_, V_, settings, pairs, {}, none);
        int band = -1;
        for (const Track& track : subject_.model.tracks) {
            if (track.first_shoe < 0) continue;
            const GroundLaw law = laws_.contact().groundLaw(++band);
            for (int k = 0; k < track.shoes; k++)
                for (const double side : {-0.5, 0.5})
                    for (const double end : {-0.5, 0.5}) {
                        const auto body = static_cast<std::size_t>(track.first_shoe + k);
                        const Vector3 arm = turnOf(&X_[12 * body]) * Vector3(0.5 * track.link + end * track.pad_length,
                                                                             side * track.pad_width, track.pad_z);
                        const Vector3 p = vec(&X_[12 * body + 9]) + arm;
                        const Vector3 u = vec(&V_[6 * body + 3]) + vec(&V_[6 * body]).cross(arm);
                        const Terrain::Sample s = laws_.contact().terrain().at(p[0], p[1]);
                        const double g = s.height - p[2];
                        if (!(g > 0)) continue;
                        // f = (kn g + c dg/dt) (-h_x, -h_y, 1), never pulling; friction over the step's own implicit
                        // law.
                        const Vector3 up(-s.slope_x, -s.slope_y, 1), n = up.normalized();
                        const double damping = law.onset > 0 ? law.cn * smooth(g / law.onset) : law.cn;
                        const double f = std::max(0.0, law.kn * g - damping * up.dot(u));
                        const Vector3 slip = u - n * n.dot(u);
                        const double k_t = law.mu * f * up.norm() / std::hypot(slip.norm(), law.veps);
                        addTo(pads, static_cast<int>(body), p,
                              f * up - k_t / (1 + k_t * settings.dt / law.mass) * slip);
                    }
        }
        double scale = 1;
        Largest worst;
        for (const double x : all_) scale = std::max(scale, std::abs(x));
        for (std::size_t i = 0; i < all_.size(); i++)
            worst.take(std::abs(all_[i] - pairs[i] - pads[i]) / scale, static_cast<int>(i / 6));
        double sum[6] = {};
        for (std::size_t i = 0; i < pads.size(); i++) sum[i % 6] += pads[i];
        for (std::size_t k = 0; k < 3; k++) {
            worst.take(std::abs(sum[k] - totals_.ground_moment[k]) / scale, kBase);
            worst.take(std::abs(sum[3 + k] - totals_.ground_force[k]) / scale, kBase);
        }
        ground_.take(worst.value, trial.q, trial.v, [&] { return inWords(number, worst.index); });
    }

    /// The elastic part does the work that the potentials lose, along all coordinates at once or along one: by
    /// differences over less than a micrometre, so that contacts rarely open or close on the way.
    void lookAtGradient(const Trial& trial, int number, const ContactSettings& settings) {
        constexpr double kMove = 2e-7, kArm = 0.3;  // m: differences, and what a turn moves
        const std::size_t nv = trial.v.size();
        std::vector<double> u(nv, 0.0), Xu, Vu;
        Draw draw(subject_.options.seed + 29, number);
        if (number % 3 == 0)
            for (double& x : u) x = draw.between(-1, 1);
        else if (number % 3 == 1 && !roller_slots_.empty())
            u[static_cast<std::size_t>(roller_slots_[static_cast<std::size_t>(number / 3) % roller_slots_.size()])] = 1;
        else u[static_cast<std::size_t>(draw.between(0, static_cast<double>(nv)))] = 1;

        speaker_.kinematics(trial.q, u, trial.param, Xu, Vu);
        double power = 0, size = 0, fastest = 0, load = 0;
        for (std::size_t i = 0; 6 * i < all_.size(); i++) {
            double elastic[6];
            for (std::size_t k = 0; k < 6; k++) elastic[k] = all_[6 * i + k] - lost_[6 * i + k];
            const double p = powerOf(elastic, &Vu[6 * i], &Xu[12 * i]);
            power += p;
            size += std::abs(p);
            load += vec(elastic + 3).norm();
            fastest = std::max(fastest, vec(&Vu[6 * i + 3]).norm() + kArm * vec(&Vu[6 * i]).norm());
        }
        if (!(fastest > 0)) return;
        const double h = kMove / fastest;
        ContactSettings still = settings;
        still.dt = 0;
        const auto energyAt = [&](double at) {
            std::vector<double> moved = trial.q;
            drift(subject_.model, subject_.layout, moved, u, at);
            speaker_.kinematics(moved, u, trial.param, Xu, Vu);
            return std::vector<double>{laws_.energy(Xu, still, {})};
        };
        std::vector<double> slope;
        extrapolatedSlope(energyAt(h), energyAt(-h), energyAt(h / 2), energyAt(-h / 2), h, slope);
        // Energies round by what the load does over the poses' last digits, whether the load takes part or not.
        const double scale = std::max({size, 1e-3 * load * fastest, 1.0});
        gradient_.take(std::abs(slope[0] + power) / scale, trial.q, trial.v, [&] {
            std::string along = "all coordinates at once";
            if (number % 3 != 0)
                for (std::size_t k = 0; k < nv; k++)
                    if (u[k] != 0) along = subject_.layout.v_names[k];
            return inWords(number) + ", along " + along;
        });
    }

    /// Slopes of the terrain against differences of its height, near the mechanism and where something stands on it.
    void lookAtTerrain(const Trial& trial, int number) {
        const Ground& ground = *subject_.model.ground;
        Draw draw(subject_.options.seed + 31, number);
        std::vector<std::array<double, 2>> places;
        const auto around = [&](double x, double y, double rx, double ry) {
            places.push_back({x + draw.between(-rx, rx), y + draw.between(-ry, ry)});
        };
        around(X_[9], X_[10], 15, 15);
        for (const Ground::Step& s : ground.steps) around(s.at, X_[10], s.width, 5);
        for (const Ground::Bump& b : ground.bumps) around(b.x, b.y, b.radius, b.radius);
        if (const HeightGrid* g = ground.grid.get())
            around(g->x0 + 0.5 * (g->nx - 1) * g->dx, g->y0 + 0.5 * (g->ny - 1) * g->dy, 0.6 * g->nx * g->dx,
                   0.6 * g->ny * g->dy);
        constexpr double h = 1e-6;
        Largest worst;
        for (std::size_t i = 0; i < places.size(); i++) {
            const auto [x, y] = places[i];
            const Terrain::Sample s = laws_.terrain(x, y);
            const double xa = x + h, xb = x - h, ya = y + h, yb = y - h;
            const double dx = (laws_.terrain(xa, y).height - laws_.terrain(xb, y).height) / (xa - xb);
            const double dy = (laws_.terrain(x, ya).height - laws_.terrain(x, yb).height) / (ya - yb);
            const double steep = std::max({1.0, std::abs(s.slope_x), std::abs(s.slope_y)});
            worst.take(std::max(std::abs(dx - s.slope_x), std::abs(dy - s.slope_y)) / steep, static_cast<int>(i));
        }
        terrain_.take(worst.value, trial.q, trial.v, [&] {
            const auto& at = places[static_cast<std::size_t>(worst.index)];
            return fmt::format("x {:.6g}, y {:.6g}", at[0], at[1]);
        });
    }

    /// The same state gives the same bits, whatever was asked in between.
    void lookAtDeterminism(const Trial& trial, int number, const ContactSettings& settings) {
        const Wrenches first = all_, first_lost = lost_;
        std::vector<double> X = X_, V = V_, anchors = anchors_, elsewhere(all_.size(), 0.0);
        for (std::size_t i = 0; 12 * i < X.size(); i++) X[12 * i + 11] -= 1e-3;
        ContactSettings other = settings;
        other.dt = settings.dt > 0 ? 0 : dt_;
        laws_.addForces(X, V, other, anchors, elsewhere, {});
        Wrenches all, lost;
        ContactTotals totals;
        forces(settings, totals, all, lost);
        int index = 0;
        int different = differentBits(all, first, &index);
        different += differentBits(lost, first_lost, different > 0 ? nullptr : &index);
        determinism_.take(different, trial.q, trial.v, [&] { return inWords(number, index / 6); });
    }

    Subject subject_;
    std::unique_ptr<ContactLaws> own_;
    ContactLaws& laws_;
    ContactModel bands_alone_;
    ContactStates states_;
    Speaker speaker_;
    double dt_;
    std::vector<int> roller_slots_;
    std::vector<double> X_, V_, anchors_;
    Wrenches all_, lost_;
    ContactTotals totals_;
    long pins_ = 0, faces_ = 0, points_ = 0;
    double deepest_ = 0;
    Meter balance_{"contact.balance", 1e-12}, ground_{"contact.ground", 1e-12}, gradient_{"contact.gradient", 1e-5},
        passivity_{"contact.passivity", 1e-12}, cone_{"contact.cone", 1e-12}, readings_{"contact.readings", 1e-12},
        terrain_{"contact.terrain", 1e-7}, determinism_{"contact.determinism", 0};
};

}  // namespace

void checkContacts(const Subject& subject, std::vector<Gate>& gates, const Tick& tick) {
    constexpr int kFewest = 40;  // a quick proof, too, shall have seen every kind of contact under load
    Contacts contacts(subject);
    const int all = std::max(subject.options.trials, kFewest);
    int states = 0;
    for (; states < all && !subject.cancelled(); states++) {
        contacts.look(states);
        if (states % 16 == 0) tick(static_cast<double>(states) / all);
        if (subject.options.stop_at_failure && contacts.failed()) break;
    }
    contacts.finish(gates, states);
}

}  // namespace mw::proof

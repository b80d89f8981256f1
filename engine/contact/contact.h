// All contacts of a mechanism with bands: shoes against rollers, pads against the ground. Caller-side: from poses and
// velocities of the bodies to external wrenches on them; the equations of motion know nothing of it.
//
// Built from the expanded Model, immutable but for the numbers of live parameters. No band and no ground: no force.
// Every pair acts on both of its bodies by one point and one force, so wrenches sum to zero but for rounding; the
// ground is no body. Sources: docs/contact.md.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/contact/pair_laws.h"
#include "engine/contact/terrain.h"
#include "engine/model/model.h"

namespace mw {

struct ContactSettings {
    double dt = 0;    ///< step of the implicit friction, s; 0: the explicit law
    double gain = 1;  ///< of stiffness and damping, 0..1: the ramp at the start of a run
    Friction friction = Friction::regularized;
};

/// What is loaded, and what the ground gives in all; about the base origin, base axes.
struct ContactTotals {
    int pins = 0, faces = 0, points = 0;  ///< loaded
    Vector3d ground_force{}, ground_moment{};
    double deepest_pair = 0, deepest_point = 0;  ///< m, greatest depth
    double power = 0;                            ///< W lost in damping, friction and sliding anchors, never positive
    double released =
        0;  ///< J that anchors' springs lost in this call by sliding or letting go: no force does that work
};

struct ContactEnergy {
    double bands = 0;    ///< J: radial springs, teeth, guides, faces
    double ground = 0;   ///< J: vertical springs
    double anchors = 0;  ///< J: tangential springs of stuck points
    double total() const { return bands + ground + anchors; }
};

enum class ContactState { open, stick, slip };
const char* contactStateName(ContactState state);

/// One contact with load. The force is the one ON B BY A, base axes, at `point`; the normal is from A to B.
struct ContactReading {
    enum class Kind { pin, face, ground };
    Kind kind = Kind::pin;
    int track = 0, shoe = 0;   ///< index of the track; of the shoe in it
    int roller = -1;           ///< index in the track, -1: the ground
    int corner = -1;           ///< of the pad, 0..3
    int a = kBase, b = kBase;  ///< bodies: roller or base; shoe
    std::string id;            ///< "left.shoe17/wheel3", "left.shoe17/ground2": the same contact keeps it
    Vector3d point{}, normal{};
    double depth = 0;         ///< m, positive inside; a sprocket's teeth and the guide reach out to -gate
    double normal_force = 0;  ///< N
    Vector3d friction{};      ///< tangential: friction, teeth
    Vector3d guide{};         ///< lateral guide
    Vector3d gate{};          ///< what the slopes of gates and of the face's weight add (docs/contact.md)
    Vector3d force{};         ///< all of it, on B: normal_force normal + friction + guide + gate
    Vector3d slip{};          ///< velocity of B's material against A's, tangential, m/s
    double limit = 0;         ///< N, the cone's mu times normal_force; of a sprocket's pin the tooth's skip force
    double potential = 0;     ///< J
    double power = 0;         ///< W of the dissipative part, never positive
    /// open: no depth, and no tooth holds it. Regularised friction always slides a little: slip where faster than veps.
    /// Anchored: slip on the cone. A sprocket's pin: slip past the tooth's steepest point, half way to its tip.
    ContactState state = ContactState::open;
};

class ContactModel {
public:
    ContactModel() = default;
    /// `tilt`: of the terrain (Terrain).
    explicit ContactModel(const Model& model, double tilt = 0);

    bool empty() const;  ///< no pair and no point
    bool hasGround() const;
    bool hasBands() const;
    int declaredPairs() const;
    int declaredPoints() const;
    const Terrain& terrain() const { return terrain_; }
    /// Numbers of the anchors' block of the state: per pad corner 4, stuck (0 or 1) and the anchor.
    std::size_t anchorSize() const;

    /// Numbers that hang on live parameters. Call when they change (cheap when they have not).
    void setParameters(std::span<const double> param);

    /// Adds the wrenches [moment about the base origin; force] to fext (6 nbody); `dissipative`, when not empty, gets
    /// the part that is no gradient as well. `anchors`: empty, or anchorSize() numbers that move on by dt
    /// (settings.friction anchored). X and V as of kernel_abi.h.
    ContactTotals addForces(std::span<const double> X, std::span<const double> V, const ContactSettings& settings,
                            std::span<double> anchors, std::span<double> fext,
                            std::span<double> dissipative = {}) const;
    /// The two halves of it.
    void addBandForces(std::span<const double> X, std::span<const double> V, const ContactSettings& settings,
                       std::span<double> fext, std::span<double> dissipative, ContactTotals& totals) const;
    void addGroundForces(std::span<const double> X, std::span<const double> V, const ContactSettings& settings,
                         std::span<double> anchors, std::span<double> fext, std::span<double> dissipative,
                         ContactTotals& totals) const;
    ContactEnergy energy(std::span<const double> X, const ContactSettings& settings,
                         std::span<const double> anchors) const;
    /// All loaded contacts, pairs first, in declared order; the anchors are only looked at.
    std::vector<ContactReading> readings(std::span<const double> X, std::span<const double> V,
                                         const ContactSettings& settings, std::span<const double> anchors) const;

    /// 2 pi sqrt(m / kn) / samples, the least over bands and ground: the step that resolves a contact. 0: no contact.
    double accuracyStep(double samples = 90) const;

    // A band's pairs, resolved: for pictures and for tests of single pairs.
    /// At full gain and dt = 0; the mass is that of one loaded pin on the rim.
    PinLaw pinLaw(int track, int roller) const;
    FaceLaw faceLaw(int track, int roller) const;
    GroundLaw groundLaw(int track) const;
    /// The pad's corners in a shoe's frame, counter-clockwise seen from the rollers, from the one behind and right.
    std::array<Vector3d, 4> padCorners(int track) const;
    /// Mass that the friction of a pair moves, with `loaded` pins on the rim: 1/m = 1/shoe + loaded (1/roller + R^2/I).
    double pairMass(int track, int roller, int loaded = 1) const;

private:
    struct Roller {
        int body = 0;
        bool end = false;
        double rim = 0;  // 1/m_roller + R^2/I, 1/kg
        PinLaw pin;
        FaceLaw face;
        std::string name;
    };
    struct Band {
        int first = 0, count = 0;
        double link = 0;
        double shoe_mass = 1;
        double pad_z = 0, pad_x = 0, pad_y = 0;  // the pad's plane and half lengths, m
        GroundLaw ground;
        std::vector<Roller> rollers;
        std::string name;
    };
    // contact_walk.h
    template <class Visitor>
    void visitPairs(const double* X, const double* V, const ContactSettings& settings, Visitor&& visit) const;
    template <class Visitor>
    double visitPoints(const double* X, const double* V, const ContactSettings& settings, const double* anchors,
                       double* moved, Visitor&& visit) const;
    template <class Visitor>
    void visitPads(const double* X, const ContactSettings& settings, Visitor&& visit) const;
    void resolve(std::span<const double> param);

    // The model's own statements: numbers that hang on live parameters are taken from here.
    std::vector<Track> tracks_;
    std::optional<Ground> ground_;
    std::vector<Body> bodies_;
    std::vector<double> param_;
    std::vector<Band> bands_;
    Terrain terrain_;
    int pairs_ = 0, points_ = 0;
};

}  // namespace mw

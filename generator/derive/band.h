// Bands of equal shoes (Model::repeats), whose equations are derived once and written as loops over the shoes.
//
// A band is a floating anchor, a chain of shoes about y, and a point-on-line loop along y that ties the last shoe to
// the anchor. It is a root of its own. All its pins are parallel, so every shoe is written in the anchor's axes
// (links.h, "held axes"): nothing is rotated from shoe to shoe, only each shoe's own constants are turned once by the
// sum of its angles. The dynamics are articulated bodies (tree.h) with the loop's two rows carried along as two more
// right-hand sides; what mirror symmetry makes zero is found by going round the loop (roll.h) and costs nothing.
#pragma once

#include <string>
#include <vector>

#include "generator/derive/articulated.h"
#include "generator/derive/constraints.h"
#include "generator/derive/roll.h"

namespace mw::gen {

struct Band {
    int first = 0, count = 0;  ///< bodies: the anchor and the shoes of the chain
    int loop = 0;              ///< the closure
    std::string name;
};

/// A model and the bands that loops can be written for.
struct BandSplit {
    std::vector<Band> bands;  ///< in the order of their bodies
    Model rest;               ///< without them; its slots are those of the whole model
    std::string refused;      ///< why a repeat is derived shoe by shoe, one sentence; empty: none is
};
BandSplit splitBands(const Model& model);

/// The equations of one band: sections of each entry, to be run one after the other.
class BandDynamics {
public:
    BandDynamics(Graph& graph, const Model& model, const Layout& layout, const Band& band, NodeOwners& owners,
                 Fault fault);

    std::vector<Section> accelerations(Rolling& rolling) const;
    /// M^-1 in two entries that share `work`. The second's sections run in turn for each right-hand side.
    struct InverseMass {
        std::vector<Section> factor, apply;
        int constants = 0;  ///< slots of `work` behind those of the shoes
    };
    InverseMass inverseMass(Rolling& rolling) const;
    std::vector<Section> kinematics(Rolling& rolling) const;
    std::vector<Section> bias(Rolling& rolling) const;
    std::vector<Section> massMatrix(Rolling& rolling) const;  ///< entries that are not zero
    std::vector<Section> jacobian(Rolling& rolling) const;    ///< likewise

    const Band& band() const { return band_; }
    int joints() const { return band_.count - 1; }

private:
    /// What the band's numbers are, as expressions.
    struct Numbers {
        Inertia anchor, shoe;
        Vec link;  ///< from pin to pin, in the axes of the first
        Vec from;  ///< the closure's point on the last shoe
        Vec to;    ///< and on the anchor
        Expr damping, armature, anchor_damping;
        Mat R;  ///< anchor's axes to the base's
        Vec r;  ///< anchor's origin
        Vec w, v;
    };
    /// What a shoe hands on to the next: all in the anchor's axes, pins from the anchor's origin.
    struct Forward {
        Expr angle, rate, c, s;      ///< of the shoe before, against the anchor
        Vec pin, arm;                ///< the pin at hand; from the one before to it
        Vec a;                       ///< acceleration of the pin
        Vec pin_rate, pin_products;  ///< of the pin as the anchor sees it, without the pins' accelerations
        template <class F>
        void each(F&& f) {
            f(angle), f(rate), f(c), f(s);
            for (Vec* x : {&pin, &arm, &a, &pin_rate, &pin_products})
                for (Expr& e : *x) f(e);
        }
    };
    /// What a walk from the anchor to the last shoe is for.
    struct Wanted {
        bool forces = false, external = false, free_fall = false;
        bool inertia = false;  ///< shoes' inertias in the anchor's axes
        bool rows = false;     ///< the closure's geometry
        bool rates = false;    ///< and its velocity products
        bool pins = false, arms = true;
    };
    /// What it leaves for each shoe.
    struct Walked {
        KeptAll<3> arm, pin, n, f, h;
        KeptAll<6> I;
        Forward last;
        Wrench anchor_force;
    };
    Walked walkOut(Rolling& rolling, std::vector<Section>& sections, const Wanted& wanted) const;
    Wrench external(const Place& first) const;
    Motion anchorMotion(bool free_fall) const;
    Rotation turned(Expr c, Expr s) const;

    static constexpr std::size_t kRows = 2;
    /// The loop's rows: unit forces on the last shoe (about its pin) and the opposite on the anchor, and what K times
    /// the accelerations shall be.
    struct Rows {
        Wrench on_last[kRows], on_anchor[kRows];
        Expr wanted[kRows];
    };
    Rows rowsOf(const Forward& last, bool rates) const;

    /// The pivot of a pin, and the wrench that its unit force passes on.
    struct Pin {
        Expr inverse;
        Wrench g;
    };
    Pin eliminate(Articulated& A) const;
    Articulated onPinBefore(const Articulated& A, const Vec& arm) const;
    Wrench passOn(const Wrench& p, Expr tau, const Pin& pin) const;
    static Wrench moved(const Wrench& p, const Vec& arm) { return {p.n + cross(arm, p.f), p.f}; }
    /// A pin's acceleration from its share D^-1 u and what its parent does; `alpha` becomes the shoe's.
    Expr accelerated(const Wrench& g, Expr share, Vec& alpha, const Vec& a) const;
    bool vanishes() const { return numbers_.armature.isZero(); }
    using Gram = std::array<Expr, 3>;  ///< K M^-1 K^T: 00 01 11
    /// The rows' unit forces go on past a pin.
    template <class Taken>
    void inwardColumns(Rolling& rolling, std::vector<Assignment>& stores, const Walk& walk, const Pin& pin,
                       const Vec& arm, Wrench (&columns)[kRows], Gram& gram, KeptAll<kRows>& shares,
                       const Taken& taken) const {
        std::array<Expr, kRows> u, z;
        for (std::size_t r = 0; r < kRows; ++r) {
            u[r] = -columns[r].n[1];
            z[r] = pin.inverse * u[r];
            taken(r, z[r]);
            const Wrench passed = passOn(columns[r], Expr(), pin);
            columns[r] = fault_ == Fault::band_column_unmoved && r == 1 ? passed : moved(passed, arm);
        }
        for (std::size_t r = 0; r < kRows; ++r)
            for (std::size_t s = 0; s <= r; ++s) gram[r + s] = gram[r + s] + z[r] * u[s];
        shares = rolling.keep(stores, walk, z);
    }

    using Six = std::array<Expr, 6>;
    /// The six freedoms of the anchor, eliminated last to first.
    struct Anchor {
        Six inverse;
        std::array<Wrench, 6> g;
    };
    Anchor eliminateAnchor(Articulated A) const;
    Six inwardAnchor(const Anchor& anchor, Wrench p, const Six& tau) const;
    Six outwardAnchor(const Anchor& anchor, const Six& u) const;
    /// The closure's system, with what the rows' unit forces do at the anchor.
    struct Closed {
        Six u[kRows], z[kRows];
        Elimination system;
    };
    Closed close(const Anchor& anchor, const Gram& gram, const Wrench (&columns)[kRows], const Rows& rows) const;
    void keepPin(Rolling& rolling, std::vector<Assignment>& stores, const Walk& walk, const Pin& pin, KeptAll<3>& n,
                 KeptAll<3>& f) const;
    /// Accelerations that pass from shoe to shoe.
    struct Outward {
        Vec alpha, a;
        template <class F>
        void each(F&& f) {
            for (Vec* x : {&alpha, &a})
                for (Expr& e : *x) f(e);
        }
    };

    Walk outward() const { return {0, 1, joints(), 0}; }
    Walk inward() const { return {joints() - 1, -1, joints(), 0}; }
    Expr pinInput(Array array, const Walk& walk) const;
    Section section(const std::string& caption) const;
    Vec input(Array array, int first) const;

    Graph& graph_;
    const Model& model_;
    Band band_;
    NodeOwners& owners_;
    Fault fault_;
    int q_, v_, nv_, row_;  ///< first slots of the anchor; of the closure's rows
    bool shoe_fext_, anchor_fext_;
    Numbers numbers_;
};

}  // namespace mw::gen

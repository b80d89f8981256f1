// The tree of links that the equations are written over. A joint of several scalar coordinates becomes a chain of links
// of one coordinate each, massless but for the last (so the velocity products of universal and planar joints, their
// c_J, arise as those of any chain); bodies on fixed joints become part of their parent's link; spherical and floating
// joints stay whole.
//
// Four freedoms are used to make the equations cheap, none of which changes the motion:
//   regrouping  what moves the same way on both sides of a joint may sit on either side: of a revolute joint the mass
//   on the
//               axis with the moments of a thin rod along it, of a prismatic joint the whole rotational inertia, of a
//               spherical joint the mass at its centre. Moving it to the parent leaves fewer numbers on the child
//               (Khalil & Dombre's base parameters).
//   held axes   a link whose children turn about its own axis keeps the axes from before its turn: between parallel
//   joints
//               nothing needs rotating then, only the link's constants are turned once, by the sum of the angles.
//   twisted axes  the axes of a turning link may be turned about its joint's axis by any constant angle. Between two
//               skew axes that leaves of the fixed rotation one twist about their common normal (Denavit & Hartenberg).
//   slid origin the origin of a turning link may lie anywhere on its joint's axis.
#pragma once

#include <vector>

#include "engine/model/layout.h"
#include "engine/model/model.h"
#include "generator/derive/algebra.h"
#include "generator/derive/faults.h"

namespace mw::gen {

enum class LinkKind { revolute, prismatic, screw, spherical, floating };

struct Inertia {
    Expr m;  ///< mass
    Vec h;   ///< mass times centre of mass
    Sym I;   ///< about the link's origin
};

/// A body's own inertia about its origin.
Inertia bodyInertia(Graph& graph, const Body& body);
/// The same inertia seen from a frame in which its own frame has the rotation R and the origin p.
Inertia moved(Graph& graph, const Inertia& a, const Rotation& R, const Vec& p);

struct Link {
    int parent = kBase;  ///< link, always an earlier one
    int body = kBase;    ///< body of the model that its joint belongs to
    LinkKind kind = LinkKind::revolute;
    int axis = 2;       ///< coordinate axis of the link that is the joint's axis
    int q = 0, v = 0;   ///< first slots
    int dof = 0;        ///< first degree of freedom, counted along the links
    Expr pitch;         ///< screw
    double offset = 0;  ///< constant angle added to q
    Expr damping, armature;
    bool held = false;

    // Placement in the axes of the parent's link.
    Rotation rotation;  ///< link's axes to the parent's
    Vec p;              ///< origin
    Vec slide;     ///< direction of the joint's axis in the link's own axes is e_axis; this is it in the parent's axes
    Rotation own;  ///< from the axes that turn with the link to the link's axes (nothing unless held)

    Inertia inertia;  ///< of its bodies, in the link's axes about the link's origin

    int dofs() const { return kind == LinkKind::spherical ? 3 : kind == LinkKind::floating ? 6 : 1; }
};

/// Where a body sits: in axes that turn with the link (before Link::own), or in the base.
struct BodyPlace {
    int link = kBase;
    Mat R;  ///< body to link
    Vec p;
};

struct LinkTree {
    std::vector<Link> links;
    std::vector<BodyPlace> places;     ///< of each body
    std::vector<int> link_of_dof;      ///< per degree of freedom
    std::vector<int> v_of_dof;         ///< slot in v, vdot, tau
    std::vector<int> expanded_parent;  ///< RBDA table 6.4: the degree of freedom before each one on its way to the
                                       ///< base, -1 at the end

    Fault fault = Fault::none;
    int depth = 0;  ///< degrees of freedom on the longest way to the base

    int ndof() const { return static_cast<int>(v_of_dof.size()); }
    Link& link(int i) { return links[static_cast<std::size_t>(i)]; }
    const Link& link(int i) const { return links[static_cast<std::size_t>(i)]; }
    /// The link that carries a body; kBase for one that cannot move.
    int linkOf(int body) const { return body == kBase ? kBase : places[static_cast<std::size_t>(body)].link; }
    /// The ways from two bodies' links up to the link where they meet, which is in neither (kBase: the base).
    struct Ways {
        std::vector<int> from, to;
        int meeting = kBase;
    };
    Ways waysBetween(int from, int to) const;
    /// A point of a body in the axes of its link (its base position for a body that cannot move).
    Vec point(Graph& graph, const BodyPoint& point) const;
};

/// Which freedoms to use on one link.
struct LinkChoice {
    bool hold = true;
    bool slide = false;   ///< origin to where the axis is nearest to the parent's origin
    bool second = false;  ///< regrouping clears the second moment of inertia across the axis, else the first
};

/// `choices`: of each link, the defaults where it is shorter.
LinkTree buildLinks(Graph& graph, const Model& model, const Layout& layout, bool regroup,
                    const std::vector<LinkChoice>& choices = {}, Fault fault = Fault::none);

}  // namespace mw::gen

// What a view shows, as plain values: a list that any renderer can draw and that picking tests against. No OpenGL, no
// Qt. Everything carries the item it belongs to, so that a click finds the thing and a selection finds its pictures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/scene/mesh.h"
#include "app/scene/theme.h"

namespace mw::scene {

enum class ItemKind : std::uint8_t {
    none,
    base,
    body,
    joint,
    shape,
    point,
    tsda,
    rsda,
    drive,
    loop,
    force,
    ground,
    track,
    contact,
    tendon
};

/// `index` counts within the model's list of that kind; a joint has the index of its body, a contact its place among
/// the instant's readings (of bands first, then of shapes). A shoe of a band is a body; what belongs to a band as a
/// whole is a track. All of a tendon is a tendon: tubes, sites, guides.
struct ItemId {
    ItemKind kind = ItemKind::none;
    int index = -1;
    bool operator==(const ItemId&) const = default;
    explicit operator bool() const { return kind != ItemKind::none; }
};

enum class Finish : std::uint8_t { matt, metal, flat };

struct MeshInstance {
    MeshPtr mesh;
    Placement place = Placement::Identity();
    Color color;
    ItemId id;
    int shape = -1;    ///< the shape of the model that it shows, if any
    int track = -1;    ///< the band that it is a part of, if any: selected with it
    int element = -1;  ///< the element of a tendon's path that it shows, if any
    Finish finish = Finish::matt;
    float edge = 1;      ///< strength of silhouettes and creases; 0: none
    bool small = false;  ///< one of many: contours only where it is large in the picture
    bool shadow = true;
    bool pickable = true;
    bool behind = false;  ///< a pick takes everything else first: what encloses other things
};

/// A straight stroke of constant screen width.
struct Line {
    Vec3 begin = Vec3::Zero(), end = Vec3::Zero();
    Color color, color_end;  ///< runs from one to the other
    float width = 1;         ///< px at scale 1
    float dash = 0;          ///< px of a dash and its gap; 0: solid
    bool on_top = false;     ///< drawn over everything
    ItemId id;
    int element = -1;  ///< of a tendon's path
};

enum class ArrowKind : std::uint8_t { force, moment };

struct Arrow {
    Vec3 origin = Vec3::Zero();  ///< the true point of action
    Vec3 vector = Vec3::Zero();  ///< as drawn, m (scaled by whoever builds the scene)
    Color color;
    float width = size::kArrow;
    ArrowKind kind = ArrowKind::force;
    ItemId id;
    bool plain = false;   ///< one of many: a head without contours
    bool on_top = false;  ///< over everything: it lies inside what is drawn
};

/// A square is a dot with corners: told apart without its colour.
enum class MarkerKind : std::uint8_t { cg, point, dot, square };

/// A sign of constant screen size at a point of the world.
struct Marker {
    Vec3 position = Vec3::Zero();
    MarkerKind kind = MarkerKind::dot;
    float radius = 5;  ///< px at scale 1
    Color color;
    bool on_top = true;
    ItemId id;
    int element = -1;  ///< of a tendon's path
};

enum class LabelStyle : std::uint8_t { boxed, plain };

struct Label {
    Vec3 anchor = Vec3::Zero();
    std::string text;
    std::string value;  ///< shown after the text in the same box, digits of equal width
    Color color;        ///< of the frame
    LabelStyle style = LabelStyle::boxed;
    int priority = 0;           ///< higher keeps its place when there is no room for all
    bool keep_clear = true;     ///< moves away from other labels
    Vec3 along = Vec3::Zero();  ///< preferred side of the anchor, in the world; zero: none
    ItemId id;
};

/// The path of a point, oldest first.
struct Trail {
    std::vector<Vec3> points;
    Color color;
    float width = 1.5f;
    ItemId id;
};

/// A plane with a grid, or a height field around the mechanism with lines of equal height.
struct Ground {
    bool visible = true;
    double height = 0;           ///< along the normal, m
    Vec3 normal = Vec3::Zero();  ///< zero: up
    MeshPtr terrain;             ///< relative to `centre`; null: the plane
    Vec3 centre = Vec3::Zero();  ///< m
    double radius = 0;           ///< m, where the terrain has faded
    double isoline = 0;          ///< m between two lines; 0: none
};

struct LegendEntry {
    std::string name;
    Color color;
    bool square = false;  ///< as the marker of that shape
};

/// The strip at the bottom left: a bar of known length, and what the colours mean.
struct Legend {
    bool visible = true;
    double metres_per_newton = 0;  ///< 0: the bar is a length; else it is a force drawn at that scale
    std::vector<LegendEntry> entries;
    /// A quantity that is shown as a colour.
    struct Ramp {
        std::string name;
        std::string low, high;  ///< values at its ends, with their unit
        double from = 0;        ///< where on the ramp it begins
    };
    std::vector<Ramp> ramps;
    std::string note;  ///< "lines every 5 cm"
};

struct Scene {
    std::vector<MeshInstance> meshes;
    std::vector<Line> lines;
    std::vector<Arrow> arrows;
    std::vector<Marker> markers;
    std::vector<Label> labels;
    std::vector<Trail> trails;
    Ground ground;
    Legend legend;
    Vec3 up = Vec3::UnitZ();
    Box bounds;        ///< of meshes and trails, m
    double scale = 1;  ///< characteristic length of the mechanism, m

    std::vector<ItemId> selection;
    ItemId hover;
    float fade = 0;  ///< 0..1: colours run out towards grey (a body whose text is broken)

    bool isSelected(const MeshInstance& m) const {
        for (const ItemId& s : selection) {
            if (s == m.id || (s.kind == ItemKind::shape && s.index == m.shape) ||
                (s.kind == ItemKind::track && s.index == m.track))
                return true;
        }
        return false;
    }
    bool isHovered(const MeshInstance& m) const {
        return hover && (hover == m.id || (hover.kind == ItemKind::shape && hover.index == m.shape) ||
                         (hover.kind == ItemKind::track && hover.index == m.track));
    }
};

}  // namespace mw::scene

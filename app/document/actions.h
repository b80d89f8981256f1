// What a user can do to a mechanism, one function per intent: menu, shortcut, drag, command line and test call the same
// ones. Each is a minimal patch of the text with a readable name in the history; each either happens whole or says why
// it cannot.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/document/document.h"
#include "app/document/selection.h"

namespace mw::app {

struct Outcome {
    bool done = false;
    std::string message;       ///< why it could not be done; else empty, or what there was to say
    std::optional<Item> item;  ///< the item that was made or renamed
    explicit operator bool() const { return done; }
};

/// Edits of one drag (slider, gizmo) carry the same number other than 0 and make one entry of the history.
using Drag = std::uint64_t;

// Values

/// A value as the text has it, and what it comes to (with the declared parameters) where it is a number.
struct WrittenValue {
    std::string text;
    std::optional<double> number;
};
/// Values of a property of an item; empty where it is not written (or a flag). Works on broken texts as far as they go.
std::vector<WrittenValue> writtenValues(const Document& document, const Item& item, const std::string& word);
bool hasProperty(const Document& document, const Item& item, const std::string& word);

/// A property of an item ("mass", "cg", "k", …), written where it stands or added where it belongs; equal values write
/// nothing.
Outcome setProperty(Document& document, const Item& item, const std::string& word, const std::vector<double>& values,
                    Drag drag = 0);
/// The same with the values as text: expressions, names, words. Empty text on a flag switches it on.
Outcome setPropertyText(Document& document, const Item& item, const std::string& word, const std::string& values,
                        Drag drag = 0);
/// Takes a property away, so that its default holds.
Outcome removeProperty(Document& document, const Item& item, const std::string& word);
/// The declared value of a parameter.
Outcome setParameter(Document& document, const std::string& name, double value, Drag drag = 0);
Outcome setParameterText(Document& document, const std::string& name, const std::string& value, Drag drag = 0);
Outcome setGravity(Document& document, const std::array<double, 3>& gravity, Drag drag = 0);
Outcome setTitle(Document& document, const std::string& title);

// Start state

/// Start coordinates of one body's joint (a joint slider at t = 0).
Outcome setStart(Document& document, const std::string& body, const std::vector<double>& q, Drag drag = 0);
/// "Use as initial pose": `start` and `rate` of every body whose values differ from what the text says.
Outcome useAsInitialPose(Document& document, const std::vector<double>& q, const std::vector<double>& v);

/// "Keep as start pose": `start` of every body whose coordinates differ; rates stay as they are written.
Outcome keepAsStart(Document& document, const std::vector<double>& q);
/// Closes the loops at the start pose: one entry that patches `start` values. Where they cannot be closed nothing
/// happens, and the message says by how much and where. Closed already: done, with a message that says so.
Outcome assembleStart(Document& document);

// Loops

/// Another type ("point-on-line"), with the axis or length that it needs and without the one that it has no use for.
Outcome setLoopType(Document& document, const std::string& loop, const std::string& type);

// Items

/// A new name, in the item's own statement and wherever it is referred to.
Outcome renameItem(Document& document, const Item& item, const std::string& to);
/// Everything that cannot stand without these items: children, shapes, points, elements, drives, tendons through them
/// (a guide or a side site alone counts), couplings of such tendons (in file order, without the items). Shapes stay
/// without a material that goes.
std::vector<Item> dependents(const Document& document, const std::vector<Item>& items);
/// Deletes items and their dependents.
Outcome deleteItems(Document& document, const std::vector<Item>& items);
/// Where items go: next to the body they belong to, or at the end. Names are made unique: "body", "body2", ….
Outcome addBody(Document& document, const std::string& parent, const std::string& joint = "revolute y");
Outcome addPoint(Document& document, const std::string& body, const std::array<double, 3>& at = {});
Outcome addShape(Document& document, const std::string& body,
                 const std::string& kind = "box");  ///< or sphere, capsule, cylinder, cone
Outcome addTsda(Document& document, const std::string& from_point, const std::string& to_point);
Outcome addRsda(Document& document, const std::string& body);
Outcome addDrive(Document& document, const std::string& body,
                 const std::string& kind = "speed");  ///< or torque, position
Outcome addParameter(Document& document, const std::string& name, double value);
/// A band around these bodies, which turn, on the nearest body that carries them all; of fewer than two, one with two
/// rollers of its own on that body (none: on the base).
Outcome addTrack(Document& document, const std::vector<std::string>& bodies = {});
/// A plane, just under the pads of the bands there are. There is one ground.
Outcome addGround(Document& document);

// Tendons

/// A tendon through these points of interest or bodies' origins, in their order, that pulls when longer than at the
/// start.
Outcome addTendon(Document& document, const std::vector<Item>& ends);
/// One over the joint coordinates of these bodies, weight 1 each.
Outcome addFixedTendon(Document& document, const std::vector<std::string>& bodies);
/// Ties two tendons one to one; of one alone (second empty) holds it at its reference.
Outcome addCoupling(Document& document, const std::string& first, const std::string& second = {});
Outcome addMaterial(Document& document);
/// The point of a path element (index in the order of the text), or its side site, put somewhere else in its body, m.
Outcome movePathPoint(Document& document, const std::string& tendon, std::size_t element, bool side,
                      const std::array<double, 3>& at, Drag drag = 0);
/// What a run has of a tendon: written as `reference` and `state`, so that a reload goes on from there.
struct TendonKept {
    std::string name;
    double reference = 0, activation = 0;
};
Outcome keepTendons(Document& document, const std::vector<TendonKept>& kept);

// Lines of which an item has several: rollers of a track; waves, steps and bumps of a ground

/// What stands behind the word in each of them, words of its own included ("sprocket 0.245 end driven teeth 10").
std::vector<std::string> elementTexts(const Document& document, const Item& item, const std::string& word);
/// One of them; empty text takes it away, one past the last adds it.
Outcome setElementText(Document& document, const Item& item, const std::string& word, std::size_t index,
                       const std::string& text);

// The whole text

/// The remedy of a finding, where it has one that still fits the text.
Outcome applyFix(Document& document, const Diagnostic& diagnostic);
/// Spaces and line breaks as the formatter has them; the meaning stays.
Outcome formatDocument(Document& document);

}  // namespace mw::app

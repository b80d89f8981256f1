// The stages of reading a text into a Model (internal to engine/model).
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <vector>

#include "engine/model/meetings.h"
#include "engine/model/read.h"
#include "engine/model/start_pose.h"
#include "engine/model/statement_reader.h"

namespace mw::mech {

struct Reading {
    Reading(const SyntaxTree& t, const std::filesystem::path& f, Model& m) : tree(t), folder(f), model(m) {}

    const SyntaxTree& tree;
    const std::filesystem::path& folder;
    Model& model;
    Findings findings;
    Scope scope{tree, findings};
    std::vector<int> item;          ///< by statement: index of its item in the Model, -1 for none
    bool bodies_sound = true;       ///< no error in any body: poses and inertias can be computed
    std::vector<char> joint_known;  ///< by body

    std::optional<Meetings> meetings;  ///< filled on first use, for sound bodies
    /// Bodies of the same one move as one.
    int weldedTo(int body) {
        if (!meetings) meetings.emplace(model);
        return meetings->weldedTo(body);
    }
    std::vector<Placement> start_placements;  ///< filled on first use, for sound bodies
    const std::vector<Placement>& startPlacements();
    std::vector<std::string_view> body_names;                           ///< filled on first use
    std::array<std::vector<std::string_view>, kNameSpaces> item_names;  ///< of `named`, filled on first use
    const std::vector<std::string_view>& bodyNames();

    /// The body of that name; -2 (after saying so) when there is none. `base_allowed`: base is one.
    int body(StatementReader& reader, std::string_view word, std::size_t index, bool base_allowed = true);
    int findBody(std::string_view name) const;
    bool point(StatementReader& reader, std::string_view word, std::size_t first, BodyPoint& out);
    /// A joint's velocity: BODY of a scalar joint, or BODY.n. False after saying what is wrong.
    bool coordinate(StatementReader& reader, std::string_view word, int& body, int& index, bool only_scalar);

    void readBodies();
    void readLoops();
    bool loopFrame(StatementReader& reader, std::string_view word, LoopFrame& out);
    void readPoints();
    void readElements();
    void readDrives();
    void readShapes();
    void readGround();
    void readTracks();
    void readMaterials();  ///< and what they make together, and what is never tested
    void readContact();
    void readTendons();
    void readCouplings();
    /// Index of the item of another kind that a value names; -1 (after saying so) when there is none.
    int named(StatementReader& reader, std::string_view word, std::size_t index, NameSpace space);
    /// Says so when a name is that of something that a track makes (`left.shoe3`), which a text cannot refer to.
    bool namesShoe(StatementReader& reader, TextRange place, std::string_view name);
};

/// Says what is wrong with an inertia's matrix (property `inertia` of `in`).
void checkInertia(StatementReader& in, const SyntaxTree& tree, const std::array<Number, 6>& inertia);

bool isScalar(JointType type);
/// Names of a joint's coordinates or velocities for messages: "qw qx qy qz".
std::string coordinateNames(JointType type, bool velocities);
/// Which coordinates are angles.
std::vector<bool> angles(JointType type);

}  // namespace mw::mech

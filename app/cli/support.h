// What the subcommands share: reading a mechanism from a file, lists and assignments of the command line, kernels by
// name, JSON, and the three ways to end (0 good, 1 a check failed or the file has errors, 2 wrong usage).
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/kernel/kernel.h"
#include "engine/model/layout.h"
#include "engine/model/read.h"

namespace mw::cli {

/// Keys stay in the order in which they are written: the one of docs/command-line.md.
using Json = nlohmann::ordered_json;

constexpr int kGood = 0;
constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

/// Ends the program with exit code 2.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};
/// Ends the program with exit code 1.
struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};
/// The file has errors; everything has been said already. Exit code 1.
struct Refused {};

/// A file with the mechanism that its text describes.
struct Source {
    std::string file;  ///< as the user wrote it
    std::string name;  ///< of the model: the file's name without folder and ending
    std::string text;
    ReadResult read;
};

/// The bytes of a file, or of standard input for "-". Throws UsageError with a sentence.
std::string readFile(const std::string& file);
/// Writes a file, or standard output for "-". Throws UsageError with a sentence.
void writeFile(const std::string& file, const std::string& bytes);
/// Refuses (UsageError that begins with `option`) an output that is the mechanism itself, under whatever name: a slip
/// of the hand must not cost the text.
void requireElsewhere(const std::string& input, const std::string& output, const std::string& option);
/// "elbow" of "models/elbow.mech".
std::string modelName(const std::string& file);

Source readSource(const std::string& file);
/// The same with parameters given new values in the text ("NAME=VALUE"); an unknown name is a UsageError. Live
/// parameters change their declared value too, so that start states which use them follow.
Source readSource(const std::string& file, const std::vector<std::string>& parameters);
/// Prints what there is to say about the text on standard error; throws Refused when there are errors (with `json`,
/// after writing the findings on standard output as `mech check` does).
void requireGood(const Source& source, bool json);
/// Adds what only the geometry of the loops shows (redundant rows, loops that cannot be closed) to the findings of a
/// text without errors; the mobility where it was found. `patient`: also where it takes minutes.
std::optional<int> checkLoops(Source& source, bool patient = false);
/// Says that a mechanism is so large that what follows takes its time.
void noteIfLarge(const Model& model);
/// Why a state of a mechanism with loops has no accelerations: ": the loops' 2 rows ..."; empty where the loops are
/// innocent, or too many.
std::string loopsAtFault(const Model& model, std::span<const double> q, std::span<const double> param);

/// The findings as `mech check --json` gives them.
Json findings(const Source& source);

/// Path of a number that is infinite or none, such as "energy.kinetic"; empty when there is no such number. JSON has no
/// word for it, and `null` means that a value is not computed.
std::string notFinite(const Json& json);
/// One JSON value on standard output.
void print(const Json& json);

/// A finite number; anything else is a UsageError that names `what`.
double parseNumber(const std::string& text, const std::string& what);
/// Comma separated numbers. Not as many as there are names: a UsageError that says how many are wanted, and the names.
std::vector<double> parseList(const std::string& text, const std::string& what, std::span<const std::string> names);
/// Name and value of "NAME=VALUE".
struct AssignmentText {
    std::string name, value;
};
AssignmentText parseAssignment(const std::string& text, const std::string& what);

/// q as a person gave it: quaternions normalised, with a note on standard error where one was not of unit length.
std::vector<double> normalised(std::vector<double> q, const Model& model, const Layout& layout);

/// Makes q and v the model's start state.
void setStart(Model& model, const Layout& layout, const std::vector<double>& q, const std::vector<double>& v);

/// Names of the kernels that people can ask for.
inline constexpr const char* kKernelNames[] = {"reference", "interpreter", "c", "jit"};
/// Makes one of them.
Kernel makeKernel(const Model& model, const std::string& name, const std::string& which);

/// Says a word to the person on standard error: "mech: …".
void note(const std::string& text);

}  // namespace mw::cli

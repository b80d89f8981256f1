// The open document: every change goes through the history, is read anew at once, and is told to the owner.
#include "app/document/document.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "engine/dynamics/closure_cost.h"
#include "engine/mech/findings.h"
#include "engine/mech/patch.h"
#include "engine/model/layout.h"
#include "engine/track/expand.h"

namespace mw::app {
namespace fs = std::filesystem;

Document::Document(std::string text) : history_(std::move(text), "New") {
    refresh();
    saved_ = hash_;
}

Document Document::open(const fs::path& path) {
    // The stamp comes first: a write between the two is then noticed rather than missed.
    const auto stamp = stampOf(path);
    Document document(readFile(path));
    document.history_ = History(document.text(), "Open");
    document.path_ = fs::absolute(path).lexically_normal();
    document.stamp_ = stamp;
    document.refresh();
    return document;
}

Document Document::recovered(std::string text, const std::optional<fs::path>& path) {
    Document document{std::string()};
    if (path) {
        try {
            document = open(*path);
        } catch (const std::runtime_error&) {
            document.path_ = *path;  // gone or unreadable: the backup is all there is
        }
    }
    document.history_.push(std::move(text), "Recover");
    document.history_.seal();
    document.refresh();
    return document;
}

std::string Document::displayName() const { return path_ ? path_->filename().string() : "Untitled"; }

void Document::refresh(bool typing) {
    hash_ = hashText(text());
    tree_ = mech::parse(text());
    read_ = readMechanism(tree_, path_ ? path_->parent_path() : fs::path());
    health_.reset();
    unjudged_ = false;
    loops_due_ = read_.ok() && !read_.model.loops.empty();
    if (!typing) checkLoops();
}

namespace {

// With more, ranks and remedies alone take longer than a window may stand still.
constexpr int kMostRows = 80, kMostVelocities = 120;
constexpr double kSeconds = 0.1;
constexpr std::size_t kJudged = 16;  // mechanisms whose verdicts are kept for an undo

/// Nothing where it would take long.
std::optional<LoopHealth> quickHealth(const Model& model) {
    const Layout layout = layoutOf(model);
    if (layout.nc > kMostRows || layout.nv > kMostVelocities) return std::nullopt;
    const std::vector<double> param = model.liveValues();
    Closure closure(model);
    AssembleOptions options;
    const int usual = options.most_steps;
    options.most_steps = std::min(usual, affordableSteps(layout, kSeconds));
    if (options.most_steps < usual && !closure.assemble(startQ(model, layout, param), param, options).closed)
        return std::nullopt;
    return closure.generalHealth(param);
}

Diagnostic leftToTheProof(const Model& model) {
    const Layout layout = layoutOf(model);
    Diagnostic d;
    d.code = mech::info(mech::Code::loop_unjudged).name;
    d.severity = Severity::info;
    d.range = model.loops.front().origin.name;
    d.message =
        fmt::format("loops are judged by the proof: with {} rows and {} velocities it takes too long beforehand",
                    layout.nc, layout.nv);
    d.expected = "a verdict by the gates of the proof, or by `mech check`";
    return d;
}

}  // namespace

// Comments and colours change nothing about loops; only what a run is made of is judged anew. Places in the text are
// new each time.
bool Document::checkLoops() {
    if (!std::exchange(loops_due_, false)) return false;
    const Hash mechanism = modelHash(read_.model);
    const auto known =
        std::find_if(judged_.begin(), judged_.end(), [&](const auto& one) { return one.first == mechanism; });
    if (known != judged_.end()) {
        health_ = known->second;
    } else {
        health_ = quickHealth(read_.model);
        judged_.emplace_front(mechanism, health_);
        if (judged_.size() > kJudged) judged_.pop_back();
    }
    unjudged_ = !health_;
    std::vector<Diagnostic> findings =
        health_ ? closureFindings(read_.model, tree_, *health_) : std::vector<Diagnostic>{leftToTheProof(read_.model)};
    const bool some = !findings.empty();
    auto& all = read_.diagnostics;
    all.insert(all.end(), std::make_move_iterator(findings.begin()), std::make_move_iterator(findings.end()));
    std::stable_sort(all.begin(), all.end(),
                     [](const Diagnostic& a, const Diagnostic& b) { return a.range.begin < b.range.begin; });
    return some;
}

std::optional<Document::Mobility> Document::mobility() const {
    if (health_ && !health_->sound())
        return Mobility{static_cast<int>(read_.model.loops.size()), health_->nv, health_->nc, health_->rank};
    if (unjudged_ || !read_.ok()) return std::nullopt;
    const Layout layout = layoutOf(read_.model);
    return Mobility{layout.nloop, layout.nv, layout.nc, layout.nc};
}

void Document::changed(bool typing) {
    // Nothing that costs time runs for an edit that changed no byte.
    if (tree_.text != text()) refresh(typing);
    if (on_change) on_change();
}

void Document::setText(std::string text, const std::string& name, bool merge_with_last) {
    history_.push(std::move(text), name, 0, merge_with_last);
    changed(true);
}

void Document::apply(const std::vector<TextEdit>& edits, const std::string& name, std::uint64_t drag) {
    history_.push(mech::applyEdits(text(), edits), name, drag);
    changed();
}

void Document::undo() {
    history_.undo();
    changed();
}

void Document::redo() {
    history_.redo();
    changed();
}

void Document::jumpTo(std::size_t entry) {
    history_.jumpTo(entry);
    changed();
}

void Document::save() {
    if (!path_) throw std::runtime_error("Cannot save: the document has no file yet.");
    saveAtomically(*path_, text());
    stamp_ = stampOf(*path_);
    saved_ = hash_;
    gone_ = false;
    history_.seal();
    changed();
}

void Document::saveAs(const fs::path& path) {
    const fs::path absolute = fs::absolute(path).lexically_normal();
    saveAtomically(absolute, text());
    const bool moved = !path_ || path_->parent_path() != absolute.parent_path();
    path_ = absolute;
    stamp_ = stampOf(absolute);
    saved_ = hash_;
    gone_ = false;
    history_.seal();
    if (moved) refresh();  // mesh files are looked for beside the document
    changed();
}

Document::DiskChange Document::checkDisk() const {
    if (!path_ || !stamp_) return DiskChange::none;
    gone_ = true;
    const auto now = stampOf(*path_);
    if (!now) return DiskChange::gone;
    if (*now != *stamp_) {
        try {
            const bool same = hashText(readFile(*path_)) == saved_;
            gone_ = false;
            if (!same) return DiskChange::changed;
        } catch (const std::runtime_error&) {
            return DiskChange::gone;
        }
    }
    gone_ = false;
    stamp_ = now;
    return DiskChange::none;
}

void Document::reload() {
    if (!path_) throw std::runtime_error("Cannot reload: the document has no file yet.");
    const auto stamp = stampOf(*path_);
    history_.push(readFile(*path_), "Reload");
    history_.seal();
    stamp_ = stamp;
    refresh();
    saved_ = hash_;
    gone_ = false;
    changed();
}

}  // namespace mw::app

// The open document: every change goes through the history, is read anew at once, and is told to the owner.
#include "app/document/document.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "engine/dynamics/closure.h"
#include "engine/mech/patch.h"
#include "engine/model/layout.h"

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
    read_ = readModel(tree_, path_ ? path_->parent_path() : fs::path());
    unsound_.reset();
    loops_due_ = read_.ok() && !read_.model.loops.empty();
    if (!typing) checkLoops();
}

// Comments, colours and drives leave a sound mechanism sound; only what the equations are made of is judged anew.
bool Document::checkLoops() {
    if (!std::exchange(loops_due_, false)) return false;
    const Hash mechanism = modelHash(read_.model);
    if (mechanism == sound_) return false;
    std::vector<Diagnostic> findings = closureFindings(read_.model, tree_);
    if (!hasErrors(findings)) {
        sound_ = mechanism;
    } else {
        const std::vector<double> param = read_.model.liveValues();
        const LoopHealth health = Closure(read_.model).generalHealth(param);
        unsound_ = Mobility{static_cast<int>(read_.model.loops.size()), health.nv, health.nc, health.rank};
    }
    auto& all = read_.diagnostics;
    all.insert(all.end(), std::make_move_iterator(findings.begin()), std::make_move_iterator(findings.end()));
    std::stable_sort(all.begin(), all.end(),
                     [](const Diagnostic& a, const Diagnostic& b) { return a.range.begin < b.range.begin; });
    return hasErrors(all);
}

std::optional<Document::Mobility> Document::mobility() const {
    if (unsound_) return unsound_;
    if (!read_.ok()) return std::nullopt;
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

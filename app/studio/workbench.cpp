// Wires document, workshop and runner: typing -> pause -> derive -> kernels into the run, without ever waiting for a
// worker.
#include "app/studio/workbench.h"

#include <algorithm>

namespace mw::app {
namespace {

const char* kStart = "mech 1\n";

}  // namespace

Workbench::Workbench(QObject* parent)
    : QObject(parent),
      document_(std::make_unique<Document>(kStart)),
      workshop_(std::make_unique<Workshop>()),
      runner_(std::make_unique<Runner>()) {
    pause_.setSingleShot(true);
    pause_.setInterval(250);
    connect(&pause_, &QTimer::timeout, this, &Workbench::submit);
    workshop_->on_change = [this] {
        if (!workshop_pending_.exchange(true))
            QMetaObject::invokeMethod(this, &Workbench::wakeWorkshop, Qt::QueuedConnection);
    };
    runner_->on_change = [this] {
        if (!runner_pending_.exchange(true))
            QMetaObject::invokeMethod(this, &Workbench::wakeRunner, Qt::QueuedConnection);
    };
    wire();
}

Workbench::~Workbench() {
    document_->on_change = nullptr;
    runner_.reset();
    workshop_.reset();
}

void Workbench::wire() {
    document_->on_change = [this] { emit documentChanged(); };
}

const Model* Workbench::model() const {
    if (document_->read().ok()) return &document_->read().model;
    return built_ ? built_->model.get() : nullptr;
}

void Workbench::setDocument(Document document) {
    document_->on_change = nullptr;
    document_ = std::make_unique<Document>(std::move(document));
    wire();
    fresh_ = true;
    selection_.clear();
    pause_.stop();
    workshop_->forget();
    built_.reset();
    emit documentReplaced();
    emit documentChanged();
    emit selectionChanged();
    submit();
    if (built_) return;
    // It has errors: an empty view rather than the mechanism of the document before.
    runner_->clear();
    emit builtChanged();
}

void Workbench::type(std::string text) {
    if (text == document_->text()) return;
    workshop_->noteEditing();
    const bool merge = pause_.isActive();
    pause_.start();
    document_->setText(std::move(text), "Type", merge);
    emit progressChanged();
}

void Workbench::apply(const std::vector<TextEdit>& edits, const QString& name, std::uint64_t drag) {
    document_->apply(edits, name.toStdString(), drag);
    submit();
}

void Workbench::submit() {
    pause_.stop();
    // Typing has come to a pause: time to judge the loops.
    if (document_->checkLoops()) emit documentChanged();
    // What an edit or an undo took away is no longer selected.
    if (document_->read().ok()) {
        const Model& model = document_->read().model;
        std::vector<Item> left;
        for (const Item& item : selection_.items())
            if (item.name == "base" || modelIndex(model, item) >= 0 ||
                (item.kind == "contact" && modelIndex(model, writtenItem(item)) >= 0))
                left.push_back(item);
        if (left.size() != selection_.items().size()) {
            selection_.clear();
            for (const Item& item : left) selection_.toggle(item);
            emit selectionChanged();
        }
    }
    workshop_->submit(document_->read(), document_->textHash(), document_->displayName(), document_->text());
    wakeWorkshop();
}

void Workbench::select(const Item& item) {
    if (item == selected() && selection_.items().size() <= 1) return;
    if (item.kind.empty()) selection_.clear();
    else selection_.set(item);
    emit selectionChanged();
}

void Workbench::toggleSelected(const Item& item) {
    selection_.toggle(item);
    emit selectionChanged();
}

void Workbench::wakeWorkshop() {
    workshop_pending_ = false;
    const auto built = workshop_->built();
    if (built && built != built_) {
        const bool same = built_ && built->model == built_->model;
        const bool same_kernel = same && built->kernel.c == built_->kernel.c;
        built_ = built;
        if (!same) {
            // A run at its very start shows an edited start pose at once; one under way keeps its motion.
            const bool keep = !fresh_ && snapshot_ && snapshot_->state.step > 0;
            runner_->setModel(built->model, built->kernel, keep);
            fresh_ = false;
        } else if (!same_kernel) {
            runner_->setKernel(built->kernel);
        }
        emit builtChanged();
    }
    emit progressChanged();
}

void Workbench::wakeRunner() {
    runner_pending_ = false;
    const auto next = runner_->snapshot();
    if (!next || next == snapshot_) return;
    snapshot_ = next;
    emit snapshotChanged();
}

}  // namespace mw::app

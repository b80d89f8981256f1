// The card of a loop: its properties, which can be edited here, and what its closure does at the instant shown.
#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <cmath>

#include "app/live/probes.h"
#include "app/studio/dock.h"
#include "app/studio/inspector.h"
#include "app/studio/style.h"
#include "app/studio/workbench.h"
#include "engine/model/loop_rows.h"

namespace mw::app {
namespace {

QString number(double value) {
    if (!std::isfinite(value)) return "invalid";
    const double size = std::abs(value);
    if (size == 0 || (size >= 1e-3 && size < 1e5)) return QString("%1").arg(value, 10, 'f', size < 1e3 ? 4 : 2);
    return QString("%1").arg(value, 10, 'e', 2);
}

}  // namespace

/// Edits make this card anew: outside of the widget's own event.
void Inspector::settle(std::function<Outcome()> edit) {
    QMetaObject::invokeMethod(
        this,
        [this, edit = std::move(edit)] {
            const Outcome done = edit();
            // What was refused gives way to what the text says.
            signature_.clear();
            emit outcome(done);
            rebuild();
        },
        Qt::QueuedConnection);
}

void Inspector::editRow(const QString& name, const QString& text, const QString& tip,
                        std::function<Outcome(const std::string&)> commit, const QString& unit,
                        const QString& standard) {
    auto* left = roleLabel(unit.isEmpty() ? name : name + ", " + unit, "secondary", page_);
    auto* field = new QLineEdit(text, page_);
    field->setPlaceholderText(standard);
    field->setObjectName("inspector.edit." + name);
    field->setAccessibleName(name);
    field->setFont(Style::get().monoFont());
    field->setCursorPosition(0);
    left->setToolTip(tip);
    field->setToolTip(tip);
    connect(field, &QLineEdit::editingFinished, this, [this, field, text, commit = std::move(commit)] {
        const QString typed = field->text().simplified();
        if (!field->isModified() || typed == text) return;
        field->setModified(false);
        settle([typed, commit] { return commit(typed.toStdString()); });
    });
    grid_->addWidget(left, next_, 0);
    grid_->addWidget(field, next_, 1);
    ++next_;
}

void Inspector::choiceRow(const QString& name, const QStringList& choices, const QString& present, const QString& tip,
                          std::function<Outcome(const std::string&)> commit) {
    auto* left = roleLabel(name, "secondary", page_);
    auto* box = new QComboBox(page_);
    box->setObjectName("inspector.edit." + name);
    box->setAccessibleName(name);
    box->addItems(choices);
    box->setCurrentText(present);
    left->setToolTip(tip);
    box->setToolTip(tip);
    // A wheel that scrolls the card changes nothing.
    box->setFocusPolicy(Qt::StrongFocus);
    connect(box, &QComboBox::textActivated, this, [this, present, commit = std::move(commit)](const QString& chosen) {
        if (chosen != present) settle([chosen, commit] { return commit(chosen.toStdString()); });
    });
    grid_->addWidget(left, next_, 0);
    grid_->addWidget(box, next_, 1);
    ++next_;
}

void Inspector::showLoop(const Item& item) {
    section(QString::fromStdString(item.name));
    Document& document = bench_.document();
    const auto written = [&](const char* word) {
        QString text;
        for (const WrittenValue& value : writtenValues(document, item, word))
            text += (text.isEmpty() ? "" : " ") + QString::fromStdString(value.text);
        return text;
    };
    const auto set = [this, item](const char* word) {
        return [this, item, word = std::string(word)](const std::string& text) {
            return setPropertyText(bench_.document(), item, word, text);
        };
    };
    QStringList types;
    for (const LoopType type : {LoopType::revolute, LoopType::prismatic, LoopType::cylindrical, LoopType::spherical,
                                LoopType::point_on_line, LoopType::distance})
        types << loopTypeName(type);
    choiceRow(tr("type"), types, written("type"), tr("what the closure forbids"),
              [this, item](const std::string& type) { return setLoopType(bench_.document(), item.name, type); });
    editRow(tr("from"), written("from"), tr("predecessor and its loop frame's origin in it, m"), set("from"));
    editRow(tr("to"), written("to"), tr("successor and its loop frame's origin in it, m"), set("to"));
    if (hasProperty(document, item, "axis"))
        editRow(tr("axis"), written("axis"), tr("free axis, in the predecessor's loop frame"), set("axis"));
    if (hasProperty(document, item, "length"))
        editRow(tr("length"), written("length"), tr("distance of the two origins, m"), set("length"));

    const Model* model = bench_.model();
    const int index = model ? modelIndex(*model, item) : -1;
    if (index < 0) {
        row({}, tr("Its numbers appear once the text has no errors."));
        return;
    }
    // Live numbers come from the mechanism that runs, which may be older than the text.
    const Loop& loop = model->loops[static_cast<std::size_t>(index)];
    const auto probe = [this, name = item.name](std::size_t i) -> std::optional<Probe> {
        const auto s = bench_.snapshot();
        const int k = s && s->model ? modelIndex(*s->model, {"loop", name}) : -1;
        const auto all = k < 0 ? std::vector<Probe>{} : loopProbes(*s, k);
        return i < all.size() ? std::optional(all[i]) : std::nullopt;
    };
    const auto shown = [probe](std::size_t i) {
        return [probe, i]() -> QString {
            const auto p = probe(i);
            if (!p || p->state != Probe::State::value) return p ? probeStateName(p->state) : "not computed";
            QString text;
            for (const double v : p->values) text += number(v);
            return text + " " + QString::fromStdString(p->unit);
        };
    };
    const std::vector<LoopRow> rows = rowsOf(loop);
    const auto body = [&](int b) {
        return b == kBase ? tr("base") : QString::fromStdString(model->bodies[static_cast<std::size_t>(b)].name);
    };
    const QString heads[] = {tr("Error"), tr("Rate"), tr("Lambda on %1").arg(body(loop.to.body))};
    const QString tips[] = {
        loop.type == LoopType::distance ? tr("the length minus the wanted one")
                                        : tr("the successor's loop frame seen from the predecessor's"),
        tr("d/dt of the error"),
        tr("the multiplier of the row: couple or force on the successor along it, at the instant shown")};
    for (std::size_t h = 0; h < 3; ++h) {
        section(heads[h]);
        for (std::size_t i = 0; i < rows.size(); ++i)
            liveRow(QString::fromStdString(rowName(rows[i])), shown(3 * i + h), tips[h]);
    }
    section(tr("Wrench of the closure"));
    row(tr("acts on"), body(loop.to.body));
    row(tr("acts from"), body(loop.from.body));
    row(tr("made by"), tr("loop %1, forward dynamics").arg(QString::fromStdString(item.name)));
    row(tr("about point"), tr("the loop frame's origin in %1 (`to`)").arg(body(loop.to.body)));
    row(tr("axes"), tr("base"));
    liveRow(tr("time"), [this]() -> QString {
        const auto s = bench_.snapshot();
        return s ? tr("instant, t = %1 s").arg(s->state.t, 0, 'f', 3) : QString("not computed");
    });
    row(tr("includes"), tr("all rows of this loop, stabilisation"));
    row(tr("omits"), tr("nothing; the opposite acts on %1").arg(body(loop.from.body)));
    row(tr("exact"), tr("yes"));
    row({}, tr("force, N"));
    liveRow({}, shown(3 * rows.size()), tr("on the successor, base axes"));
    row({}, tr("moment about the point, N m"));
    liveRow({}, shown(3 * rows.size() + 1), tr("on the successor, base axes"));
}

}  // namespace mw::app

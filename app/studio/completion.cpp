// Proposals come from the keyword table alone; names from the model of the text.
#include "app/studio/completion.h"

#include <QKeyEvent>
#include <QLabel>
#include <QListWidget>
#include <QScreen>
#include <QVBoxLayout>
#include <algorithm>

#include "app/document/selection.h"
#include "app/studio/dock.h"
#include "app/studio/style.h"
#include "engine/mech/keywords.h"

namespace mw::app {
namespace {

bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-'; }

void addNames(std::vector<Proposal>& list, const Model& model, mech::NameSpace space) {
    auto names = [&](const auto& items, const char* what) {
        for (const auto& item : items) list.push_back({item.name, item.name, what});
    };
    switch (space) {
        case mech::NameSpace::body:
            list.push_back({"base", "base", "the world"});
            names(model.bodies, "body");
            break;
        case mech::NameSpace::point: names(model.points, "point of interest"); break;
        case mech::NameSpace::value: names(model.parameters, "parameter"); break;
        case mech::NameSpace::element:
            names(model.tsdas, "spring");
            names(model.rsdas, "joint spring");
            break;
        case mech::NameSpace::drive: names(model.drives, "drive"); break;
        case mech::NameSpace::shape: names(model.shapes, "shape"); break;
        default: break;
    }
}

void addValue(std::vector<Proposal>& list, const mech::ValueSpec& value, const Model* model) {
    using mech::ValueKind;
    switch (value.kind) {
        case ValueKind::choice:
            for (const mech::Choice& c : value.choices)
                list.push_back({c.word, mech::signature(c.word, c.values), c.doc});
            break;
        case ValueKind::word: list.push_back({value.name, value.name, ""}); break;
        case ValueKind::axis:
            for (const char* axis : {"x", "y", "z"}) list.push_back({axis, axis, "axis"});
            break;
        case ValueKind::reference:
            if (model) addNames(list, *model, value.space);
            break;
        case ValueKind::coordinate:
            if (model) addNames(list, *model, mech::NameSpace::body);
            break;
        case ValueKind::point:
            if (model) {
                addNames(list, *model, mech::NameSpace::point);
                addNames(list, *model, mech::NameSpace::body);
            }
            break;
        case ValueKind::number:
        case ValueKind::time_number:
            if (model) addNames(list, *model, mech::NameSpace::value);
            break;
        default: break;
    }
}

}  // namespace

std::vector<Proposal> proposalsAt(const mech::SyntaxTree& tree, const Model* model, std::size_t offset,
                                  std::string& prefix) {
    const std::string& text = tree.text;
    offset = std::min(offset, text.size());
    std::size_t begin = offset;
    while (begin > 0 && isWord(text[begin - 1])) --begin;
    prefix = text.substr(begin, offset - begin);

    // The words before on the same line say what is wanted: values of the last property, or a word that starts one.
    std::size_t line = begin;
    while (line > 0 && text[line - 1] != '\n') --line;
    std::vector<std::string> before;
    for (std::size_t i = line; i < begin;) {
        if (text[i] == '#' || text[i] == '"') return {};
        if (std::isspace(static_cast<unsigned char>(text[i]))) {
            ++i;
            continue;
        }
        std::size_t end = i;
        while (end < begin && !std::isspace(static_cast<unsigned char>(text[end])) && text[end] != '#') ++end;
        if (end == i) return {};
        before.push_back(text.substr(i, end - i));
        i = end;
    }

    std::vector<Proposal> list;
    const mech::StatementSpec* spec = nullptr;
    if (!before.empty()) spec = mech::findStatement(before.front());
    const bool head_line = spec != nullptr;
    if (!spec) {
        const int statement = statementAt(tree, begin == 0 ? 0 : begin - 1);
        if (statement >= 0) {
            const auto& s = tree.statements[static_cast<std::size_t>(statement)];
            if (s.keyword >= 0) spec = mech::findStatement(tree.view(s.keyword));
        }
    }
    // The last property word on this line and how many values followed it.
    const mech::PropertySpec* property = nullptr;
    std::size_t values = 0;
    for (std::size_t i = head_line ? 1 : 0; i < before.size(); ++i) {
        const mech::PropertySpec* next = spec ? spec->find(before[i]) : nullptr;
        const std::size_t wanted = property ? property->values.size() : (head_line ? spec->values.size() : 0);
        if (next && values >= wanted) {
            property = next;
            values = 0;
        } else {
            ++values;
        }
    }
    const std::vector<mech::ValueSpec>* wanted = property ? &property->values : (head_line ? &spec->values : nullptr);
    bool value_due = false;
    if (wanted && values < wanted->size()) {
        addValue(list, (*wanted)[values], model);
        value_due = true;
    } else if (wanted && !wanted->empty() && values >= wanted->size()) {
        // A choice takes values of its own: `joint revolute AXIS`.
        const mech::ValueSpec& first = wanted->front();
        if (first.kind == mech::ValueKind::choice && before.size() >= values) {
            const std::string& word = before[before.size() - values];
            for (const mech::Choice& c : first.choices)
                if (word == c.word && values - 1 < c.values.size()) {
                    addValue(list, c.values[values - 1], model);
                    value_due = true;
                }
        }
    }
    if (!value_due) {
        if (spec)
            for (const mech::PropertySpec& p : spec->properties)
                if (p.availability != mech::Availability::not_yet)
                    list.push_back({p.word, mech::signature(p.word, p.values), p.doc});
        if (before.empty())
            for (const mech::StatementSpec& s : mech::statements())
                if (s.availability != mech::Availability::not_yet)
                    list.push_back({s.head, mech::signature(s.head, s.values), s.doc});
    }
    std::erase_if(list, [&](const Proposal& p) { return p.word.compare(0, prefix.size(), prefix) != 0; });
    // Nothing to complete when the word is already whole and alone.
    if (list.size() == 1 && list.front().word == prefix) list.clear();
    return list;
}

CompletionPopup::CompletionPopup(QWidget* editor) : QFrame(editor, Qt::ToolTip) {
    setObjectName("completion");
    setAccessibleName(tr("Completions"));
    setProperty("role", "popup");
    setAttribute(Qt::WA_ShowWithoutActivating);
    setFocusPolicy(Qt::NoFocus);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(4, 4, 4, 4);
    column->setSpacing(0);
    list_ = new QListWidget(this);
    list_->setObjectName("completion.list");
    list_->setFocusPolicy(Qt::NoFocus);
    list_->setUniformItemSizes(true);
    help_ = roleLabel({}, "secondary", this);
    help_->setWordWrap(true);
    help_->setContentsMargins(8, 6, 8, 4);
    column->addWidget(list_);
    column->addWidget(help_);
    connect(list_, &QListWidget::currentRowChanged, this, [this](int row) {
        if (row < 0 || row >= static_cast<int>(proposals_.size())) return;
        const Proposal& p = proposals_[static_cast<std::size_t>(row)];
        help_->setText("<b>" + QString::fromStdString(p.signature).toHtmlEscaped() + "</b><br>" +
                       QString::fromStdString(p.help).toHtmlEscaped());
    });
    connect(list_, &QListWidget::itemClicked, this, [this] {
        if (const Proposal* p = current()) emit chosen(QString::fromStdString(p->word));
    });
}

const Proposal* CompletionPopup::current() const {
    const int row = list_->currentRow();
    return row < 0 || row >= static_cast<int>(proposals_.size()) ? nullptr : &proposals_[static_cast<std::size_t>(row)];
}

void CompletionPopup::offer(std::vector<Proposal> proposals, const QPoint& below_caret, int line_height) {
    if (proposals.empty()) {
        hide();
        return;
    }
    proposals_ = std::move(proposals);
    list_->clear();
    list_->setFont(Style::get().monoFont());
    for (const Proposal& p : proposals_) list_->addItem(QString::fromStdString(p.word));
    list_->setCurrentRow(0);
    const int rows = std::min<int>(8, static_cast<int>(proposals_.size()));
    list_->setFixedHeight(rows * std::max(list_->sizeHintForRow(0), px(24)) + 2);
    setFixedWidth(px(320));
    help_->setMinimumHeight(px(58));
    adjustSize();
    QPoint at = below_caret;
    if (const QScreen* on = parentWidget()->screen()) {
        const QRect room = on->availableGeometry();
        if (at.y() + height() > room.bottom()) at.setY(below_caret.y() - line_height - height());
        at.setX(std::min(at.x(), room.right() - width()));
    }
    move(at);
    show();
}

bool CompletionPopup::handleKey(int key) {
    if (!isVisible()) return false;
    const int last = list_->count() - 1, row = list_->currentRow();
    switch (key) {
        case Qt::Key_Down: list_->setCurrentRow(row >= last ? 0 : row + 1); return true;
        case Qt::Key_Up: list_->setCurrentRow(row <= 0 ? last : row - 1); return true;
        case Qt::Key_PageDown: list_->setCurrentRow(std::min(last, row + 8)); return true;
        case Qt::Key_PageUp: list_->setCurrentRow(std::max(0, row - 8)); return true;
        case Qt::Key_Escape: hide(); return true;
        case Qt::Key_Tab:
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (const Proposal* p = current()) emit chosen(QString::fromStdString(p->word));
            hide();
            return true;
        default: return false;
    }
}

}  // namespace mw::app

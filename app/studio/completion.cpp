// Proposals are those of the language (engine/mech/completion.h): words of the keyword table and names of the text.
#include "app/studio/completion.h"

#include <QKeyEvent>
#include <QLabel>
#include <QListWidget>
#include <QScreen>
#include <QVBoxLayout>
#include <algorithm>

#include "app/studio/dock.h"
#include "app/studio/style.h"
#include "engine/mech/completion.h"
#include "engine/mech/keywords.h"

namespace mw::app {

std::vector<Proposal> proposalsAt(const mech::SyntaxTree& tree, std::size_t offset, std::string& prefix) {
    const mech::Completions found = mech::completionsAt(tree, offset);
    prefix = tree.view(found.range);
    // Where both may stand, a property of the statement at hand is likelier than a new statement.
    std::vector<Proposal> list, statements;
    for (const mech::Completion& c : found.words) {
        if (c.kind == mech::Completion::Kind::statement) {
            const mech::StatementSpec* spec = mech::findStatement(c.word);
            if (spec && spec->availability == mech::Availability::not_yet) continue;
            statements.push_back({c.word, c.detail, c.doc});
        } else {
            list.push_back({c.word, c.detail, c.doc});
        }
    }
    list.insert(list.end(), statements.begin(), statements.end());
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

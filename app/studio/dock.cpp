// Heads of the docks and small pieces that all panels share.
#include "app/studio/dock.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QStyle>
#include <algorithm>

#include "app/studio/style.h"

namespace mw::app {
namespace {

// A dock asks its head for the size it would like, not for the one it has.
class Head : public QWidget {
public:
    explicit Head(QWidget* parent) : QWidget(parent) {
        setProperty("role", "dockhead");
        setAttribute(Qt::WA_StyledBackground);
    }
    QSize sizeHint() const override { return {px(120), px(30)}; }
    QSize minimumSizeHint() const override { return {px(60), px(30)}; }
};

}  // namespace

Dock::Dock(const QString& name, const QString& title, QWidget* content, bool head, QWidget* parent)
    : QDockWidget(title, parent), head_(head) {
    setObjectName(name);
    setAccessibleName(title);
    setWidget(content);
    bar_ = new Head(this);
    row_ = new QHBoxLayout(bar_);
    title_ = roleLabel(title, "head");
    note_ = roleLabel({});
    note_->setObjectName(name + ".note");
    row_->addWidget(title_);
    row_->addSpacing(8);
    row_->addWidget(note_, 1);
    none_ = new QWidget(this);
    none_->setFixedHeight(0);
    auto resize = [this] { row_->setContentsMargins(px(14), 0, px(10), 0); };
    connect(&Style::get(), &Style::changed, this, resize);
    resize();
    // A floating dock is moved by its head, so it always has one.
    connect(this, &QDockWidget::topLevelChanged, this, [this](bool floating) { showHead(head_ || floating); });
    showHead(head_);
}

void Dock::showHead(bool head) {
    setTitleBarWidget(head ? bar_ : none_);
    bar_->setVisible(head);
    none_->setVisible(!head);
}

void Dock::setNote(const QString& note) {
    if (said_ == note) return;
    said_ = note;
    fitNote();
}

/// What does not fit ends in dots, and is in the tip.
void Dock::fitNote() {
    const int room = std::max(px(24), bar_->width() - title_->sizeHint().width() - px(14) - px(10) - px(20) - 8);
    const QString shown = note_->fontMetrics().elidedText(said_, Qt::ElideRight, room);
    note_->setToolTip(shown == said_ ? QString() : said_);
    if (note_->text() != shown) note_->setText(shown);
}

void Dock::resizeEvent(QResizeEvent* event) {
    QDockWidget::resizeEvent(event);
    fitNote();
}

void Dock::addHeadWidget(QWidget* widget) { row_->addWidget(widget); }

QLabel* roleLabel(const QString& text, const char* role, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setProperty("role", role);
    return label;
}

ContentOrReason::ContentOrReason(QWidget* page)
    : reason_(roleLabel({}, "secondary", page)), content_(new QWidget(page)) {
    auto* outer = new QHBoxLayout(page);
    outer->setContentsMargins(0, 0, 0, 0);
    reason_->setAlignment(Qt::AlignCenter);
    reason_->setWordWrap(true);
    outer->addWidget(reason_, 1);
    outer->addWidget(content_, 1);
}

void ContentOrReason::because(const QString& why) {
    reason_->setText(why);
    reason_->setVisible(!why.isEmpty());
    content_->setVisible(why.isEmpty());
}

QWidget* thinLine(QWidget* parent) {
    auto* line = new QFrame(parent);
    line->setProperty("role", "line");
    return line;
}

}  // namespace mw::app

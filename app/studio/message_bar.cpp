// Every choice closes the bar; the cross does nothing else.
#include "app/studio/message_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyle>
#include <QToolButton>

#include "app/studio/dock.h"
#include "app/studio/icons.h"
#include "app/studio/style.h"

namespace mw::app {

MessageBar::MessageBar(const QString& name, QWidget* parent) : QFrame(parent) {
    setObjectName(name);
    setProperty("role", "message");
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 6, 8, 6);
    sign_ = new QLabel(this);
    text_ = new QLabel(this);
    text_->setObjectName(name + ".text");
    text_->setWordWrap(true);
    buttons_ = new QHBoxLayout;
    auto* close = new QToolButton(this);
    close->setIcon(icon("close"));
    close->setToolTip(tr("Dismiss"));
    close->setAccessibleName(tr("Dismiss"));
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    row->addWidget(sign_);
    row->addSpacing(4);
    row->addWidget(text_, 1);
    row->addLayout(buttons_);
    row->addWidget(close);
    hide();
}

void MessageBar::say(const QString& text, const char* tone, std::vector<Choice> choices) {
    const QString t = QString::fromLatin1(tone);
    setProperty("tone", t);
    style()->unpolish(this);
    style()->polish(this);
    const QColor color = t == "bad" ? tokens().bad : t == "caution" ? tokens().caution : tokens().accent;
    sign_->setPixmap(iconPixmap(t == "info"  ? "info"
                                : t == "bad" ? "error"
                                             : "warning",
                                color, px(18), devicePixelRatioF()));
    text_->setText(text);
    setAccessibleName(text);
    while (QLayoutItem* item = buttons_->takeAt(0)) {
        item->widget()->deleteLater();
        delete item;
    }
    int n = 0;
    for (auto& [name, act] : choices) {
        auto* button = new QPushButton(name, this);
        button->setObjectName(objectName() + "." + QString::number(n++));
        connect(button, &QPushButton::clicked, this, [this, act = std::move(act)] {
            hide();
            if (act) act();
        });
        buttons_->addWidget(button);
    }
    show();
    emit placeWanted();
}

void MessageBar::showEvent(QShowEvent* event) {
    QFrame::showEvent(event);
    emit placeWanted();
}

void MessageBar::hideEvent(QHideEvent* event) {
    QFrame::hideEvent(event);
    emit placeWanted();
}

}  // namespace mw::app

// Paints the badge and fills the list of gates from the newest proof report.
#include "app/studio/badge.h"

#include <QDateTime>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QPainterPath>
#include <QPushButton>
#include <QTreeWidget>
#include <algorithm>
#include <cmath>

#include "app/studio/dock.h"
#include "app/studio/icons.h"
#include "app/studio/style.h"
#include "app/studio/workbench.h"

namespace mw::app {
namespace {

QString number(double value) {
    if (value != 0 && (std::abs(value) < 1e-3 || std::abs(value) >= 1e5)) return QString::number(value, 'e', 1);
    return QString::number(value, 'g', 5);
}

QString age(std::chrono::system_clock::time_point then) {
    if (then == std::chrono::system_clock::time_point{}) return {};
    const auto s = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now() - then).count();
    if (s < 60) return QObject::tr("proven %1 s ago").arg(s);
    if (s < 3600) return QObject::tr("proven %1 min ago").arg(s / 60);
    return QObject::tr("proven %1 h ago").arg(s / 3600);
}

QString capital(const std::string& text) {
    QString out = QString::fromStdString(text);
    if (!out.isEmpty()) out[0] = out[0].toUpper();
    return out;
}

}  // namespace

BadgeButton::BadgeButton(Workbench& bench, QWidget* parent) : QAbstractButton(parent), bench_(bench) {
    setObjectName("badge");
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setFocusPolicy(Qt::TabFocus);
    setCursor(Qt::PointingHandCursor);
    connect(&bench_, &Workbench::progressChanged, this, &BadgeButton::refresh);
    connect(&Style::get(), &Style::changed, this, [this] {
        refresh();
        updateGeometry();
    });
    connect(this, &QAbstractButton::clicked, this, &BadgeButton::openGates);
    refresh();
}

void BadgeButton::refresh() {
    const Badge badge = bench_.workshop().badge();
    const Tokens& t = tokens();
    progress_ = -1;
    switch (badge.state) {
        case Badge::State::editing: icon_ = "edit", color_ = t.secondary; break;
        case Badge::State::deriving:
        case Badge::State::compiling:
        case Badge::State::validating: icon_ = "work", color_ = t.accent, progress_ = badge.progress; break;
        case Badge::State::proven: icon_ = "check", color_ = t.good; break;
        case Badge::State::contradicted: icon_ = "warning", color_ = t.caution; break;
        case Badge::State::failed: icon_ = "fail", color_ = t.bad; break;
        case Badge::State::last_good: icon_ = "stale", color_ = t.caution; break;
    }
    text_ = QString::fromStdString(badge.text);
    detail_ = QString::fromStdString(badge.detail);
    if (badge.state == Badge::State::editing && !bench_.built() && !bench_.document().read().ok()) {
        // Nothing good has been there yet.
        icon_ = "warning", color_ = t.caution;
        detail_ = tr("the text has errors");
    }
    outside_ = QString::fromStdString(badge.outside);
    const auto built = bench_.workshop().built();
    const bool judged = built && built->outside && built->outside->verdict != OutsideOpinion::Verdict::none;
    opinion_ = judged && !outside_.isEmpty() ? QString::fromStdString(built->outside->words) : QString();
    setAccessibleName(tr("Proof: %1 %2 %3").arg(text_, detail_, outside_).trimmed());
    const QString tip = tr("How far this mechanism is proven. Click for the gates.");
    setToolTip(outside_.isEmpty() ? tip : tip + "\n" + detail_ + "\n" + outside_);
    update();
}

QSize BadgeButton::sizeHint() const { return {px(292), px(30)}; }

QSize BadgeButton::minimumSizeHint() const { return {px(170), px(30)}; }

void BadgeButton::paintEvent(QPaintEvent*) {
    QPainter p(this);
    p.setRenderHint(QPainter::Antialiasing);
    const Tokens& t = tokens();
    const QRectF box = QRectF(rect()).adjusted(1, 1, -1, -1);
    const double r = box.height() / 2;
    QPainterPath pill;
    pill.addRoundedRect(box, r, r);
    QColor ground = color_;
    ground.setAlphaF(underMouse() ? 0.20 : 0.11);
    p.fillPath(pill, t.panel);
    p.fillPath(pill, ground);
    if (progress_ >= 0) {
        p.save();
        p.setClipPath(pill);
        QColor bar = color_;
        bar.setAlphaF(0.22);
        p.fillRect(QRectF(box.left(), box.top(), box.width() * progress_, box.height()), bar);
        p.restore();
    }
    p.setPen(QPen(color_, hasFocus() ? 2 : 1.2));
    p.drawPath(pill);

    const int side = px(16);
    const QFont bold = Style::get().interfaceFont(13, true), plain = Style::get().interfaceFont(12);
    const QFontMetrics bold_metrics(bold), plain_metrics(plain);
    const int gap = px(7);
    int room = width() - 2 * px(14) - side - gap;
    const int text_width = std::min(room, bold_metrics.horizontalAdvance(text_));
    room -= text_width + gap;
    // What others say comes after the figures where there is room, else in their place: these stand in the list.
    QString words = detail_;
    if (!opinion_.isEmpty()) {
        for (const QString& more : {detail_ + " · " + outside_, detail_ + " · " + opinion_, opinion_}) {
            words = more;
            if (plain_metrics.horizontalAdvance(words) <= room) break;
        }
    }
    const QString detail = room > px(24) ? plain_metrics.elidedText(words, Qt::ElideRight, room) : QString();
    const int detail_width = detail.isEmpty() ? 0 : plain_metrics.horizontalAdvance(detail) + gap;
    int x = (width() - side - gap - text_width - detail_width) / 2;
    p.drawPixmap(x, (height() - side) / 2, iconPixmap(icon_, color_, side, devicePixelRatioF()));
    x += side + gap;
    p.setFont(bold);
    p.setPen(color_);
    p.drawText(QRect(x, 0, text_width + 2, height()), Qt::AlignVCenter | Qt::AlignLeft,
               bold_metrics.elidedText(text_, Qt::ElideRight, text_width + 1));
    x += text_width + gap;
    p.setFont(plain);
    p.setPen(t.secondary);
    if (!detail.isEmpty()) p.drawText(QRect(x, 0, width() - x, height()), Qt::AlignVCenter | Qt::AlignLeft, detail);
}

void BadgeButton::openGates() {
    auto* popup = new GatesPopup(bench_, window());
    popup->setAttribute(Qt::WA_DeleteOnClose);
    popup->adjustSize();
    const QPoint below = mapToGlobal(QPoint(width() / 2 - popup->width() / 2, height() + px(4)));
    popup->move(below);
    popup->show();
}

GatesPopup::GatesPopup(Workbench& bench, QWidget* parent) : QFrame(parent, Qt::Popup), bench_(bench) {
    setObjectName("gates");
    setAccessibleName(tr("Gates of the proof"));
    setProperty("role", "popup");
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(px(14), px(12), px(14), px(12));
    column->setSpacing(px(8));
    head_ = roleLabel({}, "head", this);
    outside_ = roleLabel({}, "secondary", this);
    outside_->setObjectName("gates.outside");
    note_ = roleLabel({}, "secondary", this);
    list_ = new QTreeWidget(this);
    list_->setObjectName("gates.list");
    list_->setRootIsDecorated(false);
    list_->setHeaderLabels({tr("Gate"), tr("Value"), tr("Bound"), tr("Detail")});
    list_->setUniformRowHeights(true);
    list_->setMinimumSize(px(680), px(380));
    list_->header()->setStretchLastSection(true);
    open_ = new QPushButton(tr("Open worst state"), this);
    open_->setObjectName("gates.open");
    open_->setToolTip(tr("Shows the state that this gate found worst, paused, in the view."));
    open_->setEnabled(false);
    auto* again = new QPushButton(tr("Prove again"), this);
    again->setObjectName("gates.again");
    auto* row = new QHBoxLayout;
    row->addWidget(note_, 1);
    row->addWidget(again);
    row->addWidget(open_);
    column->addWidget(head_);
    column->addWidget(outside_);
    column->addWidget(list_, 1);
    column->addLayout(row);
    connect(list_, &QTreeWidget::itemSelectionChanged, this, [this] {
        const auto items = list_->selectedItems();
        open_->setEnabled(!items.isEmpty() && items.first()->data(0, Qt::UserRole).toBool());
    });
    connect(list_, &QTreeWidget::itemDoubleClicked, this, &GatesPopup::openWorst);
    connect(open_, &QPushButton::clicked, this, &GatesPopup::openWorst);
    connect(again, &QPushButton::clicked, this, [this] { bench_.workshop().revalidate(); });
    connect(&bench_, &Workbench::progressChanged, this, &GatesPopup::refresh);
    refresh();
}

void GatesPopup::refresh() {
    const Badge badge = bench_.workshop().badge();
    head_->setText(QString::fromStdString(badge.text) +
                   (badge.detail.empty() ? QString() : " · " + QString::fromStdString(badge.detail)));
    // What contradicts stands in the head already.
    outside_->setText(capital(badge.outside));
    outside_->setVisible(!badge.outside.empty() && badge.state != Badge::State::contradicted);
    const auto built = bench_.workshop().built();
    const auto proof = built ? built->proof : nullptr;
    const int selected = list_->currentIndex().row();
    list_->clear();
    if (!proof) {
        note_->setText(tr("No gate has run yet. They run in the background as soon as the equations are compiled."));
        return;
    }
    for (const Gate& gate : proof->gates) addRow(gate, true);
    if (const auto outside = built->outside)
        for (const Gate& gate : outside->gates) addRow(gate, outside->verdict != OutsideOpinion::Verdict::none);
    for (int c = 0; c < 3; ++c) list_->resizeColumnToContents(c);
    if (selected >= 0 && selected < list_->topLevelItemCount()) list_->setCurrentItem(list_->topLevelItem(selected));
    QStringList note{tr("%1 random states").arg(proof->trials), tr("seed %1").arg(proof->seed)};
    if (const QString when = age(built->proven_at); !when.isEmpty()) note << when;
    note_->setText(note.join(" · "));
}

/// One that does not count says something for neither side.
void GatesPopup::addRow(const Gate& gate, bool counts) {
    const bool neutral = gate.skipped || !counts;
    auto* row = new QTreeWidgetItem(list_);
    row->setText(0, QString::fromStdString(gate.name));
    row->setText(1, gate.skipped ? tr("does not apply") : counts ? number(gate.value) : tr("no answer"));
    row->setText(2, neutral ? QString() : number(gate.bound));
    row->setText(3, QString::fromStdString(gate.detail));
    row->setToolTip(3, QString::fromStdString(gate.detail));
    for (int c : {1, 2}) {
        row->setFont(c, Style::get().monoFont());
        row->setTextAlignment(c, Qt::AlignRight | Qt::AlignVCenter);
    }
    const QColor color = neutral ? tokens().secondary : gate.pass ? tokens().good : tokens().bad;
    row->setIcon(0, iconPixmap(neutral ? "more" : gate.pass ? "check" : "fail", color, px(14), devicePixelRatioF()));
    row->setData(0, Qt::UserRole, gate.worst.has_value());
    if (neutral)
        for (int c = 0; c < 4; ++c) row->setForeground(c, tokens().secondary);
}

void GatesPopup::openWorst() {
    const int row = list_->currentIndex().row();
    const auto built = bench_.workshop().built();
    if (row < 0 || !built || !built->proof || row >= static_cast<int>(built->proof->gates.size())) return;
    const Gate& gate = built->proof->gates[static_cast<std::size_t>(row)];
    if (!gate.worst) return;
    bench_.runner().setTrial(*gate.worst);
    close();
}

}  // namespace mw::app

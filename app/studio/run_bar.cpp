// Commands go to the Runner; what is shown comes from the newest snapshot alone.
#include "app/studio/run_bar.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPainter>
#include <QStandardItemModel>
#include <QStyle>
#include <QToolButton>
#include <algorithm>
#include <cmath>

#include "app/studio/dock.h"
#include "app/studio/icons.h"
#include "app/studio/style.h"
#include "app/studio/workbench.h"

namespace mw::app {
namespace {

constexpr double kSpeeds[] = {0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 100};
constexpr double kSteps[] = {0, 1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5};

QString stepText(double dt) { return QObject::tr("%1 ms").arg(dt * 1e3, 0, 'g', 3); }

/// 1, 2 or 5 times a power of ten, at least a tenth over t.
double niceUpper(double t) {
    if (!(t > 0)) return 10;
    double scale = std::pow(10.0, std::floor(std::log10(t)));
    for (const double m : {1.0, 2.0, 3.0, 5.0, 10.0})
        if (m * scale >= t * 1.05) return std::max(10.0, m * scale);
    return std::max(10.0, 20 * scale);
}

}  // namespace

TimeSlider::TimeSlider(QWidget* parent) : QWidget(parent) {
    setObjectName("run.slider");
    setAccessibleName(tr("Time"));
    setFocusPolicy(Qt::TabFocus);
    setCursor(Qt::PointingHandCursor);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setToolTip(tr("Drag to any recorded instant."));
}

QSize TimeSlider::sizeHint() const { return {px(300), px(24)}; }

void TimeSlider::show(double begin, double end, double now) {
    if (begin == begin_ && end == end_ && now == now_) return;
    begin_ = begin;
    end_ = std::max(end, now);
    now_ = now;
    if (!dragging_) upper_ = niceUpper(end_);
    setAccessibleDescription(tr("%1 s of %2 s").arg(now_, 0, 'f', 3).arg(end_, 0, 'f', 3));
    update();
}

double TimeSlider::xOf(double t) const {
    const double margin = px(9);
    return margin + std::clamp(t / upper_, 0.0, 1.0) * (width() - 2 * margin);
}

void TimeSlider::paintEvent(QPaintEvent*) {
    QPainter p(this);
    p.setRenderHint(QPainter::Antialiasing);
    const Tokens& t = tokens();
    const double y = height() / 2.0, half = px(4) / 2.0;
    auto bar = [&](double from, double to, const QColor& color) {
        if (to <= from) return;
        p.setPen(Qt::NoPen);
        p.setBrush(color);
        p.drawRoundedRect(QRectF(from, y - half, to - from, 2 * half), half, half);
    };
    bar(px(9), width() - px(9), t.border);
    bar(xOf(begin_), xOf(end_), t.secondary);
    bar(xOf(begin_), xOf(now_), t.accent);
    const double r = px(hasFocus() || dragging_ ? 9 : 8);
    p.setPen(hasFocus() ? QPen(t.accent, 2) : QPen(t.raised, 1));
    p.setBrush(t.text);
    p.drawEllipse(QPointF(xOf(now_), y), r, r);
}

void TimeSlider::scrubTo(double x) {
    const double margin = px(9);
    const double t = (x - margin) / std::max(1.0, width() - 2 * margin) * upper_;
    emit moved(std::clamp(t, begin_, end_));
}

void TimeSlider::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    dragging_ = true;
    scrubTo(event->position().x());
    update();
}

void TimeSlider::mouseMoveEvent(QMouseEvent* event) {
    if (dragging_) scrubTo(event->position().x());
}

void TimeSlider::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    dragging_ = false;
    upper_ = niceUpper(end_);
    update();
}

void TimeSlider::keyPressEvent(QKeyEvent* event) {
    const double part = (end_ - begin_) / 100;
    switch (event->key()) {
        case Qt::Key_Left: emit moved(std::max(begin_, now_ - part)); break;
        case Qt::Key_Right: emit moved(std::min(end_, now_ + part)); break;
        case Qt::Key_Home: emit moved(begin_); break;
        case Qt::Key_End: emit moved(end_); break;
        default: QWidget::keyPressEvent(event);
    }
}

RunBar::RunBar(Workbench& bench, QWidget* parent) : QWidget(parent), bench_(bench) {
    setObjectName("runbar");
    setProperty("role", "runbar");
    setAttribute(Qt::WA_StyledBackground);
    auto* row = new QHBoxLayout(this);
    reset_ = button("run.reset", "reset", tr("Reset to the start (Backspace)"));
    back_ = button("run.back", "step-back", tr("One step back (Left; Shift: ten)"));
    play_ = button("run.play", "play", tr("Play or pause (Space)"));
    step_ = button("run.step", "step", tr("One step (Right; Shift: ten)"));
    time_ = new QLineEdit(this);
    time_->setObjectName("run.time");
    time_->setAccessibleName(tr("Time in seconds"));
    time_->setProperty("flat", true);
    time_->setToolTip(tr("Type a recorded time in seconds and press Enter."));
    time_->setAlignment(Qt::AlignRight);
    slider_ = new TimeSlider(this);
    history_ = roleLabel({}, "secondary", this);
    history_->setObjectName("run.history");
    reached_ = roleLabel({}, "secondary", this);
    reached_->setObjectName("run.reached");
    reached_->setToolTip(tr("Speed that the run reaches, and what this machine could do."));
    auto combo = [this](const char* name, const QString& label) {
        auto* box = new QComboBox(this);
        box->setObjectName(name);
        box->setAccessibleName(label);
        box->setToolTip(label);
        box->setProperty("flat", true);
        box->setFocusPolicy(Qt::TabFocus);
        box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        return box;
    };
    speed_ = combo("run.speed", tr("Wanted speed, times real time (- and =)"));
    for (const double s : kSpeeds) speed_->addItem(tr("%1 ×").arg(s, 0, s < 1 ? 'g' : 'f', s < 1 ? 3 : 1), s);
    speed_->setCurrentIndex(6);
    integrator_ = combo("run.integrator", tr("Integrator"));
    integrator_->addItem(tr("Verlet"), static_cast<int>(Integrator::verlet));
    integrator_->addItem(tr("Euler"), static_cast<int>(Integrator::euler));
    dt_ = combo("run.dt", tr("Step size"));
    for (const double dt : kSteps) dt_->addItem(dt == 0 ? tr("auto") : stepText(dt), dt);

    row->addWidget(reset_);
    row->addWidget(back_);
    row->addWidget(play_);
    row->addWidget(step_);
    row->addSpacing(px(4));
    row->addWidget(time_);
    row->addWidget(slider_, 1);
    row->addWidget(history_);
    row->addWidget(integrator_);
    row->addWidget(dt_);
    row->addWidget(reached_);
    row->addWidget(speed_);

    Runner& runner = bench_.runner();
    connect(reset_, &QToolButton::clicked, this, [&runner] { runner.reset(); });
    connect(back_, &QToolButton::clicked, this, [&runner] { runner.step(-1); });
    connect(step_, &QToolButton::clicked, this, [&runner] { runner.step(1); });
    connect(play_, &QToolButton::clicked, this, [this] { emit playPressed(); });
    connect(slider_, &TimeSlider::moved, this, [&runner](double t) { runner.scrub(t); });
    connect(time_, &QLineEdit::returnPressed, this, [this, &runner] {
        QString text = time_->text();
        text.remove("s");
        text.replace(',', '.');
        bool ok = false;
        const double t = text.trimmed().toDouble(&ok);
        time_->setProperty("wrong", !ok);
        time_->style()->polish(time_);
        if (!ok) return;
        time_->clearFocus();
        runner.scrub(t);
    });
    connect(speed_, &QComboBox::activated, this,
            [this, &runner](int i) { runner.setSpeed(speed_->itemData(i).toDouble()); });
    connect(integrator_, &QComboBox::activated, this, [this, &runner](int i) {
        runner.setIntegrator(static_cast<Integrator>(integrator_->itemData(i).toInt()));
    });
    connect(dt_, &QComboBox::activated, this, [this, &runner](int i) { runner.setDt(dt_->itemData(i).toDouble()); });
    connect(&bench_, &Workbench::snapshotChanged, this, &RunBar::refresh);
    connect(&Style::get(), &Style::changed, this, &RunBar::followStyle);
    followStyle();
    refresh();
}

QToolButton* RunBar::button(const QString& name, const QString& icon_name, const QString& tip) {
    auto* b = new QToolButton(this);
    b->setObjectName(name);
    b->setIcon(icon(icon_name));
    b->setToolTip(tip);
    b->setAccessibleName(tip);
    b->setFocusPolicy(Qt::TabFocus);
    return b;
}

void RunBar::followStyle() {
    setFixedHeight(px(44));
    layout()->setContentsMargins(px(10), 0, px(12), 0);
    layout()->setSpacing(px(6));
    for (auto* b : {reset_, back_, play_, step_}) b->setIconSize({px(18), px(18)});
    time_->setFont(Style::get().monoFont(13));
    time_->setFixedWidth(px(96));
    history_->setMinimumWidth(px(128));
    reached_->setMinimumWidth(px(112));
    history_->setFont(Style::get().interfaceFont(12));
    reached_->setFont(Style::get().interfaceFont(12));
    reached_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    updateGeometry();
}

void RunBar::stepSpeed(int direction) {
    const int i = std::clamp(speed_->currentIndex() + direction, 0, speed_->count() - 1);
    speed_->setCurrentIndex(i);
    bench_.runner().setSpeed(speed_->itemData(i).toDouble());
}

void RunBar::refresh() {
    const auto s = bench_.snapshot();
    const bool there = s && s->model;
    for (auto* b : {reset_, back_, play_, step_}) b->setEnabled(there);
    time_->setEnabled(there);
    if (!there) {
        time_->setText(tr("0.000 s"));
        return;
    }
    const bool running = s->run == RunState::running;
    if (running != was_running_) {
        play_->setIcon(icon(running ? "pause" : "play"));
        play_->setAccessibleName(running ? tr("Pause") : tr("Play"));
        was_running_ = running;
    }
    if (!time_->hasFocus()) time_->setText(tr("%1 s").arg(s->state.t, 0, 'f', 3));
    slider_->show(s->history_begin, s->history_end, s->state.t);
    const bool past = !running && s->state.t < s->history_end - 0.5 * s->dt;
    const double span = s->history_end - s->history_begin;
    const double megabytes = static_cast<double>(s->history_bytes) / (1 << 20);
    if (past) history_->setText(tr("Play replaces the next %1 s").arg(s->history_end - s->state.t, 0, 'f', 2));
    else
        history_->setText(tr("history %1 s · %2 MB")
                              .arg(span, 0, 'f', span < 100 ? 1 : 0)
                              .arg(megabytes, 0, 'f', megabytes < 10 ? 1 : 0) +
                          (s->history_dropped ? tr(" · start dropped") : QString()));
    history_->setToolTip(s->history_dropped ? tr("The oldest steps were dropped to keep the history within its limit.")
                                            : QString());
    reached_->setText(running ? tr("%1 × reached").arg(s->reached_speed, 0, 'f', 2)
                              : (s->possible_speed > 0
                                     ? tr("can %1 ×").arg(s->possible_speed, 0, 'f', s->possible_speed < 10 ? 1 : 0)
                                     : QString()));
    refreshIntegrator();
    // "auto" says which step it chose.
    const QString automatic = tr("auto %1").arg(stepText(s->dt));
    if (dt_->currentIndex() == 0 && dt_->itemText(0) != automatic) dt_->setItemText(0, automatic);
    for (int i = 0; i < speed_->count(); ++i)
        if (speed_->itemData(i).toDouble() == s->wanted_speed && i != speed_->currentIndex())
            speed_->setCurrentIndex(i);
}

// What cannot be chosen is greyed and says why.
void RunBar::refreshIntegrator() {
    const auto s = bench_.snapshot();
    const QString why = QString::fromStdString(s->verlet_refused);
    const int verlet = integrator_->findData(static_cast<int>(Integrator::verlet)),
              euler = integrator_->findData(static_cast<int>(Integrator::euler));
    if (why != refused_) {
        refused_ = why;
        if (auto* items = qobject_cast<QStandardItemModel*>(integrator_->model())) {
            items->item(verlet)->setEnabled(why.isEmpty());
            items->item(verlet)->setToolTip(why);
        }
        integrator_->setItemText(euler, why.isEmpty() ? tr("Euler") : tr("Semi-implicit"));
        integrator_->setToolTip(why.isEmpty() ? tr("Integrator") : why);
    }
    const int now = integrator_->findData(static_cast<int>(s->integrator));
    if (now >= 0 && now != integrator_->currentIndex()) integrator_->setCurrentIndex(now);
}

}  // namespace mw::app

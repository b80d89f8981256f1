// The cost of a call is measured once per kernel, in the background, at the start state.
#include "app/studio/status_line.h"

#include <QFutureWatcher>
#include <QLabel>
#include <QLayout>
#include <QPainter>
#include <QPushButton>
#include <QtConcurrent>
#include <algorithm>
#include <chrono>

#include "app/live/probes.h"
#include "app/studio/dock.h"
#include "app/studio/style.h"
#include "app/studio/workbench.h"
#include "engine/dynamics/reference_kernel.h"
#include "engine/model/layout.h"

namespace mw::app {
namespace {

/// Median time of one forward-dynamics call, ns.
double timeCall(const Kernel& kernel, const Model& model) {
    const Layout layout = layoutOf(model);
    const std::vector<double> param = model.liveValues();
    const std::vector<double> q = startQ(model, layout, param), v = startV(model, layout, param);
    std::vector<double> work = makeWork(kernel), vdot(static_cast<std::size_t>(kernel->nv) + 1),
                        lambda(static_cast<std::size_t>(kernel->nc) + 1);
    using Clock = std::chrono::steady_clock;
    auto batch = [&](int n) {
        const auto begin = Clock::now();
        for (int i = 0; i < n; ++i)
            kernel->fwd_dyn(q.data(), v.data(), nullptr, nullptr, nullptr, param.data(), work.data(), vdot.data(),
                            lambda.data());
        return std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / n;
    };
    const double once = std::max(1.0, batch(3));
    const int n = std::clamp(static_cast<int>(2e5 / once), 1, 4000);
    std::vector<double> times;
    for (int i = 0; i < 15; ++i) times.push_back(batch(n));
    std::nth_element(times.begin(), times.begin() + 7, times.end());
    return times[7];
}

/// A line of text that gives way: what does not fit is elided. It asks for a little more than the text's advance, for
/// the last letter may reach beyond it.
class GivingLabel : public QLabel {
public:
    using QLabel::QLabel;
    QSize sizeHint() const override {
        const QMargins m = contentsMargins();
        const int text = QFontMetrics(font()).horizontalAdvance(this->text());
        return {text + m.left() + m.right() + px(4), QLabel::sizeHint().height()};
    }
    QSize minimumSizeHint() const override {
        return {std::min(sizeHint().width(), px(72)), QLabel::minimumSizeHint().height()};
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        const QRect area = contentsRect();
        painter.setFont(font());
        painter.setPen(palette().color(foregroundRole()));
        const QString shown = QFontMetrics(font()).elidedText(text(), Qt::ElideRight, area.width());
        painter.drawText(area, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine | Qt::TextDontClip, shown);
    }
};

QLabel* givingLabel(const char* name, QWidget* parent) {
    auto* label = new GivingLabel(parent);
    label->setProperty("role", "secondary");
    label->setObjectName(name);
    label->setTextFormat(Qt::PlainText);
    return label;
}

}  // namespace

void StatusLine::sayCost(const QString& text) {
    cost_->setText(text);
    cost_->setToolTip(text);  // all of it where the line elides
}

StatusLine::StatusLine(Workbench& bench, QWidget* parent) : QStatusBar(parent), bench_(bench) {
    setObjectName("status");
    setSizeGripEnabled(false);
    problems_ = new QPushButton(this);
    problems_->setObjectName("status.problems");
    problems_->setProperty("quiet", true);
    problems_->setToolTip(tr("Show the list of problems"));
    problems_->setFocusPolicy(Qt::TabFocus);
    cost_ = givingLabel("status.cost", this);
    solve_ = givingLabel("status.solve", this);
    solve_->setContentsMargins(0, 0, px(12), 0);
    solve_->hide();
    mobility_ = roleLabel({}, "secondary", this);
    mobility_->setObjectName("status.mobility");
    mobility_->setToolTip(tr("Independent ways to move, rows of the loops, and how many of these are independent"));
    mobility_->setContentsMargins(0, 0, px(12), 0);
    mobility_->hide();
    units_ = roleLabel(tr("SI · radians"), "secondary", this);
    units_->setContentsMargins(0, 0, px(12), 0);
    units_->setToolTip(tr("Files and numbers are SI with radians. Angles show degrees beside them."));
    saved_ = roleLabel({}, "secondary", this);
    saved_->setObjectName("status.saved");
    addWidget(problems_);
    addWidget(cost_, 1);
    addPermanentWidget(solve_);
    addPermanentWidget(mobility_);
    addPermanentWidget(units_);
    addPermanentWidget(saved_);
    connect(problems_, &QPushButton::clicked, this, &StatusLine::problemsClicked);
    connect(&bench_, &Workbench::builtChanged, this, &StatusLine::refreshCost);
    connect(&bench_, &Workbench::snapshotChanged, this, &StatusLine::refreshSolve);
    connect(&bench_, &Workbench::documentChanged, this, &StatusLine::refreshSaved);
    connect(&Style::get(), &Style::changed, this, &StatusLine::followStyle);
    followStyle();
    setProblems(0, 0, 0);
    refreshCost();
    refreshSaved();
}

void StatusLine::followStyle() {
    const QFont font = Style::get().interfaceFont(12);
    for (QWidget* w : std::initializer_list<QWidget*>{problems_, cost_, solve_, mobility_, units_, saved_})
        w->setFont(font);
    solve_said_.invalidate();
    refreshSolve();
    setFixedHeight(px(26));
    setContentsMargins(px(6), 0, px(10), 0);
}

void StatusLine::setProblems(int errors, int warnings, int infos) {
    QStringList parts;
    parts << (errors == 1 ? tr("1 error") : tr("%1 errors").arg(errors));
    if (warnings) parts << (warnings == 1 ? tr("1 warning") : tr("%1 warnings").arg(warnings));
    if (infos) parts << (infos == 1 ? tr("1 hint") : tr("%1 hints").arg(infos));
    problems_->setText(parts.join(" · "));
    const QColor color = errors ? tokens().bad : warnings ? tokens().caution : tokens().secondary;
    problems_->setStyleSheet(QString("QPushButton { color: %1; }").arg(color.name()));
}

void StatusLine::refreshCost() {
    const auto built = bench_.built();
    if (!built) {
        sayCost({});
        return;
    }
    const QString maker = QString::fromStdString(built->kernel.maker);
    mobility_->setVisible(!built->model->loops.empty());
    if (!built->model->loops.empty()) {
        // Its loops were found sound, else it would not have been built: every row is independent.
        const Layout layout = layoutOf(*built->model);
        mobility_->setText(tr("mobility %1 · nc %2 · rank %2").arg(layout.nv - layout.nc).arg(layout.nc));
    }
    QString text = maker == "reference" ? tr("running on the reference while code is generated") : QString();
    if (built->program)
        for (const auto& entry : built->program->entries)
            if (entry.name == "fwd_dyn" && maker != "reference")
                text = tr("generated %1 flops").arg(entry.count.flops());
    if (timed_ != built->kernel.c) sayCost(text);
    if (built->kernel.c == timed_ || maker == "reference" || !built->proof || built->proof->gates.empty()) return;
    timed_ = built->kernel.c;
    // Measured after the proof, when the cores are free; the pointers inside keep the code alive.
    auto* watcher = new QFutureWatcher<std::pair<double, double>>(this);
    connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher, built, text] {
        const auto [ns, reference] = watcher->result();
        watcher->deleteLater();
        if (bench_.built() && bench_.built()->kernel.c == built->kernel.c)
            sayCost(tr("%1, %2 ns a call, %3 × the reference")
                        .arg(text)
                        .arg(ns, 0, 'f', ns < 10 ? 1 : 0)
                        .arg(reference / ns, 0, 'f', reference / ns < 10 ? 1 : 0));
    });
    watcher->setFuture(QtConcurrent::run([built] {
        return std::pair{timeCall(built->kernel, *built->model),
                         timeCall(makeReferenceKernel(*built->model), *built->model)};
    }));
}

// How the rows of the step were solved that led to the instant shown; nothing for a mechanism without rows.
void StatusLine::refreshSolve() {
    const auto s = bench_.snapshot();
    const bool rows = s && s->model && s->has_rows;
    solve_->setVisible(rows);
    if (!rows) return;
    // Four times a second can be read; the last word of a run is always said.
    const bool running = s->run == RunState::running;
    if (running && solve_said_.isValid() && solve_said_.elapsed() < 250) return;
    solve_said_.start();
    const RowsReading& reading = s->readings.rows;
    const SolveReport& report = reading.report;
    QString text = tr("semi-implicit · not stepped yet");
    bool caution = false;
    if (reading.valid) {
        switch (report.status) {
            case SolveStatus::no_rows: text = tr("no rows in this step"); break;
            case SolveStatus::no_freedom: text = tr("rows %1 · no degrees of freedom").arg(report.rows); break;
            case SolveStatus::converged:
                text = tr("converged · rows %1 · sweeps %2 · residual %3 N s");
                text = text.arg(report.rows).arg(report.sweeps).arg(report.residual, 0, 'e', 1);
                break;
            case SolveStatus::budget_spent:
                text = tr("budget spent · rows %1 · sweeps %2 · residual %3 N s");
                text = text.arg(report.rows).arg(report.sweeps).arg(report.residual, 0, 'e', 1);
                break;
        }
        caution = report.status == SolveStatus::no_freedom || report.status == SolveStatus::budget_spent;
    }
    solve_->setText(text);
    solve_->setStyleSheet(QString("color: %1;").arg((caution ? tokens().caution : tokens().secondary).name()));
    QStringList lines{tr("Steps semi-implicitly: positions move with the velocities that the rows have solved.")};
    for (const Probe& probe : solverProbes(*s)) {
        QString value = QString::fromStdString(probe.word);
        if (probe.state != Probe::State::value && probe.word.empty()) value = probeStateName(probe.state);
        else if (!probe.values.empty())
            value = QString::number(probe.values[0], 'g', 4) +
                    (probe.unit.empty() || probe.unit == "1" ? "" : " " + QString::fromStdString(probe.unit));
        lines << QString::fromStdString(probe.name) + ": " + value;
    }
    solve_->setToolTip(lines.join('\n'));
}

void StatusLine::refreshSaved() {
    const Document& document = bench_.document();
    saved_->setText(document.dirty() ? tr("not saved") : document.path() ? tr("saved") : tr("untitled"));
}

}  // namespace mw::app

// --screenshot: waits until the badge has settled and the view is at full quality, saves the window, and ends the
// program.
#include <QApplication>
#include <QPainter>
#include <QTimer>
#include <cstdio>

#include "app/studio/main_window.h"
#include "app/studio/view_widget.h"
#include "app/studio/workbench.h"

namespace mw::app {

void MainWindow::scheduleScreenshot(const QString& path) {
    auto* poll = new QTimer(this);
    poll->setInterval(50);
    auto* waited = new int(0);
    connect(poll, &QObject::destroyed, [waited] { delete waited; });
    connect(poll, &QTimer::timeout, this, [this, poll, waited, path] {
        using State = Badge::State;
        const State state = bench_->workshop().badge().state;
        const bool settled = state == State::proven || state == State::contradicted || state == State::failed ||
                             state == State::last_good;
        const auto s = bench_->snapshot();
        // A run is shown in full swing, and never waits for more than a minute.
        const bool run_far = !options_.run || (s && s->state.t > 2.3) || (s && s->blow_up);
        const bool ready = settled && run_far && view_->drawnOnce() && (options_.run || view_->settled());
        if (!ready && ++*waited < 1200) return;
        poll->stop();
        if (options_.run) bench_->runner().pause();
        QTimer::singleShot(600, this, [this, path] {
            const bool ok = grab().save(path);
            if (!ok) std::fprintf(stderr, "mechwright: cannot write '%s'\n", path.toLocal8Bit().constData());
            QApplication::exit(ok ? 0 : 1);
        });
    });
    poll->start();
}

}  // namespace mw::app

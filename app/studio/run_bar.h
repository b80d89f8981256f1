// The run bar: reset, steps, play, time, the time slider, history, speed, integrator, step size, real-time factors.
#pragma once

#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
class QToolButton;

namespace mw::app {

class Workbench;

/// A slider over the run's time: recorded stretch, present instant, drag to scrub.
class TimeSlider : public QWidget {
    Q_OBJECT
public:
    explicit TimeSlider(QWidget* parent = nullptr);
    void show(double begin, double end, double now);
    QSize sizeHint() const override;

signals:
    void moved(double t);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    double xOf(double t) const;
    void scrubTo(double x);
    double begin_ = 0, end_ = 0, now_ = 0, upper_ = 10;
    bool dragging_ = false;
};

class RunBar : public QWidget {
    Q_OBJECT
public:
    explicit RunBar(Workbench& bench, QWidget* parent = nullptr);
    void slower() { stepSpeed(-1); }
    void faster() { stepSpeed(1); }

signals:
    void playPressed();

private:
    void refresh();
    void refreshIntegrator();
    void followStyle();
    void stepSpeed(int direction);
    QToolButton* button(const QString& name, const QString& icon, const QString& tip);
    Workbench& bench_;
    QToolButton *reset_, *back_, *play_, *step_;
    QLineEdit* time_;
    TimeSlider* slider_;
    QLabel *history_, *reached_;
    QComboBox *speed_, *integrator_, *dt_;
    QString refused_;  ///< why Verlet is greyed, as it was said last
    bool was_running_ = false;
};

}  // namespace mw::app

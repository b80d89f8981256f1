// The 3-D view in the Qt window: gives the shared ViewCore its OpenGL context, pointer and keys, and carries out what
// the user did there. It draws only when something changed.
#pragma once

#include <QElapsedTimer>
#include <QOpenGLWidget>
#include <QPoint>
#include <memory>

#include "app/document/actions.h"
#include "app/document/selection.h"
#include "app/panels/view_core.h"

namespace mw::app {

class Workbench;

class ViewWidget : public QOpenGLWidget {
    Q_OBJECT
public:
    enum class Show {
        grid,
        skeleton,
        joints,
        cg,
        ellipsoids,
        frames,
        points,
        trails,
        forces,
        loop_forces,
        loop_moments,
        contact_points,
        contact_normals,
        contact_forces,
        contact_friction,
        contact_states,
        only_selection,
        tension,
        logarithmic,
        labels,
        smooth
    };

    ViewWidget(Workbench& bench, bool safe_graphics, QWidget* parent = nullptr);
    ~ViewWidget() override;

    void frameAll() { core_.frameAll(clock()); }
    void frameSelection() { core_.frameSelection(clock()); }
    void setStandardView(scene::StandardView view) { core_.setStandardView(view, clock()); }
    void togglePerspective() { core_.togglePerspective(); }
    void toggleFollow() { core_.toggleFollow(); }
    void setShown(Show what, bool on);
    bool shown(Show what) const;
    void setMousePreset(const QString& name);
    void togglePanel(int panel);
    bool panelShown(int panel) const;
    void setStale(bool stale, std::vector<int> bodies) { core_.setStale(stale, std::move(bodies)); }
    void showBodyCard(bool shown);
    bool following() const { return core_.following(); }
    bool canDrive() const { return core_.canDrive(); }
    bool driving() const { return core_.driving(); }
    void toggleDriving() { core_.setDriving(!core_.driving()); }
    /// Gives up a drag (push, orbit); false when there was none.
    bool cancelDrag() { return core_.cancelDrag(); }
    /// The view without panels and window, as pixels.
    QImage picture();
    bool drawnOnce() const { return core_.frames() > 0; }
    /// Nothing is left to refine: a picture taken now is final.
    bool settled() const { return core_.settled(); }

signals:
    void firstFrame();
    void outcome(const Outcome& outcome);  ///< of what the instruments asked for
    void contextMenu(const Item& item, const QPoint& at);
    void poseDragged(const std::shared_ptr<const Model>& of, const std::vector<double>& from,
                     const std::vector<double>& to);
    void panelsChanged();
    void graphicsFailed(const QString& why);
    void resized();

protected:
    void initializeGL() override;
    void paintGL() override;
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;

private:
    void wire();
    void followSnapshot();
    void cleanUp();
    Outcome writeStart(const std::vector<double>& q, const std::vector<double>& v);
    double ratio() const;
    double clock() const { return static_cast<double>(time_.nsecsElapsed()) * 1e-9; }
    scene::Vec2 pixelOf(const QPointF& position) const;
    bool feedKey(QKeyEvent* event, bool down);
    bool feedDriving(QKeyEvent* event, bool down);

    Workbench& bench_;
    ViewCore core_;
    QElapsedTimer time_;
    bool without_panels_ = false;
};

}  // namespace mw::app

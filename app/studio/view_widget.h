// The 3-D view: hosts the renderer and the instruments, turns mouse and keys into camera moves, selection and pushes.
// It draws only when something changed.
#pragma once

#include <QElapsedTimer>
#include <QOpenGLWidget>
#include <QPoint>
#include <memory>
#include <optional>

#include "app/document/actions.h"
#include "app/document/selection.h"
#include "app/panels/panels.h"
#include "app/render/quality.h"
#include "app/scene/axis_widget.h"
#include "app/scene/picking.h"
#include "app/scene/scene_builder.h"

namespace mw::render {
class Renderer;
}

namespace mw::app {

class Workbench;

class ViewWidget : public QOpenGLWidget {
    Q_OBJECT
public:
    enum class Show { grid, skeleton, joints, cg, ellipsoids, frames, points, trails, forces, labels, smooth };

    ViewWidget(Workbench& bench, bool safe_graphics, QWidget* parent = nullptr);
    ~ViewWidget() override;

    void frameAll();
    void frameSelection();
    void setStandardView(scene::StandardView view);
    void togglePerspective();
    void toggleFollow();
    void setShown(Show what, bool on);
    bool shown(Show what) const;
    void setMousePreset(const QString& name);
    void togglePanel(int panel);
    bool panelShown(int panel) const;
    void setStale(bool stale);
    /// Gives up a drag (push, orbit); false when there was none.
    bool cancelDrag();
    /// The view without panels and window, as pixels.
    QImage picture();
    bool drawnOnce() const { return frames_ > 0; }
    /// Nothing is left to refine: a picture taken now is final.
    bool settled() const;

signals:
    void firstFrame();
    void outcome(const Outcome& outcome);  ///< of what the instruments asked for
    void contextMenu(const Item& item, const QPoint& at);
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
    void keyReleaseEvent(QKeyEvent* event) override;

private:
    enum class Drag { none, orbit, pan, zoom, push, panel };

    // view_widget.cpp
    void followSnapshot();
    void rebuildScene();
    void drawInstruments();
    void drawPerformance();
    void actOn(const PanelEvents& events);
    void cleanUp();
    scene::SceneState sceneState() const;
    scene::Viewport viewport() const;
    double ratio() const;
    double clock() const { return static_cast<double>(time_.nsecsElapsed()) * 1e-9; }
    scene::ItemId idOf(const Item& item) const;
    Item itemOf(const scene::Hit& hit) const;

    // view_draw.cpp: the renderer
    void drawScene(bool changed);
    bool wantsRefinement() const;

    // view_input.cpp
    Drag dragOf(Qt::MouseButton button, Qt::KeyboardModifiers held) const;
    scene::Vec2 pixelOf(const QPointF& position) const;
    void hoverAt(const scene::Vec2& pixel);
    void clickAt(const scene::Vec2& pixel, bool add);
    bool beginPush(const scene::Vec2& pixel);
    void movePush(const scene::Vec2& pixel);
    void endPush();
    bool feedKey(QKeyEvent* event, bool down);
    void drawNow();

    Workbench& bench_;
    bool safe_graphics_;
    std::unique_ptr<render::Renderer> renderer_;
    std::unique_ptr<ImGuiHost> imgui_;
    std::unique_ptr<scene::SceneBuilder> builder_;
    std::shared_ptr<const Snapshot> snapshot_;
    Layout layout_;
    scene::Scene scene_;
    scene::Camera drawn_camera_;
    render::QualityGovernor governor_;
    scene::SceneOptions show_;
    bool scene_dirty_ = true;
    scene::Camera camera_;
    scene::PickCycle cycle_;
    scene::ItemId hover_;
    QElapsedTimer time_;
    double last_frame_ = 0;
    double frame_ms_ = 0;
    std::uint64_t frames_ = 0;
    bool framed_ = false;  ///< the camera has seen this document's mechanism
    bool follow_ = false;
    bool smooth_ = true;
    bool stale_ = false;
    bool performance_ = false;
    bool without_panels_ = false;
    bool more_frames_ = false;
    double traced_ = -1;

    PanelInput input_;
    PanelState panels_;
    bool input_seen_ = true;  ///< the instruments have seen the present pointer
    QString preset_ = "Blender";
    Drag drag_ = Drag::none;
    Qt::MouseButton drag_button_ = Qt::NoButton;
    QPointF pressed_at_, last_at_;
    bool moved_ = false;

    struct Push {
        int body = -1;
        scene::Vec3 point = scene::Vec3::Zero();  ///< body axes
        scene::Vec3 plane = scene::Vec3::Zero();  ///< a point of the plane that the cursor moves in
        double stiffness = 0, damping = 0;
    };
    std::optional<Push> push_;
    QString problem_;
};

}  // namespace mw::app

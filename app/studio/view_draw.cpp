// The renderer's host: when it is made, what it is asked for, when it goes. A picture that stands still is refined by
// the quality governor within a few frames; after that nothing is drawn until something changes.
#include <QOpenGLContext>
#include <QOpenGLFunctions>
#include <exception>

#include "app/render/renderer.h"
#include "app/studio/style.h"
#include "app/studio/view_widget.h"

namespace mw::app {

void ViewWidget::initializeGL() {
    connect(context(), &QOpenGLContext::aboutToBeDestroyed, this, &ViewWidget::cleanUp, Qt::DirectConnection);
}

void ViewWidget::cleanUp() {
    if (!context() || (!renderer_ && !imgui_)) return;
    makeCurrent();
    imgui_.reset();
    renderer_.reset();
    doneCurrent();
}

void ViewWidget::drawScene(bool changed) {
    if (!renderer_ && problem_.isEmpty()) {
        try {
            renderer_ = std::make_unique<render::Renderer>();
        } catch (const std::exception& fault) {
            problem_ = QString::fromUtf8(fault.what());
            emit graphicsFailed(problem_);
        }
    }
    if (!renderer_) {
        auto* f = context()->functions();
        const QColor c = tokens().view_top;
        f->glClearColor(static_cast<float>(c.redF()), static_cast<float>(c.greenF()), static_cast<float>(c.blueF()), 1);
        f->glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
        return;
    }
    render::FrameOptions options;
    const scene::Viewport size = viewport();
    options.width = static_cast<int>(size.width);
    options.height = static_cast<int>(size.height);
    options.scale = ratio();
    options.theme = Style::get().dark() ? scene::ThemeKind::dark : scene::ThemeKind::light;
    options.quality = governor_.next(!changed);
    if (safe_graphics_) options.quality = {1, 0};
    if (!without_panels_ && (panels_.show_run || panels_.show_body || panels_.show_sliders))
        options.taken.push_back({0, 0, 264 * ratio(), panels_.show_sliders ? size.height : 120 * ratio()});
    renderer_->draw(scene_, camera_, options);
    governor_.measured(renderer_->lastMilliseconds());
}

bool ViewWidget::wantsRefinement() const { return renderer_ && !safe_graphics_ && governor_.wantsRefinement(); }

}  // namespace mw::app

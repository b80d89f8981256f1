// Points of the selected tendon's path under the mouse: sites and side sites, moved in the plane through them that
// faces the camera. Where they are to be goes to the host, which edits the text; the picture follows from there.
#include <cmath>

#include "app/panels/view_core.h"
#include "app/scene/scene_builder.h"

namespace mw::app {

bool ViewCore::beginPath(const scene::Vec2& pixel) {
    grip_.reset();
    if (!snapshot_ || !snapshot_->model || !builder_ || !events.path_point) return false;
    const auto hits = hitsAt(pixel);
    if (hits.empty() || hits.front().element < 0 || hits.front().id.kind != scene::ItemKind::tendon) return false;
    const scene::Hit& hit = hits.front();
    const Item item = itemOf(hit.id);
    // The first click selects, as everywhere; only what is selected is moved.
    if (selection_.empty() || selection_.back() != item) return false;
    const auto index = static_cast<std::size_t>(hit.id.index);
    if (index >= snapshot_->model->tendons.size()) return false;
    const Tendon& tendon = snapshot_->model->tendons[index];
    const auto at = static_cast<std::size_t>(hit.element);
    if (at >= tendon.path.size()) return false;
    const PathElement& element = tendon.path[at];
    const std::vector<double>& param = snapshot_->inputs.param;
    const auto place = [&](const BodyPoint& p) -> scene::Vec3 {
        const scene::Vec3 local(p.at[0].at(param), p.at[1].at(param), p.at[2].at(param));
        return scene::SceneBuilder::placeOf(snapshot_->readings.X, p.body) * local;
    };
    // Of a guide its side site alone is a handle, and only where the pointer is on it.
    const bool side = element.isGuide();
    if (side && !element.side) return false;
    if (!side && element.kind != PathElement::Kind::site) return false;
    const BodyPoint& point = side ? *element.side : element.point;
    const scene::Vec3 world = place(point);
    if (side) {
        const auto seen = camera_.project(world, viewport());
        if (!seen || (seen->pixel - pixel).norm() > 10 * std::max(0.1, frame_.scale)) return false;
    }
    PathDrag drag;
    drag.tendon = item;
    drag.element = hit.element;
    drag.body = point.body;
    drag.side = side;
    drag.plane = world;
    drag.before = {point.at[0].at(param), point.at[1].at(param), point.at[2].at(param)};
    drag.number = ++grips_;
    grip_ = std::move(drag);
    return true;
}

void ViewCore::movePath(const scene::Vec2& pixel) {
    if (!grip_ || !snapshot_ || !events.path_point) return;
    const auto target = onPlane(pixel, grip_->plane);
    if (!target) return;
    const scene::Vec3 local =
        scene::SceneBuilder::placeOf(snapshot_->readings.X, grip_->body).inverse(Eigen::Isometry) * *target;
    if (!local.allFinite()) return;
    events.path_point(grip_->tendon, grip_->element, grip_->side, {local.x(), local.y(), local.z()}, grip_->number);
}

}  // namespace mw::app

// Rays against solids in their own axes; distance in the picture for everything without thickness.
#include "app/scene/picking.h"

#include <algorithm>
#include <cmath>

namespace mw::scene {

namespace {

/// Distance of a pixel from a stroke of the picture, and how far along it (0..1).
double strokeDistance(const Vec2& p, const Vec2& a, const Vec2& b, double& along) {
    Vec2 d = b - a;
    double l2 = d.squaredNorm();
    along = l2 > 0 ? std::clamp((p - a).dot(d) / l2, 0.0, 1.0) : 0;
    return (p - (a + d * along)).norm();
}

}  // namespace

std::vector<Hit> pick(const Scene& scene, const Camera& camera, const Viewport& viewport, const Vec2& pixel,
                      double tolerance) {
    std::vector<Hit> hits;
    auto note = [&](const Hit& hit) {
        if (!hit.id || !std::isfinite(hit.depth)) return;
        for (Hit& h : hits) {
            if (h.id == hit.id) {
                if (hit.depth < h.depth) h = hit;
                return;
            }
        }
        hits.push_back(hit);
    };
    Ray ray = camera.ray(pixel, viewport);
    Vec3 forward = camera.forward(), eye = camera.eye();

    for (const MeshInstance& m : scene.meshes) {
        if (!m.pickable || !m.mesh) continue;
        // Ball first
        Vec3 centre = m.place * m.mesh->centre;
        double stretch = m.place.linear().colwise().norm().maxCoeff();
        Vec3 to = centre - ray.origin;
        if ((to - ray.direction * to.dot(ray.direction)).norm() > m.mesh->radius * stretch) continue;
        Placement into = m.place.inverse();
        auto t = intersectRay(*m.mesh, into * ray.origin, into.linear() * ray.direction);
        if (!t) continue;
        Vec3 point = ray.origin + ray.direction * *t;
        // What is to be met last keeps its order among its like.
        note({m.id, m.shape, point, (point - eye).dot(forward) * (m.behind ? 1e4 : 1), m.element});
    }

    auto stroke = [&](const Vec3& a, const Vec3& b, double reach, const ItemId& id, double bonus, int element = -1) {
        auto pa = camera.project(a, viewport), pb = camera.project(b, viewport);
        if (!pa || !pb) return;
        double along = 0;
        if (strokeDistance(pixel, pa->pixel, pb->pixel, along) > reach) return;
        // Half way in the picture is nearer to the eye than half way along.
        if (camera.perspective() && pa->depth > 0 && pb->depth > 0)
            along = along * pa->depth / (pb->depth + along * (pa->depth - pb->depth));
        Vec3 point = a + (b - a) * along;
        note({id, -1, point, (point - eye).dot(forward) * (1 - bonus), element});
    };
    // A small bonus in depth: a sign drawn over a body is what the user sees there.
    for (const Line& l : scene.lines)
        stroke(l.begin, l.end, tolerance + l.width / 2, l.id, l.on_top ? 0.5 : 1e-3, l.element);
    for (const Arrow& a : scene.arrows) stroke(a.origin, a.origin + a.vector, tolerance + a.width / 2, a.id, 0.2);
    for (const Trail& t : scene.trails) {
        for (std::size_t i = 1; i < t.points.size(); ++i)
            stroke(t.points[i - 1], t.points[i], tolerance * 0.6, t.id, 0);
    }
    for (const Marker& m : scene.markers) {
        auto p = camera.project(m.position, viewport);
        if (p && (p->pixel - pixel).norm() <= m.radius + tolerance * 0.5)
            note({m.id, -1, m.position, p->depth * (m.on_top ? 0.6 : 0.999), m.element});
    }
    std::stable_sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) { return a.depth < b.depth; });
    return hits;
}

std::optional<Hit> PickCycle::click(const std::vector<Hit>& hits, const Vec2& pixel) {
    if (hits.empty()) {
        reset();
        return std::nullopt;
    }
    std::vector<ItemId> ids;
    for (const Hit& h : hits) ids.push_back(h.id);
    bool same = ids == hits_ && (pixel - pixel_).norm() < 4;
    at_ = same ? (at_ + 1) % ids.size() : 0;
    hits_ = std::move(ids);
    pixel_ = pixel;
    return hits[at_];
}

}  // namespace mw::scene

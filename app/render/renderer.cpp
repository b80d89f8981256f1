// One frame: ground colour, solids, their contours, ground, highlighted things, transparent things, arrows, overlay.
//
// Highlighted items come after the rest: first their hidden contours dashed against the depth so far, then their
// outline as wide strokes, then their faces, which leave only the outer half of the strokes to be seen.
#include "app/render/renderer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <epoxy/gl.h>
#include <optional>
#include <stdexcept>

#include "app/render/canvas.h"
#include "app/render/gl_objects.h"
#include "app/render/overlay.h"
#include "app/render/shaders.h"
#include "app/render/solids.h"
#include "app/render/strokes.h"
#include "app/scene/primitives.h"

namespace mw::render {

using scene::Color;
using scene::MeshInstance;
using scene::Vec2;
using scene::Vec3;

namespace {

constexpr float kBias = 1.2e-3f;
// Px across, of one of many: lines of silhouettes begin to show, and creases. While a slow display moves, later.
constexpr double kSilhouettesFrom = 22, kCreasesFrom = 80, kMoving = 3;

Stroke strokeOf(const Vec3& from, const Vec3& to, const Vec3& origin, const Color& a, const Color& b, float width,
                float dash) {
    Eigen::Vector3f p = (from - origin).cast<float>(), q = (to - origin).cast<float>();
    return {{p.x(), p.y(), p.z()}, {q.x(), q.y(), q.z()}, a, b, width, dash};
}

void setColor(GLint uniform, const Color& c) { glUniform4f(uniform, c.r, c.g, c.b, c.a); }

}  // namespace

struct Renderer::Impl {
    // What the context has
    std::string device;
    bool software = false;
    int max_samples = 4;

    Program gradient{shaders::kFullVertex, shaders::kGradientFragment};
    Program copy{shaders::kFullVertex, shaders::kCopyFragment};
    Program blur{shaders::kFullVertex, shaders::kBlurFragment};
    Program mesh{shaders::kMeshVertex, shaders::kMeshFragment};
    Program shadow{shaders::kShadowVertex, shaders::kShadowFragment};
    Program ground{shaders::kGroundVertex, shaders::kGroundFragment};
    Program terrain{shaders::kTerrainVertex, shaders::kTerrainFragment};
    VertexArray empty;
    Solids solids;
    StrokeBatch strokes;
    ContourFinder contours;
    Canvas canvas;
    scene::LabelLayout label_layout;
    Target multi, plain, shadow_a, shadow_b;
    scene::MeshPtr cone = scene::coneMesh(0.5, 1, 20), plain_cone = scene::coneMesh(0.5, 1, 8);
    std::vector<ShownLabel> shown_labels;
    scene::Rect legend;
    double milliseconds = 0;

    // Of the frame being drawn
    const scene::Scene* scene = nullptr;
    const scene::Camera* camera = nullptr;
    const FrameOptions* options = nullptr;
    const scene::Theme* theme = nullptr;
    scene::Viewport viewport;
    Vec3 origin = Vec3::Zero();
    Eye eye;
    Eigen::Matrix4f view, projection;
    StrokeBatch::Setting setting;
    float px = 1;
    std::vector<Stroke> batch;
    std::vector<MeshInstance> arrow_heads;
    Eigen::Vector4f shadow_map = Eigen::Vector4f::Zero();
    bool has_shadow = false;

    void prepare();
    void drawGradient();
    void drawFaces(const std::vector<const MeshInstance*>& list, bool keep_order = false);
    void drawEdges(const std::vector<const MeshInstance*>& list);
    void drawHighlighted(const std::vector<const MeshInstance*>& list, float outline);
    bool drawShadowPicture(Eigen::Vector4f& map);
    void drawGround();
    void drawTerrain();
    void setGrid(const Program& program, const Vec3& u, const Vec3& v, double& base_u, double& base_v);
    Vec3 groundNormal() const { return scene->ground.normal.norm() > 0.5 ? scene->ground.normal : scene->up; }
    double pixelsAcross(const MeshInstance& m) const;
    bool inPicture(const MeshInstance& m) const;
    void drawTransparent(std::vector<const MeshInstance*> list);
    void drawStrokes();
    void drawArrows(bool on_top);
    void planeAxes(Vec3& u, Vec3& v) const;
    ContourStyle edgeStyle(const MeshInstance& m) const;
};

Renderer::Renderer()
    : impl_([] {
          if (epoxy_gl_version() < 33) throw std::runtime_error("the view needs OpenGL 3.3; this display offers less");
          return std::make_unique<Impl>();
      }()) {
    const auto* name = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
    impl_->device = name ? name : "";
    impl_->software = impl_->device.find("llvmpipe") != std::string::npos ||
                      impl_->device.find("softpipe") != std::string::npos ||
                      impl_->device.find("swrast") != std::string::npos;
    glGetIntegerv(GL_MAX_SAMPLES, &impl_->max_samples);
}

Renderer::~Renderer() = default;

double Renderer::lastMilliseconds() const { return impl_->milliseconds; }
bool Renderer::software() const { return impl_->software; }
std::string Renderer::device() const { return impl_->device; }
scene::Rect Renderer::legend() const { return impl_->legend; }
const std::vector<Renderer::ShownLabel>& Renderer::shownLabels() const { return impl_->shown_labels; }

void Renderer::Impl::prepare() {
    theme = &scene::theme(options->theme);
    viewport = {static_cast<double>(options->width), static_cast<double>(options->height), options->shift};
    px = static_cast<float>(options->scale);
    // Clip planes enclose what is shown; the camera keeps its own bounds.
    scene::Camera framed = *camera;
    framed.setBounds(scene->bounds);
    origin = camera->target();
    eye = {origin, camera->eye(), camera->forward(), camera->perspective()};
    scene::Mat4 v = camera->viewMatrix();
    v.block<3, 1>(0, 3) += v.block<3, 3>(0, 0) * origin;  // positions come relative to the target
    scene::Mat4 p = framed.projectionMatrix(viewport);
    view = v.cast<float>();
    projection = p.cast<float>();
    setting.view_projection = (p * v).cast<float>();
    setting.width = static_cast<float>(options->width);
    setting.height = static_cast<float>(options->height);
    if (camera->perspective()) {
        setting.bias = {kBias, static_cast<float>(p(2, 2)), 0};
    } else {
        setting.bias = {0, 0, static_cast<float>(-p(2, 2) * camera->distance()) * kBias};
    }
}

void Renderer::Impl::drawGradient() {
    gradient.use();
    glUniform3f(gradient.at("top"), theme->view_top.r, theme->view_top.g, theme->view_top.b);
    glUniform3f(gradient.at("bottom"), theme->view_bottom.r, theme->view_bottom.g, theme->view_bottom.b);
    glBindVertexArray(empty);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

void Renderer::Impl::drawFaces(const std::vector<const MeshInstance*>& list, bool keep_order) {
    if (list.empty()) return;
    mesh.use();
    glUniformMatrix4fv(mesh.at("view"), 1, GL_FALSE, view.data());
    glUniformMatrix4fv(mesh.at("projection"), 1, GL_FALSE, projection.data());
    Eigen::Vector3f up = view.topLeftCorner<3, 3>() * scene->up.cast<float>();
    glUniform3fv(mesh.at("up"), 1, up.data());
    glUniform3f(mesh.at("to_eye"), 0, 0, camera->perspective() ? 0.0f : 1.0f);
    if (theme->kind == scene::ThemeKind::dark) glUniform3f(mesh.at("levels"), 0.44f, 0.70f, 0.46f);
    else glUniform3f(mesh.at("levels"), 0.50f, 0.78f, 0.36f);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(1, 1);
    solids.draw(list, origin, keep_order);
    glDisable(GL_POLYGON_OFFSET_FILL);
}

ContourStyle Renderer::Impl::edgeStyle(const MeshInstance& m) const {
    float strength = theme->kind == scene::ThemeKind::dark ? 0.82f : 0.78f;
    Color body = m.color.withAlpha(1);
    Color dark = mix(body, theme->edge.withAlpha(1), strength * m.edge).withAlpha(theme->edge.a);
    Color crease = mix(body, theme->edge.withAlpha(1), 0.55f * m.edge).withAlpha(0.75f);
    // Of many small ones only what is large in the picture has lines: silhouettes first, creases nearer still.
    const bool hurried = software && options->quality.samples <= 1;
    const double across = m.small ? pixelsAcross(m) / px / (hurried ? kMoving : 1) : 1e9;
    const float fine = across < kCreasesFrom || m.edge < 0.9f ? 0.0f : 1.0f;
    const float near = static_cast<float>(std::clamp((across - kSilhouettesFrom) / kSilhouettesFrom, 0.0, 1.0));
    if (near <= 0) return {};
    return {dark.withAlpha(dark.a * near), crease, scene::size::kEdge * px + 0.3f, scene::size::kCrease * px * fine, 0};
}

double Renderer::Impl::pixelsAcross(const MeshInstance& m) const {
    const Vec3 at = m.place * m.mesh->centre;
    const double depth = (at - eye.position).dot(eye.forward);
    if (camera->perspective() && depth <= 0) return 0;
    return 2 * m.mesh->radius / std::max(camera->metresPerPixel(at, viewport), 1e-12);
}

bool Renderer::Impl::inPicture(const MeshInstance& m) const {
    const Vec3 at = m.place * m.mesh->centre;
    const auto seen = camera->project(at, viewport);
    const double stretch = m.place.linear().colwise().norm().maxCoeff();
    const double radius = m.mesh->radius * stretch;
    if (!seen) return (at - eye.position).norm() < radius;
    const double reach = radius / std::max(camera->metresPerPixel(at, viewport), 1e-12);
    // What is as large as the picture is in it.
    if (reach > viewport.width) return true;
    return seen->pixel.x() > -reach && seen->pixel.y() > -reach && seen->pixel.x() < viewport.width + reach &&
           seen->pixel.y() < viewport.height + reach;
}

void Renderer::Impl::drawEdges(const std::vector<const MeshInstance*>& list) {
    batch.clear();
    for (const MeshInstance* m : list) {
        if (m->edge <= 0) continue;
        const ContourStyle style = edgeStyle(*m);
        if (style.silhouette_width > 0 && inPicture(*m)) contours.add(*m, eye, style, batch);
    }
    glEnable(GL_BLEND);
    glDepthMask(GL_FALSE);
    strokes.draw(batch, setting);
    glDepthMask(GL_TRUE);
    glDisable(GL_BLEND);
}

void Renderer::Impl::drawHighlighted(const std::vector<const MeshInstance*>& list, float outline) {
    if (list.empty()) return;
    Color accent = theme->accent;
    glEnable(GL_BLEND);
    glDepthMask(GL_FALSE);
    // Hidden behind others: dashed
    batch.clear();
    for (const MeshInstance* m : list) {
        contours.add(*m, eye, {accent.withAlpha(0.8f), accent.withAlpha(0.35f), 1.3f * px, 0, -3.5f * px}, batch);
    }
    glDepthFunc(GL_GREATER);
    strokes.draw(batch, setting);
    glDepthFunc(GL_LEQUAL);
    // The outline with a quiet gap to the body, as wide strokes under the faces
    for (int layer = 0; layer < 2; ++layer) {
        batch.clear();
        float gap = 1.3f * px;
        float width = layer == 0 ? 2 * (gap + outline * px) : 2 * gap;
        Color color = layer == 0 ? accent : theme->halo;
        for (const MeshInstance* m : list) contours.add(*m, eye, {color, color, width, 0, 0}, batch);
        strokes.draw(batch, setting);
    }
    glDepthMask(GL_TRUE);
    glDisable(GL_BLEND);
    drawFaces(list);
    drawEdges(list);
}

void Renderer::Impl::planeAxes(Vec3& u, Vec3& v) const {
    Vec3 n = groundNormal();
    u = std::abs(n.z()) > 0.9 ? Vec3::UnitX() : (std::abs(n.x()) > 0.9 ? Vec3::UnitY() : Vec3::UnitZ());
    u = (u - n * n.dot(u)).normalized();
    v = n.cross(u);
}

/// Solids from above into a small picture, blurred. `map`: from ground coordinates to the picture.
bool Renderer::Impl::drawShadowPicture(Eigen::Vector4f& map) {
    int side = options->quality.shadow;
    if (side <= 0) return false;
    Vec3 u, v, n = groundNormal();
    planeAxes(u, v);
    std::vector<const MeshInstance*> casters;
    scene::Box flat;  // x, y on the ground, z height
    for (const MeshInstance& m : scene->meshes) {
        if (!m.shadow || m.color.a < 0.99f) continue;
        Vec3 c = m.place * m.mesh->centre;
        double r = m.mesh->radius * m.place.linear().colwise().norm().maxCoeff();
        flat.add(Vec3(c.dot(u), c.dot(v), c.dot(n) - scene->ground.height), r);
        casters.push_back(&m);
    }
    if (casters.empty()) return false;
    double reach = std::max({flat.high.x() - flat.low.x(), flat.high.y() - flat.low.y(), 1e-6});
    double half = 0.5 * reach * 1.16;
    Vec2 centre((flat.low.x() + flat.high.x()) / 2, (flat.low.y() + flat.high.y()) / 2);

    shadow_a.ensure(side, side, 1, GL_R8, false);
    shadow_b.ensure(side, side, 1, GL_R8, false);
    shadow_a.bind();
    glViewport(0, 0, side, side);
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
    glEnable(GL_BLEND);
    glBlendEquation(GL_MAX);
    glBlendFunc(GL_ONE, GL_ONE);
    shadow.use();
    scene::Mat4 plane = scene::Mat4::Identity();
    plane.block<1, 3>(0, 0) = u.transpose() / half;
    plane.block<1, 3>(1, 0) = v.transpose() / half;
    plane.block<1, 3>(2, 0) = n.transpose();
    plane(0, 3) = (origin.dot(u) - centre.x()) / half;
    plane(1, 3) = (origin.dot(v) - centre.y()) / half;
    plane(2, 3) = origin.dot(n) - scene->ground.height;
    Eigen::Matrix4f plane_f = plane.cast<float>();
    glUniformMatrix4fv(shadow.at("plane"), 1, GL_FALSE, plane_f.data());
    glUniform1f(shadow.at("reach"), static_cast<float>(std::max(0.6 * reach, 1.2 * scene->scale)));
    solids.draw(casters, origin);
    glBlendEquation(GL_FUNC_ADD);
    glDisable(GL_BLEND);

    blur.use();
    glUniform1i(blur.at("picture"), 0);
    glActiveTexture(GL_TEXTURE0);
    glBindVertexArray(empty);
    int rounds = side > 256 ? 3 : 2;
    for (int i = 0; i < rounds; ++i) {
        float step = static_cast<float>(i + 1) / static_cast<float>(side);
        shadow_b.bind();
        glBindTexture(GL_TEXTURE_2D, shadow_a.texture());
        glUniform2f(blur.at("direction"), step, 0);
        glDrawArrays(GL_TRIANGLES, 0, 3);
        shadow_a.bind();
        glBindTexture(GL_TEXTURE_2D, shadow_b.texture());
        glUniform2f(blur.at("direction"), 0, step);
        glDrawArrays(GL_TRIANGLES, 0, 3);
    }
    glBindTexture(GL_TEXTURE_2D, 0);
    map = Eigen::Vector4f(static_cast<float>(0.5 / half), static_cast<float>(0.5 / half),
                          static_cast<float>(0.5 - 0.5 * centre.x() / half),
                          static_cast<float>(0.5 - 0.5 * centre.y() / half));
    return true;
}

/// Lines of the grid and the shadow's picture, the same for a plane and for a terrain: ground coordinates are taken
/// from a crossing near by, so that single precision is enough far away.
void Renderer::Impl::setGrid(const Program& program, const Vec3& u, const Vec3& v, double& base_u, double& base_v) {
    const Vec3 n = groundNormal();
    // Lines keep their distance in the picture: the finest of 1, 5, 10, 50 ... that is wide enough, mixed into the
    // next.
    double pixel = camera->metresPerPixel(origin, viewport) * options->scale;
    double wanted = 92 * pixel;
    auto spacingOf = [](int k) { return (k % 2 == 0 ? 1.0 : 0.5) * std::pow(10.0, std::ceil(k / 2.0)); };
    int step = static_cast<int>(std::floor(2 * std::log10(wanted))) - 3;
    while (spacingOf(step) < wanted) ++step;
    double major = spacingOf(step), coarse = spacingOf(step + 1);
    double fine = std::clamp((major / wanted - 1) / 0.3, 0.0, 1.0);

    base_u = std::round(origin.dot(u) / (10 * coarse)) * 10 * coarse;
    base_v = std::round(origin.dot(v) / (10 * coarse)) * 10 * coarse;
    glUniformMatrix4fv(program.at("view_projection"), 1, GL_FALSE, setting.view_projection.data());
    setColor(program.at("minor_color"), theme->grid_minor);
    setColor(program.at("major_color"), theme->grid_major);
    setColor(program.at("shadow_color"), theme->shadow);
    glUniform4f(program.at("spacing"), static_cast<float>(major / 5), static_cast<float>(major),
                static_cast<float>(coarse / 5), static_cast<float>(coarse));
    glUniform1f(program.at("fine"), static_cast<float>(fine));
    glUniform1f(program.at("line_width"), std::max(1.0f, px));
    bool above = (camera->eye().dot(n) > scene->ground.height);
    Eigen::Vector4f map = shadow_map;
    map.z() += static_cast<float>(base_u * map.x());
    map.w() += static_cast<float>(base_v * map.y());
    glUniform4fv(program.at("shadow_map"), 1, map.data());
    glUniform1f(program.at("shadow_on"), has_shadow && (above || scene->ground.terrain) ? 1.0f : 0.0f);
    glUniform1i(program.at("shadow"), 0);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, has_shadow ? shadow_a.texture() : 0);
}

void Renderer::Impl::drawGround() {
    if (!scene->ground.visible) return;
    if (scene->ground.terrain) {
        drawTerrain();
        return;
    }
    Vec3 u, v, n = groundNormal();
    planeAxes(u, v);
    double radius = std::max(1.15 * camera->distance(), 0.9 * scene->bounds.diagonal());
    Vec3 below = origin - n * (origin.dot(n) - scene->ground.height);
    double cu = below.dot(u), cv = below.dot(v), base_u = 0, base_v = 0;
    ground.use();
    setGrid(ground, u, v, base_u, base_v);
    Eigen::Vector3f centre = (below - origin).cast<float>(), fu = (u * radius).cast<float>(),
                    fv = (v * radius).cast<float>();
    glUniform3fv(ground.at("centre"), 1, centre.data());
    glUniform3fv(ground.at("u"), 1, fu.data());
    glUniform3fv(ground.at("v"), 1, fv.data());
    glUniform2f(ground.at("offset"), static_cast<float>(cu - base_u), static_cast<float>(cv - base_v));
    glUniform2f(ground.at("half_size"), static_cast<float>(radius), static_cast<float>(radius));
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glDepthMask(GL_FALSE);
    glDisable(GL_CULL_FACE);
    glBindVertexArray(empty);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    glEnable(GL_CULL_FACE);
    glDepthMask(GL_TRUE);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glDisable(GL_BLEND);
    glBindTexture(GL_TEXTURE_2D, 0);
}

/// A height field: shaded, with lines of equal height, the grid and the mechanism's shadow, faded out at its rim.
void Renderer::Impl::drawTerrain() {
    const scene::Ground& g = scene->ground;
    Vec3 u, v;
    planeAxes(u, v);
    double base_u = 0, base_v = 0;
    terrain.use();
    setGrid(terrain, u, v, base_u, base_v);
    const Vec3 centre = g.centre;
    Eigen::Vector3f to_eye = (camera->eye() - centre).cast<float>(), back = (-camera->forward()).cast<float>();
    glUniform3fv(terrain.at("eye"), 1, to_eye.data());
    glUniform4f(terrain.at("toward"), back.x(), back.y(), back.z(), camera->perspective() ? 0.0f : 1.0f);
    glUniform4f(terrain.at("offset"), static_cast<float>(centre.dot(u) - base_u),
                static_cast<float>(centre.dot(v) - base_v), 0, 0);
    // Heights over a whole number of lines below, so that single precision is enough on a mountain.
    const double line = g.isoline > 0 ? g.isoline : 1;
    glUniform2f(terrain.at("height"), static_cast<float>(std::fmod(centre.z(), 5 * line)), static_cast<float>(line));
    glUniform1f(terrain.at("isolines"), g.isoline > 0 ? 1.0f : 0.0f);
    glUniform1f(terrain.at("radius"), static_cast<float>(g.radius));
    const Vec2 at(scene->bounds.centre().x() - centre.x(), scene->bounds.centre().y() - centre.y());
    glUniform2f(terrain.at("middle"), static_cast<float>(at.x()), static_cast<float>(at.y()));
    setColor(terrain.at("ground_color"), theme->terrain);
    setColor(terrain.at("line_color"), theme->isoline);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);  // the shadow's picture leaves another
    glDisable(GL_CULL_FACE);
    MeshInstance m;
    m.mesh = g.terrain;
    m.place = scene::movedTo(centre);
    solids.draw({&m}, origin);
    glEnable(GL_CULL_FACE);
    glDisable(GL_BLEND);
    glBindTexture(GL_TEXTURE_2D, 0);
}

void Renderer::Impl::drawTransparent(std::vector<const MeshInstance*> list) {
    if (list.empty()) return;
    std::stable_sort(list.begin(), list.end(), [&](const MeshInstance* a, const MeshInstance* b) {
        return (a->place * a->mesh->centre - eye.position).dot(eye.forward) >
               (b->place * b->mesh->centre - eye.position).dot(eye.forward);
    });
    glEnable(GL_BLEND);
    glDepthMask(GL_FALSE);
    drawFaces(list, true);
    batch.clear();
    for (const MeshInstance* m : list) {
        bool marked = m->pickable && (scene->isSelected(*m) || scene->isHovered(*m));
        Color c = marked ? theme->accent : mix(m->color.withAlpha(1), theme->edge, 0.4f).withAlpha(0.6f * m->edge);
        contours.add(*m, eye, {c, c, marked ? 2 * px : 1 * px, 0, 0}, batch);
    }
    strokes.draw(batch, setting);
    glDepthMask(GL_TRUE);
    glDisable(GL_BLEND);
}

void Renderer::Impl::drawStrokes() {
    glEnable(GL_BLEND);
    glDepthMask(GL_FALSE);
    // Trails run out towards their old end.
    batch.clear();
    for (const scene::Trail& t : scene->trails) {
        std::size_t n = t.points.size();
        for (std::size_t i = 1; i < n; ++i) {
            auto at = [&](std::size_t k) {
                float f = static_cast<float>(k) / static_cast<float>(n - 1);
                return t.color.withAlpha(t.color.a * f * f * 0.9f);
            };
            batch.push_back(strokeOf(t.points[i - 1], t.points[i], origin, at(i - 1), at(i), t.width * px, 0));
        }
    }
    for (const scene::Line& l : scene->lines) {
        if (!l.on_top)
            batch.push_back(strokeOf(l.begin, l.end, origin, l.color, l.color_end, l.width * px, l.dash * px));
    }
    strokes.draw(batch, setting);
    batch.clear();
    for (const scene::Line& l : scene->lines) {
        if (l.on_top)
            batch.push_back(strokeOf(l.begin, l.end, origin, theme->halo.withAlpha(0.6f * l.color.a),
                                     theme->halo.withAlpha(0.6f * l.color_end.a), (l.width + 2) * px, l.dash * px));
    }
    for (const scene::Line& l : scene->lines) {
        if (l.on_top)
            batch.push_back(strokeOf(l.begin, l.end, origin, l.color, l.color_end, l.width * px, l.dash * px));
    }
    glDisable(GL_DEPTH_TEST);
    strokes.draw(batch, setting);
    glEnable(GL_DEPTH_TEST);
    glDepthMask(GL_TRUE);
    glDisable(GL_BLEND);
}

/// Those that lie inside what is drawn go over everything, the others among it.
void Renderer::Impl::drawArrows(bool on_top) {
    if (std::none_of(scene->arrows.begin(), scene->arrows.end(),
                     [&](const scene::Arrow& a) { return a.on_top == on_top; }))
        return;
    // Shafts and heads of constant width in the picture: heads are cones as large as so many px at their depth.
    arrow_heads.clear();
    std::vector<Stroke> halo, shaft, hidden;
    for (const scene::Arrow& a : scene->arrows) {
        double length = a.vector.norm();
        Vec3 tip = a.origin + a.vector;
        if (a.on_top != on_top || !(length > 0) || !tip.allFinite()) continue;
        double pixel = camera->metresPerPixel(tip, viewport);
        bool marked = std::find(scene->selection.begin(), scene->selection.end(), a.id) != scene->selection.end() ||
                      (a.id && scene->hover == a.id);
        float width = (a.width + (marked ? 1 : 0)) * px;
        double head = std::min(13.0 * px * pixel, length), heads = a.kind == scene::ArrowKind::moment ? 2 : 1;
        Vec3 direction = a.vector / length;
        for (int h = 0; h < heads; ++h) {
            Vec3 base = tip - direction * (head * (1 + 0.95 * h));
            MeshInstance m;
            m.mesh = a.plain ? plain_cone : cone;
            m.place = scene::placed(scene::frameWithZ(direction), base);
            m.place.linear() *= head;
            m.place.linear().leftCols<2>() *= 0.78;
            m.color = a.color;
            m.finish = scene::Finish::flat;
            arrow_heads.push_back(m);
        }
        Vec3 end = tip - direction * (head * 0.8);
        Color ring = marked ? theme->accent : theme->halo;
        halo.push_back(strokeOf(a.origin, end, origin, ring, ring, width + 2 * scene::size::kArrowHalo * px, 0));
        shaft.push_back(strokeOf(a.origin, end, origin, a.color, a.color, width, 0));
        hidden.push_back(strokeOf(a.origin, end, origin, a.color.withAlpha(0.75f), a.color.withAlpha(0.75f),
                                  std::max(1.6f * px, 0.6f * width), 4 * px));
    }
    std::vector<const MeshInstance*> heads;
    for (const MeshInstance& m : arrow_heads) {
        heads.push_back(&m);
        if (m.mesh == plain_cone) continue;
        contours.add(m, eye, {theme->halo, theme->halo, 2 * scene::size::kArrowHalo * px + 1, 0, 0}, halo);
        contours.add(m, eye, {m.color, m.color, 1.2f * px, 0, -3 * px}, hidden);
    }
    glEnable(GL_BLEND);
    glDepthMask(GL_FALSE);
    if (on_top) glDisable(GL_DEPTH_TEST);
    glDepthFunc(GL_GREATER);
    if (!on_top) strokes.draw(hidden, setting);
    glDepthFunc(GL_LEQUAL);
    strokes.draw(halo, setting);
    strokes.draw(shaft, setting);
    glDepthMask(GL_TRUE);
    glDisable(GL_BLEND);
    drawFaces(heads);
    if (on_top) glEnable(GL_DEPTH_TEST);
}

void Renderer::draw(const scene::Scene& scene, const scene::Camera& camera, const FrameOptions& options) {
    if (options.width <= 0 || options.height <= 0) return;
    auto begin = std::chrono::steady_clock::now();
    Impl& d = *impl_;
    d.scene = &scene;
    d.camera = &camera;
    d.options = &options;
    d.prepare();
    d.solids.beginFrame();

    GLint target = 0;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &target);
    GLint target_samples = 0;
    glGetIntegerv(GL_SAMPLES, &target_samples);
    glDisable(GL_SCISSOR_TEST);
    glDisable(GL_STENCIL_TEST);
    glDisable(GL_BLEND);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glDepthMask(GL_TRUE);
    glBlendEquation(GL_FUNC_ADD);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glFrontFace(GL_CCW);
    glCullFace(GL_BACK);

    d.has_shadow = scene.ground.visible && d.drawShadowPicture(d.shadow_map);

    int samples = std::min(options.quality.samples, d.max_samples);
    Target& into = samples > 1 ? d.multi : d.plain;
    into.ensure(options.width, options.height, samples, GL_RGBA8, true);
    into.bind();
    glViewport(0, 0, options.width, options.height);
    glDisable(GL_DEPTH_TEST);
    d.drawGradient();
    glClearDepth(1);
    glClear(GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL);
    glEnable(GL_CULL_FACE);

    std::vector<const MeshInstance*> plain, hovered, selected, clear;
    for (const MeshInstance& m : scene.meshes) {
        if (!m.mesh || m.mesh->indices.empty()) continue;
        if (m.color.a < 0.995f) clear.push_back(&m);
        else if (scene.isSelected(m)) selected.push_back(&m);
        else if (scene.isHovered(m)) hovered.push_back(&m);
        else plain.push_back(&m);
    }
    d.drawFaces(plain);
    d.drawGround();
    d.drawEdges(plain);
    d.drawHighlighted(hovered, scene::size::kHoverOutline);
    d.drawHighlighted(selected, scene::size::kSelectionOutline);
    d.drawTransparent(clear);
    d.drawStrokes();
    d.drawArrows(false);
    d.drawArrows(true);

    // Into the host's framebuffer
    Target* finished = &into;
    if (samples > 1) {
        d.plain.ensure(options.width, options.height, 1, GL_RGBA8, true);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, into.framebuffer());
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, d.plain.framebuffer());
        glBlitFramebuffer(0, 0, options.width, options.height, 0, 0, options.width, options.height, GL_COLOR_BUFFER_BIT,
                          GL_NEAREST);
        finished = &d.plain;
    }
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
    if (target_samples == 0) {
        glBindFramebuffer(GL_READ_FRAMEBUFFER, finished->framebuffer());
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(target));
        glBlitFramebuffer(0, 0, options.width, options.height, 0, options.bottom, options.width,
                          options.bottom + options.height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
        glBindFramebuffer(GL_FRAMEBUFFER, static_cast<GLuint>(target));
    } else {
        glBindFramebuffer(GL_FRAMEBUFFER, static_cast<GLuint>(target));
        glViewport(0, options.bottom, options.width, options.height);
        d.copy.use();
        glUniform1i(d.copy.at("picture"), 0);
        glActiveTexture(GL_TEXTURE0);
        glBindTexture(GL_TEXTURE_2D, finished->texture());
        glBindVertexArray(d.empty);
        glDrawArrays(GL_TRIANGLES, 0, 3);
        glBindTexture(GL_TEXTURE_2D, 0);
    }

    // Overlay, drawn at the host's own resolution
    glViewport(0, options.bottom, options.width, options.height);
    d.canvas.begin(options.width, options.height);
    drawMarkers(d.canvas, scene, camera, options);
    d.canvas.flush();
    FrameOptions with_legend = options;
    d.legend = drawLegend(d.canvas, scene, camera, options);
    if (d.legend.width > 0) with_legend.taken.push_back(d.legend);
    d.canvas.flush();
    d.shown_labels.clear();
    if (options.labels) drawLabels(d.canvas, d.label_layout, scene, camera, with_legend, d.shown_labels);
    d.canvas.flush();
    if (options.axis_widget) drawAxisWidget(d.canvas, camera, options);

    glBindVertexArray(0);
    glUseProgram(0);
    glDisable(GL_BLEND);
    if (d.software) glFinish();
    d.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace mw::render

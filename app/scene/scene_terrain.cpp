// The ground of a mechanism with one of its own: a plane keeps the grid, anything else is drawn as what it is.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "app/scene/scene_builder.h"

namespace mw::scene {

namespace {

/// The round step of lines that divides a relief into about fifteen.
double isolineOf(double relief) {
    if (!(relief > 1e-6)) return 0;
    const double wanted = relief / 16, decade = std::pow(10, std::floor(std::log10(wanted)));
    for (const double m : {1.0, 2.0, 5.0})
        if (m * decade >= 0.999 * wanted) return m * decade;
    return 10 * decade;
}

/// "5 cm", "0.2 m", "2 mm"
std::string lengthOf(double metres) {
    char text[32];
    if (metres < 0.00999) std::snprintf(text, sizeof text, "%.3g mm", metres * 1e3);
    else if (metres < 0.999) std::snprintf(text, sizeof text, "%.3g cm", metres * 1e2);
    else std::snprintf(text, sizeof text, "%.3g m", metres);
    std::string out = text;
    std::replace(out.begin(), out.end(), ',', '.');
    return out;
}

}  // namespace

bool SceneBuilder::drawnByBand(int body) const {
    const auto b = static_cast<std::size_t>(body);
    if (band_[b] >= 0) return true;
    return std::any_of(model_->tracks.begin(), model_->tracks.end(), [&](const Track& t) {
        return t.first_shoe >= 0 &&
               std::any_of(t.rollers.begin(), t.rollers.end(), [&](const Track::Roller& r) { return r.body == body; });
    });
}

void SceneBuilder::addTerrain(const SceneState& state, Scene& scene) {
    if (!model_->ground) return;
    if (!terrain_ || terrain_slope_ != state.slope) {
        terrain_slope_ = state.slope;
        try {
            terrain_ = std::make_unique<TerrainPatch>(Terrain(*model_->ground, state.slope));
        } catch (const std::invalid_argument&) {
            // A slope that the terrain cannot be turned to is refused by the run, too: it stays level.
            terrain_ = std::make_unique<TerrainPatch>(Terrain(*model_->ground));
        }
    }
    const Terrain& terrain = terrain_->terrain();
    const Vec3 middle = scene.bounds.empty() ? Vec3(Vec3::Zero()) : scene.bounds.centre();
    if (terrain.isPlane()) {
        const Terrain::Sample s = terrain.at(middle.x(), middle.y());
        scene.ground.normal = Vec3(-s.slope_x, -s.slope_y, 1).normalized();
        scene.ground.height = scene.ground.normal.dot(Vec3(middle.x(), middle.y(), s.height));
        return;
    }
    const double size = std::max(scene.bounds.empty() ? 0.0 : scene.bounds.diagonal(), measures_.reach);
    terrain_->around(middle.x(), middle.y(), size);
    scene.ground.terrain = terrain_->mesh();
    scene.ground.centre = terrain_->centre();
    scene.ground.radius = terrain_->radius();
    scene.ground.normal = Vec3::UnitZ();
    scene.ground.height = terrain.height(middle.x(), middle.y());
    isoline_top_.follow(isolineOf(terrain_->relief()));
    scene.ground.isoline = isoline_top_.top();
    if (scene.ground.isoline > 0 && scene.ground.visible)
        scene.legend.note = "height lines every " + lengthOf(scene.ground.isoline);
}

}  // namespace mw::scene

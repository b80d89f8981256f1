// mech render: a picture of the mechanism, drawn offscreen with a camera that shows all of it.
#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <iostream>

#include "app/cli/commands.h"
#include "app/cli/support.h"
#include "app/render/offscreen.h"
#include "app/scene/camera.h"
#include "app/scene/scene_builder.h"
#include "engine/dynamics/reference_kernel.h"
#include "engine/sim/simulation.h"

namespace mw::cli {

namespace {

struct Size {
    int width = 0, height = 0;
};

/// "1280x720"
Size parseSize(const std::string& text) {
    constexpr double kLargest = 8192;
    const auto cross = text.find('x');
    if (cross == std::string::npos)
        throw UsageError(fmt::format("--size: '{}' should be WIDTHxHEIGHT in pixels, such as 1280x720", text));
    const double width = parseNumber(text.substr(0, cross), "--size");
    const double height = parseNumber(text.substr(cross + 1), "--size");
    for (const double side : {width, height})
        if (side != std::floor(side) || side < 16 || side > kLargest)
            throw UsageError(
                fmt::format("--size: '{}': each side is a whole number from 16 to {:.0f}", text, kLargest));
    return {static_cast<int>(width), static_cast<int>(height)};
}

/// Pictures a second in which a trail gets a point.
constexpr double kTracedPerSecond = 60;
/// s, over which the contacts of bands rise at the start of a run, as in the studio's
constexpr double kRamp = 0.02;

}  // namespace

int runRender(const RenderOptions& options) {
    requireElsewhere(options.file, options.output, "--output");
    const Source source = readSource(options.file, options.param);
    requireGood(source, options.json);
    const Size size = parseSize(options.size);
    const double time = parseNumber(options.time, "--time");
    if (!(time >= 0)) throw UsageError("--time: a picture cannot be taken before the run begins");

    const auto model = std::make_shared<const Model>(source.read.model);
    const Layout layout = layoutOf(*model);
    const std::vector<double> param = model->liveValues();
    // A short run is over before a compiler has begun; a long one repays it.
    const Kernel kernel = makeKernel(*model, source.name, time > 0 ? "jit" : "reference");
    State start;
    start.q = startQ(*model, layout, param);
    start.v = startV(*model, layout, param);
    const double dt = suggestedStep(*model, layout, kernel, start, param);
    Simulation run(model, kernel, defaultIntegrator(*model), dt);
    if (!model->tracks.empty()) {
        ContactSetup setup;
        if (model->ground) setup.friction = model->ground->friction;
        setup.ramp = kRamp;
        run.setContactSetup(setup);
    }

    const auto folder =
        options.file == "-" ? std::filesystem::path(".") : std::filesystem::path(options.file).parent_path();
    scene::SceneBuilder builder(model, folder);
    Readings readings = run.read();
    const auto stateOf = [&] {
        scene::SceneState state;
        state.X = readings.X;
        state.param = param;
        state.contacts = readings.contacts;
        state.shape_contacts = readings.rows.contacts;
        state.tendons = readings.tendons;
        state.joint_rows = readings.rows.joints;
        state.solved = readings.rows.valid;
        for (const BandTension& band : readings.tensions) state.tensions.push_back(band.pins);
        return state;
    };
    builder.trace(stateOf(), 0);
    const double steps = std::round(time / dt);
    const double between = std::max(1.0, std::round(1 / (kTracedPerSecond * dt)));
    for (double step = 1; step <= steps; ++step) {
        if (const auto blown = run.step())
            throw Failure(
                fmt::format("the run stopped at t = {} s: {}; take the picture earlier", blown->t, blown->what));
        if (std::fmod(step, between) != 0 && step != steps) continue;
        readings = run.read();
        builder.trace(stateOf(), run.state().t);
    }

    const scene::ThemeKind theme = options.theme == "light" ? scene::ThemeKind::light : scene::ThemeKind::dark;
    scene::SceneOptions look;
    look.theme = theme;
    // What a run has loaded is shown; at the start nothing has.
    look.contact.normal_forces = look.contact.friction = time > 0;
    const scene::Scene picture = builder.build(stateOf(), look);
    scene::Camera camera;
    camera.setSmooth(false);
    camera.setUp(builder.up());
    const scene::Box bounds = builder.bounds(stateOf());
    camera.setBounds(bounds);
    camera.setView(scene::StandardView::home, 0);
    camera.frame(bounds, {static_cast<double>(size.width), static_cast<double>(size.height)}, 0);

    std::string fault;
    if (!render::renderToPng(picture, camera, size.width, size.height, 1, theme, options.output, &fault))
        throw UsageError(fmt::format("cannot write '{}': {}", options.output, fault));
    if (options.json)
        print({{"model", source.name},
               {"output", options.output},
               {"width", size.width},
               {"height", size.height},
               {"time", run.state().t}});
    else
        note(fmt::format("{}: {} x {} pixels, {} at t = {:.6g} s", options.output, size.width, size.height, source.name,
                         run.state().t));
    return kGood;
}

}  // namespace mw::cli

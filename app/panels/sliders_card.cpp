// Sliders of joints and live parameters. A joint slider moves the paused mechanism; while it runs one acts that a live
// parameter steers, the others show.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>

#include "app/panels/card.h"
#include "app/panels/cards.h"

namespace mw::app {
namespace {

constexpr double kPi = 3.14159265358979323846;

struct SliderOutcome {
    bool moved = false, released = false, hovered = false;
};

// One line: name at the left, slider, and its value in a column of its own at the right, where no knob covers it.
// Double click or Ctrl+click types a number.
SliderOutcome slider(const char* id, const char* label, double& value, double lower, double upper, const char* format,
                     float label_width) {
    static std::string typed;  // the slider whose number is being typed: then its text shows
    ImGui::AlignTextToFramePadding();
    SliderOutcome outcome;
    // A name that is too long gives way in its middle, where such names are most alike; its tip has it whole.
    std::string shown = label;
    while (shown.size() > 8 && ImGui::CalcTextSize(shown.c_str()).x > 0.86f * label_width) {
        const std::size_t middle = shown.find("..") == std::string::npos ? shown.size() / 2 : shown.find("..");
        shown = shown.substr(0, middle - 1) + ".." + shown.substr(std::min(shown.size(), middle + 3));
    }
    ImGui::TextDisabled("%s", shown.c_str());
    outcome.hovered = ImGui::IsItemHovered();
    if (outcome.hovered && shown != label) ImGui::SetTooltip("%s", label);
    ImGui::PushFont(static_cast<ImFont*>(panelFonts().mono));
    const float column = ImGui::CalcTextSize("-0000.0°").x;
    ImGui::SameLine(label_width);
    ImGui::SetNextItemWidth(std::max(40.0f, ImGui::GetContentRegionAvail().x - column));
    const bool typing = typed == id && ImGui::GetIO().WantTextInput;
    if (!typing) ImGui::PushStyleColor(ImGuiCol_Text, {0, 0, 0, 0});
    outcome.moved = ImGui::SliderScalar(id, ImGuiDataType_Double, &value, &lower, &upper, format);
    if (!typing) ImGui::PopStyleColor();
    outcome.released = ImGui::IsItemDeactivatedAfterEdit();
    outcome.hovered = outcome.hovered || ImGui::IsItemHovered() || ImGui::IsItemActive();
    if (ImGui::IsItemActive()) typed = id;
    char text[64];
    // "%.3f m": what rounds to zero has no sign.
    const bool nothing = format[3] == 'f' && std::abs(value) < 0.5 * std::pow(10.0, '0' - format[2]);
    std::snprintf(text, sizeof text, format, nothing ? 0.0 : value);
    std::replace(text, text + std::strlen(text), ',', '.');  // whatever the locale
    ImGui::SameLine(std::max(0.0f, ImGui::GetWindowContentRegionMax().x - ImGui::CalcTextSize(text).x));
    ImGui::TextUnformatted(text);
    ImGui::PopFont();
    return outcome;
}

// Range of a scalar coordinate: what the text says, else what the joint suggests.
std::array<double, 2> rangeOf(const Body& body, bool angle, std::span<const double> param) {
    if (body.slider) return {(*body.slider)[0].at(param), (*body.slider)[1].at(param)};
    if (body.limits && std::isfinite(body.limits->lower.at(param)) && std::isfinite(body.limits->upper.at(param)))
        return {body.limits->lower.at(param), body.limits->upper.at(param)};
    return angle ? std::array{-kPi, kPi} : std::array{-1.0, 1.0};
}

bool isShoe(const Model& model, std::size_t body) {
    return std::any_of(model.tracks.begin(), model.tracks.end(), [&](const Track& t) {
        const int i = static_cast<int>(body) - t.first_shoe;
        return t.first_shoe >= 0 && i >= 0 && i < t.shoes;
    });
}

// Names in a column as wide as the longest needs, within reason.
float labelWidth(const PanelView& view, float k) {
    float widest = 0;
    const auto add = [&](const std::string& name) { widest = std::max(widest, ImGui::CalcTextSize(name.c_str()).x); };
    for (std::size_t b = 0; b < view.snapshot->model->bodies.size(); ++b)
        if (!isShoe(*view.snapshot->model, b))
            for (int i = 0; i < jointNq(view.snapshot->model->bodies[b].joint.type); ++i)
                add(view.layout->q_names[static_cast<std::size_t>(view.layout->q_of_body[b] + i)]);
    for (const Parameter& p : view.snapshot->model->parameters)
        if (p.live) add(p.name);
    return std::clamp(widest + 16 * k, 96 * k, 132 * k);
}

void rotationOf(const double* q, double* R) {
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    std::copy(r, r + 9, R);
}

}  // namespace

std::optional<Steering> steeringOf(const Model& model, int body, int coordinate, std::span<const double> param) {
    // The parameters that an expression is made of
    struct Slots {
        int first = -1;
        bool several = false;
        void gather(const ExpressionPtr& e) {
            if (!e) return;
            if (e->op == Expression::Op::parameter) {
                several = several || (first >= 0 && first != e->parameter);
                first = e->parameter;
            }
            gather(e->a);
            gather(e->b);
        }
    };
    for (const Drive& drive : model.drives) {
        if (drive.kind != Drive::Kind::position || drive.body != body || drive.coordinate != coordinate ||
            !drive.expression || usesTime(*drive.expression))
            continue;
        Slots slots;
        slots.gather(drive.expression);
        if (slots.first < 0 || slots.several || static_cast<std::size_t>(slots.first) >= param.size()) continue;
        std::vector<double> at(param.begin(), param.end());
        const auto target = [&](double p) {
            at[static_cast<std::size_t>(slots.first)] = p;
            return evaluate(*drive.expression, at);
        };
        const double zero = target(0), slope = target(1) - zero;
        const bool linear = std::abs(target(-2) - (zero - 2 * slope)) <= 1e-9 * (std::abs(zero) + std::abs(slope));
        if (linear && slope != 0 && std::isfinite(slope)) return Steering{slots.first, zero, slope};
    }
    return std::nullopt;
}

float drawSlidersCard(const PanelView& view, PanelState& state, const scene::Theme& theme, float y,
                      PanelEvents& events) {
    const Snapshot& s = *view.snapshot;
    // Folded it is as wide as the run card above it.
    const float k = view.scale, width = (state.sliders_open ? kListCard : kShortCard) * k;
    const float label_width = labelWidth(view, k);
    const bool running = s.run == RunState::running;
    if (!state.pose_moving || running) state.pose_q = s.state.q;
    SliderOutcome all;
    if (beginCard("##sliders", "Joints", 12 * k, y, width, view.height - y, state.sliders_open, nullptr,
                  state.degrees ? "°, m" : "rad, m")) {
        const auto edit = [&](int id, const std::string& name, int body, int coordinate, double value,
                              std::array<double, 2> range, bool angle, auto&& set) {
            // While it runs the drive's target is what the hand holds.
            Steering steering{-1, 0, 1};
            if (running && coordinate >= 0)
                steering = steeringOf(*s.model, body, coordinate, s.inputs.param).value_or(steering);
            const bool steered = steering.slot >= 0;
            if (steered) {
                const double p = s.inputs.param[static_cast<std::size_t>(steering.slot)];
                value = steering.offset + steering.slope * p;
                for (const Parameter& parameter : s.model->parameters)
                    if (parameter.live && parameter.slot == steering.slot && parameter.range) {
                        const double a = steering.offset + steering.slope * (*parameter.range)[0],
                                     b = steering.offset + steering.slope * (*parameter.range)[1];
                        range = {std::min(a, b), std::max(a, b)};
                    }
            }
            const bool shows = running && !steered;
            if (shows) ImGui::PushStyleVar(ImGuiStyleVar_Alpha, 0.55f);
            // As `(X*deg)` is read from a text, so that a slider's round angle can be written as one.
            const double unit = angle && state.degrees ? kPi / 180 : 1;
            double shown = value / unit;
            const std::string tag = fmt::format("##q{}", id);
            const char* format = angle ? (state.degrees ? "%.1f°" : "%.3f rad") : "%.3f m";
            const SliderOutcome o =
                slider(tag.c_str(), name.c_str(), shown, range[0] / unit, range[1] / unit, format, label_width);
            if (shows) ImGui::PopStyleVar();
            if (o.hovered) events.hovered_body = body;
            if (shows) {
                if (o.hovered)
                    ImGui::SetTooltip(
                        "Pause to pose it. What a position drive holds at a live parameter is steered while it runs.");
                return;
            }
            if (steered) {
                const double p = (shown * unit - steering.offset) / steering.slope;
                if (o.moved) events.parameter = {steering.slot, p};
                if (o.released) events.parameter_released = {steering.slot, p};
                return;
            }
            if (o.moved) {
                set(shown * unit), all.moved = true;
                events.moved_body = body;
                events.moved_velocity =
                    coordinate < 0 ? -1 : view.layout->v_of_body[static_cast<std::size_t>(body)] + coordinate;
            }
            all.released = all.released || o.released;
        };
        for (std::size_t b = 0; b < s.model->bodies.size(); ++b) {
            if (isShoe(*s.model, b)) continue;  // moved by its band alone
            const Body& body = s.model->bodies[b];
            double* q = state.pose_q.data() + view.layout->q_of_body[b];
            const int first = view.layout->q_of_body[b];
            const auto name = [&](int i) { return view.layout->q_names[static_cast<std::size_t>(first + i)]; };
            if (body.joint.type == JointType::spherical || body.joint.type == JointType::floating) {
                double R[9];
                rotationOf(q, R);
                auto rpy = rollPitchYaw(R);
                const char* words[] = {" roll", " pitch", " yaw"};
                for (int i = 0; i < 3; ++i) {
                    const double limit = i == 1 ? kPi / 2 : kPi;
                    edit(first + i, body.name + words[i], static_cast<int>(b), -1, rpy[static_cast<std::size_t>(i)],
                         {-limit, limit}, true, [&](double v) {
                             rpy[static_cast<std::size_t>(i)] = v;
                             const auto turned = quaternionOf(rpy);
                             std::copy(turned.begin(), turned.end(), q);
                         });
                }
                if (body.joint.type == JointType::floating)
                    for (int i = 4; i < 7; ++i)
                        edit(first + i, name(i), static_cast<int>(b), -1, q[i],
                             {std::min(-2.0, q[i] - 1), std::max(2.0, q[i] + 1)}, false, [&](double v) { q[i] = v; });
                continue;
            }
            for (int i = 0; i < jointNq(body.joint.type); ++i) {
                const JointType type = body.joint.type;
                const bool angle = !(type == JointType::prismatic || (type == JointType::cylindrical && i == 1) ||
                                     (type == JointType::planar && i < 2));
                const auto range = i == 0  ? rangeOf(body, angle, s.inputs.param)
                                   : angle ? std::array{-kPi, kPi}
                                           : std::array{-1.0, 1.0};
                edit(first + i, name(i), static_cast<int>(b), i, q[i], range, angle, [&](double v) { q[i] = v; });
            }
        }
        bool head = false;
        for (std::size_t p = 0; p < s.model->parameters.size(); ++p) {
            const Parameter& parameter = s.model->parameters[p];
            if (!parameter.live || static_cast<std::size_t>(parameter.slot) >= s.inputs.param.size()) continue;
            if (!head) subhead("Parameters", "live");
            head = true;
            double value = s.inputs.param[static_cast<std::size_t>(parameter.slot)];
            const auto range = parameter.range.value_or(std::array{std::min(0.0, 2 * value), std::max(1.0, 2 * value)});
            const std::string tag = fmt::format("##p{}", p);
            const std::string format = parameter.unit.empty() ? "%.4g" : "%.4g " + parameter.unit;
            const SliderOutcome o =
                slider(tag.c_str(), parameter.name.c_str(), value, range[0], range[1], format.c_str(), label_width);
            if (o.moved) events.parameter = {parameter.slot, value};
            if (o.released) events.parameter_released = {parameter.slot, value};
        }

        if (all.moved) {
            state.pose_moving = true;
            events.pose = state.pose_q;
        }
        if (all.released && state.pose_moving) {
            state.pose_moving = false;
            events.pose_released = true;
        }
        if (!running && (s.state.step != 0 || s.trial) && view.writes_text) {
            ImGui::Dummy({0, 2 * k});
            if (ImGui::Button("Use as initial pose", {-1, 0})) events.use_as_initial = true;
            if (ImGui::IsItemHovered()) ImGui::SetTooltip("Writes this pose into the text as the start values");
        } else if (running) {
            ImGui::TextDisabled("paused mechanisms can be posed");
        }
    }
    (void)theme;
    return endCard();
}

}  // namespace mw::app

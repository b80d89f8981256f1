// Frames, fonts and style of the instruments inside the view.
#include "app/panels/imgui_host.h"

#include <algorithm>
#include <backends/imgui_impl_opengl3.h>
#include <cmath>
#include <imgui.h>

namespace mw::app {
namespace {

PanelFonts current_fonts;

ImVec4 color(const scene::Color& c) { return {c.r, c.g, c.b, c.a}; }

// Latin, punctuation, Greek, super- and subscripts, arrows and the mathematical signs that units and numbers need.
const ImWchar kGlyphs[] = {0x0020, 0x017F, 0x0370, 0x03FF, 0x2010, 0x2027, 0x2030, 0x205E,
                           0x2070, 0x209F, 0x2190, 0x21FF, 0x2200, 0x22FF, 0};

bool busy(const PanelInput& input) {
    return input.left || input.right || input.middle || input.wheel != 0 || !input.keys.empty() ||
           !input.characters.empty();
}

}  // namespace

const PanelFonts& panelFonts() { return current_fonts; }

const char* clipboardText(void* host) {
    auto* self = static_cast<ImGuiHost*>(host);
    self->clipboard_ = self->get_clipboard ? self->get_clipboard() : std::string();
    return self->clipboard_.c_str();
}

ImGuiHost::ImGuiHost() {
    context_ = ImGui::CreateContext();
    ImGui::SetCurrentContext(context_);
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;  // panels have their places; nothing is written to the working folder
    io.LogFilename = nullptr;
    io.ConfigInputTextCursorBlink = false;  // idle means idle
    io.ConfigWindowsMoveFromTitleBarOnly = true;
    io.ClipboardUserData = this;
    io.GetClipboardTextFn = &clipboardText;
    io.SetClipboardTextFn = [](void* host, const char* text) {
        auto* self = static_cast<ImGuiHost*>(host);
        if (self->set_clipboard) self->set_clipboard(text);
    };
    detail::mapKeys();
}

ImGuiHost::~ImGuiHost() {
    ImGui::SetCurrentContext(context_);
    if (gl_ready_) ImGui_ImplOpenGL3_Shutdown();
    ImGui::DestroyContext(context_);
}

void ImGuiHost::loadFonts(float scale) {
    ImGuiIO& io = ImGui::GetIO();
    io.Fonts->Clear();
    const auto load = [&](scene::Face face, float size) -> ImFont* {
        const std::string file = scene::fontFile(face);
        ImFontConfig config;
        config.OversampleH = 2;
        config.OversampleV = 1;
        config.PixelSnapH = true;
        // ImGui sizes a font by ascent minus descent; Inter's em is that over 1.21.
        ImFont* font = file.empty() ? nullptr
                                    : io.Fonts->AddFontFromFileTTF(file.c_str(), std::round(size * scale * 1.21f),
                                                                   &config, kGlyphs);
        return font ? font : io.Fonts->AddFontDefault();
    };
    current_fonts.ui = load(scene::Face::ui, scene::size::kText);
    current_fonts.bold = load(scene::Face::ui_bold, scene::size::kText);
    current_fonts.mono = load(scene::Face::mono, scene::size::kMonoText);
    io.Fonts->Build();
}

void ImGuiHost::applyStyle(scene::ThemeKind kind, float scale) {
    const scene::Theme& t = scene::theme(kind);
    ImGuiStyle style;
    style.WindowPadding = {scene::size::kPadding, scene::size::kGap};
    style.FramePadding = {scene::size::kGap, 3};
    style.ItemSpacing = {scene::size::kGap, scene::size::kSpace};
    style.ItemInnerSpacing = {scene::size::kGap, scene::size::kSpace};
    style.WindowRounding = style.ChildRounding = style.PopupRounding = scene::size::kRadius;
    style.FrameRounding = style.GrabRounding = scene::size::kLabelRadius;
    style.ScrollbarRounding = scene::size::kLabelRadius;
    style.ScrollbarSize = 8;
    style.GrabMinSize = 10;
    style.WindowBorderSize = 1;
    style.FrameBorderSize = 0;
    style.ScaleAllSizes(scale);
    style.WindowBorderSize = std::max(1.0f, std::round(scale));
    ImVec4* c = style.Colors;
    for (int i = 0; i < ImGuiCol_COUNT; ++i) c[i] = color(t.raised);
    c[ImGuiCol_Text] = color(t.text);
    c[ImGuiCol_TextDisabled] = color(t.text_secondary);
    c[ImGuiCol_WindowBg] = color(t.panel.withAlpha(0.94f));
    c[ImGuiCol_ChildBg] = color(t.panel.withAlpha(0));
    c[ImGuiCol_PopupBg] = color(t.panel);
    c[ImGuiCol_Border] = color(t.border);
    c[ImGuiCol_BorderShadow] = {0, 0, 0, 0};
    c[ImGuiCol_FrameBg] = color(t.raised);
    c[ImGuiCol_FrameBgHovered] = c[ImGuiCol_FrameBgActive] = color(t.hover);
    c[ImGuiCol_CheckMark] = color(t.accent);
    // Values are read through the grab: half the accent keeps their contrast.
    c[ImGuiCol_SliderGrab] = color(scene::mix(t.raised, t.accent, 0.55f));
    c[ImGuiCol_SliderGrabActive] = color(scene::mix(t.raised, t.accent, 0.75f));
    c[ImGuiCol_Button] = color(t.raised);
    c[ImGuiCol_ButtonHovered] = color(t.hover);
    c[ImGuiCol_ButtonActive] = color(t.selected);
    c[ImGuiCol_Header] = c[ImGuiCol_HeaderActive] = color(t.selected);
    c[ImGuiCol_HeaderHovered] = color(t.hover);
    c[ImGuiCol_TextSelectedBg] = color(t.selected);
    c[ImGuiCol_ScrollbarBg] = {0, 0, 0, 0};
    c[ImGuiCol_ScrollbarGrab] = c[ImGuiCol_ScrollbarGrabHovered] = c[ImGuiCol_ScrollbarGrabActive] = color(t.border);
    c[ImGuiCol_Separator] = color(t.border);
    ImGui::GetStyle() = style;
}

void ImGuiHost::begin(const PanelInput& input, scene::ThemeKind kind) {
    ImGui::SetCurrentContext(context_);
    if (!gl_ready_) {
        ImGui_ImplOpenGL3_Init("#version 330 core");
        gl_ready_ = true;
    }
    if (scale_ != input.scale) {
        loadFonts(input.scale);
        ImGui_ImplOpenGL3_DestroyFontsTexture();
        ImGui_ImplOpenGL3_CreateFontsTexture();
        applyStyle(kind, input.scale);
    } else if (theme_ != kind) {
        applyStyle(kind, input.scale);
    }
    scale_ = input.scale;
    theme_ = kind;
    feed(input);
    frames_wanted_ = std::max(0, frames_wanted_ - (busy(input) ? 0 : 1));
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
}

bool ImGuiHost::beginUnseen(const PanelInput& input) {
    ImGui::SetCurrentContext(context_);
    if (!gl_ready_ || scale_ != input.scale) return false;
    feed(input);
    ImGui::NewFrame();
    return true;
}

void ImGuiHost::endUnseen() { ImGui::EndFrame(); }

void ImGuiHost::feed(const PanelInput& input) {
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {input.width, input.height};
    io.DeltaTime = std::clamp(input.seconds, 1e-4f, 1.0f);
    detail::feedKeys(input);
    // A press is seen in one frame and acted on in the next: two more frames let widgets settle.
    if (busy(input)) frames_wanted_ = 2;
}

void ImGuiHost::end() {
    ImGui::Render();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

bool ImGuiHost::wantsMouse() const {
    ImGui::SetCurrentContext(context_);
    // Beside an open menu a press only closes it.
    return ImGui::GetIO().WantCaptureMouse ||
           ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
}
bool ImGuiHost::wantsKeyboard() const {
    ImGui::SetCurrentContext(context_);
    return ImGui::GetIO().WantTextInput;
}

}  // namespace mw::app

// GLSL sources, one pair a kind of drawing.
#include "app/render/shaders.h"

namespace mw::render::shaders {

// One triangle that covers the picture; `uv` from 0 to 1.
const char* kFullVertex = R"(#version 330 core
out vec2 uv;
void main() {
    vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
    uv = corner * 0.5 + 0.5;
    gl_Position = vec4(corner, 0.0, 1.0);
}
)";

// Vertical gradient with a little noise against bands.
const char* kGradientFragment = R"(#version 330 core
in vec2 uv;
uniform vec3 top, bottom;
out vec4 color;
void main() {
    float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
    color = vec4(mix(bottom, top, uv.y) + noise / 255.0, 1.0);
}
)";

const char* kCopyFragment = R"(#version 330 core
in vec2 uv;
uniform sampler2D picture;
out vec4 color;
void main() { color = vec4(texture(picture, uv).rgb, 1.0); }
)";

// Nine taps of a Gaussian along `direction` (one texel).
const char* kBlurFragment = R"(#version 330 core
in vec2 uv;
uniform sampler2D picture;
uniform vec2 direction;
out vec4 color;
void main() {
    float sum = texture(picture, uv).r * 0.2270270270;
    sum += (texture(picture, uv + direction * 1.3846153846).r + texture(picture, uv - direction * 1.3846153846).r) * 0.3162162162;
    sum += (texture(picture, uv + direction * 3.2307692308).r + texture(picture, uv - direction * 3.2307692308).r) * 0.0702702703;
    color = vec4(sum);
}
)";

// Solids: instances with an affine map in three rows.
const char* kMeshVertex = R"(#version 330 core
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 row0;
layout(location = 3) in vec4 row1;
layout(location = 4) in vec4 row2;
layout(location = 5) in vec4 tint;
layout(location = 6) in float finish;
uniform mat4 view;
uniform mat4 projection;
out vec3 v_normal;
out vec3 v_position;
flat out vec4 v_tint;
flat out float v_finish;
void main() {
    vec4 p = vec4(position, 1.0);
    vec3 world = vec3(dot(row0, p), dot(row1, p), dot(row2, p));
    // Normals go with the cofactors of the map.
    vec3 n = normal.x * cross(vec3(row0.y, row1.y, row2.y), vec3(row0.z, row1.z, row2.z)) +
             normal.y * cross(vec3(row0.z, row1.z, row2.z), vec3(row0.x, row1.x, row2.x)) +
             normal.z * cross(vec3(row0.x, row1.x, row2.x), vec3(row0.y, row1.y, row2.y));
    vec4 eye = view * vec4(world, 1.0);
    v_normal = mat3(view) * n;
    v_position = eye.xyz;
    v_tint = tint;
    v_finish = finish;
    gl_Position = projection * eye;
}
)";

// Soft key light over the left shoulder, fill from the right, sky and ground as ambient; a broad highlight.
const char* kMeshFragment = R"(#version 330 core
in vec3 v_normal;
in vec3 v_position;
flat in vec4 v_tint;
flat in float v_finish;
uniform vec3 up;          // in the eye's axes
uniform vec3 to_eye;      // for an orthographic view; zero: from the position
uniform vec3 levels;      // ambient from below, ambient from above, key
out vec4 color;
void main() {
    vec3 n = normalize(v_normal);
    vec3 v = to_eye.z > 0.5 ? to_eye : normalize(-v_position);
    if (dot(n, v) < 0.0) n = -n;
    const vec3 key = vec3(-0.4472, 0.7155, 0.5367), fill = vec3(0.7809, 0.1562, 0.6049);
    float sky = dot(n, up) * 0.5 + 0.5;
    float lit = mix(levels.x, levels.y, sky) + levels.z * max(dot(n, key) * 0.85 + 0.15, 0.0) + 0.16 * max(dot(n, fill), 0.0);
    vec3 h = normalize(key + v);
    float s = max(dot(n, h), 0.0);
    s *= s; s *= s; s *= s;
    float tight = s * s;
    float gloss = v_finish < 0.5 ? 0.09 * s : 0.10 * s + 0.22 * tight * tight;
    if (v_finish > 1.5) { lit = 0.84 + 0.22 * (dot(n, key) * 0.5 + 0.5); gloss = 0.0; }
    color = vec4(v_tint.rgb * lit + gloss, v_tint.a);
}
)";

// The shadow picture: solids seen from straight above, darker the nearer to the ground.
const char* kShadowVertex = R"(#version 330 core
layout(location = 0) in vec3 position;
layout(location = 2) in vec4 row0;
layout(location = 3) in vec4 row1;
layout(location = 4) in vec4 row2;
uniform mat4 plane;       // to the picture's square; z is the height above the ground
out float height;
void main() {
    vec4 p = vec4(position, 1.0);
    vec4 q = plane * vec4(dot(row0, p), dot(row1, p), dot(row2, p), 1.0);
    height = q.z;
    gl_Position = vec4(q.xy, 0.0, 1.0);
}
)";
const char* kShadowFragment = R"(#version 330 core
in float height;
uniform float reach;
out vec4 color;
void main() {
    float h = max(height, 0.0) / reach;
    color = vec4(height < -0.02 * reach ? 0.0 : 1.0 / (1.0 + 1.6 * h));
}
)";

// The ground: shadow and a grid whose lines keep their width in the picture and fade with distance.
const char* kGroundVertex = R"(#version 330 core
uniform mat4 view_projection;
uniform vec3 centre, u, v;   // of the patch, relative to the target; half edges
uniform vec2 offset;         // of the patch's centre in the grid, m
uniform vec2 half_size;
out vec2 on_grid;
out vec2 on_patch;
void main() {
    vec2 c = vec2((gl_VertexID & 1) * 2 - 1, (gl_VertexID >> 1) * 2 - 1);
    on_patch = c;
    on_grid = offset + c * half_size;
    gl_Position = view_projection * vec4(centre + u * c.x + v * c.y, 1.0);
}
)";
const char* kGroundFragment = R"(#version 330 core
in vec2 on_grid;
in vec2 on_patch;
uniform vec4 minor_color, major_color, shadow_color;
uniform vec4 spacing;        // fine minor, fine major, coarse minor, coarse major
uniform float fine;          // weight of the fine pair
uniform float line_width;
uniform vec4 shadow_map;     // scale and offset from grid to picture
uniform float shadow_on;
uniform sampler2D shadow;
out vec4 color;
float lines(float step_size, vec2 px) {
    vec2 q = on_grid / step_size;
    vec2 width = px / step_size;
    vec2 d = abs(fract(q - 0.5) - 0.5) / width;
    vec2 a = clamp(0.5 * line_width + 0.5 - d, 0.0, 1.0) * (1.0 - smoothstep(0.12, 0.4, width));
    return max(a.x, a.y);
}
vec4 over(vec4 top, vec4 below) {  // premultiplied
    return top + below * (1.0 - top.a);
}
void main() {
    vec2 px = max(fwidth(on_grid), vec2(1e-9));
    float fade = 1.0 - smoothstep(0.1, 0.85, length(on_patch));
    float minor_line = lines(spacing.x, px) * fine, major_line = lines(spacing.y, px) * fine;
    if (fine < 1.0) {
        minor_line = max(minor_line, lines(spacing.z, px) * (1.0 - fine));
        major_line = max(major_line, lines(spacing.w, px) * (1.0 - fine));
    }
    vec4 grid = vec4(minor_color.rgb, 1.0) * (minor_color.a * minor_line * fade);
    grid = over(vec4(major_color.rgb, 1.0) * (major_color.a * major_line * fade), grid);
    if (shadow_on > 0.0) {
        vec2 at = on_grid * shadow_map.xy + shadow_map.zw;
        float s = texture(shadow, at).r * shadow_color.a * shadow_on;
        grid = over(vec4(shadow_color.rgb, 1.0) * s, grid);
    }
    color = grid;
}
)";

// A height field. Positions are relative to the patch's centre; the instance's rows place it.
const char* kTerrainVertex = R"(#version 330 core
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 row0;
layout(location = 3) in vec4 row1;
layout(location = 4) in vec4 row2;
uniform mat4 view_projection;
out vec3 v_normal;
out vec3 on_patch;
void main() {
    vec4 p = vec4(position, 1.0);
    v_normal = normal;
    on_patch = position;
    gl_Position = view_projection * vec4(dot(row0, p), dot(row1, p), dot(row2, p), 1.0);
}
)";
const char* kTerrainFragment = R"(#version 330 core
in vec3 v_normal;
in vec3 on_patch;
uniform vec3 eye;            // from the patch's centre
uniform vec4 toward;         // w 1: an orthographic view from there
uniform vec4 offset;         // of the patch's centre in the grid, m
uniform vec2 height;         // of the centre, and between two lines, m
uniform vec2 middle;         // where the mechanism stands, from the centre
uniform float isolines, radius;
uniform vec4 ground_color, line_color, minor_color, major_color, shadow_color;
uniform vec4 spacing;
uniform float fine, line_width;
uniform vec4 shadow_map;
uniform float shadow_on;
uniform sampler2D shadow;
out vec4 color;
float lines(float step_size, vec2 at, vec2 px) {
    vec2 q = at / step_size;
    vec2 width = px / step_size;
    vec2 d = abs(fract(q - 0.5) - 0.5) / width;
    vec2 a = clamp(0.5 * line_width + 0.5 - d, 0.0, 1.0) * (1.0 - smoothstep(0.12, 0.4, width));
    return max(a.x, a.y);
}
float contour(float h, float step_size, float px, float wide) {
    float q = h / step_size, width = max(px / step_size, 1e-7);
    float d = abs(fract(q - 0.5) - 0.5) / width;
    return clamp(0.5 * wide + 0.5 - d, 0.0, 1.0) * (1.0 - smoothstep(0.25, 0.6, width));
}
void main() {
    vec3 n = normalize(v_normal);
    vec3 v = toward.w > 0.5 ? toward.xyz : normalize(eye - on_patch);
    // Light from over the left shoulder of someone who looks along the ground; seen from below it is dark.
    float lit = 0.62 + 0.46 * dot(n, normalize(vec3(-0.35, -0.45, 0.82))) - 0.05;
    if (dot(n, v) < 0.0) lit *= 0.6;
    vec3 base = ground_color.rgb * lit;
    vec2 at = offset.xy + on_patch.xy;
    vec2 px = max(fwidth(at), vec2(1e-9));
    float grid = lines(spacing.y, at, px) * fine;
    if (fine < 1.0) grid = max(grid, lines(spacing.w, at, px) * (1.0 - fine));
    base = mix(base, major_color.rgb, 0.45 * major_color.a * grid);
    // Lines of equal height where there is a slope that they could mean; every fifth is stronger.
    float h = height.x + on_patch.z, change = max(fwidth(h), 1e-9);
    float steep = smoothstep(0.004, 0.02, length(n.xy));
    float line = max(0.62 * contour(h, height.y, change, line_width), contour(h, 5.0 * height.y, change, 1.7 * line_width));
    base = mix(base, line_color.rgb, line_color.a * line * steep * isolines);
    if (shadow_on > 0.0) {
        vec2 place = at * shadow_map.xy + shadow_map.zw;
        base = mix(base, shadow_color.rgb, texture(shadow, place).r * shadow_color.a * shadow_on);
    }
    float fade = 1.0 - smoothstep(0.5, 0.97, length(on_patch.xy - middle) / radius);
    if (fade <= 0.003) discard;
    color = vec4(base, fade);
}
)";

// Strokes of constant width: a quad round each, its distance field gives soft edges and round ends.
const char* kLineVertex = R"(#version 330 core
layout(location = 0) in vec3 from;
layout(location = 1) in vec3 to;
layout(location = 2) in vec4 color_from;
layout(location = 3) in vec4 color_to;
layout(location = 4) in vec2 stroke;      // width px, dash px (negative: fixed to the picture)
uniform mat4 view_projection;
uniform vec2 viewport;
uniform vec3 bias;                        // towards the eye: share of the distance, the projection's z factor, or a step in depth
noperspective out vec2 at;                // along and across, px
flat out vec3 shape;                      // length, half width, dash
noperspective out vec4 v_color;
void main() {
    vec4 a = view_projection * vec4(from, 1.0), b = view_projection * vec4(to, 1.0);
    float da = a.z + a.w, db = b.z + b.w;
    if (da <= 0.0 && db <= 0.0) { gl_Position = vec4(2.0, 2.0, 2.0, 1.0); return; }
    if (da < 0.0) a = mix(a, b, da / (da - db) + 1e-5);
    if (db < 0.0) b = mix(b, a, db / (db - da) + 1e-5);
    vec2 pa = a.xy / a.w * 0.5 * viewport, pb = b.xy / b.w * 0.5 * viewport;
    vec2 d = pb - pa;
    float l = length(d);
    d = l > 1e-4 ? d / l : vec2(1.0, 0.0);
    float reach = stroke.x * 0.5 + 1.0;
    bool end = gl_VertexID >= 2;
    float side = (gl_VertexID & 1) == 0 ? -1.0 : 1.0;
    vec2 p = (end ? pb + d * reach : pa - d * reach) + vec2(-d.y, d.x) * side * reach;
    vec4 c = end ? b : a;
    float depth = bias.z != 0.0 ? c.z / c.w - bias.z : (c.z + bias.y * c.w * bias.x) / (c.w * (1.0 - bias.x));
    at = vec2(end ? l + reach : -reach, side * reach);
    shape = vec3(l, stroke.x * 0.5, stroke.y);
    v_color = end ? color_to : color_from;
    gl_Position = vec4(p / (0.5 * viewport), clamp(depth, -1.0, 1.0), 1.0);
}
)";
const char* kLineFragment = R"(#version 330 core
noperspective in vec2 at;
flat in vec3 shape;
noperspective in vec4 v_color;
out vec4 color;
void main() {
    float d = length(vec2(at.x - clamp(at.x, 0.0, shape.x), at.y));
    float a = clamp(shape.y + 0.5 - d, 0.0, 1.0) * min(1.0, shape.y * 2.0);
    if (shape.z != 0.0) {
        float dash = abs(shape.z);
        float along = shape.z > 0.0 ? at.x : (gl_FragCoord.x + gl_FragCoord.y) * 0.7071;
        float wave = abs(fract(along / (2.0 * dash)) - 0.5) * 2.0 * dash;  // distance to the middle of a gap
        a *= clamp(wave - dash * 0.5 + 0.5, 0.0, 1.0);
    }
    a *= v_color.a;
    if (a < 0.004) discard;
    color = vec4(v_color.rgb, a);
}
)";

// Rounded boxes, discs and rings of the overlay, px from the top left.
const char* kRectVertex = R"(#version 330 core
layout(location = 0) in vec4 box;         // x y width height
layout(location = 1) in vec2 style;       // radius, border width
layout(location = 2) in vec4 fill;
layout(location = 3) in vec4 border;
uniform vec2 viewport;
noperspective out vec2 at;
flat out vec4 shape;
flat out vec4 v_fill, v_border;
void main() {
    vec2 c = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1));
    vec2 half_size = box.zw * 0.5;
    at = (c * 2.0 - 1.0) * (half_size + 1.0);
    vec2 p = box.xy + half_size + at;
    shape = vec4(half_size, style);
    v_fill = fill;
    v_border = border;
    gl_Position = vec4(p.x / viewport.x * 2.0 - 1.0, 1.0 - p.y / viewport.y * 2.0, 0.0, 1.0);
}
)";
const char* kRectFragment = R"(#version 330 core
noperspective in vec2 at;
flat in vec4 shape;
flat in vec4 v_fill, v_border;
out vec4 color;
void main() {
    vec2 q = abs(at) - shape.xy + shape.z;
    float d = length(max(q, 0.0)) + min(max(q.x, q.y), 0.0) - shape.z;
    float inside = clamp(0.5 - d, 0.0, 1.0), core = clamp(0.5 - d - shape.w, 0.0, 1.0);
    vec4 b = vec4(v_border.rgb, 1.0) * v_border.a, f = vec4(v_fill.rgb, 1.0) * v_fill.a;
    color = shape.w > 0.0 ? b * (inside - core) + f * core : f * inside;
}
)";

const char* kTextVertex = R"(#version 330 core
layout(location = 0) in vec4 box;
layout(location = 1) in vec4 place;       // in the atlas, 0..1
layout(location = 2) in vec4 ink;
uniform vec2 viewport;
noperspective out vec2 uv;
flat out vec4 v_ink;
void main() {
    vec2 c = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1));
    vec2 p = box.xy + c * box.zw;
    uv = place.xy + c * place.zw;
    v_ink = ink;
    gl_Position = vec4(p.x / viewport.x * 2.0 - 1.0, 1.0 - p.y / viewport.y * 2.0, 0.0, 1.0);
}
)";
const char* kTextFragment = R"(#version 330 core
noperspective in vec2 uv;
flat in vec4 v_ink;
uniform sampler2D atlas;
out vec4 color;
void main() {
    float a = texture(atlas, uv).r * v_ink.a;
    color = vec4(v_ink.rgb * a, a);
}
)";

}  // namespace mw::render::shaders

// Contours are found on the processor (a few comparisons an edge), drawn as instanced quads.
#include "app/render/strokes.h"

#include "app/render/shaders.h"

namespace mw::render {

void ContourFinder::add(const scene::MeshInstance& m, const Eye& eye, const ContourStyle& style,
                        std::vector<Stroke>& out) {
    const scene::Mesh& mesh = *m.mesh;
    // The eye in the mesh's own axes: an affine map keeps which side of a face it is on, but for a mirror.
    scene::Placement into = m.place.inverse();
    bool mirrored = m.place.linear().determinant() < 0;
    Eigen::Vector3f at = (into * eye.position).cast<float>();
    Eigen::Vector3f toward = (into.linear() * -eye.forward).cast<float>();
    std::size_t faces = mesh.planes.size();
    facing_.resize(faces);
    for (std::size_t f = 0; f < faces; ++f) {
        const Eigen::Vector4f& p = mesh.planes[f];
        float side = eye.perspective ? p.x() * at.x() + p.y() * at.y() + p.z() * at.z() - p.w()
                                     : p.x() * toward.x() + p.y() * toward.y() + p.z() * toward.z();
        facing_[f] = (side > 0) != mirrored;
    }
    Eigen::Matrix3f linear = m.place.linear().cast<float>();
    Eigen::Vector3f shift = (m.place.translation() - eye.origin).cast<float>();
    for (const scene::MeshEdge& e : mesh.edges) {
        bool front0 = facing_[static_cast<std::size_t>(e.face0)];
        bool front1 = e.face1 >= 0 ? facing_[static_cast<std::size_t>(e.face1)] : !front0;
        bool contour = front0 != front1;
        if (!contour && !(e.crease && front0)) continue;
        float width = contour ? style.silhouette_width : style.crease_width;
        if (width <= 0) continue;
        const scene::Color& color = contour ? style.silhouette : style.crease;
        Eigen::Vector3f a = linear * mesh.positions[e.a] + shift, b = linear * mesh.positions[e.b] + shift;
        out.push_back({{a.x(), a.y(), a.z()}, {b.x(), b.y(), b.z()}, color, color, width, style.dash});
    }
}

StrokeBatch::StrokeBatch() : program_(shaders::kLineVertex, shaders::kLineFragment) {
    glBindVertexArray(array_);
    glBindBuffer(GL_ARRAY_BUFFER, buffer_);
    auto attribute = [](GLuint index, GLint count, std::size_t offset) {
        glEnableVertexAttribArray(index);
        glVertexAttribPointer(index, count, GL_FLOAT, GL_FALSE, sizeof(Stroke), reinterpret_cast<const void*>(offset));
        glVertexAttribDivisor(index, 1);
    };
    attribute(0, 3, offsetof(Stroke, from));
    attribute(1, 3, offsetof(Stroke, to));
    attribute(2, 4, offsetof(Stroke, color_from));
    attribute(3, 4, offsetof(Stroke, color_to));
    attribute(4, 2, offsetof(Stroke, width));
    glBindVertexArray(0);
}

void StrokeBatch::draw(const std::vector<Stroke>& strokes, const Setting& setting) {
    if (strokes.empty()) return;
    program_.use();
    glUniformMatrix4fv(program_.at("view_projection"), 1, GL_FALSE, setting.view_projection.data());
    glUniform2f(program_.at("viewport"), setting.width, setting.height);
    glUniform3fv(program_.at("bias"), 1, setting.bias.data());
    glBindVertexArray(array_);
    glBindBuffer(GL_ARRAY_BUFFER, buffer_);
    glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(strokes.size() * sizeof(Stroke)), strokes.data(),
                 GL_STREAM_DRAW);
    GLboolean culling = glIsEnabled(GL_CULL_FACE);
    glDisable(GL_CULL_FACE);  // a stroke has no back
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<GLsizei>(strokes.size()));
    if (culling) glEnable(GL_CULL_FACE);
    glBindVertexArray(0);
}

}  // namespace mw::render

// Uploads once, draws instanced.
#include "app/render/solids.h"

#include <algorithm>

namespace mw::render {

void Solids::beginFrame() {
    ++frame_;
    const auto since = [&](const Stored& s) { return frame_ - s.used; };
    if (frame_ % 8 == 0) std::erase_if(meshes_, [&](const auto& m) { return m.second.brief && since(m.second) > 8; });
    if (frame_ % 64 == 0) std::erase_if(meshes_, [&](const auto& m) { return since(m.second) > 240; });
}

Solids::Stored& Solids::stored(const scene::Mesh& mesh) {
    auto [it, fresh] = meshes_.try_emplace(mesh.id);
    Stored& s = it->second;
    s.used = frame_;
    if (!fresh) return s;
    s.brief = mesh.brief;
    std::vector<float> vertices;
    vertices.reserve(mesh.positions.size() * 6);
    for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
        const auto &p = mesh.positions[i], &n = mesh.normals[i];
        vertices.insert(vertices.end(), {p.x(), p.y(), p.z(), n.x(), n.y(), n.z()});
    }
    glBindVertexArray(s.array);
    glBindBuffer(GL_ARRAY_BUFFER, s.vertices);
    glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(vertices.size() * sizeof(float)), vertices.data(),
                 GL_STATIC_DRAW);
    for (GLuint k = 0; k < 2; ++k) {
        glEnableVertexAttribArray(k);
        glVertexAttribPointer(k, 3, GL_FLOAT, GL_FALSE, 6 * sizeof(float),
                              reinterpret_cast<const void*>(k * 3 * sizeof(float)));
    }
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, s.indices);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, static_cast<GLsizeiptr>(mesh.indices.size() * sizeof(std::uint32_t)),
                 mesh.indices.data(), GL_STATIC_DRAW);
    for (GLuint k = 2; k <= 6; ++k) {
        glEnableVertexAttribArray(k);
        glVertexAttribDivisor(k, 1);
    }
    glBindVertexArray(0);
    s.count = static_cast<GLsizei>(mesh.indices.size());
    return s;
}

void Solids::draw(std::vector<const scene::MeshInstance*> instances, const scene::Vec3& origin, bool keep_order) {
    if (instances.empty()) return;
    if (!keep_order) {
        std::stable_sort(instances.begin(), instances.end(),
                         [](const auto* a, const auto* b) { return a->mesh->id < b->mesh->id; });
    }
    data_.clear();
    for (const auto* m : instances) {
        Instance i;
        scene::Vec3 shift = m->place.translation() - origin;
        for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < 3; ++c) i.rows[4 * r + c] = static_cast<float>(m->place.linear()(r, c));
            i.rows[4 * r + 3] = static_cast<float>(shift[r]);
        }
        i.tint = m->color;
        i.finish = static_cast<float>(m->finish);
        data_.push_back(i);
    }
    glBindBuffer(GL_ARRAY_BUFFER, instances_);
    glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(data_.size() * sizeof(Instance)), data_.data(),
                 GL_STREAM_DRAW);
    for (std::size_t begin = 0; begin < instances.size();) {
        std::size_t end = begin + 1;
        while (end < instances.size() && instances[end]->mesh == instances[begin]->mesh) ++end;
        Stored& s = stored(*instances[begin]->mesh);
        glBindVertexArray(s.array);
        glBindBuffer(GL_ARRAY_BUFFER, instances_);
        std::size_t at = begin * sizeof(Instance);
        for (GLuint row = 0; row < 3; ++row) {
            glVertexAttribPointer(2 + row, 4, GL_FLOAT, GL_FALSE, sizeof(Instance),
                                  reinterpret_cast<const void*>(at + row * 16));
        }
        glVertexAttribPointer(5, 4, GL_FLOAT, GL_FALSE, sizeof(Instance),
                              reinterpret_cast<const void*>(at + offsetof(Instance, tint)));
        glVertexAttribPointer(6, 1, GL_FLOAT, GL_FALSE, sizeof(Instance),
                              reinterpret_cast<const void*>(at + offsetof(Instance, finish)));
        glDrawElementsInstanced(GL_TRIANGLES, s.count, GL_UNSIGNED_INT, nullptr, static_cast<GLsizei>(end - begin));
        begin = end;
    }
    glBindVertexArray(0);
}

}  // namespace mw::render

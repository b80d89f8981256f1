// Owners of OpenGL names. Internal to this folder.
#pragma once

#include <epoxy/gl.h>
#include <utility>

namespace mw::render {

/// Vertex and fragment shader linked; throws std::runtime_error with the compiler's words.
class Program {
public:
    Program() = default;
    Program(const char* vertex, const char* fragment);
    Program(Program&& o) noexcept : id_(std::exchange(o.id_, 0)) {}
    Program& operator=(Program&& o) noexcept {
        std::swap(id_, o.id_);
        return *this;
    }
    ~Program() {
        if (id_) glDeleteProgram(id_);
    }
    void use() const { glUseProgram(id_); }
    GLint at(const char* uniform) const { return glGetUniformLocation(id_, uniform); }

private:
    GLuint id_ = 0;
};

class Buffer {
public:
    Buffer() { glGenBuffers(1, &id_); }
    Buffer(Buffer&& o) noexcept : id_(std::exchange(o.id_, 0)) {}
    Buffer& operator=(Buffer&& o) noexcept {
        std::swap(id_, o.id_);
        return *this;
    }
    ~Buffer() {
        if (id_) glDeleteBuffers(1, &id_);
    }
    operator GLuint() const { return id_; }

private:
    GLuint id_ = 0;
};

class VertexArray {
public:
    VertexArray() { glGenVertexArrays(1, &id_); }
    VertexArray(VertexArray&& o) noexcept : id_(std::exchange(o.id_, 0)) {}
    VertexArray& operator=(VertexArray&& o) noexcept {
        std::swap(id_, o.id_);
        return *this;
    }
    ~VertexArray() {
        if (id_) glDeleteVertexArrays(1, &id_);
    }
    operator GLuint() const { return id_; }

private:
    GLuint id_ = 0;
};

/// A framebuffer with one colour attachment and perhaps a depth one; remade when size or samples change.
class Target {
public:
    ~Target() { release(); }
    Target() = default;
    Target(const Target&) = delete;
    Target& operator=(const Target&) = delete;

    void ensure(int width, int height, int samples, GLenum format, bool depth);
    void bind() const { glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_); }
    GLuint framebuffer() const { return framebuffer_; }
    GLuint texture() const { return texture_; }  ///< 0 when multisampled

private:
    void release();
    GLuint framebuffer_ = 0, texture_ = 0, color_ = 0, depth_ = 0;
    int width_ = 0, height_ = 0, samples_ = 0;
};

}  // namespace mw::render

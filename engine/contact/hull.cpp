// Quickhull: faces grow outwards to the farthest point that each of them sees (Barber, Dobkin and Huhdanpaa 1996).
#include "engine/contact/hull.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace mw::collide {

namespace {

struct Face {
    int corner[3];
    Vector3 normal;
    double offset = 0;
    std::vector<int> seen;  // points outside of it
    bool gone = false;
};

}  // namespace

std::vector<Vector3> hullCorners(const std::vector<Vector3>& points) {
    const int n = static_cast<int>(points.size());
    if (n <= 8) return points;
    const auto at = [&](int i) -> const Vector3& { return points[static_cast<std::size_t>(i)]; };
    Vector3 low = at(0), high = at(0);
    for (const Vector3& p : points) low = low.cwiseMin(p), high = high.cwiseMax(p);
    const double tolerance = 1e-10 * (high - low).norm();

    // Four corners of a solid to begin with.
    int a = 0, b = 0, c = 0, d = 0;
    for (int i = 0; i < n; i++)
        if (at(i).x() < at(a).x()) a = i;
    double best = 0;
    for (int i = 0; i < n; i++)
        if (const double s = (at(i) - at(a)).norm(); s > best) best = s, b = i;
    if (!(best > 0)) return points;
    best = 0;
    const Vector3 line = (at(b) - at(a)).normalized();
    for (int i = 0; i < n; i++)
        if (const double s = line.cross(at(i) - at(a)).norm(); s > best) best = s, c = i;
    if (!(best > 10 * tolerance)) return points;
    best = 0;
    const Vector3 plane = (at(b) - at(a)).cross(at(c) - at(a)).normalized();
    for (int i = 0; i < n; i++)
        if (const double s = std::abs(plane.dot(at(i) - at(a))); s > best) best = s, d = i;
    if (!(best > 10 * tolerance)) return points;

    std::vector<Face> faces;
    const Vector3 inside = 0.25 * (at(a) + at(b) + at(c) + at(d));
    const auto addFace = [&](int i, int j, int k) {
        Face face;
        face.normal = (at(j) - at(i)).cross(at(k) - at(i));
        const double length = face.normal.norm();
        if (length > 0) face.normal /= length;
        face.offset = face.normal.dot(at(i));
        face.corner[0] = i, face.corner[1] = j, face.corner[2] = k;
        if (face.normal.dot(inside) > face.offset) {
            std::swap(face.corner[1], face.corner[2]);
            face.normal = -face.normal;
            face.offset = -face.offset;
        }
        faces.push_back(std::move(face));
    };
    addFace(a, b, c), addFace(a, b, d), addFace(a, c, d), addFace(b, c, d);
    const auto assign = [&](int i, std::size_t first) {
        for (std::size_t f = first; f < faces.size(); f++) {
            if (faces[f].gone || !(faces[f].normal.dot(at(i)) - faces[f].offset > tolerance)) continue;
            faces[f].seen.push_back(i);
            return;
        }
    };
    for (int i = 0; i < n; i++) assign(i, 0);

    std::vector<int> loose;
    for (std::size_t f = 0; f < faces.size(); f++) {
        if (faces[f].gone || faces[f].seen.empty()) continue;
        int apex = faces[f].seen[0];
        for (int i : faces[f].seen)
            if (faces[f].normal.dot(at(i)) > faces[f].normal.dot(at(apex))) apex = i;
        // All that the new corner sees goes; their border's edges become faces with it.
        std::map<std::pair<int, int>, bool> edges;
        loose.clear();
        for (Face& face : faces) {
            if (face.gone || !(face.normal.dot(at(apex)) - face.offset > tolerance)) continue;
            face.gone = true;
            loose.insert(loose.end(), face.seen.begin(), face.seen.end());
            face.seen.clear();
            for (int k = 0; k < 3; k++) edges[{face.corner[k], face.corner[(k + 1) % 3]}] = true;
        }
        const std::size_t first = faces.size();
        for (const auto& [edge, present] : edges)
            if (present && !edges.count({edge.second, edge.first})) addFace(edge.first, edge.second, apex);
        for (int i : loose)
            if (i != apex) assign(i, first);
    }
    std::vector<char> corner(points.size(), 0);
    for (const Face& face : faces) {
        if (face.gone) continue;
        for (int k : face.corner) corner[static_cast<std::size_t>(k)] = 1;
    }
    std::vector<Vector3> corners;
    for (int i = 0; i < n; i++)
        if (corner[static_cast<std::size_t>(i)]) corners.push_back(at(i));
    return corners;
}

}  // namespace mw::collide

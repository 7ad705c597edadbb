// Normals at vertices as the mean of the faces around, weighted by angle.
#include <pelt/core/parallel.h>
#include <pelt/geometry/normals.h>

#include "check.h"

namespace pelt::geometry {
namespace {

struct FaceNormal {
    Vec3d normal;      ///< unit, or zero for a face without area
    double angles[3];  ///< at its corners
};

double angleBetween(const Vec3d& a, const Vec3d& b) { return std::atan2(length(cross(a, b)), dot(a, b)); }

FaceNormal faceNormal(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    const Vec3d ab = b - a, bc = c - b, ca = a - c;
    return {normalized(cross(ab, -ca)), {angleBetween(ab, -ca), angleBetween(bc, -ab), angleBetween(ca, -bc)}};
}

}  // namespace

std::vector<Vec3f> angleWeightedNormals(std::span<const Vec3f> positions, std::span<const Triangle> triangles,
                                        const Weld& weld) {
    checkTriangles(triangles, positions.size());
    std::vector<FaceNormal> faces(triangles.size());
    parallelFor(triangles.size(), kVertexGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t t = first; t < last; ++t) {
            // The welded corners: with a tolerance, the copies of a corner lie slightly apart.
            Vec3d p[3];
            for (int c = 0; c < 3; ++c) p[c] = Vec3d(positions[weld.representative[weld.welded[triangles[t][c]]]]);
            faces[t] = faceNormal(p[0], p[1], p[2]);
        }
    });

    // Summed in the order of the faces, so that the result does not depend on threads.
    std::vector<Vec3d> sums(weld.count());
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        for (int c = 0; c < 3; ++c) sums[weld.welded[triangles[t][c]]] += faces[t].normal * faces[t].angles[c];
    }
    std::vector<Vec3f> normals(positions.size());
    parallelFor(positions.size(), kVertexGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v) normals[v] = Vec3f(normalized(sums[weld.welded[v]], {0, 0, 1}));
    });
    return normals;
}

}  // namespace pelt::geometry

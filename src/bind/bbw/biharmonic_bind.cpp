// Binds a character by bounded biharmonic weights: tets in the mesh, joints as handles.
#include <fmt/format.h>
// From handles in space, or a skeleton's bones, to weights for the vertices of a mesh.
#include <pelt/bind/bounded_biharmonic.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/geometry/bounding_sphere.h>
#include <pelt/geometry/segments.h>
#include <pelt/geometry/tets.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "bind/rigid/inside_bind.h"
#include "handle_places.h"

namespace pelt::bind {
namespace {

std::vector<Vec3d> precise(std::span<const Vec3f> positions) { return {positions.begin(), positions.end()}; }

using HeldVertices = std::vector<std::vector<std::uint32_t>>;

/// Calls `hold(handle, list)` for every handle, in parallel, since the search for near vertices takes time.
template <class Hold>
HeldVertices holdAll(std::span<const BiharmonicHandle> handles, const Hold& hold) {
    HeldVertices held(handles.size());
    parallelFor(handles.size(), 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t h = first; h < last; ++h) hold(handles[h], held[h]);
    });
    return held;
}

void checkRegion(const BiharmonicHandle& handle, std::size_t vertex_count) {
    for (const std::uint32_t v : handle.region)
        if (v >= vertex_count)
            throw Error::badInput("a handle's region uses vertex " + std::to_string(v) + ", but the mesh has only " +
                                  std::to_string(vertex_count));
    for (const Vec3d& p : handle.points)
        if (!isFinite(p)) throw Error::badInput("a handle's point is not finite");
    for (const auto& s : handle.segments)
        if (!isFinite(s.start) || !isFinite(s.end)) throw Error::badInput("a handle's segment is not finite");
}

/// A vertex of the mesh is held by holding the corners of its tetrahedron that it depends on.
void holdVertex(const geometry::TetEmbedding& embedding, std::uint32_t vertex, std::vector<std::uint32_t>& held) {
    for (std::size_t c = 0; c < 4; ++c)
        if (embedding.barycentric[vertex][c] > 1e-9) held.push_back(embedding.lattice.tets[embedding.tet[vertex]][c]);
}

HeldVertices heldInVolume(const Mesh& mesh, std::span<const BiharmonicHandle> handles,
                          const geometry::TetEmbedding& embedding) {
    const std::vector<Vec3d> vertices = precise(mesh.positions);
    const std::vector<Vec3d>& points = embedding.lattice.positions;
    const double edge = bbw::meanEdge(points, geometry::tetAdjacency(embedding.lattice));
    return holdAll(handles, [&](const BiharmonicHandle& handle, std::vector<std::uint32_t>& held) {
        for (const auto& segment : handle.segments) bbw::holdSegment(points, edge, edge, segment, held);
        for (const Vec3d& p : handle.points) holdVertex(embedding, bbw::nearestVertex(vertices, p), held);
        for (const std::uint32_t v : handle.region) holdVertex(embedding, v, held);
    });
}

/// Bones lie beneath the skin, so on a surface every sample of a segment holds its nearest vertex at any distance.
HeldVertices heldOnSurface(const Mesh& mesh, std::span<const BiharmonicHandle> handles) {
    const std::vector<Vec3d> vertices = precise(mesh.positions);
    const double edge = bbw::meanEdge(vertices, geometry::vertexAdjacency(mesh.triangles, mesh.vertexCount()));
    return holdAll(handles, [&](const BiharmonicHandle& handle, std::vector<std::uint32_t>& held) {
        for (const auto& segment : handle.segments) bbw::holdSegment(vertices, edge, HUGE_VAL, segment, held);
        for (const Vec3d& p : handle.points) held.push_back(bbw::nearestVertex(vertices, p));
        held.insert(held.end(), handle.region.begin(), handle.region.end());
    });
}

/// The volume of another shape would give meaningless weights.
void checkHolds(const geometry::TetEmbedding& volume, std::span<const Vec3f> positions) {
    constexpr double kOutside = 0.05;  // of the diagonal
    double farthest = 0;
    for (std::size_t v = 0; v < positions.size(); ++v) {
        Vec3d inside;
        for (std::size_t c = 0; c < 4; ++c)
            inside += volume.lattice.positions[volume.lattice.tets[volume.tet[v]][c]] * volume.barycentric[v][c];
        farthest = std::max(farthest, length(inside - Vec3d(positions[v])));
    }
    if (farthest > kOutside * geometry::boundingDiagonal(positions))
        throw Error::badInput(fmt::format(
            "the tets do not contain the mesh: a vertex is {:.4g} away from them; check their shape and scale",
            farthest));
}

BiharmonicWeights solveInVolume(const Mesh& mesh, std::span<const BiharmonicHandle> handles,
                                const BiharmonicOptions& options, const Progress& progress) {
    const geometry::TetEmbedding embedding = options.tets
                                                 ? geometry::locateInTets(*options.tets, mesh.positions)
                                                 : geometry::embedInTets(mesh, {options.target_tets}, progress);
    if (options.tets) checkHolds(embedding, mesh.positions);
    const HandleWeights inside = boundedBiharmonic(embedding.lattice, heldInVolume(mesh, handles, embedding), progress);
    BiharmonicWeights result;
    result.domain_vertices = embedding.lattice.vertexCount();
    result.domain_tets = embedding.lattice.tets.size();
    result.weights = {handles.size(), geometry::interpolate(embedding, inside.values, handles.size()),
                      inside.converged};
    return result;
}

/// The part of a mesh that bends, its vertices in their order.
Mesh bendingPart(const Mesh& mesh, const std::vector<bool>& rigid) {
    Mesh part;
    std::vector<std::uint32_t> index(mesh.vertexCount(), 0);
    for (std::uint32_t v = 0; v < mesh.vertexCount(); ++v) {
        if (rigid[v]) continue;
        index[v] = static_cast<std::uint32_t>(part.positions.size());
        part.positions.push_back(mesh.positions[v]);
    }
    for (const Triangle& t : mesh.triangles)  // a piece bends or stays rigid as a whole
        if (!rigid[t[0]]) part.triangles.push_back({index[t[0]], index[t[1]], index[t[2]]});
    return part;
}

/// Rows of `bending` for its vertices, the joint of the rigid bind for all others.
SkinWeights withRigidPieces(const SkinWeights& bending, const InsideBind& bind) {
    SkinWeights skin;
    std::size_t row = 0;
    for (std::size_t v = 0; v < bind.joints.size(); ++v) {
        if (bind.rigid[v]) {
            appendVertex(skin, std::span(&bind.joints[v], 1), std::array{1.0f});
        } else {
            appendVertex(skin, bending.jointsOf(row), bending.weightsOf(row));
            ++row;
        }
    }
    return skin;
}

SkinWeights skinOf(const HandleWeights& weights, std::span<const std::uint32_t> joints, std::size_t influences) {
    SkinWeights skin;
    std::vector<std::uint32_t> kept;
    std::vector<float> values;
    for (std::size_t v = 0; v < weights.vertexCount(); ++v) {
        kept.clear();
        values.clear();
        const auto row = weights.of(v);
        for (std::size_t h = 0; h < row.size(); ++h) {
            if (row[h] < 1e-6) continue;  // too small to be worth storing
            kept.push_back(joints[h]);
            values.push_back(float(row[h]));
        }
        appendVertex(skin, kept, values);
    }
    return withoutSmall(keepHeaviest(skin, influences));
}

}  // namespace

BiharmonicWeights biharmonicWeights(const Mesh& mesh, std::span<const BiharmonicHandle> handles,
                                    const BiharmonicOptions& options, const Progress& progress) {
    if (mesh.positions.empty()) throw Error::badInput("the mesh has no vertices to give weights");
    for (const BiharmonicHandle& handle : handles) checkRegion(handle, mesh.vertexCount());
    const bool on_surface =
        options.domain == BiharmonicDomain::surface ||
        (options.domain == BiharmonicDomain::automatic && !options.tets && geometry::isFlat(mesh.positions));
    if (!on_surface) return solveInVolume(mesh, handles, options, progress);
    BiharmonicWeights result;
    result.domain = BiharmonicDomain::surface;
    result.domain_vertices = mesh.vertexCount();
    result.weights = boundedBiharmonic(mesh, heldOnSurface(mesh, handles), progress);
    return result;
}

BiharmonicBind bindBiharmonic(const Mesh& mesh, const Skeleton& skeleton, std::size_t influences,
                              const BiharmonicOptions& options, const Progress& progress) {
    InsideBind bind = bindInside(mesh, skeleton, options.bind, progress);
    std::vector<std::uint32_t> joints;
    std::vector<BiharmonicHandle> handles;
    for (const geometry::BoneSegment& bone : bind.bones) {
        if (joints.empty() || joints.back() != bone.joint) {
            joints.push_back(bone.joint);
            handles.emplace_back();
        }
        handles.back().segments.push_back({bone.start, bone.end});
    }
    const auto rigid = static_cast<std::size_t>(std::count(bind.rigid.begin(), bind.rigid.end(), true));
    if (rigid == mesh.vertexCount()) bind.rigid.assign(rigid, false);  // no volume would be left
    const bool in_part = rigid > 0 && rigid < mesh.vertexCount();
    const BiharmonicWeights solved = in_part
                                         ? biharmonicWeights(bendingPart(mesh, bind.rigid), handles, options, progress)
                                         : biharmonicWeights(mesh, handles, options, progress);
    SkinWeights skin = skinOf(solved.weights, joints, influences);
    if (in_part) skin = withRigidPieces(skin, bind);
    return {std::move(skin),    solved.domain, solved.domain_vertices,
            solved.domain_tets, joints.size(), solved.weights.converged};
}

}  // namespace pelt::bind

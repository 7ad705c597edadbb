// Appends meshes of the import library to a character, welded and with their weights.
#include <fmt/format.h>
#include <pelt/core/error.h>

#include <algorithm>
#include <cmath>

#include "vertex_weld.h"

namespace pelt::importer {
namespace {

/// Maps directions from the mesh's own space to root space.
struct NormalMap {
    Mat3d matrix;
    explicit NormalMap(const Affine3d& to_root)
        : matrix(cofactor(to_root.linear()) * (determinant(to_root.linear()) < 0 ? -1.0 : 1.0)) {}
    Vec3f operator()(const aiVector3D& n) const {
        return Vec3f(normalized(matrix * normalized(toVec(n)), Vec3d(0, 0, 1)));
    }
};

void checkPiece(const SourceInstance& instance, const aiMesh& mesh) {
    for (unsigned f = 0; f < mesh.mNumFaces; ++f)
        for (unsigned c = 0; c < mesh.mFaces[f].mNumIndices; ++c)
            if (mesh.mFaces[f].mIndices[c] >= mesh.mNumVertices)
                throw Error::badInput(fmt::format("mesh '{}': face {} uses vertex {} of {}; export the file again",
                                                  instance.name, f, mesh.mFaces[f].mIndices[c], mesh.mNumVertices));
    for (unsigned v = 0; v < mesh.mNumVertices; ++v)
        if (!isFinite(toVec(mesh.mVertices[v])))
            throw Error::badInput(
                fmt::format("mesh '{}': vertex {} is not finite; repair it and export again", instance.name, v));
}

void appendVertices(const SourceInstance& instance, const aiMesh& mesh, const PieceWeld& weld, Mesh& out) {
    const NormalMap to_normal(instance.to_root);
    const std::size_t first = out.positions.size();
    for (const std::uint32_t v : weld.kept) out.positions.emplace_back(instance.to_root * toVec(mesh.mVertices[v]));
    if (mesh.mNormals) {
        out.normals.resize(first);
        for (const std::uint32_t v : weld.kept) out.normals.push_back(to_normal(mesh.mNormals[v]));
    }
    if (mesh.mTextureCoords[0]) {
        out.uvs.resize(first);
        // In glTF, v starts at the top; in FBX and Collada, at the bottom.
        for (const std::uint32_t v : weld.kept)
            out.uvs.push_back({mesh.mTextureCoords[0][v].x, 1 - mesh.mTextureCoords[0][v].y});
    }
}

void appendTriangles(const aiMesh& mesh, const PieceWeld& weld, std::uint32_t first_vertex, bool mirrored, Mesh& out) {
    for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
        const aiFace& face = mesh.mFaces[f];
        if (face.mNumIndices != 3) continue;  // loose points and edges
        Triangle t;
        for (std::size_t c = 0; c < 3; ++c) t[c] = first_vertex + weld.welded[face.mIndices[c]];
        if (mirrored) std::swap(t[1], t[2]);
        out.triangles.push_back(t);
    }
}

std::size_t appendWeights(const SourceInstance& instance, const PieceWeights& weights, const PieceWeld& weld,
                          SkinWeights& out) {
    std::size_t without = 0;
    std::vector<std::uint32_t> joints;
    for (const std::uint32_t v : weld.kept) {
        joints.clear();
        const std::uint32_t begin = weights.offsets[v], count = weights.offsets[v + 1] - begin;
        for (std::uint32_t i = 0; i < count; ++i) joints.push_back(instance.slots[weights.bones[begin + i]]);
        if (appendVertex(out, joints, std::span(weights.weights).subspan(begin, count)) == 0) ++without;
    }
    return without;
}

void appendMorphs(const SourceInstance& instance, const aiMesh& mesh, const PieceWeld& weld, std::uint32_t first_vertex,
                  std::span<MorphTarget> targets) {
    const Mat3d linear = instance.to_root.linear();
    const NormalMap to_normal(instance.to_root);
    for (std::size_t m = 0; m < targets.size() && m < mesh.mNumAnimMeshes; ++m) {
        const aiAnimMesh& morph = *mesh.mAnimMeshes[m];
        if (!morph.mVertices || morph.mNumVertices != mesh.mNumVertices) continue;
        const bool normals = morph.mNormals && mesh.mNormals;
        for (std::uint32_t i = 0; i < weld.kept.size(); ++i) {
            const std::uint32_t v = weld.kept[i];
            const Vec3f offset(linear * toVec(morph.mVertices[v] - mesh.mVertices[v]));
            if (offset == Vec3f() || !isFinite(offset)) continue;
            targets[m].vertices.push_back(first_vertex + i);
            targets[m].position_offsets.push_back(offset);
            targets[m].normal_offsets.push_back(normals ? to_normal(morph.mNormals[v]) - to_normal(mesh.mNormals[v])
                                                        : Vec3f());
        }
    }
}

std::uint32_t checkedCount(std::size_t count) {
    if (count >= kUnused) throw Error::badInput("it has more than 4 billion vertices or faces");
    return static_cast<std::uint32_t>(count);
}

}  // namespace

Vec3d toVec(const aiVector3D& v) { return {v.x, v.y, v.z}; }

Affine3d toAffine(const aiMatrix4x4& m) {
    return {Mat3d{{{m.a1, m.b1, m.c1}, {m.a2, m.b2, m.c2}, {m.a3, m.b3, m.c3}}}, {m.a4, m.b4, m.c4}};
}

void appendInstance(const SourceInstance& instance, Character& character, Warnings& warnings) {
    Mesh& mesh = character.mesh;
    const std::uint32_t instance_number = mesh.parts.empty() ? 0 : mesh.parts.back().instance + 1;
    std::vector<MorphTarget> targets(instance.morph_names.size());
    std::size_t without_weight = 0;
    for (const SourcePiece& piece : instance.pieces) {
        checkPiece(instance, *piece.mesh);
        const PieceWeights weights = gatherWeights(instance, piece);
        const PieceWeld weld = weldPiece(piece, weights);
        if (weld.kept.empty()) continue;
        MeshPart part{instance.name,
                      piece.material,
                      checkedCount(mesh.positions.size()),
                      checkedCount(weld.kept.size()),
                      checkedCount(mesh.triangles.size()),
                      0,
                      instance_number};
        checkedCount(mesh.positions.size() + weld.kept.size());
        appendVertices(instance, *piece.mesh, weld, mesh);
        appendTriangles(*piece.mesh, weld, part.first_vertex, determinant(instance.to_root.linear()) < 0, mesh);
        part.triangle_count = checkedCount(mesh.triangles.size()) - part.first_triangle;
        appendMorphs(instance, *piece.mesh, weld, part.first_vertex, targets);
        if (instance.isSkinned()) without_weight += appendWeights(instance, weights, weld, character.weights);
        mesh.parts.push_back(part);
    }
    for (std::size_t m = 0; m < targets.size(); ++m) {
        targets[m].name = instance.morph_names[m];
        targets[m].instance = instance_number;
        targets[m].default_weight = instance.morph_weights[m];
        mesh.morphs.push_back(std::move(targets[m]));
    }
    if (without_weight > 0)
        warnings.push_back(fmt::format("mesh '{}': {} vertices have no weight", instance.name, without_weight));
}

void completeAttributes(Mesh& mesh) {
    if (!mesh.uvs.empty()) mesh.uvs.resize(mesh.positions.size());
    if (mesh.normals.empty()) return;
    mesh.normals.resize(mesh.positions.size());
    std::vector<Vec3d> sums(mesh.positions.size());
    for (const Triangle& t : mesh.triangles) {
        const Vec3d a(mesh.positions[t[0]]), b(mesh.positions[t[1]]), c(mesh.positions[t[2]]);
        for (const std::uint32_t v : t) sums[v] += cross(b - a, c - a);
    }
    for (std::size_t v = 0; v < sums.size(); ++v)
        if (mesh.normals[v] == Vec3f()) mesh.normals[v] = Vec3f(normalized(sums[v], Vec3d(0, 0, 1)));
}

}  // namespace pelt::importer

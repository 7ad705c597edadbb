// Merges the vertices of an imported mesh that differ only by rounding.
#include "vertex_weld.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <unordered_map>

namespace pelt::importer {
namespace {

/// Normals closer than this (squared distance; a twelfth of a degree) differ only by rounding in the file.
constexpr float kSameNormal = 2e-6f;

template <class T>
void appendBits(std::string& key, const T& value) {
    key.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

void appendPosition(std::string& key, const aiVector3D& v) {
    appendBits(key, v.x + 0.0f), appendBits(key, v.y + 0.0f), appendBits(key, v.z + 0.0f);  // -0 becomes 0
}

/// A number per vertex; vertices with equal numbers probably come from one control point.
std::vector<std::uint32_t> guessControlPoints(const aiMesh& mesh, const PieceWeights& weights) {
    std::unordered_map<std::string, std::uint32_t> number_of;
    std::vector<std::uint32_t> numbers(mesh.mNumVertices);
    std::string key;
    for (unsigned v = 0; v < mesh.mNumVertices; ++v) {
        key.clear();
        appendPosition(key, mesh.mVertices[v]);
        for (unsigned m = 0; m < mesh.mNumAnimMeshes; ++m) {
            const aiAnimMesh& morph = *mesh.mAnimMeshes[m];
            if (morph.mVertices && v < morph.mNumVertices) appendPosition(key, morph.mVertices[v]);
        }
        for (std::uint32_t i = weights.offsets[v]; i < weights.offsets[v + 1]; ++i)
            appendBits(key, weights.bones[i]), appendBits(key, weights.weights[i]);
        numbers[v] = number_of.emplace(key, static_cast<std::uint32_t>(number_of.size())).first->second;
    }
    return numbers;
}

bool sameCorner(const aiMesh& mesh, std::uint32_t a, std::uint32_t b) {
    if (mesh.mTextureCoords[0] && !(mesh.mTextureCoords[0][a] == mesh.mTextureCoords[0][b])) return false;
    return !mesh.mNormals || (mesh.mNormals[a] - mesh.mNormals[b]).SquareLength() <= kSameNormal;
}

std::vector<bool> usedVertices(const aiMesh& mesh) {
    std::vector<bool> used(mesh.mNumVertices, false);
    for (unsigned f = 0; f < mesh.mNumFaces; ++f)
        if (mesh.mFaces[f].mNumIndices == 3)
            for (unsigned c = 0; c < 3; ++c) used[mesh.mFaces[f].mIndices[c]] = true;
    return used;
}

/// Sorts the (row, bone, weight) triples that `for_each` passes to its visitor into rows.
template <class ForEach>
PieceWeights makeRows(std::size_t row_count, ForEach&& for_each) {
    PieceWeights rows;
    rows.offsets.assign(row_count + 1, 0);
    for_each([&](std::size_t row, std::uint32_t, float) { ++rows.offsets[row + 1]; });
    for (std::size_t r = 1; r <= row_count; ++r) rows.offsets[r] += rows.offsets[r - 1];
    rows.bones.resize(rows.offsets.back());
    rows.weights.resize(rows.offsets.back());
    std::vector<std::uint32_t> next(rows.offsets.begin(), rows.offsets.end() - 1);
    for_each([&](std::size_t row, std::uint32_t bone, float weight) {
        rows.bones[next[row]] = bone;
        rows.weights[next[row]++] = weight;
    });
    return rows;
}

PieceWeights weightsByVertex(const SourceInstance& instance, const aiMesh& mesh) {
    std::map<std::string, std::uint32_t> index_of;
    for (std::uint32_t b = 0; b < instance.bones.size(); ++b) index_of.emplace(instance.bones[b], b);
    return makeRows(mesh.mNumVertices, [&](auto&& visit) {
        for (unsigned b = 0; b < mesh.mNumBones; ++b) {
            const aiBone& bone = *mesh.mBones[b];
            const auto found = index_of.find(bone.mName.C_Str());
            for (unsigned w = 0; found != index_of.end() && w < bone.mNumWeights; ++w)
                if (bone.mWeights[w].mVertexId < mesh.mNumVertices && bone.mWeights[w].mWeight > 0)
                    visit(bone.mWeights[w].mVertexId, found->second, bone.mWeights[w].mWeight);
        }
    });
}

PieceWeights weightsByPoint(const SourceInstance& instance, const SourcePiece& piece) {
    const std::size_t point_count = 1 + *std::max_element(piece.control_points.begin(), piece.control_points.end());
    const PieceWeights of_point = makeRows(point_count, [&](auto&& visit) {
        for (std::uint32_t b = 0; b < instance.bone_points.size(); ++b)
            for (std::size_t i = 0; i < instance.bone_points[b].points.size(); ++i)
                if (instance.bone_points[b].points[i] < point_count && instance.bone_points[b].weights[i] > 0)
                    visit(instance.bone_points[b].points[i], b, instance.bone_points[b].weights[i]);
    });
    return makeRows(piece.control_points.size(), [&](auto&& visit) {
        for (std::size_t v = 0; v < piece.control_points.size(); ++v)
            for (std::uint32_t i = of_point.offsets[piece.control_points[v]];
                 i < of_point.offsets[piece.control_points[v] + std::size_t(1)]; ++i)
                visit(v, of_point.bones[i], of_point.weights[i]);
    });
}

}  // namespace

PieceWeights gatherWeights(const SourceInstance& instance, const SourcePiece& piece) {
    const bool by_point = !piece.control_points.empty() && !instance.bone_points.empty();
    return by_point ? weightsByPoint(instance, piece) : weightsByVertex(instance, *piece.mesh);
}

PieceWeld weldPiece(const SourcePiece& piece, const PieceWeights& weights) {
    const aiMesh& mesh = *piece.mesh;
    const bool known = !piece.control_points.empty();
    const std::vector<std::uint32_t> points = known ? piece.control_points : guessControlPoints(mesh, weights);
    const std::vector<bool> used = usedVertices(mesh);
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> corners_of;
    PieceWeld weld;
    std::vector<std::uint32_t> stands_for(mesh.mNumVertices, kUnused);
    for (std::uint32_t v = 0; v < mesh.mNumVertices; ++v) {
        if (!used[v]) continue;
        std::vector<std::uint32_t>& corners = corners_of[points[v]];
        const auto same =
            std::find_if(corners.begin(), corners.end(), [&](std::uint32_t c) { return sameCorner(mesh, c, v); });
        stands_for[v] = same == corners.end() ? v : *same;
        if (same != corners.end()) continue;
        corners.push_back(v);
        weld.kept.push_back(v);
    }
    if (known)
        std::stable_sort(weld.kept.begin(), weld.kept.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return points[a] < points[b]; });
    weld.welded.assign(mesh.mNumVertices, kUnused);
    for (std::uint32_t i = 0; i < weld.kept.size(); ++i) weld.welded[weld.kept[i]] = i;
    for (std::uint32_t v = 0; v < mesh.mNumVertices; ++v)
        if (stands_for[v] != kUnused) weld.welded[v] = weld.welded[stands_for[v]];
    return weld;
}

}  // namespace pelt::importer

// Turns the polygons of an FBX mesh into triangles whose vertices have one value per attribute, as graphics cards need.
#include "geometry.h"

#include <fmt/format.h>
#include <pelt/core/error.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "io/mesh/polygon.h"
#include "layers.h"

namespace pelt::io::fbx {
namespace {

/// Normals closer than this (squared distance; a twelfth of a degree) differ only by rounding in the file.
constexpr float kSameNormal = 2e-6F;
constexpr std::uint32_t kNone = ~0U;
/// Of a point with more vertices than this, only the latest are compared: the time stays linear.
constexpr std::size_t kMostToCompare = 256;

struct Attributes {
    Vec3f normal;
    Vec2f uv[kMostUvSets];
    Vec4f color{1, 1, 1, 1};
};

bool sameAttributes(const Attributes& a, const Attributes& b) {
    const Vec3f turn = a.normal - b.normal;
    if (!(dot(turn, turn) <= kSameNormal) || !(a.color == b.color)) return false;
    return std::equal(std::begin(a.uv), std::end(a.uv), std::begin(b.uv));
}

class Welder {
public:
    Welder(const FbxObject& geometry, std::size_t material_count)
        : name_(geometry.name), element_(*geometry.element), material_count_(material_count) {
        readPoints();
        corners_ = element_.arrayOf<std::int32_t>("PolygonVertexIndex");
        std::vector<Layer<float>> normals =
            readLayers<float>(element_, {"LayerElementNormal", "Normals", "NormalsIndex", 3});
        if (!normals.empty()) normals_ = std::move(normals.front());
        uvs_ = readLayers<float>(element_, {"LayerElementUV", "UV", "UVIndex", 2});
        if (uvs_.size() > kMostUvSets) uvs_.resize(kMostUvSets);
        std::vector<Layer<float>> colors =
            readLayers<float>(element_, {"LayerElementColor", "Colors", "ColorIndex", 4});
        if (!colors.empty()) colors_ = std::move(colors.front());
        std::vector<Layer<std::int32_t>> materials =
            readLayers<std::int32_t>(element_, {"LayerElementMaterial", "Materials", nullptr, 1});
        if (!materials.empty()) materials_ = std::move(materials.front());
        for (const Layer<float>& uv : uvs_) made_.uv_names.push_back(uv.name);
    }

    Geometry make() {
        heads_.assign(made_.points.size(), kNone);
        std::size_t first = 0, polygon = 0;
        for (std::size_t c = 0; c < corners_.size(); ++c) {
            if (corners_[c] >= 0) continue;
            addPolygon(first, c + 1, polygon++);
            first = c + 1;
        }
        for (Piece& piece : made_.pieces) sortByPoint(piece);
        return std::move(made_);
    }

private:
    void readPoints() {
        const std::vector<float> flat = element_.arrayOf<float>("Vertices");
        made_.points.reserve(flat.size() / 3);
        for (std::size_t i = 0; i + 3 <= flat.size(); i += 3)
            made_.points.push_back({flat[i], flat[i + 1], flat[i + 2]});
        for (std::size_t i = 0; i < made_.points.size(); ++i)
            if (!isFinite(made_.points[i]))
                throw Error::badInput(
                    fmt::format("mesh '{}': vertex {} is not finite; repair it and export again", name_, i));
    }

    std::uint32_t pointAt(std::size_t corner, std::size_t polygon) const {
        const std::int32_t number = corners_[corner];
        const auto point = static_cast<std::uint32_t>(number < 0 ? -(number + 1) : number);
        if (point >= made_.points.size())
            throw Error::badInput(fmt::format("mesh '{}': face {} uses vertex {} of {}; export the file again", name_,
                                              polygon, point, made_.points.size()));
        return point;
    }

    void addPolygon(std::size_t first, std::size_t last, std::size_t polygon) {
        loop_.clear();
        for (std::size_t c = first; c < last; ++c) loop_.push_back(pointAt(c, polygon));
        if (last - first < 3) return;  // loose points and edges
        const std::int32_t* number = materials_.at(first, loop_.front(), polygon);
        const bool known = number && *number >= 0 && std::size_t(*number) < material_count_;
        const std::uint32_t at = pieceOf(known ? *number : 0);
        Piece& piece = made_.pieces[at];
        const Vec3f flat = faceNormal();
        order_.clear();
        for (std::size_t c = first; c < last; ++c)
            order_.push_back(vertexOf(at, piece, loop_[c - first], attributesAt(c, loop_[c - first], polygon, flat)));
        appendCut(piece);
    }

    std::uint32_t pieceOf(std::int32_t material) {
        const auto [found, is_new] = piece_of_.try_emplace(material, static_cast<std::uint32_t>(made_.pieces.size()));
        if (is_new) made_.pieces.emplace_back().material = material;
        return found->second;
    }

    Vec3f faceNormal() const {
        Vec3d sum;
        const Vec3d origin(made_.points[loop_[0]]);
        for (std::size_t i = 1; i + 1 < loop_.size(); ++i)
            sum += cross(Vec3d(made_.points[loop_[i]]) - origin, Vec3d(made_.points[loop_[i + 1]]) - origin);
        return Vec3f(normalized(sum, Vec3d(0, 0, 1)));
    }

    Attributes attributesAt(std::size_t corner, std::size_t point, std::size_t polygon, const Vec3f& flat) const {
        Attributes found;
        if (normals_.width > 0) {
            const float* n = normals_.at(corner, point, polygon);
            const Vec3f given = n ? Vec3f{n[0], n[1], n[2]} : Vec3f{};
            found.normal = isFinite(given) ? normalized(given, flat) : flat;
        }
        for (std::size_t set = 0; set < uvs_.size(); ++set)
            if (const float* uv = uvs_[set].at(corner, point, polygon); uv && std::abs(uv[0]) + std::abs(uv[1]) < 1e30F)
                found.uv[set] = {uv[0], 1 - uv[1]};  // in glTF, v starts at the top; in FBX, at the bottom
        if (const float* c = colors_.at(corner, point, polygon); c && c[0] + c[1] + c[2] + c[3] < 1e30F)
            found.color = {c[0], c[1], c[2], c[3]};
        return found;
    }

    std::uint32_t vertexOf(std::uint32_t at, Piece& piece, std::uint32_t point, const Attributes& wanted) {
        std::size_t looked_at = 0;
        for (std::uint32_t e = heads_[point]; e != kNone && looked_at < kMostToCompare;
             e = entries_[e].next, ++looked_at)
            if (entries_[e].piece == at && sameAttributes(attributesOf(piece, entries_[e].vertex), wanted))
                return entries_[e].vertex;
        if (entries_.size() >= kNone - 1) throw Error::badInput("it has more than 4 billion vertices or faces");
        const auto vertex = static_cast<std::uint32_t>(piece.points.size());
        entries_.push_back({at, vertex, heads_[point]});
        heads_[point] = static_cast<std::uint32_t>(entries_.size() - 1);
        piece.points.push_back(point);
        if (normals_.width > 0) piece.normals.push_back(wanted.normal);
        for (std::size_t set = 0; set < uvs_.size(); ++set) piece.uvs[set].push_back(wanted.uv[set]);
        if (colors_.width > 0) piece.colors.push_back(wanted.color);
        return vertex;
    }

    Attributes attributesOf(const Piece& piece, std::uint32_t vertex) const {
        Attributes found;
        if (normals_.width > 0) found.normal = piece.normals[vertex];
        for (std::size_t set = 0; set < uvs_.size(); ++set) found.uv[set] = piece.uvs[set][vertex];
        if (colors_.width > 0) found.color = piece.colors[vertex];
        return found;
    }

    /// The triangles of the polygon whose points are in loop_ and whose vertices are in order_.
    void appendCut(Piece& piece) {
        local_.clear();
        cut_.clear();
        identity_.resize(loop_.size());
        std::iota(identity_.begin(), identity_.end(), 0U);
        for (const std::uint32_t point : loop_) local_.push_back(made_.points[point]);
        if (loop_.size() == 3)
            cut_.push_back({0, 1, 2});
        else
            appendPolygon(identity_, local_, cut_);
        for (const Triangle& t : cut_)
            for (const std::uint32_t corner : t) piece.triangles.push_back(order_[corner]);
    }

    template <class T>
    static void reorder(std::vector<T>& list, const std::vector<std::uint32_t>& order) {
        if (list.empty()) return;
        std::vector<T> sorted;
        sorted.reserve(list.size());
        for (const std::uint32_t i : order) sorted.push_back(list[i]);
        list = std::move(sorted);
    }

    static void sortByPoint(Piece& piece) {
        std::vector<std::uint32_t> order(piece.points.size()), place(piece.points.size());
        std::iota(order.begin(), order.end(), 0U);
        std::stable_sort(order.begin(), order.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return piece.points[a] < piece.points[b]; });
        for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
        reorder(piece.points, order);
        reorder(piece.normals, order);
        for (std::vector<Vec2f>& uvs : piece.uvs) reorder(uvs, order);
        reorder(piece.colors, order);
        for (std::uint32_t& v : piece.triangles) v = place[v];
    }

    struct Entry {
        std::uint32_t piece, vertex, next;
    };

    const std::string& name_;
    const Element& element_;
    const std::size_t material_count_;
    std::vector<std::int32_t> corners_;
    Layer<float> normals_, colors_;
    std::vector<Layer<float>> uvs_;
    Layer<std::int32_t> materials_;
    Geometry made_;
    std::map<std::int32_t, std::uint32_t> piece_of_;
    std::vector<std::uint32_t> heads_;  ///< per control point, the last of its vertices in entries_
    std::vector<Entry> entries_;
    std::vector<std::uint32_t> loop_, order_, identity_;
    std::vector<Vec3f> local_;
    std::vector<Triangle> cut_;
};

}  // namespace

Geometry readGeometry(const FbxObject& geometry, std::size_t material_count) {
    return Welder(geometry, material_count).make();
}

void makeNormals(Geometry& geometry) {
    std::vector<Vec3d> sums(geometry.points.size());
    const auto needs = [](const Piece& piece) { return piece.normals.size() != piece.points.size(); };
    for (const Piece& piece : geometry.pieces)
        for (std::size_t t = 0; t + 3 <= piece.triangles.size() && needs(piece); t += 3) {
            std::uint32_t p[3];
            for (std::size_t c = 0; c < 3; ++c) p[c] = piece.points[piece.triangles[t + c]];
            const Vec3d a(geometry.points[p[0]]);
            const Vec3d area = cross(Vec3d(geometry.points[p[1]]) - a, Vec3d(geometry.points[p[2]]) - a);
            for (const std::uint32_t point : p) sums[point] += area;
        }
    for (Piece& piece : geometry.pieces) {
        if (!needs(piece)) continue;
        piece.normals.clear();
        for (const std::uint32_t point : piece.points)
            piece.normals.push_back(Vec3f(normalized(sums[point], Vec3d(0, 0, 1))));
    }
}

}  // namespace pelt::io::fbx

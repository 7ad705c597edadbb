// Makes a mesh of the elements of a PLY file.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/mesh_file.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "mesh_readers.h"
#include "ply_values.h"
#include "polygon.h"

namespace pelt::io {
namespace {

/// The meaning of a vertex property, as slots of a vertex's values.
enum Slot { kX, kY, kZ, kNx, kNy, kNz, kU, kV, kSlots, kUnused = -1 };

bool hasProperty(const PlyElement& element, std::string_view name) {
    for (const PlyProperty& property : element.properties)
        if (property.name == name && !property.is_list) return true;
    return false;
}

/// One slot per property of the vertex element.
std::vector<int> vertexSlots(const PlyElement& element) {
    std::array<std::string_view, kSlots> names{"x", "y", "z", "nx", "ny", "nz", "", ""};
    constexpr std::array<std::array<std::string_view, 2>, 5> kUvNames{
        {{"s", "t"}, {"u", "v"}, {"texture_u", "texture_v"}, {"texture_s", "texture_t"}, {"tex_u", "tex_v"}}};
    for (const auto& pair : kUvNames) {
        if (!hasProperty(element, pair[0]) || !hasProperty(element, pair[1])) continue;
        names[kU] = pair[0];
        names[kV] = pair[1];
        break;
    }
    std::vector<int> slots(element.properties.size(), kUnused);
    for (std::size_t i = 0; i < slots.size(); ++i)
        for (int slot = 0; slot < kSlots; ++slot)
            if (!element.properties[i].is_list && element.properties[i].name == names[slot]) slots[i] = slot;
    return slots;
}

class PlyReader {
public:
    PlyReader(std::span<const std::byte> bytes, const std::string& name)
        : name_(name),
          header_(readPlyHeader(bytes, name)),
          values_(bytes.subspan(header_.data_offset), header_, name) {}

    Mesh read() {
        bool has_vertices = false;
        for (const PlyElement& element : header_.elements) {
            values_.checkFits(element);
            if (element.name == "vertex" && !has_vertices) {
                readVertices(element);
                has_vertices = true;
            } else if (element.name == "face") {
                readLists(element, [this](std::uint64_t face) { addPolygon(face); });
            } else if (element.name == "tristrips") {
                readLists(element, [this](std::uint64_t strip) { addStrip(strip); });
            } else {
                skipElements(element);
            }
        }
        if (mesh_.positions.empty()) throw Error::badInput({name_}, "has no vertices");
        cutPolygons();
        if (!makeUnit(mesh_.normals)) mesh_.normals.clear();
        return std::move(mesh_);
    }

private:
    void readVertices(const PlyElement& element) {
        for (const char* axis : {"x", "y", "z"})
            if (!hasProperty(element, axis))
                throw Error::badInput({name_}, fmt::format("its vertices have no property '{}'", axis));
        const std::vector<int> slots = vertexSlots(element);
        const auto has = [&](int slot) { return std::find(slots.begin(), slots.end(), slot) != slots.end(); };
        const bool has_normals = has(kNx) && has(kNy) && has(kNz), has_uvs = has(kU);
        mesh_.positions.reserve(element.count);
        for (std::uint64_t i = 0; i < element.count; ++i) {
            values_.setPlace(element, i);
            std::array<float, kSlots> value{};
            for (std::size_t k = 0; k < slots.size(); ++k) {
                if (slots[k] == kUnused)
                    values_.skip(element.properties[k]);
                else
                    value[static_cast<std::size_t>(slots[k])] = toFloat(values_.read(element.properties[k].type));
            }
            addVertex(value, has_normals, has_uvs);
        }
    }

    void addVertex(const std::array<float, kSlots>& value, bool has_normals, bool has_uvs) {
        const Vec3f p(value[kX], value[kY], value[kZ]);
        if (!isFinite(p)) values_.fail("the position is not finite");
        mesh_.positions.push_back(p);
        if (has_normals) mesh_.normals.push_back({value[kNx], value[kNy], value[kNz]});
        if (!has_uvs) return;
        const bool is_finite = std::isfinite(value[kU]) && std::isfinite(value[kV]);
        mesh_.uvs.push_back(is_finite ? Vec2f{value[kU], value[kV]} : Vec2f{});
    }

    /// Calls `add` with each item's number; its index list is then in list_.
    template <class Add>
    void readLists(const PlyElement& element, const Add& add) {
        std::size_t list = element.properties.size();
        for (std::size_t k = 0; k < element.properties.size(); ++k) {
            const PlyProperty& property = element.properties[k];
            if (property.is_list && (property.name == "vertex_indices" || property.name == "vertex_index")) list = k;
        }
        if (list == element.properties.size()) return skipElements(element);
        for (std::uint64_t i = 0; i < element.count; ++i) {
            values_.setPlace(element, i);
            for (std::size_t k = 0; k < element.properties.size(); ++k) {
                if (k == list)
                    readList(element.properties[k]);
                else
                    values_.skip(element.properties[k]);
            }
            add(i);
        }
    }

    void readList(const PlyProperty& property) {
        list_.resize(values_.readListLength(property));
        for (double& value : list_) value = values_.read(property.type);
    }

    void skipElements(const PlyElement& element) {
        if (element.properties.empty()) return;
        for (std::uint64_t i = 0; i < element.count; ++i) {
            values_.setPlace(element, i);
            values_.skipElement(element);
        }
    }

    std::uint32_t index(double value) const {
        if (!(value >= 0) || value >= 0xffffffff || value != std::floor(value))
            values_.fail(fmt::format("vertex index {} is out of range", value));
        return static_cast<std::uint32_t>(value);
    }

    void addPolygon(std::uint64_t face) {
        if (list_.size() < 3) values_.fail(fmt::format("a face of {} corners; it needs at least 3", list_.size()));
        startPolygon(face);
        for (const double value : list_) corners_.push_back(index(value));
    }

    /// The winding alternates with every triangle of a strip; a negative index starts a new one.
    void addStrip(std::uint64_t strip) {
        std::size_t length = 0;
        std::array<std::uint32_t, 2> last{};
        for (const double value : list_) {
            if (value < 0) {
                length = 0;
                continue;
            }
            const std::uint32_t corner = index(value);
            if (length >= 2) {
                startPolygon(strip);
                const bool flip = length % 2 == 1;
                corners_.insert(corners_.end(), {last[flip ? 1 : 0], last[flip ? 0 : 1], corner});
            }
            last = {last[1], corner};
            ++length;
        }
    }

    void startPolygon(std::uint64_t item) { polygons_.push_back({corners_.size(), item}); }

    /// Faces may come before the vertices, so they are checked and triangulated at the end.
    void cutPolygons() {
        for (std::size_t i = 0; i < polygons_.size(); ++i) {
            const std::size_t first = polygons_[i].first_corner;
            const std::size_t end = i + 1 < polygons_.size() ? polygons_[i + 1].first_corner : corners_.size();
            const std::span<const std::uint32_t> corners(corners_.data() + first, end - first);
            for (const std::uint32_t corner : corners)
                if (corner >= mesh_.positions.size())
                    throw Error::badInput({name_}, fmt::format("face {} uses vertex {}, but there are {} (from 0)",
                                                               polygons_[i].item, corner, mesh_.positions.size()));
            appendPolygon(corners, mesh_.positions, mesh_.triangles);
        }
    }

    struct Polygon {
        std::size_t first_corner;
        std::uint64_t item;
    };

    std::string name_;
    PlyHeader header_;
    PlyValues values_;
    Mesh mesh_;
    std::vector<double> list_;
    std::vector<std::uint32_t> corners_;
    std::vector<Polygon> polygons_;
};

}  // namespace

Mesh parsePly(std::span<const std::byte> bytes, const std::string& name) { return PlyReader(bytes, name).read(); }

}  // namespace pelt::io

// Reads meshes in the OFF format.
#include <fmt/format.h>
#include <pelt/io/mesh_file.h>

#include <cmath>

#include "mesh_readers.h"
#include "polygon.h"
#include "text_cursor.h"

namespace pelt::io {
namespace {

class OffReader {
public:
    OffReader(std::span<const std::byte> bytes, const std::string& name) : text_(bytes, name) {}

    Mesh read() {
        const std::uint64_t vertices = readHeader();
        const std::uint64_t faces = readCount("the count of faces");
        readCount("the count of edges");
        // "0 0 0" and "3 0 0 0", each with a line end, are the shortest possible lines.
        checkFits(vertices, 6, "vertices");
        mesh_.positions.reserve(vertices);
        for (std::uint64_t i = 0; i < vertices; ++i) readVertex(i);
        if (mesh_.positions.empty()) text_.fail("has no vertices");
        checkFits(faces, 8, "faces");
        mesh_.triangles.reserve(faces);
        for (std::uint64_t i = 0; i < faces; ++i) readFace(i);
        if (!makeUnit(mesh_.normals)) mesh_.normals.clear();
        return std::move(mesh_);
    }

private:
    /// [ST][C][N]OFF, which is optional, and the first count.
    std::uint64_t readHeader() {
        std::string_view token = text_.next();
        std::int64_t count = 0;
        if (parseNumber(token, count)) return asCount(count, "the count of vertices");
        const std::string_view keyword = token;
        const auto take = [&](std::string_view prefix) {
            const bool has = token.starts_with(prefix);
            if (has) token.remove_prefix(prefix.size());
            return has;
        };
        has_uvs_ = take("ST");
        take("C");
        has_normals_ = take("N");
        if (token == "4OFF" || token == "nOFF" || token == "4nOFF")
            text_.fail(fmt::format("{} has points that are not in three dimensions, which is not supported",
                                   inQuotes(keyword)));
        if (token != "OFF") text_.fail("is not an OFF file: it does not begin with OFF, COFF, NOFF or STOFF");
        token = text_.next();
        if (token == "BINARY") text_.fail("binary OFF is not supported; save it as text, or as PLY");
        if (!parseNumber(token, count)) text_.failNumber("the count of vertices", token);
        return asCount(count, "the count of vertices");
    }

    std::uint64_t asCount(std::int64_t count, std::string_view what) {
        if (count < 0) text_.fail(fmt::format("{} is {}", what, count));
        return static_cast<std::uint64_t>(count);
    }

    std::uint64_t readCount(std::string_view what) { return asCount(text_.nextInteger(what), what); }

    void checkFits(std::uint64_t count, std::uint64_t least_bytes, std::string_view what) {
        // The last line needs no line end.
        const std::uint64_t fits = (text_.bytesLeft() + 1) / least_bytes;
        if (count > fits)
            text_.fail(fmt::format(
                "the header says {} {}, but at most {} fit in the file; it is truncated or its header is wrong", count,
                what, fits));
    }

    Vec3f readVector(std::uint64_t vertex) {
        const std::string what = fmt::format("a coordinate of vertex {}", vertex);
        const float x = text_.nextFloat(what), y = text_.nextFloat(what);
        return {x, y, text_.nextFloat(what)};
    }

    /// Position, normal, color (three or four numbers), texture coordinates: one vertex per line. Colors are not used.
    void readVertex(std::uint64_t i) {
        const Vec3f p = readVector(i);
        if (!isFinite(p)) text_.fail(fmt::format("vertex {} is not finite", i));
        mesh_.positions.push_back(p);
        if (has_normals_) mesh_.normals.push_back(readVector(i));
        std::vector<float> rest;
        for (std::string_view token = text_.nextOnLine(); has_uvs_ && !token.empty(); token = text_.nextOnLine())
            if (!parseNumber(token, rest.emplace_back())) text_.failNumber("a texture coordinate", token);
        if (has_uvs_) {
            if (rest.size() < 2) text_.fail(fmt::format("vertex {} has no texture coordinates", i));
            const Vec2f uv{rest[rest.size() - 2], rest.back()};
            mesh_.uvs.push_back(std::isfinite(uv.x) && std::isfinite(uv.y) ? uv : Vec2f{});
        }
        text_.nextLine();
    }

    /// Numbers after the corners on a line are a color.
    void readFace(std::uint64_t i) {
        const std::uint64_t count = readCount("the number of corners");
        if (count < 3) text_.fail(fmt::format("face {} has {} corners; it needs at least 3", i, count));
        checkFits(count, 2, "corners");
        corners_.clear();
        for (std::uint64_t k = 0; k < count; ++k) {
            const std::int64_t corner = text_.nextInteger("a face corner");
            if (corner < 0 || static_cast<std::uint64_t>(corner) >= mesh_.positions.size())
                text_.fail(fmt::format("face {} uses vertex {}, but there are {} (from 0)", i, corner,
                                       mesh_.positions.size()));
            corners_.push_back(static_cast<std::uint32_t>(corner));
        }
        appendPolygon(corners_, mesh_.positions, mesh_.triangles);
        text_.nextLine();
    }

    TextCursor text_;
    Mesh mesh_;
    std::vector<std::uint32_t> corners_;
    bool has_normals_ = false, has_uvs_ = false;
};

}  // namespace

Mesh parseOff(std::span<const std::byte> bytes, const std::string& name) { return OffReader(bytes, name).read(); }

}  // namespace pelt::io

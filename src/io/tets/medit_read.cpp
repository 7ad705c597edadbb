// Reads tet meshes in the Medit format (.mesh).
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/atomic_file.h>
#include <pelt/io/tet_file.h>

#include <cctype>

#include "io/mesh/mesh_readers.h"
#include "io/mesh/text_cursor.h"

namespace pelt::io {
namespace {

class MeditReader {
public:
    MeditReader(std::span<const std::byte> bytes, const std::string& name) : text_(bytes, name) {}

    TetMesh read() {
        if (text_.next() != "MeshVersionFormatted")
            text_.fail(
                "is not a MEDIT file: it does not begin with MeshVersionFormatted (binary files are not supported)");
        text_.nextInteger("the version");
        for (std::string_view keyword = text_.next(); !keyword.empty() && keyword != "End"; keyword = text_.next())
            readSection(keyword);
        if (mesh_.tets.empty())
            text_.fail("has no tetrahedra; fill the surface with tetrahedra first, or leave out this file");
        checkCorners();
        return std::move(mesh_);
    }

private:
    void readSection(std::string_view keyword) {
        if (keyword == "Dimension") {
            const std::int64_t dimension = text_.nextInteger("the dimension");
            if (dimension != 3) text_.fail(fmt::format("has dimension {}; tetrahedra need 3", dimension));
        } else if (keyword == "Vertices") {
            readVertices();
        } else if (keyword == "Tetrahedra") {
            readTets();
        } else if (std::isalpha(static_cast<unsigned char>(keyword[0]))) {
            // Triangles, edges, corners, normals: the given number of lines, which are skipped.
            const std::uint64_t lines = readCount("elements", 2);
            text_.nextLine();
            for (std::uint64_t i = 0; i < lines && !text_.atEnd(); ++i) text_.nextLine();
        } else if (!keyword.empty()) {
            text_.fail(
                fmt::format("{} found where a section such as Vertices or Tetrahedra was expected", inQuotes(keyword)));
        }
    }

    std::uint64_t readCount(std::string_view what, std::uint64_t least_bytes) {
        const std::int64_t count = text_.nextInteger(fmt::format("the number of {}", what));
        if (count < 0) text_.fail(fmt::format("the number of {} is {}", what, count));
        const std::uint64_t fits = (text_.bytesLeft() + 1) / least_bytes;
        if (std::uint64_t(count) > fits)
            text_.fail(
                fmt::format("claims {} {}, but at most {} fit in the file; it is truncated or its count is wrong",
                            count, what, fits));
        return std::uint64_t(count);
    }

    double readCoordinate(std::uint64_t vertex) {
        const std::string_view token = text_.next();
        double value = 0;
        if (!parseNumber(token, value)) text_.failNumber(fmt::format("a coordinate of vertex {}", vertex + 1), token);
        return value;
    }

    void readVertices() {
        if (!mesh_.positions.empty()) text_.fail("has two sections Vertices");
        const std::uint64_t count = readCount("vertices", 8);  // "0 0 0 0" and a line end
        mesh_.positions.reserve(count);
        for (std::uint64_t i = 0; i < count; ++i) {
            const double x = readCoordinate(i), y = readCoordinate(i);
            const Vec3d p{x, y, readCoordinate(i)};
            if (!isFinite(p)) text_.fail(fmt::format("vertex {} is not finite", i + 1));
            mesh_.positions.push_back(p);
            text_.nextInteger(fmt::format("the reference of vertex {}", i + 1));
        }
    }

    void readTets() {
        const std::uint64_t count = readCount("tets", 10);
        mesh_.tets.reserve(mesh_.tets.size() + count);
        for (std::uint64_t i = 0; i < count; ++i) {
            Tet tet;
            for (std::uint32_t& corner : tet) {
                const std::int64_t vertex = text_.nextInteger(fmt::format("a corner of tet {}", i + 1));
                if (vertex < 1 || vertex > 0xffffffff)
                    text_.fail(fmt::format("tet {} uses vertex {}; vertices are counted from 1", i + 1, vertex));
                corner = std::uint32_t(vertex - 1);
            }
            mesh_.tets.push_back(tet);
            text_.nextInteger(fmt::format("the reference of tet {}", i + 1));
        }
    }

    /// Only at the end: the vertices may come after the tets.
    void checkCorners() {
        for (std::size_t t = 0; t < mesh_.tets.size(); ++t)
            for (const std::uint32_t v : mesh_.tets[t])
                if (v >= mesh_.positions.size())
                    text_.fail(fmt::format("tet {} uses vertex {}, but there are {} (from 1)", t + 1,
                                           std::uint64_t(v) + 1, mesh_.positions.size()));
    }

    TextCursor text_;
    TetMesh mesh_;
};

}  // namespace

TetMesh parseMedit(std::span<const std::byte> bytes, const std::string& name) {
    return MeditReader(bytes, name).read();
}

TetMesh loadTets(const std::filesystem::path& path) {
    const std::string extension = extensionOf(path);
    if (extension != ".mesh")
        throw Error::badInput({path.string()}, fmt::format("tets are read from .mesh, not from '{}'", extension));
    return parseMedit(readFile(path), path.string());
}

}  // namespace pelt::io

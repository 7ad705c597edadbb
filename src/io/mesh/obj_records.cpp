// Reads the lines of an OBJ file.
#include <fmt/format.h>

#include <cmath>

#include "obj_data.h"

namespace pelt::io {
namespace {

class RecordReader {
public:
    RecordReader(std::span<const std::byte> bytes, const std::string& name) : text_(bytes, name) {}

    ObjData read(bool positions_only) {
        do {
            const std::string_view keyword = text_.nextOnLine();
            if (keyword == "v")
                readPosition();
            else if (!positions_only)
                readOther(keyword);
        } while (text_.nextLine());
        return std::move(data_);
    }

private:
    void readOther(std::string_view keyword) {
        if (keyword == "f" || keyword == "fo")
            readFace();
        else if (keyword == "vt")
            data_.uvs.push_back(readUv());
        else if (keyword == "vn")
            data_.normals.push_back({number("nx"), number("ny"), number("nz")});
        else if (keyword == "o")
            startObject(text_.restOfLine());
        else if (keyword == "g")
            startRun(group_, text_.restOfLine());
        else if (keyword == "usemtl")
            startRun(material_, text_.restOfLine());
    }

    float number(const char* what) {
        const std::string_view token = text_.nextOnLine();
        float value = 0;
        if (!parseNumber(token, value)) text_.failNumber(what, token);
        return value;
    }

    /// A weight or color after the three coordinates is not used.
    void readPosition() {
        const Vec3f p{number("x"), number("y"), number("z")};
        if (!isFinite(p)) text_.fail(fmt::format("vertex {} is not finite", data_.positions.size()));
        data_.positions.push_back(p);
    }

    /// A UV that is not finite is read as (0, 0): exporters write these for faces without area.
    Vec2f readUv() {
        const float u = number("u");
        const std::string_view token = text_.nextOnLine();
        float v = 0;
        if (!token.empty() && !parseNumber(token, v)) text_.failNumber("v", token);
        return std::isfinite(u) && std::isfinite(v) ? Vec2f{u, v} : Vec2f{};
    }

    void startObject(std::string_view name) {
        startRun(object_, name);
        startRun(group_, {});
    }

    void startRun(std::string& part_of_name, std::string_view name) {
        new_run_ = new_run_ || part_of_name != name;
        part_of_name = name;
    }

    void readFace() {
        if (new_run_) data_.runs.push_back({object_, group_, material_, data_.faces.size()});
        new_run_ = false;
        const std::size_t first = data_.corners.size();
        data_.faces.push_back({first, text_.line()});
        for (std::string_view token = text_.nextOnLine(); !token.empty(); token = text_.nextOnLine())
            data_.corners.push_back(readCorner(token));
        const std::size_t count = data_.corners.size() - first;
        if (count < 3) text_.fail(fmt::format("a face of {} corners; it needs at least 3", count));
    }

    /// `v`, `v/t`, `v//n` or `v/t/n`.
    ObjData::Corner readCorner(std::string_view token) {
        ObjData::Corner corner;
        const std::size_t slash = token.find('/');
        corner.vertex = index(token, token.substr(0, slash), data_.positions.size());
        if (slash == std::string_view::npos) return corner;
        const std::string_view rest = token.substr(slash + 1);
        const std::size_t second = rest.find('/');
        if (second != 0 && !rest.empty()) corner.uv = index(token, rest.substr(0, second), data_.uvs.size());
        if (second == std::string_view::npos || second + 1 == rest.size()) return corner;
        corner.normal = index(token, rest.substr(second + 1), data_.normals.size());
        return corner;
    }

    /// Positive indices count from 1 and may refer to later records; negative ones count back from the last record so
    /// far.
    std::uint32_t index(std::string_view corner, std::string_view digits, std::size_t so_far) {
        std::int64_t value = 0;
        if (!parseNumber(digits, value)) text_.fail(fmt::format("{} is not a face corner", inQuotes(corner)));
        if (value == 0) text_.fail(fmt::format("face corner {}: indices start at 1", inQuotes(corner)));
        const std::int64_t index = value > 0 ? value - 1 : static_cast<std::int64_t>(so_far) + value;
        if (index < 0) text_.fail(fmt::format("face corner {} refers to a record before the first", inQuotes(corner)));
        if (index >= ObjData::kNone) text_.fail(fmt::format("face corner {} is out of range", inQuotes(corner)));
        return static_cast<std::uint32_t>(index);
    }

    TextCursor text_;
    ObjData data_;
    std::string object_, group_, material_;
    bool new_run_ = true;
};

}  // namespace

ObjData readObjRecords(std::span<const std::byte> bytes, const std::string& name, bool positions_only) {
    return RecordReader(bytes, name).read(positions_only);
}

}  // namespace pelt::io

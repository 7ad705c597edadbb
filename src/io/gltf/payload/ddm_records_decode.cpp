// Reads the rows of a payload from their stored records.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/ddm_storage.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "ddm_record_layout.h"

namespace pelt::io::gltf {
namespace {

constexpr double kRowSumTolerance = 1e-4;  // of Σω and Σψ
constexpr double kCenterTolerance = 1e-6;  // of Σχ', relative to Σ|χ'| …
constexpr double kPointTolerance = 1e-7;   // … and to p: smaller differences are rounding of p

bool isFiniteBlock(const DdmBlock<float>& b) {
    const float numbers[] = {b.xx, b.xy, b.xz, b.yy, b.yz, b.zz, b.x, b.y, b.z, b.w};
    return std::all_of(std::begin(numbers), std::end(numbers), [](float x) { return std::isfinite(x); });
}

bool isFiniteRow(const Row& row, const Vec3d& p) {
    return isFinite(Vec3f(p)) && std::all_of(row.begin(), row.end(), [](const Entry& entry) {
               return isFiniteBlock(narrowed(entry.block)) && std::isfinite(static_cast<float>(entry.psi));
           });
}

/// Moves the center to where Σχ' is 0 again: with c = Σχ', Ω' becomes T(-c) Ω' T(-c)^T and p becomes p + c.
void recenter(Row& row, Vec3d& p) {
    double c[3] = {0, 0, 0}, size = 0;
    for (const Entry& entry : row)
        for (std::size_t i = 0; i < 3; ++i) {
            c[i] += entry.block.*kFirst[i];
            size += std::abs(entry.block.*kFirst[i]);
        }
    const double rounding =
        kCenterTolerance * size + kPointTolerance * std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)});
    if (std::all_of(std::begin(c), std::end(c), [&](double x) { return std::abs(x) <= rounding; })) return;
    constexpr std::size_t kAxes[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};
    for (Entry& entry : row) {
        Block& b = entry.block;
        const double chi[3] = {b.x, b.y, b.z};
        for (std::size_t k = 0; k < 6; ++k) {
            const auto [i, j] = kAxes[k];
            b.*kSecond[k] += b.w * c[i] * c[j] - chi[i] * c[j] - c[i] * chi[j];
        }
        for (std::size_t i = 0; i < 3; ++i) b.*kFirst[i] = chi[i] - b.w * c[i];
    }
    p += Vec3d{c[0], c[1], c[2]};
}

/// Makes a row of joint slots satisfy the invariants of DdmRows, or returns a description of what is wrong.
std::string settleRow(Row& row, Vec3d& p) {
    if (!isFiniteRow(row, p)) return "has numbers that are not finite";
    std::sort(row.begin(), row.end(), [](const Entry& a, const Entry& b) { return a.joint < b.joint; });
    for (std::size_t i = 1; i < row.size(); ++i)
        if (row[i].joint == row[i - 1].joint) return "names a joint twice";
    std::stable_sort(row.begin(), row.end(), [](const Entry& a, const Entry& b) { return a.block.w > b.block.w; });
    double omega = 0, psi = 0;
    for (const Entry& entry : row) omega += entry.block.w, psi += entry.psi;
    if (!(std::abs(omega - 1) <= kRowSumTolerance) || !(std::abs(psi - 1) <= kRowSumTolerance))
        return fmt::format("has weights that sum to {:.6g} and {:.6g}, not to 1", omega, psi);
    recenter(row, p);
    return isFiniteRow(row, p) ? "" : "has numbers too large for single precision";
}

/// Reads one row's records after another.
class RecordReader {
public:
    RecordReader(std::span<const std::byte> vertices, std::span<const std::byte> entries, const RecordLayout& layout)
        : vertices_(vertices.data()), entries_(entries.data()), layout_(layout) {}

    /// Fills joint indices of the skin.
    std::string read(Row& row, Vec3d& p) {
        const bool q16 = layout_.encoding == DdmEncoding::q16;
        float center[3] = {};
        if (layout_.center) vertices_.get(center);
        p = {center[0], center[1], center[2]};
        Q16Head head{};
        if (q16) head = vertices_.get<Q16Head>();
        const std::size_t count = q16 ? head.count : vertices_.get<FloatHead>().count;
        if (count == 0) return "has no entry";
        row.clear();
        for (std::size_t i = 0; i < count; ++i) row.push_back(q16 ? q16Entry(head) : floatEntry());
        return q16 ? divideBySum(row) : std::string();
    }

private:
    Entry floatEntry() {
        Entry entry{entries_.get<std::uint32_t>(), {}, 0};
        if (layout_.second)
            for (const auto member : kSecond) entry.block.*member = entries_.get<float>();
        if (layout_.first)
            for (const auto member : kFirst) entry.block.*member = entries_.get<float>();
        entry.block.w = entries_.get<float>();
        entry.psi = layout_.psi ? entries_.get<float>() : entry.block.w;
        return entry;
    }

    Entry q16Entry(const Q16Head& head) {
        Entry entry{entries_.get<std::uint16_t>(), {}, 0};
        if (layout_.psi) entry.psi = entries_.get<std::uint16_t>();
        if (layout_.second)
            for (const auto member : kSecond)
                entry.block.*member = std::ldexp(double(entries_.get<std::int16_t>()), head.second_exponent);
        if (layout_.first)
            for (const auto member : kFirst)
                entry.block.*member = std::ldexp(double(entries_.get<std::int16_t>()), head.first_exponent);
        entry.block.w = entries_.get<std::uint16_t>();
        if (!layout_.psi) entry.psi = entry.block.w;
        return entry;
    }

    static std::string divideBySum(Row& row) {
        double omega = 0, psi = 0;
        for (const Entry& entry : row) omega += entry.block.w, psi += entry.psi;
        if (omega == 0 || psi == 0) return "has weights that are all 0";
        for (Entry& entry : row) {
            entry.block.w /= omega;
            entry.psi /= psi;
        }
        return {};
    }

    RecordCursor vertices_, entries_;
    RecordLayout layout_;
};

void appendRow(const Row& row, const Vec3d& p, DdmRows<float>& rows) {
    for (const Entry& entry : row) {
        rows.joints.push_back(entry.joint);
        rows.blocks.push_back(narrowed(entry.block));
        rows.psi.push_back(static_cast<float>(entry.psi));
    }
    rows.centers.push_back(Vec3f(p));
    rows.offsets.push_back(static_cast<std::uint32_t>(rows.joints.size()));
}

}  // namespace

std::uint64_t countEntries(std::span<const std::byte> vertices, const RecordLayout& layout) {
    std::uint64_t sum = 0;
    for (std::size_t end = layout.vertexBytes(); end <= vertices.size(); end += layout.vertexBytes()) {
        RecordCursor head(vertices.data() + end - sizeof(Q16Head));
        sum += layout.encoding == DdmEncoding::q16 ? head.get<Q16Head>().count : head.get<FloatHead>().count;
    }
    return sum;
}

std::string appendRecords(std::span<const std::byte> vertices, std::span<const std::byte> entries, DdmEncoding encoding,
                          std::span<const std::uint32_t> slots, DdmRows<float>& rows) {
    const RecordLayout layout(encoding, rows.content);
    RecordReader reader(vertices, entries, layout);
    Row row;
    Vec3d p;
    for (std::size_t v = 0; v < vertices.size() / layout.vertexBytes(); ++v) {
        std::string fault = reader.read(row, p);
        for (std::size_t i = 0; i < row.size() && fault.empty(); ++i) {
            if (row[i].joint >= slots.size())
                fault = fmt::format("uses joint {}, but the skin has {}", row[i].joint, slots.size());
            else
                row[i].joint = slots[row[i].joint];
        }
        if (fault.empty()) fault = settleRow(row, p);
        if (!fault.empty()) return fmt::format("vertex {} {}", v, fault);
        appendRow(row, p, rows);
    }
    return {};
}

std::string rowsFault(const DdmRows<float>& rows, std::size_t joint_count) {
    const std::size_t entries = rows.joints.size();
    const bool sized = rows.offsets.size() == rows.vertexCount() + 1 && rows.offsets.front() == 0 &&
                       rows.offsets.back() == entries && rows.blocks.size() == entries && rows.psi.size() == entries &&
                       std::is_sorted(rows.offsets.begin(), rows.offsets.end());
    if (!sized) return "its arrays have wrong sizes";
    Row row;
    for (std::size_t v = 0; v < rows.vertexCount(); ++v) {
        readRow(rows, v, row);
        Vec3d p(rows.centers[v]);
        std::string fault = row.empty() ? "has no entry" : "";
        for (const Entry& entry : row)
            if (entry.joint >= joint_count) fault = fmt::format("uses joint {} of {}", entry.joint, joint_count);
        if (fault.empty()) fault = settleRow(row, p);
        if (!fault.empty()) return fmt::format("vertex {} {}", v, fault);
    }
    return {};
}

}  // namespace pelt::io::gltf

namespace pelt::io {

DdmRows<float> asStored(const DdmRows<float>& rows, DdmEncoding encoding) {
    if (const std::string fault = gltf::rowsFault(rows, 65535); !fault.empty())
        throw Error::badUsage("Direct Delta Mush rows cannot be stored: " + fault);
    std::uint32_t joints = 0;
    for (const std::uint32_t joint : rows.joints) joints = std::max(joints, joint + 1);
    std::vector<std::uint32_t> slots(joints);
    std::iota(slots.begin(), slots.end(), 0U);
    const gltf::DdmRecords records =
        gltf::encodeRecords(rows, 0, rows.vertexCount(), encoding, [](std::uint32_t slot) { return slot; });
    DdmRows<float> out;
    out.content = rows.content;
    gltf::appendRecords(records.vertices, records.entries, encoding, slots, out);
    return out;
}

std::size_t storedBytes(const DdmRows<float>& rows, DdmEncoding encoding) {
    const gltf::RecordLayout layout(encoding, rows.content);
    return rows.vertexCount() * layout.vertexBytes() + rows.joints.size() * layout.entryBytes();
}

}  // namespace pelt::io

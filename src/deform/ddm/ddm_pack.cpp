// Packs rows into blocks; their layout is described in ddm_layout.h.
#include <pelt/core/error.h>
#include <pelt/deform/ddm.h>

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <tuple>

#include "ddm_vertex.h"
#include "runtime/layout/rig_writer.h"

namespace pelt::deform {
namespace {

using runtime::DdmLanes;
using runtime::DdmPair;
using runtime::kLanes;
using runtime::LaneRow;

/// The arrays of a rig under construction, as described in DdmData.
struct DdmArrays {
    DdmForm form = DdmForm::v0;
    std::size_t vertex_count = 0, joint_count = 0;
    Vec3f origin;
    std::vector<std::uint32_t> windows, entries, joints, bases;
    std::vector<DdmLanes> blocks;
    std::vector<LaneRow> rows, normals;
    std::vector<DdmPair> pairs;
};

Vec3f middleOf(const std::vector<Vec3f>& points) {
    if (points.empty()) return {};
    Vec3f low = points[0], high = points[0];
    for (const Vec3f& p : points)
        for (int i = 0; i < 3; ++i) {
            low[i] = std::min(low[i], p[i]);
            high[i] = std::max(high[i], p[i]);
        }
    return low * 0.5f + high * 0.5f;
}

class DdmPacker {
public:
    DdmPacker(const Mesh& rest, const DdmRows<float>& rows, DdmForm form) : rest_(rest), rows_(rows) {
        packed_.form = form;
        packed_.vertex_count = rest.vertexCount();
        packed_.origin = middleOf(rest.positions);
    }

    DdmArrays pack() {
        std::vector<DdmVertex> window;
        for (std::size_t first = 0; first < packed_.vertex_count; first += runtime::kDdmWindow) {
            const std::size_t last = std::min(packed_.vertex_count, first + runtime::kDdmWindow);
            packed_.windows.push_back(std::uint32_t(packed_.blocks.size()));
            window.clear();
            for (std::size_t v = first; v < last; ++v)
                window.push_back(makeDdmVertex(rows_, v, packed_.form, packed_.origin));
            packWindow(window, first);
        }
        packed_.windows.push_back(std::uint32_t(packed_.blocks.size()));
        DdmLanes end;
        end.entry = std::uint32_t(packed_.entries.size());
        packed_.blocks.push_back(end);
        listJoints();
        return std::move(packed_);
    }

private:
    void packWindow(std::vector<DdmVertex>& window, std::size_t first) {
        std::sort(window.begin(), window.end(), [](const DdmVertex& a, const DdmVertex& b) {
            return std::tie(a.kind, a.base, a.joints, a.index) < std::tie(b.kind, b.base, b.joints, b.index);
        });
        std::vector<std::span<const DdmVertex>> blocks;
        for (std::size_t start = 0; start < window.size(); start += blocks.back().size()) {
            std::size_t end = start + 1;
            while (end < window.size() && end - start < kLanes && window[end].kind == window[start].kind &&
                   window[end].base == window[start].base)
                ++end;
            blocks.emplace_back(window.data() + start, end - start);
        }
        // Consecutive blocks should need the same work, so that processors predict branches well.
        std::stable_sort(blocks.begin(), blocks.end(), [](const auto& a, const auto& b) {
            return std::pair(a[0].kind, !isRun(a)) < std::pair(b[0].kind, !isRun(b));
        });
        for (const std::span<const DdmVertex> block : blocks) packBlock(block, first);
    }

    /// Whether these are sixteen consecutive vertices.
    static bool isRun(std::span<const DdmVertex> block) {
        for (std::size_t i = 1; i < block.size(); ++i)
            if (block[i].index != block[0].index + i) return false;
        return block.size() == kLanes;
    }

    void packBlock(std::span<const DdmVertex> vertices, std::size_t first) {
        DdmLanes block;
        block.row = std::uint32_t(packed_.rows.size());
        block.entry = std::uint32_t(packed_.entries.size());
        block.base = indexOfBase(vertices[0].base);
        block.kind = vertices[0].kind;
        block.consecutive = isRun(vertices);
        std::vector<std::uint32_t> joints;
        const DdmVertex* lanes[kLanes];
        for (std::size_t l = 0; l < kLanes; ++l) {
            lanes[l] = &vertices[std::min(l, vertices.size() - 1)];
            block.vertices[l] = std::uint16_t(lanes[l]->index - first);
            joints.insert(joints.end(), lanes[l]->joints.begin(), lanes[l]->joints.end());
        }
        block.lowest = *std::min_element(block.vertices, block.vertices + kLanes);
        block.highest = *std::max_element(block.vertices, block.vertices + kLanes);
        std::sort(joints.begin(), joints.end());
        joints.erase(std::unique(joints.begin(), joints.end()), joints.end());

        appendShape(lanes, block.kind);
        for (const std::uint32_t j : joints) appendEntry(lanes, block.base, j);
        packed_.blocks.push_back(block);
        if (packed_.rows.size() > std::numeric_limits<std::uint32_t>::max())
            throw Error::badInput("the mushed skin is larger than Pelt can pack: keep fewer influences per vertex");
    }

    template <class Value>
    void appendRow(const DdmVertex* const (&lanes)[kLanes], const Value& value) {
        LaneRow row;
        for (std::size_t l = 0; l < kLanes; ++l) row.lane[l] = static_cast<float>(value(*lanes[l]));
        packed_.rows.push_back(row);
    }

    /// u, p and the part of P that the form needs; normals.
    void appendShape(const DdmVertex* const (&lanes)[kLanes], DdmKind kind) {
        for (int i = 0; i < 3; ++i) appendRow(lanes, [&](const DdmVertex& v) { return rest_.positions[v.index][i]; });
        for (int i = 0; i < 3; ++i) appendRow(lanes, [&](const DdmVertex& v) { return v.center[i]; });
        if (runtime::hasCovariance(packed_.form) && kind != DdmKind::followed) {
            const bool inverted = runtime::hasInverse(packed_.form) && kind == DdmKind::blended;
            for (int r = 0; r < 3; ++r)
                for (int c = r; c < 3; ++c)
                    appendRow(lanes, [&](const DdmVertex& v) {
                        return inverted ? inverse(v.covariance)(r, c) : v.covariance(r, c);
                    });
        }
        if (rest_.normals.empty()) return;
        for (int i = 0; i < 3; ++i) {
            LaneRow row;
            for (std::size_t l = 0; l < kLanes; ++l) row.lane[l] = rest_.normals[lanes[l]->index][i];
            packed_.normals.push_back(row);
        }
    }

    void appendEntry(const DdmVertex* const (&lanes)[kLanes], std::uint32_t base, std::uint32_t joint) {
        packed_.entries.push_back(indexOfPair(base, joint));
        double sums[kLanes][kMostNumbers] = {};
        std::size_t count = 0;
        for (std::size_t l = 0; l < kLanes; ++l)
            for (std::size_t i = 0; i < lanes[l]->joints.size(); ++i)
                if (lanes[l]->joints[i] == joint) count = addNumbers(*lanes[l], i, sums[l]);
        for (std::size_t n = 0; n < count; ++n) {
            LaneRow row;
            for (std::size_t l = 0; l < kLanes; ++l) row.lane[l] = static_cast<float>(sums[l][n]);
            packed_.rows.push_back(row);
        }
    }

    static constexpr std::size_t kMostNumbers = 10;

    /// Adds what the form stores of entry i; returns how many numbers that is.
    std::size_t addNumbers(const DdmVertex& v, std::size_t i, double (&sums)[kMostNumbers]) const {
        const DdmBlock<double>& b = v.blocks[i];
        std::size_t n = 0;
        const auto add = [&](double number) { sums[n++] += number; };
        if (runtime::hasCovariance(packed_.form)) {
            for (const double number : {b.xx, b.xy, b.xz, b.yy, b.yz, b.zz, b.x, b.y, b.z, b.w}) add(number);
            return n;
        }
        if (packed_.form != DdmForm::v4)
            for (int k = 0; k < 3; ++k) add(Vec3d{b.x, b.y, b.z}[k] + b.w * v.center[k]);
        add(b.w);
        add(v.psi[i]);
        return n;
    }

    std::uint32_t indexOfBase(std::uint32_t joint) {
        const auto [at, added] = base_index_.emplace(joint, std::uint32_t(packed_.bases.size()));
        if (added) packed_.bases.push_back(joint);
        return at->second;
    }

    std::uint32_t indexOfPair(std::uint32_t base, std::uint32_t joint) {
        const auto [at, added] = pair_index_.emplace(std::pair(base, joint), std::uint32_t(packed_.pairs.size()));
        if (added) packed_.pairs.push_back({base, joint});
        return at->second;
    }

    /// Lists each joint once; from here on, bases and pairs use indices into that list.
    void listJoints() {
        std::vector<std::uint32_t>& joints = packed_.joints;
        joints = packed_.bases;
        for (const DdmPair& pair : packed_.pairs) joints.push_back(pair.joint);
        std::sort(joints.begin(), joints.end());
        joints.erase(std::unique(joints.begin(), joints.end()), joints.end());
        const auto place = [&](std::uint32_t joint) {
            return static_cast<std::uint32_t>(std::lower_bound(joints.begin(), joints.end(), joint) - joints.begin());
        };
        for (std::uint32_t& base : packed_.bases) base = place(base);
        for (DdmPair& pair : packed_.pairs) pair.joint = place(pair.joint);
        packed_.joint_count = joints.empty() ? 0 : std::size_t(joints.back()) + 1;
    }

    const Mesh& rest_;
    const DdmRows<float>& rows_;
    DdmArrays packed_;
    std::map<std::uint32_t, std::uint32_t> base_index_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> pair_index_;
};

/// The numbers that a form reads.
DdmContent contentOf(DdmForm form) {
    if (runtime::hasCovariance(form)) return DdmContent::full;
    return form == DdmForm::v4 ? DdmContent::weighted : DdmContent::centered;
}

}  // namespace

DdmRig packDdm(const Mesh& rest, const DdmRows<float>& rows, DdmForm form) {
    checkDdmRows(rest, rows);
    if (!holds(rows.content, contentOf(form)))
        throw Error::badInput("the mushed skin lacks numbers that this variant reads: mush the mesh for it");
    const DdmArrays arrays = DdmPacker(rest, rows, form).pack();
    runtime::DdmHeader header;
    header.form = form;
    header.vertex_count = arrays.vertex_count;
    header.joint_count = arrays.joint_count;
    for (int i = 0; i < 3; ++i) header.origin[i] = arrays.origin[i];
    runtime::RigWriter<runtime::DdmHeader> writer;
    writer.add(header.windows, arrays.windows);
    writer.add(header.blocks, arrays.blocks);
    writer.add(header.entries, arrays.entries);
    writer.add(header.rows, arrays.rows);
    writer.add(header.normals, arrays.normals);
    writer.add(header.joints, arrays.joints);
    writer.add(header.bases, arrays.bases);
    writer.add(header.pairs, arrays.pairs);
    return DdmRig(writer.finish(header, runtime::RigKind::ddm));
}

SkinWeights plainWeights(const DdmRows<float>& rows) {
    SkinWeights weights;
    for (std::size_t v = 0; v < rows.vertexCount(); ++v) {
        double sum = 0;
        for (std::size_t e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e) sum += std::max(rows.blocks[e].w, 0.0f);
        for (std::size_t e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e) {
            if (!(rows.blocks[e].w > 0)) continue;
            weights.joints.push_back(rows.joints[e]);
            weights.weights.push_back(static_cast<float>(rows.blocks[e].w / sum));
        }
        weights.offsets.push_back(static_cast<std::uint32_t>(weights.joints.size()));
    }
    return weights;
}

SkinWeights signedWeights(const DdmRows<float>& rows) {
    SkinWeights weights;
    weights.offsets = rows.offsets;
    weights.joints = rows.joints;
    for (const DdmBlock<float>& block : rows.blocks) weights.weights.push_back(block.w);
    return weights;
}

}  // namespace pelt::deform

// Rows to blocks; ddm_layout.h says what they look like.
#include <pelt/core/error.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "ddm_forms.h"
#include "ddm_layout.h"

namespace pelt::deform {
namespace {

using Packed = DdmRig::Packed;

bool finite(const DdmBlock<float>& b) {
    const float numbers[] = {b.xx, b.xy, b.xz, b.yy, b.yz, b.zz, b.x, b.y, b.z, b.w};
    return std::all_of(std::begin(numbers), std::end(numbers), [](float x) { return std::isfinite(x); });
}

void check(const Mesh& rest, const DdmRows<float>& rows) {
    const std::size_t n = rest.vertexCount();
    if (rows.vertexCount() != n || rows.offsets.size() != n + 1)
        throw Error::badInput("the mushed skin has " + std::to_string(rows.vertexCount()) + " vertices, the mesh has " +
                              std::to_string(n) + ": mush this mesh");
    if (!rest.normals.empty() && rest.normals.size() != n)
        throw Error::badInput("the mesh has " + std::to_string(n) + " positions but " +
                              std::to_string(rest.normals.size()) + " normals");
    const std::size_t entries = rows.joints.size();
    if (rows.offsets.front() != 0 || rows.offsets.back() != entries || rows.blocks.size() != entries ||
        rows.psi.size() != entries || !std::is_sorted(rows.offsets.begin(), rows.offsets.end()))
        throw Error::badInput("the mushed skin's offsets do not fit its joints and blocks");
    for (std::size_t v = 0; v < n; ++v) {
        const std::string vertex = "vertex " + std::to_string(v) + " of the mushed skin ";
        if (rows.influenceCount(v) == 0) throw Error::badInput(vertex + "has no joint: mush the mesh again");
        bool sound = isFinite(rows.centers[v]) && isFinite(rest.positions[v]);
        for (std::size_t e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e)
            sound = sound && finite(rows.blocks[e]) && std::isfinite(rows.psi[e]);
        if (!sound) throw Error::badInput(vertex + "has a number that is not finite: mush the mesh again");
    }
}

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

/// One vertex, ready to take its lane.
struct Vertex {
    std::uint32_t index = 0;
    Packed::Kind kind = Packed::Kind::blended;
    std::uint32_t base = 0;
    std::vector<std::uint32_t> joints;  ///< the others, ascending
    std::vector<DdmBlock<double>> blocks;
    std::vector<double> psi;
    Vec3d centre;
    Mat3d covariance;  ///< the sum over all joints
};

class Packer {
public:
    Packer(const Mesh& rest, const DdmRows<float>& rows, DdmForm form) : rest_(rest), rows_(rows) {
        packed_.form = form;
        packed_.vertex_count = rest.vertexCount();
        packed_.origin = middleOf(rest.positions);
    }

    Packed pack() {
        for (const std::uint32_t j : rows_.joints)
            packed_.joint_count = std::max<std::size_t>(packed_.joint_count, j + 1);
        std::vector<Vertex> window;
        for (std::size_t first = 0; first < packed_.vertex_count; first += Packed::kWindow) {
            const std::size_t last = std::min(packed_.vertex_count, first + Packed::kWindow);
            packed_.windows.push_back(std::uint32_t(packed_.blocks.size()));
            window.clear();
            for (std::size_t v = first; v < last; ++v) window.push_back(makeVertex(v));
            packWindow(window, first);
        }
        packed_.windows.push_back(std::uint32_t(packed_.blocks.size()));
        Packed::Block end;
        end.entry = std::uint32_t(packed_.entries.size());
        packed_.blocks.push_back(end);
        listJoints();
        return std::move(packed_);
    }

private:
    /// The joint that sums start from: the heaviest, by what rotates in v2 to v4, whose signs it decides.
    std::size_t baseOf(std::size_t v) const {
        const bool by_psi = !Packed::hasCovariance(packed_.form);
        const auto weight = [&](std::size_t e) { return by_psi ? rows_.psi[e] : rows_.blocks[e].w; };
        std::size_t best = rows_.offsets[v];
        for (std::size_t e = best + 1; e < rows_.offsets[v + 1]; ++e)
            if (weight(e) > weight(best) || (weight(e) == weight(best) && rows_.joints[e] < rows_.joints[best]))
                best = e;
        return best;
    }

    /// Moves the row's centre to where Σ χ' = 0 exactly (rounding and quantisation leave it a little beside).
    Vertex makeVertex(std::size_t v) const {
        const std::size_t first = rows_.offsets[v], last = rows_.offsets[v + 1], base = baseOf(v);
        Vertex out;
        out.index = std::uint32_t(v);
        out.base = rows_.joints[base];
        Vec3d chi;
        for (std::size_t e = first; e < last; ++e) chi += chiOf(e);
        out.centre = Vec3d(rows_.centers[v]) + chi - Vec3d(packed_.origin);
        out.covariance = Mat3d{{{}, {}, {}}};
        std::vector<std::size_t> order;
        for (std::size_t e = first; e < last; ++e) {
            out.covariance = out.covariance + covarianceOf(shifted(e, chi));
            if (e != base) order.push_back(e);
        }
        std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return rows_.joints[a] < rows_.joints[b]; });
        for (const std::size_t e : order) {
            out.joints.push_back(rows_.joints[e]);
            out.blocks.push_back(shifted(e, chi));
            out.psi.push_back(rows_.psi[e]);
        }
        const bool cofactor = packed_.form == DdmForm::v1 || packed_.form == DdmForm::v1_printed;
        if (order.empty())
            out.kind = Packed::Kind::followed;
        else if (cofactor && isFlat(out.covariance))
            out.kind = Packed::Kind::flat;
        return out;
    }

    Vec3d chiOf(std::size_t e) const { return {rows_.blocks[e].x, rows_.blocks[e].y, rows_.blocks[e].z}; }

    static Mat3d covarianceOf(const DdmBlock<double>& b) {
        return {{{b.xx, b.xy, b.xz}, {b.xy, b.yy, b.yz}, {b.xz, b.yz, b.zz}}};
    }

    /// T(-s) Ω' T(-s)^T
    DdmBlock<double> shifted(std::size_t e, const Vec3d& s) const {
        const DdmBlock<float>& b = rows_.blocks[e];
        const double w = b.w;
        const Vec3d c = chiOf(e);
        const auto moved = [&](double value, int k, int l) {
            return value - s[k] * c[l] - c[k] * s[l] + w * s[k] * s[l];
        };
        return {moved(b.xx, 0, 0), moved(b.xy, 0, 1), moved(b.xz, 0, 2), moved(b.yy, 1, 1), moved(b.yz, 1, 2),
                moved(b.zz, 2, 2), c.x - w * s.x,     c.y - w * s.y,     c.z - w * s.z,     w};
    }

    void packWindow(std::vector<Vertex>& window, std::size_t first) {
        std::sort(window.begin(), window.end(), [](const Vertex& a, const Vertex& b) {
            return std::tie(a.kind, a.base, a.joints, a.index) < std::tie(b.kind, b.base, b.joints, b.index);
        });
        std::vector<std::span<const Vertex>> blocks;
        for (std::size_t start = 0; start < window.size(); start += blocks.back().size()) {
            std::size_t end = start + 1;
            while (end < window.size() && end - start < Packed::kLanes && window[end].kind == window[start].kind &&
                   window[end].base == window[start].base)
                ++end;
            blocks.emplace_back(window.data() + start, end - start);
        }
        // What blocks have to do should change seldom from one to the next: processors predict it.
        std::stable_sort(blocks.begin(), blocks.end(), [](const auto& a, const auto& b) {
            return std::pair(a[0].kind, !isRun(a)) < std::pair(b[0].kind, !isRun(b));
        });
        for (const std::span<const Vertex> block : blocks) packBlock(block, first);
    }

    /// Whether these are sixteen vertices that follow each other.
    static bool isRun(std::span<const Vertex> block) {
        for (std::size_t i = 1; i < block.size(); ++i)
            if (block[i].index != block[0].index + i) return false;
        return block.size() == Packed::kLanes;
    }

    void packBlock(std::span<const Vertex> vertices, std::size_t first) {
        constexpr std::size_t kLanes = Packed::kLanes;
        Packed::Block block;
        block.row = std::uint32_t(packed_.rows.size());
        block.entry = std::uint32_t(packed_.entries.size());
        block.base = indexOfBase(vertices[0].base);
        block.kind = vertices[0].kind;
        block.consecutive = isRun(vertices);
        std::vector<std::uint32_t> joints;
        const Vertex* lanes[kLanes];
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
            throw Error::badInput("the mushed skin is larger than Pelt can pack: keep fewer influences a vertex");
    }

    template <class Value>
    void appendRow(const Vertex* const (&lanes)[Packed::kLanes], const Value& value) {
        Packed::Row row;
        for (std::size_t l = 0; l < Packed::kLanes; ++l) row.lane[l] = static_cast<float>(value(*lanes[l]));
        packed_.rows.push_back(row);
    }

    /// u, p and what the form needs of P; normals.
    void appendShape(const Vertex* const (&lanes)[Packed::kLanes], Packed::Kind kind) {
        for (int i = 0; i < 3; ++i) appendRow(lanes, [&](const Vertex& v) { return rest_.positions[v.index][i]; });
        for (int i = 0; i < 3; ++i) appendRow(lanes, [&](const Vertex& v) { return v.centre[i]; });
        if (Packed::hasCovariance(packed_.form) && kind != Packed::Kind::followed) {
            const bool cofactor = packed_.form == DdmForm::v1 || packed_.form == DdmForm::v1_printed;
            const bool inverted = cofactor && kind == Packed::Kind::blended;
            for (int r = 0; r < 3; ++r)
                for (int c = r; c < 3; ++c)
                    appendRow(lanes, [&](const Vertex& v) {
                        return inverted ? inverse(v.covariance)(r, c) : v.covariance(r, c);
                    });
        }
        if (rest_.normals.empty()) return;
        for (int i = 0; i < 3; ++i) {
            Packed::Row row;
            for (std::size_t l = 0; l < Packed::kLanes; ++l) row.lane[l] = rest_.normals[lanes[l]->index][i];
            packed_.normals.push_back(row);
        }
    }

    void appendEntry(const Vertex* const (&lanes)[Packed::kLanes], std::uint32_t base, std::uint32_t joint) {
        packed_.entries.push_back(indexOfPair(base, joint));
        const auto sumOf = [&](const auto& number) {
            appendRow(lanes, [&](const Vertex& v) {
                double sum = 0;
                for (std::size_t i = 0; i < v.joints.size(); ++i)
                    if (v.joints[i] == joint) sum += number(v, i);
                return sum;
            });
        };
        const auto block = [&](double DdmBlock<double>::*number) {
            sumOf([&](const Vertex& v, std::size_t i) { return v.blocks[i].*number; });
        };
        using B = DdmBlock<double>;
        if (Packed::hasCovariance(packed_.form)) {
            for (const auto number : {&B::xx, &B::xy, &B::xz, &B::yy, &B::yz, &B::zz, &B::x, &B::y, &B::z, &B::w})
                block(number);
            return;
        }
        if (packed_.form != DdmForm::v4)
            for (int k = 0; k < 3; ++k)
                sumOf([&](const Vertex& v, std::size_t i) {
                    const B& b = v.blocks[i];
                    return Vec3d{b.x, b.y, b.z}[k] + b.w * v.centre[k];
                });
        block(&B::w);
        sumOf([](const Vertex& v, std::size_t i) { return v.psi[i]; });
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

    void listJoints() {
        packed_.joints = packed_.bases;
        for (const Packed::Pair& pair : packed_.pairs) packed_.joints.push_back(pair.joint);
        std::sort(packed_.joints.begin(), packed_.joints.end());
        packed_.joints.erase(std::unique(packed_.joints.begin(), packed_.joints.end()), packed_.joints.end());
    }

    const Mesh& rest_;
    const DdmRows<float>& rows_;
    Packed packed_;
    std::map<std::uint32_t, std::uint32_t> base_index_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> pair_index_;
};

}  // namespace

DdmRig packDdm(const Mesh& rest, const DdmRows<float>& rows, DdmForm form) {
    check(rest, rows);
    return {std::make_shared<const Packed>(Packer(rest, rows, form).pack())};
}

std::size_t streamedBytes(const DdmRig& rig, bool normals) {
    const Packed& p = *rig.packed;
    const bool has_normals = normals && !p.normals.empty();
    return p.rows.size() * sizeof p.rows[0] + (has_normals ? p.normals.size() * sizeof p.normals[0] : 0) +
           p.blocks.size() * sizeof p.blocks[0] + p.entries.size() * sizeof p.entries[0] +
           p.vertex_count * sizeof(Vec3f) * (has_normals ? 2 : 1);
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

}  // namespace pelt::deform

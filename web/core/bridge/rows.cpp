// What each vertex is skinned by, for the GPU: the rows of a packed rig, with the part of a vertex's base joint, which
// rigs leave out since it follows from what all parts sum up to.
#include <emscripten.h>
#include <pelt/core/aligned_bytes.h>
#include <pelt/runtime/skin.h>

#include <cstring>

#include "handles.h"
#include "runtime/layout/ddm_layout.h"
#include "runtime/layout/lbs_layout.h"
#include "runtime/rig_view.h"

using namespace pelt;
using runtime::DdmData, runtime::DdmForm, runtime::DdmKind, runtime::LbsData, runtime::kLanes;

/// The arrays of `Rows` in ../src/rows.ts, which reads the pointers in this order.
struct pelt_web_rows {
    const char* method_name;
    const float* center_numbers;
    const std::uint32_t* vertex_counts;
    const std::uint32_t* pivot_bones;
    const float* entry_numbers;
    std::size_t number_count = 0;

    std::vector<float> centers;
    std::vector<std::uint32_t> counts, pivots;
    std::vector<float> entries;
};

namespace {

/// An entry of a row: xx xy xz yy yz zz, χ, ω; and ψ.
struct Part {
    std::uint32_t bone = 0;
    double block[10] = {};
    double psi = 0;
};

/// The row of one vertex: its base comes first.
struct Row {
    std::size_t vertex = 0;
    double center[3] = {};
    std::vector<Part> parts;

    Row& begin(std::size_t v, std::uint32_t bone) {
        vertex = v;
        parts.assign(1, Part{bone});
        parts[0].block[9] = parts[0].psi = 1;
        return *this;
    }
    /// All parts sum up to W = P, χ = 0, ω = ψ = 1: what the others leave is the base's.
    void add(const Part& part) {
        for (int i = 0; i < 10; ++i) parts[0].block[i] -= part.block[i];
        parts[0].psi -= part.psi;
        parts.push_back(part);
    }
};

template <class Visit>
void visitLbsLane(const LbsData& rig, std::size_t block, std::size_t lane, const Visit& visit) {
    for (std::size_t e = rig.offsets[block]; e < rig.offsets[block + 1]; ++e) {
        if (rig.compact_entries.empty()) {
            const float weight = rig.rows[e].lane[lane];
            if (weight != 0) visit(weight, rig.entries[e]);
        } else if (const auto& entry = rig.compact_entries[e]; entry.lanes >> lane & 1) {
            visit(rig.rows[rig.row_offsets[block] + entry.row].lane[lane], entry.difference);
        }
    }
}

/// Centers are not used by linear blend skinning.
template <class Visit>
void visitRows(const LbsData& rig, const Visit& visit) {
    Row row;
    for (std::size_t r = 0; r + 1 < rig.runs.size(); ++r) {
        const std::size_t last_base = rig.runs[r + 1].base - 1;
        const std::size_t end = std::min(kLanes * rig.runs[r + 1].block, rig.vertex_count);
        for (std::size_t v = kLanes * rig.runs[r].block; v < end; ++v) {
            const std::size_t lane = v % kLanes;
            std::size_t base = rig.runs[r].base;
            while (base < last_base && !(rig.bases[base].lanes >> lane & 1)) ++base;
            row.begin(v, rig.bases[base].joint);
            visitLbsLane(rig, v / kLanes, lane, [&](float weight, std::size_t difference) {
                Part part{rig.differences[difference].to};
                part.block[9] = part.psi = weight;
                row.add(part);
            });
            visit(row);
        }
    }
}

/// The inverse of a symmetric matrix xx xy xz yy yz zz, in place.
void invert(double* m) {
    const double xx = m[0], xy = m[1], xz = m[2], yy = m[3], yz = m[4], zz = m[5];
    const double a = yy * zz - yz * yz, b = xz * yz - xy * zz, c = xy * yz - xz * yy;
    const double scale = 1 / (xx * a + xy * b + xz * c);
    const double inverse[] = {a, b, c, xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy};
    for (int i = 0; i < 6; ++i) m[i] = scale * inverse[i];
}

/// The numbers of one vertex of a block.
struct DdmLane {
    const DdmData& rig;
    const runtime::DdmLanes& block;
    std::size_t lane;

    double number(std::size_t row) const { return rig.rows[block.row + row].lane[lane]; }

    Part part(std::size_t entry, std::size_t first, const double* from_origin) const {
        const std::size_t each = runtime::entryRows(rig.form);
        Part part{rig.joints[rig.pairs[rig.entries[entry]].joint]};
        if (each == 10) {
            for (std::size_t i = 0; i < 10; ++i) part.block[i] = number(first + i);
            return part;
        }
        part.block[9] = number(first + each - 2);
        part.psi = number(first + each - 1);
        if (each == 5)  // χ is about the origin
            for (std::size_t i = 0; i < 3; ++i) part.block[6 + i] = number(first + i) - part.block[9] * from_origin[i];
        return part;
    }

    bool isUsed(std::size_t first) const {
        for (std::size_t i = 0; i < runtime::entryRows(rig.form); ++i)
            if (number(first + i) != 0) return true;
        return false;
    }

    void fill(Row& row, std::size_t vertex, std::size_t last_entry) const {
        row.begin(vertex, rig.joints[rig.bases[block.base]]);
        const double from_origin[] = {number(3), number(4), number(5)};
        const float origin[] = {rig.origin.x, rig.origin.y, rig.origin.z};
        for (int i = 0; i < 3; ++i) row.center[i] = from_origin[i] + origin[i];
        if (block.kind == DdmKind::followed) return;
        const bool solved = runtime::hasCovariance(rig.form);
        double* const sum = row.parts[0].block;
        for (std::size_t i = 0; solved && i < 6; ++i) sum[i] = number(6 + i);
        if (rig.form == DdmForm::v1 && block.kind == DdmKind::blended) invert(sum);
        std::size_t first = solved ? 12 : 6;
        for (std::size_t e = block.entry; e < last_entry; ++e, first += runtime::entryRows(rig.form))
            if (isUsed(first)) row.add(part(e, first, from_origin));
    }
};

template <class Visit>
void visitRows(const DdmData& rig, const Visit& visit) {
    Row row;
    for (std::size_t w = 0; w + 1 < rig.windows.size(); ++w)
        for (std::size_t b = rig.windows[w]; b < rig.windows[w + 1]; ++b) {
            const runtime::DdmLanes& block = rig.blocks[b];
            for (std::size_t lane = 0; lane < kLanes; ++lane) {
                if (lane > 0 && block.vertices[lane] == block.vertices[lane - 1]) break;  // unused lanes repeat one
                const std::size_t vertex = runtime::kDdmWindow * w + block.vertices[lane];
                DdmLane{rig, block, lane}.fill(row, vertex, rig.blocks[b + 1].entry);
                visit(row);
            }
        }
}

/// The vertices of props have the bone of their part alone.
template <class Visit>
void visitProps(const pelt_character& character, const Visit& visit) {
    Row row;
    std::size_t v = character.character.mesh.vertexCount();
    auto bone = std::uint32_t(character.character.skeleton.joints.size());
    for (const auto& part : character.character.props.mesh.parts) {
        for (const std::size_t end = v + part.vertex_count; v < end; ++v) {
            const Vec3f& at = character.whole.positions[v];
            row.begin(v, bone);
            std::copy_n(&at.x, 3, row.center);
            visit(row);
        }
        ++bone;
    }
}

/// Twelve numbers: bone ω ψ zz, χ yz, xx xy xz yy.
float* write(const Part& part, float* out) {
    const double* b = part.block;
    const double numbers[] = {double(part.bone), b[9], part.psi, b[5], b[6], b[7], b[8], b[4], b[0], b[1], b[2], b[3]};
    return std::transform(std::begin(numbers), std::end(numbers), out, [](double x) { return float(x); });
}

template <class Data>
std::unique_ptr<pelt_web_rows> rowsOf(const pelt_character& character, const Data& rig, const char* method) {
    auto rows = std::make_unique<pelt_web_rows>();
    const std::size_t vertices = character.whole.positions.size();
    rows->centers.resize(3 * vertices);
    rows->counts.resize(vertices);
    rows->pivots.resize(vertices);
    const auto visitAll = [&](const auto& visit) {
        visitRows(rig, visit);
        visitProps(character, visit);
    };
    visitAll([&](const Row& row) { rows->counts[row.vertex] = std::uint32_t(row.parts.size()); });
    std::vector<std::size_t> first(vertices + 1);
    for (std::size_t v = 0; v < vertices; ++v) first[v + 1] = first[v] + 12 * rows->counts[v];
    rows->entries.resize(first.back());
    visitAll([&](const Row& row) {
        std::copy_n(row.center, 3, rows->centers.data() + 3 * row.vertex);
        rows->pivots[row.vertex] = row.parts[0].bone;
        float* out = rows->entries.data() + first[row.vertex];
        for (const Part& part : row.parts) out = write(part, out);
    });
    rows->method_name = method;
    rows->center_numbers = rows->centers.data();
    rows->vertex_counts = rows->counts.data();
    rows->pivot_bones = rows->pivots.data();
    rows->entry_numbers = rows->entries.data();
    rows->number_count = rows->entries.size();
    return rows;
}

/// By DdmForm, as @pelt/three calls them; the printed form of v1 is in no shader.
constexpr const char* kMethods[] = {"ddm", "ddm-v0", "ddm-v1", nullptr, "ddm-v2", "ddm-v3", "ddm-v4", "eddm"};

}  // namespace

extern "C" {

/// Of the bytes of a prepared deformer of this character. *out: null where the method has no form on the GPU.
EMSCRIPTEN_KEEPALIVE pelt_status pelt_web_rows_make(const pelt_character* character, const void* bytes,
                                                    std::size_t size, pelt_web_rows** out) {
    return c::guarded([&] {
        AlignedBytes rig(size);
        std::memcpy(rig.data(), bytes, size);
        const auto skin = runtime::SkinRig::view(rig);
        if (!skin) throw Error::badInput(runtime::describe(skin.error()));
        if (skin->vertexCount() != character->character.mesh.vertexCount())
            throw Error::badInput("these bytes of a deformer are those of another character");
        *out = nullptr;
        if (skin->kind() == runtime::RigKind::lbs) {
            LbsData data;
            if (runtime::locate(rig, data)) *out = rowsOf(*character, data, "lbs").release();
        } else if (skin->kind() == runtime::RigKind::ddm) {
            DdmData data;
            const bool sound = runtime::locate(rig, data);
            const char* method = sound ? kMethods[std::size_t(data.form)] : nullptr;
            if (method) *out = rowsOf(*character, data, method).release();
        }
    });
}

EMSCRIPTEN_KEEPALIVE void pelt_web_rows_free(pelt_web_rows* rows) { delete rows; }

}  // extern "C"

// Deformers of the C interface: a method prepared for a character, posed by matrices.
#include "deformer.h"

#include <fmt/format.h>
#include <pelt/core/parallel.h>
#include <pelt/geometry/normals.h>
#include <pelt/methods/pack.h>
#include <pelt/methods/sampling.h>
#include <pelt/rig/props.h>

#include <algorithm>
#include <cmath>

#include "options.h"

using namespace pelt;
using pelt::c::guarded;
using pelt::c::need;
using pelt::c::vectors;

namespace {

/// Props are placed by their nodes at rest; matrices of joints start from the bind pose, which may be another one.
std::vector<Affine3f> bindsOfProps(const pelt_character& character) {
    const Character& c = character.character;
    const std::vector<Affine3d> worlds = rig::nodeWorlds(c, nullptr, 0);
    std::vector<Affine3f> binds;
    for (const std::int32_t slot : rig::carriersOfProps(c)) {
        if (slot < 0) {
            binds.emplace_back();
            continue;
        }
        const auto joint = std::size_t(character.joints.of_slot[std::size_t(slot)]);
        const Joint& first = c.skeleton.joints[character.joints.entries[joint].first_slot];
        binds.emplace_back(inverse(first.inverse_bind) * inverse(worlds[first.node]));
    }
    return binds;
}

}  // namespace

std::unique_ptr<pelt_deformer> pelt::c::makeDeformer(const pelt_character& character,
                                                     std::unique_ptr<methods::Deformer> method) {
    const Skeleton& skeleton = character.character.skeleton;
    auto made = std::make_unique<pelt_deformer>();
    made->character = &character;
    made->method = std::move(method);
    made->rest_normals = methods::restNormals(character.whole);
    made->prop_binds = bindsOfProps(character);
    made->slots.resize(skeleton.joints.size());
    for (std::size_t s = 0; s < made->slots.size(); ++s) {
        const std::size_t first = character.joints.entries[character.joints.of_slot[s]].first_slot;
        made->from_first.emplace_back();
        if (first != s)
            made->from_first.back() =
                Affine3f(inverse(skeleton.joints[first].inverse_bind) * skeleton.joints[s].inverse_bind);
    }
    return made;
}

DdmRows<float> pelt_character::ddmRows(const methods::MethodOptions& options, const Progress& progress,
                                       DdmContent content) const {
    const std::lock_guard lock(tuning_mutex_);
    return tuning_.rows(options, progress, content);
}

void pelt_deformer::setPose(const float* matrices) {
    c::readMatrices(matrices, character->joints.entries.size(), "matrices", joints);
    for (std::size_t s = 0; s < slots.size(); ++s) {
        const Affine3f& joint = joints[character->joints.of_slot[s]];
        slots[s] = from_first[s] ? joint * *from_first[s] : joint;
    }
    if (method) method->setPose(slots);
}

/// Another rest has the normals of its own shape.
void pelt_deformer::wantNormals() {
    if (other_rest.empty() || !other_normals.empty()) return;
    if (!weld) weld = geometry::weldByPosition(character->whole);
    other_normals = geometry::angleWeightedNormals(other_rest, character->whole.triangles, *weld);
}

void pelt_deformer::evaluate(std::size_t first, std::size_t count, float* positions, float* normals) const {
    const Mesh& mesh = character->character.mesh;
    const std::size_t skinned = mesh.vertexCount();
    if (!method) {
        std::copy_n(restPositions().begin(), skinned, vectors(positions, skinned).begin());
        if (normals) std::copy_n(restNormals().begin(), skinned, vectors(normals, skinned).begin());
        return;
    }
    deform::RestShape rest;  // empty spans: the rig's own copy, which has the layout of the kernels
    if (!other_rest.empty()) rest.positions = restPositions().first(skinned);
    if (normals && (!other_rest.empty() || mesh.normals.empty())) rest.normals = restNormals().first(skinned);
    method->evaluate(rest, first, count, {vectors(positions, skinned), vectors(normals, skinned)});
}

void pelt_deformer::placeProps(float* positions, float* normals) const {
    const std::vector<MeshPart>& parts = character->character.props.mesh.parts;
    std::size_t v = character->character.mesh.vertexCount();
    for (std::size_t p = 0; p < parts.size(); ++p) {
        const std::int32_t carrier = character->carriers[p];
        const Affine3f m = carrier < 0 ? Affine3f() : joints[std::size_t(carrier)] * prop_binds[p];
        const Mat3f turn = cofactor(m.linear());
        for (const std::size_t end = v + parts[p].vertex_count; v < end; ++v) {
            vectors(positions, v + 1)[v] = m * restPositions()[v];
            if (normals) vectors(normals, v + 1)[v] = normalized(turn * restNormals()[v]);
        }
    }
}

pelt_status pelt_deformer_make(const pelt_character* character, const char* method, const char* options,
                               const pelt_call* call, pelt_deformer** deformer) {
    return guarded([&] {
        need(character, "character");
        need(method, "method");
        need(deformer, "deformer");
        const Character& rigged = character->character;
        const methods::Method& found = methods::findMethod(method);
        const methods::MethodOptions given = c::methodOptions(found, c::parseOptions(options));
        if (!rigged.skeleton.joints.empty() && rigged.weights.empty())
            throw Error::badInput("has a skeleton but no skin weights; bind it first");
        std::unique_ptr<methods::Deformer> prepared;
        const Progress progress = c::progressOf(call);
        withThreads(c::threadsOf(call), [&] {
            if (rigged.skeleton.joints.empty()) return;
            const bool from_rows = found.of_rows && !methods::playsFitted(rigged, found, given);
            prepared = from_rows ? found.of_rows(rigged, character->ddmRows(given, progress, found.content(rigged)))
                                 : found.prepare(rigged, given, progress);
        });
        *deformer = c::makeDeformer(*character, std::move(prepared)).release();
    });
}

pelt_status pelt_deformer_save(const pelt_deformer* deformer, uint8_t** bytes, size_t* size) {
    return guarded([&] {
        need(deformer, "deformer");
        need(bytes, "bytes");
        need(size, "size");
        const std::span<const std::byte> rig =
            deformer->method ? deformer->method->rigBytes() : std::span<const std::byte>();
        if (rig.empty())
            throw Error::badUsage("this method has no rig to save (Delta Mush smooths every pose); make it again");
        *bytes = c::copied(rig);
        *size = rig.size();
    });
}

pelt_status pelt_deformer_load(const pelt_character* character, const void* bytes, size_t size,
                               pelt_deformer** deformer) {
    return guarded([&] {
        need(character, "character");
        need(bytes, "bytes");
        need(deformer, "deformer");
        const std::span<const std::byte> rig(static_cast<const std::byte*>(bytes), size);
        *deformer = c::makeDeformer(*character, methods::deformerOf(character->character, rig)).release();
    });
}

void pelt_deformer_free(pelt_deformer* deformer) { delete deformer; }

pelt_status pelt_deformer_set_rest(pelt_deformer* deformer, const float* positions) {
    return guarded([&] {
        need(deformer, "deformer");
        const std::size_t count = positions ? deformer->character->whole.vertexCount() : 0;
        for (std::size_t i = 0; i < 3 * count; ++i)
            if (!std::isfinite(positions[i]))
                throw Error::badInput(fmt::format("rest: vertex {} is not finite", i / 3));
        const auto* shape = reinterpret_cast<const Vec3f*>(positions);
        deformer->other_rest.assign(shape, shape + count);
        deformer->other_normals.clear();
    });
}

pelt_status pelt_deformer_evaluate(pelt_deformer* deformer, const float* matrices, float* positions, float* normals) {
    const auto work = [&] {
        need(deformer, "deformer");
        need(matrices, "matrices");
        need(positions, "positions");
        deformer->setPose(matrices);
        if (normals) deformer->wantNormals();
        deformer->evaluate(0, deformer->character->character.mesh.vertexCount(), positions, normals);
        deformer->placeProps(positions, normals);
    };
    return guarded(std::cref(work));  // a reference fits into std::function, which then allocates nothing
}

pelt_status pelt_deformer_evaluate_frames(pelt_deformer* deformer, const float* matrices, size_t frame_count,
                                          float* positions, float* normals, const pelt_call* call) {
    return guarded([&] {
        need(deformer, "deformer");
        need(matrices, "matrices");
        need(positions, "positions");
        const Progress progress = c::progressOf(call);
        const std::size_t skinned = deformer->character->character.mesh.vertexCount();
        const std::size_t all = 3 * deformer->character->whole.vertexCount();
        const std::size_t joints = deformer->character->joints.entries.size();
        if (normals) deformer->wantNormals();
        withThreads(c::threadsOf(call), [&] {
            for (std::size_t f = 0; f < frame_count; ++f) {
                progress.report("deform", double(f) / double(frame_count));
                float* const x = positions + f * all;
                float* const n = normals ? normals + f * all : nullptr;
                deformer->setPose(matrices + f * 16 * joints);
                parallelFor(
                    skinned, c::threadsOf(call) == 1 ? skinned : kVertexGrain,
                    [&](std::size_t first, std::size_t last) { deformer->evaluate(first, last - first, x, n); });
                deformer->placeProps(x, n);
            }
        });
    });
}

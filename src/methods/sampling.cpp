// Evaluates the frames of a clip with a method.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/geometry/normals.h>
#include <pelt/methods/sampling.h>
#include <pelt/rig/props.h>
#include <pelt/rig/rest_space.h>

#include <algorithm>
#include <cmath>

#include "slice.h"

namespace pelt::methods {
namespace {

/// Vertices posed by one task: enough to hide the overhead of a task, and a multiple of every kernel's block.

/// The matrices of v1 and v3 are not exact rotations. Done twice: if little of `t` remains, most of it is rounding
/// error.
Vec3f perpendicular(Vec3f t, const Vec3f& normal) {
    for (int pass = 0; pass < 2; ++pass) t = normalized(t - normal * dot(t, normal), t);
    return t;
}

/// Positions, normals and tangents as the file stores them (rig::toFileSpace).
Mesh meshOfFile(const Character& character, std::vector<Vec3f> normals) {
    Mesh mesh;
    mesh.positions = character.mesh.positions;
    mesh.normals = std::move(normals);
    mesh.tangents = character.mesh.tangents;
    rig::transformVertices(mesh, 0, mesh.vertexCount(), rig::toFileSpace(character));
    return mesh;
}

}  // namespace

const Clip& chosenClip(const Character& character, const Sampling& sampling) {
    if (sampling.clip) return rig::findClip(character, *sampling.clip);
    if (character.clips.empty())
        throw Error::badInput(
            "has no animation clip; play its range of motion (`clip` @range), add clips from another file (`clips`), "
            "or select the bind pose (`bind_pose`)");
    return character.clips.front();
}

const Clip* movingClip(const Character& character, const Sampling& sampling) {
    if (sampling.clip) return &rig::findClip(character, *sampling.clip);
    for (const Clip& clip : character.clips)
        if (!rig::standsStill(character.skeleton, clip)) return &clip;
    return nullptr;
}

std::vector<double> sampleTimes(const Clip& clip, const Sampling& sampling) {
    std::optional<Slice> slice;
    if (sampling.frames) slice = parseSlice(*sampling.frames);
    std::vector<double> times = rig::sampleTimes(clip, sampling.fps);
    if (!slice) return times;
    std::vector<double> chosen;
    for (const std::size_t index : sliceIndices(*slice, times.size())) chosen.push_back(times[index]);
    if (chosen.empty())
        throw Error::badInput(fmt::format("`frames` {} selects none of the {} samples of clip '{}'", *sampling.frames,
                                          times.size(), clip.name));
    return chosen;
}

std::vector<double> sampleTimes(const Character& character, const Sampling& sampling) {
    if (sampling.bind_pose) return {};
    if (sampling.frames) parseSlice(*sampling.frames);  // wrong usage comes before what a file lacks
    return sampleTimes(chosenClip(character, sampling), sampling);
}

void checkSamples(const MeshSequence& meshes, std::size_t samples, std::size_t vertices, std::string_view which) {
    if (meshes.frameCount() != samples)
        throw Error::badInput(fmt::format(
            "has {} samples in its clip, but there are {} meshes {}; the numbers must be equal (see `clip`, "
            "`fps` and `frames`)",
            samples, meshes.frameCount(), which));
    if (meshes.vertexCount() != vertices)
        throw Error::badInput(
            fmt::format("has {} vertices, but the meshes {} have {}", vertices, which, meshes.vertexCount()));
}

std::vector<Vec3f> restNormals(const Mesh& mesh, float weld_tolerance) {
    if (!mesh.normals.empty()) return mesh.normals;
    const geometry::Weld weld = geometry::weldByPosition(mesh, weld_tolerance);
    return geometry::angleWeightedNormals(mesh.positions, mesh.triangles, weld);
}

/// The props of a character as they are before their nodes move them.
struct PropsAtRest {
    std::vector<Vec3f> normals, tangents;  ///< filled when first needed
    std::vector<Vec3f> morphed, morphed_normals;

    rig::PropsShape shape(const Mesh& mesh, const Clip* clip, double seconds, bool want_normals, bool want_tangents) {
        if (want_normals && normals.empty()) normals = restNormals(mesh);
        if (want_tangents && tangents.empty()) {
            if (mesh.tangents.empty()) throw Error::badInput("has props without tangents; leave them out (`no_props`)");
            for (const Vec4f& t : mesh.tangents) tangents.emplace_back(t.x, t.y, t.z);
        }
        rig::PropsShape shape{mesh.positions, normals, tangents};
        if (mesh.morphs.empty() || !clip) return shape;
        morphed = mesh.positions;
        morphed_normals = want_normals ? normals : std::vector<Vec3f>{};
        rig::addMorphs(mesh, rig::morphWeights(mesh, clip, seconds), morphed, morphed_normals);
        return {morphed, morphed_normals, tangents};
    }
};

struct CharacterSampler::State {
    const Character& character;
    const Clip* clip = nullptr;
    std::vector<double> times;  ///< empty: the bind pose
    double frame_seconds = 1.0 / 30.0;
    std::unique_ptr<Deformer> deformer;  ///< null: bind pose, or a mesh without joints
    std::vector<Vec3f> rest_normals;     ///< given, or filled when normals are first needed
    bool own_normals = true;             ///< they are the mesh's
    std::vector<Vec3f> morphed_positions, morphed_normals;
    PropsAtRest props;
    std::unique_ptr<MeshSequence> base;  ///< null: the method works on its own
    std::vector<Vec3f> base_positions;
    std::vector<Vec3f> rest_tangents;    ///< filled when tangents are first needed
    std::optional<geometry::Weld> weld;  ///< to recompute the normals of a morphed mesh that has none of its own

    explicit State(const Character& c) : character(c) {}

    const std::vector<Vec3f>& normalsAtRest() {
        if (rest_normals.empty()) rest_normals = restNormals(character.mesh);
        return rest_normals;
    }
    const std::vector<Vec3f>& tangentsAtRest();
    bool morph(double seconds, bool want_normals);
    deform::RestShape restShape(double seconds, bool want_normals);
    void setPose(double seconds);
    void evaluateSkin(double seconds, std::span<Vec3f> positions, std::span<Vec3f> normals, std::span<Vec3f> tangents);
    void placeProps(double seconds, std::span<Vec3f> positions, std::span<Vec3f> normals, std::span<Vec3f> tangents);
};

const std::vector<Vec3f>& CharacterSampler::State::tangentsAtRest() {
    if (character.mesh.tangents.empty())
        throw Error::badInput("has no tangents (TANGENT in every primitive); export it with them");
    if (rest_tangents.empty())
        for (const Vec4f& t : character.mesh.tangents) rest_tangents.emplace_back(t.x, t.y, t.z);
    return rest_tangents;
}

/// Fills the morphed buffers; false, with the buffers unchanged, if no morph target has weight.
bool CharacterSampler::State::morph(double seconds, bool want_normals) {
    const Mesh& mesh = character.mesh;
    if (mesh.morphs.empty()) return false;
    const std::vector<float> weights = rig::morphWeights(mesh, clip, seconds);
    if (std::all_of(weights.begin(), weights.end(), [](float w) { return w == 0; })) return false;
    morphed_positions = mesh.positions;
    morphed_normals.clear();
    if (want_normals && !mesh.normals.empty()) morphed_normals = normalsAtRest();
    rig::addMorphs(mesh, weights, morphed_positions, morphed_normals);
    if (want_normals && mesh.normals.empty()) {
        if (!weld) weld = geometry::weldByPosition(mesh);
        morphed_normals = geometry::angleWeightedNormals(morphed_positions, mesh.triangles, *weld);
    }
    return true;
}

deform::RestShape CharacterSampler::State::restShape(double seconds, bool want_normals) {
    if (!base && morph(seconds, want_normals)) return {morphed_positions, morphed_normals};
    // Empty spans: the rig's own copy, which has the layout of the kernels.
    deform::RestShape rest;
    if (!deformer) rest.positions = character.mesh.positions;
    if (want_normals && !(deformer && own_normals)) rest.normals = normalsAtRest();
    return rest;
}

CharacterSampler::CharacterSampler(const Character& character, const Method& method, const Sampling& sampling,
                                   const Progress& progress, const MethodOptions& options)
    : state_(std::make_unique<State>(character)) {
    state_->own_normals = !character.mesh.normals.empty();
    if (sampling.bind_pose) return;
    state_->times = sampleTimes(character, sampling);
    state_->clip = &chosenClip(character, sampling);
    const bool stepped = sampling.frames && state_->times.size() > 1;
    state_->frame_seconds = (stepped ? std::abs(double(parseSlice(*sampling.frames).step)) : 1.0) / sampling.fps;
    if (character.skeleton.joints.empty()) return;
    if (character.weights.empty())
        throw Error::badInput("has a skeleton but no skin weights; bind it first (pelt bind)");
    state_->deformer = method.prepare(character, options, progress);
}

CharacterSampler::~CharacterSampler() = default;

std::size_t CharacterSampler::frameCount() const { return std::max<std::size_t>(state_->times.size(), 1); }
double CharacterSampler::frameTime(std::size_t frame) const { return state_->clip ? state_->times.at(frame) : 0; }
double CharacterSampler::frameSeconds() const { return state_->frame_seconds; }
const Clip* CharacterSampler::clip() const { return state_->clip; }
std::size_t CharacterSampler::vertexCount() const { return rig::vertexCount(state_->character); }

void CharacterSampler::setRestNormals(std::vector<Vec3f> normals) {
    if (normals.size() != state_->character.mesh.vertexCount())
        throw Error::badUsage("there must be one rest normal per vertex");
    state_->rest_normals = std::move(normals);
    state_->own_normals = false;
}

void CharacterSampler::setBase(std::unique_ptr<MeshSequence> base) {
    if (!state_->deformer) return;
    const std::size_t vertices = state_->character.mesh.vertexCount();
    checkSamples(*base, state_->times.size(), vertices, "in `base`");
    state_->base = std::move(base);
    state_->base_positions.resize(vertices);
}

void CharacterSampler::evaluate(std::size_t frame, std::span<Vec3f> positions, std::span<Vec3f> normals,
                                std::span<Vec3f> tangents) {
    if (frame >= frameCount()) throw Error::badUsage(fmt::format("no frame {}: there are {}", frame, frameCount()));
    evaluateAt(frameTime(frame), positions, normals, tangents);
}

void CharacterSampler::evaluateAt(double seconds, std::span<Vec3f> positions, std::span<Vec3f> normals,
                                  std::span<Vec3f> tangents) {
    const std::size_t count = vertexCount(), skin = state_->character.mesh.vertexCount();
    for (const std::size_t size :
         {positions.size(), normals.empty() ? count : normals.size(), tangents.empty() ? count : tangents.size()})
        if (size != count)
            throw Error::badUsage("there must be one position, normal and tangent per vertex of the character");
    const auto head = [&](std::span<Vec3f> all) { return all.first(all.empty() ? 0 : skin); };
    const auto tail = [&](std::span<Vec3f> all) { return all.subspan(all.empty() ? 0 : skin); };
    state_->evaluateSkin(seconds, head(positions), head(normals), head(tangents));
    if (count > skin) state_->placeProps(seconds, tail(positions), tail(normals), tail(tangents));
}

/// In the bind pose they are placed by the rest pose of their nodes.
void CharacterSampler::State::placeProps(double seconds, std::span<Vec3f> positions, std::span<Vec3f> normals,
                                         std::span<Vec3f> tangents) {
    const Mesh& mesh = character.props.mesh;
    rig::placeProps(character.props, rig::nodeWorlds(character, clip, seconds),
                    props.shape(mesh, clip, seconds, !normals.empty(), !tangents.empty()),
                    {positions, normals, tangents});
}

void CharacterSampler::State::setPose(double seconds) {
    const std::vector<Affine3d> matrices = rig::drivenSkinMatrices(character.skeleton, character.driven, clip, seconds);
    const std::vector<Affine3f> bones(matrices.begin(), matrices.end());
    if (!base) return deformer->setPose(bones);
    std::size_t frame = 0;
    for (std::size_t f = 0; f < times.size(); ++f)  // they may run backwards
        if (times[f] <= seconds && (times[frame] > seconds || times[f] > times[frame])) frame = f;
    base->readFrame(frame, base_positions);
    deformer->setPoseOver(bones, base_positions);
}

void CharacterSampler::State::evaluateSkin(double seconds, std::span<Vec3f> positions, std::span<Vec3f> normals,
                                           std::span<Vec3f> tangents) {
    const Mesh& mesh = character.mesh;
    const std::size_t count = mesh.vertexCount();
    std::span<const Vec3f> given_tangents;
    if (!tangents.empty()) given_tangents = tangentsAtRest();
    if (!clip) {
        const Mesh stored = meshOfFile(character, normals.empty() ? std::vector<Vec3f>{} : normalsAtRest());
        std::copy(stored.positions.begin(), stored.positions.end(), positions.begin());
        if (!normals.empty()) std::copy(stored.normals.begin(), stored.normals.end(), normals.begin());
        for (std::size_t v = 0; v < tangents.size(); ++v)
            tangents[v] = {stored.tangents[v].x, stored.tangents[v].y, stored.tangents[v].z};
        return;
    }
    const deform::RestShape rest = restShape(seconds, !normals.empty());
    if (!deformer) {
        std::copy(rest.positions.begin(), rest.positions.end(), positions.begin());
        std::copy(rest.normals.begin(), rest.normals.end(), normals.begin());
        std::copy(given_tangents.begin(), given_tangents.end(), tangents.begin());
        return;
    }
    setPose(seconds);
    const Deformer& poser = *deformer;
    const deform::Output out{positions, normals};
    parallelFor(count, kVertexGrain, [&](std::size_t first, std::size_t last) {
        poser.evaluate(rest, first, last - first, out);
        if (tangents.empty()) return;
        poser.evaluateTangents(given_tangents, first, last - first, tangents);
        if (normals.empty()) return;
        for (std::size_t v = first; v < last; ++v) tangents[v] = perpendicular(tangents[v], normals[v]);
    });
}

}  // namespace pelt::methods

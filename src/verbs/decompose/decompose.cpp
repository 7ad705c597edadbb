// From mesh sequences to a character that can be saved: [LeDeng12] and everything around it.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/geometry/normals.h>
#include <pelt/io/character_file.h>
#include <pelt/methods/sampling.h>
#include <pelt/rig/clip_builder.h>
#include <pelt/verbs/decompose.h>

#include <algorithm>
#include <numeric>

namespace pelt::verbs {
namespace {

constexpr double kFramesPerSecond = 30;

/// Sequences concatenated into one, as the solver needs them.
class JoinedSequence final : public MeshSequence {
public:
    explicit JoinedSequence(std::vector<MeshSequence*> sequences) : sequences_(std::move(sequences)) {}

    std::size_t frameCount() const override {
        std::size_t frames = 0;
        for (const MeshSequence* sequence : sequences_) frames += sequence->frameCount();
        return frames;
    }
    std::size_t vertexCount() const override { return sequences_.front()->vertexCount(); }
    void readFrame(std::size_t frame, std::span<Vec3f> out) override {
        std::size_t s = 0;
        while (frame >= sequences_[s]->frameCount()) frame -= sequences_[s++]->frameCount();
        sequences_[s]->readFrame(frame, out);
    }

private:
    std::vector<MeshSequence*> sequences_;
};

JoinedSequence joined(std::span<const NamedSequence> sequences) {
    std::vector<MeshSequence*> list;
    for (const NamedSequence& sequence : sequences) list.push_back(sequence.frames);
    return JoinedSequence(std::move(list));
}

void checkSizes(const Mesh& rest, std::span<const NamedSequence> sequences) {
    if (sequences.empty()) throw Error::badInput("there is no sequence to decompose");
    for (const NamedSequence& sequence : sequences) {
        if (sequence.frames->frameCount() == 0)
            throw Error::badInput(fmt::format("sequence '{}' has no frames", sequence.name));
        if (sequence.frames->vertexCount() != rest.vertexCount())
            throw Error::badInput(fmt::format("sequence '{}' has {} vertices, but the rest pose has {}", sequence.name,
                                              sequence.frames->vertexCount(), rest.vertexCount()));
    }
}

/// The mesh of the character, with the corrected rest pose. Normals are shared by vertices of equal position in the
/// given rest pose.
Mesh skinMesh(const Mesh& rest, const std::vector<Vec3f>& corrected) {
    Mesh mesh;
    mesh.positions = corrected;
    mesh.uvs = rest.uvs;
    mesh.triangles = rest.triangles;
    mesh.normals = geometry::angleWeightedNormals(corrected, rest.triangles, geometry::weldByPosition(rest));
    return mesh;
}

/// Kept joints keep their hierarchy; other bones get one from their motion, or none.
std::vector<fit::BoneLink> linksOf(const fit::Decomposition& decomposition, const DecomposeRequest& request) {
    std::vector<fit::BoneLink> links;
    if (request.skeleton) links = fit::linkBones(decomposition);
    const std::vector<std::int32_t> parents = rig::jointParents(request.kept);
    const std::vector<Vec3d> places = rig::jointRestPositions(request.kept);
    if (!parents.empty()) links.resize(decomposition.bones);
    for (std::size_t b = 0; b < parents.size(); ++b) links[b] = {parents[b], places[b], 0};
    return links;
}

/// The first frame of each sequence among all frames, and the end of the last one.
std::vector<std::size_t> firstFrames(std::span<const NamedSequence> sequences) {
    std::vector<std::size_t> first{0};
    for (const NamedSequence& sequence : sequences) first.push_back(first.back() + sequence.frames->frameCount());
    return first;
}

/// k/30, rounded up, so that sampling at 30 frames per second gives as many samples as there are frames.
std::vector<float> keyTimes(std::size_t frames) {
    std::vector<float> times(frames);
    for (std::size_t k = 0; k < frames; ++k) times[k] = rig::keyTimeFrom(double(k) / kFramesPerSecond);
    return times;
}

void addEigenSkin(Character& character, const fit::EigenSkin& eigenskin, std::span<const std::size_t> first) {
    std::vector<std::uint32_t> all(character.mesh.vertexCount());
    std::iota(all.begin(), all.end(), 0U);
    for (std::size_t r = 0; r < eigenskin.rank; ++r)
        character.mesh.morphs.push_back({fmt::format("eigenskin_{}", r), 0, 0, all, eigenskin.modes[r], {}});
    for (std::size_t c = 0; c < character.clips.size(); ++c) {
        Channel channel;
        channel.path = ChannelPath::morph_weights;
        channel.width = std::uint32_t(eigenskin.rank);
        channel.times = keyTimes(first[c + 1] - first[c]);
        channel.values.assign(eigenskin.coefficients.begin() + std::ptrdiff_t(first[c] * eigenskin.rank),
                              eigenskin.coefficients.begin() + std::ptrdiff_t(first[c + 1] * eigenskin.rank));
        character.clips[c].channels.push_back(std::move(channel));
    }
}

Compression compressionOf(const DecomposeResult& made, fit::BoneKind kind) {
    const std::uint64_t vertices = made.decomposition.rest.size(), frames = made.decomposition.frames;
    const std::uint64_t rank = made.eigenskin ? made.eigenskin->rank : 0;
    Compression compression;
    compression.input_numbers = 3 * vertices * frames;
    compression.stored_numbers = 3 * vertices + 2 * vertices * maxInfluences(made.decomposition.weights) +
                                 (kind == fit::BoneKind::rigid ? 7 : 12) * made.decomposition.bones * frames +
                                 rank * (3 * vertices + frames);
    return compression;
}

/// The bones as joints, and one clip per sequence. Kept joints keep their names.
void animate(DecomposeResult& made, std::span<const NamedSequence> sequences, const DecomposeRequest& request) {
    const std::vector<std::size_t> first = firstFrames(sequences);
    std::vector<fit::FrameRange> ranges;
    for (std::size_t c = 0; c < sequences.size(); ++c)
        ranges.push_back({sequences[c].name, first[c], first[c + 1] - first[c]});
    fit::BoneAnimation animation = fit::animateBones(made.decomposition, made.links, ranges, 1 / kFramesPerSecond);
    made.character.skeleton = std::move(animation.skeleton);
    made.character.clips = std::move(animation.clips);
    Skeleton& skeleton = made.character.skeleton;
    for (std::size_t j = 0; j < request.kept.joints.size(); ++j)
        skeleton.nodes[skeleton.joints[j].node].name = rig::jointName(request.kept, j);
    for (Clip& clip : made.character.clips) {
        for (Channel& channel : clip.channels) channel.times = keyTimes(channel.times.size());
        clip.last_key = clip.channels.empty() ? 0 : clip.channels.front().times.back();
    }
}

const Clip& keptClip(const Character& character, std::span<const NamedSequence> sequences, std::size_t index) {
    const std::string& name = sequences[index].name;
    for (const Clip& clip : character.clips)
        if (clip.name == name) return clip;
    if (index < character.clips.size()) return character.clips[index];
    throw Error::badInput(fmt::format("has {} clips, but none for sequence {}, '{}'; give one that name",
                                      character.clips.size(), index, name));
}

void keepJoints(DecomposeRequest& request, const Character& character) {
    if (character.skeleton.joints.empty()) throw Error::badInput("has no joints to keep");
    if (request.kept.joints.empty()) {
        request.kept = character.skeleton;
        return;
    }
    const auto differ = [&](std::size_t j) {
        return rig::jointName(request.kept, j) != rig::jointName(character.skeleton, j);
    };
    bool same = request.kept.joints.size() == character.skeleton.joints.size();
    for (std::size_t j = 0; same && j < request.kept.joints.size(); ++j) same = !differ(j);
    if (!same) throw Error::badInput("its joints are not those of the character whose motion is kept");
}

}  // namespace

void keepMotion(DecomposeRequest& request, const Character& character, std::span<const NamedSequence> sequences) {
    keepJoints(request, character);
    request.solver.kept_bones = character.skeleton.joints.size();
    request.solver.kept_motion.clear();
    for (std::size_t s = 0; s < sequences.size(); ++s) {
        const Clip& clip = keptClip(character, sequences, s);
        const std::vector<double> times = rig::sampleTimes(clip, kFramesPerSecond);
        const std::size_t frames = sequences[s].frames->frameCount();
        if (times.size() != frames)
            throw Error::badInput({"", fmt::format("clip '{}'", clip.name)},
                                  fmt::format("has {} samples at 30 per second, but sequence '{}' has {} frames",
                                              times.size(), sequences[s].name, frames));
        for (const double t : times)
            for (const Affine3d& bone : rig::drivenSkinMatrices(character.skeleton, character.driven, &clip, t))
                request.solver.kept_motion.push_back(bone);
    }
}

void keepWeights(DecomposeRequest& request, const Character& character, std::size_t vertices) {
    if (character.weights.empty()) throw Error::badInput("has no weights to keep");
    if (character.weights.vertexCount() != vertices)
        throw Error::badInput(fmt::format("has weights for {} vertices, but the frames have {}",
                                          character.weights.vertexCount(), vertices));
    keepJoints(request, character);
    request.solver.kept_weights = character.weights;
}

DecomposeResult decompose(const Mesh& rest, std::span<const NamedSequence> sequences, const DecomposeRequest& request,
                          const Progress& progress) {
    checkSizes(rest, sequences);
    JoinedSequence frames = joined(sequences);
    const std::vector<std::size_t> first = firstFrames(sequences);
    DecomposeResult made;
    made.decomposition = request.tolerance
                             ? fit::decomposeTo(*request.tolerance, frames, rest.positions, rest.triangles,
                                                request.solver, made.trials, progress)
                             : fit::decompose(frames, rest.positions, rest.triangles, request.solver, progress);
    if (request.solver.kept_weights.empty()) made.decomposition.weights = withoutSmall(made.decomposition.weights);
    made.links = linksOf(made.decomposition, request);
    made.spheres = fit::boneSpheres(made.decomposition);
    made.character.mesh = skinMesh(rest, made.decomposition.rest);
    made.character.weights = made.decomposition.weights;
    animate(made, sequences, request);
    if (request.eigenskin > 0) {
        made.eigenskin = fit::fitEigenSkin(made.decomposition, frames, request.eigenskin, progress, rest.positions);
        addEigenSkin(made.character, *made.eigenskin, first);
    }
    made.compression = compressionOf(made, request.solver.kind);
    return made;
}

geometry::SequenceError measureClips(const Character& character, std::span<const NamedSequence> sequences,
                                     std::span<const Vec3f> rest, const Progress& progress) {
    const Character stored = io::loadGltf(io::toGlb(character), "the decomposed character").character;
    std::vector<std::unique_ptr<MeshSequence>> clips;
    std::vector<MeshSequence*> list;
    for (const NamedSequence& sequence : sequences) {
        methods::Sampling sampling;
        sampling.clip = sequence.name;
        clips.push_back(methods::sampleCharacter(stored, sampling, methods::findMethod("lbs")));
        list.push_back(clips.back().get());
    }
    JoinedSequence posed(std::move(list)), frames = joined(sequences);
    return geometry::compareSequences(posed, frames, rest, progress, character.mesh.triangles);
}

}  // namespace pelt::verbs

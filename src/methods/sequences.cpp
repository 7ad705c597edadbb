#include <pelt/io/character_file.h>
#include <pelt/io/mesh_file.h>
#include <pelt/io/sequence_file.h>
#include <pelt/pipeline/files.h>
#include <pelt/pipeline/sampling.h>
#include <pelt/rig/props.h>

#include <algorithm>

namespace pelt::pipeline {
namespace {

/// A character that is posed when a frame is read.
class CharacterSequence final : public MeshSequence {
public:
    CharacterSequence(Character character, const Method& method, const Sampling& sampling, const Progress& progress)
        : character_(std::move(character)),
          whole_(rig::wholeMesh(character_)),
          sampler_(character_, method, sampling, progress) {}

    std::size_t frameCount() const override { return sampler_.frameCount(); }
    std::size_t vertexCount() const override { return sampler_.vertexCount(); }
    void readFrame(std::size_t frame, std::span<Vec3f> out) override { sampler_.evaluate(frame, out, {}); }
    const Mesh* mesh() const override { return &whole_; }
    double frameSeconds() const override { return sampler_.frameSeconds(); }

private:
    Character character_;
    Mesh whole_;
    CharacterSampler sampler_;
};

/// The first vertices of each frame.
class FirstVertices final : public MeshSequence {
public:
    FirstVertices(std::unique_ptr<MeshSequence> whole, const Mesh& mesh)
        : whole_(std::move(whole)), mesh_(mesh), frame_(whole_->vertexCount()) {}

    std::size_t frameCount() const override { return whole_->frameCount(); }
    std::size_t vertexCount() const override { return mesh_.vertexCount(); }
    void readFrame(std::size_t frame, std::span<Vec3f> out) override {
        whole_->readFrame(frame, frame_);
        std::copy_n(frame_.begin(), out.size(), out.begin());
    }
    const Mesh* mesh() const override { return &mesh_; }
    double frameSeconds() const override { return whole_->frameSeconds(); }

private:
    std::unique_ptr<MeshSequence> whole_;
    Mesh mesh_;
    std::vector<Vec3f> frame_;
};

}  // namespace

std::unique_ptr<MeshSequence> withoutProps(std::unique_ptr<MeshSequence> sequence, const Character& character) {
    if (character.props.mesh.positions.empty() || sequence->vertexCount() != rig::vertexCount(character))
        return sequence;
    return std::make_unique<FirstVertices>(std::move(sequence), character.mesh);
}

Mesh loadMeshFor(const std::filesystem::path& path, std::size_t vertices) {
    if (fileKind(path) != FileKind::character) return io::loadMesh(path);
    Character character = io::loadCharacter(path);
    return character.mesh.vertexCount() == vertices ? std::move(character.mesh) : rig::wholeMesh(character);
}

std::unique_ptr<MeshSequence> sampleCharacter(Character character, Sampling sampling, const Method& method,
                                              const Progress& progress) {
    if (character.clips.empty() && !sampling.clip) sampling.bind_pose = true;
    return std::make_unique<CharacterSequence>(std::move(character), method, sampling, progress);
}

std::unique_ptr<MeshSequence> openSequence(const std::filesystem::path& path, const Sampling& sampling,
                                           const std::optional<std::filesystem::path>& mesh) {
    switch (fileKind(path)) {
        case FileKind::character:
            try {
                return sampleCharacter(io::loadCharacter(path), sampling, findMethod("lbs"));
            } catch (const Error& error) {
                throw error.in(path.string());
            }
        case FileKind::mesh: {
            Mesh loaded = io::loadMesh(path);
            std::vector<Vec3f> positions = loaded.positions;
            const std::size_t vertices = positions.size();
            return makeSequence(std::move(positions), vertices, std::move(loaded));
        }
        case FileKind::sequence:
            break;
    }
    std::optional<Mesh> topology;
    if (mesh) topology = loadMeshFor(*mesh, io::openSequence(path)->vertexCount());
    return io::openSequence(path, std::move(topology));
}

}  // namespace pelt::pipeline

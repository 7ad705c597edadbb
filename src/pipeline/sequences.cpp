#include <pelt/io/character_file.h>
#include <pelt/io/mesh_file.h>
#include <pelt/io/sequence_file.h>
#include <pelt/pipeline/files.h>
#include <pelt/pipeline/sampling.h>

namespace pelt::pipeline {
namespace {

/// A character that is posed when a frame is read.
class CharacterSequence final : public MeshSequence {
public:
    CharacterSequence(Character character, const Method& method, const Sampling& sampling, const Progress& progress)
        : character_(std::move(character)), sampler_(character_, method, sampling, progress) {}

    std::size_t frameCount() const override { return sampler_.frameCount(); }
    std::size_t vertexCount() const override { return character_.mesh.vertexCount(); }
    void readFrame(std::size_t frame, std::span<Vec3f> out) override { sampler_.evaluate(frame, out, {}); }
    const Mesh* mesh() const override { return &character_.mesh; }
    double frameSeconds() const override { return sampler_.frameSeconds(); }

private:
    Character character_;
    CharacterSampler sampler_;
};

}  // namespace

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
                throw withFile(error, path);
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
    if (mesh) {
        fileKind(*mesh);
        topology = io::loadMesh(*mesh);
    }
    return io::openSequence(path, std::move(topology));
}

}  // namespace pelt::pipeline

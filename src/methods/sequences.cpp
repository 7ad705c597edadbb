// A character as a sequence that is posed when a frame is read.
#include <pelt/methods/sampling.h>
#include <pelt/rig/props.h>

#include <algorithm>

namespace pelt::methods {
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
    bool hasNormals() const override {
        const auto given = [](const Mesh& mesh) {
            return mesh.positions.empty() ||
                   (!mesh.normals.empty() &&
                    std::none_of(mesh.morphs.begin(), mesh.morphs.end(),
                                 [](const MorphTarget& m) { return m.normal_offsets.empty(); }));
        };
        return given(character_.mesh) && given(character_.props.mesh);
    }
    void readNormals(std::size_t frame, std::span<Vec3f> out) override {
        std::vector<Vec3f> positions(out.size());
        sampler_.evaluate(frame, positions, out);
    }
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
    bool hasNormals() const override { return whole_->hasNormals(); }
    void readNormals(std::size_t frame, std::span<Vec3f> out) override {
        whole_->readNormals(frame, frame_);
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

std::unique_ptr<MeshSequence> sampleCharacter(Character character, Sampling sampling, const Method& method,
                                              const Progress& progress) {
    if (character.clips.empty() && !sampling.clip) sampling.bind_pose = true;
    return std::make_unique<CharacterSequence>(std::move(character), method, sampling, progress);
}

}  // namespace pelt::methods

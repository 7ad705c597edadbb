// A sequence of frames that are all in memory.
#include <pelt/core/mesh_sequence.h>

#include <algorithm>

namespace pelt {
namespace {

class SequenceInMemory final : public MeshSequence {
public:
    SequenceInMemory(std::vector<Vec3f> positions, std::size_t vertex_count, Mesh mesh)
        : positions_(std::move(positions)), vertex_count_(vertex_count), mesh_(std::move(mesh)) {}

    std::size_t frameCount() const override { return vertex_count_ ? positions_.size() / vertex_count_ : 0; }
    std::size_t vertexCount() const override { return vertex_count_; }
    void readFrame(std::size_t frame, std::span<Vec3f> out) override {
        std::copy_n(positions_.begin() + static_cast<std::ptrdiff_t>(frame * vertex_count_), vertex_count_,
                    out.begin());
    }
    bool hasNormals() const override { return frameCount() == 1 && mesh_.normals.size() == vertex_count_; }
    void readNormals(std::size_t, std::span<Vec3f> out) override {
        std::copy(mesh_.normals.begin(), mesh_.normals.end(), out.begin());
    }
    const Mesh* mesh() const override { return mesh_.positions.empty() ? nullptr : &mesh_; }

private:
    std::vector<Vec3f> positions_;
    std::size_t vertex_count_;
    Mesh mesh_;
};

}  // namespace

std::unique_ptr<MeshSequence> makeSequence(std::vector<Vec3f> positions, std::size_t vertex_count, Mesh mesh) {
    return std::make_unique<SequenceInMemory>(std::move(positions), vertex_count, std::move(mesh));
}

}  // namespace pelt

#pragma once

#include <pelt/core/mesh.h>
#include <pelt/core/skin_weights.h>
#include <pelt/deform/deform.h>

#include <memory>

namespace pelt::deform {

/// Dual quaternion skinning [Kavan08]: what a pose needs, packed once. Immutable and cheap to copy.
struct DqsRig {
    struct Packed;
    std::shared_ptr<const Packed> packed;
};

/// One pose's joints as stretches and unit dual quaternions. Made once per rig, filled for every pose, so that
/// evaluation allocates nothing and ranges share it.
class DqsPose {
public:
    explicit DqsPose(const DqsRig& rig);
    ~DqsPose();
    DqsPose(DqsPose&&) noexcept;
    DqsPose& operator=(DqsPose&&) noexcept;

    /// Splits each bone into a right stretch about the joint's rest position and a rigid part. A bone that mirrors
    /// keeps its mirroring in the stretch. One bone per joint the weights name (more are ignored).
    void set(std::span<const Affine3f> bones) noexcept;

    struct Data;
    const Data& data() const noexcept { return *data_; }

private:
    std::unique_ptr<Data> data_;
};

/// `joint_positions`: rest positions of the joints, the centres of their stretches.
/// Copies the rest shape and packs the weights; neither is needed afterwards. Throws Error (bad input) where sizes
/// differ, a vertex has no weight, or one that is negative or not finite, or the weights name a joint without a
/// position.
DqsRig prepareDqs(const Mesh& rest, const SkinWeights& weights, std::span<const Vec3d> joint_positions);

/// The bytes that posing every vertex once reads and writes, apart from the joints' transforms.
std::size_t streamedBytes(const DqsRig& rig, bool normals);

/// Poses the vertices [first, first + count). `pose` was made for this rig. Stretches are blended linearly first, then
/// the rigid parts as dual quaternions on the hemisphere of the heaviest joint. Normals follow the blended rotation
/// (and reflection, where joints mirror); `out.normals` is left alone where the rest shape has none.
///
/// Disjoint ranges may run on any threads; results are the same bits however the mesh is cut. Nothing outside the
/// range is read of `rest` or written to `out`, which may be the same memory. Sizes are checked by assert.
void evaluate(const DqsRig& rig, const DqsPose& pose, const RestShape& rest, std::size_t first, std::size_t count,
              const Output& out) noexcept;

}  // namespace pelt::deform

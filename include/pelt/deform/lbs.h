#pragma once

#include <pelt/core/mesh.h>
#include <pelt/core/skin_weights.h>
#include <pelt/deform/deform.h>

#include <memory>

namespace pelt::deform {

/// Linear blend skinning: what a pose needs, packed once. Immutable and cheap to copy.
struct LbsRig {
    struct Packed;
    std::shared_ptr<const Packed> packed;
};

/// One pose's joints, and the differences of those that vertices blend. Made once per rig, filled for every pose, so
/// that evaluation allocates nothing and ranges share it. The rest pose until it is set.
class LbsPose {
public:
    explicit LbsPose(const LbsRig& rig);
    ~LbsPose();
    LbsPose(LbsPose&&) noexcept;
    LbsPose& operator=(LbsPose&&) noexcept;

    /// `bones` map rest space to posed space, one per joint the weights name (more are ignored).
    void set(std::span<const Affine3f> bones) noexcept;

    struct Data;
    const Data& data() const noexcept { return *data_; }

private:
    std::unique_ptr<Data> data_;
};

/// Copies the rest shape and packs the weights; neither is needed afterwards. Throws Error (bad input) where sizes
/// differ or a vertex has no weight, or one that is negative or not finite.
LbsRig prepareLbs(const Mesh& rest, const SkinWeights& weights);

/// The bytes that posing every vertex once reads and writes, apart from the pose.
std::size_t streamedBytes(const LbsRig& rig, bool normals);

/// The multiply-adds of single numbers that posing the position of every vertex once takes, those of vertices that only
/// share a block with a joint's included.
std::size_t multiplyAdds(const LbsRig& rig);

/// Poses the vertices [first, first + count): x' = (Σ_j w_j M_j) x. `pose` was made for this rig. Normals go
/// through the inverse transpose of the blended matrix, keep their side of the surface where joints mirror, and come
/// out unit; where the blend leaves no direction, the rest normal stays. `out.normals` is left alone where the rest
/// shape has none.
///
/// Disjoint ranges may run on any threads; results are the same bits however the mesh is cut. Nothing outside the
/// range is read of `rest` or written to `out`, which may be the same memory. Sizes are checked by assert.
void evaluate(const LbsRig& rig, const LbsPose& pose, const RestShape& rest, std::size_t first, std::size_t count,
              const Output& out) noexcept;

}  // namespace pelt::deform

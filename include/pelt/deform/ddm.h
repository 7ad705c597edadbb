#pragma once

#include <pelt/core/ddm_payload.h>
#include <pelt/core/mesh.h>
#include <pelt/deform/deform.h>

#include <memory>

namespace pelt::deform {

/// How rows are evaluated: the variants of [LeLewis19] §3.5 (v5 is LBS or DQS with plainWeights), the printed v1 for
/// literal comparison, and Enhanced DDM [Kalentchouk20]. `ddm` is v0, and Enhanced DDM in poses whose joints scale or
/// shear.
enum class DdmForm { ddm, v0, v1, v1_printed, v2, v3, v4, eddm };

/// Vertices that are packed together. A range may start and end anywhere, and costs no more than its vertices where
/// both are multiples of this.
constexpr std::size_t kDdmWindow = 2048;

/// Direct Delta Mush [LeLewis19]: rows packed for evaluation in one form. Immutable and cheap to copy.
struct DdmRig {
    struct Packed;
    std::shared_ptr<const Packed> packed;
};

/// One pose's joints as a form needs them: matrices, their rotations, quaternions. Made once per rig, filled for every
/// pose, so that evaluation allocates nothing and ranges share it.
class DdmPose {
public:
    explicit DdmPose(const DdmRig& rig);
    ~DdmPose();
    DdmPose(DdmPose&&) noexcept;
    DdmPose& operator=(DdmPose&&) noexcept;

    /// One bone per joint the rows name (more are ignored), from rest space to posed space; bones may scale, shear and
    /// mirror.
    void set(std::span<const Affine3f> bones) noexcept;

    struct Data;
    const Data& data() const noexcept { return *data_; }

private:
    std::unique_ptr<Data> data_;
};

/// Packs the rows of `rest`'s vertices; neither is needed afterwards. Throws Error (bad input) where sizes differ, a
/// row is empty or not finite.
DdmRig packDdm(const Mesh& rest, const DdmRows<float>& rows, DdmForm form);

/// The bytes that posing every vertex once reads and writes, apart from the joints' transforms.
std::size_t streamedBytes(const DdmRig& rig, bool normals);

/// Poses the vertices [first, first + count): x = R_i u + t_i. `pose` was made for this rig. Normals follow R_i (in v1
/// and v3 what stands for it) and come out unit; `out.normals` is left alone where the rest shape has none. A vertex
/// with one joint follows it, nothing blended.
///
/// Disjoint ranges may run on any threads; results are the same bits however the mesh is cut. Nothing outside the
/// range is read of `rest` or written to `out`, which may be the same memory. Sizes are checked by assert.
void evaluate(const DdmRig& rig, const DdmPose& pose, const RestShape& rest, std::size_t first, std::size_t count,
              const Output& out) noexcept;

/// ω as skin weights: what v5 and viewers that know no DDM blend with.
SkinWeights plainWeights(const DdmRows<float>& rows);

}  // namespace pelt::deform

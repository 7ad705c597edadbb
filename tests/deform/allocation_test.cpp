// Evaluation allocates nothing.
#include <gtest/gtest.h>
#include <pelt/runtime/skin.h>

#include "counting_allocator.h"
#include "ddm_case.h"
#include "skin_case.h"

namespace pelt::deform {
namespace {

TEST(Evaluation, AllocatesNothing) {
    for (const Bones kind : {Bones::gentle, Bones::stretched, Bones::mirrored}) {
        const SkinCase c = makeCase(500, 20, 4, kind);
        const LbsRig lbs = prepareLbs(c.mesh, c.weights);
        const DqsRig dqs = prepareDqs(c.mesh, c.weights, c.centers);
        LbsPose lbs_pose(lbs);
        DqsPose pose(dqs);
        Posed posed{std::vector<Vec3f>(500), std::vector<Vec3f>(500)};
        const Output out{posed.positions, posed.normals};
        evaluate(lbs, lbs_pose, {}, 0, 1, out);  // the first call looks at the machine

        const std::size_t before = allocations;
        lbs_pose.set(c.bones);
        evaluate(lbs, lbs_pose, {}, 3, 490, out);
        pose.set(c.bones);
        evaluate(dqs, pose, {}, 3, 490, out);
        EXPECT_EQ(allocations, before);
    }
}

TEST(Evaluation, OfDirectDeltaMushAllocatesNothing) {
    for (const DdmForm form : kDdmForms)
        for (const Bones kind : {Bones::gentle, Bones::stretched, Bones::mirrored}) {
            const DdmCase c = makeDdmCase(500, 20, 4, kind);
            const DdmRig rig = packDdm(c.skin.mesh, c.rows, form);
            DdmPose pose(rig);
            Posed posed{std::vector<Vec3f>(500), std::vector<Vec3f>(500)};
            const Output out{posed.positions, posed.normals};
            evaluate(rig, pose, {}, 0, 1, out);  // the first call looks at the machine

            const std::size_t before = allocations;
            pose.set(c.skin.bones);
            evaluate(rig, pose, {c.skin.mesh.positions, c.skin.mesh.normals}, 3, 490, out);
            EXPECT_EQ(allocations, before);
        }
}

TEST(Evaluation, OfWhateverSkinAFileHasAllocatesNothing) {
    const SkinCase c = makeCase(500, 20, 4, Bones::stretched);
    const DqsRig dqs = prepareDqs(c.mesh, c.weights, c.centers);
    Posed posed{std::vector<Vec3f>(500), std::vector<Vec3f>(500)};
    AlignedBytes memory(runtime::DqsPose::bytes(dqs));
    evaluate(dqs, DqsPose(dqs), {}, 0, 1, {posed.positions, posed.normals});  // the first call looks at the machine

    const std::size_t before = allocations;
    const auto skin = runtime::SkinRig::view(dqs.bytes());
    runtime::SkinPose pose(*skin, memory);
    pose.set(c.bones);
    evaluate(*skin, pose, {}, 3, 490, {posed.positions, posed.normals});
    EXPECT_EQ(allocations, before);
}

TEST(Evaluation, CannotThrow) {
    const LbsRig* lbs = nullptr;
    LbsPose* lbs_pose = nullptr;
    static_assert(noexcept(evaluate(*lbs, *lbs_pose, {}, 0, 0, {})));
    static_assert(noexcept(lbs_pose->set({})));
    const DqsRig* dqs = nullptr;
    DqsPose* pose = nullptr;
    static_assert(noexcept(evaluate(*dqs, *pose, {}, 0, 0, {})));
    static_assert(noexcept(pose->set({})));
    const DdmRig* ddm = nullptr;
    DdmPose* ddm_pose = nullptr;
    static_assert(noexcept(evaluate(*ddm, *ddm_pose, {}, 0, 0, {})));
    static_assert(noexcept(ddm_pose->set({})));
}

}  // namespace
}  // namespace pelt::deform

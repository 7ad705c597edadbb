#include <gtest/gtest.h>
#include <pelt/deform/ddm.h>
#include <pelt/deform/lbs.h>
#include <pelt/fit/virtual_bones.h>
#include <pelt/pipeline/ddm.h>

#include "../made_scene.h"

// The largest errors of virtual joints.

namespace pelt::pipeline {
namespace {

/// The arm, and what v0 makes of moments of its clip.
struct BentArm {
    const Character& arm = madeScene("arm", 1500);
    DdmRows<float> rows = ddmRows(arm, {});
    deform::DdmRig packed = deform::packDdm(arm.mesh, rows, runtime::DdmForm::v0);

    std::vector<Affine3d> locals(double t) const {
        return rig::sampleDrivenLocals(arm.skeleton, arm.driven, &arm.clips.front(), t);
    }
    std::vector<Vec3f> exact(double t) const {
        const std::vector<Affine3d> maps = rig::skinMatricesOf(arm.skeleton, locals(t));
        deform::DdmPose pose(packed);
        pose.set(std::vector<Affine3f>(maps.begin(), maps.end()));
        std::vector<Vec3f> out(arm.mesh.vertexCount());
        deform::evaluate(packed, pose, {}, 0, out.size(), {out, {}});
        return out;
    }
    fit::SkinSamples samples() const {
        fit::SkinSamples made;
        made.vertices = arm.mesh.vertexCount();
        std::vector<std::vector<Vec3f>> frames;
        for (double t = 0.1; t < 2; t += 0.2) {
            frames.push_back(exact(t));
            const std::vector<Affine3d> at = locals(t);
            made.locals.insert(made.locals.end(), at.begin(), at.end());
            made.importance.push_back(1);
        }
        made.samples = frames.size();
        for (std::size_t v = 0; v < made.vertices; ++v)
            for (const auto& frame : frames)
                for (int c = 0; c < 3; ++c) made.positions.push_back(frame[v][c]);
        return made;
    }
    double largestError(const fit::VirtualSkin& skin) const {
        const deform::LbsRig plain = deform::prepareLbs(arm.mesh, skin.weights);
        deform::LbsPose pose(plain);
        std::vector<Vec3f> out(arm.mesh.vertexCount());
        double largest = 0;
        for (double t = 0; t < 2; t += 0.05) {
            const auto maps = rig::drivenSkinMatrices(skin.skeleton, skin.driven, &arm.clips.front(), t);
            pose.set(std::vector<Affine3f>(maps.begin(), maps.end()));
            deform::evaluate(plain, pose, {}, 0, out.size(), {out, {}});
            const std::vector<Vec3f> wanted = exact(t);
            for (std::size_t v = 0; v < out.size(); ++v)
                largest = std::max(largest, double(length(out[v] - wanted[v])));
        }
        return largest;
    }
};

TEST(BakeVirtual, TheLargestErrorOverAClipIsLessThanThatOfLeastSquares) {
    const BentArm bent;
    fit::SkinSamples samples = bent.samples();
    const auto fitted = [&] {
        return fit::fitVirtualBones(bent.arm.mesh.positions, bent.arm.mesh.triangles, bent.arm.skeleton,
                                    bent.arm.driven, bent.rows, samples, {12, 4});
    };
    const double least_squares = bent.largestError(fitted());
    for (double t = 0; t < 2; t += 0.05) {
        const std::vector<Affine3d> at = bent.locals(t);
        samples.played.insert(samples.played.end(), at.begin(), at.end());
    }
    EXPECT_LT(bent.largestError(fitted()), 0.97 * least_squares);
}

}  // namespace
}  // namespace pelt::pipeline

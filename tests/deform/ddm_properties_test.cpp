// Properties of Direct Delta Mush on random characters.
#include <gtest/gtest.h>

#include <functional>

#include "ddm_case.h"
#include "deform/delta_mush/frames.h"
#include "instruction_sets.h"

// Numerical properties of Direct Delta Mush for any rows, relative to the bounding-box diagonal: in double precision
// with the reference, in single precision with the kernels.

namespace pelt::deform {
namespace {

Affine3d ddmMotion() { return {toMatrix(axisAngle(Vec3d{1, -2, 0.5}, 2.3)), {0.8, -0.5, 0.2}}; }

std::vector<Vec3d> ddmMoved(const Affine3d& g, const std::vector<Vec3d>& points) {
    std::vector<Vec3d> out;
    for (const Vec3d& p : points) out.push_back(g * p);
    return out;
}

/// The exact rows in double precision.
PosedDouble exactly(DdmForm form, const DdmCase& c, const std::vector<Affine3d>& bones) {
    return ddmReference(form, c.skin.mesh, c.exact, bones);
}

Posed rounded(DdmForm form, const DdmCase& c, const std::vector<Affine3d>& bones) {
    return DdmSkinner(form, c.skin.mesh, c.rows, castAll<Affine3f>(bones)).all();
}

/// T Ω' T^T of a rest shape that moved by a rotation (the center moves with it).
DdmRows<double> turned(const DdmRows<double>& rows, const Affine3d& g) {
    const Mat3d r = g.linear();
    DdmRows<double> out = rows;
    for (DdmBlock<double>& b : out.blocks) {
        const Mat3d w{{{b.xx, b.xy, b.xz}, {b.xy, b.yy, b.yz}, {b.xz, b.yz, b.zz}}};
        const Mat3d t = r * w * transposed(r);
        const Vec3d chi = r * Vec3d{b.x, b.y, b.z};
        b = {t(0, 0), t(0, 1), t(0, 2), t(1, 1), t(1, 2), t(2, 2), chi.x, chi.y, chi.z, b.w};
    }
    for (Vec3d& p : out.centers) p = g * p;
    return out;
}

TEST(DdmProperties, TheRestPoseIsReproduced) {
    for (const DdmForm form : kDdmForms)
        for (const std::size_t influences : {1, 2, 4, 7})
            for (const Patch patch : {Patch::round, Patch::flat}) {
                const DdmCase c = makeDdmCase(67, 12, influences, Bones::identity, 1, patch);
                const std::vector<Affine3d> bones(12);
                EXPECT_LT(farthest(rounded(form, c, bones).positions, c.skin.mesh.positions), 2e-6) << nameOf(form);
                EXPECT_LT(farthest(rounded(form, c, bones).normals, c.skin.mesh.normals), 5e-6) << nameOf(form);
                EXPECT_LT(farthest(exactly(form, c, bones).positions, c.skin.mesh.positions), 1e-11) << nameOf(form);
            }
}

TEST(DdmProperties, ACommonRigidMotionIsThatMotion) {
    for (const DdmForm form : kDdmForms)
        for (const Patch patch : {Patch::round, Patch::flat}) {
            const DdmCase c = makeDdmCase(67, 12, 4, Bones::identity, 2, patch);
            const std::vector<Affine3d> bones(12, ddmMotion());
            const auto expected = ddmMoved(ddmMotion(), castAll<Vec3d>(c.skin.mesh.positions));
            EXPECT_LT(farthest(rounded(form, c, bones).positions, expected), 5e-6) << nameOf(form);
            EXPECT_LT(farthest(exactly(form, c, bones).positions, expected), 1e-11) << nameOf(form);
        }
}

TEST(DdmProperties, MovingThePosedBonesMovesTheResult) {  // f(G M) = G f(M)
    for (const DdmForm form : kDdmForms)
        for (const Bones pose : {Bones::gentle, Bones::stretched}) {
            const DdmCase c = makeDdmCase(67, 12, 4, pose, 3);
            const auto bones = castAll<Affine3d>(c.skin.bones);
            std::vector<Affine3d> led;
            for (const Affine3d& b : bones) led.push_back(ddmMotion() * b);
            const auto expected = ddmMoved(ddmMotion(), exactly(form, c, bones).positions);
            EXPECT_LT(farthest(exactly(form, c, led).positions, expected), 1e-9) << nameOf(form);
            EXPECT_LT(farthest(rounded(form, c, led).positions, expected), 1e-5 * c.skin.diagonal()) << nameOf(form);
        }
}

TEST(DdmProperties, MovingTheRestShapeWithItsBonesChangesNothing) {  // f(G U, M G⁻¹) = f(U, M)
    for (const DdmForm form : kDdmForms)
        for (const Bones pose : {Bones::gentle, Bones::stretched}) {
            const DdmCase c = makeDdmCase(67, 12, 4, pose, 4);
            const auto bones = castAll<Affine3d>(c.skin.bones);
            const auto expected = exactly(form, c, bones).positions;
            std::vector<Affine3d> led;
            for (const Affine3d& b : bones) led.push_back(b * inverse(ddmMotion()));
            DdmCase m = c;
            m.exact = turned(c.exact, ddmMotion());
            m.rows = toFloat(m.exact);
            const auto rest = ddmMoved(ddmMotion(), castAll<Vec3d>(c.skin.mesh.positions));
            std::vector<Vec3d> exact(67);
            reference::ddm<double>(form, {rest, {}}, m.exact, led, {exact, {}});
            EXPECT_LT(farthest(exact, expected), 1e-9) << nameOf(form);
            for (std::size_t v = 0; v < 67; ++v) m.skin.mesh.positions[v] = Vec3f(rest[v]);
            EXPECT_LT(farthest(rounded(form, m, led).positions, expected), 1e-5 * c.skin.diagonal()) << nameOf(form);
        }
}

TEST(DdmProperties, RenumberingTheVerticesChangesNothing) {
    for (const DdmForm form : kDdmForms) {
        const DdmCase c = makeDdmCase(67, 12, 4, Bones::gentle, 5);
        DdmCase r = c;
        r.rows = {};
        const auto from = [](std::size_t v) { return (v * 29 + 5) % 67; };
        for (std::size_t v = 0; v < 67; ++v) {
            r.skin.mesh.positions[v] = c.skin.mesh.positions[from(v)];
            r.skin.mesh.normals[v] = c.skin.mesh.normals[from(v)];
            for (std::size_t e = c.rows.offsets[from(v)]; e < c.rows.offsets[from(v) + 1]; ++e) {
                r.rows.joints.push_back(c.rows.joints[e]);
                r.rows.blocks.push_back(c.rows.blocks[e]);
                r.rows.psi.push_back(c.rows.psi[e]);
            }
            r.rows.offsets.push_back(std::uint32_t(r.rows.joints.size()));
            r.rows.centers.push_back(c.rows.centers[from(v)]);
        }
        const Posed a = DdmSkinner(form, c).all(), b = DdmSkinner(form, r).all();
        for (std::size_t v = 0; v < 67; ++v) EXPECT_EQ(b.positions[v], a.positions[from(v)]) << nameOf(form);
    }
}

TEST(DdmProperties, BlendingTranslationsLeavesRotationsUnchanged) {  // [LeLewis19] Appendix C
    for (const DdmForm form : {DdmForm::v0, DdmForm::v1}) {
        const DdmCase without = makeDdmCase(67, 12, 4, Bones::gentle, 6, Patch::round, 0);
        const DdmCase with = makeDdmCase(67, 12, 4, Bones::gentle, 6, Patch::round, 0.8);
        const auto bones = castAll<Affine3d>(with.skin.bones);
        EXPECT_LT(farthest(exactly(form, with, bones).normals, exactly(form, without, bones).normals), 1e-8);
        EXPECT_LT(farthest(rounded(form, with, bones).normals, rounded(form, without, bones).normals), 1e-4);
        EXPECT_GT(farthest(exactly(form, with, bones).positions, exactly(form, without, bones).positions), 1e-3);
    }
}

/// R_i of every vertex: the images of three rest normals along the axes.
std::vector<Mat3d> rotationsOf(const DdmSkinner& skinner, std::size_t count) {
    std::vector<Mat3d> rotations(count);
    for (int i = 0; i < 3; ++i) {
        Vec3f axis;
        axis[i] = 1;
        const Posed posed = skinner.all({{}, std::vector<Vec3f>(count, axis)});
        for (std::size_t v = 0; v < count; ++v) rotations[v].col[i] = Vec3d(posed.normals[v]);
    }
    return rotations;
}

TEST(DdmProperties, RotationsAreRotationsInEveryPose) {
    for (const DdmForm form : {DdmForm::v0, DdmForm::v2, DdmForm::v4, DdmForm::eddm})
        for (const Bones pose : {Bones::gentle, Bones::wild, Bones::stretched, Bones::mirrored}) {
            const DdmCase c = makeDdmCase(200, 8, 3, pose, 7);
            const DdmSkinner skinner(form, c);
            onEachInstructionSet([&](std::int64_t) {
                for (const Mat3d& r : rotationsOf(skinner, 200)) {
                    EXPECT_NEAR(determinant(r), 1, 1e-5) << nameOf(form) << int(pose);
                    const Mat3d unit = transposed(r) * r;
                    for (int i = 0; i < 9; ++i) EXPECT_NEAR(unit(i % 3, i / 3), i % 4 == 0 ? 1 : 0, 1e-5);
                }
            });
        }
}

TEST(DdmProperties, PureTranslationsAreBlendedLinearlyByAllThatRotateByJointsAlone) {
    DdmCase c = makeDdmCase(67, 12, 4, Bones::identity, 8);
    Random random(8);
    std::vector<Affine3d> bones;
    for (int j = 0; j < 12; ++j) bones.emplace_back(Mat3d{}, random.direction());
    std::vector<Vec3d> expected;
    for (std::size_t v = 0; v < 67; ++v) {
        expected.emplace_back(c.skin.mesh.positions[v]);
        for (std::size_t e = c.exact.offsets[v]; e < c.exact.offsets[v + 1]; ++e)
            expected[v] += bones[c.exact.joints[e]].translation() * c.exact.blocks[e].w;
    }
    for (const DdmForm form : {DdmForm::v2, DdmForm::v3, DdmForm::v4}) {
        EXPECT_LT(farthest(exactly(form, c, bones).positions, expected), 1e-12) << nameOf(form);
        EXPECT_LT(farthest(rounded(form, c, bones).positions, expected), 1e-6 * c.skin.diagonal()) << nameOf(form);
    }
    EXPECT_GT(farthest(exactly(DdmForm::v0, c, bones).positions, expected), 1e-3);
}

TEST(DdmProperties, WherePsiIsOmegaV4IsTheCenterOfRotationMethod) {
    DdmCase c = makeDdmCase(67, 12, 4, Bones::gentle, 9);
    for (std::size_t e = 0; e < c.exact.psi.size(); ++e) c.exact.psi[e] = c.exact.blocks[e].w;
    c.rows = toFloat(c.exact);
    const auto bones = castAll<Affine3d>(c.skin.bones);
    std::vector<Vec3d> expected;
    for (std::size_t v = 0; v < 67; ++v) {
        const std::size_t first = c.exact.offsets[v];
        Quatd sum{0, 0, 0, 0};
        Vec3d center;
        const Quatd pivot = toQuat(bones[c.exact.joints[first]].linear());
        for (std::size_t e = first; e < c.exact.offsets[v + 1]; ++e) {
            const double w = c.exact.blocks[e].w;
            const Quatd q = toQuat(bones[c.exact.joints[e]].linear());
            const double s = dot(q, pivot) < 0 ? -w : w;
            sum = {sum.x + s * q.x, sum.y + s * q.y, sum.z + s * q.z, sum.w + s * q.w};
            center += bones[c.exact.joints[e]] * c.exact.centers[v] * w;
        }
        expected.push_back(center + toMatrix(normalized(sum)) * (Vec3d(c.skin.mesh.positions[v]) - c.exact.centers[v]));
    }
    EXPECT_LT(farthest(exactly(DdmForm::v4, c, bones).positions, expected), 2e-7);  // float bones are rigid to this
    EXPECT_LT(farthest(rounded(DdmForm::v4, c, bones).positions, expected), 1e-6 * c.skin.diagonal());
}

TEST(DdmProperties, AVertexWithOneJointFollowsIt) {
    for (const DdmForm form : kDdmForms)
        for (const Bones pose : {Bones::gentle, Bones::wild, Bones::stretched, Bones::mirrored}) {
            const DdmCase c = makeDdmCase(67, 12, 1, pose, 10);
            const auto bones = castAll<Affine3d>(c.skin.bones);
            const bool stretched = pose == Bones::stretched || pose == Bones::mirrored;
            const bool affine = !stretched || form == DdmForm::eddm || form == DdmForm::ddm;
            const Posed posed = rounded(form, c, bones);
            const PosedDouble exact = exactly(form, c, bones);
            for (std::size_t v = 0; v < 67; ++v) {
                const Affine3d& bone = bones[c.exact.joints[v]];
                const Vec3d u(c.skin.mesh.positions[v]), p = c.exact.centers[v];
                if (affine) {
                    EXPECT_LT(length(Vec3d(posed.positions[v]) - bone * u), 1e-5) << nameOf(form);
                    EXPECT_LT(length(exact.positions[v] - bone * u), 1e-7) << nameOf(form);
                } else {  // the same distance from the transformed center as at rest
                    EXPECT_NEAR(length(Vec3d(posed.positions[v]) - bone * p), length(u - p), 1e-5);
                    EXPECT_NEAR(length(exact.positions[v] - bone * p), length(u - p), 1e-10);
                }
            }
        }
}

TEST(DdmProperties, EnhancedDdmWithRigidJointsIsV0) {
    for (const Bones pose : {Bones::gentle, Bones::wild}) {
        const DdmCase c = makeDdmCase(67, 12, 4, pose, 11);
        std::vector<Affine3d> bones;  // rigid in double precision
        for (const Affine3f& b : c.skin.bones)
            bones.emplace_back(toMatrix(toQuat(Affine3d(b).linear())), Vec3d(b.translation()));
        EXPECT_LT(farthest(exactly(DdmForm::eddm, c, bones).positions, exactly(DdmForm::v0, c, bones).positions),
                  1e-10);
        EXPECT_LT(farthest(rounded(DdmForm::eddm, c, bones).positions, rounded(DdmForm::v0, c, bones).positions), 1e-5);
        EXPECT_TRUE(sameBits(rounded(DdmForm::ddm, c, bones).positions, rounded(DdmForm::v0, c, bones).positions));
    }
}

TEST(DdmProperties, EnhancedDdmWithACommonAffineMapIsThatMap) {
    for (const DdmForm form : {DdmForm::eddm, DdmForm::ddm})
        for (const Bones pose : {Bones::stretched, Bones::mirrored}) {
            const DdmCase c = makeDdmCase(67, 12, 4, pose, 12);
            const std::vector<Affine3d> bones(12, Affine3d(c.skin.bones[0]));
            const auto expected = ddmMoved(bones[0], castAll<Vec3d>(c.skin.mesh.positions));
            EXPECT_LT(farthest(exactly(form, c, bones).positions, expected), 1e-10);
            EXPECT_LT(farthest(rounded(form, c, bones).positions, expected), 1e-5);
        }
}

/// The rotation of [Spencer91]: the columns made orthonormal in their order, so that the first keeps its direction.
Mat3d gramSchmidt(const Mat3d& a) {
    const Vec3d x = normalized(a.col[0]), y = normalized(a.col[1] - x * dot(x, a.col[1]));
    return {{x, y, cross(x, y)}};
}

/// Enhanced DDM with another rotation of each joint.
std::vector<Vec3d> enhancedWith(const std::function<Mat3d(const Mat3d&)>& rotation, const DdmCase& c,
                                const std::vector<Affine3d>& bones) {
    std::vector<Vec3d> out;
    for (std::size_t v = 0; v < c.exact.vertexCount(); ++v) {
        const Vec3d u(c.skin.mesh.positions[v]), d = u - c.exact.centers[v];
        Mat3d s{{{}, {}, {}}};
        Vec3d q;
        for (std::size_t e = c.exact.offsets[v]; e < c.exact.offsets[v + 1]; ++e) {
            const DdmBlock<double>& b = c.exact.blocks[e];
            const Affine3d& bone = bones[c.exact.joints[e]];
            const Mat3d r = rotation(bone.linear());
            const Vec3d at = bone * u - r * d, chi{b.x, b.y, b.z};  // c_j
            s = s + r * Mat3d{{{b.xx, b.xy, b.xz}, {b.xy, b.yy, b.yz}, {b.xz, b.yz, b.zz}}} +
                Mat3d{{at * chi.x, at * chi.y, at * chi.z}};
            q += r * chi + at * b.w;
        }
        out.push_back(q + nearestRotation(s) * d);
    }
    return out;
}

TEST(DdmProperties, EnhancedDdmTakesThePolarRotationWhichIsThatOfGramSchmidtUntilJointsShear) {
    const DdmCase c = makeDdmCase(67, 12, 4, Bones::gentle, 15);
    const Mat3d axes = toMatrix(axisAngle(Vec3d{0.3, 1, -0.4}, 1.1));
    const auto in_other_axes = [&](const Mat3d& a) { return gramSchmidt(a * transposed(axes)) * axes; };
    const auto with = [&](const Mat3d& factor) {
        std::vector<Affine3d> bones;
        for (std::size_t j = 0; j < c.skin.bones.size(); ++j) {
            const Affine3d b(c.skin.bones[j]);
            bones.emplace_back(toMatrix(toQuat(b.linear())) * (j % 2 == 0 ? factor : Mat3d{}), b.translation());
        }
        return bones;
    };
    const std::vector<Affine3d> scaled = with({{{1.7, 0, 0}, {0, 1.3, 0}, {0, 0, 0.6}}});
    EXPECT_LT(farthest(exactly(DdmForm::eddm, c, scaled).positions, enhancedWith(gramSchmidt, c, scaled)), 1e-10);
    EXPECT_GT(farthest(enhancedWith(in_other_axes, c, scaled), enhancedWith(gramSchmidt, c, scaled)), 0.01);

    const std::vector<Affine3d> sheared = with({{{1, 0, 0}, {0.8, 1, 0}, {0, 0, 1}}});
    const std::vector<Vec3d> polar = exactly(DdmForm::eddm, c, sheared).positions;
    EXPECT_LT(farthest(polar, enhancedWith(nearestRotation, c, sheared)), 1e-10);
    const auto polar_in_other_axes = [&](const Mat3d& a) { return nearestRotation(a * transposed(axes)) * axes; };
    EXPECT_LT(farthest(polar, enhancedWith(polar_in_other_axes, c, sheared)), 1e-10) << "it depends on no axes";
    EXPECT_GT(farthest(polar, enhancedWith(gramSchmidt, c, sheared)), 0.01);
    EXPECT_GT(farthest(enhancedWith(in_other_axes, c, sheared), enhancedWith(gramSchmidt, c, sheared)), 0.01);
}

TEST(DdmProperties, JointsThatMirrorWithoutStretchingAgreeWithTheReference) {
    const DdmCase c = makeDdmCase(67, 12, 4, Bones::gentle, 13);
    const Affine3d mirror(Mat3d{{{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {});
    std::vector<Affine3d> bones;
    for (const Affine3f& b : c.skin.bones) bones.push_back(mirror * Affine3d(b));
    for (const DdmForm form : {DdmForm::v2, DdmForm::v3, DdmForm::v4, DdmForm::eddm})
        EXPECT_LT(farthest(rounded(form, c, bones).positions, exactly(form, c, bones).positions), 2e-5) << nameOf(form);
}

TEST(DdmProperties, FarFromTheOriginNothingIsLostButTheRoundingOfTheResult) {
    for (const DdmForm form : kDdmForms) {
        const DdmCase c = makeDdmCase(67, 12, 4, Bones::gentle, 14);
        const Affine3d away(Mat3d{}, {100, -60, 30});
        DdmCase far = c;
        for (Vec3f& p : far.skin.mesh.positions) p = Vec3f(away * Vec3d(p));
        for (Vec3d& p : far.exact.centers) p = away * p;
        far.rows = toFloat(far.exact);
        std::vector<Affine3d> bones;
        for (const Affine3f& b : c.skin.bones) bones.push_back(away * Affine3d(b) * inverse(away));
        const auto rounded_bones = castAll<Affine3d>(castAll<Affine3f>(bones));
        const auto expected = ddmReference(form, far.skin.mesh, toDouble(far.rows), rounded_bones).positions;
        EXPECT_LT(farthest(rounded(form, far, bones).positions, expected), 5e-5) << nameOf(form);
    }
}

}  // namespace
}  // namespace pelt::deform

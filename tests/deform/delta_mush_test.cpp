// Delta Mush against a dense reference and Direct Delta Mush.
#include <gtest/gtest.h>
#include <pelt/deform/ddm_prepare.h>

#include <numeric>

#include "ddm_rows.h"
#include "deform/ddm/ddm_reference.h"
#include "mush_case.h"

// Numerical properties of Delta Mush, relative to the bounding-box diagonal.

namespace pelt::deform {
namespace {

using geometry::LaplacianKind;
using geometry::SmoothingKind;

Affine3d mushMotion() { return {toMatrix(axisAngle(Vec3d{1, -2, 0.5}, 2.3)), Vec3d{0.8, -0.5, 0.2}}; }

std::vector<Vec3d> movedBy(const Affine3d& g, const std::vector<Vec3d>& points) {
    std::vector<Vec3d> out;
    for (const Vec3d& p : points) out.push_back(g * p);
    return out;
}

/// The case with vertices and faces in another order, each face starting at another corner.
MushCase renumbered(const MushCase& c, std::vector<std::size_t>& from) {
    const std::size_t n = c.mesh.vertexCount();
    std::size_t stride = n / 2 + 1;
    while (std::gcd(stride, n) != 1) ++stride;
    MushCase r{{}, {}, c.bones, c.options};
    from.resize(n);
    std::vector<std::uint32_t> to(n);
    for (std::size_t v = 0; v < n; ++v) {
        from[v] = (v * stride + 5) % n;
        to[from[v]] = std::uint32_t(v);
        r.mesh.positions.push_back(c.mesh.positions[from[v]]);
        r.mesh.normals.push_back(c.mesh.normals[from[v]]);
        r.options.lambda[v] = c.options.lambda[from[v]];
        appendVertex(r.weights, c.weights.jointsOf(from[v]), c.weights.weightsOf(from[v]));
    }
    for (const Triangle& t : c.mesh.triangles) r.mesh.triangles.push_back({to[t[1]], to[t[2]], to[t[0]]});
    std::reverse(r.mesh.triangles.begin(), r.mesh.triangles.end());
    return r;
}

/// Every face with its own vertices.
MushCase split(const MushCase& c) {
    MushCase s{{}, {}, c.bones, c.options};
    s.options.lambda.clear();
    for (const Triangle& t : c.mesh.triangles) {
        const auto first = std::uint32_t(s.mesh.positions.size());
        for (const std::uint32_t v : t) {
            s.mesh.positions.push_back(c.mesh.positions[v]);
            s.mesh.normals.push_back(c.mesh.normals[v]);
            s.options.lambda.push_back(c.options.lambda[v]);
            appendVertex(s.weights, c.weights.jointsOf(v), c.weights.weightsOf(v));
        }
        s.mesh.triangles.push_back({first, first + 1, first + 2});
    }
    return s;
}

TEST(DeltaMush, ASurfaceThatIsHandedOnGivesTheSameSkin) {
    MushCase c = sceneCase("bar", 200, kBend);
    const Posed made = mush(c);
    c.options.surface = geometry::weldSurface(c.mesh, 0, c.options.laplacian);
    EXPECT_EQ(mush(c).positions, made.positions);
    c.options.surface = geometry::weldSurface(c.mesh, 0.5f, c.options.laplacian);
    EXPECT_EQ(mush(c).positions, made.positions);
}

TEST(DeltaMush, AgreesWithTheDenseReference) {
    for (const double seconds : {kBend, kTwist})
        for (const LaplacianKind laplacian : {LaplacianKind::uniform, LaplacianKind::cotangent})
            for (const SmoothingKind smoothing : {SmoothingKind::implicit, SmoothingKind::explicit_})
                for (const int iterations : {1, 8}) {
                    MushCase c = sceneCase("bar", 250, seconds);
                    c.options.laplacian = laplacian;
                    c.options.smoothing = smoothing;
                    c.options.iterations = iterations;
                    const Posed posed = mush(c);
                    const PosedDouble dense = denseMush(c);
                    EXPECT_LT(farthest(posed.positions, dense.positions), 1e-6 * c.diagonal())
                        << seconds << ' ' << int(laplacian) << int(smoothing) << ' ' << iterations;
                    EXPECT_LT(farthest(posed.normals, dense.normals), 1e-5);
                }
}

TEST(DeltaMush, WorksOnWhatAnotherDeformerMade) {
    for (const DeltaMushFrames frames : kFrames) {
        MushCase c = sceneCase("bar", 250, kBend);
        c.options.frames = frames;
        const DeltaMushRig rig = prepareDeltaMush(c.mesh, c.weights, c.options);
        DeltaMushPose pose(rig);
        std::vector<Vec3f> deformed, out(c.mesh.vertexCount());
        for (const Vec3f& p : c.mesh.positions)  // bent and twisted by nothing that joints could do
            deformed.push_back({p.x * std::cos(2 * p.y) - p.z, 1.5f * p.y + 0.2f * p.x * p.x, p.z + p.x * p.y});
        pose.set(c.bones, deformed);
        evaluate(rig, pose, {}, 0, out.size(), {out, {}});
        if (frames == DeltaMushFrames::procrustes) {
            const auto rest = castAll<Vec3d>(c.mesh.positions), over = castAll<Vec3d>(deformed);
            std::vector<Vec3d> dense(rest.size());
            reference::deltaMushOver({rest, {}}, over, reference::smoothingMatrix(rest, c.mesh.triangles, c.options),
                                     {dense, {}});
            EXPECT_LT(farthest(out, dense), 1e-6 * c.diagonal());
        }
        // Over the skin that it blends itself, nothing changes.
        const LbsRig lbs = prepareLbs(c.mesh, c.weights);
        LbsPose skinned(lbs);
        skinned.set(c.bones);
        evaluate(lbs, skinned, {}, 0, deformed.size(), {deformed, {}});
        pose.set(c.bones, deformed);
        evaluate(rig, pose, {}, 0, out.size(), {out, {}});
        EXPECT_LT(farthest(out, castAll<Vec3d>(mush(c).positions)), 2e-6 * c.diagonal());
    }
}

/// Rows without blended translations (α = 0).
DdmRows<double> directRows(const MushCase& c) {
    DdmOptions options;
    options.laplacian = c.options.laplacian;
    options.smoothing = c.options.smoothing;
    options.iterations = c.options.iterations;
    options.lambda = c.options.lambda;
    options.kappa.assign(c.mesh.vertexCount(), 0.2);
    options.alpha.assign(c.mesh.vertexCount(), 0.0);
    options.connect_parts = false;
    options.cutoff = 0;
    DdmPreparation preparation(c.mesh, c.weights);
    preparation.update(options);
    return preparation.rows();
}

TEST(DeltaMush, DirectDeltaMushWithoutBlendedTranslationsIsTheSame) {  // v0 with α = 0
    for (const double seconds : {kBend, kTwist})
        for (const SmoothingKind smoothing : {SmoothingKind::implicit, SmoothingKind::explicit_}) {
            MushCase c = sceneCase("bar3", 250, seconds);
            c.options.smoothing = smoothing;
            const DdmRows<double> rows = directRows(c);

            const auto rest = castAll<Vec3d>(c.mesh.positions);
            std::vector<Vec3d> direct(rest.size());
            reference::ddm<double>(DdmForm::v0, {rest, {}}, rows, castAll<Affine3d>(c.bones), {direct, {}});
            EXPECT_LT(farthest(direct, denseMush(c).positions), 1e-10 * c.diagonal());

            const DdmRig rig = packDdm(c.mesh, toFloat(rows), DdmForm::v0);
            DdmPose pose(rig);
            pose.set(c.bones);
            std::vector<Vec3f> single(rest.size());
            evaluate(rig, pose, {}, 0, rest.size(), {single, {}});
            EXPECT_LT(farthest(single, mush(c).positions), 1e-5 * c.diagonal());
        }
}

/// [LeLewis19] §3.5.2: the cofactor of R' turns normals as tangents that R' moves do, which is the original's frame.
/// Its tangents are of one ring of the surface, those of v1 of the whole neighborhood, so that they agree up to the
/// curvature within it.
TEST(DeltaMush, V1WithoutBlendedTranslationsIsNearTheTangentFramesAndV0IsNot) {
    double v1_to_tangent = 0, v0_to_tangent = 0;
    for (const double seconds : {0.5, kBend, 2.0, kTwist}) {
        MushCase c = sceneCase("bar", 1000, seconds);
        c.options.lambda.assign(c.mesh.vertexCount(), 10.0);
        c.options.frames = DeltaMushFrames::tangent;
        const std::vector<Vec3f> tangent = mush(c).positions;
        const DdmRows<float> rows = toFloat(directRows(c));
        const auto squared = [&](DdmForm form) {
            const DdmRig rig = packDdm(c.mesh, rows, form);
            DdmPose pose(rig);
            pose.set(c.bones);
            std::vector<Vec3f> out(c.mesh.vertexCount());
            evaluate(rig, pose, {}, 0, out.size(), {out, {}});
            if (form == DdmForm::v1) {
                EXPECT_LT(farthest(out, castAll<Vec3d>(tangent)), 0.01 * c.diagonal()) << seconds;
            }
            double sum = 0;
            for (std::size_t v = 0; v < out.size(); ++v) sum += dot(out[v] - tangent[v], out[v] - tangent[v]);
            return sum;
        };
        v1_to_tangent += squared(DdmForm::v1);
        v0_to_tangent += squared(DdmForm::v0);
    }
    EXPECT_LT(std::sqrt(v1_to_tangent), 0.6 * std::sqrt(v0_to_tangent));
}

TEST(DeltaMush, ReproducesTheRestPose) {
    for (const char* scene : {"bar", "bar-parts", "branch"})
        for (const DeltaMushFrames frames : kFrames) {
            MushCase c = sceneCase(scene, 500, 0);
            c.bones.assign(c.bones.size(), {});
            c.options.frames = frames;
            EXPECT_LT(farthest(mush(c).positions, c.mesh.positions), 2e-6 * c.diagonal()) << scene;
            EXPECT_LT(farthest(mush(c).normals, c.mesh.normals), 2e-6) << scene;
        }
    MushCase c = sceneCase("bar", 250, 0);
    c.bones.assign(c.bones.size(), {});
    EXPECT_LT(farthest(denseMush(c).positions, c.mesh.positions), 1e-11 * c.diagonal());
}

TEST(DeltaMush, ACommonRigidMotionIsThatMotion) {
    const Affine3d g = mushMotion();
    for (const DeltaMushFrames frames : kFrames) {
        MushCase c = sceneCase("branch", 500, 0);
        c.bones.assign(c.bones.size(), Affine3f(g));
        c.options.frames = frames;
        EXPECT_LT(farthest(mush(c).positions, movedBy(g, castAll<Vec3d>(c.mesh.positions))), 5e-6 * c.diagonal());
    }
    const MushCase c = sceneCase("bar", 250, 0);
    const auto positions = castAll<Vec3d>(c.mesh.positions);
    EXPECT_LT(farthest(denseMush(positions, c, std::vector<Affine3d>(2, g)).positions, movedBy(g, positions)),
              1e-11 * c.diagonal());
}

TEST(DeltaMush, MovingThePosedBonesMovesTheResult) {  // f(G M) = G f(M)
    const Affine3d g = mushMotion();
    for (const DeltaMushFrames frames : kFrames) {
        MushCase c = sceneCase("bar", 500, kBend);
        c.options.frames = frames;
        const auto expected = movedBy(g, castAll<Vec3d>(mush(c).positions));
        for (Affine3f& b : c.bones) b = Affine3f(g * Affine3d(b));
        EXPECT_LT(farthest(mush(c).positions, expected), 1e-5 * c.diagonal());
    }
    const MushCase c = sceneCase("bar", 250, kBend);
    auto bones = castAll<Affine3d>(c.bones);
    const auto positions = castAll<Vec3d>(c.mesh.positions);
    const auto expected = movedBy(g, denseMush(positions, c, bones).positions);
    for (Affine3d& b : bones) b = g * b;
    EXPECT_LT(farthest(denseMush(positions, c, bones).positions, expected), 1e-9 * c.diagonal());
}

TEST(DeltaMush, MovingTheRestShapeWithItsBonesChangesNothing) {  // f(G U, M G⁻¹) = f(U, M)
    const Affine3d g = mushMotion();
    for (const DeltaMushFrames frames : kFrames) {
        MushCase c = sceneCase("bar", 500, kBend);
        c.options.frames = frames;
        const auto expected = mush(c).positions;
        for (Vec3f& p : c.mesh.positions) p = Vec3f(g * Vec3d(p));
        for (Affine3f& b : c.bones) b = Affine3f(Affine3d(b) * inverse(g));
        EXPECT_LT(farthest(mush(c).positions, expected), 1e-5 * c.diagonal());
    }
    const MushCase c = sceneCase("bar", 250, kBend);
    auto bones = castAll<Affine3d>(c.bones);
    const auto positions = castAll<Vec3d>(c.mesh.positions);
    const auto expected = denseMush(positions, c, bones).positions;
    for (Affine3d& b : bones) b = b * inverse(g);
    EXPECT_LT(farthest(denseMush(movedBy(g, positions), c, bones).positions, expected), 1e-9 * c.diagonal());
}

TEST(DeltaMush, RenumberingTheVerticesChangesNothing) {
    for (const DeltaMushFrames frames : kFrames) {
        MushCase c = sceneCase("bar", 500, kTwist);
        c.options.frames = frames;
        std::vector<std::size_t> from;
        const MushCase r = renumbered(c, from);
        const Posed a = mush(c), b = mush(r);
        for (std::size_t v = 0; v < from.size(); ++v)
            EXPECT_LT(length(b.positions[v] - a.positions[from[v]]), 1e-6 * c.diagonal());
    }
}

TEST(DeltaMush, SplitCopiesComeOutBitEqualAndLikeTheWholeMesh) {
    for (const DeltaMushFrames frames : kFrames) {
        MushCase c = sceneCase("bar", 500, kTwist);
        c.options.frames = frames;
        const Posed whole = mush(c), parts = mush(split(c));
        std::vector<std::uint32_t> first(c.mesh.vertexCount(), 0xffffffffu);
        for (std::uint32_t corner = 0; corner < parts.positions.size(); ++corner) {
            const std::uint32_t v = c.mesh.triangles[corner / 3][corner % 3];
            if (first[v] == 0xffffffffu) first[v] = corner;
            EXPECT_EQ(parts.positions[corner], parts.positions[first[v]]);
            EXPECT_EQ(parts.normals[corner], parts.normals[first[v]]);
            EXPECT_LT(length(parts.positions[corner] - whole.positions[v]), 1e-6 * c.diagonal());
        }
    }
}

TEST(DeltaMush, NearCopiesTurnAlikeWhenWelded) {
    MushCase c = sceneCase("bar", 500, kBend);
    MushCase s = split(c);
    for (std::size_t v = 0; v < s.mesh.vertexCount(); ++v) s.mesh.positions[v].x += v % 2 ? 1e-5f : 0.0f;
    s.options.weld_tolerance = 3e-5f;
    const Posed whole = mush(c), parts = mush(s);
    for (std::size_t corner = 0; corner < parts.positions.size(); ++corner)
        EXPECT_LT(length(parts.positions[corner] - whole.positions[c.mesh.triangles[corner / 3][corner % 3]]), 1e-4);
}

TEST(DeltaMush, AMorphTargetIsTurnedWithItsVertex) {  // x = R (u + δ) + t
    for (const DeltaMushFrames frames : kFrames) {
        MushCase c = sceneCase("bar", 500, kBend);
        c.options.frames = frames;
        const Posed posed = mush(c);
        std::vector<Vec3f> morphed = c.mesh.positions;
        for (std::size_t v = 0; v < morphed.size(); ++v) morphed[v] += c.mesh.normals[v] * 0.25f;
        const Posed with_morph = mush(c, {morphed, {}});
        for (std::size_t v = 0; v < morphed.size(); ++v)
            EXPECT_LT(length(with_morph.positions[v] - posed.positions[v] - posed.normals[v] * 0.25f), 1e-6);
        EXPECT_TRUE(sameBits(with_morph.normals, posed.normals));
    }
}

TEST(DeltaMush, NormalsKeepTheirLength) {
    for (const DeltaMushFrames frames : kFrames) {
        MushCase c = sceneCase("branch", 500, 1);
        c.options.frames = frames;
        for (const Vec3f& n : mush(c).normals) EXPECT_NEAR(length(n), 1, 1e-5);
    }
}

}  // namespace
}  // namespace pelt::deform

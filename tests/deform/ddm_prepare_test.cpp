// The precomputation of Direct Delta Mush.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/deform/ddm_prepare.h>
#include <pelt/scenes/scenes.h>

#include <Eigen/Dense>
#include <map>

#include "deform/ddm/ddm_reference.h"
#include "deform/delta_mush/frames.h"

// The precomputation against the equations written out with dense matrices.

namespace pelt::deform {
namespace {

using geometry::LaplacianKind;
using geometry::SmoothingKind;

struct PrepareCase {
    Character character;
    DdmOptions options;

    PrepareCase(const char* scene, std::size_t resolution) : character(scenes::find(scene)->make(resolution)) {
        options.iterations = 8;
        options.cutoff = 0;
        for (const Vec3f& p : character.mesh.positions) {
            options.lambda.push_back(0.6 + 0.3 * std::sin(9 * p.y + 4 * p.x));
            options.kappa.push_back(0.3 + 0.2 * std::cos(7 * p.y + 4 * p.z));
            options.alpha.push_back(0.5 + 0.4 * std::sin(5 * p.y));
        }
    }
    DdmRows<double> rows(std::size_t influences = 0) const {
        DdmPreparation preparation(character.mesh, character.weights);
        preparation.update(options);
        return preparation.rows(influences);
    }
};

/// Column i of B (Eq. 2a/2b rev.): (I ± L̄ D)^∓p with L̄ = L D_L^-1, columns divided.
Eigen::MatrixXd smoothingMatrix(const Mesh& mesh, const DdmOptions& options, const std::vector<double>& strength) {
    const auto l = geometry::makeLaplacian(options.laplacian, mesh.positions, mesh.triangles);
    const auto n = Eigen::Index(l.vertexCount());
    Eigen::MatrixXd normalized = Eigen::MatrixXd::Zero(n, n);
    for (Eigen::Index c = 0; c < n; ++c) {
        const double scale = strength[std::size_t(c)] / l.diagonal[std::size_t(c)];
        normalized(c, c) = strength[std::size_t(c)];
        for (std::size_t e = l.edges.offsets[std::size_t(c)]; e < l.edges.offsets[std::size_t(c) + 1]; ++e)
            normalized(l.edges.neighbors[e], c) = -l.weights[e] * scale;
    }
    const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(n, n);
    const Eigen::MatrixXd step =
        options.smoothing == SmoothingKind::implicit ? Eigen::MatrixXd((one + normalized).inverse()) : one - normalized;
    Eigen::MatrixXd power = one;
    for (int i = 0; i < options.iterations; ++i) power = power * step;
    return power;
}

using Omega = std::map<std::uint32_t, Eigen::Matrix4d>;

/// Ω_ij of Eq. 11 rev. for one vertex, every sum over all vertices written out.
Omega denseOmega(const PrepareCase& c, const Eigen::MatrixXd& b, const Eigen::MatrixXd& cc, Eigen::Index i) {
    const SkinWeights& bind = c.character.weights;
    Omega psi, omega;
    std::map<std::uint32_t, double> weights;
    Eigen::Matrix4d sum = Eigen::Matrix4d::Zero();
    for (std::size_t k = 0; k < bind.vertexCount(); ++k) {
        const Vec3f& p = c.character.mesh.positions[k];
        const Eigen::Vector4d u(p.x, p.y, p.z, 1);
        for (std::size_t e = 0; e < bind.influenceCount(k); ++e) {
            const std::uint32_t j = bind.jointsOf(k)[e];
            const double w = bind.weightsOf(k)[e];
            psi.try_emplace(j, Eigen::Matrix4d::Zero()).first->second += b(Eigen::Index(k), i) * w * u * u.transpose();
            weights[j] += cc(Eigen::Index(k), i) * w;
            sum += b(Eigen::Index(k), i) * w * u * u.transpose();
        }
    }
    const Eigen::Vector4d p = sum.col(3);
    const double alpha = c.options.alpha[std::size_t(i)];
    if (const SkinWeights& given = c.options.translations; !given.empty()) {
        const double share = c.options.translations_share.empty() ? 1 : c.options.translations_share[std::size_t(i)];
        for (auto& [j, weight] : weights) weight *= 1 - share;
        for (std::size_t e = 0; e < given.influenceCount(std::size_t(i)); ++e) {
            const std::uint32_t j = given.jointsOf(std::size_t(i))[e];
            weights[j] += share * double(given.weightsOf(std::size_t(i))[e]);
            psi.try_emplace(j, Eigen::Matrix4d::Zero());
        }
    }
    for (const auto& [j, block] : psi) omega[j] = (1 - alpha) * block + alpha * weights[j] * p * p.transpose();
    return omega;
}

Eigen::Matrix4d uncentered(const DdmBlock<double>& b, const Vec3d& center) {
    Eigen::Matrix4d m, t = Eigen::Matrix4d::Identity();
    m << b.xx, b.xy, b.xz, b.x, b.xy, b.yy, b.yz, b.y, b.xz, b.yz, b.zz, b.z, b.x, b.y, b.z, b.w;
    t.col(3) << center.x, center.y, center.z, 1;
    return t * m * t.transpose();
}

TEST(DdmPreparation, ASurfaceThatIsHandedOnGivesTheSameRows) {
    PrepareCase c("branch", 400);
    const DdmRows<double> made = c.rows();
    c.options.surface = geometry::weldSurface(c.character.mesh, 0, c.options.laplacian);
    EXPECT_EQ(c.rows(), made);
    // A surface with other sizes is not used.
    c.options.surface = geometry::weldSurface(c.character.mesh, 0.5f, c.options.laplacian);
    EXPECT_EQ(c.rows(), made);
}

/// Largest difference of the rows to Eq. 11 rev. written out.
double errorOfRows(const PrepareCase& c, const DdmRows<double>& rows, const Eigen::MatrixXd& b,
                   const Eigen::MatrixXd& cc) {
    double worst = 0;
    for (std::size_t v = 0; v < rows.vertexCount(); ++v) {
        Omega expected = denseOmega(c, b, cc, Eigen::Index(v));
        for (std::size_t e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e) {
            const auto given = uncentered(rows.blocks[e], rows.centers[v]);
            worst = std::max(worst, (given - expected[rows.joints[e]]).cwiseAbs().maxCoeff());
            expected.erase(rows.joints[e]);
        }
        for (const auto& [j, block] : expected) worst = std::max(worst, block.cwiseAbs().maxCoeff());
    }
    return worst;
}

/// Weights of two joints that change smoothly along the character; one vertex has none.
SkinWeights smoothWeights(const Mesh& mesh) {
    SkinWeights weights;
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
        const std::uint32_t joints[] = {0, 1};
        const float share = 0.5f + 0.4f * std::sin(3 * mesh.positions[v].y + mesh.positions[v].x);
        const float values[] = {v == 11 ? 0 : share, v == 11 ? 0 : 1 - share};
        appendVertex(weights, joints, values);
    }
    return weights;
}

TEST(DdmPreparation, TranslationsMayFollowAnyWeightsAndRotationsDoNotChange) {  // [LeLewis19] Eq. 11, Appendix C
    PrepareCase c("bar3", 300);
    const auto bones = rig::skinMatricesDouble(c.character.skeleton, &c.character.clips[0], 0.7);
    const auto b = smoothingMatrix(c.character.mesh, c.options, c.options.lambda);
    const auto cc = smoothingMatrix(c.character.mesh, c.options, c.options.kappa);
    const std::size_t count = c.character.mesh.vertexCount();
    const std::vector<Vec3d> rest(c.character.mesh.positions.begin(), c.character.mesh.positions.end());
    const auto normals = [&](const DdmRows<double>& rows) {
        const std::vector<Vec3d> at_rest(c.character.mesh.normals.begin(), c.character.mesh.normals.end());
        std::vector<Vec3d> posed(count), turned(count);
        reference::ddm<double>(DdmForm::v0, {rest, at_rest}, rows, bones, {posed, turned});
        return turned;
    };
    const std::vector<Vec3d> plain = normals(c.rows());
    c.options.translations = smoothWeights(c.character.mesh);
    for (const bool painted : {false, true}) {
        for (std::size_t v = 0; painted && v < count; ++v)
            c.options.translations_share.push_back(v % 4 == 0 ? 0 : 0.5 + 0.5 * std::sin(double(v)));
        PrepareCase expected = c;
        if (!painted) expected.options.translations_share.assign(count, 1);
        expected.options.translations_share[11] = 0;
        const DdmRows<double> rows = c.rows();
        EXPECT_LE(errorOfRows(expected, rows, b, cc), 1e-7) << "weights have single precision";
        const std::vector<Vec3d> turned = normals(rows);
        for (std::size_t v = 0; v < count; ++v) EXPECT_LE(length(turned[v] - plain[v]), 1e-8) << v;
    }
}

TEST(DdmPreparation, KappaMayHaveItsOwnNumberOfSteps) {
    PrepareCase c("bar3", 300);
    const auto b = smoothingMatrix(c.character.mesh, c.options, c.options.lambda);
    c.options.kappa_iterations = 3;
    PrepareCase of_kappa = c;
    of_kappa.options.iterations = 3;
    const auto cc = smoothingMatrix(c.character.mesh, of_kappa.options, c.options.kappa);
    EXPECT_LE(errorOfRows(c, c.rows(), b, cc), 1e-11);
    c.options.kappa_iterations = -1;
    EXPECT_THROW(c.rows(), Error);
}

TEST(DdmPreparation, GivesTheEquationsToTheLastDigits) {
    for (const char* scene : {"bar", "bar3", "branch"})
        for (const auto laplacian : {LaplacianKind::uniform, LaplacianKind::cotangent})
            for (const auto smoothing : {SmoothingKind::implicit, SmoothingKind::explicit_}) {
                PrepareCase c(scene, 300);
                c.options.laplacian = laplacian;
                c.options.smoothing = smoothing;
                const auto b = smoothingMatrix(c.character.mesh, c.options, c.options.lambda);
                const auto cc = smoothingMatrix(c.character.mesh, c.options, c.options.kappa);
                EXPECT_LE((b.colwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
                EXPECT_LE(errorOfRows(c, c.rows(), b, cc), 1e-11) << scene;
            }
}

/// The nearest rotation to Σ_j ψ_j A_j.
Mat3d rotationOfRow(const DdmRows<double>& rows, std::size_t v, std::span<const Affine3d> bones) {
    Mat3d sum{{{}, {}, {}}};
    for (std::size_t e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e)
        sum = sum + bones[rows.joints[e]].linear() * rows.psi[e];
    return nearestRotation(sum);
}

TEST(DdmPreparation, WhereLambdaIsZeroTranslationsAreStillBlendedAndNormalsFollowTheBind) {
    PrepareCase c("bar3", 300);
    const std::size_t count = c.character.mesh.vertexCount();
    for (std::size_t v = 0; v < count; v += 3) c.options.lambda[v] = 0;
    const auto cc = smoothingMatrix(c.character.mesh, c.options, c.options.kappa);
    const auto bones = rig::skinMatricesDouble(c.character.skeleton, &c.character.clips[0], 0.7);
    const DdmRows<double> rows = c.rows();
    const std::vector<Vec3d> rest(c.character.mesh.positions.begin(), c.character.mesh.positions.end());
    const std::vector<Vec3d> normals(c.character.mesh.normals.begin(), c.character.mesh.normals.end());
    ASSERT_EQ(normals.size(), count);
    for (const DdmForm form : {DdmForm::v0, DdmForm::v1, DdmForm::eddm}) {
        std::vector<Vec3d> posed(count), turned(count);
        reference::ddm<double>(form, {rest, normals}, rows, bones, {posed, turned});
        double blended = 0;  // how far κ moves such a vertex from its bind
        for (std::size_t v = 0; v < count; v += 3) {
            // Ψ_ij = w_ij u uᵀ, p = u: x = Σ_j ((1 − α) w_ij + α w'_ij) M_j u
            Vec3d expected, bound;
            const double alpha = c.options.alpha[v];
            const auto add = [&](std::size_t k, double share, Vec3d& to) {
                for (std::size_t e = 0; e < c.character.weights.influenceCount(k); ++e)
                    to += (bones[c.character.weights.jointsOf(k)[e]] * rest[v]) *
                          (share * c.character.weights.weightsOf(k)[e]);
            };
            add(v, 1, bound);
            expected = bound * (1 - alpha);
            for (std::size_t k = 0; k < count; ++k) add(k, alpha * cc(Eigen::Index(k), Eigen::Index(v)), expected);
            EXPECT_LE(length(posed[v] - expected), 1e-7) << v;
            EXPECT_LE(length(turned[v] - rotationOfRow(rows, v, bones) * normals[v]), 1e-6) << v;
            blended = std::max(blended, length(expected - bound));
        }
        EXPECT_GT(blended, 0.01);
    }
}

TEST(DdmPreparation, RowsSumToOneAndAreCentered) {
    for (const std::size_t influences : {0u, 1u, 2u, 4u}) {
        const DdmRows<double> rows = PrepareCase("branch", 300).rows(influences);
        for (std::size_t v = 0; v < rows.vertexCount(); ++v) {
            double w = 0, psi = 0;
            Vec3d chi;
            ASSERT_GE(rows.influenceCount(v), 1u);
            ASSERT_TRUE(influences == 0 || rows.influenceCount(v) <= influences);
            for (std::size_t e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e) {
                w += rows.blocks[e].w;
                psi += rows.psi[e];
                chi += Vec3d{rows.blocks[e].x, rows.blocks[e].y, rows.blocks[e].z};
                EXPECT_TRUE(e == rows.offsets[v] || rows.blocks[e].w <= rows.blocks[e - 1].w);
            }
            EXPECT_NEAR(w, 1, 1e-12);
            EXPECT_NEAR(psi, 1, 1e-12);
            EXPECT_LE(length(chi), 1e-12);
        }
    }
}

double largestChange(const DdmRows<double>& a, const DdmRows<double>& b, const std::vector<Affine3d>& bones,
                     const Mesh& mesh) {
    std::vector<Vec3d> rest;
    for (const Vec3f& p : mesh.positions) rest.emplace_back(p);
    std::vector<Vec3d> x(rest.size()), y(rest.size());
    reference::ddm<double>(DdmForm::v0, {rest, {}}, a, bones, {x, {}});
    reference::ddm<double>(DdmForm::v0, {rest, {}}, b, bones, {y, {}});
    double largest = 0;
    for (std::size_t v = 0; v < x.size(); ++v) largest = std::max(largest, length(x[v] - y[v]));
    return largest;
}

TEST(DdmPreparation, TruncatedSupportsChangeAPoseByLessThanAMillionth) {
    PrepareCase c("branch", 1500);
    const auto bones = rig::skinMatricesDouble(c.character.skeleton, &c.character.clips[0], 1.0);
    const DdmRows<double> exact = c.rows();
    c.options.cutoff = 1e-7;
    const DdmRows<double> cut = c.rows();
    EXPECT_LT(cut.joints.size(), exact.joints.size());
    EXPECT_LE(largestChange(cut, exact, bones, c.character.mesh), 1e-6);
    EXPECT_GT(largestChange(cut, exact, bones, c.character.mesh), 0);
}

TEST(DdmPreparation, ALargeMeshMovesAsIfItWereSmoothedToTheLastDigits) {
    PrepareCase c("branch", 36000);  // large from 32768 vertices on
    c.options.cutoff = 1e-7;
    c.options.iterations = 10;
    for (double& x : c.options.lambda) x *= 60;
    for (double& x : c.options.kappa) x *= 20;
    const auto bones = rig::skinMatricesDouble(c.character.skeleton, &c.character.clips[0], 1.0);
    const DdmRows<double> exact = c.rows();
    c.options.coarse = true;
    setThreadCount(1);
    const DdmRows<double> one = c.rows();
    setThreadCount(3);
    const DdmRows<double> three = c.rows();
    setThreadCount(0);
    EXPECT_EQ(one, three);
    EXPECT_LT(one.joints.size(), exact.joints.size());
    EXPECT_LE(largestChange(one, exact, bones, c.character.mesh), 2e-5);
}

TEST(DdmPreparation, AskingAgainGivesWhatAFreshOneGives) {
    PrepareCase c("bar3", 300);
    DdmPreparation kept(c.character.mesh, c.character.weights);
    const auto agrees = [&](const char* what) {
        kept.update(c.options);
        EXPECT_EQ(kept.rows(), c.rows()) << what;
    };
    agrees("first");
    c.options.alpha.assign(c.options.alpha.size(), 0.3);
    agrees("alpha");
    c.options.kappa.assign(c.options.kappa.size(), 0.7);
    agrees("kappa");
    c.options.lambda.assign(c.options.lambda.size(), 0.9);
    agrees("lambda");
    c.options.alpha.assign(c.options.alpha.size(), 0.0);
    agrees("no alpha");
    c.options.iterations = 3;
    agrees("iterations");
    c.options.laplacian = LaplacianKind::uniform;
    agrees("laplacian");
    c.options.smoothing = SmoothingKind::explicit_;
    agrees("smoothing");
    c.options.alpha.assign(c.options.alpha.size(), 0.4);
    c.options.excluded.assign(c.character.mesh.vertexCount(), false);
    c.options.excluded[7] = true;
    agrees("excluded");
    c.options.translations = smoothWeights(c.character.mesh);
    agrees("translations");
    c.options.translations_share.assign(c.options.alpha.size(), 0.5);
    agrees("their share");
    c.options.kappa_iterations = 5;
    agrees("iterations of kappa");
    c.options.translations = {};
    c.options.translations_share = {};
    agrees("no translations");
}

TEST(DdmPreparation, GivesTheSameBitsOnAnyThreads) {
    PrepareCase c("branch", 1500);
    c.options.cutoff = 1e-7;
    setThreadCount(1);
    const DdmRows<double> one = c.rows(4);
    setThreadCount(3);
    EXPECT_EQ(c.rows(4), one);
    setThreadCount(0);
}

TEST(DdmPreparation, SplitCopiesGetEqualRowsAndChangeNothing) {
    PrepareCase c("bar", 300);
    const DdmRows<double> whole = c.rows();
    // Cut every triangle's first corner loose.
    Mesh& mesh = c.character.mesh;
    const std::size_t before = mesh.vertexCount();
    std::vector<std::uint32_t> copied;
    for (std::size_t t = 0; t < mesh.triangles.size(); t += 3) {
        const std::uint32_t v = mesh.triangles[t][0];
        mesh.triangles[t][0] = std::uint32_t(mesh.vertexCount());
        mesh.positions.push_back(Vec3f(mesh.positions[v]));
        appendVertex(c.character.weights, c.character.weights.jointsOf(v), c.character.weights.weightsOf(v));
        for (auto* values : {&c.options.lambda, &c.options.kappa, &c.options.alpha})
            values->push_back(double((*values)[v]));
        copied.push_back(v);
    }
    const DdmRows<double> split = c.rows();
    const auto row = [](const DdmRows<double>& rows, std::size_t v) {
        return std::vector<DdmBlock<double>>(rows.blocks.begin() + rows.offsets[v],
                                             rows.blocks.begin() + rows.offsets[v + 1]);
    };
    for (std::size_t v = 0; v < before; ++v)
        for (std::size_t e = 0; e < row(whole, v).size(); ++e)
            EXPECT_NEAR(row(split, v)[e].w, row(whole, v)[e].w, 1e-13) << v;
    for (std::size_t i = 0; i < copied.size(); ++i) EXPECT_EQ(row(split, before + i), row(split, copied[i]));
}

TEST(DdmPreparation, APartOnOneBoneStaysRigidWhateverIsBesideIt) {
    PrepareCase c("bar", 300);
    Mesh& mesh = c.character.mesh;
    const std::size_t first = mesh.vertexCount();
    for (const Vec3f& p : {Vec3f{0.1f, 1, 0}, Vec3f{0.2f, 1, 0}, Vec3f{0.1f, 1.1f, 0}}) {
        mesh.positions.push_back(p);
        const std::uint32_t joint[] = {1};
        const float weight[] = {1};
        appendVertex(c.character.weights, joint, weight);
        for (auto* values : {&c.options.lambda, &c.options.kappa, &c.options.alpha}) values->push_back(0.5);
    }
    const auto at = std::uint32_t(first);
    mesh.triangles.push_back({at, at + 1, at + 2});
    const DdmRows<double> rows = c.rows();
    for (std::size_t v = first; v < first + 3; ++v) {
        ASSERT_EQ(rows.influenceCount(v), 1u);
        EXPECT_EQ(rows.joints[rows.offsets[v]], 1u);
    }
}

TEST(DdmPreparation, AnExcludedVertexKeepsItsBindAndItsPlace) {
    PrepareCase c("bar", 300);
    c.options.excluded.assign(c.character.mesh.vertexCount(), false);
    for (std::size_t v = 0; v < 40; ++v) c.options.excluded[v * 7] = true;
    const DdmRows<double> rows = c.rows();
    for (std::size_t v = 0; v < 40; ++v) {
        ASSERT_EQ(rows.influenceCount(v * 7), 1u);
        EXPECT_EQ(rows.joints[rows.offsets[v * 7]], c.character.weights.jointsOf(v * 7)[0]);
        EXPECT_LE(length(rows.centers[v * 7] - Vec3d(c.character.mesh.positions[v * 7])), 1e-12);
    }
}

TEST(DdmPreparation, StronglyIrregularValenceReproducesTheRestPose) {
    // A fan of 400 thin triangles around two poles: a solver that reads only one triangle of the unsymmetric system
    // would give sums far from one.
    Mesh mesh;
    SkinWeights bind;
    const std::size_t n = 400;
    const auto add = [&](Vec3f p, std::uint32_t joint) {
        mesh.positions.push_back(p);
        const float one[] = {1};
        appendVertex(bind, std::span(&joint, 1), one);
    };
    add({0, 1, 0}, 0);
    add({0, -1, 0}, 1);
    for (std::size_t i = 0; i < n; ++i) {
        const float angle = float(i) * 6.2831853f / float(n);
        add({std::cos(angle), 0.2f * std::sin(3 * angle), std::sin(angle)}, i % 2);
    }
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t a = 2 + i, b = 2 + (i + 1) % std::uint32_t(n);
        mesh.triangles.push_back({0, a, b});
        mesh.triangles.push_back({1, b, a});
    }
    DdmOptions options;
    options.lambda.assign(mesh.vertexCount(), 3);
    options.kappa.assign(mesh.vertexCount(), 1);
    options.alpha.assign(mesh.vertexCount(), 0.8);
    for (const auto kind : {LaplacianKind::uniform, LaplacianKind::cotangent}) {
        options.laplacian = kind;
        DdmPreparation preparation(mesh, bind);
        preparation.update(options);
        std::vector<Vec3d> rest(mesh.positions.begin(), mesh.positions.end()), posed(rest.size());
        reference::ddm<double>(DdmForm::v0, {rest, {}}, preparation.rows(), std::vector<Affine3d>(2), {posed, {}});
        for (std::size_t v = 0; v < rest.size(); ++v) EXPECT_LE(length(posed[v] - rest[v]), 1e-11) << v;
    }
}

TEST(DdmPreparation, SaysWhichNumberIsOutOfItsRange) {
    const PrepareCase good("bar", 300);
    const auto fails = [&](auto&& change, const char* word) {
        PrepareCase c = good;
        change(c.options);
        try {
            c.rows();
            ADD_FAILURE() << word;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::bad_usage);
            EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
        }
    };
    fails([](DdmOptions& o) { o.lambda[3] = -1; }, "lambda");
    fails([](DdmOptions& o) { o.kappa[3] = NAN; }, "kappa");
    fails([](DdmOptions& o) { o.alpha[3] = 1; }, "alpha");
    fails([](DdmOptions& o) { o.alpha.pop_back(); }, "alpha");
    fails([](DdmOptions& o) { o.iterations = -1; }, "iterations");
    fails(
        [](DdmOptions& o) {
            o.smoothing = SmoothingKind::explicit_;
            o.lambda[5] = 1.5;
        },
        "vertex 5");
}

}  // namespace
}  // namespace pelt::deform

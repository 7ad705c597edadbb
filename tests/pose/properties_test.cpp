// Properties of posing from handles, in double precision and, with a larger tolerance, in single precision.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>

#include "pose_case.h"

namespace pelt::pose {
namespace {

/// Solves with many iterations and returns the energies.
template <class T>
std::vector<double> energiesOf(Solver<T>& solver, int iterations, double tolerance = 0) {
    std::vector<double> energies{std::vector<double>(std::size_t(iterations))};
    const SolveResult result = solver.solve({iterations, tolerance, energies});
    energies.resize(std::size_t(result.iterations));
    return energies;
}

/// The bar with its lower joint at rest, the upper one bent, twisted and moved, and the middle pulled aside.
template <class T>
Solver<T> bentBar(const Character& bar, const PoseRig& rig) {
    const std::uint32_t front = vertexAt(bar, {0, 0.5, 0.1}), back = vertexAt(bar, {0, 0.5, -0.1});
    const Constraint both[] = {whole(0), mean({front, back}), whole(2)};
    Solver<T> solver(constrain(rig, both));
    solver.setTransform(0, Affine3d());
    solver.setTarget(1, {0.1, 0.5, 0.05});
    solver.setTransform(2, turnAbout({0, 0.7, 0}, {1, 0.3, 0.5}, 80, {0.1, -0.05, 0}));
    return solver;
}

TEST(Pose, EnergyNeverRises) {
    const Character bar = posed("bar3", 600);
    for (const Energy energy : kSurfaceEnergies)
        for (const std::size_t clusters : {0, 20}) {
            const PoseRig rig = prepare(shapeOf(bar), {energy, clusters, 6, 0});
            Solver<double> solver = bentBar<double>(bar, rig);
            const std::vector<double> energies = energiesOf(solver, 60);
            ASSERT_EQ(energies.size(), 60u);
            for (std::size_t i = 1; i < energies.size(); ++i)
                EXPECT_LE(energies[i], energies[i - 1] * (1 + 1e-12) + 1e-14) << i;
            EXPECT_LT(energies.back(), 0.98 * energies.front());
            EXPECT_GT(energies.back(), 0);
        }
}

TEST(Pose, SinglePrecisionFindsTheSamePose) {
    const Character bar = posed("bar3", 600);
    const PoseRig rig = prepare(shapeOf(bar), {Energy::spokes_and_rims, {}, 6, 0});
    Solver<double> fine = bentBar<double>(bar, rig);
    Solver<float> fast = bentBar<float>(bar, rig);
    const double a = fine.solve({200, 0}).energy, b = fast.solve({200, 0}).energy;
    EXPECT_NEAR(a, b, 1e-4 * a);
    const auto p = verticesOf(rig, fine, bar.mesh.vertexCount()), q = verticesOf(rig, fast, bar.mesh.vertexCount());
    for (std::size_t v = 0; v < p.size(); ++v) EXPECT_LT(length(p[v] - q[v]), 1e-4 * diagonalOf(bar)) << v;
}

TEST(Pose, ConstraintsAreMet) {
    const Character arm = posed("arm", 700);
    const PoseRig rig = prepare(shapeOf(arm), {Energy::spokes_and_rims, {}, 5, 0});
    const std::vector<Vec3d> joints = rig::jointRestPositions(arm.skeleton);
    const Affine3d turn = turnAbout(joints[0], {0, 1, 1}, 30);
    const Vec3d elbow = joints[1] + Vec3d(0.1, 0.2, -0.1), vertex(0.3, 0.7, 0.2), region(-0.2, 0.1, 0.4);
    const std::uint32_t a = vertexAt(arm, joints[1]), b = vertexAt(arm, joints[2]),
                        c = vertexAt(arm, joints[1] * 0.5 + joints[2] * 0.5);
    const Constraint all[] = {whole(0), at(1, joints[1]), mean({a}), mean({b, c})};
    Solver<double> solver(constrain(rig, all));
    solver.setTransform(0, turn);
    solver.setTarget(1, elbow);
    solver.setTarget(2, vertex);
    solver.setTarget(3, region);
    EXPECT_LT(solver.conflict(), 1e-12);
    solver.solve({10, 0});

    std::vector<Affine3d> t(rig.handleCount() + rig.extraCount());
    solver.transforms(t);
    const double close = 1e-9 * diagonalOf(arm);
    for (int i = 0; i < 16; ++i) EXPECT_NEAR(t[0].m[i], turn.m[i], 1e-9);
    EXPECT_LT(length(t[1] * joints[1] - elbow), close);
    const auto posed = verticesOf(rig, solver, arm.mesh.vertexCount());
    EXPECT_LT(length(posed[a] - vertex), close);
    EXPECT_LT(length((posed[b] + posed[c]) * 0.5 - region), close);
}

TEST(Pose, AllHandlesGivenIsLinearBlendSkinning) {
    const Character arm = posed("arm", 500);
    const PoseRig rig = prepare(shapeOf(arm), {Energy::triangles, {}, 0, 0});
    const Constraint all[] = {whole(2), whole(0), whole(1)};
    const std::vector<Affine3d> bones = {turnAbout({0, 0, 0}, {1, 2, 3}, 50), turnAbout({1, 0, 1}, {0, 1, 0}, 120),
                                         Affine3d({{{2, 0, 0}, {0.5, 1, 0}, {0, 0, 0.2}}}, {1, 2, 3})};
    Solver<double> solver(constrain(rig, all));
    for (std::size_t i = 0; i < 3; ++i) solver.setTransform(i, bones[all[i].handle]);
    solver.solve();

    const std::vector<Vec3d> rest(arm.mesh.positions.begin(), arm.mesh.positions.end());
    const auto found = verticesOf(rig, solver, rest.size());
    for (std::size_t v = 0; v < rest.size(); ++v) {
        Vec3d expected;
        double sum = 0;  // float weights add up to 1 only nearly
        for (std::size_t k = 0; k < arm.weights.influenceCount(v); ++k) {
            const double w = arm.weights.weightsOf(v)[k];
            expected += (bones[arm.weights.jointsOf(v)[k]] * rest[v]) * w;
            sum += w;
        }
        EXPECT_LT(length(found[v] - expected / sum), 1e-10) << v;
    }
    std::vector<Affine3d> t(rig.handleCount() + rig.extraCount());
    solver.transforms(t);
    for (std::size_t h = 0; h < 3; ++h)
        for (int i = 0; i < 16; ++i) EXPECT_NEAR(t[h].m[i], bones[h].m[i], 1e-10);
}

TEST(Pose, RigidlyMovedHandlesCostNoEnergy) {
    const Character arm = posed("arm", 700);
    const std::vector<Vec3d> joints = rig::jointRestPositions(arm.skeleton);
    const Affine3d move = turnAbout({0.3, 0.1, 0}, {1, -2, 0.5}, 170, {3, -1, 2});
    for (const Energy energy : kSurfaceEnergies) {
        const PoseRig rig = prepare(shapeOf(arm), {energy, {}, 4, 0});
        const Constraint some[] = {whole(1), at(2, joints[2]), mean({10, 20})};
        Solver<double> solver(constrain(rig, some));
        solver.setTransform(0, move);
        solver.setTarget(1, move * joints[2]);
        solver.setTarget(2, move * ((Vec3d(arm.mesh.positions[10]) + Vec3d(arm.mesh.positions[20])) * 0.5));
        solver.reset();
        const double diagonal = diagonalOf(arm);
        EXPECT_LT(solver.solve().energy, 1e-10 * diagonal * diagonal);
        const auto found = verticesOf(rig, solver, arm.mesh.vertexCount());
        for (std::size_t v = 0; v < found.size(); ++v)
            EXPECT_LT(length(found[v] - move * Vec3d(arm.mesh.positions[v])), 1e-6 * diagonal) << v;
    }
}

TEST(Pose, NothingGivenIsTheRestPose) {
    const Character bar = posed("bar3", 400);
    const PoseRig rig = prepare(shapeOf(bar));
    Solver<double> solver(constrain(rig, {}));
    EXPECT_NEAR(solver.solve().energy, 0, 1e-12);
    const auto found = verticesOf(rig, solver, bar.mesh.vertexCount());
    for (std::size_t v = 0; v < found.size(); ++v)
        EXPECT_LT(length(found[v] - Vec3d(bar.mesh.positions[v])), 1e-9) << v;
}

TEST(Pose, OnePointMovesTheWholeShape) {
    const Character bar = posed("bar3", 400);
    const PoseRig rig = prepare(shapeOf(bar), {Energy::spokes, {}, 3, 0});
    const Constraint point[] = {mean({7})};
    Solver<double> solver(constrain(rig, point));
    const Vec3d shift(0.5, 2, -1);
    solver.setTarget(0, Vec3d(bar.mesh.positions[7]) + shift);
    EXPECT_NEAR(solver.solve().energy, 0, 1e-12);
    const auto found = verticesOf(rig, solver, bar.mesh.vertexCount());
    for (std::size_t v = 0; v < found.size(); ++v)
        EXPECT_LT(length(found[v] - Vec3d(bar.mesh.positions[v]) - shift), 1e-8) << v;
}

// As of a free joint within a region that another handle holds: nothing says how such a handle turns.
TEST(Pose, AHandleOfOneVertexDoesNotStretch) {
    Character bar = posed("bar", 400);
    const std::uint32_t lonely = vertexAt(bar, {0.1, 0.7, 0});
    SkinWeights weights;
    for (std::uint32_t v = 0; v < bar.mesh.vertexCount(); ++v) {
        std::vector<std::uint32_t> joints(bar.weights.jointsOf(v).begin(), bar.weights.jointsOf(v).end());
        std::vector<float> values(bar.weights.weightsOf(v).begin(), bar.weights.weightsOf(v).end());
        joints.push_back(2);
        values.push_back(v == lonely ? 1 : 1e-13f);
        appendVertex(weights, joints, values);
    }
    const PoseRig rig = prepare({bar.mesh.positions, bar.mesh.triangles, &weights, 3}, {Energy::spokes, {}, 0, 0});
    const Constraint ends[] = {whole(0), whole(1)};
    Solver<double> solver(constrain(rig, ends));
    solver.setTransform(0, Affine3d());
    solver.setTransform(1, turnAbout({0, 0.5, 0}, {0, 0, 1}, 60));
    solver.solve();
    std::vector<Affine3d> transforms(3);
    solver.transforms(transforms);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) EXPECT_LT(std::abs(transforms[2].linear()(i, j)), 10) << i << j;
}

TEST(Pose, ExtraWeightsLeaveAloneWhatAHandleHolds) {
    const Character arm = posed("arm", 1500);
    const PoseRig rig = prepare(shapeOf(arm), {Energy::spokes_and_rims, {}, 15, 0});
    ASSERT_EQ(rig.extraCount(), 15u);
    const Constraint ends[] = {whole(0), whole(2)};
    Solver<double> solver(constrain(rig, ends));
    const Affine3d move = turnAbout({0.1, 0.3, 0}, {0, 0, 1}, 60, {0.05, 0, 0.1});
    solver.setTransform(0, Affine3d());
    solver.setTransform(1, move);
    solver.solve();
    const auto found = verticesOf(rig, solver, arm.mesh.vertexCount());
    std::size_t held = 0;
    for (std::size_t v = 0; v < found.size(); ++v)
        for (std::size_t k = 0; k < arm.weights.influenceCount(v); ++k) {
            const std::uint32_t joint = arm.weights.jointsOf(v)[k];
            if (arm.weights.weightsOf(v)[k] < 1 || joint == 1) continue;
            const Vec3d rest(arm.mesh.positions[v]);
            EXPECT_LT(length(found[v] - (joint == 0 ? rest : move * rest)), 1e-9) << v;
            ++held;
        }
    EXPECT_GT(held, 50u);
}

TEST(Pose, FlatShapesBendInTheirPlane) {
    const Character sheet = flatSheet(14, 3);
    for (const Energy energy : kSurfaceEnergies) {
        const PoseRig rig = prepare(shapeOf(sheet), {energy, {}, 6, 0});
        const Constraint ends[] = {whole(0), at(1, {1, 0.2, 3})};
        Solver<double> solver(constrain(rig, ends));
        solver.setTransform(0, Affine3d());
        solver.setTarget(1, {0.6, 0.8, 3});
        const std::vector<double> energies = energiesOf(solver, 100);
        for (std::size_t i = 1; i < energies.size(); ++i) EXPECT_LE(energies[i], energies[i - 1] * (1 + 1e-12) + 1e-14);
        const auto found = verticesOf(rig, solver, sheet.mesh.vertexCount());
        std::vector<Affine3d> t(rig.handleCount() + rig.extraCount());
        solver.transforms(t);
        for (const Vec3d& p : found) EXPECT_NEAR(p.z, 3, 1e-9);
        EXPECT_NEAR(t[1].linear()(2, 2), 1, 1e-9);  // undetermined degrees of freedom stay at rest
        EXPECT_GT(determinant(t[1].linear()), 0.2);
    }
}

// Where weights are painted no vertex may have all weight on a handle; what it nearly has must not float away either.
TEST(Pose, ExtraWeightsLeaveAloneWhatHandlesHold) {
    const Character biped = posed("biped", 3000);
    const std::vector<Vec3d> joints = rig::jointRestPositions(biped.skeleton);
    const std::uint32_t foot_l = rig::findJoint(biped.skeleton, "foot_L").value(),
                        foot_r = rig::findJoint(biped.skeleton, "foot_R").value(),
                        hand = rig::findJoint(biped.skeleton, "hand_R").value();
    const Constraint given[] = {whole(foot_l), whole(foot_r), at(hand, joints[hand])};
    for (const ExtraKind kind : {ExtraKind::modes, ExtraKind::bumps}) {
        RigOptions options;
        options.extra_weights = 15;
        options.extra_kind = kind;
        const PoseRig rig = prepare(shapeOf(biped), options);
        Solver<double> solver(constrain(rig, given));
        solver.setTarget(2, {0.3, 1, 0.5});
        solver.reset();
        solver.solve({1000, 0});
        const std::vector<Vec3d> moved = verticesOf(rig, solver, biped.mesh.vertexCount());
        double farthest = 0;
        for (std::size_t v = 0; v < moved.size(); ++v) {
            double of_feet = 0;
            for (std::size_t k = 0; k < biped.weights.influenceCount(v); ++k)
                if (const std::uint32_t j = biped.weights.jointsOf(v)[k]; j == foot_l || j == foot_r)
                    of_feet += biped.weights.weightsOf(v)[k];
            if (of_feet > 0.9) farthest = std::max(farthest, length(moved[v] - Vec3d(biped.mesh.positions[v])));
        }
        EXPECT_GT(farthest, 0);
        EXPECT_LT(farthest, 0.02);
    }
}

TEST(Pose, ContradictionsAreMeasured) {
    const Character bar = posed("bar", 400);
    const PoseRig rig = prepare(shapeOf(bar));
    const Constraint twice[] = {mean({3}), mean({3})};
    Solver<double> solver(constrain(rig, twice));
    solver.setTarget(0, {0, 0, 0});
    solver.setTarget(1, {0, 0, 0});
    EXPECT_LT(solver.conflict(), 1e-12);
    solver.setTarget(1, {0, 0.5, 0});
    EXPECT_GT(solver.conflict(), 0.1);
}

TEST(Pose, ThreeHundredHandlesWork) {
#ifdef PELT_SANITIZED
    const std::size_t handles = 60;  // the same with fewer: an eigenvalue problem takes long there
#else
    const std::size_t handles = 300;
#endif
    const Character arm = scenes::find("arm")->make(1500);
    // Each vertex is bound to the three nearest of 300 vertices.
    SkinWeights weights;
    const std::size_t stride = arm.mesh.vertexCount() / handles;
    for (const Vec3f& p : arm.mesh.positions) {
        std::vector<std::pair<float, std::uint32_t>> near;
        for (std::uint32_t h = 0; h < handles; ++h) near.emplace_back(length(p - arm.mesh.positions[h * stride]), h);
        std::partial_sort(near.begin(), near.begin() + 4, near.end());
        std::uint32_t joints[3];
        float values[3];
        for (int k = 0; k < 3; ++k) {
            joints[k] = near[std::size_t(k)].second;
            values[k] = 1 - near[std::size_t(k)].first / near[3].first;
        }
        appendVertex(weights, joints, values);
    }
    const PoseRig rig =
        prepare({arm.mesh.positions, arm.mesh.triangles, &weights, handles}, {Energy::spokes_and_rims, 200, 0, 0});
    const Constraint ends[] = {whole(handles - 1), mean({700})};
    const PoseSystem system = constrain(rig, ends);
    Solver<double> solver(system);
    Solver<float> fast(system);
    const Affine3d move = turnAbout({1, 1, 1}, {0, 1, 0}, 60, {0.1, 0, 0});
    solver.setTransform(0, move);
    fast.setTransform(0, move);
    solver.setTarget(1, Vec3d(arm.mesh.positions[700]));
    fast.setTarget(1, Vec3d(arm.mesh.positions[700]));
    std::vector<double> energies(20);
    solver.solve({20, 0, energies});
    for (std::size_t i = 1; i < energies.size(); ++i) EXPECT_LE(energies[i], energies[i - 1] * (1 + 1e-12));
    const auto found = verticesOf(rig, solver, arm.mesh.vertexCount());
    EXPECT_LT(length(found[700] - Vec3d(arm.mesh.positions[700])), 1e-9);
    EXPECT_NEAR(fast.solve({20, 0}).energy, energies.back(), 1e-3 * energies.back());
}

TEST(Pose, TheNumberOfThreadsChangesNothing) {
    const Character arm = posed("arm", 3000);
    const auto solved = [&](int threads) {
        setThreadCount(threads);
        const PoseRig rig = prepare(shapeOf(arm), {Energy::spokes_and_rims, 30, 7, 0});
        const Constraint ends[] = {whole(0), mean({900})};
        Solver<float> solver(constrain(rig, ends));
        solver.setTransform(0, Affine3d());
        solver.setTarget(1, {0.5, 0.5, 0.5});
        solver.solve();
        std::vector<Affine3f> t(rig.handleCount() + rig.extraCount());
        solver.transforms(t);
        std::vector<float> numbers;
        for (const Affine3f& a : t) numbers.insert(numbers.end(), a.m, a.m + 16);
        setThreadCount(0);
        return numbers;
    };
    EXPECT_EQ(solved(1), solved(2));
}

TEST(Pose, BadShapesAreRefusedInOneLine) {
    Character bar = posed("bar", 300);
    const auto message = [&](const Shape& shape, const RigOptions& options = {}) -> std::string {
        try {
            prepare(shape, options);
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    Shape shape = shapeOf(bar);
    shape.handles = 1;
    EXPECT_NE(message(shape).find("handle 1"), std::string::npos);
    EXPECT_NE(message(shapeOf(bar), {Energy::tets, {}, 0, 0}).find("volume"), std::string::npos);
    SkinWeights empty;
    for (std::size_t v = 0; v < bar.mesh.vertexCount(); ++v) appendVertex(empty, {}, {});
    shape = shapeOf(bar);
    shape.weights = &empty;
    EXPECT_NE(message(shape).find("no weight"), std::string::npos);
    bar.mesh.positions[4].y = std::nanf("");
    EXPECT_NE(message(shapeOf(bar)).find("vertex 4"), std::string::npos);
}

}  // namespace
}  // namespace pelt::pose

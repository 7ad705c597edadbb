// The vectorized steps against the plain ones, for each instruction set that this machine has.
#include <gtest/gtest.h>
#include <pelt/runtime/rotation.h>

#include <random>

#include "deform/instruction_sets.h"
#include "pose/fast/iterate.h"
#include "pose_case.h"

namespace pelt::pose {
namespace {

using deform::onEachInstructionSet;

/// A solver's memory with random numbers.
struct Buffers {
    Panels<float> covariance, targets;
    Panels<float> fixed, rotations;  // three columns
    std::vector<float> thin;
    Panels<float> y, sums;
    Iteration<float> it;

    Buffers(std::size_t clusters, std::size_t unknowns, std::uint32_t seed) {
        const std::size_t panels = (clusters + kLanes - 1) / kLanes;
        std::mt19937 random(seed);
        std::normal_distribution<float> normal(0, 1);
        covariance.allocate(panels, unknowns);
        fixed.allocate(panels, 3);
        rotations.allocate(panels, 3);
        y.allocate(1, unknowns);
        sums.allocate(1, unknowns);
        const auto fill = [&](Panels<float>& m) {
            for (std::size_t p = 0; p < m.panels; ++p)
                for (std::size_t i = 0; i < m.columns * kPanel; ++i)
                    if (p * kLanes + i % kLanes < clusters)
                        m.numbers[p * m.columns * kPanel + i] = normal(random) * 0.1f;
        };
        fill(covariance);
        fill(fixed);
        for (std::size_t p = 0; p < panels; ++p)
            for (std::size_t a = 0; a < 3; ++a)
                std::fill_n(rotations.numbers + (p * 3 + a) * kPanel + a * kLanes, kLanes, 1.0f);
        for (std::size_t i = 0; i < unknowns; ++i)
            for (std::size_t b = 0; b < 3; ++b) y.numbers[4 * i + b] = normal(random);
        it = {panels, unknowns, covariance.numbers, fixed.numbers, rotations.numbers, y.numbers, sums.numbers};
    }
};

TEST(PoseKernel, AnIterationIsTheReferencesOnEveryInstructionSet) {
    const std::pair<std::size_t, std::size_t> sizes[] = {{1, 1}, {16, 3}, {17, 40}, {100, 80}, {250, 7}};
    for (const auto& size : sizes) {
        Buffers plain{size.first, size.second, 7};
        const StepResult expected = iterateReference(plain.it);
        onEachInstructionSet([&](std::int64_t) {
            Buffers b{size.first, size.second, 7};
            const StepResult found = iterateKernel(b.it);
            EXPECT_NEAR(found.agreement, expected.agreement, 2e-4 * (1 + std::abs(expected.agreement)));
            EXPECT_NEAR(found.squared, expected.squared, 1e-3 * expected.squared);
            EXPECT_NEAR(found.change, expected.change, 1e-3 * expected.change);
            for (std::size_t i = 0; i < b.it.panels * 3 * kPanel; ++i)
                EXPECT_NEAR(b.it.rotations[i], plain.it.rotations[i], 2e-3) << i;
            for (std::size_t i = 0; i < 4 * b.it.unknowns; ++i)
                EXPECT_NEAR(b.it.y[i], plain.it.y[i], 1e-3 * std::sqrt(expected.squared)) << i;
        });
    }
}

TEST(PoseKernel, AnIterationInAPlaneIsTheReferencesOnEveryInstructionSet) {
    const float normal[] = {2 / 7.0f, -3 / 7.0f, 6 / 7.0f};
    Buffers plain{40, 12, 11};
    plain.it.normal = normal;
    iterateReference(plain.it);
    onEachInstructionSet([&](std::int64_t) {
        Buffers b{40, 12, 11};
        b.it.normal = normal;
        iterateKernel(b.it);
        for (std::size_t i = 0; i < b.it.panels * 3 * kPanel; ++i)
            EXPECT_NEAR(b.it.rotations[i], plain.it.rotations[i], 1e-4) << i;
        for (std::size_t p = 0; p < b.it.panels; ++p)
            for (std::size_t lane = 0; lane < kLanes; ++lane)
                for (std::size_t c = 0; c < 3; ++c) {  // each column of R maps the normal to itself
                    float sum = 0;
                    for (std::size_t a = 0; a < 3; ++a)
                        sum += normal[a] * b.it.rotations[(p * 3 + c) * kPanel + a * kLanes + lane];
                    EXPECT_NEAR(sum, normal[c], 1e-5);
                }
    });
}

TEST(PoseKernel, RotationsAreProperWhateverTheCovariance) {
    onEachInstructionSet([&](std::int64_t) {
        Buffers b(16, 1, 3);
        std::fill_n(b.covariance.numbers, kPanel, 0.0f);
        std::fill_n(b.fixed.numbers, 3 * kPanel, 0.0f);
        const auto set = [&](std::size_t lane, int a, int c, float x) {
            b.fixed.numbers[std::size_t(c) * kPanel + std::size_t(a) * kLanes + lane] = x;
        };
        set(1, 0, 0, 1);                                     // one line
        set(2, 0, 1, 1);                                     // one line, turned
        set(3, 0, 0, 1), set(3, 1, 1, 1);                    // a plane
        set(4, 0, 0, 1), set(4, 1, 1, -1), set(4, 2, 2, 1);  // a reflection with ties
        set(5, 0, 0, 3), set(5, 1, 1, 2), set(5, 2, 2, -1);
        set(6, 0, 0, -1), set(6, 1, 1, -1), set(6, 2, 2, 1);
        iterateKernel(b.it);
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            Mat3d r;
            for (int c = 0; c < 3; ++c)
                for (int a = 0; a < 3; ++a)
                    r(a, c) = double(b.it.rotations[std::size_t(c) * kPanel + std::size_t(a) * kLanes + lane]);
            EXPECT_NEAR(determinant(r), 1, 1e-5) << lane;
            EXPECT_NEAR(dot(r.col[0], r.col[1]), 0, 1e-5) << lane;
            EXPECT_NEAR(dot(r.col[2], r.col[2]), 1, 1e-5) << lane;
            if (lane == 0 || lane == 1 || lane == 3 || lane == 5) {
                EXPECT_NEAR(r(0, 0) + r(1, 1) + r(2, 2), 3, 1e-4) << lane;
            }
        }
        EXPECT_NEAR(b.it.rotations[kPanel + 2], 1, 1e-4);  // the turned line turns with its edge
    });
}

TEST(PoseKernel, ProductsAreTheReferencesOnEveryInstructionSet) {
    for (const std::size_t columns : {0, 1, 5, 33}) {
        Buffers b(40, std::max<std::size_t>(columns, 1), 5);
        Panels<float> m;
        m.allocate(3, columns);
        for (std::size_t i = 0; i < 3 * columns * kPanel; ++i) m.numbers[i] = std::sin(float(i));
        std::vector<float> expected(9 * kPanel, 0.5f);
        addProductReference(m, b.y.numbers, expected.data());
        onEachInstructionSet([&](std::int64_t) {
            Panels<float> out;
            out.allocate(3, 3);
            std::fill_n(out.numbers, 9 * kPanel, 0.5f);
            addProductKernel(m, b.y.numbers, out.numbers);
            for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(out.numbers[i], expected[i], 1e-4);
        });
    }
}

TEST(PoseKernel, VerticesAreTheReferencesForEveryRange) {
    const Character arm = posed("arm", 333);
    const PoseRig rig = prepare(shapeOf(arm), {Energy::spokes, {}, 5, 0});
    std::vector<Affine3f> transforms;
    for (std::size_t c = 0; c < rig.handleCount() + rig.extraCount(); ++c)
        transforms.emplace_back(turnAbout({0.1, 0, 0.2}, {1, double(c), 2}, 40.0 * double(c), {0, 0.1, 0}));
    const std::vector<Affine3d> wide(transforms.begin(), transforms.end());
    const std::size_t count = arm.mesh.vertexCount();
    std::vector<Vec3d> expected(count);
    evaluate(rig, wide, expected);
    onEachInstructionSet([&](std::int64_t) {
        for (const auto& [first, size] : {std::pair<std::size_t, std::size_t>(0, count),
                                          {3, 5},
                                          {15, 2},
                                          {16, 16},
                                          {7, 100},
                                          {count - 3, 3},
                                          {20, 0}}) {
            std::vector<Vec3f> out(count, Vec3f(9, 9, 9));
            evaluate(rig, transforms, first, size, out);
            for (std::size_t v = 0; v < count; ++v) {
                const bool inside = v >= first && v < first + size;
                EXPECT_LT(length(Vec3d(out[v]) - (inside ? expected[v] : Vec3d(9, 9, 9))), 1e-5) << v;
            }
        }
    });
}

}  // namespace
}  // namespace pelt::pose

// Solving a pose allocates nothing.
#include <gtest/gtest.h>

#include "counting_allocator.h"
#include "pose_case.h"

namespace pelt::pose {
namespace {

template <class T>
void expectNoAllocation() {
    const Character arm = posed("arm", 400);
    const PoseRig rig = prepare(shapeOf(arm), {Energy::spokes_and_rims, {}, 4, 0});
    const Constraint given[] = {whole(0), at(2, {0.5, 0, 0})};
    const PoseSystem system = constrain(rig, given);
    Solver<T> solver(system), other(system);
    std::vector<Affine3<T>> transforms(rig.handleCount() + rig.extraCount());
    std::vector<Vec3f> out(arm.mesh.vertexCount());
    solver.solve();  // the first call looks at the machine

    const std::size_t before = allocations;
    solver.setTransform(0, Affine3d());
    solver.setTarget(1, {0.3, 0.3, 0.1});
    solver.reset();
    solver.solve();
    other.startFrom(solver);
    solver.transforms(transforms);
    if constexpr (sizeof(T) == sizeof(float)) evaluate(rig, transforms, 0, out.size(), out);
    EXPECT_GE(solver.conflict(), 0);
    EXPECT_EQ(allocations, before);
}

TEST(Solving, AllocatesNothing) {
    expectNoAllocation<float>();
    expectNoAllocation<double>();
}

TEST(Solving, ASolverIsTwoAllocations) {
    const Character arm = posed("arm", 400);
    const PoseSystem system = constrain(prepare(shapeOf(arm)), {});
    const std::size_t before = allocations;
    const Solver<float> solver(system);
    EXPECT_EQ(allocations - before, 2u);  // itself, and all its numbers
}

}  // namespace
}  // namespace pelt::pose

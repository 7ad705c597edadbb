// An engine that has a payload's numbers and wants vertices: links the run time alone.
#include <pelt/deform/ddm.h>

#include <cmath>
#include <cstdio>

int main() {
    // Two vertices: one follows joint 0, one is smoothed over both joints.
    pelt::Mesh rest;
    rest.positions = {{0, 0, 0}, {0, 1, 0}};
    pelt::DdmRows<float> rows;
    rows.offsets = {0, 1, 3};
    rows.joints = {0, 0, 1};
    rows.blocks = {{1, 0, 0, 1, 0, 1, 0, 0, 0, 1},
                   {0.5f, 0, 0, 0.5f, 0, 0.5f, -0.2f, 0, 0, 0.5f},
                   {0.5f, 0, 0, 0.5f, 0, 0.5f, 0.2f, 0, 0, 0.5f}};
    rows.psi = {1, 0.5f, 0.5f};
    rows.centers = {{0, 0, 0}, {0, 0.9f, 0}};

    const pelt::deform::DdmRig rig = packDdm(rest, rows, pelt::deform::DdmForm::ddm);
    pelt::deform::DdmPose pose(rig);
    const std::vector<pelt::Affine3f> bones(2, {pelt::Mat3f{}, {1, 2, 3}});
    pose.set(bones);
    std::vector<pelt::Vec3f> positions(2);
    evaluate(rig, pose, {}, 0, 2, {positions, {}});
    std::printf("vertices at %g %g %g and %g %g %g\n", double(positions[0].x), double(positions[0].y),
                double(positions[0].z), double(positions[1].x), double(positions[1].y), double(positions[1].z));
    return length(positions[1] - pelt::Vec3f{1, 3, 3}) < 1e-5f ? 0 : 1;
}

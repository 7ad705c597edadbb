// How an engine calls a deformer: the rig is prepared once, the engine's matrices are passed unchanged, and its jobs
// evaluate vertex ranges into its own buffers. Nothing is allocated while posing.

#include <pelt/deform/dqs.h>
#include <pelt/rig/clip.h>
#include <pelt/scenes/scenes.h>

#include <cstdio>
#include <thread>
#include <vector>

int main() {
    using namespace pelt;
    const Character bar = scenes::find("bar3")->make(4000);
    const std::size_t vertices = bar.mesh.vertexCount();

    const std::vector<Vec3d> joints = rig::jointRestPositions(bar.skeleton);
    const deform::DqsRig rig = deform::prepareDqs(bar.mesh, scenes::smoothWeights(bar), joints);
    deform::DqsPose pose(rig);
    std::vector<Vec3f> positions(vertices), normals(vertices);

    const Clip& clip = bar.clips.front();
    for (const double time : rig::sampleTimes(clip, 10)) {
        pose.set(rig::skinMatrices(bar.skeleton, &clip, time));  // 4x4 by columns, one per joint
        const auto job = [&](std::size_t first, std::size_t count) {
            deform::evaluate(rig, pose, {}, first, count, {positions, normals});
        };
        std::thread other(job, 0, vertices / 2);
        job(vertices / 2, vertices - vertices / 2);
        other.join();
    }
    std::printf("%zu vertices posed, the last at (%.3f, %.3f, %.3f)\n", vertices, double(positions.back().x),
                double(positions.back().y), double(positions.back().z));
}

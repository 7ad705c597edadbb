// Direct Delta Mush in three steps: smooth a rigid bind once, choose the number of joints per vertex, pose.
//   example_04_direct_delta_mush [CHARACTER.glb]      (without a file: the built-in branch)

#include <pelt/core/error.h>
#include <pelt/deform/ddm.h>
#include <pelt/io/character_file.h>
#include <pelt/methods/ddm.h>
#include <pelt/rig/clip.h>
#include <pelt/scenes/scenes.h>

#include <cstdio>

int main(int argc, char** argv) try {
    using namespace pelt;
    const Character character = argc > 1 ? io::loadCharacter(argv[1]).character : scenes::find("branch")->make(2000);

    // Prepare: settings that are not given are derived from the mesh. Changing α or κ recomputes only the stages that
    // depend on it.
    DdmSettings settings;
    methods::DdmPlan plan = methods::planDdm(character, settings);
    deform::DdmPreparation preparation(character.mesh, plan.bind);
    preparation.update(plan.options);
    settings.alpha = 0.8;  // bonier joints
    plan = methods::planDdm(character, settings);
    preparation.update(plan.options);

    // Choose the number of influences: the smallest whose result over the range of motion is indistinguishable from
    // that of all joints.
    const DdmRows<float> all = preparation.rounded(0);
    DdmRows<float> rows;
    for (std::size_t influences = 2; influences <= 8; ++influences) {
        rows = preparation.rounded(influences);
        const double error = methods::rangeOfMotionError(character.mesh, character.skeleton, rows, all);
        std::printf("%zu joints a vertex: error %.1e of the diagonal\n", influences, error);
        if (error < 1e-4) break;
    }

    // Evaluate: pack for one variant, then set poses and pose ranges of vertices; nothing is allocated or thrown.
    const deform::DdmRig rig = deform::packDdm(character.mesh, rows, deform::DdmForm::ddm);
    deform::DdmPose pose(rig);
    std::vector<Vec3f> positions(character.mesh.vertexCount()), normals(positions.size());
    const Clip* clip = character.clips.empty() ? nullptr : &character.clips.front();
    pose.set(rig::skinMatrices(character.skeleton, clip, 0.5));
    deform::evaluate(rig, pose, {}, 0, positions.size(), {positions, normals});
    std::printf("%zu vertices posed, %zu bytes read and written\n", positions.size(), streamedBytes(rig, true));
} catch (const pelt::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
}

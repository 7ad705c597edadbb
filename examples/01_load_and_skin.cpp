// Loads a character, poses it half-way through its first clip with linear blend skinning, and writes the posed mesh.
//   example_01_load_and_skin [CHARACTER.glb]      (without a file: the built-in bar)

#include <pelt/core/error.h>
#include <pelt/deform/lbs.h>
#include <pelt/io/character_file.h>
#include <pelt/io/mesh_file.h>
#include <pelt/rig/clip.h>
#include <pelt/scenes/scenes.h>

#include <cstdio>

int main(int argc, char** argv) try {
    using namespace pelt;
    const Character character = argc > 1 ? io::loadCharacter(argv[1]).character : scenes::find("bar")->make(1000);
    const Clip* clip = character.clips.empty() ? nullptr : &character.clips.front();
    const double middle = clip ? (clip->first_key + clip->last_key) / 2 : 0;

    const deform::LbsRig rig = deform::prepareLbs(character.mesh, character.weights);
    deform::LbsPose pose(rig);
    pose.set(rig::skinMatrices(character.skeleton, clip, middle));

    Mesh posed = character.mesh;
    deform::evaluate(rig, pose, {}, 0, posed.vertexCount(), {posed.positions, posed.normals});

    io::saveMesh(posed, "posed.obj");
    std::printf("posed.obj: %zu vertices at %.2f s\n", posed.vertexCount(), middle);
} catch (const pelt::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
}

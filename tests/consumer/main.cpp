// A program that uses an installed Pelt.
#include <pelt/deform/lbs.h>
#include <pelt/io/character_file.h>
#include <pelt/render/render.h>
#include <pelt/rig/clip.h>
#include <pelt/scenes/scenes.h>

#include <cstdio>

int main() {
    const pelt::Character bar = pelt::scenes::find("bar")->make(500);
    const auto rig = pelt::deform::prepareLbs(bar.mesh, bar.weights);
    const auto bones = pelt::rig::skinMatrices(bar.skeleton, &bar.clips.front(), bar.clips.front().last_key);
    pelt::deform::LbsPose pose(rig);
    pose.set(bones);
    std::vector<pelt::Vec3f> positions(bar.mesh.vertexCount());
    pelt::deform::evaluate(rig, pose, {}, 0, positions.size(), {positions, {}});
    const pelt::render::Frame frame = pelt::render::frameOf(positions);
    std::printf("%zu vertices posed, radius %.3f, %zu bytes of glTF\n", positions.size(), double(frame.radius),
                pelt::io::toGlb(bar).size());
}

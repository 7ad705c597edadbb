// pelt pack.
#include <pelt/core/aligned_bytes.h>
#include <pelt/io/character_file.h>
#include <pelt/rig/clip.h>
#include <pelt/runtime/skeleton.h>
#include <pelt/runtime/skin.h>
#include <pelt/version.h>

#include <cstring>

#include "cli/support/mush_fixture.h"

namespace {

class Pack : public MushTest {};

pelt::AlignedBytes readAligned(const std::string& file) {
    const std::string text = readBytes(file);
    pelt::AlignedBytes bytes(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
    return bytes;
}

/// The frame at `time` seconds as an engine computes it from a packed file.
std::vector<pelt::Vec3f> playPacked(const std::string& file, pelt::runtime::RigKind kind,
                                    std::span<const pelt::Affine3f> bones) {
    const pelt::AlignedBytes bytes = readAligned(file);
    const auto rig = pelt::runtime::SkinRig::view(bytes);
    if (!rig) {
        ADD_FAILURE() << pelt::runtime::describe(rig.error());
        return {};
    }
    EXPECT_EQ(rig->kind(), kind);
    pelt::AlignedBytes memory(pelt::runtime::SkinPose::bytes(*rig));
    pelt::runtime::SkinPose pose(*rig, memory);
    pose.set(bones);
    std::vector<pelt::Vec3f> positions(rig->vertexCount());
    evaluate(*rig, pose, {}, 0, positions.size(), {positions, {}});
    return positions;
}

}  // namespace

TEST_F(Pack, AnEngineGetsTheVerticesOfDeformToTheBit) {
    using namespace pelt::runtime;
    const std::string mushed = mush(sample("bar3"), path("mushed.glb"));
    const pelt::Character character = pelt::io::loadCharacter(mushed).character;
    const auto bones =
        pelt::rig::skinMatrices(character.skeleton, &character.clips.front(), character.clips.front().first_key + 1);
    for (const std::string method : {"lbs", "dqs", "cor", "ddm", "ddm-v2", "ddm-v5", "eddm"}) {
        const std::string file = path(method + ".peltrig");
        const auto json = runWell({"pack", mushed, "--method", method, "-o", file, "--json"}).json();
        EXPECT_EQ(json.at("verb"), "pack");
        EXPECT_EQ(json.at("method"), method);
        EXPECT_EQ(json.at("version"), pelt::kRigVersion);
        EXPECT_EQ(json.at("vertices"), character.mesh.vertexCount());
        EXPECT_EQ(json.at("bytes"), readBytes(file).size());
        const RigKind kind = method == "dqs"                         ? RigKind::dqs
                             : method == "lbs" || method == "ddm-v5" ? RigKind::lbs
                                                                     : RigKind::ddm;
        const std::vector<pelt::Vec3f> packed = playPacked(file, kind, bones);
        const Frames frames = deform(mushed, method, {"--fps", "1", "--frames", "1"});
        ASSERT_EQ(frames.size(), 1u);
        EXPECT_EQ(packed, frames[0]) << method;
    }
}

TEST_F(Pack, TakesTheMushedSkinWhereThereIsOneAndItsOptionsApply) {
    const std::string input = sample("bar3"), mushed = mush(input, path("mushed.glb"));
    EXPECT_EQ(runWell({"pack", input, "-o", path("a.peltrig"), "--json"}).json().at("method"), "lbs");
    EXPECT_EQ(runWell({"pack", mushed, "-o", path("b.peltrig"), "--json"}).json().at("method"), "ddm");
    runWell({"pack", mushed, "--lambda", "9", "-o", path("c.peltrig")});
    EXPECT_NE(readBytes(path("b.peltrig")), readBytes(path("c.peltrig")));
}

TEST_F(Pack, WritesTheSameBytesOnAnyNumberOfThreads) {
    for (const std::string threads : {"1", "2", "7"})
        runWell({"pack", sample("bar3"), "--method", "ddm", "--threads", threads, "-o", path(threads + ".peltrig")});
    EXPECT_EQ(readBytes(path("1.peltrig")), readBytes(path("2.peltrig")));
    EXPECT_EQ(readBytes(path("1.peltrig")), readBytes(path("7.peltrig")));
}

TEST_F(Pack, BringsTheSkeletonWithItsNames) {
    using namespace pelt::runtime;
    runWell({"pack", bar(), "-o", path("bar.peltrig")});
    const pelt::AlignedBytes bytes = readAligned(path("bar.peltrig"));
    const auto skeleton = SkeletonRig::view(findRig(bytes, RigKind::skeleton));
    ASSERT_TRUE(skeleton);
    const pelt::Character character = pelt::io::loadCharacter(bar()).character;
    for (std::size_t j = 0; j < skeleton->jointCount(); ++j)
        EXPECT_EQ(skeleton->nodeName(skeleton->jointNode(j)), pelt::rig::jointName(character.skeleton, j));
}

TEST_F(Pack, RefusesWhatItCannotPackInOneLine) {
    expectFailure(runPelt({"pack", bar(), "--method", "dm", "-o", path("x.peltrig")}), 2, "does not support");
    expectFailure(runPelt({"pack", bar(), "--method", "nothing", "-o", path("x.peltrig")}), 2, "nothing");
    expectFailure(runPelt({"pack", bar(), "-o", path("x.glb")}), 2, ".peltrig");
    expectFailure(runPelt({"pack", path("missing.glb"), "-o", path("x.peltrig")}), 3, "missing.glb");
    EXPECT_TRUE(filesLeft().empty());
}

// FBX that Pelt writes, read again by Pelt: the same character, and the same motion.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/io/character_file.h>
#include <pelt/rig/props.h>

#include <algorithm>

#include "made_scene.h"

using namespace pelt;

namespace {

/// Vertices of mesh and props at a moment: morphs, then linear blend skinning.
std::vector<Vec3f> playedAt(const Character& c, const Clip* clip, double t) {
    std::vector<Vec3f> rest = c.mesh.positions, none, out;
    rig::addMorphs(c.mesh, rig::morphWeights(c.mesh, clip, t), rest, none);
    const std::vector<Affine3d> bones = rig::skinMatricesDouble(c.skeleton, clip, t);
    for (std::size_t v = 0; v < rest.size(); ++v) {
        Vec3d sum = c.weights.empty() ? Vec3d(rest[v]) : Vec3d();
        for (std::size_t i = 0; i < (c.weights.empty() ? 0 : c.weights.influenceCount(v)); ++i)
            sum += bones[c.weights.jointsOf(v)[i]] * Vec3d(rest[v]) * double(c.weights.weightsOf(v)[i]);
        out.push_back(Vec3f(sum));
    }
    const std::vector<Affine3d> worlds = rig::nodeWorlds(c, clip, t);
    for (std::size_t p = 0; p < c.props.nodes.size(); ++p) {
        const MeshPart& part = c.props.mesh.parts[p];
        for (std::size_t v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v)
            out.push_back(Vec3f(worlds[c.props.nodes[p]] * Vec3d(c.props.mesh.positions[v])));
    }
    return out;
}

double diagonal(const std::vector<Vec3f>& points) {
    Vec3f low = points[0], high = points[0];
    for (const Vec3f& p : points)
        for (int i = 0; i < 3; ++i) low[i] = std::min(low[i], p[i]), high[i] = std::max(high[i], p[i]);
    return double(length(high - low));
}

Character again(const Character& character, const io::SaveOptions& options = {}) {
    return io::loadBytes(io::toFbx(character, options), "again.fbx").character;
}

/// The largest distance at five moments of every clip, as a share of the diagonal.
double worstDistance(const Character& a, const Character& b) {
    const std::vector<Vec3f> rest = playedAt(a, nullptr, 0);
    double worst = 0;
    for (std::size_t c = 0; c < std::max<std::size_t>(a.clips.size(), 1); ++c)
        for (int k = 0; k < 5; ++k) {
            const Clip *one = a.clips.empty() ? nullptr : &a.clips[c], *two = b.clips.empty() ? nullptr : &b.clips[c];
            const double t = one ? one->first_key + one->seconds() * k / 4 : 0;
            const std::vector<Vec3f> p = playedAt(a, one, t), q = playedAt(b, two, t - (one ? one->first_key : 0));
            if (p.size() != q.size()) return 1e9;
            for (std::size_t v = 0; v < p.size(); ++v) worst = std::max(worst, double(length(p[v] - q[v])));
        }
    return worst / diagonal(rest);
}

/// Loaded from a .glb, so that it has a document.
Character fromFile(const Character& character) { return io::loadGltf(io::toGlb(character), "made.glb").character; }

}  // namespace

TEST(FbxWrite, ACharacterMovesAsBeforeInEveryClip) {
    const Character& biped = smoothScene("biped", 8);
    const Character read = again(biped);
    ASSERT_EQ(read.clips.size(), biped.clips.size());
    EXPECT_EQ(read.mesh.vertexCount(), biped.mesh.vertexCount());
    EXPECT_EQ(read.mesh.triangles, biped.mesh.triangles);
    EXPECT_EQ(maxInfluences(read.weights), maxInfluences(biped.weights));
    for (std::size_t c = 0; c < read.clips.size(); ++c) EXPECT_EQ(read.clips[c].name, biped.clips[c].name);
    EXPECT_LT(worstDistance(biped, read), 1e-5);
}

TEST(FbxWrite, WithZUpItMovesAsBefore) {
    const Character& biped = smoothScene("biped", 8);
    EXPECT_LT(worstDistance(biped, again(biped, {.z_up = true})), 1e-5);
}

TEST(FbxWrite, NodeNamesAndTheirTreeStay) {
    const Character biped = fromFile(smoothScene("biped", 8));
    const Character read = again(biped);
    for (const Joint& joint : biped.skeleton.joints) {
        const SkeletonNode& node = biped.skeleton.nodes[joint.node];
        const auto found = rig::findJoint(read.skeleton, node.name);
        ASSERT_TRUE(found) << node.name;
        if (node.parent < 0) continue;
        const std::int32_t parent = read.skeleton.nodes[read.skeleton.joints[*found].node].parent;
        EXPECT_EQ(read.skeleton.nodes[std::size_t(parent)].name, biped.skeleton.nodes[std::size_t(node.parent)].name);
    }
}

TEST(FbxWrite, WhatWasFbxIsWrittenWithTheNodesThatItHad) {
    const Character once = again(smoothScene("biped", 8)), twice = again(once);
    EXPECT_EQ(once.skeleton.nodes.size(), twice.skeleton.nodes.size());
    EXPECT_EQ(once.skeleton.nodes[0].name, "file_axes_and_units");
    for (std::size_t n = 0; n < once.skeleton.nodes.size(); ++n)
        EXPECT_LT(length(once.skeleton.nodes[n].local.translation - twice.skeleton.nodes[n].local.translation), 1e-4);
    EXPECT_LT(worstDistance(once, twice), 1e-5);
}

TEST(FbxWrite, MorphTargetsAndTheirClipsStay) {
    Character biped = smoothScene("biped", 8);
    MorphTarget morph;
    morph.name = "wide";
    morph.default_weight = 0.25F;
    morph.instance = biped.mesh.parts.empty() ? 0 : biped.mesh.parts.front().instance;
    for (std::uint32_t v = 3; v < 40; v += 2)
        morph.vertices.push_back(v), morph.position_offsets.push_back({0.1F, 0, 0});
    biped.mesh.morphs.push_back(morph);
    Channel channel;
    channel.path = ChannelPath::morph_weights;
    channel.target = morph.instance;
    channel.width = 1;
    channel.times = {0, 0.5F, 1};
    channel.values = {0, 1, 0.5F};
    biped.clips.resize(1);
    biped.clips[0].channels.push_back(channel);
    const Character read = again(biped);
    ASSERT_EQ(read.mesh.morphs.size(), 1u);
    EXPECT_EQ(read.mesh.morphs[0].name, "wide");
    EXPECT_FLOAT_EQ(read.mesh.morphs[0].default_weight, 0.25F);
    EXPECT_EQ(read.mesh.morphs[0].vertices, morph.vertices);
    EXPECT_LT(worstDistance(biped, read), 1e-5);
}

TEST(FbxWrite, AMeshWithoutJointsIsAPlainMesh) {
    Character stone = smoothScene("biped", 8);
    stone.skeleton = {};
    stone.weights = {};
    stone.clips.clear();
    const Character read = again(stone);
    EXPECT_TRUE(read.weights.empty());
    EXPECT_LT(worstDistance(stone, read), 1e-6);
}

TEST(FbxWrite, TheSameCharacterGivesTheSameBytes) {
    const Character& biped = smoothScene("biped", 8);
    EXPECT_EQ(io::toFbx(biped), io::toFbx(biped));
}

TEST(FbxWrite, LinearTurnsBetweenFarKeysKeepTheirWay) {
    // Half a circle about a skew axis between two keys: straight lines between the angles would leave it.
    Character biped = smoothScene("biped", 8);
    biped.clips.resize(1);
    Clip& clip = biped.clips[0];
    clip.channels.resize(1);
    Channel& turn = clip.channels[0];
    turn = {};
    turn.path = ChannelPath::rotation;
    turn.target = biped.skeleton.joints[2].node;
    turn.width = 4;
    turn.times = {0, 1};
    const Quatd q = axisAngle(normalized(Vec3d(1, 2, 3), Vec3d(0, 0, 1)), 3.0);
    turn.values = {0, 0, 0, 1, float(q.x), float(q.y), float(q.z), float(q.w)};
    clip.first_key = 0, clip.last_key = 1;
    EXPECT_LT(worstDistance(biped, again(biped)), 2e-5);
}

TEST(FbxRead, BytesOfAnotherKindAreReadAsGltf) {
    const Character& biped = smoothScene("biped", 8);
    EXPECT_FALSE(io::isFbx(io::toGlb(biped)));
    EXPECT_TRUE(io::isFbx(io::toFbx(biped)));
    EXPECT_EQ(io::loadBytes(io::toGlb(biped), "a.glb").character.mesh.vertexCount(), biped.mesh.vertexCount());
}

TEST(FbxRead, TruncatedFilesAreOneLine) {
    const std::vector<std::byte> file = io::toFbx(smoothScene("biped", 8));
    for (std::size_t size = 30; size < file.size(); size += file.size() / 23) {
        try {
            io::loadBytes(std::span(file).first(size), "cut.fbx");
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::bad_input);
            EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
        }
    }
}

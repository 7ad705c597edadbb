// The free pose, live: it is the pose of poseCharacter, and stays while constraints change.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/geometry/bounding_box.h>
#include <pelt/rig/props.h>
#include <pelt/verbs/live_pose.h>

#include "made_scene.h"

namespace pelt::verbs {
namespace {

using FreeGiven = PoseHandle::Given;

PoseHandle jointHandle(const std::string& joint, FreeGiven given) {
    PoseHandle handle;
    handle.joint = joint;
    handle.given = given;
    return handle;
}

PoseHandle pointHandle(const Vec3d& place, FreeGiven given) {
    PoseHandle handle;
    handle.kind = PoseHandle::Kind::point;
    handle.point = place;
    handle.given = given;
    return handle;
}

PoseHandle offsetBy(PoseHandle handle, const Vec3d& offset) {
    handle.offsets = true;
    handle.targets = {{0, offset}};
    return handle;
}

PoseHandle rotatedBy(PoseHandle handle, const Vec3d& degrees) {
    handle.rotations = {{0, degrees}};
    return handle;
}

/// A mesh without joints.
Character withoutJoints(const std::string& scene, std::size_t resolution) {
    Character bare;
    bare.mesh = madeScene(scene, resolution).mesh;
    return bare;
}

double sizeOf(const Character& c) { return geometry::boundingDiagonal(c.mesh.positions); }

std::vector<Vec3f> seenBy(LivePoser& live, const Character& c) {
    std::vector<Vec3f> out(rig::vertexCount(c));
    live.positions(out);
    return out;
}

double apartBy(std::span<const Vec3f> a, std::span<const Vec3f> b) {
    double most = a.size() == b.size() ? 0 : 1e9;
    for (std::size_t v = 0; v < a.size() && v < b.size(); ++v) most = std::max(most, length(Vec3d(a[v]) - Vec3d(b[v])));
    return most;
}

std::vector<Vec3f> posedByVerb(Character c, std::span<const PoseHandle> handles, PoseRequest request, int iterations) {
    request.free = true;
    request.iterations = iterations;
    std::vector<Vec3f> out;
    PoseWanted wanted;
    wanted.sequence = [&](std::span<const Vec3f> frame) { out.assign(frame.begin(), frame.end()); };
    poseCharacter(c, handles, request, wanted);
    return out;
}

void expectPoseOfTheVerb(const Character& c, std::span<const PoseHandle> handles, const PoseRequest& request) {
    LivePoser live(c, request);
    live.setHandles(handles);
    const pose::SolveResult solved = live.step(30);
    EXPECT_EQ(live.energies().size(), std::size_t(solved.iterations));
    const std::vector<Vec3f> seen = seenBy(live, c);
    EXPECT_LT(apartBy(seen, posedByVerb(c, handles, request, 30)) / sizeOf(c), 2e-6);
    EXPECT_GT(apartBy(seen, rig::wholeMesh(c).positions) / sizeOf(c), 0.01);
}

std::vector<PoseHandle> onTheBiped(const Character& biped) {
    PoseHandle region;
    region.kind = PoseHandle::Kind::region;
    region.region = {3, 4, 5};
    region.given = FreeGiven::hold;
    const Vec3d brow(biped.mesh.positions[40]);
    return {jointHandle("foot_L", FreeGiven::hold),
            jointHandle("foot_R", FreeGiven::hold),
            rotatedBy(jointHandle("head", FreeGiven::rotation), {0, 30, 0}),
            offsetBy(jointHandle("hand_L", FreeGiven::position), {-0.2, 0.3, 0.2}),
            region,
            offsetBy(pointHandle(brow, FreeGiven::position), {0.02, 0, 0.05})};
}

/// A standing bar: its foot is a region, a segment turns its middle, a point drags its top.
std::vector<PoseHandle> onTheBar(const Character& bar) {
    const auto [low, high] = geometry::boundingBox(bar.mesh.positions);
    const Vec3d middle = (low + high) * 0.5;
    PoseHandle foot, bone;
    foot.kind = PoseHandle::Kind::region;
    for (std::uint32_t v = 0; v < bar.mesh.vertexCount(); ++v)
        if (double(bar.mesh.positions[v].y) < low.y + 0.1 * (high.y - low.y)) foot.region.push_back(v);
    foot.given = FreeGiven::hold;
    bone.kind = PoseHandle::Kind::segment;
    bone.point = {middle.x, low.y + 0.4 * (high.y - low.y), middle.z};
    bone.end = {middle.x, low.y + 0.6 * (high.y - low.y), middle.z};
    bone.given = FreeGiven::rotation;
    return {foot, rotatedBy(bone, {0, 0, 40}),
            offsetBy(pointHandle({middle.x, high.y, middle.z}, FreeGiven::position), {0.3 * (high.y - low.y), 0, 0})};
}

TEST(LiveFree, IsThePoseOfTheVerbForEveryEnergyWithAndWithoutExtraWeights) {
    const Character& biped = smoothScene("biped", 800);
    const Character bar = withoutJoints("bar", 600);
    for (const pose::Energy energy :
         {pose::Energy::spokes_and_rims, pose::Energy::spokes, pose::Energy::triangles, pose::Energy::tets})
        for (const std::size_t extra : {0, 15}) {
            SCOPED_TRACE(std::to_string(int(energy)) + ", " + std::to_string(extra));
            PoseRequest request;
            request.rig.energy = energy;
            request.rig.extra_weights = extra;
            expectPoseOfTheVerb(bar, onTheBar(bar), request);
            const bool in_volume = energy == pose::Energy::tets;
            if (!in_volume) expectPoseOfTheVerb(biped, onTheBiped(biped), request);
        }
}

TEST(LiveFree, MovesWhatHandlesReachOfJointsThatAreNotConnected) {
    Character two = smoothScene("bar", 300);
    const std::size_t half = two.mesh.vertexCount();
    for (std::size_t v = 0; v < half; ++v) {
        two.mesh.positions.push_back(two.mesh.positions[v] + Vec3f(5, 0, 0));
        std::vector<std::uint32_t> joints(two.weights.jointsOf(v).begin(), two.weights.jointsOf(v).end());
        const std::vector<float> row(two.weights.weightsOf(v).begin(), two.weights.weightsOf(v).end());
        for (std::uint32_t& j : joints) j += 2;
        appendVertex(two.weights, joints, row);
    }
    for (std::size_t t = 0, count = two.mesh.triangles.size(); t < count; ++t) {
        Triangle moved = two.mesh.triangles[t];
        for (std::uint32_t& corner : moved) corner += std::uint32_t(half);
        two.mesh.triangles.push_back(moved);
    }
    for (int j = 0; j < 2; ++j) {
        SkeletonNode node = two.skeleton.nodes[two.skeleton.joints[std::size_t(j)].node];
        node.parent = -1;
        node.name += "_other";
        two.skeleton.joints.push_back(
            {std::uint32_t(two.skeleton.nodes.size()), two.skeleton.joints[std::size_t(j)].inverse_bind});
        two.skeleton.nodes.push_back(node);
    }
    for (SkeletonNode& node : two.skeleton.nodes) node.parent = -1;
    two.clips.clear();
    const std::string names[] = {two.skeleton.nodes[two.skeleton.joints[0].node].name,
                                 two.skeleton.nodes[two.skeleton.joints[1].node].name};
    const std::vector<PoseHandle> handles{jointHandle(names[0], FreeGiven::hold),
                                          offsetBy(jointHandle(names[1], FreeGiven::position), {0.2, 0.05, 0})};
    PoseRequest request;
    expectPoseOfTheVerb(two, handles, request);
    LivePoser live(two, request);
    live.setHandles(handles);
    live.step(30);
    const std::vector<Vec3f> seen = seenBy(live, two);
    for (std::size_t v = half; v < two.mesh.vertexCount(); ++v) EXPECT_EQ(seen[v].x, two.mesh.positions[v].x);
}

TEST(LiveFree, ThePoseStaysWhileConstraintsChange) {
    const Character bar = withoutJoints("bar", 600);
    PoseRequest request;
    request.rig.extra_weights = 4;
    LivePoser live(bar, request);
    std::vector<PoseHandle> handles = onTheBar(bar);
    live.setHandles(handles);
    live.step(3000);
    const std::vector<Vec3f> bent = seenBy(live, bar);
    handles[1].given = FreeGiven::free;
    handles[1].rotations.clear();
    live.setHandles(handles);
    EXPECT_EQ(apartBy(seenBy(live, bar), bent), 0);
    live.step(3000);
    EXPECT_GT(apartBy(seenBy(live, bar), bent) / sizeOf(bar), 0.01);
    handles[1] = onTheBar(bar)[1];
    live.setHandles(handles);
    live.step(3000);
    EXPECT_LT(apartBy(seenBy(live, bar), bent) / sizeOf(bar), 1e-4);
}

TEST(LiveFree, ThePoseGoesOnFromWhereItIsWhenAHandleIsAdded) {
    const Character bar = withoutJoints("bar", 600);
    LivePoser live(bar, {});
    std::vector<PoseHandle> handles = onTheBar(bar);
    const PoseHandle last = handles.back();
    handles.pop_back();
    handles[1] = rotatedBy(handles[1], {0, 0, 160});  // far from rest, where the solver would find another minimum
    live.setHandles(handles);
    live.step(1000);
    const std::vector<Vec3f> bent = seenBy(live, bar);
    handles.push_back(pointHandle(last.point, FreeGiven::free));
    live.prepare(handles);
    live.step(1);  // still draggable
    live.setHandles(handles);
    EXPECT_LT(apartBy(seenBy(live, bar), bent) / sizeOf(bar), 0.05);
    live.step(1000);
    EXPECT_LT(apartBy(seenBy(live, bar), bent) / sizeOf(bar), 0.1);
    EXPECT_GT(apartBy(bent, bar.mesh.positions) / sizeOf(bar), 0.2);
}

TEST(LiveFree, NothingHeldIsTheRestPose) {
    const Character bar = withoutJoints("bar", 300);
    LivePoser live(bar, {});
    EXPECT_EQ(apartBy(seenBy(live, bar), bar.mesh.positions), 0);
    EXPECT_EQ(live.step(10).energy, 0);
    std::vector<PoseHandle> handles = onTheBar(bar);
    for (PoseHandle& handle : handles) {
        handle.given = FreeGiven::free;
        handle.targets.clear();
        handle.rotations.clear();
    }
    live.setHandles(handles);
    live.step(10);
    EXPECT_LT(apartBy(seenBy(live, bar), bar.mesh.positions) / sizeOf(bar), 2e-6);
    live.setHandles(onTheBar(bar));
    live.step(10);
    EXPECT_GT(apartBy(seenBy(live, bar), bar.mesh.positions) / sizeOf(bar), 0.05);
    live.setHandles({});
    EXPECT_EQ(apartBy(seenBy(live, bar), bar.mesh.positions), 0);
}

TEST(LiveFree, ADragIsWhatSettingTheHandleDoes) {
    const Character bar = withoutJoints("bar", 300);
    LivePoser set(bar, {}), dragged(bar, {});
    std::vector<PoseHandle> handles = onTheBar(bar);
    for (LivePoser* live : {&set, &dragged}) live->setHandles(handles);
    const Vec3d target{0.4, 0.7, 0.1};
    handles[2].offsets = false;
    handles[2].targets[0].target = target;
    handles[1].rotations[0].target = {0, 20, 10};
    set.setHandles(handles);
    dragged.setTarget(2, target);
    dragged.setRotation(1, {0, 20, 10});
    set.step(20);
    dragged.step(20);
    EXPECT_EQ(apartBy(seenBy(set, bar), seenBy(dragged, bar)), 0);
    EXPECT_THROW(dragged.setTarget(1, target), Error);
    EXPECT_THROW(dragged.setTransform(2, {}), Error);
    EXPECT_THROW(dragged.setTarget(7, target), Error);
}

}  // namespace
}  // namespace pelt::verbs

// Spans of a block of vertices instead of the whole mesh: one rule for every deformer.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>

#include "ddm_case.h"
#include "instruction_sets.h"
#include "mush_case.h"

namespace pelt::deform {
namespace {

struct Deforming {
    std::string name;
    Mesh mesh;
    std::function<void(const RestShape&, std::size_t, std::size_t, const Output&)> evaluate;

    std::size_t size() const { return mesh.vertexCount(); }
};

template <class Rig, class Pose>
Deforming deformingOf(std::string name, const Mesh& mesh, const Rig& rig, std::span<const Affine3f> bones) {
    const auto pose = std::make_shared<Pose>(rig);
    pose->set(bones);
    return {std::move(name), mesh, [=](const RestShape& rest, std::size_t first, std::size_t count, const Output& out) {
                evaluate(rig, *pose, rest, first, count, out);
            }};
}

/// Every deformer; those of Direct Delta Mush with vertices of two windows.
const std::vector<Deforming>& everyDeformer() {
    static const std::vector<Deforming> all = [] {
        std::vector<Deforming> made;
        const SkinCase c = makeCase(203, 9, 4, Bones::stretched);
        for (const auto form : {LbsForm::full, LbsForm::compact})
            made.push_back(deformingOf<LbsRig, LbsPose>(form == LbsForm::full ? "lbs" : "compact lbs", c.mesh,
                                                        prepareLbs(c.mesh, c.weights, form), c.bones));
        made.push_back(deformingOf<DqsRig, DqsPose>("dqs", c.mesh, prepareDqs(c.mesh, c.weights, c.centers), c.bones));
        for (const DdmForm form : {DdmForm::v0, DdmForm::v1, DdmForm::v2, DdmForm::eddm}) {
            const DdmCase d = makeDdmCase(2100, 5, 3, Bones::gentle);
            made.push_back(deformingOf<DdmRig, DdmPose>(nameOf(form), d.skin.mesh, packDdm(d.skin.mesh, d.rows, form),
                                                        d.skin.bones));
        }
        const MushCase m = sceneCase("bar", 250, kBend);
        made.push_back(deformingOf<DeltaMushRig, DeltaMushPose>(
            "delta mush", m.mesh, prepareDeltaMush(m.mesh, m.weights, m.options), m.bones));
        return made;
    }();
    return all;
}

struct Range {
    std::size_t first, count;
};

std::vector<Range> rangesOf(std::size_t size) {
    return {{0, size}, {0, 16}, {5, 1}, {16, 32}, {17, 50}, {size - 3, 3}, {size - 60, 48}, {7, 0}};
}

std::vector<Vec3f> partOf(const std::vector<Vec3f>& whole, const Range& r, std::size_t before) {
    return {whole.begin() + std::ptrdiff_t(r.first - before), whole.begin() + std::ptrdiff_t(r.first + r.count)};
}

/// The range in buffers that start `before` vertices earlier and end with it.
Posed blockOf(const Deforming& d, const RestShape& rest, const Range& r, std::size_t before, bool normals) {
    const Vec3f mark{-77, -78, -79};
    const std::vector<Vec3f> marks(r.count + before, mark);
    Posed block{marks, normals ? marks : std::vector<Vec3f>()};
    d.evaluate(rest, r.first, r.count, {block.positions, block.normals, r.first - before});
    for (const std::vector<Vec3f>* written : {&block.positions, &block.normals})
        for (std::size_t i = 0; i < std::min(before, written->size()); ++i) EXPECT_EQ((*written)[i], mark);
    return block;
}

void expectPart(const Posed& block, const Posed& whole, const Range& r, std::size_t before) {
    const auto same = [&](std::vector<Vec3f> part, const std::vector<Vec3f>& all) {
        part.erase(part.begin(), part.begin() + std::ptrdiff_t(before));
        EXPECT_TRUE(sameBits(part, partOf(all, r, 0))) << r.first << ' ' << r.count << " before " << before;
    };
    same(block.positions, whole.positions);
    if (!block.normals.empty()) same(block.normals, whole.normals);
}

TEST(BlockOutput, HasTheBitsOfTheWholeMeshWithAndWithoutNormals) {
    for (const Deforming& d : everyDeformer())
        onEachInstructionSet([&](std::int64_t) {
            SCOPED_TRACE(d.name);
            Posed whole{d.mesh.positions, d.mesh.normals};
            d.evaluate({}, 0, d.size(), {whole.positions, whole.normals});
            for (const Range& r : rangesOf(d.size()))
                for (const std::size_t before : {std::size_t(0), std::min<std::size_t>(r.first, 3)})
                    for (const bool normals : {false, true})
                        expectPart(blockOf(d, {}, r, before, normals), whole, r, before);
        });
}

TEST(BlockOutput, ARestShapeMayBeABlockToo) {
    for (const Deforming& d : everyDeformer())
        onEachInstructionSet([&](std::int64_t) {
            SCOPED_TRACE(d.name);
            Posed rest{d.mesh.positions, d.mesh.normals};
            for (Vec3f& p : rest.positions) p = p * 1.1f + Vec3f{0.01f, 0, 0};
            for (Vec3f& n : rest.normals) std::swap(n.x, n.y);
            Posed whole = rest;
            d.evaluate({rest.positions, rest.normals}, 0, d.size(), {whole.positions, whole.normals});
            for (const Range& r : rangesOf(d.size())) {
                const std::size_t before = std::min<std::size_t>(r.first, 2);
                const std::vector<Vec3f> positions = partOf(rest.positions, r, before);
                const std::vector<Vec3f> normals = partOf(rest.normals, r, before);
                for (const bool with_normals : {false, true}) {
                    const RestShape shape{positions, normals, r.first - before};
                    expectPart(blockOf(d, shape, r, 0, with_normals), whole, r, 0);
                }
                Posed in_place{positions, normals};
                const RestShape shape{in_place.positions, in_place.normals, r.first - before};
                d.evaluate(shape, r.first, r.count, {in_place.positions, in_place.normals, r.first - before});
                expectPart(in_place, whole, r, before);
            }
        });
}

/// As an engine's deformer does it: it needs normals whether its caller wants them or not, and allocates nothing.
void inflate(const Deforming& d, std::size_t first, std::size_t count, std::span<Vec3f> out) {
    std::array<Vec3f, 64> positions, normals;
    for (const std::size_t last = first + count; first < last;) {
        const std::size_t n = std::min(last - first, positions.size());
        d.evaluate({}, first, n, {positions, normals, first});
        for (std::size_t i = 0; i < n; ++i) out[first + i] = positions[i] + normals[i] * 0.1f;
        first += n;
    }
}

TEST(BlockOutput, ADeformerThatNeedsNormalsKeepsThemOnItsStack) {
    for (const Deforming& d : everyDeformer()) {
        Posed whole{d.mesh.positions, d.mesh.normals};
        d.evaluate({}, 0, d.size(), {whole.positions, whole.normals});
        std::vector<Vec3f> inflated(d.size());
        inflate(d, 0, 75, inflated);
        inflate(d, 75, d.size() - 75, inflated);
        for (std::size_t v = 0; v < d.size(); ++v)
            ASSERT_LT(length(inflated[v] - (whole.positions[v] + whole.normals[v] * 0.1f)), 1e-6) << d.name << v;
    }
}

TEST(BlockOutput, SpansMustHaveTheVerticesOfTheRange) {
    std::array<Vec3f, 10> ten, nine_of_ten;
    const std::span<Vec3f> nine = std::span(nine_of_ten).first(9);
    using runtime::isRange;
    EXPECT_TRUE(isRange(50, {}, 20, 10, {ten, ten, 20}));
    EXPECT_TRUE(isRange(50, {ten, {}, 20}, 21, 9, {nine, {}, 21}));
    EXPECT_TRUE(isRange(50, {}, 50, 0, {}));
    EXPECT_FALSE(isRange(50, {}, 20, 10, {ten, ten, 19}));
    EXPECT_FALSE(isRange(50, {}, 20, 10, {ten, ten, 21}));
    EXPECT_FALSE(isRange(50, {}, 20, 10, {ten, ten}));
    EXPECT_FALSE(isRange(50, {}, 20, 10, {ten, nine, 20}));
    EXPECT_FALSE(isRange(50, {}, 20, 10, {{}, ten, 20}));
    EXPECT_FALSE(isRange(50, {nine, {}, 20}, 20, 10, {ten, {}, 20}));
    EXPECT_FALSE(isRange(50, {{}, nine, 20}, 20, 10, {ten, {}, 20}));
    EXPECT_FALSE(isRange(50, {}, 45, 10, {ten, {}, 45}));
    EXPECT_FALSE(isRange(50, {}, 51, 0, {}));
    EXPECT_FALSE(isRange(50, {}, 20, std::size_t(-1), {ten, {}, 20}));
}

#ifndef NDEBUG
TEST(BlockOutput, EveryDeformerAssertsThatTheyDo) {
    for (const Deforming& d : everyDeformer()) {
        std::vector<Vec3f> block(10);
        EXPECT_DEATH(d.evaluate({}, 20, 10, {block, {}}), "isRange") << d.name;
        EXPECT_DEATH(d.evaluate({block, {}, 21}, 20, 10, {block, {}, 20}), "isRange") << d.name;
    }
}
#endif

}  // namespace
}  // namespace pelt::deform

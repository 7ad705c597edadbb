// The bytes of packed rigs: moved, damaged, cut.
#include "runtime/layout/rig_bytes.h"

#include <gtest/gtest.h>

#include "rig_case.h"
#include "runtime/layout/lbs_layout.h"

namespace pelt::runtime {
namespace {

const RigCase& theCase() {
    static const RigCase made;
    return made;
}

RigError tryChanged(RigKind kind, std::size_t at, std::byte value) {
    GuardedBytes bytes(theCase().of(kind));
    bytes.bytes()[at] = value;
    return tryRig(kind, bytes.bytes(), theCase().bones);
}

TEST(RigBytes, WorkWhereverTheyAreCopiedTo) {
    const RigCase& c = theCase();
    for (const RigKind kind : kKinds) {
        GuardedBytes copy(c.of(kind));
        EXPECT_EQ(tryRig(kind, copy.bytes(), c.bones), RigError::none) << int(kind);
    }
    GuardedBytes lbs(c.of(RigKind::lbs)), ddm(c.of(RigKind::ddm)), dqs(c.of(RigKind::dqs));
    const auto same = [&]<class KindRig, class KindPose>(GuardedBytes& copy, KindRig*, KindPose*, RigKind kind) {
        const auto there = playSkin<KindRig, KindPose>(*KindRig::view(copy.bytes()), c.bones);
        EXPECT_EQ(there, (playSkin<KindRig, KindPose>(*KindRig::view(c.of(kind)), c.bones)));
        EXPECT_EQ(there.positions.size(), c.character.mesh.vertexCount());
    };
    same(lbs, static_cast<LbsRig*>(nullptr), static_cast<LbsPose*>(nullptr), RigKind::lbs);
    same(dqs, static_cast<DqsRig*>(nullptr), static_cast<DqsPose*>(nullptr), RigKind::dqs);
    same(ddm, static_cast<DdmRig*>(nullptr), static_cast<DdmPose*>(nullptr), RigKind::ddm);
}

TEST(RigBytes, AreTheSameForTheSameCharacter) {
    const RigCase again;
    for (const RigKind kind : kKinds) {
        const auto a = theCase().of(kind), b = again.of(kind);
        EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << int(kind);
    }
}

TEST(RigBytes, OfAnotherMachineVersionOrKindAreRefusedWithTheReason) {
    const RigCase& c = theCase();
    for (const RigKind kind : kKinds) {
        EXPECT_EQ(tryChanged(kind, 0, std::byte('P')), RigError::not_a_rig);
        EXPECT_EQ(tryChanged(kind, offsetof(RigHeader, version), std::byte(77)), RigError::other_version);
        EXPECT_EQ(tryChanged(kind, offsetof(RigHeader, kind), std::byte(78)), RigError::other_kind);
        EXPECT_EQ(tryChanged(kind, offsetof(RigHeader, endianness), std::byte(9)), RigError::damaged);
        GuardedBytes swapped(c.of(kind));
        const std::uint32_t other = kOtherEndianness;
        std::memcpy(swapped.bytes().data() + offsetof(RigHeader, endianness), &other, 4);
        EXPECT_EQ(tryRig(kind, swapped.bytes(), c.bones), RigError::other_endianness);

        AlignedBytes shifted(c.of(kind).size() + kRigAlignment);
        std::memcpy(shifted.data() + 4, c.of(kind).data(), c.of(kind).size());
        EXPECT_EQ(tryRig(kind, std::span<const std::byte>(shifted).subspan(4), c.bones), RigError::misaligned);
    }
    EXPECT_EQ(DqsRig::view(c.of(RigKind::lbs)).error(), RigError::other_kind);
    for (int e = 0; e <= int(RigError::missing); ++e) EXPECT_NE(describe(RigError(e)), nullptr);
}

TEST(RigBytes, CutAnywhereAreRefused) {
    for (const RigKind kind : kKinds)
        for (std::size_t size = 1; size < theCase().of(kind).size(); size += size < 512 ? 1 : 997) {
            if (size < kRigAlignment) continue;
            GuardedBytes cut(theCase().of(kind).first(size / kRigAlignment * kRigAlignment));
            EXPECT_EQ(tryRig(kind, theCase().of(kind).first(size), theCase().bones), RigError::too_short) << size;
            EXPECT_EQ(tryRig(kind, cut.bytes(), theCase().bones), RigError::too_short) << size;
        }
}

void changeEveryByte(RigKind kind, std::span<const std::byte> rig, std::span<const Affine3f> bones) {
    GuardedBytes bytes(rig);
    std::size_t refused = 0;
    for (std::size_t at = 0; at < bytes.bytes().size(); at += at < 1024 ? 1 : 5)
        for (const std::uint8_t value : {0, 1, 127, 255}) {
            const std::byte before = std::exchange(bytes.bytes()[at], std::byte(value));
            refused += tryRig(kind, bytes.bytes(), bones) != RigError::none;
            bytes.bytes()[at] = before;
        }
    EXPECT_GT(refused, 100u) << int(kind);
    EXPECT_EQ(tryRig(kind, bytes.bytes(), bones), RigError::none);
}

TEST(RigBytes, WithAnyByteChangedAreRefusedOrReadInsideOnly) {
    const RigCase small(40);
    for (const RigKind kind : kKinds) changeEveryByte(kind, small.of(kind), small.bones);
    const auto compact = deform::prepareLbs(small.character.mesh, small.character.weights, deform::LbsForm::compact);
    changeEveryByte(RigKind::lbs, compact.bytes(), small.bones);
}

// A kernel reads the normals of its own form only.
TEST(RigBytes, NormalsOfAnotherFormThanTheWeightsAreRefused) {
    const RigCase small(40);
    for (const auto form : {deform::LbsForm::full, deform::LbsForm::compact}) {
        GuardedBytes bytes(deform::prepareLbs(small.character.mesh, small.character.weights, form).bytes());
        ASSERT_EQ(tryRig(RigKind::lbs, bytes.bytes(), small.bones), RigError::none);
        auto& header = *reinterpret_cast<LbsHeader*>(bytes.bytes().data());
        ASSERT_NE(header.normals.count, header.compact_normals.count);
        std::swap(header.normals.count, header.compact_normals.count);
        header.normals.offset = header.compact_normals.offset = header.positions.offset;  // long enough for both
        EXPECT_EQ(tryRig(RigKind::lbs, bytes.bytes(), small.bones), RigError::damaged);
    }
}

std::vector<std::byte> fileOf(std::initializer_list<RigKind> kinds) {
    std::vector<std::byte> file;
    for (const RigKind kind : kinds) file.insert(file.end(), theCase().of(kind).begin(), theCase().of(kind).end());
    return file;
}

TEST(RigBytes, AFileOfSeveralRigsIsSearchedByKind) {
    GuardedBytes file(fileOf({RigKind::lbs, RigKind::dqs, RigKind::ddm, RigKind::morphs, RigKind::skeleton}));
    for (const RigKind kind : kKinds) {
        const auto found = findRig(file.bytes(), kind);
        EXPECT_TRUE(std::equal(found.begin(), found.end(), theCase().of(kind).begin(), theCase().of(kind).end()));
        EXPECT_EQ(tryRig(kind, found, theCase().bones), RigError::none);
    }
    EXPECT_TRUE(findRig(file.bytes(), RigKind(99)).empty());
    EXPECT_TRUE(findRig({}, RigKind::lbs).empty());
}

TEST(RigBytes, OfAFileWithoutSuchARigAreMissing) {
    GuardedBytes file(fileOf({RigKind::skeleton, RigKind::morphs}));
    for (const RigKind kind : {RigKind::lbs, RigKind::dqs, RigKind::ddm}) {
        EXPECT_TRUE(findRig(file.bytes(), kind).empty());
        EXPECT_EQ(tryRig(kind, findRig(file.bytes(), kind), {}), RigError::missing);
    }
    EXPECT_EQ(tryRig(RigKind::skeleton, {}, {}), RigError::missing);
    EXPECT_EQ(trySkin(file.bytes(), {}), RigError::missing);
    EXPECT_EQ(trySkin({}, {}), RigError::missing);
    EXPECT_STREQ(describe(RigError::missing), "the file has no such rig");
}

// Not "missing": a search that meets damage says what it is.
TEST(RigBytes, BehindADamagedOneAreRefusedWithTheReason) {
    const std::vector<std::byte> file = fileOf({RigKind::morphs, RigKind::skeleton, RigKind::lbs});
    const std::size_t second = theCase().of(RigKind::morphs).size();
    const auto expect = [&](std::span<const std::byte> bytes, RigError error) {
        EXPECT_EQ(LbsRig::view(findRig(bytes, RigKind::lbs)).error(), error);
        EXPECT_EQ(SkinRig::view(bytes).error(), error);
    };
    GuardedBytes whole(file);
    GuardedBytes cut(std::span<const std::byte>(file).first(second + kRigAlignment));
    expect(whole.bytes(), RigError::none);
    expect(cut.bytes(), RigError::too_short);
    whole.bytes()[second + offsetof(RigHeader, version)] = std::byte(77);
    expect(whole.bytes(), RigError::other_version);
    whole.bytes()[second] = std::byte('P');
    expect(whole.bytes(), RigError::not_a_rig);
    EXPECT_EQ(MorphRig::view(findRig(whole.bytes(), RigKind::morphs)).error(), RigError::none);
}

TEST(RigBytes, OfAMeshWithoutVerticesAreFine) {
    GuardedBytes lbs(deform::prepareLbs({}, {}).bytes()), dqs(deform::prepareDqs({}, {}, {}).bytes()),
        ddm(deform::packDdm({}, {}, DdmForm::ddm).bytes());
    EXPECT_EQ(tryRig(RigKind::lbs, lbs.bytes(), {}), RigError::none);
    EXPECT_EQ(tryRig(RigKind::dqs, dqs.bytes(), {}), RigError::none);
    EXPECT_EQ(tryRig(RigKind::ddm, ddm.bytes(), {}), RigError::none);
}

}  // namespace
}  // namespace pelt::runtime

// Passes each call on to the kind of the skin. Instead of std::visit, which would bring an exception into the library.
#include <pelt/runtime/skin.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "runtime/layout/rig_bytes.h"

namespace pelt::runtime {
namespace {

template <std::size_t kIndex>
using RigAt = std::variant_alternative_t<kIndex, SkinRig::Any>;
template <std::size_t kIndex>
using PoseAt = std::variant_alternative_t<kIndex, SkinPose::Any>;

template <std::size_t... kIndex>
constexpr std::array<RigKind, sizeof...(kIndex)> kindsOf(std::index_sequence<kIndex...>) {
    return {RigAt<kIndex>::kKind...};
}
constexpr auto kSkinKinds = kindsOf(std::make_index_sequence<std::variant_size_v<SkinRig::Any>>());
static_assert(std::variant_size_v<SkinPose::Any> == kSkinKinds.size());

/// Calls `f` with the index as a constant.
template <std::size_t kIndex = 0, class F>
auto atIndex(std::size_t index, const F& f) noexcept {
    if constexpr (kIndex + 1 < kSkinKinds.size())
        if (index != kIndex) return atIndex<kIndex + 1>(index, f);
    return f(std::integral_constant<std::size_t, kIndex>());
}

/// Calls `f` with the rig as what it is.
template <class F>
auto asItsKind(const SkinRig& rig, const F& f) noexcept {
    return atIndex(rig.any().index(), [&](auto at) { return f(*std::get_if<at()>(&rig.any())); });
}

}  // namespace

Checked<SkinRig> SkinRig::view(std::span<const std::byte> file) noexcept {
    const std::span<const std::byte> bytes = findRigOf(file, kSkinKinds);
    const RigError error = checkRigStart(bytes);
    if (error != RigError::none) return error;
    const auto kind = std::find(kSkinKinds.begin(), kSkinKinds.end(), headerOf<RigHeader>(bytes).kind);
    return atIndex(std::size_t(kind - kSkinKinds.begin()), [&](auto at) -> Checked<SkinRig> {
        const auto rig = RigAt<at()>::view(bytes);
        if (!rig) return rig.error();
        return SkinRig(*rig);
    });
}

RigKind SkinRig::kind() const noexcept {
    return asItsKind(*this, [](const auto& rig) { return rig.kKind; });
}

std::span<const std::byte> SkinRig::bytes() const noexcept {
    return asItsKind(*this, [](const auto& rig) { return rig.bytes(); });
}

std::size_t SkinRig::vertexCount() const noexcept {
    return asItsKind(*this, [](const auto& rig) { return rig.vertexCount(); });
}

std::size_t SkinRig::jointCount() const noexcept {
    return asItsKind(*this, [](const auto& rig) { return rig.jointCount(); });
}

bool SkinRig::hasNormals() const noexcept {
    return asItsKind(*this, [](const auto& rig) { return rig.hasNormals(); });
}

std::size_t SkinPose::bytes(const SkinRig& rig) noexcept {
    return atIndex(rig.any().index(), [&](auto at) { return PoseAt<at()>::bytes(*std::get_if<at()>(&rig.any())); });
}

SkinPose::SkinPose(const SkinRig& rig, std::span<std::byte> memory) noexcept
    : pose_(atIndex(rig.any().index(),
                    [&](auto at) -> Any { return PoseAt<at()>(*std::get_if<at()>(&rig.any()), memory); })) {}

void SkinPose::set(std::span<const Affine3f> bones) noexcept {
    atIndex(pose_.index(), [&](auto at) { std::get_if<at()>(&pose_)->set(bones); });
}

std::size_t streamedBytes(const SkinRig& rig, bool normals) noexcept {
    return asItsKind(rig, [&](const auto& own) { return streamedBytes(own, normals); });
}

void evaluate(const SkinRig& rig, const SkinPose& pose, const RestShape& rest, std::size_t first, std::size_t count,
              const Output& out) noexcept {
    assert(pose.any().index() == rig.any().index());
    atIndex(rig.any().index(), [&](auto at) {
        evaluate(*std::get_if<at()>(&rig.any()), *std::get_if<at()>(&pose.any()), rest, first, count, out);
    });
}

}  // namespace pelt::runtime

#pragma once

#include <pelt/core/aligned_bytes.h>
#include <pelt/core/error.h>
#include <pelt/runtime/rig.h>
#include <pelt/runtime/shape.h>

#include <memory>
#include <utility>

namespace pelt::deform {

/// A rig of the run time together with its bytes. Immutable and cheap to copy; it can be used wherever a runtime rig is
/// expected.
template <class RuntimeRig>
class PackedRig {
public:
    /// Throws Error (bad input) if the bytes are not a valid rig of this kind.
    explicit PackedRig(AlignedBytes bytes)
        : bytes_(std::make_shared<const AlignedBytes>(std::move(bytes))), view_(viewOf(*bytes_)) {}
    PackedRig(const PackedRig&) = default;  // and no move, which would leave a rig without bytes
    PackedRig& operator=(const PackedRig&) = default;

    const RuntimeRig& view() const noexcept { return view_; }
    operator const RuntimeRig&() const noexcept { return view_; }
    std::span<const std::byte> bytes() const noexcept { return view_.bytes(); }

private:
    static RuntimeRig viewOf(const AlignedBytes& bytes) {
        const runtime::Checked<RuntimeRig> view = RuntimeRig::view(bytes);
        if (!view) throw Error::badInput(runtime::describe(view.error()));
        return *view;
    }

    std::shared_ptr<const AlignedBytes> bytes_;
    RuntimeRig view_;
};

/// A pose of the run time together with its memory and its rig. Make one per rig and set it for every pose, so that
/// evaluation allocates nothing; ranges share it. It is the rest pose until it is set.
template <class RuntimeRig, class RuntimePose>
class PackedPose {
public:
    explicit PackedPose(const PackedRig<RuntimeRig>& rig)
        : rig_(rig), memory_(RuntimePose::bytes(rig)), pose_(rig, memory_) {}

    void set(std::span<const Affine3f> bones) noexcept { pose_.set(bones); }
    operator const RuntimePose&() const noexcept { return pose_; }
    const typename RuntimePose::Data& data() const noexcept { return pose_.data(); }

    PackedPose(PackedPose&&) noexcept = default;
    PackedPose& operator=(PackedPose&&) noexcept = default;

private:
    PackedRig<RuntimeRig> rig_;
    AlignedBytes memory_;
    RuntimePose pose_;
};

using runtime::Output;
using runtime::RestShape;

}  // namespace pelt::deform

#pragma once

#include <pelt/core/error.h>
#include <pelt/core/progress.h>
#include <pelt/methods/ddm.h>
#include <pelt/methods/methods.h>
#include <pelt/pelt.h>
#include <pelt/rig/joint_list.h>

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

/// A loaded character and what its views show. Immutable once made.
struct pelt_character {
    explicit pelt_character(pelt::Character made, std::string called = "character.glb",
                            std::vector<std::string> repaired = {});

    pelt::Character character;
    std::string name;                   ///< how messages call it
    std::vector<std::string> warnings;  ///< what was repaired when its file was read
    pelt::rig::JointList joints;
    pelt::Mesh whole;                    ///< the skinned mesh, then the props at rest
    std::vector<std::int32_t> carriers;  ///< per part of the props, the joint (as `joints` counts) that moves it, or -1
    std::vector<std::uint64_t> weight_offsets;
    std::vector<std::uint32_t> weight_joints;
    std::vector<float> weight_values;

    /// The clip that is asked for: null for no name. The range of motion is made once. Throws Error (bad input) where
    /// there is no such clip.
    const pelt::Clip* clip(const char* wanted) const;

    /// Rows for a deformer; what they have in common with the last ones is kept. One thread at a time.
    pelt::DdmRows<float> ddmRows(const pelt::methods::MethodOptions& options, const pelt::Progress& progress,
                                 pelt::DdmContent content) const;

private:
    mutable std::once_flag range_made_;
    mutable pelt::Clip range_;
    mutable std::mutex tuning_mutex_;
    mutable pelt::methods::DdmTuning tuning_{character};
};

namespace pelt::c {

/// The status of the exception that is being handled, whose sentence becomes this thread's message.
pelt_status caught() noexcept;

/// Runs `work`; what it throws becomes a status and this thread's message. Allocates nothing itself.
template <class Work>
pelt_status guarded(const Work& work) noexcept {
    try {
        work();
        return PELT_OK;
    } catch (...) {
        return caught();
    }
}

/// The library's message as callers know options, by their names alone.
std::string worded(std::string message);

/// Throws Error (bad usage) where `value` is null.
void need(const void* value, const char* name);

Progress::Callback callbackOf(const pelt_call* call);
Progress progressOf(const pelt_call* call);
int threadsOf(const pelt_call* call);

/// Affine maps from 16 floats each. Throws Error (bad input) for numbers that are not finite and for a last row other
/// than 0 0 0 1; `name` is the argument's.
void readMatrices(const float* matrices, std::size_t count, const char* name, std::vector<Affine3f>& out);

/// A copy that pelt_free frees.
char* copied(const std::string& text);
std::uint8_t* copied(std::span<const std::byte> bytes);

}  // namespace pelt::c

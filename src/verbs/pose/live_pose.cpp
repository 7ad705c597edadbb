// Poses a character again and again while its handles move.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/verbs/live_pose.h>

#include <algorithm>

#include "verbs/pose/live/live_mode.h"

namespace pelt::verbs {
namespace {

bool same(const Vec3d& a, const Vec3d& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/// Handles that differ in their targets at most.
bool sameHandle(const PoseHandle& a, const PoseHandle& b) {
    return a.kind == b.kind && a.given == b.given && a.joint == b.joint && a.region == b.region &&
           same(a.point, b.point) && same(a.end, b.end) && a.byMatrix() == b.byMatrix() && a.number == b.number;
}

/// Sets a value of the handles with this number. `set` returns whether a handle has such a value.
template <class Set>
void setValue(std::vector<PoseHandle>& handles, std::size_t number, const char* what, const Set& set) {
    bool found = false;
    for (std::size_t h = 0; h < handles.size(); ++h) {
        if (handles[h].number.value_or(h) != number) continue;
        found = true;
        if (!set(handles[h])) throw Error::badUsage(fmt::format("handle {} has no {} to move", number, what));
    }
    if (!found) throw Error::badUsage(fmt::format("there is no handle {}", number));
}

}  // namespace

LivePoser::LivePoser(const Character& character, const PoseRequest& request, const Progress& progress)
    : mode_(request.keep_lengths || request.limits ? liveRigid(character, request, progress)
                                                   : liveFree(character, request, progress)) {}

LivePoser::~LivePoser() = default;
LivePoser::LivePoser(LivePoser&&) noexcept = default;
LivePoser& LivePoser::operator=(LivePoser&&) noexcept = default;

void LivePoser::setHandles(std::span<const PoseHandle> handles, const Progress& progress) {
    if (std::equal(handles.begin(), handles.end(), handles_.begin(), handles_.end(), sameHandle)) {
        std::copy(handles.begin(), handles.end(), handles_.begin());  // reuses their memory
        mode_->moveHandles(handles_);
        return;
    }
    mode_->setHandles(handles, progress);
    handles_.assign(handles.begin(), handles.end());
}

void LivePoser::prepare(std::span<const PoseHandle> handles) { mode_->prepare(handles); }

double LivePoser::prepared() const { return mode_->prepared(); }

void LivePoser::setTarget(std::size_t handle, const Vec3d& target) {
    setValue(handles_, handle, "target", [&](PoseHandle& h) {
        if (h.targets.empty()) return false;
        h.targets.resize(1);
        h.targets[0].target = target;
        h.offsets = false;
        return true;
    });
    mode_->moveHandles(handles_);
}

void LivePoser::setRotation(std::size_t handle, const Vec3d& degrees) {
    setValue(handles_, handle, "rotation", [&](PoseHandle& h) {
        if (h.rotations.empty()) return false;
        h.rotations.resize(1);
        h.rotations[0].target = degrees;
        return true;
    });
    mode_->moveHandles(handles_);
}

void LivePoser::setTransform(std::size_t handle, const Affine3d& transform) {
    setValue(handles_, handle, "transform", [&](PoseHandle& h) {
        if (!h.byMatrix()) return false;
        h.transform = transform;
        return true;
    });
    mode_->moveHandles(handles_);
}

pose::SolveResult LivePoser::step(int iterations) { return mode_->step(iterations); }

std::span<const double> LivePoser::energies() const { return mode_->energies(); }

std::vector<Affine3d> LivePoser::bones() const {
    std::vector<Affine3d> bones(mode_->boneCount());
    mode_->bones(bones);
    return bones;
}

void LivePoser::bones(std::span<Affine3d> out) const { mode_->bones(out); }

void LivePoser::positions(std::span<Vec3f> out) { mode_->positions(out); }

std::span<const Affine3f> LivePoser::transforms() const { return mode_->transforms(); }

Clip LivePoser::clip(const Progress& progress) { return mode_->clip(progress); }

}  // namespace pelt::verbs

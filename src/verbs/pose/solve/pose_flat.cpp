// Flat figures: whether a pose stays in the plane of its mesh.
#include "pose_flat.h"

#include <pelt/core/error.h>
#include <pelt/geometry/bounding_sphere.h>

#include <cmath>

namespace pelt::verbs {
namespace {

constexpr double kTilt = 1e-5;  ///< of a turn that does not count

/// Whether a map keeps directions of the plane in it, and does not turn the plane over.
bool keepsPlane(const Mat3d& linear, const Vec3d& n) {
    for (int a = 0; a < 3; ++a) {
        Vec3d axis;
        axis[a] = 1;
        axis -= n * dot(n, axis);
        if (std::abs(dot(n, linear * axis)) > kTilt) return false;
    }
    return dot(n, linear * n) > 0;
}

bool staysInPlane(const FlatPose& flat, pose::ConstraintKind kind, const PoseHandle& handle, std::size_t h,
                  const HandlePlan& plan, const PoseStart& start, double time) {
    const Vec3d& n = *flat.normal;
    const Vec3d held = plan.held[h];
    if (kind == pose::ConstraintKind::position || kind == pose::ConstraintKind::vertices)
        return std::abs(dot(n, placeAt(handle, held, time) - held)) <= flat.slack;
    const Affine3d motion = motionAt(handle, held, start.file_bones[*plan.joint_of[h]], time);
    if (!keepsPlane(motion.linear(), n)) return false;
    return kind == pose::ConstraintKind::turn || std::abs(dot(n, motion * flat.place - flat.place)) <= flat.slack;
}

}  // namespace

FlatPose flatPose(FlatMode mode, const Mesh& standing) {
    FlatPose flat;
    if (mode == FlatMode::off) return flat;
    flat.normal = geometry::planeNormal(standing.positions);
    if (flat.normal) {
        flat.place = Vec3d(standing.positions.front());
        flat.slack = geometry::kFlat * geometry::boundingDiagonal(standing.positions);
    } else if (mode == FlatMode::on) {
        throw Error::badInput("is not in one plane, which `flat` on needs; use auto");
    }
    return flat;
}

std::optional<std::size_t> leavingPlane(const FlatPose& flat, std::span<const PoseHandle> handles,
                                        const HandlePlan& plan, const PoseStart& start, double time) noexcept {
    for (std::size_t i = 0; i < plan.constraints.size(); ++i) {
        const std::size_t h = plan.handle_of[i];
        if (!staysInPlane(flat, plan.constraints[i].kind, handles[h], h, plan, start, time)) return h;
    }
    return std::nullopt;
}

std::optional<Vec3d> planeToPoseIn(FlatMode mode, const FlatPose& flat, std::span<const PoseHandle> handles,
                                   const HandlePlan& plan, const PoseStart& start, std::span<const double> times) {
    if (!flat.normal) return std::nullopt;
    for (const double time : times) {
        const auto leaving = leavingPlane(flat, handles, plan, start, time);
        if (!leaving) continue;
        if (mode == FlatMode::on)
            throw Error::badInput({"", nameOf(handles[*leaving], *leaving)},
                                  "leaves the plane of the figure; with `flat` off it is posed as a sheet in space");
        return std::nullopt;
    }
    return flat.normal;
}

}  // namespace pelt::verbs

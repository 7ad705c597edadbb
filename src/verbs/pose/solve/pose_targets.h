#pragma once

#include "verbs/pose/pose_handles.h"

namespace pelt::verbs {

/// Sets the targets of the first `count` constraints of a plan at a given time in a solver.
template <class T>
void setTargets(pose::Solver<T>& solver, std::span<const PoseHandle> handles, const HandlePlan& plan,
                const PoseStart& start, std::size_t count, double time) {
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t h = plan.handle_of[i];
        const pose::ConstraintKind kind = plan.constraints[i].kind;
        if (kind == pose::ConstraintKind::transform || kind == pose::ConstraintKind::turn) {
            solver.setTransform(i, motionAt(handles[h], plan.held[h], start.file_bones[*plan.joint_of[h]], time));
        } else {
            solver.setTarget(i, placeAt(handles[h], plan.held[h], time));
        }
    }
}

}  // namespace pelt::verbs

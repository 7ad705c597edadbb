#pragma once

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

namespace pelt::deform {

/// Calls `body(target)` once per instruction set that this machine has, and restores the normal dispatch afterwards.
template <class Body>
void onEachInstructionSet(const Body& body) {
    const std::int64_t all = hwy::SupportedTargets() & HWY_TARGETS;  // what is there, of what was compiled
    for (std::int64_t left = all; left != 0; left &= left - 1) {
        const std::int64_t target = left & -left;
        hwy::SetSupportedTargetsForTest(target);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
        SCOPED_TRACE(hwy::TargetName(target));
        body(target);
    }
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace pelt::deform

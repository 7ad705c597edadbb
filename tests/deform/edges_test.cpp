// Counts at the edges of narrow numbers.
#include <gtest/gtest.h>

#include "instruction_sets.h"
#include "skin_case.h"

namespace pelt::deform {
namespace {

struct EdgeCounts {
    std::size_t vertices, joints;
};

TEST(EdgeOfCounts, KernelsAgreeWithTheReferenceOneBelowAtAndAbove) {
    for (const EdgeCounts count : {EdgeCounts{255, 255},
                                   {256, 256},
                                   {257, 257},
                                   {40, 65535},
                                   {40, 65536},
                                   {40, 65537},
                                   {65535, 3},
                                   {65536, 3},
                                   {65537, 3}})
        for (const Method method : {Method::lbs, Method::dqs}) {
            SCOPED_TRACE(std::to_string(count.vertices) + " vertices, " + std::to_string(count.joints) + " joints");
            const SkinCase c = makeCase(count.vertices, count.joints, 4, Bones::gentle, count.vertices + count.joints);
            const Posed posed = Skinner(method, c).all();
            EXPECT_LT(farthest(posed.positions, referenceOf(method, c).positions), 4e-6);
        }
}

}  // namespace
}  // namespace pelt::deform

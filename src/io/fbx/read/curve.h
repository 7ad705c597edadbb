#pragma once

#include "document.h"

namespace pelt::io::fbx {

enum class KeyKind { constant, constant_next, linear, cubic };

struct FbxKey {
    double time = 0;  ///< seconds
    double value = 0;
    KeyKind kind = KeyKind::linear;                    ///< of the segment that starts here
    double out_slope = 0, in_slope = 0;                ///< value per second, leaving this key and arriving at it
    double out_weight = 1.0 / 3, in_weight = 1.0 / 3;  ///< length of the handles as a fraction of the segment
};

/// One animation curve; keys by increasing time, constant before the first and after the last.
struct FbxCurve {
    std::vector<FbxKey> keys;

    double evaluate(double t) const;
    /// The value just before `t`: differs from evaluate(t) where a constant segment ends.
    double evaluateBefore(double t) const;
};

/// Throws Error (bad input) if the numbers of times and values differ.
FbxCurve readCurve(const FbxDocument& document, const FbxObject& curve);

inline constexpr double kFbxTicksPerSecond = 46186158000.0;

}  // namespace pelt::io::fbx

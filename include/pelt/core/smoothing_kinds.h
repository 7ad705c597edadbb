#pragma once

#include <pelt/core/enum_words.h>

/// The words for how a mesh is smoothed.
namespace pelt {

/// The weights of a mesh Laplacian's edges.
enum class LaplacianKind {
    uniform,    ///< w = 1 on every edge
    cotangent,  ///< w = max(0, (cot a + cot b) / 2), a and b the angles opposite to the edge
};
template <>
inline constexpr std::string_view kEnumWords<LaplacianKind>[] = {"uniform", "cotangent"};

/// The steps of smoothing.
enum class SmoothingKind { implicit, explicit_ };
template <>
inline constexpr std::string_view kEnumWords<SmoothingKind>[] = {"implicit", "explicit"};

}  // namespace pelt

#pragma once

#include <pelt/deform/ddm.h>
#include <pelt/rig/ddm_payload.h>

#include "deform/reference.h"

namespace pelt::deform::reference {

/// Direct Delta Mush [LeLewis19] and Enhanced DDM [Kalentchouk20], one vertex after the other, with an SVD each; see
/// ddm.h. Rows need not be exactly centered: the sum of (x, y, z) moves the center.
template <class T>
void ddm(DdmForm form, const Shape<T>& rest, const DdmRows<T>& rows, std::span<const Affine3<T>> bones,
         const Result<T>& out);

/// U diag(1, 1, det(U V^T)) V^T of the singular value decomposition: the rotation nearest to `s`. If s2 + sign(det) s3
/// is negligible relative to s1, it is undefined and `fallback` is returned.
template <class T>
Mat3<T> nearestRotation(const Mat3<T>& s, const Mat3<T>& fallback = {});

}  // namespace pelt::deform::reference

#pragma once

#include <pelt/core/affine.h>
#include <pelt/core/skin_weights.h>

#include <span>

/// Reference implementations of the deformers, one vertex after the other, directly from the formulas: to check
/// kernels, and for results in double precision. T is float or double. All spans are indexed by vertex or joint; empty
/// `rest_normals` or `normals`: no normals are computed. Every vertex must have weight; sizes are checked by assert.
namespace pelt::deform::reference {

template <class T>
struct Shape {
    std::span<const Vec3<T>> positions;
    std::span<const Vec3<T>> normals;
};

template <class T>
struct Result {
    std::span<Vec3<T>> positions;
    std::span<Vec3<T>> normals;
};

/// Linear blend skinning; see lbs.h.
template <class T>
void lbs(const Shape<T>& rest, const SkinWeights& weights, std::span<const Affine3<T>> bones, const Result<T>& out);

/// Dual quaternion skinning with stretches about `joint_positions`; see dqs.h.
template <class T>
void dqs(const Shape<T>& rest, const SkinWeights& weights, std::span<const Vec3d> joint_positions,
         std::span<const Affine3<T>> bones, const Result<T>& out);

}  // namespace pelt::deform::reference

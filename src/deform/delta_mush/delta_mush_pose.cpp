// Skinning, smoothing and frames of one pose; delta_mush_prepare.cpp has the notation.
#include <pelt/core/parallel.h>

#include <cassert>

#include "delta_mush_layout.h"

namespace pelt::deform {
namespace {

/// Σ_j w_j M_j at a welded vertex. Weights sum to 1 only up to rounding; after division by their sum, a blend of equal
/// bones is exact.
Affine3d blendedBone(const DeltaMushRig::Packed& rig, std::span<const Affine3d> bones, std::size_t vertex) {
    const auto joints = rig.weights.jointsOf(vertex);
    const auto weights = rig.weights.weightsOf(vertex);
    double sum = 0;
    for (const float w : weights) sum += w;
    Affine3d blend(Mat3d{} * 0.0, {});
    for (std::size_t i = 0; i < joints.size(); ++i)
        for (int c = 0; c < 4; ++c)
            for (int r = 0; r < 3; ++r) blend.m[4 * c + r] += weights[i] / sum * bones[joints[i]].m[4 * c + r];
    return blend;
}

Vec3d meanOf(std::span<const Vec3d> points) {
    Vec3d sum;
    for (const Vec3d& p : points) sum += p;
    const Vec3d mean = sum / static_cast<double>(points.size());
    return isFinite(mean) ? mean : Vec3d{};
}

/// v and, for Procrustes frames, v uᵀ by rows.
void fillColumns(const DeltaMushRig::Packed& rig, std::span<const Vec3d> posed, std::span<double> columns) {
    const std::size_t count = posed.size();
    storeColumns(posed, columns.first(3 * count));
    if (rig.frames != DeltaMushFrames::procrustes) return;
    parallelFor(count, kVertexGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v)
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c)
                    columns[std::size_t(3 + 3 * r + c) * count + v] = posed[v][r] * rig.rest[v][c];
    });
}

/// Σ_k B_ki (v_k − ṽ_i)(u_k − ũ_i)ᵀ = smoothed v uᵀ − ṽ_i ũ_iᵀ, the matrix whose nearest rotation minimizes [LeLewis19]
/// Eq. 5
Mat3d covariance(std::span<const double> columns, std::size_t count, std::size_t vertex, const Vec3d& posed,
                 const Vec3d& rest) {
    Mat3d a;
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) a(r, c) = columns[std::size_t(3 + 3 * r + c) * count + vertex] - posed[r] * rest[c];
    return a;
}

Mat3d rotationAt(const DeltaMushPose::Data& pose, std::size_t vertex) {
    const DeltaMushRig::Packed& rig = *pose.rig;
    Mat3d rotation;
    if (rig.frames == DeltaMushFrames::tangent) {
        if (tangentRotation(rig.corners.of(vertex), vertex, rig.smooth_rest, pose.smoothed, rotation)) return rotation;
    } else if (!rig.smoother->frozen(vertex)) {
        return nearestRotation(
            covariance(pose.columns, rig.rest.size(), vertex, pose.smoothed[vertex], rig.smooth_rest[vertex]));
    }
    // No neighborhood: the vertex is rotated by its own joints.
    return nearestRotation(blendedBone(rig, pose.bones, vertex).linear());
}

Mat3f toFloat(const Mat3d& m) { return {{Vec3f(m.col[0]), Vec3f(m.col[1]), Vec3f(m.col[2])}}; }

void setBones(DeltaMushPose::Data& pose, std::span<const Affine3f> bones) {
    assert(bones.size() >= pose.rig->joint_count);
    for (std::size_t j = 0; j < pose.rig->joint_count; ++j) pose.bones[j] = Affine3d(bones[j]);
}

/// Smooths the posed vertices and finds the frames of their detail.
void mush(DeltaMushPose::Data& pose) {
    const DeltaMushRig::Packed& rig = *pose.rig;
    const std::size_t count = rig.rest.size();
    const Vec3d middle = meanOf(pose.posed);
    for (Vec3d& p : pose.posed) p -= middle;

    fillColumns(rig, pose.posed, pose.columns);
    rig.smoother->smooth(pose.columns, pose.scratch);  // [LeLewis19] Eq. 2
    loadColumns(std::span<const double>(pose.columns).first(3 * count), pose.smoothed);

    parallelFor(count, kVertexGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v)
            pose.frames[v] = {toFloat(rotationAt(pose, v)), Vec3f(rig.smooth_rest[v] + rig.middle),
                              Vec3f(pose.smoothed[v] + middle)};
    });
}

}  // namespace

DeltaMushPose::DeltaMushPose(const DeltaMushRig& rig) : data_(std::make_unique<Data>()) {
    const std::size_t count = rig.packed->rest.size();
    const std::size_t channels = rig.packed->frames == DeltaMushFrames::procrustes ? 12 : 3;
    data_->rig = rig.packed;
    data_->bones.resize(rig.packed->joint_count);
    data_->posed.resize(count);
    data_->smoothed.resize(count);
    data_->columns.resize(channels * count);
    data_->scratch.resize(channels * count);
    data_->frames.resize(count);
}

DeltaMushPose::~DeltaMushPose() = default;
DeltaMushPose::DeltaMushPose(DeltaMushPose&&) noexcept = default;
DeltaMushPose& DeltaMushPose::operator=(DeltaMushPose&&) noexcept = default;

void DeltaMushPose::set(std::span<const Affine3f> bones) {
    Data& pose = *data_;
    const DeltaMushRig::Packed& rig = *pose.rig;
    setBones(pose, bones);
    parallelFor(rig.rest.size(), kVertexGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v)
            pose.posed[v] = blendedBone(rig, pose.bones, v) * (rig.rest[v] + rig.middle);  // [LeLewis19] Eq. 1
    });
    mush(pose);
}

void DeltaMushPose::set(std::span<const Affine3f> bones, std::span<const Vec3f> deformed) {
    Data& pose = *data_;
    const std::vector<std::uint32_t>& vertices = pose.rig->weld.representative;
    assert(deformed.size() == pose.rig->positions.size());
    setBones(pose, bones);
    for (std::size_t v = 0; v < vertices.size(); ++v) pose.posed[v] = Vec3d(deformed[vertices[v]]);
    mush(pose);
}

void evaluate(const DeltaMushRig& rig, const DeltaMushPose& pose, const RestShape& rest, std::size_t first,
              std::size_t count, const Output& out) noexcept {
    const DeltaMushRig::Packed& packed = *rig.packed;
    const DeltaMushPose::Data& data = pose.data();
    assert(data.rig == rig.packed);
    assert(runtime::isRange(packed.positions.size(), rest, first, count, out));
    const RestShape own{packed.positions, packed.normals};
    const RestShape &shape = rest.positions.empty() ? own : rest, &turned = rest.normals.empty() ? own : rest;
    const bool with_normals = !turned.normals.empty() && !out.normals.empty();
    for (std::size_t v = first; v < first + count; ++v) {
        const DeltaMushFrame& frame = data.frames[packed.weld.welded[v]];
        const Vec3f& position = shape.positions[v - shape.first];
        out.positions[v - out.first] = frame.rotation * (position - frame.from) + frame.to;  // [LeLewis19] Eq. 4
        if (with_normals) out.normals[v - out.first] = frame.rotation * turned.normals[v - turned.first];
    }
}

}  // namespace pelt::deform

// The normals that a fitted skin has in an example, as runtimes evaluate them.
#include "normals.h"

#include <pelt/core/parallel.h>

#include <cmath>
#include <numbers>

namespace pelt::fit {
namespace {

/// cof(A) n, on its side of the surface if A mirrors.
Vec3d posedNormal(const Mat3d& blended, const Vec3d& normal) {
    const Vec3d direction = cofactor(blended) * normal;
    return normalized(determinant(blended) < 0 ? -direction : direction, normal);
}

double squaredAngle(const Vec3d& a, const Vec3d& b) {
    const double angle = std::atan2(length(cross(a, b)), dot(a, b));
    return angle * angle;
}

}  // namespace

double squaredNormalAngles(const ExampleFit& fit, const ExamplePoses& poses, std::size_t example) {
    if (poses.normals.empty()) return 0;
    const std::span<const Vec3d> posed = poses.normalsOf(example);
    double sum = 0;
    for (std::size_t v = 0; v < poses.vertices; ++v) {
        Mat3d blended{{Vec3d{}, Vec3d{}, Vec3d{}}};
        for (std::size_t i = 0; i < fit.weights.influenceCount(v); ++i) {
            const Mat3d joint = poses.pose(example)[fit.weights.jointsOf(v)[i]].linear();
            for (int c = 0; c < 3; ++c) blended.col[c] += joint.col[c] * fit.weights.weightsOf(v)[i];
        }
        for (std::size_t k = 0, n = poses.firstNormal(v); k < poses.normalCount(v); ++k, ++n)
            sum += squaredAngle(posedNormal(blended, fit.rest_normals[n]), posed[n]);
    }
    return sum;
}

std::optional<double> examples::meanAngle(const ExamplePoses& poses, double squared_angles) {
    if (poses.normals.empty()) return {};
    return 180 / std::numbers::pi * std::sqrt(squared_angles / double(poses.normals.size()));
}

}  // namespace pelt::fit

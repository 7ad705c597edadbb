// Checks the examples that a skin is to be fitted to.
#include <pelt/core/error.h>
#include <pelt/fit/examples.h>

#include <algorithm>

#include "normals.h"

namespace pelt::fit {

using examples::meanAngle;

namespace {

ExamplePoses without(const ExamplePoses& poses, std::size_t example) {
    ExamplePoses others = poses;
    --others.examples;
    const auto bones = others.bones.begin() + std::ptrdiff_t(example * poses.joints);
    others.bones.erase(bones, bones + std::ptrdiff_t(poses.joints));
    const auto positions = others.positions.begin() + std::ptrdiff_t(example * poses.vertices);
    others.positions.erase(positions, positions + std::ptrdiff_t(poses.vertices));
    if (poses.normals.empty()) return others;
    const auto count = std::ptrdiff_t(poses.rest_normals.size());
    const auto normals = others.normals.begin() + std::ptrdiff_t(example) * count;
    others.normals.erase(normals, normals + count);
    return others;
}

}  // namespace

ExampleValidation validateExamples(std::span<const Vec3d> rest, const ExamplePoses& poses,
                                   const ExampleFitOptions& options, const Progress& progress) {
    if (poses.examples < 2) throw Error::badInput("cross-validation needs at least two examples");
    if (poses.bones.size() != poses.joints * poses.examples ||
        poses.positions.size() != poses.vertices * poses.examples)
        throw Error::badInput("the numbers of examples and poses differ");
    ExampleValidation result;
    std::vector<double> joint_sum(poses.joints), joint_count(poses.joints);
    std::vector<Vec3d> played(poses.vertices);
    double total = 0, squared_angles = 0;
    for (std::size_t e = 0; e < poses.examples; ++e) {
        progress.report("validate", double(e) / double(poses.examples));
        const ExampleFit fit = fitExamples(rest, without(poses, e), options);
        playFit(fit, poses.pose(e), played);
        double sum = 0;
        for (std::size_t v = 0; v < poses.vertices; ++v) {
            const Vec3d d = played[v] - poses.mesh(e)[v];
            const std::uint32_t joint = fit.weights.jointsOf(v)[0];
            sum += dot(d, d);
            joint_sum[joint] += dot(d, d);
            joint_count[joint] += 1;
            result.max = std::max(result.max, length(d));
        }
        squared_angles += squaredNormalAngles(fit, poses, e);
        result.example_rms.push_back(std::sqrt(sum / double(poses.vertices)));
        total += sum;
    }
    result.rms = std::sqrt(total / (double(poses.vertices) * double(poses.examples)));
    result.normals_degrees = meanAngle(poses, squared_angles);
    for (std::size_t j = 0; j < poses.joints; ++j)
        result.joint_rms.push_back(joint_count[j] > 0 ? std::sqrt(joint_sum[j] / joint_count[j]) : 0.0);
    progress.report("validate", 1);
    return result;
}

}  // namespace pelt::fit

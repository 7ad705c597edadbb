// One vertex of a skin from examples, [MohrGleicher03] §5; notation as in fit_examples.cpp.
#include "vertex_fitter.h"

#include <algorithm>

namespace pelt::fit::examples {

std::vector<Mat3d> normalMaps(const ExamplePoses& poses, const ExampleFitOptions& options) {
    std::vector<Mat3d> maps;
    if (poses.normals.empty() || options.normals_length == 0) return maps;
    for (const Affine3d& bone : poses.bones) {
        const Mat3d m = bone.linear();
        const double volume = determinant(m);
        // The inverse transpose is the cofactor matrix over the determinant.
        const Mat3d cofactor{{cross(m.col[1], m.col[2]), cross(m.col[2], m.col[0]), cross(m.col[0], m.col[1])}};
        const double scale = volume != 0 && std::isfinite(1 / volume) ? 1 / volume : 0.0;
        maps.push_back({{cofactor.col[0] * scale, cofactor.col[1] * scale, cofactor.col[2] * scale}});
    }
    return maps;
}

VertexFitter::VertexFitter(const ExamplePoses& poses, const RigidityRanking& ranking,
                           std::span<const Mat3d> normal_maps, const ExampleFitOptions& options)
    : poses_(poses),
      normal_maps_(normal_maps),
      options_(options),
      ranking_(ranking),
      solver_(options.weights, options.rank_tolerance),
      trajectory_(poses.examples) {}

void VertexFitter::fit(std::size_t vertex, const Vec3d& rest) {
    vertex_ = vertex;
    for (std::size_t e = 0; e < poses_.examples; ++e) trajectory_[e] = poses_.mesh(e)[vertex];
    ranking_.choose(trajectory_, wanted(), ranked_);
    joints = ranked_;
    p = rest;
    weights.resize(0);
    flags = 0;
    double before = solveWeights();
    if (options_.influences > 0 && joints.size() > options_.influences) before = chooseAmong();
    if (!options_.correct_rest) return;
    for (int i = 0; i < options_.iterations; ++i) {
        solveRest(rest);
        if (i + 1 == options_.iterations) break;
        const Eigen::VectorXd old_weights = weights;
        const double now = solveWeights() + pull(rest);
        if (!(now < before)) {
            weights = old_weights;  // ignoring undetermined directions increased the error
            break;
        }
        if (now >= (1 - options_.convergence) * (1 - options_.convergence) * before) break;
        before = now;
    }
}

std::pair<double, double> VertexFitter::errors() const {
    double sum = 0, most = 0;
    for (std::size_t e = 0; e < poses_.examples; ++e) {
        Vec3d d = -trajectory_[e];
        for (std::size_t j = 0; j < joints.size(); ++j) d += poses_.pose(e)[joints[j]] * p * weights[Eigen::Index(j)];
        sum += dot(d, d);
        most = std::max(most, dot(d, d));
    }
    return {sum, most};
}

std::size_t VertexFitter::wanted() const {
    return options_.influences == 0 ? 0 : std::max(options_.influences, options_.candidates);
}

double VertexFitter::chooseAmong() {
    Choice best;
    const auto consider = [&](double left) {
        if (left < best.left) best = {joints, weights, flags, left};
    };
    all_residuals_ = solver_.compressed();
    consider(drop());
    if (options_.weights == WeightKind::affine) {
        start(ranked_);
        solver_.setKind(WeightKind::convex);
        solveAmong();
        drop();
        solver_.setKind(WeightKind::affine);
        weights.resize(0);
        consider(solveAmong());
    }
    start({ranked_.begin(), ranked_.begin() + std::ptrdiff_t(options_.influences)});
    consider(solveAmong());
    joints = best.joints;
    weights = best.weights;
    flags = best.flags;
    return best.left;
}

void VertexFitter::start(const std::vector<std::uint32_t>& from) {
    joints = from;
    weights.resize(0);
}

double VertexFitter::drop() {
    double left = 0;
    while (joints.size() > options_.influences) left = dropLeast();
    return left;
}

double VertexFitter::dropLeast() {
    const Eigen::VectorXd left = residuals_ * weights;
    std::vector<std::pair<double, std::size_t>> pulls;
    for (std::size_t j = 0; j < joints.size(); ++j) {
        const auto column = Eigen::Index(j);
        pulls.emplace_back(std::abs(weights[column]) * (residuals_.col(column) - left).norm(), j);
    }
    // On ties the more rigid joint stays.
    std::sort(pulls.begin(), pulls.end(), [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first < b.first : a.second > b.second;
    });
    const std::size_t excess = joints.size() - options_.influences;
    std::vector<bool> gone(joints.size(), false);
    for (std::size_t i = 0; i < excess && (i == 0 || pulls[i].first == 0); ++i) gone[pulls[i].second] = true;
    std::size_t kept = 0;
    for (std::size_t j = 0; j < joints.size(); ++j)
        if (!gone[j]) joints[kept++] = joints[j];
    joints.resize(kept);
    weights.resize(0);
    return solveAmong();
}

double VertexFitter::solveWeights() {
    residuals_.resize(Eigen::Index((normal_maps_.empty() ? 3 : 6) * poses_.examples), Eigen::Index(joints.size()));
    for (std::size_t e = 0; e < poses_.examples; ++e)
        for (std::size_t j = 0; j < joints.size(); ++j) {
            const Vec3d r = poses_.pose(e)[joints[j]] * p - trajectory_[e];
            for (int i = 0; i < 3; ++i) residuals_(Eigen::Index(3 * e) + i, Eigen::Index(j)) = r[i];
        }
    if (!normal_maps_.empty()) addNormalRows();
    return solveOn();
}

double VertexFitter::solveAmong() {
    residuals_.resize(all_residuals_.rows(), Eigen::Index(joints.size()));
    for (std::size_t j = 0; j < joints.size(); ++j) {
        const auto place = std::find(ranked_.begin(), ranked_.end(), joints[j]) - ranked_.begin();
        residuals_.col(Eigen::Index(j)) = all_residuals_.col(place);
    }
    return solveOn();
}

double VertexFitter::solveOn() {
    const bool whole = options_.influences == 0 || joints.size() <= options_.influences;
    solver_.solve(residuals_, weights, !whole);
    // The rank matters only for the final set of joints.
    if (whole) flags = std::uint8_t((flags & ~kWeightsOpen) | (solver_.deficient() ? kWeightsOpen : 0));
    return (residuals_ * weights).squaredNorm();
}

void VertexFitter::addNormalRows() {
    const Vec3d& normal = poses_.rest_normals[vertex_];
    for (std::size_t e = 0; e < poses_.examples; ++e)
        for (std::size_t j = 0; j < joints.size(); ++j) {
            const Vec3d r = (normal_maps_[e * poses_.joints + joints[j]] * normal - poses_.normalsOf(e)[vertex_]) *
                            options_.normals_length;
            for (int i = 0; i < 3; ++i) residuals_(Eigen::Index(3 * (poses_.examples + e)) + i, Eigen::Index(j)) = r[i];
        }
}

void VertexFitter::solveRest(const Vec3d& rest) {
    Eigen::Matrix3d normal = Eigen::Matrix3d::Zero();
    Eigen::Vector3d right = Eigen::Vector3d::Zero();
    for (std::size_t e = 0; e < poses_.examples; ++e) {
        Eigen::Matrix<double, 3, 4> blended = Eigen::Matrix<double, 3, 4>::Zero();
        for (std::size_t j = 0; j < joints.size(); ++j)
            blended +=
                weights[Eigen::Index(j)] * Eigen::Map<const Eigen::Matrix4d>(poses_.pose(e)[joints[j]].m).topRows<3>();
        const Eigen::Matrix3d linear = blended.leftCols<3>();
        const Eigen::Vector3d left = Eigen::Vector3d(trajectory_[e].x, trajectory_[e].y, trajectory_[e].z) -
                                     linear * Eigen::Vector3d(rest.x, rest.y, rest.z) - blended.col(3);
        normal += linear.transpose() * linear;
        right += linear.transpose() * left;
    }
    // Eigenvalues are squared singular values.
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(normal);
    const double least = options_.rank_tolerance * options_.rank_tolerance * eigen.eigenvalues()[2];
    Eigen::Vector3d along = eigen.eigenvectors().transpose() * right;
    flags = std::uint8_t(flags & ~kRestOpen);
    for (int i = 0; i < 3; ++i) {
        const bool open = !(eigen.eigenvalues()[i] > least);
        if (open) flags |= kRestOpen;
        along[i] = open ? 0.0 : along[i] / (eigen.eigenvalues()[i] + options_.rest_pull);
    }
    const Eigen::Vector3d step = eigen.eigenvectors() * along;
    p = rest + Vec3d{step[0], step[1], step[2]};
}

}  // namespace pelt::fit::examples

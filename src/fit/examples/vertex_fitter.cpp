// One vertex of a skin from examples, [MohrGleicher03] §5; notation as in fit_examples.cpp.
#include "vertex_fitter.h"

#include <algorithm>

namespace pelt::fit::examples {

namespace {

/// Two directions along the surface, perpendicular to each other.
std::pair<Vec3d, Vec3d> tangentsOf(const Vec3d& normal) {
    const Vec3d size{std::abs(normal.x), std::abs(normal.y), std::abs(normal.z)};
    const bool x = size.x <= size.y && size.x <= size.z, y = !x && size.y <= size.z;
    const Vec3d first = normalized(cross(normal, Vec3d{double(x), double(y), double(!x && !y)}), Vec3d{});
    return {first, cross(normal, first)};
}

}  // namespace

VertexFitter::VertexFitter(const ExamplePoses& poses, const RigidityRanking& ranking, const ExampleFitOptions& options)
    : poses_(poses),
      options_(options),
      ranking_(ranking),
      solver_(options.weights, options.rank_tolerance),
      trajectory_(poses.examples) {
    solver_.setRidge(options.ridge_length * std::sqrt(double(poses.examples)));
}

std::span<const Vec3d> VertexFitter::givenNormals() const {
    if (poses_.rest_normals.empty()) return {};
    return std::span(poses_.rest_normals).subspan(poses_.firstNormal(vertex_), poses_.normalCount(vertex_));
}

double VertexFitter::pull(const Vec3d& rest) const {
    double squared = dot(p - rest, p - rest);
    const std::span<const Vec3d> given = givenNormals();
    const double each =
        options_.normals_length * options_.normals_length / double(std::max<std::size_t>(1, given.size()));
    for (std::size_t k = 0; k < given.size(); ++k) {
        const double along = dot(normals[k], given[k]);
        squared += each * (1 - along * along);
    }
    return options_.rest_pull * squared;
}

void VertexFitter::fit(std::size_t vertex, const Vec3d& rest) {
    vertex_ = vertex;
    for (std::size_t e = 0; e < poses_.examples; ++e) trajectory_[e] = poses_.mesh(e)[vertex];
    ranking_.choose(trajectory_, wanted(), ranked_);
    joints = ranked_;
    p = rest;
    const std::span<const Vec3d> given = givenNormals();
    normals.assign(given.begin(), given.end());
    weights.resize(0);
    flags = 0;
    double before = solveWeights();
    if (options_.influences > 0 && joints.size() > options_.influences) before = chooseAmong();
    if (!options_.correct_rest) return;
    for (int i = 0; i < options_.iterations; ++i) {
        solveRest(rest);
        solveNormals();
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
    const std::size_t normal_rows = options_.normals_length > 0 ? 2 * normals.size() : 0;
    residuals_.resize(Eigen::Index((3 + normal_rows) * poses_.examples), Eigen::Index(joints.size()));
    for (std::size_t e = 0; e < poses_.examples; ++e)
        for (std::size_t j = 0; j < joints.size(); ++j) {
            const Vec3d r = poses_.pose(e)[joints[j]] * p - trajectory_[e];
            for (int i = 0; i < 3; ++i) residuals_(Eigen::Index(3 * e) + i, Eigen::Index(j)) = r[i];
        }
    if (normal_rows > 0) addNormalRows();
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
    return (residuals_ * weights).squaredNorm() + solver_.penalty();
}

/// With A the blended matrix, skinning evaluates cof(A) n, which is parallel to A t1 × A t2. It is that of the example
/// if and only if this is perpendicular to both. The residual is linear in the weights, and for a rotation A as long as
/// the sine of the angle between the normals.
void VertexFitter::addNormalRows() {
    Eigen::Index row = Eigen::Index(3 * poses_.examples);
    const double scale = options_.normals_length / std::sqrt(double(normals.size()));
    for (std::size_t k = 0; k < normals.size(); ++k) {
        const auto [first, second] = tangentsOf(normals[k]);
        for (std::size_t e = 0; e < poses_.examples; ++e, row += 2) {
            const Vec3d posed = poses_.normalsOf(e)[poses_.firstNormal(vertex_) + k] * scale;
            for (std::size_t j = 0; j < joints.size(); ++j) {
                const Mat3d turn = poses_.pose(e)[joints[j]].linear();
                residuals_(row, Eigen::Index(j)) = dot(posed, turn * first);
                residuals_(row + 1, Eigen::Index(j)) = dot(posed, turn * second);
            }
        }
    }
}

Eigen::Matrix<double, 3, 4> VertexFitter::blended(std::size_t example) const {
    Eigen::Matrix<double, 3, 4> sum = Eigen::Matrix<double, 3, 4>::Zero();
    for (std::size_t j = 0; j < joints.size(); ++j)
        sum += weights[Eigen::Index(j)] *
               Eigen::Map<const Eigen::Matrix4d>(poses_.pose(example)[joints[j]].m).topRows<3>();
    return sum;
}

void VertexFitter::solveRest(const Vec3d& rest) {
    Eigen::Matrix3d normal = Eigen::Matrix3d::Zero();
    Eigen::Vector3d right = Eigen::Vector3d::Zero();
    for (std::size_t e = 0; e < poses_.examples; ++e) {
        const Eigen::Matrix<double, 3, 4> map = blended(e);
        const Eigen::Matrix3d linear = map.leftCols<3>();
        const Eigen::Vector3d left = Eigen::Vector3d(trajectory_[e].x, trajectory_[e].y, trajectory_[e].z) -
                                     linear * Eigen::Vector3d(rest.x, rest.y, rest.z) - map.col(3);
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

/// With a_e = Aᵀ n_e, the residuals are what a_e has across n: least for the n along which the a_e have most.
void VertexFitter::solveNormals() {
    const std::span<const Vec3d> given = givenNormals();
    for (std::size_t k = 0; k < given.size(); ++k) {
        const Eigen::Vector3d start(given[k].x, given[k].y, given[k].z);
        Eigen::Matrix3d along = options_.rest_pull * start * start.transpose();
        for (std::size_t e = 0; e < poses_.examples; ++e) {
            const Vec3d& posed = poses_.normalsOf(e)[poses_.firstNormal(vertex_) + k];
            const Eigen::Vector3d back =
                blended(e).leftCols<3>().transpose() * Eigen::Vector3d(posed.x, posed.y, posed.z);
            along += back * back.transpose();
        }
        const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(along);
        const Eigen::Vector3d most = eigen.eigenvectors().col(2);
        const bool turned = most.dot(start) < 0;
        if (!(eigen.eigenvalues()[2] > 0)) continue;  // no normal at all
        normals[k] = Vec3d{most[0], most[1], most[2]} * (turned ? -1.0 : 1.0);
    }
}

}  // namespace pelt::fit::examples

// Constraints of [Jacobson12] are linear equations M_eq T = P_eq. In the coordinates of prepare.cpp, T = F s + N t,
// they become C_s s + C_t t = D with C_s = M_eq F, C_t = M_eq N; D and t are relative to rest. Where N (which contains
// the translations) can satisfy constraints, t does. The remaining ones, C' s = D', are solved by a QR decomposition of
// C'^T: s = Q1 u + Q2 y, where u follows from D' and y is free. Since Q is orthogonal, the energy of y is still ½ |y|².
#include <fmt/format.h>
#include <pelt/core/error.h>

#include <algorithm>

#include "core/eigen/eigen_solvers.h"
#include "pose/fast/prepare/reduction.h"
#include "system_data.h"
#include "transforms.h"

namespace pelt::pose {
namespace {

constexpr double kDependent = 1e-9;  ///< constraints that add less than this are redundant
constexpr double kRounding = 1e-12;  ///< of the longest row: the rounding that remains of a row that others cancel
constexpr double kTakesUp = 1e-2;    ///< directions without energy that move the constraints by less stay at rest: they
                                     ///< would have to move so far that their rounding errors matter

void check(const PoseRig::Data& rig, std::span<const Constraint> constraints) {
    std::vector<char> given(rig.handles, 0);
    for (const Constraint& c : constraints) {
        if (c.kind == ConstraintKind::vertices) {
            if (c.vertices.empty()) throw Error::badInput("a region has no vertices");
            for (const std::uint32_t v : c.vertices)
                if (v >= rig.weld.welded.size())
                    throw Error::badInput(
                        fmt::format("a region uses vertex {}, but the mesh has {}", v, rig.weld.welded.size()));
            continue;
        }
        if (c.handle >= rig.handles)
            throw Error::badInput(fmt::format("there is no handle {}; the rig has {}", c.handle, rig.handles));
        const bool whole = c.kind != ConstraintKind::position;
        if (given[c.handle] > (whole ? 0 : 1)) throw Error::badInput(fmt::format("handle {} is given twice", c.handle));
        given[c.handle] = whole ? 2 : 1;
    }
}

/// Adds a constraint's rows to M_eq, starting at row `first`.
void addRows(const PoseRig::Data& rig, const Constraint& c, Eigen::Index first, Eigen::MatrixXd& equations) {
    if (c.kind == ConstraintKind::transform) {
        equations.block<4, 4>(first, 4 * Eigen::Index(c.handle)).setIdentity();
    } else if (c.kind == ConstraintKind::turn) {
        equations.block<3, 3>(first, 4 * Eigen::Index(c.handle)).setIdentity();
    } else if (c.kind == ConstraintKind::position) {
        const ColumnFrame& frame = rig.frames[c.handle];
        const Vec3d local = ((c.point - rig.center) / rig.scale - frame.center) / frame.scale;
        for (int a = 0; a < 3; ++a) equations(first, 4 * Eigen::Index(c.handle) + a) = local[a];
        equations(first, 4 * Eigen::Index(c.handle) + 3) = 1;
    } else {
        for (const std::uint32_t v : c.vertices) {
            const std::size_t row = rig.weld.welded[v];
            forRow(rig.rows, row, rig.positions[row], rig.frames, [&](std::size_t column, double x) {
                equations(first, Eigen::Index(column)) += x / double(c.vertices.size());
            });
        }
    }
}

/// M_eq.
Eigen::MatrixXd makeEquations(const PoseRig::Data& rig, PoseSystem::Data& system) {
    for (const Constraint& c : system.constraints) {
        system.first_row.push_back(system.rows);
        system.rows += c.kind == ConstraintKind::transform ? 4 : c.kind == ConstraintKind::turn ? 3 : 1;
    }
    Eigen::MatrixXd equations = Eigen::MatrixXd::Zero(Eigen::Index(system.rows), Eigen::Index(4 * rig.columns));
    system.rigid = Eigen::VectorXd::Zero(Eigen::Index(system.rows));
    for (std::size_t i = 0; i < system.constraints.size(); ++i) {
        const auto first = Eigen::Index(system.first_row[i]);
        addRows(rig, system.constraints[i], first, equations);
        if (system.constraints[i].kind == ConstraintKind::turn) continue;
        system.rigid[first + (system.constraints[i].kind == ConstraintKind::transform ? 3 : 0)] = 1;
    }
    return equations;
}

template <class T>
Panels<T> pack(const Eigen::MatrixXd& m, bool clusters) {
    Panels<T> out;
    const std::size_t rows = std::size_t(m.rows());
    const std::size_t panels = clusters ? (rows / 3 + kLanes - 1) / kLanes : (rows + kPanel - 1) / kPanel;
    out.allocate(panels, std::size_t(m.cols()));
    for (std::size_t p = 0; p < panels; ++p)
        for (std::size_t c = 0; c < out.columns; ++c)
            for (std::size_t i = 0; i < kPanel; ++i) {
                const std::size_t row = clusters ? 3 * (p * kLanes + i % kLanes) + i / kLanes : p * kPanel + i;
                if (row < rows)
                    out.numbers[(p * out.columns + c) * kPanel + i] = T(m(Eigen::Index(row), Eigen::Index(c)));
            }
    return out;
}

struct Reduced {
    Eigen::MatrixXd covariance, covariance_of_targets, from_targets, from_unknowns, fixed;
};

template <class T>
SolverMatrices<T> packAll(const Reduced& r) {
    return {pack<T>(r.covariance, true), pack<T>(r.covariance_of_targets, true), pack<T>(r.from_targets, false),
            pack<T>(r.from_unknowns, false), pack<T>(r.fixed, false)};
}

/// The factors that give rows unit length; 0 for rows no longer than `none`.
Eigen::VectorXd unitRows(const Eigen::MatrixXd& m, double none) {
    return m.rowwise().norm().unaryExpr([none](double length) { return length > none ? 1 / length : 0.0; });
}

/// How t satisfies constraints: t = pseudo (D - C_s s); `left` are the combinations of constraints that it cannot
/// change.
struct NullPart {
    Eigen::MatrixXd pseudo, left;
};

NullPart solveNull(const Eigen::MatrixXd& c_t) {
    const Eigen::Index rows = c_t.rows();
    if (c_t.size() == 0) return {Eigen::MatrixXd::Zero(c_t.cols(), rows), Eigen::MatrixXd::Identity(rows, rows)};
    // Squared singular values are accurate enough: the relevant ones are far above rounding.
    const Eigen::MatrixXd gram = c_t.transpose() * c_t;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(gram);
    const Eigen::VectorXd& squares = eigen.eigenvalues();  // ascending
    Eigen::Index rank = 0;
    while (rank < squares.size() && squares[squares.size() - 1 - rank] > kTakesUp * kTakesUp) ++rank;
    const Eigen::MatrixXd directions = eigen.eigenvectors().rightCols(rank), images = c_t * directions;
    const Eigen::MatrixXd q =
        Eigen::HouseholderQR<Eigen::MatrixXd>(images).householderQ() * Eigen::MatrixXd::Identity(rows, rows);
    return {directions * squares.tail(rank).cwiseInverse().asDiagonal() * images.transpose(),
            q.rightCols(rows - rank).transpose()};
}

/// C' s = D': `from_targets` maps D' to the shortest s, `basis` has the remaining free directions.
struct FreePart {
    Eigen::MatrixXd from_targets, basis;
};

FreePart solveFree(const Eigen::MatrixXd& c, double rounding) {
    FreePart part;
    const Eigen::Index size = c.cols(), rows = c.rows();
    if (c.size() == 0) return {Eigen::MatrixXd::Zero(size, rows), Eigen::MatrixXd::Identity(size, size)};
    // Rows have unit length, so that their independence can be compared, whether they constrain stiff or soft
    // directions.
    const Eigen::VectorXd unit = unitRows(c, rounding);
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr((unit.asDiagonal() * c).transpose());
    Eigen::Index rank = 0;
    while (rank < std::min(size, rows) && std::abs(qr.matrixR()(rank, rank)) > kDependent) ++rank;
    const Eigen::MatrixXd q = qr.householderQ() * Eigen::MatrixXd::Identity(size, size);
    const Eigen::MatrixXd permuted = qr.colsPermutation().transpose() * Eigen::MatrixXd::Identity(rows, rows);
    const Eigen::MatrixXd u =
        qr.matrixR().topLeftCorner(rank, rank).transpose().triangularView<Eigen::Lower>().solve(permuted.topRows(rank));
    part.from_targets = q.leftCols(rank) * u * unit.asDiagonal();
    part.basis = q.rightCols(size - rank);
    return part;
}

}  // namespace

PoseSystem constrain(const PoseRig& rig, std::span<const Constraint> constraints) {
    const PoseRig::Data& data = *rig.data;
    check(data, constraints);
    auto system = std::make_shared<PoseSystem::Data>();
    system->rig = rig;
    system->constraints.assign(constraints.begin(), constraints.end());
    const Eigen::MatrixXd equations = makeEquations(data, *system);
    const Eigen::VectorXd unit = unitRows(equations, 0);
    const Eigen::MatrixXd c_s = unit.asDiagonal() * equations * data.free;
    const NullPart null = solveNull(unit.asDiagonal() * equations * data.null);
    const double longest = c_s.rows() > 0 ? c_s.rowwise().norm().maxCoeff() : 0;
    const FreePart free = solveFree(null.left * c_s, kRounding * longest);

    const Eigen::MatrixXd shortest = free.from_targets * null.left * unit.asDiagonal();  // s from D
    const Eigen::MatrixXd follow = data.null * null.pseudo;                              // T from D - C_s s
    Reduced r;
    r.covariance = data.covariance * free.basis;
    r.covariance_of_targets = data.covariance * shortest;
    r.from_unknowns = data.free * free.basis - follow * (c_s * free.basis);
    r.from_targets = data.free * shortest + follow * unit.asDiagonal() - follow * (c_s * shortest);
    r.fixed = data.null * data.null_rest;
    system->gram = shortest.transpose() * shortest;
    const auto rows = Eigen::Index(system->rows);
    system->unmet = Eigen::MatrixXd::Identity(rows, rows) - equations * r.from_targets;
    system->at_rest = equations * r.fixed;
    system->rest_targets = equations * data.rest;
    system->unknowns = std::size_t(free.basis.cols());
    system->panels = (data.clusters + kLanes - 1) / kLanes;
    system->single = packAll<float>(r);
    system->twice = packAll<double>(r);
    return {std::move(system)};
}

}  // namespace pelt::pose

// Fast Automatic Skinning Transformations [Jacobson12], the precomputation per shape and rig: edge sets, extra weights,
// rotation clusters, the reduced matrices A and K, and coordinates of T in which the energy is a plain sum of squares.
// The latter is not in the slides: with A = Q Λ Q^T, T = Q Λ^-½ s turns ½ tr(T^T A T) into ½ |s|², so that constraints
// need one QR decomposition and the global step needs no solve at all.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/geometry/bounding_sphere.h>
#include <pelt/geometry/tets.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "clusters.h"
#include "core/eigen/eigen_solvers.h"
#include "modes.h"
#include "pose/fast/rig_data.h"
#include "pose/fast/transforms.h"
#include "reduction.h"

namespace pelt::pose {
namespace {

constexpr double kNoEnergy = 1e-10;    ///< eigenvalues below this fraction of the largest count as zero
constexpr double kSmallSpread = 1e-3;  ///< of the shape's size: lower limit of the frames' scale, because rounding
                                       ///< would let a handle with a single vertex rotate and stretch arbitrarily
constexpr std::size_t kClustersPerHandle = 5, kClustersPerExtra = 15, kFewestClusters = 50;
constexpr double kExtraInClusters = 0.1;  ///< their weight relative to handles when rotations are clustered

void check(const Shape& shape, const RigOptions& options) {
    if (!shape.weights || shape.weights->vertexCount() != shape.positions.size())
        throw Error::badInput(fmt::format("the mesh has {} vertices, but weights for {}", shape.positions.size(),
                                          shape.weights ? shape.weights->vertexCount() : 0));
    for (std::size_t v = 0; v < shape.positions.size(); ++v)
        if (!isFinite(shape.positions[v])) throw Error::badInput(fmt::format("vertex {} is not finite", v));
    for (std::size_t t = 0; t < shape.triangles.size(); ++t)
        for (const std::uint32_t v : shape.triangles[t])
            if (v >= shape.positions.size())
                throw Error::badInput(fmt::format("triangle {} uses vertex {} of {}", t, v, shape.positions.size()));
    if (options.energy != Energy::tets) {
        if (shape.triangles.empty()) throw Error::badInput("has no triangles, so posing has no shape to preserve");
        return;
    }
    if (!shape.volume || !shape.volume_weights)
        throw Error::badUsage("the energy of tets needs a volume and its weights");
    if (shape.volume->tets.empty() || shape.volume_weights->vertexCount() != shape.volume->vertexCount())
        throw Error::badInput(fmt::format("the volume has {} tets and {} vertices, but weights for {}",
                                          shape.volume->tets.size(), shape.volume->vertexCount(),
                                          shape.volume_weights->vertexCount()));
}

void scaleSpace(const Shape& shape, PoseRig::Data& data) {
    const auto [low, high] = geometry::boundingBox(shape.positions);
    data.center = (low + high) * 0.5;
    data.scale = length(high - low);
    if (!(data.scale > 0)) throw Error::badInput("all vertices are in one place");
}

/// Positions in scaled space and rows, both of the mesh whose energy is measured, and its edge sets.
Elements makeElements(const Shape& shape, const RigOptions& options, const PoseRig::Data& data) {
    Elements elements;
    if (options.energy != Energy::tets) {
        elements.positions = data.positions;
        elements.rows = data.rows;
        elements.sets =
            surfaceSets(options.energy, elements.positions, geometry::weldedTriangles(shape.triangles, data.weld));
        return elements;
    }
    TetMesh scaled = *shape.volume;
    for (Vec3d& p : scaled.positions) p = (p - data.center) / data.scale;
    std::vector<std::uint32_t> all(scaled.vertexCount());
    std::iota(all.begin(), all.end(), 0u);
    elements.rows = rowsOf(*shape.volume_weights, all, data.handles);
    elements.sets = tetSets(scaled);
    elements.positions = std::move(scaled.positions);
    return elements;
}

void makeClusters(const RigOptions& options, const WeightRows& rows, const PoseRig::Data& data, Elements& elements) {
    const std::size_t by_default =
        kClustersPerHandle * data.handles + kClustersPerExtra * (data.columns - data.handles);
    const std::size_t count = options.clusters.value_or(std::max(kFewestClusters, by_default));
    if (count == 0 || count >= elements.sets.count) {
        elements.cluster.resize(elements.sets.count);
        std::iota(elements.cluster.begin(), elements.cluster.end(), 0u);
        elements.clusters = elements.sets.count;
        return;
    }
    WeightRows like = rows;
    for (std::size_t e = 0; e < like.columns.size(); ++e)
        if (like.columns[e] >= data.handles) like.values[e] *= kExtraInClusters;
    elements.cluster = clusterRows(setRows(elements.sets, like), data.columns, count);
    elements.clusters = 1 + std::size_t(*std::max_element(elements.cluster.begin(), elements.cluster.end()));
}

/// The weights of welded vertices from functions on the elements' vertices.
Eigen::MatrixXd onSurface(const Shape& shape, const RigOptions& options, const PoseRig::Data& data,
                          const Eigen::MatrixXd& values) {
    if (options.energy != Energy::tets) return values;
    std::vector<Vec3f> points;
    for (const std::uint32_t v : data.weld.representative) points.push_back(shape.positions[v]);
    const geometry::TetEmbedding in = geometry::locateInTets(*shape.volume, points);
    Eigen::MatrixXd out = Eigen::MatrixXd::Zero(Eigen::Index(points.size()), values.cols());
    for (std::size_t v = 0; v < points.size(); ++v)
        for (std::size_t c = 0; c < 4; ++c)
            out.row(Eigen::Index(v)) += in.barycentric[v][c] * values.row(shape.volume->tets[in.tet[v]][c]);
    return out;
}

/// Rows of the elements' vertices and of the welded ones, with extra weights, and the number of columns.
std::array<WeightRows, 2> extendRows(const Shape& shape, const RigOptions& options, const Elements& elements,
                                     PoseRig::Data& data) {
    const bool modes_wanted = options.extra_weights > 0 && options.extra_kind == ExtraKind::modes;
    const Bumps bumps = chooseBumps(elements.rows, data.handles, modes_wanted ? 1 : options.extra_weights);
    if (!modes_wanted || bumps.centers.empty()) {  // if there are none, the weights leave no room for modes either
        data.columns = data.handles + bumps.centers.size();
        return {withBumps(elements.rows, bumps), withBumps(data.rows, bumps)};
    }
    const Eigen::MatrixXd modes = smoothestModes(elements, data.handles, options.extra_weights);
    data.columns = data.handles + std::size_t(modes.cols());
    return {withModes(elements.rows, data.handles, modes),
            withModes(data.rows, data.handles, onSurface(shape, options, data, modes))};
}

/// The center and extent of the vertices that each column moves.
std::vector<ColumnFrame> makeFrames(const Elements& elements, std::size_t columns) {
    std::vector<ColumnFrame> frames(columns);
    std::vector<double> sums(columns, 0.0), spread(columns, 0.0);
    const auto forEntries = [&](const auto& use) {
        for (std::size_t v = 0; v < elements.rows.count(); ++v)
            for (std::size_t e = elements.rows.offsets[v]; e < elements.rows.offsets[v + 1]; ++e)
                use(elements.rows.columns[e], std::abs(elements.rows.values[e]), elements.positions[v]);
    };
    forEntries([&](std::uint32_t column, double w, const Vec3d& p) {
        sums[column] += w;
        frames[column].center += p * w;
    });
    for (std::size_t c = 0; c < columns; ++c)
        if (sums[c] > 0) frames[c].center = frames[c].center / sums[c];
    forEntries([&](std::uint32_t column, double w, const Vec3d& p) {
        const Vec3d d = p - frames[column].center;
        spread[column] += w * dot(d, d);
    });
    for (std::size_t c = 0; c < columns; ++c)
        if (spread[c] > kSmallSpread * kSmallSpread * sums[c]) frames[c].scale = std::sqrt(spread[c] / sums[c]);
    return frames;
}

/// Coordinates in which A is the identity, and the null space of A (translations; columns without weight; the third
/// axis of flat shapes; weights that depend on others). A is first scaled to a unit diagonal. Rows without any energy
/// are kept separate: mixed with others they would add noise, and flat shapes would buckle.
void whiten(const Eigen::MatrixXd& a, PoseRig::Data& data) {
    const double largest = a.diagonal().maxCoeff();
    std::vector<Eigen::Index> live, dead;
    for (Eigen::Index i = 0; i < a.rows(); ++i)
        (a(i, i) > kNoEnergy * kSmallSpread * largest ? live : dead).push_back(i);
    const Eigen::VectorXd unit = a.diagonal()(live).cwiseSqrt().cwiseInverse();
    const Eigen::MatrixXd scaled = unit.asDiagonal() * a(live, live) * unit.asDiagonal();
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(scaled);
    const Eigen::VectorXd& values = eigen.eigenvalues();  // ascending
    Eigen::Index none = 0;
    while (none < values.size() && !(values[none] > kNoEnergy * values[values.size() - 1])) ++none;
    const Eigen::Index rest = values.size() - none, alone = Eigen::Index(dead.size());
    data.null = Eigen::MatrixXd::Zero(a.rows(), none + alone);
    data.null_rest = Eigen::MatrixXd::Zero(none + alone, 3);
    if (none > 0) {  // orthonormal, so that the effects of directions on constraints are comparable
        const Eigen::HouseholderQR<Eigen::MatrixXd> qr(unit.asDiagonal() * eigen.eigenvectors().leftCols(none));
        const Eigen::MatrixXd rest_part = eigen.eigenvectors().leftCols(none).transpose() *
                                          unit.cwiseInverse().asDiagonal() * data.rest(live, Eigen::all);
        data.null(live, Eigen::seqN(0, none)) = qr.householderQ() * Eigen::MatrixXd::Identity(values.size(), none);
        data.null_rest.topRows(none) = qr.matrixQR().topRows(none).triangularView<Eigen::Upper>() * rest_part;
    }
    for (Eigen::Index i = 0; i < alone; ++i) {
        data.null(dead[std::size_t(i)], none + i) = 1;
        data.null_rest.row(none + i) = data.rest.row(dead[std::size_t(i)]);
    }
    data.free = Eigen::MatrixXd::Zero(a.rows(), rest);
    data.free(live, Eigen::all) = unit.asDiagonal() * eigen.eigenvectors().rightCols(rest) *
                                  values.tail(rest).cwiseSqrt().cwiseInverse().asDiagonal();
}

double restEnergy(const Elements& elements) {
    double sum = 0;
    for (const EdgeTerm& t : elements.sets.terms) {
        const Vec3d edge = elements.positions[t.i] - elements.positions[t.j];
        sum += 0.5 * t.c * dot(edge, edge);
    }
    return sum;
}

BlendBlocks packBlend(const Shape& shape, const PoseRig::Data& data) {
    BlendBlocks blocks;
    blocks.vertices = shape.positions.size();
    std::vector<std::uint32_t> columns;
    for (std::size_t first = 0; first < blocks.vertices; first += BlendBlocks::kLanes) {
        const std::size_t last = std::min(blocks.vertices, first + BlendBlocks::kLanes);
        const std::size_t rest = blocks.rest.size();
        blocks.rest.resize(rest + 3);
        columns.clear();
        for (std::size_t v = first; v < last; ++v) {
            for (int a = 0; a < 3; ++a) blocks.rest[rest + std::size_t(a)].value[v - first] = shape.positions[v][a];
            const std::size_t row = data.weld.welded[v];
            columns.insert(columns.end(), data.rows.columns.begin() + std::ptrdiff_t(data.rows.offsets[row]),
                           data.rows.columns.begin() + std::ptrdiff_t(data.rows.offsets[row + 1]));
        }
        std::sort(columns.begin(), columns.end());
        columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
        const std::size_t begin = blocks.weights.size();
        blocks.weights.resize(begin + columns.size());
        for (std::size_t v = first; v < last; ++v) {
            const std::size_t row = data.weld.welded[v];
            for (std::size_t e = data.rows.offsets[row]; e < data.rows.offsets[row + 1]; ++e) {
                const auto at = std::lower_bound(columns.begin(), columns.end(), data.rows.columns[e]);
                blocks.weights[begin + std::size_t(at - columns.begin())].value[v - first] = float(data.rows.values[e]);
            }
        }
        blocks.columns.insert(blocks.columns.end(), columns.begin(), columns.end());
        blocks.offsets.push_back(std::uint32_t(blocks.columns.size()));
    }
    return blocks;
}

}  // namespace

std::size_t PoseRig::handleCount() const { return data->handles; }
std::size_t PoseRig::extraCount() const { return data->columns - data->handles; }
std::size_t PoseRig::clusterCount() const { return data->clusters; }

PoseRig prepare(const Shape& shape, const RigOptions& options, const Progress& progress) {
    check(shape, options);
    progress.report("prepare", 0);
    auto data = std::make_shared<PoseRig::Data>();
    data->handles = shape.handles;
    scaleSpace(shape, *data);
    data->weld = geometry::weldByPosition(shape.positions, options.weld, shape.bodies);
    for (const std::uint32_t v : data->weld.representative)
        data->positions.push_back((Vec3d(shape.positions[v]) - data->center) / data->scale);
    data->rows = rowsOf(*shape.weights, data->weld.representative, shape.handles);
    Elements elements = makeElements(shape, options, *data);
    if (elements.sets.terms.empty())
        throw Error::badInput("has no triangle with an area, so posing has no shape to preserve");

    progress.report("prepare", 0.1);
    std::array<WeightRows, 2> rows = extendRows(shape, options, elements, *data);
    makeClusters(options, rows[0], *data, elements);
    progress.report("prepare", 0.4);
    elements.rows = std::move(rows[0]);
    data->rows = std::move(rows[1]);
    data->clusters = elements.clusters;
    data->frames = makeFrames(elements, data->columns);
    data->rest = Eigen::MatrixXd::Zero(Eigen::Index(4 * data->columns), 3);
    for (std::size_t h = 0; h < data->handles; ++h)
        data->rest.block<4, 3>(Eigen::Index(4 * h), 0) = scaledRows(*data, h, Affine3d());

    progress.report("prepare", 0.5);
    whiten(systemMatrix(elements, data->frames), *data);
    progress.report("prepare", 0.8);
    data->covariance = covarianceMatrix(elements, data->frames) * data->free;
    data->rest_energy = restEnergy(elements);
    data->energy_unit = data->scale * data->scale * (options.energy == Energy::tets ? data->scale : 1);
    data->blend = packBlend(shape, *data);
    progress.report("prepare", 1);
    return {std::move(data)};
}

}  // namespace pelt::pose

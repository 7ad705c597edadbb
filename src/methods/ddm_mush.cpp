// Makes the Direct Delta Mush of a character as its settings say, and prunes it to an error.
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/core/scramble.h>
#include <pelt/deform/ddm.h>
#include <pelt/geometry/bounding_box.h>
#include <pelt/io/ddm_storage.h>
#include <pelt/methods/ddm.h>
#include <pelt/rig/range_of_motion.h>

#include <algorithm>
#include <cmath>

namespace pelt::methods {
namespace {

constexpr double kTolerance = 1e-4;           ///< of the diagonal: error that pruning may cause by default
constexpr std::size_t kMostInfluences = 8;    ///< per vertex, unless more are requested
constexpr std::size_t kViewerInfluences = 4;  ///< the number of joints that every viewer of glTF supports

/// The poses of the range of motion, deformed with some rows, for comparison with other rows.
class RangeOfMotionMeasure {
public:
    RangeOfMotionMeasure(Mesh mesh, double diagonal, const Skeleton& skeleton, const DdmRows<float>& reference)
        : mesh_(std::move(mesh)), diagonal_(diagonal), poses_(rig::rangeOfMotion(skeleton)) {
        const deform::DdmRig rig = deform::packDdm(mesh_, reference, deform::DdmForm::v0);
        deform::DdmPose pose(rig);
        for (const auto& bones : poses_) expected_.push_back(evaluate(rig, pose, bones));
    }

    double error(const DdmRows<float>& rows) const {
        const deform::DdmRig rig = deform::packDdm(mesh_, rows, deform::DdmForm::v0);
        deform::DdmPose pose(rig);
        double sum = 0;
        for (std::size_t p = 0; p < poses_.size(); ++p) {
            const std::vector<Vec3f> positions = evaluate(rig, pose, poses_[p]);
            for (std::size_t v = 0; v < positions.size(); ++v) {
                const Vec3d d = Vec3d(positions[v]) - Vec3d(expected_[p][v]);
                sum += dot(d, d);
            }
        }
        const double mean = sum / double(std::max<std::size_t>(poses_.size() * mesh_.vertexCount(), 1));
        return diagonal_ > 0 ? std::sqrt(mean) / diagonal_ : 0;
    }

private:
    std::vector<Vec3f> evaluate(const deform::DdmRig& rig, deform::DdmPose& pose,
                                std::span<const Affine3f> bones) const {
        std::vector<Vec3f> positions(mesh_.vertexCount());
        pose.set(bones);
        parallelFor(positions.size(), kVertexGrain, [&](std::size_t first, std::size_t last) {
            deform::evaluate(rig, pose, {}, first, last - first, {positions, {}});
        });
        return positions;
    }

    Mesh mesh_;
    double diagonal_;
    std::vector<std::vector<Affine3f>> poses_;
    std::vector<std::vector<Vec3f>> expected_;
};

std::size_t mostInfluences(const DdmRows<float>& rows) {
    std::size_t most = 0;
    for (std::size_t v = 0; v < rows.vertexCount(); ++v) most = std::max(most, rows.influenceCount(v));
    return most;
}

/// The vertices at which pruning is measured: all or, for a large mesh, a random subset that does not depend on
/// patterns in their order.
std::vector<std::uint32_t> measuredVertices(std::size_t count) {
    constexpr std::size_t kAll = 32768, kSome = 16384;
    std::vector<std::uint32_t> vertices;
    const std::size_t size = count <= kAll ? count : kSome;
    for (std::size_t i = 0; i < size; ++i) {
        const std::size_t first = i * count / size, last = (i + 1) * count / size;
        const std::uint64_t draw = (i + 1) * kScrambleStep;
        vertices.push_back(std::uint32_t(first + (draw >> 32) % (last - first)));
    }
    return vertices;
}

Mesh pointsOf(const Mesh& mesh, const std::vector<std::uint32_t>& vertices) {
    Mesh points;
    for (const std::uint32_t v : vertices) points.positions.push_back(mesh.positions[v]);
    return points;
}

/// The requested number of influences, or the smallest sufficient number, at most kMostInfluences. Reports the errors.
std::size_t chooseInfluences(const Character& character, const deform::DdmPreparation& preparation,
                             const DdmSettings& settings, DdmEncoding encoding, const Progress& progress,
                             MushReport& found) {
    progress.report("influences", 0);
    const std::vector<std::uint32_t> vertices = measuredVertices(character.mesh.vertexCount());
    const DdmRows<float> all = preparation.rounded(0, vertices);
    const std::size_t most = std::min(mostInfluences(all), kMostInfluences);
    const RangeOfMotionMeasure measure(pointsOf(character.mesh, vertices),
                                       geometry::boundingDiagonal(character.mesh.positions), character.skeleton, all);
    for (std::size_t k = settings.influences ? std::size_t(*settings.influences) : 2;; ++k) {
        const double error = measure.error(io::asStored(preparation.rounded(k, vertices), encoding));
        found.trials.push_back({k, error});
        progress.report("influences", double(k) / double(std::max(most, k)));
        if (settings.influences || error <= kTolerance) return k;
        if (k >= most) {
            found.capped = mostInfluences(all) > kMostInfluences;
            return k;
        }
    }
}

const MushField kMushFields[] = {
    {{"variant", "v0..v5", "The run-time variant that the file requests (default: v0, the full model)"},
     &MushTarget::variant},
    {{"payload", "float|q16", "Storage: 48 (float) or 24 (q16) bytes per joint and vertex (default: float)"},
     &MushTarget::encoding},
};

}  // namespace

std::span<const MushField> mushFields() { return kMushFields; }

double rangeOfMotionError(const Mesh& mesh, const Skeleton& skeleton, const DdmRows<float>& rows,
                          const DdmRows<float>& reference) {
    return RangeOfMotionMeasure(mesh, geometry::boundingDiagonal(mesh.positions), skeleton, reference).error(rows);
}

DdmPayload mush(const Character& character, const DdmSettings& settings, const MushTarget& target,
                const Progress& progress, MushReport* report) {
    progress.report("plan", 0);
    DdmPlan plan = planDdm(character, settings);
    deform::DdmPreparation preparation(character.mesh, plan.bind);
    preparation.update(plan.options, progress);

    DdmPayload payload;
    payload.variant = target.variant;
    payload.encoding = target.encoding;
    payload.settings = settings;
    payload.bind = std::move(plan.original);
    MushReport local;
    MushReport& found = report ? *report : local;
    const bool keep_all = settings.influences == 0 && target.encoding == DdmEncoding::float32;
    const std::size_t kept =
        keep_all ? 0 : chooseInfluences(character, preparation, settings, target.encoding, progress, found);
    payload.rows = reducedTo(contentOf(target.variant), preparation.rounded(kept));
    payload.expected_error = keep_all ? 0 : found.trials.back().error;
    found.influences = mostInfluences(payload.rows);
    return payload;
}

void mushCharacter(Character& character, const DdmSettings& settings, const MushTarget& target,
                   const Progress& progress, MushReport* report) {
    DdmPayload payload = mush(character, settings, target, progress, report);
    character.weights = withoutSmall(lowerToHeaviest(deform::plainWeights(payload.rows), kViewerInfluences));
    character.ddm = std::make_shared<const DdmPayload>(std::move(payload));
}

}  // namespace pelt::methods

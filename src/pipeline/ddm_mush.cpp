#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/deform/ddm.h>
#include <pelt/io/ddm_storage.h>
#include <pelt/pipeline/ddm.h>
#include <pelt/rig/range_of_motion.h>

#include <algorithm>
#include <cmath>

namespace pelt::pipeline {
namespace {

constexpr double kTolerance = 1e-4;  ///< of the diagonal: what pruning may cost by default
constexpr std::size_t kGrain = 2048;

double diagonalOf(const Mesh& mesh) {
    Vec3f low = mesh.positions.at(0), high = low;
    for (const Vec3f& p : mesh.positions) {
        low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    return length(high - low);
}

/// The poses of the range of motion, deformed by some rows; compared with others' rows.
class RangeOfMotionMeasure {
public:
    RangeOfMotionMeasure(const Mesh& mesh, const Skeleton& skeleton, const DdmRows<float>& reference)
        : mesh_(mesh), diagonal_(diagonalOf(mesh)), poses_(rig::rangeOfMotion(skeleton)) {
        const deform::DdmRig rig = deform::packDdm(mesh, reference, deform::DdmForm::v0);
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
                const Vec3f d = positions[v] - expected_[p][v];
                sum += double(dot(d, d));
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
        parallelFor(positions.size(), kGrain, [&](std::size_t first, std::size_t last) {
            deform::evaluate(rig, pose, {}, first, last - first, {positions, {}});
        });
        return positions;
    }

    const Mesh& mesh_;
    double diagonal_;
    std::vector<std::vector<Affine3f>> poses_;
    std::vector<std::vector<Vec3f>> expected_;
};

std::size_t mostInfluences(const DdmRows<float>& rows) {
    std::size_t most = 0;
    for (std::size_t v = 0; v < rows.vertexCount(); ++v) most = std::max(most, rows.influenceCount(v));
    return most;
}

/// Entries of equal ω by lower joint; they are sorted by ω already.
void sortTies(DdmRows<float>& rows, std::size_t v) {
    for (std::uint32_t e = rows.offsets[v] + 1; e < rows.offsets[v + 1]; ++e)
        for (std::uint32_t k = e;
             k > rows.offsets[v] && rows.blocks[k].w == rows.blocks[k - 1].w && rows.joints[k] < rows.joints[k - 1];
             --k) {
            std::swap(rows.joints[k], rows.joints[k - 1]);
            std::swap(rows.blocks[k], rows.blocks[k - 1]);
            std::swap(rows.psi[k], rows.psi[k - 1]);
        }
}

}  // namespace

DdmRows<float> toFloat(const DdmRows<double>& rows) {
    DdmRows<float> result;
    result.offsets = rows.offsets;
    result.joints = rows.joints;
    result.blocks.reserve(rows.blocks.size());
    for (const DdmBlock<double>& b : rows.blocks)
        result.blocks.push_back({float(b.xx), float(b.xy), float(b.xz), float(b.yy), float(b.yz), float(b.zz),
                                 float(b.x), float(b.y), float(b.z), float(b.w)});
    result.psi.assign(rows.psi.begin(), rows.psi.end());
    for (std::size_t v = 0; v < rows.vertexCount(); ++v) sortTies(result, v);
    result.centers.reserve(rows.centers.size());
    for (const Vec3d& c : rows.centers) result.centers.emplace_back(c);
    return result;
}

double rangeOfMotionError(const Mesh& mesh, const Skeleton& skeleton, const DdmRows<float>& rows,
                          const DdmRows<float>& reference) {
    return RangeOfMotionMeasure(mesh, skeleton, reference).error(rows);
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
    const DdmRows<float> all = toFloat(preparation.rows(0));
    const std::size_t most = mostInfluences(all);
    MushReport local;
    MushReport& told = report ? *report : local;
    if (settings.influences == 0 && target.encoding == DdmEncoding::float32) {
        payload.rows = all;
        payload.expected_error = 0;
    } else {
        progress.report("influences", 0);
        const RangeOfMotionMeasure measure(character.mesh, character.skeleton, all);
        const std::size_t first = settings.influences ? std::size_t(*settings.influences) : 2;
        for (std::size_t k = first;; ++k) {
            payload.rows = toFloat(preparation.rows(k));
            payload.expected_error = measure.error(io::asStored(payload.rows, target.encoding));
            told.trials.push_back({k, payload.expected_error});
            progress.report("influences", double(k) / double(most));
            if (settings.influences || payload.expected_error <= kTolerance || k >= most) break;
        }
    }
    told.influences = mostInfluences(payload.rows);
    return payload;
}

}  // namespace pelt::pipeline

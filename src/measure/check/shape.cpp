// What poses do to the shape, beside what the body would do: volume lost or gained, edges pulled apart, faces turned
// inside out. A plain skin does some of this at every bend, so these are warnings at most.
#include <pelt/deform/lbs.h>

#include <algorithm>
#include <cmath>

#include "surface.h"

namespace pelt::measure {
namespace {

constexpr double kThin = 0.4, kThick = 2.0;  // distance from the bone, over that in the reference
constexpr double kLong = 3;                  // length of an edge, over that in the reference and at rest
constexpr double kShortEdge = 0.1;           // of the mean edge: shorter ones are not looked at
constexpr std::size_t kLeastGroup = 6;

struct Shapes {
    std::vector<Vec3f> vertices, reference;
    std::vector<Vec3d> now, good;  ///< per point
};

/// The worst value of each point, and the pose in which it is.
struct Worst {
    std::vector<double> value;
    std::vector<std::uint32_t> pose;

    explicit Worst(std::size_t points) : value(points, 0), pose(points, 0) {}
    void hear(std::uint32_t p, double v, std::size_t at) {
        if (v > value[p]) value[p] = v, pose[p] = std::uint32_t(at);
    }
};

/// Marks points whose value is over `from` and tells each group of enough of them.
void tellGroups(CheckTools& tools, Flaw flaw, const Worst& worst, double from) {
    const CheckSurface& s = tools.surface;
    std::vector<bool> marked(s.count(), false);
    for (std::uint32_t p = 0; p < s.count(); ++p) marked[p] = worst.value[p] > from && !tools.taken[p];
    for (const auto& group : groupsOf(s, marked)) {
        if (group.size() < kLeastGroup || group.size() * 500 < s.count()) continue;
        Finding finding;
        finding.flaw = flaw;
        const auto most = *std::max_element(group.begin(), group.end(), [&](std::uint32_t a, std::uint32_t b) {
            return worst.value[a] < worst.value[b];
        });
        finding.pose = worst.pose[most];
        finding.value = worst.value[most];
        finding.limit = from;
        finding.most = Severity::warning;
        const std::vector<Row> rows = rowsOf(s, group);
        finding.joint = s.slot(commonJoint(rows));
        tell(tools, std::move(finding), group, rows, rows, "", false);
    }
}

}  // namespace

void findShapes(CheckTools tools, const SkinPoses& poses, const PoseShape& reference) {
    const CheckSurface& s = tools.surface;
    const Mesh& mesh = s.character->mesh;
    if (!reference) return;
    const deform::LbsRig rig = deform::prepareLbs(mesh, s.character->weights);
    Shapes shapes{std::vector<Vec3f>(mesh.vertexCount()), std::vector<Vec3f>(mesh.vertexCount()),
                  std::vector<Vec3d>(s.count()), std::vector<Vec3d>(s.count())};
    std::vector<std::vector<std::uint32_t>> faces(s.count());
    for (std::uint32_t f = 0; f < s.triangles.size(); ++f)
        for (const std::uint32_t p : s.triangles[f]) faces[p].push_back(f);
    Worst thin(s.count()), thick(s.count()), pulled(s.count()), flipped(s.count());
    const std::size_t clips = poses.count(kClipPoses), range = poses.count(kRangePoses);
    for (std::size_t i = 0; i < poses.count(); ++i) {
        if (i >= clips && i < clips + range / 2) continue;  // half of the range is what a body does every day
        const SkinPose at = poses.pose(i);
        poseSkin(rig, at.bones, {}, shapes.vertices);
        reference(at, {}, shapes.reference);
        for (std::size_t p = 0; p < s.count(); ++p) {
            shapes.now[p] = Vec3d(shapes.vertices[s.weld.representative[p]]);
            shapes.good[p] = Vec3d(shapes.reference[s.weld.representative[p]]);
        }
        for (std::uint32_t p = 0; p < s.count(); ++p) {
            for (const std::uint32_t q : s.around.of(p)) {
                const double rest = length(s.points[p] - s.points[q]);
                if (q < p || rest < kShortEdge * s.mean_edge) continue;
                const double now = length(shapes.now[p] - shapes.now[q]);
                const double good = std::max(length(shapes.good[p] - shapes.good[q]), rest);
                pulled.hear(p, now / good, i);
                pulled.hear(q, now / good, i);
            }
            const std::uint32_t home = s.home[p];
            if (home == kNone || s.rows[p].size() < 2) continue;
            const Affine3d bone(at.bones[s.joints.entries[home].first_slot]);
            const Affine3d back = inverse(bone);
            const double now = s.boneDistance(home, back * shapes.now[p]);
            const double rest = s.boneDistance(home, s.points[p]);
            if (rest < 0.01 * s.diagonal) continue;
            if (now < rest) thin.hear(p, rest / std::max(now, 1e-3 * rest), i);
            thick.hear(p, now / rest, i);
        }
        for (const Triangle& t : s.triangles) {
            const auto normal = [&](const std::vector<Vec3d>& x) {
                return cross(x[t[1]] - x[t[0]], x[t[2]] - x[t[0]]);
            };
            const Vec3d a = normal(shapes.now), b = normal(shapes.good);
            if (length(a) == 0 || length(b) == 0 || dot(normalized(a), normalized(b)) > -0.8) continue;
            for (const std::uint32_t p : t) flipped.hear(p, 2, i);
        }
    }
    tellGroups(tools, Flaw::collapse, thin, 1 / kThin);
    tellGroups(tools, Flaw::bulge, thick, kThick);
    tellGroups(tools, Flaw::stretch, pulled, kLong);
    tellGroups(tools, Flaw::flip, flipped, 1);
}

}  // namespace pelt::measure

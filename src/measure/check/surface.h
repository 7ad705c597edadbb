#pragma once

#include <pelt/geometry/adjacency.h>
#include <pelt/geometry/segments.h>
#include <pelt/geometry/weld.h>
#include <pelt/rig/joint_list.h>
#include <pelt/rig/mirror_joints.h>

#include "pelt/measure/skin_check.h"

namespace pelt::measure {

/// One joint of a row and its weight; rows are sorted by joint.
struct Share {
    std::uint32_t joint = 0;
    float weight = 0;
};
using Row = std::vector<Share>;

/// Adds to the weight of a joint, and puts the joints in order again.
void addTo(Row& row, std::uint32_t joint, float weight);
void sortRow(Row& row);
/// Half the sum of differences: 0 for equal rows, 1 for rows without a joint in common.
double rowDistance(const Row& a, const Row& b);
float weightIn(const Row& row, std::uint32_t joint);
/// The heaviest joint; kNone for an empty row.
std::uint32_t heaviest(const Row& row);
/// What averaging spreads over many joints goes back to the heavy ones: weights to a power.
void sharpen(Row& row, float power);
/// The mean of rows.
Row meanRow(std::span<const Row* const> rows);

inline constexpr std::uint32_t kNone = ~0u;
inline constexpr int kNoWay = 1 << 20;

/// A character as the detectors see it: one point per welded vertex, one row of weights per point, joints as users see
/// them (one per node).
struct CheckSurface {
    const Character* character = nullptr;
    geometry::Weld weld;
    geometry::Adjacency around;       ///< of the points
    std::vector<Triangle> triangles;  ///< over points
    std::vector<Vec3d> points;
    std::vector<std::vector<std::uint32_t>> copies;  ///< per point, its vertices
    std::vector<std::uint32_t> piece;                ///< per point, its connected piece
    std::vector<std::vector<std::uint32_t>> pieces;  ///< per piece, its points
    std::vector<Row> vertex_rows;                    ///< per vertex
    std::vector<Row> rows;                           ///< per point: the mean of its copies
    std::vector<std::uint32_t> home;                 ///< per point, the heaviest joint
    double diagonal = 1;
    double mean_edge = 0;

    rig::JointList joints;
    std::vector<std::int32_t> parents;                      ///< per joint, or -1
    std::vector<Vec3d> places;                              ///< per joint
    std::vector<std::vector<geometry::BoneSegment>> bones;  ///< per joint
    std::vector<std::uint32_t> twins;     ///< per joint: of the other side, itself in the middle, or kNone
    std::vector<std::uint32_t> mirrored;  ///< per point, the one at the mirrored place, or kNone; empty: not symmetric

    std::size_t count() const { return points.size(); }
    double boneDistance(std::uint32_t joint, const Vec3d& p) const;
    /// Joints between two in the tree; kNoWay in different trees.
    int hops(std::uint32_t a, std::uint32_t b) const;
    std::int32_t slot(std::uint32_t joint) const {
        return joint == kNone ? -1 : std::int32_t(joints.entries[joint].first_slot);
    }
    /// The joint that most others hang on.
    bool isRoot(std::uint32_t joint) const;
    bool isAbove(std::uint32_t above, std::uint32_t joint) const;
    std::vector<std::uint32_t> verticesOf(std::span<const std::uint32_t> chosen) const;
    std::int32_t partOf(std::uint32_t point) const;
};

CheckSurface makeCheckSurface(const Character& character);

/// The row with every joint replaced by its twin; empty if one has none.
Row twinRow(const CheckSurface& surface, const Row& row);

/// Evenly chosen points, a few hundred at most.
std::vector<std::uint32_t> thinned(const std::vector<std::uint32_t>& points);

/// Connected groups of the marked points.
std::vector<std::vector<std::uint32_t>> groupsOf(const CheckSurface& surface, const std::vector<bool>& marked);

/// Rows for some points that continue those around them as smoothly as edges allow; points without a way to others stay
/// empty.
std::vector<Row> filledRows(const CheckSurface& surface, std::span<const std::uint32_t> points,
                            const std::vector<bool>& unknown);

/// The rows of some points after some sweeps of averaging with those around them; points beside them stay as they are.
std::vector<Row> smoothedRows(const CheckSurface& surface, std::span<const std::uint32_t> points, int sweeps);
/// The points and some rings around them, ascending; those marked in `without` are left out.
std::vector<std::uint32_t> ringsAround(const CheckSurface& surface, std::span<const std::uint32_t> points, int rings,
                                       const std::vector<bool>& without);

/// Where points would be with other rows: sets `moved` and `pose` of the finding. `points` may be thinned.
class Motion {
public:
    Motion(const CheckSurface& surface, const SkinPoses& poses);
    void measure(std::span<const std::uint32_t> points, std::span<const Row> now, std::span<const Row> healthy,
                 Finding& finding) const;

private:
    const CheckSurface* surface_;
    std::vector<std::vector<Affine3f>> bones_;  ///< per pose, per joint of the list
    std::vector<std::size_t> index_;
};

struct CheckTools {
    const CheckSurface& surface;
    const Motion& motion;
    std::vector<Finding>& findings;
    std::vector<bool>& taken;  ///< per point: already in a finding of a more specific kind
};

/// What a detector says of some points; `healthy` are their rows as the body would have them. Completes the finding:
/// vertices, share, part, motion, remedies. `takes`: other detectors leave these points alone.
void tell(CheckTools& tools, Finding finding, std::span<const std::uint32_t> points, std::span<const Row> now,
          std::span<const Row> healthy, std::string_view by, bool takes = true);

/// The rows of points, and the most common heaviest joint of rows.
std::vector<Row> rowsOf(const CheckSurface& surface, std::span<const std::uint32_t> points);
std::uint32_t commonJoint(std::span<const Row> rows);

void findTorn(CheckTools tools);
void findMisplaced(CheckTools tools);
void findPieces(CheckTools tools);
void findNoise(CheckTools tools);
void findCreases(CheckTools tools);
void findBlur(CheckTools tools);
void findAsymmetry(CheckTools tools);
void findUnused(CheckTools tools);
void findShapes(CheckTools tools, const SkinPoses& poses, const PoseShape& reference);

}  // namespace pelt::measure

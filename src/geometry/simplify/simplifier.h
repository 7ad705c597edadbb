#pragma once

#include <pelt/geometry/simplify.h>

#include <limits>
#include <queue>
#include <utility>

#include "quadric.h"

namespace pelt::geometry {

/// One simplification: where its points, faces and prices are, and the collapses.
class Simplifier {
public:
    explicit Simplifier(const SimplifyInput& input);

    std::size_t alive() const { return alive_; }
    /// One collapse; false if nothing more can be removed.
    bool step();
    std::vector<Triangle> triangles() const;

private:
    struct Candidate {
        double cost = 0;
        std::uint32_t from = 0, to = 0, stamp = 0;
        bool operator<(const Candidate& o) const {  // the cheapest is on top of the heap
            return cost != o.cost ? cost > o.cost : from != o.from ? from > o.from : to > o.to;
        }
    };
    /// Sides of seams at a point that merge into those of its neighbor.
    using SideMap = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
    /// What a move costs, and the neighbor that it leads to.
    using Choice = std::pair<double, std::uint32_t>;
    /// Work space of one thread.
    struct Scratch {
        explicit Scratch(std::size_t points) : mark(points, 0) {}
        std::vector<std::uint32_t> mark;
        std::uint32_t last = 0;
        std::vector<std::uint32_t> around;
        SideMap map;
    };

    void normalizeShapes();
    void addFace(const Triangle& t);
    void limitMoves();
    void addFaceQuadrics();
    void addEdgeQuadrics();
    void holdEdge(std::size_t face, std::uint32_t a, std::uint32_t b, double weight);
    void lockIrregular(const std::vector<std::size_t>& edges, const std::vector<std::size_t>& open_edges);
    void scheduleAll();

    std::uint32_t point(std::uint32_t vertex) const { return input_.point_of[vertex]; }
    const Vec3d& at(std::uint32_t p, std::size_t shape) const { return places_[p * shapes_ + shape]; }
    bool has(std::uint32_t face, std::uint32_t p) const {
        const Triangle& t = face_points_[face];
        return t[0] == p || t[1] == p || t[2] == p;
    }
    std::uint32_t sideAt(std::uint32_t face, std::uint32_t p) const {
        const Triangle& t = face_points_[face];
        return input_.side_of[faces_[face][t[0] == p ? 0 : t[1] == p ? 1 : t[2] == p ? 2 : 0]];
    }
    std::uint32_t replacement(std::uint32_t vertex, std::uint32_t to, const SideMap& map) const;
    void findNeighbors(std::uint32_t p, Scratch& scratch) const;
    double cost(std::uint32_t from, std::uint32_t to) const;
    void price(std::uint32_t p, Scratch& scratch);
    void exchangeNeighbor(std::uint32_t p, std::uint32_t gone, std::uint32_t fresh);
    bool mapSides(std::uint32_t from, std::uint32_t to, SideMap& map) const;
    bool turnsOver(std::uint32_t from, std::uint32_t to, const SideMap& map) const;
    std::size_t commonNeighbors(std::uint32_t a, std::uint32_t b, Scratch& scratch) const;
    bool canCollapse(std::uint32_t from, std::uint32_t to, Scratch& scratch) const;
    bool findCheapest(std::uint32_t p, Scratch& scratch, Candidate& found) const;
    double disagreement(const Triangle& corners) const;
    double shadingCost(std::uint32_t from, std::uint32_t to) const;
    void schedule(std::uint32_t p);
    void collapse(std::uint32_t from, std::uint32_t to, const SideMap& map);

    static constexpr double kForbidden = std::numeric_limits<double>::infinity();
    static constexpr double kFineCounts = 0.75;  ///< from 0 (faces count by their area) to 1 (all faces count alike)
    static constexpr double kFarthest = 0.025;   ///< of the diagonal: a vertex may not move farther from its planes

    const SimplifyInput& input_;
    std::size_t shapes_, points_, alive_ = 0;
    std::vector<Vec3d> places_;  ///< by point, then shape: around the origin, of size 1
    std::vector<Triangle> faces_, face_points_;
    std::vector<bool> dead_;
    std::vector<std::vector<std::uint32_t>> faces_of_, copies_of_;  ///< per point: its faces, its vertices
    std::vector<bool> locked_, open_;                               ///< per point: stays; lies on an open edge
    std::vector<std::uint32_t> stamp_;
    std::vector<Vec3d> seen_;        ///< per point: its normal at rest
    double mean_area_ = 0;           ///< of the faces at rest, doubled
    std::vector<double> reach_;      ///< per point, squared: how far from its planes it may move at no extra cost
    std::vector<Quadric> quadrics_;  ///< by point, then shape
    /// Per point, its neighbors, the cheapest first. A price changes only with the planes and the reach of the point
    /// itself, so that a collapse prices the moves of one point anew. Former neighbors may be left: moves to them
    /// cannot be made.
    std::vector<std::vector<Choice>> choices_;
    std::priority_queue<Candidate> heap_;
    Scratch scratch_;
};

}  // namespace pelt::geometry

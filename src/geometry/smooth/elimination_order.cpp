// Geometric nested dissection: the vertices are divided recursively by planes perpendicular to an axis. The plane with
// the fewest vertices beside it is chosen, and these vertices (the separator) come last in the order. About eight times
// as fast as METIS, which uses only the edges, with a tenth more entries in the factor.
#include <pelt/core/parallel.h>
#include <pelt/geometry/local_smoothing.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace pelt::geometry {
namespace {

class Dissection {
public:
    Dissection(const Adjacency& edges, std::span<const Vec3f> positions)
        : edges_(edges),
          positions_(positions),
          order_(positions.size()),
          slab_(positions.size(), 0),
          range_(positions.size(), 0) {
        std::iota(order_.begin(), order_.end(), 0u);
    }

    std::vector<std::uint32_t> order() {
        cut(0, order_.size());
        return std::move(order_);
    }

private:
    static constexpr std::size_t kLeaf = 12;
    static constexpr std::size_t kSlabs = 256;
    static constexpr double kLeastShare = 0.35;  ///< of the vertices on either side
    static constexpr std::uint32_t kSeparator = ~std::uint32_t(0);

    /// The number of vertices in slabs below `slab`.
    struct Plane {
        int axis = -1;
        std::size_t slab = 0;
        double cost = std::numeric_limits<double>::infinity();
    };

    struct Box {
        Vec3d low, high;
        double extent(int axis) const { return high[axis] - low[axis]; }
        int longest() const {
            const int xy = extent(1) > extent(0) ? 1 : 0;
            return extent(2) > extent(xy) ? 2 : xy;
        }
    };

    std::span<std::uint32_t> vertices(std::size_t first, std::size_t last) {
        return std::span(order_).subspan(first, last - first);
    }

    /// Neighbors of v in the range that is being divided.
    template <class Visit>
    bool anyNeighbor(std::uint32_t v, std::uint32_t range, Visit visit) const {
        for (const std::uint32_t n : edges_.of(v))
            if (range_[n] == range && visit(n)) return true;
        return false;
    }

    Box boxOf(std::span<const std::uint32_t> some) const {
        Box box{Vec3d(positions_[some[0]]), Vec3d(positions_[some[0]])};
        for (const std::uint32_t v : some)
            for (int i = 0; i < 3; ++i) {
                box.low[i] = std::min<double>(box.low[i], positions_[v][i]);
                box.high[i] = std::max<double>(box.high[i], positions_[v][i]);
            }
        return box;
    }

    void fillSlabs(std::span<const std::uint32_t> some, const Box& box, int axis) {
        const double scale = double(kSlabs) / box.extent(axis);
        for (const std::uint32_t v : some)
            slab_[v] = std::uint8_t(std::min((positions_[v][axis] - box.low[axis]) * scale, double(kSlabs - 1)));
    }

    /// The plane perpendicular to the axis with the least cost: the size of the separator, increased by imbalance.
    Plane bestPlane(std::span<const std::uint32_t> some, std::uint32_t range, int axis) const {
        std::array<std::ptrdiff_t, kSlabs + 1> count{}, along{};
        for (const std::uint32_t v : some) {
            std::uint8_t lowest = slab_[v];
            anyNeighbor(v, range, [&](std::uint32_t n) {
                lowest = std::min(lowest, slab_[n]);
                return false;
            });
            ++count[slab_[v]];
            ++along[std::size_t(lowest) + 1];  // the planes above `lowest`, up to its own slab
            --along[std::size_t(slab_[v]) + 1];
        }
        Plane best;
        std::ptrdiff_t below = 0, separator = 0;
        for (std::size_t slab = 1; slab < kSlabs; ++slab) {
            below += count[slab - 1];
            separator += along[slab];
            const double off = std::abs(double(below) / double(some.size()) - 0.5);
            const double cost = double(separator + 1) * (1 + 2 * off);
            if (off <= 0.5 - kLeastShare && cost < best.cost) best = {axis, slab, cost};
        }
        return best;
    }

    auto before(int axis) const {
        return [this, axis](std::uint32_t a, std::uint32_t b) {
            const float x = positions_[a][axis], y = positions_[b][axis];
            return x != y ? x < y : a < b;
        };
    }

    Plane choosePlane(std::size_t first, std::size_t last, const Box& box) {
        const auto some = vertices(first, last);
        Plane best;
        for (int axis = 0; axis < 3; ++axis) {
            if (!(box.extent(axis) > 0.3 * box.extent(box.longest()))) continue;
            fillSlabs(some, box, axis);
            const Plane plane = bestPlane(some, std::uint32_t(first), axis);
            if (plane.cost < best.cost) best = plane;
        }
        if (best.axis >= 0) {
            fillSlabs(some, box, best.axis);
            return best;
        }
        // Most vertices are in one slab: divides them in halves, whatever the size of the separator.
        const auto middle = some.begin() + std::ptrdiff_t(some.size() / 2);
        std::nth_element(some.begin(), middle, some.end(), before(box.longest()));
        for (auto v = some.begin(); v != some.end(); ++v) slab_[*v] = v < middle ? 0 : 1;
        return {box.longest(), 1, 0};
    }

    /// Orders [first, last): vertices below the plane, then those above it that are not in the separator, then the
    /// separator.
    void cut(std::size_t first, std::size_t last) {
        if (last - first <= kLeaf) return;
        const auto some = vertices(first, last);
        for (const std::uint32_t v : some) range_[v] = std::uint32_t(first);
        const Box box = boxOf(some);
        const Plane plane = choosePlane(first, last, box);
        const auto above =
            std::partition(some.begin(), some.end(), [&](std::uint32_t v) { return slab_[v] < plane.slab; });
        const auto beside = std::partition(above, some.end(), [&](std::uint32_t v) {
            return !anyNeighbor(v, std::uint32_t(first), [&](std::uint32_t n) { return slab_[n] < plane.slab; });
        });
        for (auto v = beside; v != some.end(); ++v) range_[*v] = kSeparator;
        const int across = plane.axis == box.longest() ? (plane.axis + 1) % 3 : box.longest();
        std::sort(beside, some.end(), before(across));
        const std::size_t middle = first + std::size_t(above - some.begin());
        const std::size_t end = first + std::size_t(beside - some.begin());
        for (auto v = above; v != beside; ++v) range_[*v] = std::uint32_t(middle);
        constexpr std::size_t kTogether = 4096;
        parallelFor(2, last - first > kTogether ? 1 : 2, [&](std::size_t from, std::size_t to) {
            if (from == 0) cut(first, middle);
            if (to == 2) cut(middle, end);
        });
    }

    const Adjacency& edges_;
    std::span<const Vec3f> positions_;
    std::vector<std::uint32_t> order_;
    std::vector<std::uint8_t> slab_;    ///< per vertex, along the current axis
    std::vector<std::uint32_t> range_;  ///< per vertex, the start of the range that contains it
};

}  // namespace

std::vector<std::uint32_t> eliminationOrder(const Laplacian& laplacian, std::span<const Vec3f> positions) {
    return Dissection(laplacian.edges, positions).order();
}

}  // namespace pelt::geometry

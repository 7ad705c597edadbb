// Traces the outline of a figure in a picture by marching squares [LorensenCline87, in the plane], and the outline at a
// distance from it, from the exact distance transform of [Felzenszwalb12].
#include "outline.h"

#include <algorithm>
#include <limits>

namespace pelt::geometry::flat {
namespace {

constexpr std::size_t kLeastSide = 256, kMostSide = 1024, kBorder = 24;
constexpr double kMostWidening = kBorder - 4;  ///< in pixels of the traced picture
constexpr double kSpeckArea = 9;               ///< loops around less are dropped, in pixels of the traced picture,
constexpr double kSpeckShare = 5e-5;           ///< or around less than this share of the figure
constexpr float kCovered = 0.25F;              ///< the outline is where so much of a pixel is covered,
constexpr float kHalf = 0.5F;                  ///< and between pixels of a small picture where half of it is
constexpr float kNowhereNear = 1e9F;

double areaOf(const Loop& loop) {
    double twice = 0;
    for (std::size_t i = 0; i < loop.size(); ++i) twice += cross(loop[i], loop[(i + 1) % loop.size()]);
    return twice / 2;
}

/// Rounds the steps of pixels off; the shape of a short loop matters more.
void smooth(Loop& loop) {
    constexpr std::size_t kShort = 24;
    constexpr int kTimes = 3;
    if (loop.size() < kShort) return;
    for (int k = 0; k < kTimes; ++k) {
        const Loop from = loop;
        const std::size_t n = from.size();
        for (std::size_t i = 0; i < n; ++i)
            loop[i] = plus(times(from[i], 0.5), times(plus(from[(i + 1) % n], from[(i + n - 1) % n]), 0.25));
    }
}

/// The squared distance to the nearest zero of a line of squared distances: the lower envelope of parabolas.
void transformLine(std::vector<float>& line, std::vector<float>& from, std::vector<std::size_t>& at,
                   std::vector<float>& bounds) {
    from = line;
    const std::size_t n = line.size();
    std::size_t k = 0;
    at[0] = 0;
    bounds[0] = -kNowhereNear;
    bounds[1] = kNowhereNear;
    const auto meet = [&](std::size_t q, std::size_t p) {
        return ((from[q] + float(q * q)) - (from[p] + float(p * p))) / (2 * (float(q) - float(p)));
    };
    for (std::size_t q = 1; q < n; ++q) {
        float s = meet(q, at[k]);
        while (s <= bounds[k] && k > 0) s = meet(q, at[--k]);
        at[++k] = q;
        bounds[k] = s;
        bounds[k + 1] = kNowhereNear;
    }
    k = 0;
    for (std::size_t q = 0; q < n; ++q) {
        while (bounds[k + 1] < float(q)) ++k;
        const float d = float(q) - float(at[k]);
        line[q] = d * d + from[at[k]];
    }
}

/// The contour of a field at 0 as loops with what is above to the left.
class MarchingSquares {
public:
    MarchingSquares(const std::vector<float>& field, std::size_t width, std::size_t height)
        : field_(field), width_(width), height_(height), next_(2 * width * height, kNone) {}

    std::vector<Loop> loops() {
        for (std::size_t j = 0; j + 1 < height_; ++j)
            for (std::size_t i = 0; i + 1 < width_; ++i) addCell(i, j);
        std::vector<Loop> loops;
        for (std::uint32_t edge = 0; edge < next_.size(); ++edge) {
            if (next_[edge] == kNone) continue;
            Loop loop;
            for (std::uint32_t at = edge; next_[at] != kNone;) {
                loop.push_back(crossing(at));
                const std::uint32_t following = next_[at];
                next_[at] = kNone;
                at = following;
            }
            loops.push_back(std::move(loop));
        }
        return loops;
    }

private:
    static constexpr std::uint32_t kNone = ~std::uint32_t(0);

    float value(std::size_t i, std::size_t j) const { return field_[j * width_ + i]; }
    /// The edge to the right of a node, and the one below it.
    std::uint32_t across(std::size_t i, std::size_t j) const { return std::uint32_t(2 * (j * width_ + i)); }
    std::uint32_t down(std::size_t i, std::size_t j) const { return across(i, j) + 1; }

    /// Corners and edges of a cell are counted counterclockwise from the lower left and from below.
    void addCell(std::size_t i, std::size_t j) {
        const float corner[4] = {value(i, j + 1), value(i + 1, j + 1), value(i + 1, j), value(i, j)};
        const std::uint32_t edge[4] = {across(i, j + 1), down(i + 1, j), across(i, j), down(i, j)};
        bool in[4];
        for (int k = 0; k < 4; ++k) in[k] = corner[k] > 0;
        const bool saddle = in[0] == in[2] && in[1] == in[3] && in[0] != in[1];
        const bool joined = saddle && corner[0] + corner[1] + corner[2] + corner[3] > 0;
        for (int k = 0; k < 4; ++k) {
            if (!in[k] || in[(k + 1) % 4]) continue;  // the contour enters where the border leaves what is inside
            int m = k;
            if (joined)  // around the corner outside
                m = (k + 1) % 4;
            else  // around all corners inside
                while (in[m]) m = (m + 3) % 4;
            next_[edge[k]] = edge[m];
        }
    }

    Point crossing(std::uint32_t edge) const {
        const std::size_t node = edge / 2, i = node % width_, j = node / width_;
        const bool is_down = edge % 2 == 1;
        const float a = value(i, j), b = is_down ? value(i, j + 1) : value(i + 1, j);
        const double t = std::clamp(double(a) / (double(a) - double(b)), 0.02, 0.98);  // crossings stay apart
        return is_down ? Point{double(i), double(j) + t} : Point{double(i) + t, double(j)};
    }

    const std::vector<float>& field_;
    std::size_t width_, height_;
    std::vector<std::uint32_t> next_;  ///< by edge of the grid: where the contour goes on
};

/// The mean of blocks of pixels, or numbers between pixels.
std::vector<float> resampled(const Coverage& from, std::size_t shrink, std::size_t grow, std::size_t width,
                             std::size_t height) {
    std::vector<float> cover(width * height, 0.0F);
    const auto at = [&](std::size_t x, std::size_t y) { return double(from.values[y * from.width + x]); };
    for (std::size_t j = kBorder; j + kBorder < height; ++j)
        for (std::size_t i = kBorder; i + kBorder < width; ++i) {
            const std::size_t x = i - kBorder, y = j - kBorder;
            double sum = 0;
            if (grow == 1) {
                for (std::size_t v = y * shrink; v < std::min((y + 1) * shrink, from.height); ++v)
                    for (std::size_t u = x * shrink; u < std::min((x + 1) * shrink, from.width); ++u) sum += at(u, v);
                sum /= double(shrink * shrink);
            } else {
                const double u = std::clamp((double(x) + 0.5) / double(grow) - 0.5, 0.0, double(from.width - 1));
                const double v = std::clamp((double(y) + 0.5) / double(grow) - 0.5, 0.0, double(from.height - 1));
                const auto u0 = std::size_t(u), v0 = std::size_t(v);
                const std::size_t u1 = std::min(u0 + 1, from.width - 1), v1 = std::min(v0 + 1, from.height - 1);
                const double s = u - double(u0), t = v - double(v0);
                sum = (at(u0, v0) * (1 - s) + at(u1, v0) * s) * (1 - t) + (at(u0, v1) * (1 - s) + at(u1, v1) * s) * t;
            }
            cover[j * width + i] = float(sum / 255);
        }
    return cover;
}

}  // namespace

OutlineTracer::OutlineTracer(const Coverage& coverage) : picture_height_(double(coverage.height)) {
    const std::size_t side = std::max(coverage.width, coverage.height);
    const std::size_t shrink = (side + kMostSide - 1) / kMostSide, grow = std::max<std::size_t>(1, kLeastSide / side);
    width_ = (coverage.width * grow + shrink - 1) / shrink + 2 * kBorder;
    height_ = (coverage.height * grow + shrink - 1) / shrink + 2 * kBorder;
    pixel_ = double(shrink) / double(grow);
    covered_ = grow > 1 ? kHalf : kCovered;
    cover_ = resampled(coverage, shrink, grow, width_, height_);
    std::vector<float> field = cover_;
    for (float& value : field) value -= covered_;
    outline_ = traced(field);
    findDistances();
}

void OutlineTracer::findDistances() {
    distance_.resize(cover_.size());
    for (std::size_t i = 0; i < cover_.size(); ++i) distance_[i] = cover_[i] > covered_ ? 0 : kNowhereNear;
    const std::size_t most = std::max(width_, height_);
    std::vector<float> line, from, bounds(most + 1);
    std::vector<std::size_t> at(most);
    for (std::size_t i = 0; i < width_; ++i) {
        line.resize(height_);
        for (std::size_t j = 0; j < height_; ++j) line[j] = distance_[j * width_ + i];
        transformLine(line, from, at, bounds);
        for (std::size_t j = 0; j < height_; ++j) distance_[j * width_ + i] = line[j];
    }
    for (std::size_t j = 0; j < height_; ++j) {
        const auto row = distance_.begin() + std::ptrdiff_t(j * width_);
        line.assign(row, row + std::ptrdiff_t(width_));
        transformLine(line, from, at, bounds);
        // The figure ends half a pixel beyond the center of its last pixel.
        std::transform(line.begin(), line.end(), row, [](float d) { return std::sqrt(d) - 0.5F; });
    }
}

std::optional<Outline> OutlineTracer::widened(double distance) const {
    const auto by = float(std::min(distance / pixel_, kMostWidening));
    if (by < 1) return std::nullopt;
    std::vector<float> field(distance_.size());
    std::transform(distance_.begin(), distance_.end(), field.begin(), [&](float d) { return by - d; });
    Outline wider = traced(field);
    if (wider.islands != outline_.islands || wider.loops.size() != outline_.loops.size()) return std::nullopt;
    return wider;
}

Outline OutlineTracer::traced(const std::vector<float>& field) const {
    std::vector<Loop> loops = MarchingSquares(field, width_, height_).loops();
    for (Loop& loop : loops)
        for (Point& p : loop)
            p = {(p.x + 0.5 - double(kBorder)) * pixel_, picture_height_ - (p.y + 0.5 - double(kBorder)) * pixel_};
    std::vector<double> areas;
    double figure = 0;
    for (const Loop& loop : loops) {
        areas.push_back(areaOf(loop));
        figure += std::max(areas.back(), 0.0);
    }
    const double speck = std::max(kSpeckArea * pixel_ * pixel_, kSpeckShare * figure);
    Outline outline;
    for (std::size_t l = 0; l < loops.size(); ++l) {
        if (std::abs(areas[l]) < speck) continue;
        outline.area += areas[l];
        outline.islands += areas[l] > 0 ? 1 : 0;
        smooth(loops[l]);
        outline.loops.push_back(std::move(loops[l]));
    }
    return outline;
}

}  // namespace pelt::geometry::flat

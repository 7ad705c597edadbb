// Limbs of the biped as implicit surfaces: sections along a spline.
#include "biped_field.h"

#include <algorithm>
#include <cmath>

namespace pelt::scenes {
namespace {

Vec3d lower(const Vec3d& a, const Vec3d& b) { return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)}; }
Vec3d upper(const Vec3d& a, const Vec3d& b) { return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)}; }
Vec3d cube(double r) { return {r, r, r}; }

constexpr double Station::*kShape[5] = {&Station::cu, &Station::cv, &Station::ru, &Station::back, &Station::front};

/// Slopes of the C² cubic spline through (t_i, y_i) that is flat at both ends (Thomas' algorithm).
std::vector<double> splineSlopes(const std::vector<double>& t, const std::vector<double>& y) {
    const std::size_t n = t.size();
    std::vector<double> slope(n, 0.0), upper_diagonal(n, 0.0);
    for (std::size_t i = 1; i + 1 < n; ++i) {
        const double before = t[i] - t[i - 1], after = t[i + 1] - t[i];
        const double right = 3 * ((y[i] - y[i - 1]) * after / before + (y[i + 1] - y[i]) * before / after);
        const double pivot = 2 * (before + after) - after * upper_diagonal[i - 1];
        upper_diagonal[i] = before / pivot;
        slope[i] = (right - after * slope[i - 1]) / pivot;
    }
    for (std::size_t i = n - 1; i-- > 1;) slope[i] -= upper_diagonal[i] * slope[i + 1];
    return slope;
}

}  // namespace

double smoothMin(double a, double b, double k) {
    const double h = k > 0 ? std::max(k - std::abs(a - b), 0.0) / k : 0;
    return std::min(a, b) - h * h * h * k / 6;  // C²
}

RoundCone::RoundCone(const Vec3d& a, const Vec3d& b, double ra, double rb) : a_(a), b_(b), ra_(ra), rb_(rb) {
    length_ = length(b - a);
    axis_ = normalized(b - a, Vec3d(0, 1, 0));
    slope_ = length_ > 0 ? std::clamp((ra - rb) / length_, -1.0, 1.0) : 0;
}

double RoundCone::distance(const Vec3d& p) const {
    // In the half-plane through the axis the cone's side is a line at the angle asin(slope) to the axis; the nearest
    // ball center along the axis is where the perpendicular to that line starts.
    const Vec3d q = p - a_;
    const double along = dot(q, axis_);
    const double across = std::sqrt(std::max(dot(q, q) - along * along, 0.0));
    const double cosine = std::sqrt(1 - slope_ * slope_);
    const double foot = std::clamp(along + across * slope_ / std::max(cosine, 1e-9), 0.0, length_);
    const double radius = ra_ + (rb_ - ra_) * (length_ > 0 ? foot / length_ : 0);
    return std::sqrt((along - foot) * (along - foot) + across * across) - radius;
}

Vec3d RoundCone::low() const { return lower(a_ - cube(ra_), b_ - cube(rb_)); }
Vec3d RoundCone::high() const { return upper(a_ + cube(ra_), b_ + cube(rb_)); }

Ellipsoid::Ellipsoid(const Vec3d& center, const Vec3d& radii, const std::array<Vec3d, 3>& axes)
    : center_(center), radii_(radii), axes_(axes) {}

double Ellipsoid::distance(const Vec3d& p) const {
    const Vec3d q = p - center_;
    double gauge = 0, steep = 0;
    for (int i = 0; i < 3; ++i) {
        const double x = dot(q, axes_[i]) / radii_[i];
        gauge += x * x;
        steep += x * x / (radii_[i] * radii_[i]);
    }
    if (steep < 1e-12) return -std::min({radii_.x, radii_.y, radii_.z});
    gauge = std::sqrt(gauge);
    return gauge * (gauge - 1) / std::sqrt(steep);
}

Vec3d Ellipsoid::low() const { return center_ * 2.0 - high(); }

Vec3d Ellipsoid::high() const {
    Vec3d reach;
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 3; ++i) reach[k] += axes_[i][k] * axes_[i][k] * radii_[i] * radii_[i];
        reach[k] = std::sqrt(reach[k]);
    }
    return center_ + reach;
}

Loft::Loft(const Frame& frame, std::vector<Station> stations, double squareness, double cap_low, double cap_high)
    : frame_(frame),
      stations_(std::move(stations)),
      slopes_(stations_),
      squareness_(squareness),
      cap_low_(cap_low),
      cap_high_(cap_high) {
    std::vector<double> t, y(stations_.size());
    for (const Station& s : stations_) t.push_back(s.t);
    for (const auto member : kShape) {
        for (std::size_t i = 0; i < y.size(); ++i) y[i] = stations_[i].*member;
        const std::vector<double> slope = splineSlopes(t, y);
        for (std::size_t i = 0; i < y.size(); ++i) slopes_[i].*member = slope[i];
    }
    bound();
}

Station Loft::at(double t) const {
    std::size_t i = 0;
    while (i + 2 < stations_.size() && t > stations_[i + 1].t) ++i;
    const Station &a = stations_[i], &b = stations_[i + 1], &ma = slopes_[i], &mb = slopes_[i + 1];
    const double h = b.t - a.t, x = (t - a.t) / h, y = 1 - x;
    const double wa = y * y * (1 + 2 * x), wb = x * x * (1 + 2 * y), va = h * x * y * y, vb = -h * x * x * y;
    const auto blend = [&](double Station::*m) { return wa * a.*m + wb * b.*m + va * ma.*m + vb * mb.*m; };
    return {t, blend(kShape[0]), blend(kShape[1]), blend(kShape[2]), blend(kShape[3]), blend(kShape[4])};
}

double Loft::distance(const Vec3d& p) const {
    const Vec3d q = p - frame_.origin;
    const double t = dot(q, frame_.axis);
    const Station s = at(std::clamp(t, stations_.front().t, stations_.back().t));
    const double beyond = t - s.t, cap = beyond < 0 ? cap_low_ : cap_high_;
    const double dv = dot(q, frame_.v) - s.cv, rv = dv < 0 ? s.back : s.front;
    const double x = (dot(q, frame_.u) - s.cu) / s.ru, y = dv / rv, w = beyond / cap;

    // The oval through (x, y) is c² − (x² + y²) c + squareness x² y² = 0, solved for c = (size of the oval)².
    const double xx = x * x, yy = y * y, sum = xx + yy;
    const double root = std::sqrt(std::max(sum * sum - 4 * squareness_ * xx * yy, 0.0));
    const double c = 0.5 * (sum + root), all = c + w * w;
    if (all < 1e-6) return -std::min(s.ru, rv);
    // dc/dx² = (c − squareness y²) / root; where both terms vanish the oval is at its corner and the slope is 1.
    const double cx = root > 1e-12 ? (c - squareness_ * yy) / root : 1;
    const double cy = root > 1e-12 ? (c - squareness_ * xx) / root : 1;
    const double gu = cx * x / s.ru, gv = cy * y / rv, gw = w / cap;
    const double gauge = std::sqrt(all), steep = std::sqrt(gu * gu + gv * gv + gw * gw) / gauge;
    return (gauge - 1) / std::max(steep, 1e-9);
}

void Loft::bound() {
    const double first = stations_.front().t, last = stations_.back().t;
    constexpr int kSamples = 200;
    low_ = cube(std::numeric_limits<double>::max());
    high_ = -low_;
    for (int i = 0; i <= kSamples; ++i) {
        const Station s = at(first + (last - first) * i / kSamples);
        const double t = i == 0 ? s.t - cap_low_ : i == kSamples ? s.t + cap_high_ : s.t;
        for (int corner = 0; corner < 8; ++corner) {
            const Vec3d p = frame_.origin + frame_.axis * (corner & 4 ? t : s.t) +
                            frame_.u * (s.cu + (corner & 1 ? s.ru : -s.ru)) +
                            frame_.v * (s.cv + (corner & 2 ? s.front : -s.back));
            low_ = lower(low_, p);
            high_ = upper(high_, p);
        }
    }
}

Vec3d Loft::low() const { return low_; }
Vec3d Loft::high() const { return high_; }

}  // namespace pelt::scenes

#pragma once

#include <pelt/core/vec.h>

#include <array>
#include <limits>
#include <string>
#include <vector>

namespace pelt::scenes {

/// A solid, the building block of a body. Distances are first-order: exact on the surface, good near it.
class Solid {
public:
    virtual ~Solid() = default;
    virtual double distance(const Vec3d& p) const = 0;
    virtual Vec3d low() const = 0;
    virtual Vec3d high() const = 0;
};

class RoundCone : public Solid {
public:
    /// The hull of two balls.
    RoundCone(const Vec3d& a, const Vec3d& b, double ra, double rb);
    double distance(const Vec3d& p) const override;
    Vec3d low() const override;
    Vec3d high() const override;

private:
    Vec3d a_, b_, axis_;
    double ra_, rb_, length_, slope_;
};

class Ellipsoid : public Solid {
public:
    /// `axes` are orthonormal; `radii` are measured along them.
    Ellipsoid(const Vec3d& center, const Vec3d& radii, const std::array<Vec3d, 3>& axes);
    Ellipsoid(const Vec3d& center, const Vec3d& radii)
        : Ellipsoid(center, radii, {Vec3d(1, 0, 0), Vec3d(0, 1, 0), Vec3d(0, 0, 1)}) {}
    double distance(const Vec3d& p) const override;
    Vec3d low() const override;
    Vec3d high() const override;

private:
    Vec3d center_, radii_;
    std::array<Vec3d, 3> axes_;
};

/// A cross-section of a loft at `t` along its axis: an oval around (cu, cv) with the half width `ru` along u, and the
/// depths `back` and `front` in the directions -v and +v.
struct Station {
    double t, cu, cv, ru, back, front;
};

/// Ovals along an axis, interpolated by a cubic spline in every parameter and closed by half an ellipsoid at both ends.
class Loft : public Solid {
public:
    struct Frame {
        Vec3d origin, axis, u, v;
    };
    /// `squareness` from 0 (ellipse) to 1 (rectangle); the caps extend `cap_low` and `cap_high` beyond the end
    /// stations.
    Loft(const Frame& frame, std::vector<Station> stations, double squareness, double cap_low, double cap_high);
    double distance(const Vec3d& p) const override;
    Vec3d low() const override;
    Vec3d high() const override;

private:
    Station at(double t) const;
    void bound();

    Frame frame_;
    std::vector<Station> stations_, slopes_;
    double squareness_, cap_low_, cap_high_;
    Vec3d low_, high_;
};

/// The smaller of two distances, rounded off where they differ by less than `k`; equal to it elsewhere.
double smoothMin(double a, double b, double k);

}  // namespace pelt::scenes

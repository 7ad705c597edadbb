#pragma once

#include <pelt/core/vec.h>

namespace pelt::geometry {

/// The sum of squared distances to planes, each with a weight [GarlandHeckbert97].
struct Quadric {
    double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0, x = 0, y = 0, z = 0, c = 0;

    /// The plane through `point` with the unit normal `n`.
    void addPlane(const Vec3d& n, const Vec3d& point, double weight) {
        const double d = -dot(n, point);
        xx += weight * n.x * n.x;
        xy += weight * n.x * n.y;
        xz += weight * n.x * n.z;
        yy += weight * n.y * n.y;
        yz += weight * n.y * n.z;
        zz += weight * n.z * n.z;
        x += weight * n.x * d;
        y += weight * n.y * d;
        z += weight * n.z * d;
        c += weight * d * d;
    }
    void add(const Quadric& o) {
        xx += o.xx;
        xy += o.xy;
        xz += o.xz;
        yy += o.yy;
        yz += o.yz;
        zz += o.zz;
        x += o.x;
        y += o.y;
        z += o.z;
        c += o.c;
    }
    double at(const Vec3d& p) const {
        const double sum = p.x * (xx * p.x + 2 * (xy * p.y + xz * p.z + x)) + p.y * (yy * p.y + 2 * (yz * p.z + y)) +
                           p.z * (zz * p.z + 2 * z) + c;
        return sum > 0 ? sum : 0;  // rounding
    }
};

}  // namespace pelt::geometry

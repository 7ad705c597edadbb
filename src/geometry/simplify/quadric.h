#pragma once

#include <pelt/core/vec.h>

namespace pelt::geometry {

/// The sum of squared distances to planes, each with a weight [GarlandHeckbert97].
struct Quadric {
    double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0, x = 0, y = 0, z = 0, c = 0;
    double weight = 0;  ///< of all planes

    /// The plane through `point` with the unit normal `n`.
    void addPlane(const Vec3d& n, const Vec3d& point, double w) {
        const double d = -dot(n, point);
        xx += w * n.x * n.x;
        xy += w * n.x * n.y;
        xz += w * n.x * n.z;
        yy += w * n.y * n.y;
        yz += w * n.y * n.z;
        zz += w * n.z * n.z;
        x += w * n.x * d;
        y += w * n.y * d;
        z += w * n.z * d;
        c += w * d * d;
        weight += w;
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
        weight += o.weight;
    }
    double at(const Vec3d& p) const {
        const double sum = p.x * (xx * p.x + 2 * (xy * p.y + xz * p.z + x)) + p.y * (yy * p.y + 2 * (yz * p.z + y)) +
                           p.z * (zz * p.z + 2 * z) + c;
        return sum > 0 ? sum : 0;  // rounding
    }
};

}  // namespace pelt::geometry

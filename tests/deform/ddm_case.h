#pragma once

#include <pelt/deform/ddm.h>

#include "ddm_rows.h"
#include "deform/ddm/ddm_reference.h"
#include "skin_case.h"

namespace pelt::deform {

constexpr DdmForm kDdmForms[] = {DdmForm::ddm, DdmForm::v0, DdmForm::v1, DdmForm::v1_printed,
                                 DdmForm::v2,  DdmForm::v3, DdmForm::v4, DdmForm::eddm};

inline std::string nameOf(DdmForm form) {
    constexpr const char* kNames[] = {"ddm", "v0", "v1", "v1_printed", "v2", "v3", "v4", "eddm"};
    return kNames[int(form)];
}

/// A skin case with rows like those of smoothing: each vertex averages a patch of points around it, spread over the
/// joints of its weights.
struct DdmCase {
    SkinCase skin;
    DdmRows<double> exact;
    DdmRows<float> rows;  ///< `exact`, rounded
};

enum class Patch { round, flat };

inline DdmCase makeDdmCase(std::size_t vertices, std::size_t joints, std::size_t influences, Bones kind,
                           std::uint64_t seed = 1, Patch patch = Patch::round, double alpha = 0.5) {
    DdmCase c{makeCase(vertices, joints, influences, kind, seed), {}, {}};
    Random random(seed + 77);
    for (std::size_t v = 0; v < vertices; ++v) {
        const auto named = c.skin.weights.jointsOf(v);
        const auto weights = c.skin.weights.weightsOf(v);
        const Vec3d n = random.direction();
        // Points of every joint, with weights that sum to the joint's part in the rotation.
        struct Point {
            std::size_t of;
            double weight;
            Vec3d at;
        };
        std::vector<Point> points;
        double total = 0;
        for (std::size_t i = 0; i < named.size(); ++i)
            for (int k = 0; k < 4; ++k) {
                const double w = random.between(0.1, 1);
                Vec3d offset = random.direction() * 0.2;
                if (patch == Patch::flat) offset -= n * dot(offset, n);
                points.push_back({i, w, Vec3d(c.skin.mesh.positions[v]) + offset});
                total += w;
            }
        Vec3d p;
        for (Point& point : points) p += point.at * (point.weight /= total);
        std::vector<DdmBlock<double>> blocks(named.size());
        std::vector<double> psi(named.size());
        for (const Point& point : points) {
            const Vec3d d = point.at - p;
            const double w = point.weight * (1 - alpha);
            DdmBlock<double>& b = blocks[point.of];
            b = {b.xx + w * d.x * d.x, b.xy + w * d.x * d.y,
                 b.xz + w * d.x * d.z, b.yy + w * d.y * d.y,
                 b.yz + w * d.y * d.z, b.zz + w * d.z * d.z,
                 b.x + w * d.x,        b.y + w * d.y,
                 b.z + w * d.z,        b.w + w};
            psi[point.of] += point.weight;
        }
        for (std::size_t i = 0; i < named.size(); ++i) blocks[i].w += alpha * double(weights[i]);
        std::vector<std::size_t> order(named.size());
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return blocks[a].w > blocks[b].w || (blocks[a].w == blocks[b].w && named[a] < named[b]);
        });
        double sum = 0;
        for (const auto& b : blocks) sum += b.w;
        for (const std::size_t i : order) {
            blocks[i].w /= sum;
            c.exact.joints.push_back(named[i]);
            c.exact.blocks.push_back(blocks[i]);
            c.exact.psi.push_back(psi[i]);
        }
        if (named.size() == 1) c.exact.blocks.back().x = c.exact.blocks.back().y = c.exact.blocks.back().z = 0;
        c.exact.offsets.push_back(std::uint32_t(c.exact.joints.size()));
        c.exact.centers.push_back(p);
    }
    c.rows = toFloat(c.exact);
    return c;
}

/// One form, packed and posed for a case, behind one call.
class DdmSkinner {
public:
    DdmSkinner(DdmForm form, const DdmCase& c) : DdmSkinner(form, c.skin.mesh, c.rows, c.skin.bones) {}
    DdmSkinner(DdmForm form, const Mesh& mesh, const DdmRows<float>& rows, std::span<const Affine3f> bones)
        : rig_(packDdm(mesh, rows, form)), pose_(rig_), count_(mesh.vertexCount()) {
        pose_.set(bones);
    }

    void evaluate(const RestShape& rest, std::size_t first, std::size_t count, const Output& out) const {
        deform::evaluate(rig_, pose_, rest, first, count, out);
    }

    Posed all(const RestShape& rest = {}) const {
        Posed posed{std::vector<Vec3f>(count_), std::vector<Vec3f>(count_)};
        evaluate(rest, 0, count_, {posed.positions, posed.normals});
        return posed;
    }

private:
    DdmRig rig_;
    DdmPose pose_;
    std::size_t count_;
};

inline PosedDouble ddmReference(DdmForm form, const Mesh& mesh, const DdmRows<double>& rows,
                                const std::vector<Affine3d>& bones) {
    const auto positions = castAll<Vec3d>(mesh.positions), normals = castAll<Vec3d>(mesh.normals);
    PosedDouble posed{positions, normals};
    reference::ddm<double>(form, {positions, normals}, rows, bones, {posed.positions, posed.normals});
    return posed;
}

/// The expected results of the kernel, from the rounded rows.
inline PosedDouble ddmReference(DdmForm form, const DdmCase& c) {
    return ddmReference(form, c.skin.mesh, toDouble(c.rows), castAll<Affine3d>(c.skin.bones));
}

}  // namespace pelt::deform

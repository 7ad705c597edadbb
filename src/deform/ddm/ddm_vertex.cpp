// One row of Direct Delta Mush in the form of blocks; the formulas are in ddm_layout.h.
#include "ddm_vertex.h"

#include <pelt/core/error.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "runtime/layout/ddm_forms.h"

namespace pelt::deform {
namespace {

bool finite(const DdmBlock<float>& b) {
    const float numbers[] = {b.xx, b.xy, b.xz, b.yy, b.yz, b.zz, b.x, b.y, b.z, b.w};
    return std::all_of(std::begin(numbers), std::end(numbers), [](float x) { return std::isfinite(x); });
}

/// The joint that sums start from: the heaviest by ω, or by ψ in v2 to v4, where it determines the signs of
/// quaternions.
std::size_t baseOf(const DdmRows<float>& rows, std::size_t v, DdmForm form) {
    const bool by_psi = !runtime::hasCovariance(form);
    const auto weight = [&](std::size_t e) { return by_psi ? rows.psi[e] : rows.blocks[e].w; };
    std::size_t best = rows.offsets[v];
    for (std::size_t e = best + 1; e < rows.offsets[v + 1]; ++e)
        if (weight(e) > weight(best) || (weight(e) == weight(best) && rows.joints[e] < rows.joints[best])) best = e;
    return best;
}

Vec3d chiOf(const DdmBlock<float>& b) { return {b.x, b.y, b.z}; }

Mat3d covarianceOf(const DdmBlock<double>& b) { return {{{b.xx, b.xy, b.xz}, {b.xy, b.yy, b.yz}, {b.xz, b.yz, b.zz}}}; }

/// T(-s) Ω' T(-s)^T
DdmBlock<double> shifted(const DdmBlock<float>& b, const Vec3d& s) {
    const double w = b.w;
    const Vec3d c = chiOf(b);
    const auto moved = [&](double value, int k, int l) { return value - s[k] * c[l] - c[k] * s[l] + w * s[k] * s[l]; };
    return {moved(b.xx, 0, 0), moved(b.xy, 0, 1), moved(b.xz, 0, 2), moved(b.yy, 1, 1), moved(b.yz, 1, 2),
            moved(b.zz, 2, 2), c.x - w * s.x,     c.y - w * s.y,     c.z - w * s.z,     w};
}

}  // namespace

DdmVertex makeDdmVertex(const DdmRows<float>& rows, std::size_t v, DdmForm form, const Vec3f& origin) {
    const std::size_t first = rows.offsets[v], last = rows.offsets[v + 1], base = baseOf(rows, v, form);
    DdmVertex out;
    out.index = static_cast<std::uint32_t>(v);
    out.base = rows.joints[base];
    Vec3d chi;
    for (std::size_t e = first; e < last; ++e) chi += chiOf(rows.blocks[e]);
    out.center = Vec3d(rows.centers[v]) + chi - Vec3d(origin);
    out.covariance = Mat3d{{{}, {}, {}}};
    std::vector<std::size_t> order;
    for (std::size_t e = first; e < last; ++e) {
        out.covariance = out.covariance + covarianceOf(shifted(rows.blocks[e], chi));
        if (e != base) order.push_back(e);
    }
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return rows.joints[a] < rows.joints[b]; });
    for (const std::size_t e : order) {
        out.joints.push_back(rows.joints[e]);
        out.blocks.push_back(shifted(rows.blocks[e], chi));
        out.psi.push_back(rows.psi[e]);
    }
    if (order.empty())
        out.kind = DdmKind::followed;
    else if (runtime::hasInverse(form) && runtime::isFlat(out.covariance))
        out.kind = DdmKind::flat;
    return out;
}

void checkDdmRows(const Mesh& rest, const DdmRows<float>& rows) {
    const std::size_t n = rest.vertexCount();
    if (rows.vertexCount() != n || rows.offsets.size() != n + 1)
        throw Error::badInput("the mushed skin has " + std::to_string(rows.vertexCount()) + " vertices, the mesh has " +
                              std::to_string(n) + ": mush this mesh again");
    if (!rest.normals.empty() && rest.normals.size() != n)
        throw Error::badInput("the mesh has " + std::to_string(n) + " positions but " +
                              std::to_string(rest.normals.size()) + " normals");
    const std::size_t entries = rows.joints.size();
    if (rows.offsets.front() != 0 || rows.offsets.back() != entries || rows.blocks.size() != entries ||
        rows.psi.size() != entries || !std::is_sorted(rows.offsets.begin(), rows.offsets.end()))
        throw Error::badInput("the mushed skin is inconsistent: its offsets do not match its joints and blocks");
    for (std::size_t v = 0; v < n; ++v) {
        const std::string vertex = "vertex " + std::to_string(v) + " of the mushed skin ";
        if (rows.influenceCount(v) == 0) throw Error::badInput(vertex + "has no joint: mush the mesh again");
        bool sound = isFinite(rows.centers[v]) && isFinite(rest.positions[v]);
        for (std::size_t e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e)
            sound = sound && finite(rows.blocks[e]) && std::isfinite(rows.psi[e]);
        if (!sound) throw Error::badInput(vertex + "has a number that is not finite: mush the mesh again");
    }
}

}  // namespace pelt::deform

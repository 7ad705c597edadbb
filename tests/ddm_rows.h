#pragma once

#include <pelt/core/mesh.h>
#include <pelt/geometry/smoothing.h>
#include <pelt/rig/ddm_payload.h>

#include <algorithm>
#include <numeric>

namespace pelt {

/// Parameters of [LeLewis19] §3.4; maps are per vertex and multiply, empty: 1.
struct PlainDdm {
    geometry::LaplacianKind laplacian = geometry::LaplacianKind::uniform;
    int iterations = 20;
    double lambda = 2, kappa = 0.2, alpha = 0.5;
    std::vector<double> lambda_map, kappa_map, alpha_map;
};

/// Eqs. 6b, 11 and 12 evaluated literally, with every joint in every row: the rows without pruning. No welding, no
/// connected parts.
inline DdmRows<double> plainDdmRows(const Mesh& mesh, const SkinWeights& bind, std::size_t joints,
                                    const PlainDdm& options) {
    const std::size_t n = mesh.vertexCount();
    const geometry::Laplacian laplacian = geometry::makeLaplacian(options.laplacian, mesh.positions, mesh.triangles);
    std::vector<double> psi(n * joints * 10), weights(n * joints);
    const auto channel = [&](std::size_t joint, int c, std::size_t v) -> double& {
        return psi[(joint * 10 + c) * n + v];
    };
    for (std::size_t v = 0; v < n; ++v)
        for (std::size_t i = 0; i < bind.influenceCount(v); ++i) {
            const std::size_t j = bind.jointsOf(v)[i];
            const double w = bind.weightsOf(v)[i];
            const Vec3d u(mesh.positions[v]);
            const double values[10] = {u.x * u.x, u.x * u.y, u.x * u.z, u.y * u.y, u.y * u.z,
                                       u.z * u.z, u.x,       u.y,       u.z,       1};
            for (int c = 0; c < 10; ++c) channel(j, c, v) = w * values[c];
            weights[j * n + v] = w;
        }
    geometry::ImplicitSmoother(laplacian, mesh.positions, options.lambda, options.lambda_map)
        .smooth(psi, options.iterations);
    geometry::ImplicitSmoother(laplacian, mesh.positions, options.kappa, options.kappa_map)
        .smooth(weights, options.iterations);

    DdmRows<double> rows;
    for (std::size_t v = 0; v < n; ++v) {
        Vec3d p;
        for (std::size_t j = 0; j < joints; ++j) p += Vec3d{channel(j, 6, v), channel(j, 7, v), channel(j, 8, v)};
        const double alpha = options.alpha * (options.alpha_map.empty() ? 1 : options.alpha_map[v]);
        std::vector<DdmBlock<double>> blocks(joints);
        for (std::size_t j = 0; j < joints; ++j) {
            const auto psi_at = [&](int c) { return channel(j, c, v); };
            const double w = psi_at(9), b = 1 - alpha;
            const Vec3d chi{psi_at(6), psi_at(7), psi_at(8)};
            const auto centered = [&](int c, int k, int l) {
                return b * (psi_at(c) - p[k] * chi[l] - chi[k] * p[l] + w * p[k] * p[l]);
            };
            blocks[j] = {centered(0, 0, 0),     centered(1, 0, 1),
                         centered(2, 0, 2),     centered(3, 1, 1),
                         centered(4, 1, 2),     centered(5, 2, 2),
                         b * (chi.x - w * p.x), b * (chi.y - w * p.y),
                         b * (chi.z - w * p.z), b * w + alpha * weights[j * n + v]};
        }
        std::vector<std::uint32_t> order(joints);
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](auto a, auto c) { return blocks[a].w > blocks[c].w; });
        for (const std::uint32_t j : order) {
            if (blocks[j].w == 0) continue;
            rows.joints.push_back(j);
            rows.blocks.push_back(blocks[j]);
            rows.psi.push_back(channel(j, 9, v));
        }
        rows.offsets.push_back(static_cast<std::uint32_t>(rows.joints.size()));
        rows.centers.push_back(p);
    }
    return rows;
}

inline DdmRows<float> toFloat(const DdmRows<double>& rows) {
    DdmRows<float> out;
    out.offsets = rows.offsets;
    out.joints = rows.joints;
    for (const DdmBlock<double>& b : rows.blocks)
        out.blocks.push_back({float(b.xx), float(b.xy), float(b.xz), float(b.yy), float(b.yz), float(b.zz), float(b.x),
                              float(b.y), float(b.z), float(b.w)});
    out.psi.assign(rows.psi.begin(), rows.psi.end());
    for (const Vec3d& p : rows.centers) out.centers.emplace_back(p);
    return out;
}

inline DdmRows<double> toDouble(const DdmRows<float>& rows) {
    DdmRows<double> out;
    out.offsets = rows.offsets;
    out.joints = rows.joints;
    for (const DdmBlock<float>& b : rows.blocks)
        out.blocks.push_back({b.xx, b.xy, b.xz, b.yy, b.yz, b.zz, b.x, b.y, b.z, b.w});
    out.psi.assign(rows.psi.begin(), rows.psi.end());
    for (const Vec3f& p : rows.centers) out.centers.emplace_back(p);
    return out;
}

}  // namespace pelt

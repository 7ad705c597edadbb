// Makes payloads whose numbers are known.
#include "payload_maker.h"

#include <algorithm>
#include <cmath>

namespace pelt::io::test {
namespace {

using Block = DdmBlock<double>;

void add(Block& to, const Vec3d& u, double s) {
    to.xx += s * u.x * u.x, to.xy += s * u.x * u.y, to.xz += s * u.x * u.z;
    to.yy += s * u.y * u.y, to.yz += s * u.y * u.z, to.zz += s * u.z * u.z;
    to.x += s * u.x, to.y += s * u.y, to.z += s * u.z, to.w += s;
}

struct Candidate {
    std::uint32_t joint;
    Block block;
    double psi;
};

DdmBlock<float> divided(const Block& b, double s) {
    const auto f = [&](double x) { return static_cast<float>(x / s); };
    return {f(b.xx), f(b.xy), f(b.xz), f(b.yy), f(b.yz), f(b.zz), f(b.x), f(b.y), f(b.z), f(b.w)};
}

}  // namespace

std::shared_ptr<DdmPayload> makePayload(const Character& c, double radius, std::size_t influences) {
    auto payload = std::make_shared<DdmPayload>();
    DdmRows<float>& rows = payload->rows;
    const std::size_t joints = c.skeleton.joints.size();
    for (std::size_t v = 0; v < c.mesh.vertexCount(); ++v) {
        const Vec3d here(c.mesh.positions[v]);
        // Sums over the neighborhood about the vertex itself, then about the center of what is kept.
        std::vector<Candidate> row(joints);
        for (std::uint32_t j = 0; j < joints; ++j) row[j].joint = j;
        for (std::size_t k = 0; k < c.mesh.vertexCount(); ++k) {
            const Vec3d d = Vec3d(c.mesh.positions[k]) - here;
            const double near = std::exp(-dot(d, d) / (radius * radius));
            const double wide = std::exp(-dot(d, d) / (2.25 * radius * radius));
            if (wide < 1e-6) continue;
            for (std::size_t i = 0; i < c.weights.influenceCount(k); ++i) {
                Candidate& to = row[c.weights.jointsOf(k)[i]];
                add(to.block, d, near * double(c.weights.weightsOf(k)[i]));
                to.psi += wide * double(c.weights.weightsOf(k)[i]);
            }
        }
        std::stable_sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.block.w > b.block.w; });
        row.resize(std::min(influences, row.size()));
        std::erase_if(row, [](const Candidate& e) { return e.block.w < 1e-7 || e.psi < 1e-7; });
        double omega = 0, psi = 0;
        Vec3d center{};
        for (const Candidate& e : row) {
            omega += e.block.w, psi += e.psi;
            center += Vec3d{e.block.x, e.block.y, e.block.z};
        }
        center = center / omega;
        // In single precision ties come up that were none.
        std::stable_sort(row.begin(), row.end(), [&](const auto& a, const auto& b) {
            const auto wa = static_cast<float>(a.block.w / omega), wb = static_cast<float>(b.block.w / omega);
            return wa != wb ? wa > wb : a.joint < b.joint;
        });
        for (Candidate& e : row) {
            Block& b = e.block;
            const Vec3d m{b.x, b.y, b.z};
            const auto shifted = [&](double old, double mi, double mj, double ci, double cj) {
                return old - mi * cj - ci * mj + b.w * ci * cj;
            };
            b = {shifted(b.xx, m.x, m.x, center.x, center.x),
                 shifted(b.xy, m.x, m.y, center.x, center.y),
                 shifted(b.xz, m.x, m.z, center.x, center.z),
                 shifted(b.yy, m.y, m.y, center.y, center.y),
                 shifted(b.yz, m.y, m.z, center.y, center.z),
                 shifted(b.zz, m.z, m.z, center.z, center.z),
                 m.x - b.w * center.x,
                 m.y - b.w * center.y,
                 m.z - b.w * center.z,
                 b.w};
            rows.joints.push_back(e.joint);
            rows.blocks.push_back(divided(b, omega));
            rows.psi.push_back(static_cast<float>(e.psi / psi));
        }
        rows.offsets.push_back(static_cast<std::uint32_t>(rows.joints.size()));
        rows.centers.push_back(Vec3f(here + center));
    }
    payload->bind = c.weights;
    payload->settings.iterations = 20;
    payload->settings.lambda = 0.1;
    payload->settings.kappa_map.kind = DdmMap::Kind::radius;
    payload->settings.joint_alpha = {{"hüfte", 0.25}};
    payload->settings.exclude = {"eyes"};
    payload->settings.influences = static_cast<int>(influences);
    payload->settings.weld = 0.001F;
    payload->expected_error = 1.25e-5;
    return payload;
}

std::shared_ptr<DdmPayload> makePlainPayload(const Character& c) {
    auto payload = std::make_shared<DdmPayload>();
    payload->rows.offsets = c.weights.offsets;
    payload->rows.joints = c.weights.joints;
    payload->rows.psi = c.weights.weights;
    for (const float w : c.weights.weights) payload->rows.blocks.push_back({w, 0, 0, w, 0, w, 0, 0, 0, w});
    payload->rows.centers = c.mesh.positions;
    payload->bind = c.weights;
    return payload;
}

std::shared_ptr<DdmPayload> makeFittedPayload(const Character& c) {
    auto payload = std::make_shared<DdmPayload>();
    payload->variant = DdmVariant::v5;
    payload->fitted = true;
    DdmRows<float>& rows = payload->rows;
    const auto joints = std::uint32_t(c.skeleton.joints.size());
    for (std::uint32_t v = 0; v < c.mesh.vertexCount(); ++v) {
        const float most = 1 + float(v % 7) / 4;
        const auto add = [&](std::uint32_t joint, float weight) {
            DdmBlock<float> block;
            block.w = weight;
            rows.joints.push_back(joint);
            rows.blocks.push_back(block);
            rows.psi.push_back(weight);
        };
        add(v % joints, most);
        if (most > 1) add((v + 1) % joints, 1 - most);
        rows.endRow(rows.joints.size());
    }
    rows.content = DdmContent::plain;
    rows.centers.resize(c.mesh.vertexCount());
    return payload;
}

Character mushed(Character c, DdmEncoding encoding, double radius) {
    auto payload = makePayload(c, radius);
    payload->encoding = encoding;
    c.ddm = payload;
    return c;
}

Json& payloadOf(Json& json, std::size_t mesh, std::size_t primitive) {
    return json["meshes"][mesh]["primitives"][primitive]["extensions"][kPayloadExtension];
}

GlbMaker makeTwoParts() {
    GlbMaker maker = makeStrip();
    Json& primitives = maker.json["meshes"][0]["primitives"];
    const Json second = primitives[0];
    primitives.push_back(second);
    return maker;
}

}  // namespace pelt::io::test

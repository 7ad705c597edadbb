// A reader of the payload, written from its documentation alone.
#include <gtest/gtest.h>
#include <pelt/deform/ddm.h>
#include <pelt/io/character_file.h>
#include <pelt/io/ddm_storage.h>
#include <pelt/methods/ddm.h>
#include <pelt/rig/clip.h>
#include <pelt/scenes/scenes.h>

#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

/// A reader and evaluator written from docs/payload.md alone, with nothing of the library.
namespace by_hand {
namespace {

using Json = nlohmann::json;
using Vec = std::array<double, 3>;
struct Mat {
    Vec column[4];  // the last one is the translation
};

Vec operator+(const Vec& a, const Vec& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Vec operator*(const Vec& a, double s) { return {a[0] * s, a[1] * s, a[2] * s}; }
double dot(const Vec& a, const Vec& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vec cross(const Vec& a, const Vec& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Vec turned(const Mat& m, const Vec& v) { return m.column[0] * v[0] + m.column[1] * v[1] + m.column[2] * v[2]; }

template <class T>
T at(const char* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}
Vec vecAt(const char* bytes) { return {at<float>(bytes), at<float>(bytes + 4), at<float>(bytes + 8)}; }

/// Turns `r` until it is nearest to `s`, each time about Σ r_k × s_k by its length over |Σ r_k · s_k|.
void turnTowards(const Mat& s, Mat& r) {
    for (int step = 0; step < 200; ++step) {
        Vec axis = {0, 0, 0};
        double along = 0;
        for (int k = 0; k < 3; ++k) {
            axis = axis + cross(r.column[k], s.column[k]);
            along += dot(r.column[k], s.column[k]);
        }
        const double angle = std::sqrt(dot(axis, axis)) / (std::abs(along) + 1e-30);
        if (angle < 1e-12) return;
        axis = axis * (1 / std::sqrt(dot(axis, axis)));
        for (Vec& v : r.column)
            v = v * std::cos(angle) + cross(axis, v) * std::sin(angle) + axis * (dot(axis, v) * (1 - std::cos(angle)));
    }
}

struct Block {
    double n[10];  // xx xy xz yy yz zz x y z w
    std::size_t joint;
};

Block blockAt(const char* vertex, const char* entry, bool q16, double omega_sum) {
    Block b{{}, q16 ? at<std::uint16_t>(entry) : at<std::uint32_t>(entry)};
    for (int i = 0; i < 10; ++i)
        b.n[i] = !q16    ? double(at<float>(entry + 4 + i * 4))
                 : i < 9 ? std::ldexp(at<std::int16_t>(entry + 4 + i * 2), at<std::int8_t>(vertex + (i < 6 ? 14 : 15)))
                         : at<std::uint16_t>(entry + 22) / omega_sum;
    return b;
}

/// The vertices of a primitive under v0; `bones` take rest space to posed space, one per joint of the skin.
std::vector<Vec> evaluate(const std::string& glb, std::size_t mesh, std::size_t number, const std::vector<Mat>& bones) {
    const std::size_t length = at<std::uint32_t>(glb.data() + 12);
    const Json json = Json::parse(glb.substr(20, length));
    const Json& primitive = json["meshes"][mesh]["primitives"][number];
    const Json& ddm = primitive["extensions"]["PELT_direct_delta_mush"];
    const Json& position = json["accessors"][primitive["attributes"]["POSITION"].get<std::size_t>()];
    const auto data = [&](const Json& object, const char* offset) {
        const Json& view = json["bufferViews"][object["bufferView"].get<std::size_t>()];
        return glb.data() + 28 + length + view.value("byteOffset", 0) + object.value(offset, 0);
    };
    const char *rest = data(position, "byteOffset"), *vertex = data(ddm, "vertexOffset");
    const char* entry = data(ddm, "entryOffset");
    const bool q16 = ddm["encoding"] == "q16";
    std::vector<Vec> out;
    for (std::size_t v = 0; v < position["count"]; ++v, vertex += 16, rest += 12) {
        const std::size_t count = q16 ? at<std::uint16_t>(vertex + 12) : at<std::uint32_t>(vertex + 12);
        double omega_sum = 0;
        for (std::size_t e = 0; e < count && q16; ++e) omega_sum += at<std::uint16_t>(entry + e * 24 + 22);
        const Vec p = vecAt(vertex);
        Mat s{}, r = bones[blockAt(vertex, entry, q16, 1).joint];
        Vec q{}, chi_sum{};
        for (std::size_t e = 0; e < count; ++e, entry += q16 ? 24 : 48) {
            const auto [n, joint] = blockAt(vertex, entry, q16, omega_sum);
            const Vec w[3] = {{n[0], n[1], n[2]}, {n[1], n[3], n[4]}, {n[2], n[4], n[5]}}, chi = {n[6], n[7], n[8]};
            const Vec c = turned(bones[joint], p) + bones[joint].column[3];
            for (int k = 0; k < 3; ++k) s.column[k] = s.column[k] + turned(bones[joint], w[k]) + c * chi[k];
            q = q + turned(bones[joint], chi) + c * n[9];
            chi_sum = chi_sum + chi;
        }
        for (int k = 0; k < 3; ++k) s.column[k] = s.column[k] + q * -chi_sum[k];
        if (count > 1) turnTowards(s, r);
        out.push_back(q + turned(r, vecAt(rest) + (p + chi_sum) * -1));
    }
    return out;
}

}  // namespace
}  // namespace by_hand

namespace pelt::test {
namespace {

/// Made once for all tests.
const Character& mushedScene(const std::string& name) {
    static std::map<std::string, Character> made;
    const auto [known, is_new] = made.try_emplace(name);
    Character& c = known->second;
    if (!is_new) return c;
    c = scenes::find(name)->make(1200);
    DdmSettings settings;
    settings.influences = 4;
    c.ddm = std::make_shared<DdmPayload>(methods::mush(c, settings));
    return c;
}

Character withEncoding(Character c, DdmEncoding encoding) {
    auto payload = std::make_shared<DdmPayload>(*c.ddm);
    payload->encoding = encoding;
    c.ddm = payload;
    return c;
}

std::vector<Vec3f> byLibrary(const Character& c, std::span<const Affine3f> bones) {
    const deform::DdmRig rig = deform::packDdm(c.mesh, c.ddm->rows, deform::DdmForm::v0);
    deform::DdmPose pose(rig);
    pose.set(bones);
    std::vector<Vec3f> positions(c.mesh.vertexCount());
    deform::evaluate(rig, pose, {}, 0, positions.size(), {positions, {}});
    return positions;
}

/// All parts of the file, in the library's order.
std::vector<by_hand::Vec> byHand(const std::string& glb, const Mesh& mesh, std::span<const Affine3f> bones) {
    std::vector<by_hand::Mat> plain(bones.size());
    for (std::size_t j = 0; j < bones.size(); ++j)
        for (std::size_t i = 0; i < 12; ++i) plain[j].column[i / 3][i % 3] = double(bones[j].m[i / 3 * 4 + i % 3]);
    std::vector<by_hand::Vec> out;
    std::size_t primitive = 0;
    for (std::size_t i = 0; i < mesh.parts.size(); ++i) {
        primitive = i > 0 && mesh.parts[i].instance == mesh.parts[i - 1].instance ? primitive + 1 : 0;
        const auto more = by_hand::evaluate(glb, mesh.parts[i].instance, primitive, plain);
        out.insert(out.end(), more.begin(), more.end());
    }
    return out;
}

TEST(PayloadByHand, AReaderFromThePageAloneAgreesWithTheLibrary) {
    for (const char* scene : {"bar", "biped"}) {
        const Character& made = mushedScene(scene);
        for (const DdmEncoding encoding : {DdmEncoding::float32, DdmEncoding::q16}) {
            SCOPED_TRACE(scene);
            const std::vector<std::byte> bytes = io::toGlb(withEncoding(made, encoding));
            const std::string glb(reinterpret_cast<const char*>(bytes.data()), bytes.size());
            const Character c = io::loadGltf(bytes, "mushed.glb").character;
            ASSERT_TRUE(c.ddm);
            for (const double share : {0.35, 0.8}) {
                const Clip& clip = c.clips.at(0);
                const auto bones = rig::skinMatrices(c.skeleton, &clip, clip.first_key + share * clip.seconds());
                const auto mine = byHand(glb, c.mesh, bones);
                const auto theirs = byLibrary(c, bones);
                ASSERT_EQ(mine.size(), theirs.size());
                double worst = 0, moved = 0;
                for (std::size_t v = 0; v < mine.size(); ++v) {
                    worst = std::max(worst, length(Vec3d{mine[v][0], mine[v][1], mine[v][2]} - Vec3d(theirs[v])));
                    moved = std::max(moved, double(length(theirs[v] - c.mesh.positions[v])));
                }
                EXPECT_LT(worst, 1e-5);
                EXPECT_GT(moved, 0.1);
            }
        }
    }
}

TEST(PayloadByHand, RoundingTo16BitsCostsUnderAMillionthOfTheDiagonal) {
    for (const char* scene : {"bar", "biped"}) {
        const Character& c = mushedScene(scene);
        const DdmRows<float> stored = io::asStored(c.ddm->rows, DdmEncoding::q16);
        const double error = methods::rangeOfMotionError(c.mesh, c.skeleton, stored, c.ddm->rows);
        EXPECT_LT(error, 2e-6) << scene;
        EXPECT_GT(error, 0) << scene;
    }
}

}  // namespace
}  // namespace pelt::test

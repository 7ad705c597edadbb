// A player of .glb animations that shares no code with Pelt.
#include "glb_player.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

using Json = nlohmann::json;

GlbPlayer::GlbPlayer(const GlbFile& file, std::size_t animation)
    : file_(file), animation_(file.json.at("animations").at(animation)) {
    const Json& nodes = file.json.at("nodes");
    parent_.assign(nodes.size(), -1);
    for (std::size_t n = 0; n < nodes.size(); ++n) {
        for (const Json& child : nodes[n].value("children", Json::array())) parent_[child] = int(n);
        if (nodes[n].contains("mesh")) mesh_node_ = n;
    }
    for (const Json& sampler : animation_.at("samplers")) {
        EXPECT_EQ(sampler.value("interpolation", "LINEAR"), "LINEAR");
        const std::vector<float> times = file.floats(sampler.at("input"));
        if (times_.empty()) times_ = times;
        EXPECT_EQ(times, times_) << "channels with keys of their own";
    }
}

std::vector<double> GlbPlayer::keyed(std::size_t node, const char* path, std::size_t key) const {
    for (const Json& channel : animation_.at("channels")) {
        if (channel["target"]["node"] != node || channel["target"]["path"] != path) continue;
        const std::size_t output = animation_["samplers"][channel["sampler"].get<std::size_t>()]["output"];
        const std::vector<float> values = file_.floats(output);
        const std::size_t width = values.size() / times_.size();
        return {values.begin() + std::ptrdiff_t(key * width), values.begin() + std::ptrdiff_t((key + 1) * width)};
    }
    return {};
}

GlbPlayer::Matrix GlbPlayer::local(std::size_t node, std::size_t key) const {
    const Json& json = file_.json["nodes"][node];
    EXPECT_FALSE(json.contains("matrix"));
    const auto value = [&](const char* path, std::vector<double> otherwise) {
        const std::vector<double> numbers = keyed(node, path, key);
        return numbers.empty() ? json.value(path, otherwise) : numbers;
    };
    const std::vector<double> t = value("translation", {0, 0, 0}), q = value("rotation", {0, 0, 0, 1}),
                              s = value("scale", {1, 1, 1});
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    EXPECT_NEAR(x * x + y * y + z * z + w * w, 1, 1e-5);
    return {(1 - 2 * (y * y + z * z)) * s[0],
            2 * (x * y + z * w) * s[0],
            2 * (x * z - y * w) * s[0],
            0,
            2 * (x * y - z * w) * s[1],
            (1 - 2 * (x * x + z * z)) * s[1],
            2 * (y * z + x * w) * s[1],
            0,
            2 * (x * z + y * w) * s[2],
            2 * (y * z - x * w) * s[2],
            (1 - 2 * (x * x + y * y)) * s[2],
            0,
            t[0],
            t[1],
            t[2],
            1};
}

GlbPlayer::Matrix GlbPlayer::product(const Matrix& a, const Matrix& b) {
    Matrix c{};
    for (std::size_t column = 0; column < 4; ++column)
        for (std::size_t row = 0; row < 4; ++row)
            for (std::size_t k = 0; k < 4; ++k) c[column * 4 + row] += a[k * 4 + row] * b[column * 4 + k];
    return c;
}

GlbPlayer::Matrix GlbPlayer::world(std::size_t node, std::size_t key) const {
    const Matrix own = local(node, key);
    return parent_[node] < 0 ? own : product(world(std::size_t(parent_[node]), key), own);
}

std::vector<GlbPlayer::Point> GlbPlayer::morphed(std::size_t key) const {
    const Json& primitive = file_.primitive();
    const std::vector<float> base = file_.floats(primitive["attributes"]["POSITION"]);
    std::vector<Point> points(base.size() / 3);
    for (std::size_t i = 0; i < base.size(); ++i) points[i / 3][i % 3] = base[i];
    const std::vector<double> weights = keyed(mesh_node_, "weights", key);
    const Json targets = primitive.value("targets", Json::array());
    EXPECT_EQ(weights.size(), targets.size());
    for (std::size_t m = 0; m < targets.size(); ++m) {
        const std::vector<float> offsets = file_.floats(targets[m]["POSITION"]);
        for (std::size_t i = 0; i < offsets.size(); ++i) points[i / 3][i % 3] += weights[m] * offsets[i];
    }
    return points;
}

std::vector<unsigned> GlbPlayer::integers(std::size_t accessor) const {
    const std::string bytes = file_.bytes(accessor);
    std::vector<unsigned> values;
    const bool wide = file_.json["accessors"][accessor]["componentType"] == 5123;
    for (std::size_t i = 0; i < bytes.size(); i += wide ? 2 : 1) {
        const unsigned low = static_cast<unsigned char>(bytes[i]);
        values.push_back(wide ? low + 256 * static_cast<unsigned char>(bytes[i + 1]) : low);
    }
    return values;
}

std::vector<GlbPlayer::Point> GlbPlayer::pose(std::size_t key) const {
    const Json& skin = file_.json["skins"][file_.json["nodes"][mesh_node_].at("skin").get<std::size_t>()];
    const std::vector<float> binds = file_.floats(skin.at("inverseBindMatrices"));
    std::vector<Matrix> bones;
    for (std::size_t j = 0; j < skin["joints"].size(); ++j) {
        Matrix bind;
        std::copy_n(binds.begin() + std::ptrdiff_t(16 * j), 16, bind.begin());
        bones.push_back(product(world(skin["joints"][j], key), bind));
    }
    const std::vector<Point> rest = morphed(key);
    std::vector<Point> posed(rest.size(), Point{});
    const Json& attributes = file_.primitive()["attributes"];
    for (int set = 0; attributes.contains("JOINTS_" + std::to_string(set)); ++set) {
        const std::vector<unsigned> joints = integers(attributes["JOINTS_" + std::to_string(set)]);
        const std::vector<float> weights = file_.floats(attributes["WEIGHTS_" + std::to_string(set)]);
        for (std::size_t i = 0; i < weights.size(); ++i) {
            const Matrix& bone = bones.at(joints[i]);
            const Point& p = rest[i / 4];
            for (std::size_t row = 0; row < 3; ++row)
                posed[i / 4][row] += double(weights[i]) *
                                     (bone[row] * p[0] + bone[4 + row] * p[1] + bone[8 + row] * p[2] + bone[12 + row]);
        }
    }
    return posed;
}

// Another reader of glTF reads what Pelt writes.
#include "compressed_maker.h"
#include "shared_data.h"

#define TINYGLTF_NO_STB_IMAGE
#define TINYGLTF_NO_STB_IMAGE_WRITE
#include <gtest/gtest.h>
#include <tiny_gltf.h>

/// An independent reader must find in Pelt's files what Pelt put there.
namespace pelt::io::test {
namespace {

tinygltf::Model readTiny(const std::vector<std::byte>& glb) {
    tinygltf::TinyGLTF loader;
    loader.SetImageLoader([](auto...) { return true; }, nullptr);
    tinygltf::Model model;
    std::string fault, warning;
    const bool good =
        loader.LoadBinaryFromMemory(&model, &fault, &warning, reinterpret_cast<const unsigned char*>(glb.data()),
                                    static_cast<unsigned>(glb.size()));
    EXPECT_TRUE(good) << fault;
    return model;
}

/// A tightly packed accessor, component by component.
std::vector<double> numbersOf(const tinygltf::Model& model, int index) {
    const tinygltf::Accessor& accessor = model.accessors.at(static_cast<std::size_t>(index));
    const tinygltf::BufferView& view = model.bufferViews.at(static_cast<std::size_t>(accessor.bufferView));
    const unsigned char* data = model.buffers.at(static_cast<std::size_t>(view.buffer)).data.data();
    const std::size_t width =
        static_cast<std::size_t>(tinygltf::GetNumComponentsInType(static_cast<unsigned>(accessor.type)));
    const auto stride = static_cast<std::size_t>(accessor.ByteStride(view));
    std::vector<double> out;
    for (std::size_t i = 0; i < accessor.count; ++i)
        for (std::size_t c = 0; c < width; ++c) {
            const unsigned char* at = data + view.byteOffset + accessor.byteOffset + i * stride;
            float number = 0;
            std::uint16_t word = 0;
            if (accessor.componentType == TINYGLTF_COMPONENT_TYPE_FLOAT) std::memcpy(&number, at + 4 * c, 4);
            if (accessor.componentType == TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT) std::memcpy(&word, at + 2 * c, 2);
            if (accessor.componentType == TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE) word = at[c];
            out.push_back(accessor.componentType == TINYGLTF_COMPONENT_TYPE_FLOAT ? number : word);
        }
    return out;
}

/// Compares positions, weights, inverse binds and keys of a file whose first skin lists the character's joints in
/// order.
void compare(const Character& c, const tinygltf::Model& model) {
    ASSERT_FALSE(model.skins.empty());
    const std::vector<double> binds = numbersOf(model, model.skins[0].inverseBindMatrices);
    ASSERT_EQ(binds.size(), c.skeleton.joints.size() * 16);
    // A loaded character is in the space in which it moves; its file may use another.
    const Affine3d space = c.source && !c.from_file.empty() ? c.from_file.front() : Affine3d{};
    for (std::size_t i = 0; i < binds.size(); ++i)
        EXPECT_NEAR(binds[i], (c.skeleton.joints[i / 16].inverse_bind * space).m[i % 16], 1e-6);
    std::size_t part = 0;
    for (const tinygltf::Node& node : model.nodes) {
        if (node.mesh < 0 || node.skin < 0) continue;
        for (const tinygltf::Primitive& primitive : model.meshes[static_cast<std::size_t>(node.mesh)].primitives) {
            const std::vector<double> positions = numbersOf(model, primitive.attributes.at("POSITION"));
            const std::size_t first = c.mesh.parts[part].first_vertex;
            ASSERT_EQ(positions.size(), c.mesh.parts[part].vertex_count * 3U);
            std::vector<std::map<int, double>> rows(c.mesh.parts[part].vertex_count);
            for (int set = 0; primitive.attributes.count("JOINTS_" + std::to_string(set)) > 0; ++set) {
                const auto joints = numbersOf(model, primitive.attributes.at("JOINTS_" + std::to_string(set)));
                const auto weights = numbersOf(model, primitive.attributes.at("WEIGHTS_" + std::to_string(set)));
                for (std::size_t i = 0; i < joints.size(); ++i)
                    if (weights[i] > 0) rows[i / 4][static_cast<int>(joints[i])] += weights[i];
            }
            for (std::size_t v = 0; v < rows.size(); ++v) {
                const Vec3d p = space * Vec3d{positions[v * 3], positions[v * 3 + 1], positions[v * 3 + 2]};
                EXPECT_EQ(float(p.y), c.mesh.positions[first + v].y);
                ASSERT_EQ(rows[v].size(), c.weights.influenceCount(first + v));
                for (std::size_t i = 0; i < rows[v].size(); ++i)
                    EXPECT_EQ(float(rows[v][static_cast<int>(c.weights.jointsOf(first + v)[i])]),
                              c.weights.weightsOf(first + v)[i]);
            }
            ++part;
        }
    }
    EXPECT_EQ(part, c.mesh.parts.size());
    ASSERT_EQ(model.animations.size(), c.clips.size());
    for (std::size_t a = 0; a < c.clips.size(); ++a) {
        ASSERT_EQ(model.animations[a].channels.size(), c.clips[a].channels.size());
        for (std::size_t k = 0; k < c.clips[a].channels.size(); ++k) {
            const auto& channel = model.animations[a].channels[k];
            const auto& sampler = model.animations[a].samplers[static_cast<std::size_t>(channel.sampler)];
            const auto times = numbersOf(model, sampler.input), values = numbersOf(model, sampler.output);
            EXPECT_TRUE(std::equal(times.begin(), times.end(), c.clips[a].channels[k].times.begin(),
                                   c.clips[a].channels[k].times.end()));
            EXPECT_EQ(values.size(), c.clips[a].channels[k].values.size());
        }
    }
}

SkinWeights shuffledWeights(const Character& c) {
    SkinWeights weights;
    for (std::size_t v = 0; v < c.weights.vertexCount(); ++v) {
        std::vector<std::uint32_t> joints;
        std::vector<float> values;
        for (std::size_t k = 0; k < 6; ++k) {
            joints.push_back(static_cast<std::uint32_t>((v * 7 + k * 3) % c.skeleton.joints.size()));
            values.push_back(static_cast<float>(1 + (v * 13 + k * 5) % 29));
        }
        appendVertex(weights, joints, values);
    }
    return weights;
}

TEST(TinyGltf, ReadsWhatPeltMadeAndEdited) {
    for (const GlbMaker& maker : {makeStrip(), makeMeshoptStrip(), makeDracoStrip()}) {
        Character c = maker.load();
        c.weights = shuffledWeights(c);
        compare(c, readTiny(toGlb(c)));
        c.source = nullptr;
        compare(c, readTiny(toGlb(c)));
    }
}

TEST(TinyGltf, ReadsEditedRealCharacters) {
    PELT_NEEDS_SHARED("data/rigged/khronos");
    for (const char* name : {"khronos/CesiumMan/glTF-Binary/CesiumMan.glb", "khronos/Fox/glTF-Binary/Fox.glb",
                             "khronos/RiggedFigure/glTF/RiggedFigure.gltf", "webxr-hand/left.glb"}) {
        Character c = loadCharacter(sharedPath("data/rigged") / name).character;
        c.weights = shuffledWeights(c);
        compare(c, readTiny(toGlb(c)));
    }
}

}  // namespace
}  // namespace pelt::io::test

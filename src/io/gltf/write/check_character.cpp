// Checks the sizes and indices of a character before it is written.
#include <fmt/format.h>
#include <pelt/core/error.h>

#include <algorithm>

#include "io/gltf/payload/ddm_records.h"
#include "io/gltf/payload/driven_joints.h"
#include "write_new.h"

namespace pelt::io::gltf {
namespace {

[[noreturn]] void refuse(const std::string& fault) {
    throw Error::badUsage("the character cannot be written: " + fault);
}

bool isFiniteMatrix(const Affine3d& matrix) {
    return std::all_of(std::begin(matrix.m), std::end(matrix.m), [](double x) { return std::isfinite(x); });
}

void checkSkeleton(const Skeleton& skeleton) {
    for (std::size_t n = 0; n < skeleton.nodes.size(); ++n) {
        const SkeletonNode& node = skeleton.nodes[n];
        if (node.parent >= static_cast<std::int32_t>(n) || node.parent < -1)
            refuse(fmt::format("node {} has the parent {}, which must come before it", n, node.parent));
        if (!isFiniteMatrix(rig::restLocal(node))) refuse(fmt::format("node {} has no finite transform", n));
    }
    for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
        if (skeleton.joints[j].node >= skeleton.nodes.size())
            refuse(fmt::format("joint {} uses node {} of {}", j, skeleton.joints[j].node, skeleton.nodes.size()));
        if (!isFiniteMatrix(skeleton.joints[j].inverse_bind))
            refuse(fmt::format("joint {} has no finite inverse bind matrix", j));
    }
    if (skeleton.joints.size() > 65535) refuse("more than 65535 joints");
}

void checkRows(const SkinWeights& weights, const Character& character, const char* what) {
    if (weights.vertexCount() != character.mesh.vertexCount())
        refuse(fmt::format("{} rows {}for {} vertices", weights.vertexCount(), what, character.mesh.vertexCount()));
    if (character.skeleton.joints.empty()) refuse("it has weights but no joints");
    for (std::size_t v = 0; v < weights.vertexCount(); ++v)
        for (std::size_t i = 0; i < weights.influenceCount(v); ++i) {
            if (weights.jointsOf(v)[i] >= character.skeleton.joints.size())
                refuse(fmt::format("vertex {} uses joint {} of {}", v, weights.jointsOf(v)[i],
                                   character.skeleton.joints.size()));
            const float w = weights.weightsOf(v)[i];
            if (!(w > 0) || !std::isfinite(w)) refuse(fmt::format("vertex {} has the weight {}", v, w));
        }
}

void checkWeights(const Character& character) {
    const SkinWeights& weights = character.weights;
    if (weights.vertexCount() == 0 && weights.empty()) return;
    checkRows(weights, character, "of weights ");
}

void checkPayload(const Character& character) {
    if (!character.ddm) return;
    const DdmPayload& payload = *character.ddm;
    const auto fail = [](const std::string& fault) { refuse("the Direct Delta Mush payload: " + fault); };
    if (character.weights.empty()) fail("plain skin weights, which viewers without support for it need, are missing");
    const std::size_t vertices = character.mesh.vertexCount();
    if (payload.rows.vertexCount() != vertices)
        fail(fmt::format("{} rows for {} vertices", payload.rows.vertexCount(), vertices));
    if (const std::string fault = rowsFault(payload.rows, character.skeleton.joints.size()); !fault.empty())
        fail(fault);
    if (!holds(payload.rows.content, contentOf(payload.variant)))
        fail("its rows lack numbers that its variant reads; mush again");
    if (payload.fitted && (payload.variant != DdmVariant::v5 || payload.encoding != DdmEncoding::float32))
        fail("a fitted skin has the variant v5 in floats");
    if (!payload.bind.empty()) checkRows(payload.bind, character, "of the original bind ");
    const DdmSettings& settings = payload.settings;
    bool finite = std::isfinite(payload.expected_error) && std::isfinite(settings.weld) &&
                  std::isfinite(settings.lambda.value_or(0)) && std::isfinite(settings.kappa.value_or(0)) &&
                  std::isfinite(settings.alpha.value_or(0));
    for (const auto& [joint, alpha] : settings.joint_alpha) finite = finite && std::isfinite(alpha);
    if (!finite || settings.iterations.value_or(0) < 0 || settings.kappa_iterations.value_or(0) < 0 ||
        settings.influences.value_or(0) < 0)
        fail("settings that are negative or not finite");
}

void checkMesh(const Mesh& mesh) {
    const std::size_t count = mesh.vertexCount();
    for (std::size_t v = 0; v < count; ++v)
        if (!isFinite(mesh.positions[v])) refuse(fmt::format("vertex {} has no finite position", v));
    const auto fits = [&](std::size_t size) { return size == 0 || size == count; };
    if (!fits(mesh.normals.size()) || !fits(mesh.tangents.size()) || !fits(mesh.uvs.size()))
        refuse("there must be normals, tangents and UVs for every vertex or for none");
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        for (const std::uint32_t v : mesh.triangles[t])
            if (v >= count) refuse(fmt::format("triangle {} uses vertex {} of {}", t, v, count));
    for (const VertexAttribute& attribute : mesh.attributes)
        if (attribute.values.size() != count) refuse(fmt::format("attribute '{}' has a wrong size", attribute.name));
    for (const MorphTarget& morph : mesh.morphs) {
        const bool sized = morph.position_offsets.size() == morph.vertices.size() &&
                           (morph.normal_offsets.empty() || morph.normal_offsets.size() == morph.vertices.size());
        if (!sized || !std::is_sorted(morph.vertices.begin(), morph.vertices.end()) ||
            (!morph.vertices.empty() && morph.vertices.back() >= count))
            refuse(fmt::format("morph target '{}' has wrong sizes or vertices", morph.name));
    }
}

void checkProps(const Character& character) {
    const Props& props = character.props;
    checkMesh(props.mesh);
    if (props.nodes.size() != props.mesh.parts.size())
        refuse(fmt::format("{} nodes for {} parts of the props", props.nodes.size(), props.mesh.parts.size()));
    for (const std::uint32_t node : props.nodes)
        if (node >= character.skeleton.nodes.size())
            refuse(fmt::format("a prop uses node {} of {}", node, character.skeleton.nodes.size()));
}

void checkClips(const Character& character) {
    for (const Clip& clip : character.clips)
        for (const Channel& channel : clip.channels) {
            const std::size_t parts = channel.interpolation == Interpolation::cubic_spline ? 3 : 1;
            if (channel.values.size() != channel.times.size() * channel.width * parts)
                refuse(fmt::format("clip '{}': a channel has {} values for {} keys", clip.name, channel.values.size(),
                                   channel.times.size()));
            const bool morphs = channel.path == ChannelPath::morph_weights;
            if (!morphs && channel.target >= character.skeleton.nodes.size())
                refuse(fmt::format("clip '{}': a channel moves node {} of {}", clip.name, channel.target,
                                   character.skeleton.nodes.size()));
        }
}

}  // namespace

void checkCharacter(const Character& character) {
    checkSkeleton(character.skeleton);
    checkMesh(character.mesh);
    checkProps(character);
    checkWeights(character);
    checkPayload(character);
    checkClips(character);
    if (const auto fault = findDrivenFault(character.skeleton, character.driven))
        refuse(fmt::format("driven joint {}: {}", fault->joint, fault->what));
}

}  // namespace pelt::io::gltf

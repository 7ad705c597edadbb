// The characters that benchmarks run on.
#include "subjects.h"

#include <pelt/scenes/scenes.h>

#include <algorithm>
#include <map>

namespace pelt::bench {
namespace {

constexpr float kFillWeight = 0.02f;

Subject makeBiped(std::size_t vertices) {
    Subject s;
    s.size = std::to_string(vertices / 1000) + "k";
    s.character = scenes::find("biped")->make(vertices);
    s.character.weights = scenes::smoothWeights(s.character, 4);
    const Clip& clip = s.character.clips.at(0);
    s.bones = rig::skinMatrices(s.character.skeleton, &clip, (clip.first_key + clip.last_key) * 0.37);
    s.joint_positions = rig::jointRestPositions(s.character.skeleton);
    return s;
}

}  // namespace

const Subject& bipedOf(std::size_t vertices) {
    static std::map<std::size_t, Subject> made;
    const auto found = made.find(vertices);
    return found != made.end() ? found->second : made.emplace(vertices, makeBiped(vertices)).first->second;
}

SkinWeights filledToFour(const Subject& subject) {
    const SkinWeights& weights = subject.character.weights;
    const std::vector<std::int32_t> parents = rig::jointParents(subject.character.skeleton);
    SkinWeights filled;
    for (std::size_t v = 0; v < weights.vertexCount(); ++v) {
        std::vector<std::uint32_t> joints(weights.jointsOf(v).begin(), weights.jointsOf(v).end());
        std::vector<float> values(weights.weightsOf(v).begin(), weights.weightsOf(v).end());
        const auto add = [&](std::int32_t joint) {
            if (joint < 0 || joints.size() >= 4) return;
            if (std::find(joints.begin(), joints.end(), std::uint32_t(joint)) != joints.end()) return;
            joints.push_back(std::uint32_t(joint));
            values.push_back(kFillWeight);
        };
        for (std::int32_t j = parents[joints[0]]; j >= 0; j = parents[j]) add(j);
        for (std::size_t j = 0; j < parents.size(); ++j)
            if (parents[j] == std::int32_t(joints[0])) add(std::int32_t(j));
        for (std::size_t j = 0; j < parents.size(); ++j) add(std::int32_t(j));
        appendVertex(filled, joints, values);
    }
    return filled;
}

}  // namespace pelt::bench

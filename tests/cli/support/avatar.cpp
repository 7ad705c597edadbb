// Bones of an avatar for the built-in biped.
#include "avatar.h"

#include <gtest/gtest.h>

#include <array>

nlohmann::json humanBones(const GlbFile& file) {
    const std::array<std::pair<const char*, const char*>, 15> bones = {{{"hips", "pelvis"},
                                                                        {"spine", "spine"},
                                                                        {"head", "head"},
                                                                        {"leftUpperArm", "upper_arm_L"},
                                                                        {"leftLowerArm", "forearm_L"},
                                                                        {"leftHand", "hand_L"},
                                                                        {"rightUpperArm", "upper_arm_R"},
                                                                        {"rightLowerArm", "forearm_R"},
                                                                        {"rightHand", "hand_R"},
                                                                        {"leftUpperLeg", "thigh_L"},
                                                                        {"leftLowerLeg", "shin_L"},
                                                                        {"leftFoot", "foot_L"},
                                                                        {"rightUpperLeg", "thigh_R"},
                                                                        {"rightLowerLeg", "shin_R"},
                                                                        {"rightFoot", "foot_R"}}};
    nlohmann::json list = nlohmann::json::object();
    for (const auto& [bone, name] : bones)
        for (std::size_t n = 0; n < file.json["nodes"].size(); ++n)
            if (file.json["nodes"][n].value("name", "") == name) list[bone]["node"] = n;
    EXPECT_EQ(list.size(), bones.size());
    return list;
}

nlohmann::json humanBonesOfVrm0(const GlbFile& file) {
    const nlohmann::json bones = humanBones(file);
    nlohmann::json list = nlohmann::json::array();
    for (const auto& [bone, entry] : bones.items()) list.push_back({{"bone", bone}, {"node", entry["node"]}});
    return list;
}

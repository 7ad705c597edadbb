#pragma once

#include <cstdint>
#include <string>

namespace pelt::bind {

/// What the name of a joint says that it is for; `plain` if it says nothing.
enum class JointWord : std::uint8_t { plain, steer, end, twist, eye, face, jaw, head, hair, cloth, breast };
constexpr std::size_t kJointWords = 11;

/// Reads names in many spellings: "LeftEye", "eye.L", "Bip01 LEye", "J_Adj_L_FaceEye", "foot_IK.R", "Sk_Jaw01".
JointWord jointWordOf(const std::string& name);

}  // namespace pelt::bind

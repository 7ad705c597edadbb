// Fuzz target: handles and limits.
#include <pelt/core/error.h>
#include <pelt/rig/range_of_motion.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "io/json/json_file.h"
#include "verbs/pose/handles_file.h"
#include "verbs/run/joint_limits.h"

namespace {

/// Three joints, one above the other.
pelt::Skeleton arm() {
    pelt::Skeleton skeleton;
    for (const char* name : {"root", "elbow", "hand"}) {
        const auto node = std::uint32_t(skeleton.nodes.size());
        skeleton.nodes.emplace_back();
        skeleton.nodes[node].name = name;
        skeleton.nodes[node].parent = std::int32_t(node) - 1;
        skeleton.nodes[node].local.translation = {0, 0.5 * node, 0};
        skeleton.joints.push_back({node, {}});
    }
    return skeleton;
}

}  // namespace

/// The files that people write by hand: handles of pelt pose, and limits of joints. What is read poses the skeleton.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace pelt;
    static const Skeleton skeleton = arm();
    nlohmann::json document;
    try {
        document = io::parseJson({reinterpret_cast<const char*>(data), size}, "fuzz.json");
    } catch (const Error&) {
        return 0;
    }
    const auto isRefused = [](const auto& read) {
        try {
            read();
        } catch (const Error& error) {
            if (error.code() != ErrorCode::bad_input) std::abort();
        }
    };
    isRefused([&] { verbs::readHandles(document, "fuzz.json"); });
    isRefused([&] { rig::rangeOfMotion(skeleton, verbs::readJointLimits(document, "fuzz.json", skeleton)); });
    return 0;
}

#pragma once

#include <pelt/rig/ddm_payload.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace pelt::verbs {

/// The report of `info` about a mushed skin.
struct PayloadReport {
    nlohmann::ordered_json json;
    std::vector<std::string> lines;
};

PayloadReport reportPayload(const DdmPayload& payload);

}  // namespace pelt::verbs

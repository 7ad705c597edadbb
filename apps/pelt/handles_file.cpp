#include "handles_file.h"

#include <fmt/format.h>
#include <pelt/core/error.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "json_file.h"
#include "text.h"

namespace pelt::cli {
namespace {

using HandlesJson = nlohmann::json;
using pipeline::PoseHandle;

/// Reads one handle; messages say where it is.
class HandleReader {
public:
    HandleReader(const std::filesystem::path& path, std::size_t number, const HandlesJson& json)
        : where_(fmt::format("{}: handle {}", path.string(), number)), json_(json) {}

    PoseHandle read() {
        if (!json_.is_object()) refuse("is no object");
        checkNames();
        PoseHandle handle;
        readKind(handle);
        readConstraint(handle);
        return handle;
    }

private:
    [[noreturn]] void refuse(const std::string& what) const {
        throw Error::badInput(fmt::format("{} {}", where_, oneLine(what)));
    }
    bool has(const char* name) const { return json_.contains(name); }

    void checkNames() const {
        for (const auto& [name, value] : json_.items()) {
            bool known = false;
            for (const char* k : {"joint", "point", "region", "constraint", "transform", "target", "targets"})
                known = known || name == k;
            if (!known) refuse(fmt::format("has '{}', which is not known", name));
        }
    }
    std::vector<double> numbers(const HandlesJson& value, std::size_t count, const char* name) const {
        if (!value.is_array() || value.size() != count) refuse(fmt::format("needs {} numbers as {}", count, name));
        std::vector<double> out;
        for (const HandlesJson& number : value) {
            if (!number.is_number() || !std::isfinite(number.get<double>()) || std::abs(number.get<double>()) > 1e30)
                refuse(fmt::format("has a {} that is not finite", name));
            out.push_back(number.get<double>());
        }
        return out;
    }
    Vec3d place(const HandlesJson& value, const char* name) const {
        const std::vector<double> v = numbers(value, 3, name);
        return {v[0], v[1], v[2]};
    }
    void readKind(PoseHandle& handle) const {
        if (int(has("joint")) + int(has("point")) + int(has("region")) != 1)
            refuse("needs exactly one of joint, point and region");
        if (has("joint")) {
            if (!json_["joint"].is_string()) refuse("needs a name as joint");
            handle.joint = json_["joint"].get<std::string>();
        } else if (has("point")) {
            handle.kind = PoseHandle::Kind::point;
            handle.point = place(json_["point"], "point");
        } else {
            handle.kind = PoseHandle::Kind::region;
            if (!json_["region"].is_array()) refuse("needs a list of vertices as region");
            for (const HandlesJson& v : json_["region"]) {
                if (!v.is_number_unsigned() || v.get<std::uint64_t>() > 0xffffffffu)
                    refuse("has a region with something else than numbers of vertices");
                handle.region.push_back(v.get<std::uint32_t>());
            }
            if (handle.region.empty()) refuse("has an empty region; list at least one vertex");
        }
    }
    void readConstraint(PoseHandle& handle) const {
        const HandlesJson constraint = json_.value("constraint", HandlesJson());
        const auto is = [&](const char* name) { return constraint == name; };
        if (!is("full") && !is("position") && !is("free")) refuse("needs a constraint: full, position or free");
        if (has("transform") != is("full"))
            refuse(is("full") ? "is full, which needs a transform of 16 numbers" : "has a transform but is not full");
        if (is("full")) {
            handle.given = PoseHandle::Given::full;
            handle.transform = transform();
        }
        const bool aimed = has("target") || has("targets");
        if (aimed != is("position") || (has("target") && has("targets")))
            refuse(is("position") ? "is a position, which needs either target or targets"
                                  : "has a target but its constraint is not position");
        if (is("position")) {
            handle.given = PoseHandle::Given::position;
            readTargets(handle);
        }
    }
    Affine3d transform() const {
        const std::vector<double> v = numbers(json_["transform"], 16, "transform");
        if (v[3] != 0 || v[7] != 0 || v[11] != 0 || v[15] != 1)
            refuse("has a transform whose last row is not 0 0 0 1; write it by columns");
        return {Mat3d{{{v[0], v[1], v[2]}, {v[4], v[5], v[6]}, {v[8], v[9], v[10]}}}, {v[12], v[13], v[14]}};
    }
    void readTargets(PoseHandle& handle) const {
        if (has("target")) {
            handle.targets.push_back({0, place(json_["target"], "target")});
            return;
        }
        handle.keyed = true;
        const HandlesJson& keys = json_["targets"];
        if (!keys.is_array() || keys.empty()) refuse("needs targets as [[time, [x, y, z]], …]");
        for (const HandlesJson& key : keys) {
            if (!key.is_array() || key.size() != 2 || !key[0].is_number() || !std::isfinite(key[0].get<double>()))
                refuse("needs targets as [[time, [x, y, z]], …]");
            const double time = key[0].get<double>();
            if (time < 0) refuse("has a target before time 0, which clips do not know; let its times start at 0");
            if (!handle.targets.empty() && !(time > handle.targets.back().time))
                refuse("has targets whose times do not rise");
            handle.targets.push_back({time, place(key[1], "target")});
        }
    }

    std::string where_;
    const HandlesJson& json_;
};

}  // namespace

std::vector<PoseHandle> readHandles(const std::filesystem::path& path) {
    const HandlesJson document = readJsonFile(path);
    if (!document.is_object() || !document.contains("handles") || !document["handles"].is_array())
        throw Error::badInput(
            fmt::format("{}: is no JSON object with a list of handles; write {{\"handles\": [{{\"joint\": \"NAME\", "
                        "\"constraint\": \"position\", \"target\": [x, y, z]}}]}}",
                        path.string()));
    for (const auto& [name, value] : document.items())
        if (name != "handles")
            throw Error::badInput(fmt::format("{}: '{}' is not known", path.string(), oneLine(name)));
    std::vector<PoseHandle> handles;
    for (const HandlesJson& handle : document["handles"])
        handles.push_back(HandleReader(path, handles.size(), handle).read());
    return handles;
}

}  // namespace pelt::cli

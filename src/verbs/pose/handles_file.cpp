// The handles of `pelt pose` from JSON.
#include "handles_file.h"

#include <fmt/format.h>
#include <pelt/core/error.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "verbs/run/text.h"

namespace pelt::verbs {
namespace {

using HandlesJson = nlohmann::ordered_json;

constexpr const char* kNames[] = {"joint",     "joints", "point",   "region", "segment", "name",     "constraint",
                                  "transform", "target", "targets", "offset", "offsets", "rotation", "rotations"};
constexpr const char* kConstraints = "hold, position, rotation, full or free";

/// Reads one handle, which may be several joints; messages say where it is.
class HandleReader {
public:
    HandleReader(const std::string& name, std::size_t number, const HandlesJson& json)
        : number_(number), where_(fmt::format("{}: handle {}", name, number)), json_(json) {}

    std::vector<PoseHandle> read() {
        if (!json_.is_object()) refuse("is not an object");
        checkNames();
        PoseHandle handle;
        handle.number = number_;
        readKind(handle);
        readConstraint(handle);
        std::vector<PoseHandle> all;
        for (const std::string& joint : joints_) {
            all.push_back(handle);
            all.back().joint = joint;
        }
        if (joints_.empty()) all.push_back(handle);
        return all;
    }

private:
    [[noreturn]] void refuse(const std::string& what) const {
        throw Error::badInput(fmt::format("{} {}", where_, oneLine(what)));
    }
    bool has(const char* name) const { return json_.contains(name); }

    void checkNames() const {
        for (const auto& member : json_.items())
            if (std::find(std::begin(kNames), std::end(kNames), member.key()) == std::end(kNames))
                refuse(fmt::format("has an unknown key '{}'", member.key()));
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
    void readKind(PoseHandle& handle) {
        int kinds = 0;
        for (const char* kind : {"joint", "joints", "point", "region", "segment"}) kinds += has(kind) ? 1 : 0;
        if (kinds != 1) refuse("needs exactly one of joint, joints, point, region and segment");
        if (has("name")) readName(handle);
        if (has("joint") || has("joints")) {
            readJoints();
        } else if (has("point")) {
            handle.kind = PoseHandle::Kind::point;
            handle.point = place(json_["point"], "point");
        } else if (has("region")) {
            readRegion(handle);
        } else {
            readSegment(handle);
        }
    }
    void readName(PoseHandle& handle) const {
        if (has("joint") || has("joints")) refuse("has a name besides that of its joint; leave it out");
        if (!json_["name"].is_string()) refuse("has a name that is not a text");
        handle.name = json_["name"].get<std::string>();
    }
    void readRegion(PoseHandle& handle) const {
        handle.kind = PoseHandle::Kind::region;
        if (!json_["region"].is_array()) refuse("needs a list of vertex indices as region");
        for (const HandlesJson& v : json_["region"]) {
            if (!v.is_number_unsigned() || v.get<std::uint64_t>() > 0xffffffffu)
                refuse("has a region with entries that are not vertex indices");
            handle.region.push_back(v.get<std::uint32_t>());
        }
        if (handle.region.empty()) refuse("has an empty region; list at least one vertex");
    }
    void readSegment(PoseHandle& handle) const {
        handle.kind = PoseHandle::Kind::segment;
        if (!json_["segment"].is_array() || json_["segment"].size() != 2)
            refuse("needs two places as segment: [[x, y, z], [x, y, z]]");
        handle.point = place(json_["segment"][0], "segment's first place");
        handle.end = place(json_["segment"][1], "segment's second place");
    }
    void readJoints() {
        if (has("joint")) {
            if (!json_["joint"].is_string()) refuse("needs a name as joint");
            joints_.push_back(json_["joint"].get<std::string>());
            return;
        }
        if (!json_["joints"].is_array() || json_["joints"].empty()) refuse("needs a list of names as joints");
        for (const HandlesJson& name : json_["joints"]) {
            if (!name.is_string()) refuse("needs a list of names as joints");
            joints_.push_back(name.get<std::string>());
        }
        if (joints_.size() > 1 && (has("target") || has("targets")))
            refuse("sends several joints to one target; give them an offset, or a handle each");
    }
    void readConstraint(PoseHandle& handle) const {
        using Given = PoseHandle::Given;
        const HandlesJson constraint = json_.value("constraint", HandlesJson());
        constexpr std::pair<const char*, Given> kKinds[] = {{"hold", Given::hold},
                                                            {"position", Given::position},
                                                            {"rotation", Given::rotation},
                                                            {"full", Given::full},
                                                            {"free", Given::free}};
        const auto kind =
            std::find_if(std::begin(kKinds), std::end(kKinds), [&](const auto& k) { return constraint == k.first; });
        if (kind == std::end(kKinds)) refuse(fmt::format("needs a constraint: {}", kConstraints));
        handle.given = kind->second;
        const int places = int(has("target")) + int(has("targets")) + int(has("offset")) + int(has("offsets"));
        const int turns = int(has("rotation")) + int(has("rotations"));
        checkGiven(handle.given, places, turns);
        if (has("transform")) handle.transform = transform();
        if (places > 0) readPlaces(handle);
        if (turns > 0) {
            handle.rotations = keys("rotation", "rotations", "a rotation");
            handle.keyed = handle.keyed || has("rotations");
        }
    }
    /// Checks that exactly the values that the constraint needs are given.
    void checkGiven(PoseHandle::Given given, int places, int turns) const {
        using Given = PoseHandle::Given;
        if (has("transform") && given != Given::full) refuse("has a transform but is not full");
        if (has("transform") && places + turns > 0)
            refuse("has a transform, which already determines everything; leave out target, offset and rotation");
        if (given == Given::full && !has("transform") && (places != 1 || turns != 1))
            refuse("is full, which needs a transform of 16 numbers, or a target or offset together with a rotation");
        if (given == Given::position && (places != 1 || turns > 0))
            refuse("is a position, which needs either target, targets, offset or offsets, and no rotation");
        if (given == Given::rotation && (turns != 1 || places > 0))
            refuse("is a rotation, which needs either rotation or rotations, and no target or offset");
        if ((given == Given::hold || given == Given::free) && places + turns > 0)
            refuse(
                fmt::format("is {}, but has a target, an offset or a rotation; its constraint is then position, "
                            "rotation or full",
                            given == Given::hold ? "held" : "free"));
    }
    Affine3d transform() const {
        const std::vector<double> v = numbers(json_["transform"], 16, "transform");
        if (v[3] != 0 || v[7] != 0 || v[11] != 0 || v[15] != 1)
            refuse("has a transform whose last row is not 0 0 0 1; write it by columns");
        return {Mat3d{{{v[0], v[1], v[2]}, {v[4], v[5], v[6]}, {v[8], v[9], v[10]}}}, {v[12], v[13], v[14]}};
    }
    void readPlaces(PoseHandle& handle) const {
        handle.offsets = has("offset") || has("offsets");
        handle.keyed = has("targets") || has("offsets");
        handle.targets =
            handle.offsets ? keys("offset", "offsets", "an offset") : keys("target", "targets", "a target");
    }
    /// A single value under the first name, or keys under the second.
    std::vector<PoseHandle::Key> keys(const char* one, const char* keyed, const char* what) const {
        if (has(one)) return {{0, place(json_[one], one)}};
        const std::string form = fmt::format("needs {} as [[time, [x, y, z]], …]", keyed);
        if (!json_[keyed].is_array() || json_[keyed].empty()) refuse(form);
        std::vector<PoseHandle::Key> out;
        for (const HandlesJson& key : json_[keyed]) {
            if (!key.is_array() || key.size() != 2 || !key[0].is_number() || !std::isfinite(key[0].get<double>()))
                refuse(form);
            const double time = key[0].get<double>();
            if (time < 0) refuse(fmt::format("has {} before time 0, which clips do not support; start at 0", what));
            if (!out.empty() && !(time > out.back().time))
                refuse(fmt::format("has {} whose times do not increase", keyed));
            out.push_back({time, place(key[1], one)});
        }
        return out;
    }

    std::size_t number_;
    std::vector<std::string> joints_;
    std::string where_;
    const HandlesJson& json_;
};

}  // namespace

std::vector<PoseHandle> readHandles(const HandlesJson& document, const std::string& file) {
    if (!document.is_object() || !document.contains("handles") || !document["handles"].is_array())
        throw Error::badInput(
            {file},
            fmt::format("is not a JSON object with a list of handles; write {{\"handles\": [{{\"joint\": \"NAME\", "
                        "\"constraint\": \"position\", \"target\": [x, y, z]}}]}}"));
    for (const auto& [name, value] : document.items())
        if (name != "handles") throw Error::badInput({file}, fmt::format("'{}' is unknown", oneLine(name)));
    std::vector<PoseHandle> handles;
    std::size_t number = 0;
    for (const HandlesJson& handle : document["handles"])
        for (PoseHandle& one : HandleReader(file, number++, handle).read()) handles.push_back(std::move(one));
    return handles;
}

}  // namespace pelt::verbs

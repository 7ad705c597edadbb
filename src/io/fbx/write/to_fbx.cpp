// A character as a binary FBX file of version 7.4: header, settings, objects, connections.
#include <algorithm>
#include <cmath>

#include "io/fbx/fbx.h"
#include "scene.h"

namespace pelt::io::fbx {
namespace {

/// Of 1970, as other writers without a clock do: the same character gives the same bytes.
constexpr const char* kCreationTime = "1970-01-01 10:00:00:000";
constexpr unsigned char kFileId[] = {0x28, 0xb3, 0x2a, 0xeb, 0xb6, 0x24, 0xcc, 0xc2,
                                     0xbf, 0xc8, 0xb0, 0x2a, 0xa9, 0x2b, 0xfc, 0xf1};
constexpr const char* kCreator = "Pelt";

void writeHeader(RecordWriter& out) {
    out.begin("FBXHeaderExtension");
    out.leaf("FBXHeaderVersion", 1003);
    out.leaf("FBXVersion", 7400);
    out.leaf("EncryptionType", 0);
    out.begin("CreationTimeStamp");
    out.leaf("Version", 1000);
    constexpr const char* kParts[] = {"Year", "Month", "Day", "Hour", "Minute", "Second", "Millisecond"};
    constexpr std::int32_t kTime[] = {1970, 1, 1, 10, 0, 0, 0};
    for (std::size_t i = 0; i < std::size(kParts); ++i) out.leaf(kParts[i], kTime[i]);
    out.end();
    out.leaf("Creator", kCreator);
    out.end();
    out.leaf("FileId", std::as_bytes(std::span(kFileId)));
    out.leaf("CreationTime", kCreationTime);
    out.leaf("Creator", kCreator);
}

/// The number that FBX has for the frame rate of the keys; 30 if they have none in common.
std::int32_t timeMode(const std::vector<Clip>& clips) {
    constexpr std::pair<double, std::int32_t> kRates[] = {{30, 6}, {24, 11}, {25, 10}, {60, 3}, {50, 4}, {120, 1}};
    for (const auto& [rate, mode] : kRates) {
        bool fits = true;
        for (const Clip& clip : clips)
            for (const Channel& channel : clip.channels)
                for (const float t : channel.times)
                    fits = fits && std::abs(double(t) * rate - std::round(double(t) * rate)) < 1e-2;
        if (fits) return mode;
    }
    return 6;
}

void writeSettings(RecordWriter& out, bool z_up, const std::vector<Clip>& clips) {
    out.begin("GlobalSettings");
    out.leaf("Version", 1000);
    out.begin("Properties70");
    const auto axis = [&](const char* name, int number, const char* sign_name, int sign) {
        out.property(name, "int", "Integer", "", number);
        out.property(sign_name, "int", "Integer", "", sign);
    };
    axis("UpAxis", z_up ? 2 : 1, "UpAxisSign", 1);
    axis("FrontAxis", z_up ? 1 : 2, "FrontAxisSign", z_up ? -1 : 1);
    axis("CoordAxis", 0, "CoordAxisSign", 1);
    axis("OriginalUpAxis", z_up ? 2 : 1, "OriginalUpAxisSign", 1);
    out.property("UnitScaleFactor", "double", "Number", "", 1.0);  // centimeters
    out.property("OriginalUnitScaleFactor", "double", "Number", "", 1.0);
    out.property("TimeMode", "enum", "", "", timeMode(clips));
    double last = 0;
    for (const Clip& clip : clips) last = std::max(last, clip.last_key);
    out.property("TimeSpanStart", "KTime", "Time", "", std::int64_t(0));
    out.property("TimeSpanStop", "KTime", "Time", "", static_cast<std::int64_t>(last * 46186158000.0));
    out.end();
    out.end();
}

void writeDocuments(RecordWriter& out, std::int64_t id) {
    out.begin("Documents");
    out.leaf("Count", 1);
    out.begin("Document", id, "", "Scene");
    out.leaf("RootNode", std::int64_t(0));
    out.end();
    out.end();
    out.leaf("References");
}

void writeDefinitions(RecordWriter& out, const std::map<std::string, int>& counts) {
    int total = 1;
    for (const auto& [kind, count] : counts) total += count;
    out.begin("Definitions");
    out.leaf("Version", 100);
    out.leaf("Count", total);
    const auto type = [&](const char* kind, int count) {
        out.begin("ObjectType", kind);
        out.leaf("Count", count);
        out.end();
    };
    type("GlobalSettings", 1);
    for (const auto& [kind, count] : counts) type(kind.c_str(), count);
    out.end();
}

void writeLinks(RecordWriter& out, const std::vector<Link>& links) {
    out.begin("Connections");
    for (const Link& link : links) {
        if (link.property.empty())
            out.leaf("C", "OO", link.from, link.to);
        else
            out.leaf("C", "OP", link.from, link.to, link.property.c_str());
    }
    out.end();
}

void writeObjects(Scene& scene) {
    scene.out.begin("Objects");
    writeNodes(scene);
    writeMeshes(scene);
    if (!scene.character.skeleton.joints.empty()) writeBindPose(scene);
    writeClips(scene);
    scene.out.end();
}

}  // namespace

std::vector<std::byte> write(const Character& character, const gltf::GltfSource& source, bool z_up,
                             std::vector<std::string>& warnings) {
    const Mat3d turn = z_up ? Mat3d{{{1, 0, 0}, {0, 0, 1}, {0, -1, 0}}} : Mat3d();
    // The definitions, which count the objects, stand before them.
    RecordWriter counted;
    std::vector<std::string> once;
    Scene count(character, source, counted, once, turn);
    writeObjects(count);
    RecordWriter out;
    Scene scene(character, source, out, warnings, turn);
    writeHeader(out);
    writeSettings(out, z_up, character.clips);
    writeDocuments(out, 999);
    writeDefinitions(out, count.counts);
    writeObjects(scene);
    writeLinks(out, scene.links);
    return out.finish();
}

}  // namespace pelt::io::fbx

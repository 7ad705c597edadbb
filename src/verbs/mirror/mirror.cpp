// Copies weights and painted maps of one side of a character to the other.
#include <pelt/core/error.h>
#include <pelt/geometry/bounding_box.h>
#include <pelt/io/character_file.h>
#include <pelt/methods/ddm.h>
#include <pelt/rig/remove_joints.h>
#include <pelt/rig/rest_space.h>
#include <pelt/verbs/mirror.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include "mirrored_vertices.h"

namespace pelt::verbs {
namespace {

/// Maps of Direct Delta Mush: those that the settings name, and those called like its parameters.
std::vector<std::string> paintedMaps(const Character& character) {
    std::vector<std::string> named;
    if (character.ddm) {
        const DdmSettings& settings = character.ddm->settings;
        for (const DdmMap* map : {&settings.lambda_map, &settings.kappa_map, &settings.alpha_map})
            if (map->kind == DdmMap::Kind::attribute) named.push_back(map->attribute);
        named.push_back(settings.translations.attribute);
    }
    std::vector<std::string> maps;
    for (const VertexAttribute& attribute : character.mesh.attributes) {
        std::string upper = attribute.name;
        std::transform(upper.begin(), upper.end(), upper.begin(),
                       [](unsigned char c) { return char(std::toupper(c)); });
        const bool called = upper.find("LAMBDA") != std::string::npos || upper.find("KAPPA") != std::string::npos ||
                            upper.find("ALPHA") != std::string::npos;
        if (called || std::find(named.begin(), named.end(), attribute.name) != named.end())
            maps.push_back(attribute.name);
    }
    return maps;
}

void mirrorMap(VertexAttribute& attribute, const std::vector<MirrorSource>& sources) {
    const std::vector<float> given = attribute.values;
    for (std::size_t v = 0; v < sources.size(); ++v) {
        const MirrorSource& source = sources[v];
        if (source.kind == MirrorSource::copied) attribute.values[v] = given[source.vertices[0]];
        if (source.kind != MirrorSource::interpolated) continue;
        double sum = 0;
        for (std::size_t corner = 0; corner < 3; ++corner)
            sum += source.shares[corner] * double(given[source.vertices[corner]]);
        attribute.values[v] = float(sum);
    }
}

/// Per joint, the nearest one above it, or itself, that belongs to both sides; itself if there is none.
std::vector<std::uint32_t> middleJoints(const Skeleton& skeleton, const std::vector<std::uint32_t>& twins) {
    const std::vector<std::int32_t> parents = rig::jointParents(skeleton);
    std::vector<std::uint32_t> middles(twins.size());
    for (std::uint32_t j = 0; j < twins.size(); ++j) {
        auto at = std::int32_t(j);
        while (at >= 0 && twins[std::size_t(at)] != std::uint32_t(at)) at = parents[std::size_t(at)];
        middles[j] = at >= 0 ? std::uint32_t(at) : j;
    }
    return middles;
}

/// The axis that a map takes an axis to, nearly.
int mappedAxis(const Affine3d& map, int axis) {
    Vec3d unit;
    unit[axis] = 1;
    const Vec3d to = map.linear() * unit;
    const auto size = [&](int k) { return std::abs(to[k]); };
    return size(0) >= size(1) && size(0) >= size(2) ? 0 : size(1) >= size(2) ? 1 : 2;
}

/// Settings by name: those of the side that is copied replace those of the other.
DdmSettings mirroredSettings(const DdmSettings& given, const Character& character, const rig::JointMirror& mirror,
                             std::span<const Vec3d> positions, rig::Side from) {
    const bool positive = (from == rig::Side::left) == mirror.left_is_positive;
    std::map<std::string, std::string> twin_of;  // of joints on the side that is copied
    std::map<std::string, bool> on_other_side;
    for (std::size_t j = 0; j < mirror.twins.size(); ++j) {
        if (mirror.twins[j] == rig::JointMirror::kNoTwin || mirror.twins[j] == j) continue;
        const std::string& name = rig::jointName(character.skeleton, j);
        if ((mirror.plane.distance(positions[j]) > 0) == positive)
            twin_of[name] = rig::jointName(character.skeleton, mirror.twins[j]);
        else
            on_other_side[name] = true;
    }
    DdmSettings settings = given;
    settings.joint_alpha.clear();
    for (const JointAlpha& entry : given.joint_alpha) {
        if (!on_other_side.contains(entry.joint)) settings.joint_alpha.push_back(entry);
        if (const auto twin = twin_of.find(entry.joint); twin != twin_of.end())
            settings.joint_alpha.push_back({twin->second, entry.alpha});
    }
    std::vector<std::string> parts;
    for (const MeshPart& part : character.mesh.parts) parts.insert(parts.end(), {part.name, part.material});
    settings.exclude.clear();
    for (const std::string& part : given.exclude) {
        const rig::Side side = rig::sideOf(part);
        std::string twin;
        for (const std::string& other : rig::namesOnOtherSide(part))
            if (twin.empty() && std::find(parts.begin(), parts.end(), other) != parts.end()) twin = other;
        if (twin.empty() || side == from) settings.exclude.push_back(part);
        if (!twin.empty() && side == from) settings.exclude.push_back(twin);
    }
    return settings;
}

void countChanges(const SkinWeights& before, const SkinWeights& after, const std::vector<MirrorSource>& sources,
                  MirrorResult& result) {
    for (std::size_t v = 0; v < sources.size(); ++v) {
        result.copied += sources[v].kind == MirrorSource::copied;
        result.interpolated += sources[v].kind == MirrorSource::interpolated;
        result.middle += sources[v].kind == MirrorSource::middle;
        result.unmatched += sources[v].kind == MirrorSource::unmatched;
        std::map<std::uint32_t, double> difference;
        for (std::size_t i = 0; i < before.influenceCount(v); ++i)
            difference[before.jointsOf(v)[i]] += double(before.weightsOf(v)[i]);
        for (std::size_t i = 0; i < after.influenceCount(v); ++i)
            difference[after.jointsOf(v)[i]] -= double(after.weightsOf(v)[i]);
        double change = 0;
        for (const auto& [joint, d] : difference) change += std::abs(d) / 2;
        result.changed += change > 0;
        result.mean_change += change / double(sources.size());
    }
}

}  // namespace

MirrorResult mirror(const Character& character, const MirrorRequest& request, const Progress& progress) {
    if (character.skeleton.joints.empty()) throw Error::badInput("has no skeleton");
    if (character.weights.empty())
        throw Error::badInput("has a skeleton but no skin weights; bind it first (pelt bind)");
    const Affine3d modeled = rig::toModeledSpace(character);
    Mesh mesh = character.mesh;
    for (Vec3f& p : mesh.positions) p = Vec3f(modeled * Vec3d(p));
    std::vector<Vec3d> places = rig::jointRestPositions(character.skeleton);
    for (Vec3d& p : places) p = modeled * p;
    std::optional<int> axis = request.axis;
    if (axis) axis = mappedAxis(modeled, *axis);
    const rig::JointMirror joints =
        rig::findJointMirror(character.skeleton, places, axis, geometry::boundingDiagonal(mesh.positions));
    const std::vector<std::uint32_t> twins = joints.nearestTwins(character.skeleton);
    const bool positive = (request.from == rig::Side::left) == joints.left_is_positive;
    // The skin that an artist edits: of a mushed character, the bind that it was made from.
    const bool mushed = rig::mushOf(character) && !character.ddm->bind.empty();
    const SkinWeights& skin = mushed ? character.ddm->bind : character.weights;
    const std::vector<MirrorSource> sources = findMirrorSources(mesh, joints.plane, positive, skin, twins, progress);

    MirrorResult result;
    result.character = character;
    result.plane = {mappedAxis(inverse(modeled), joints.plane.axis), joints.plane.place};
    result.pairs = joints.pairs;
    result.pairs_by_name = joints.pairs_by_name;
    result.maps = paintedMaps(character);
    const std::vector<bool> used = rig::jointsWithSkin(character);
    for (std::size_t j = 0; j < used.size(); ++j)
        if (used[j] && joints.twins[j] == rig::JointMirror::kNoTwin)
            result.lonely_joints.push_back(rig::jointName(character.skeleton, j));
    for (VertexAttribute& attribute : result.character.mesh.attributes)
        if (std::find(result.maps.begin(), result.maps.end(), attribute.name) != result.maps.end())
            mirrorMap(attribute, sources);
    const SkinWeights rows = mirroredRows(skin, sources, twins, middleJoints(character.skeleton, twins));
    countChanges(skin, rows, sources, result);
    // A few joints may be symmetric by chance: then the mesh is not.
    if (!axis && joints.pairs_by_name == 0 &&
        10 * result.unmatched > result.copied + result.interpolated + result.unmatched)
        throw Error::badInput("the mesh is not symmetric about the plane between its joints; name the `axis`");
    if (!mushed) {
        if (rows != character.weights && !rig::mushOf(character)) result.character.ddm = nullptr;  // of the old weights
        result.character.weights = rows;
    } else {
        auto payload = std::make_shared<DdmPayload>(*character.ddm);
        payload->bind = rows;
        payload->settings = mirroredSettings(character.ddm->settings, character, joints, places, request.from);
        const auto equalValues = [](const VertexAttribute& a, const VertexAttribute& b) {
            return a.values == b.values;
        };
        const bool same = *payload == *character.ddm &&
                          std::equal(result.character.mesh.attributes.begin(), result.character.mesh.attributes.end(),
                                     character.mesh.attributes.begin(), equalValues);
        result.character.ddm = payload;
        if (!same) {
            methods::mushCharacter(result.character, payload->settings, {payload->variant, payload->encoding},
                                   progress);
        } else {
            result.character.ddm = character.ddm;
        }
    }
    io::leaveOutUnused(result.character);
    return result;
}

}  // namespace pelt::verbs

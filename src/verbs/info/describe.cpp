// What info says of meshes, sequences and characters.
#include "describe.h"

#include <fmt/format.h>
#include <pelt/geometry/bounding_sphere.h>
#include <pelt/geometry/mesh_report.h>
#include <pelt/rig/driven_joints.h>
#include <pelt/rig/mirror_joints.h>
#include <pelt/rig/props.h>
#include <pelt/rig/rest_space.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "payload_report.h"
#include "verbs/run/report.h"

namespace pelt::verbs {
namespace {

using Json = nlohmann::ordered_json;

void describeBounds(std::span<const Vec3f> positions, Findings& found) {
    const auto [low, high] = geometry::boundingBox(positions);
    found.json["bounds"] = {{low.x, low.y, low.z}, {high.x, high.y, high.z}};
    found.line("bounds", fmt::format("{:.4g} {:.4g} {:.4g} to {:.4g} {:.4g} {:.4g}", low.x, low.y, low.z, high.x,
                                     high.y, high.z));
}

void describeFaces(const Mesh& mesh, const geometry::MeshReport& report, Findings& found) {
    found.line("vertices", fmt::format("{} ({} welded by position, {} on seams)", mesh.vertexCount(),
                                       report.welded_vertices, report.seam_vertices));
    found.line("triangles",
               fmt::format("{} in {}, {}", mesh.triangles.size(),
                           counted(report.connected_parts, "connected piece", "connected pieces"),
                           report.closed() ? "closed" : counted(report.boundary_edges, "open edge", "open edges")));
    if (!mesh.positions.empty()) describeBounds(mesh.positions, found);
    if (mesh.positions.empty()) found.problems.push_back("no vertices");
    if (mesh.triangles.empty()) found.problems.push_back("no triangles");
    found.problem(report.zero_area_faces, "face without area", "faces without area");
    found.problem(report.duplicate_faces, "duplicate face", "duplicate faces");
    found.problem(report.non_manifold_edges, "edge with more than two faces", "edges with more than two faces");
    found.problem(report.isolated_vertices, "vertex without a face", "vertices without a face");
}

void describeShape(const Mesh& mesh, float weld_tolerance, Findings& found) {
    const geometry::Weld weld = geometry::weldByPosition(mesh, weld_tolerance);
    const geometry::MeshReport report = geometry::inspectMesh(mesh, weld);
    found.json["vertices"] = mesh.vertexCount();
    found.json["triangles"] = mesh.triangles.size();
    found.json["welded_vertices"] = report.welded_vertices;
    found.json["seams"] = report.seam_vertices;
    found.json["connected_parts"] = report.connected_parts;
    found.json["boundary_edges"] = report.boundary_edges;
    found.json["closed"] = !mesh.triangles.empty() && report.closed();
    describeFaces(mesh, report, found);
}

void describeParts(const Mesh& mesh, Findings& found) {
    found.json["parts"] = Json::array();
    std::set<std::string> materials;
    for (const MeshPart& part : mesh.parts) {
        found.json["parts"].push_back({{"name", part.name},
                                       {"material", part.material},
                                       {"vertices", part.vertex_count},
                                       {"triangles", part.triangle_count}});
        if (!part.material.empty()) materials.insert(part.material);
        found.line(&part == mesh.parts.data() ? "parts" : "",
                   fmt::format("{}: {} vertices, {} triangles{}", part.name.empty() ? "(unnamed)" : part.name,
                               part.vertex_count, part.triangle_count,
                               part.material.empty() ? "" : ", material " + part.material));
    }
    found.json["materials"] = materials;
}

void describeChannels(const Mesh& mesh, Findings& found) {
    Json attributes = Json::array(), morphs = Json::array();
    if (!mesh.normals.empty()) attributes.push_back("normals");
    if (!mesh.tangents.empty()) attributes.push_back("tangents");
    if (!mesh.uvs.empty()) attributes.push_back("uvs");
    for (const VertexAttribute& attribute : mesh.attributes) attributes.push_back(attribute.name);
    std::string names;
    for (const Json& name : attributes) names += (names.empty() ? "" : ", ") + name.get<std::string>();
    if (!names.empty()) found.line("attributes", names);
    names.clear();
    for (const MorphTarget& morph : mesh.morphs) {
        morphs.push_back({{"name", morph.name}, {"vertices", morph.vertices.size()}});
        if (morphs.size() <= 8) names += (names.empty() ? "" : ", ") + (morph.name.empty() ? "(unnamed)" : morph.name);
    }
    if (morphs.size() > 8) names += ", …";
    if (!morphs.empty()) found.line("morphs", fmt::format("{}: {}", morphs.size(), names));
    found.json["attributes"] = std::move(attributes);
    found.json["morphs"] = std::move(morphs);
}

/// How many joints follow others, by kind.
void describeDriven(const Character& character, Findings& found) {
    constexpr std::array kWords = {"half-way turns", "scales", "learned", "virtual (Direct Delta Mush)"};
    std::array<std::size_t, rig::kDriverKinds.size()> counts{};
    for (const rig::DrivenJoint& joint : character.driven) ++counts[joint.motion.index()];
    std::string text;
    for (std::size_t k = 0; k < counts.size(); ++k) {
        if (counts[k] == 0) continue;
        found.json["driven"][std::string(rig::kDriverKinds[k])] = counts[k];
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[k], kWords[k]);
    }
    if (!text.empty()) found.line("driven", text);
}

/// Most skeletons have joints without vertices: ends, controls, roots. A hand whose other hand has skin lost its own.
std::size_t lostTwins(const rig::JointList& joints, const std::vector<bool>& used) {
    std::map<std::string, bool> has_skin;
    for (std::size_t j = 0; j < used.size(); ++j) has_skin[joints.entries[j].name] = used[j];
    std::size_t lost = 0;
    for (std::size_t j = 0; j < used.size(); ++j) {
        if (used[j]) continue;
        for (const std::string& other : rig::namesOnOtherSide(joints.entries[j].name))
            if (const auto twin = has_skin.find(other); twin != has_skin.end()) {
                lost += twin->second;
                break;
            }
    }
    return lost;
}

void describeInfluences(const Character& character, const rig::JointList& joints, Findings& found) {
    const SkinWeights& weights = character.weights;
    const std::size_t most = maxInfluences(weights);
    std::vector<std::size_t> histogram(most + 1, 0);
    std::vector<bool> used(joints.entries.size(), false);
    for (std::size_t v = 0; v < weights.vertexCount(); ++v) ++histogram[weights.influenceCount(v)];
    for (const std::uint32_t slot : weights.joints) used[joints.of_slot[slot]] = true;
    found.json["max_influences"] = most;
    found.json["influences"] = weights.empty() ? std::vector<std::size_t>{} : histogram;
    if (joints.entries.empty()) return;
    if (character.mesh.positions.empty()) return;
    if (weights.empty()) {
        found.problems.push_back("joints but no skin weights");
        return;
    }
    std::string shares;
    for (std::size_t n = 1; n < histogram.size(); ++n)
        if (histogram[n] > 0) shares += fmt::format("{}{}: {}", shares.empty() ? "" : ", ", n, histogram[n]);
    found.line("influences", fmt::format("at most {} (vertices by joints: {})", most, shares));
    found.problem(histogram[0], "vertex without weights", "vertices without weights");
    found.json["joints_without_vertices"] = std::count(used.begin(), used.end(), false);
    found.problem(lostTwins(joints, used), "joint without vertices, although that of the other side has some",
                  "joints without vertices, although those of the other side have some");
}

void describePayload(const Character& character, Findings& found) {
    if (!character.ddm) return;
    const PayloadReport report = reportPayload(*character.ddm);
    found.json["ddm"] = report.json;
    for (const std::string& line : report.lines)
        found.line(&line != report.lines.data() ? "" : character.ddm->fitted ? "fitted" : "mushed", line);
}

void describeClips(const Character& character, Findings& found) {
    found.json["clips"] = Json::array();
    std::size_t empty = 0;
    for (const Clip& clip : character.clips) {
        found.json["clips"].push_back({{"name", clip.name}, {"seconds", clip.seconds()}});
        found.line(&clip == character.clips.data() ? "clips" : "",
                   fmt::format("{} {:.3f} s", clip.name.empty() ? "(unnamed)" : clip.name, clip.seconds()));
        if (clip.channels.empty()) ++empty;
    }
    found.problem(empty, "clip that moves nothing here", "clips that move nothing here");
}

void describeProps(const Character& character, Findings& found) {
    found.json["skinned_vertices"] = character.mesh.vertexCount();
    found.json["props"] = Json::array();
    const Props& props = character.props;
    for (std::size_t p = 0; p < props.mesh.parts.size(); ++p) {
        const MeshPart& part = props.mesh.parts[p];
        const std::string& node = character.skeleton.nodes[props.nodes[p]].name;
        found.json["props"].push_back({{"name", part.name}, {"node", node}, {"vertices", part.vertex_count}});
        found.line(p == 0 ? "props" : "",
                   fmt::format("{}: {} vertices, moved by {}", part.name, part.vertex_count, node));
    }
}

std::string scaleWords(double scale) {
    return scale >= 1 ? fmt::format("{:.4g} times", scale) : fmt::format("1/{:.4g} of", 1 / scale);
}

/// How the file stores the rest pose, if that differs from the posed character.
void describeSpace(const Character& character, Findings& found) {
    double scale = 1;
    bool mirrored = false, turned = false;
    for (const Affine3d& space : character.from_file) {
        const double own = rig::restScale(space);
        if (std::abs(std::log(own)) > std::abs(std::log(scale))) scale = own;
        mirrored |= determinant(space.linear()) < 0;
        turned |= std::abs(own * space.m[0] - 1) + std::abs(own * space.m[5] - 1) > 1e-3;
    }
    found.json["rest_scale"] = scale;
    std::string text;
    if (std::abs(scale - 1) > 1e-3) text = fmt::format("is {} the posed character", scaleWords(scale));
    if (turned) text += fmt::format("{} turned", text.empty() ? "is" : " and");
    if (mirrored) text += fmt::format("{} mirrored", text.empty() ? "is" : " and");
    if (!text.empty()) found.line("space", fmt::format("rest pose {}", text));
}

}  // namespace

void Findings::line(std::string_view label, const std::string& value) {
    text += fmt::format("  {:<12} {}\n", label, oneLine(value));
}

void Findings::problem(std::size_t count, std::string_view one, std::string_view many) {
    if (count > 0) problems.push_back(counted(count, one, many));
}

void describeMesh(const Mesh& mesh, float weld_tolerance, Findings& found) {
    describeShape(mesh, weld_tolerance, found);
    describeParts(mesh, found);
    describeChannels(mesh, found);
}

void describeCharacter(const Character& character, float weld_tolerance, bool utf8, Findings& found) {
    const bool moves_only = rig::vertexCount(character) == 0;
    if (character.props.mesh.parts.empty())
        describeMesh(character.mesh, weld_tolerance, found);
    else
        describeMesh(rig::wholeMesh(character), weld_tolerance, found);
    if (moves_only) {
        found.problems.clear();
        found.text.clear();
        found.line("vertices", "none: a skeleton with clips, which play on another character (`clips`)");
        if (character.clips.empty()) found.problems.push_back("neither a mesh nor clips");
    }
    describeProps(character, found);
    describeSpace(character, found);
    const rig::JointList joints = rig::listJoints(character.skeleton);
    found.json["bones"] = joints.entries.size();
    found.json["joints"] = Json::array();
    const std::vector<Vec3d> places = rig::jointRestPositions(character.skeleton);
    for (const rig::JointList::Entry& joint : joints.entries) {
        const Vec3d& p = places[joint.first_slot];
        found.json["joints"].push_back({{"name", joint.name}, {"parent", joint.parent}, {"position", {p.x, p.y, p.z}}});
    }
    describeInfluences(character, joints, found);
    describePayload(character, found);
    describeClips(character, found);
    describeDriven(character, found);
    const std::size_t idle = found.json.value("joints_without_vertices", std::size_t(0));
    found.line("joints",
               fmt::format("{}{}", joints.entries.size(), idle > 0 ? fmt::format(" ({} without vertices)", idle) : ""));
    found.text += drawTree(joints, "    ", utf8);
}

void describeSequence(const MeshSequence& sequence, float weld_tolerance, Findings& found) {
    found.json["frames"] = sequence.frameCount();
    found.json["vertices"] = sequence.vertexCount();
    found.json["frame_seconds"] = sequence.frameSeconds();
    found.line("frames", fmt::format("{} of {} vertices, {:.4g} s apart", sequence.frameCount(), sequence.vertexCount(),
                                     sequence.frameSeconds()));
    if (sequence.frameCount() == 0) found.problems.push_back("no frames");
    if (const Mesh* mesh = sequence.mesh()) return describeMesh(*mesh, weld_tolerance, found);
    found.json["triangles"] = 0;
    found.line("triangles", "none in this format; `mesh` provides them to verbs that need them");
}

}  // namespace pelt::verbs

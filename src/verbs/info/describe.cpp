#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/geometry/bounding_sphere.h>
#include <pelt/geometry/mesh_report.h>
#include <pelt/io/mesh_file.h>
#include <pelt/io/sequence_file.h>
#include <pelt/rig/driven_joints.h>
#include <pelt/rig/props.h>
#include <pelt/rig/rest_space.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "joint_list.h"
#include "payload_report.h"
#include "text.h"
#include "verbs.h"

namespace pelt::cli {
namespace {

using Json = nlohmann::ordered_json;

/// The findings of info, for JSON and text.
struct Findings {
    Json json;
    std::string text;
    std::vector<std::string> problems;

    void line(std::string_view label, const std::string& value) {
        text += fmt::format("  {:<12} {}\n", label, oneLine(value));
    }
    void problem(std::size_t count, std::string_view one, std::string_view many) {
        if (count > 0) problems.push_back(counted(count, one, many));
    }
};

void describeBounds(std::span<const Vec3f> positions, Findings& found) {
    const auto [low, high] = geometry::boundingBox(positions);
    found.json["bounds"] = {{low.x, low.y, low.z}, {high.x, high.y, high.z}};
    found.line("bounds", fmt::format("{:.4g} {:.4g} {:.4g} to {:.4g} {:.4g} {:.4g}", low.x, low.y, low.z, high.x,
                                     high.y, high.z));
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

void describeMesh(const Mesh& mesh, float weld_tolerance, Findings& found) {
    describeShape(mesh, weld_tolerance, found);
    describeParts(mesh, found);
    describeChannels(mesh, found);
}

/// How many joints follow others, by kind.
void describeDriven(const Character& character, Findings& found) {
    constexpr std::array kWords = {"half-way turns", "scales", "learned", "virtual (Direct Delta Mush)"};
    std::array<std::size_t, rig::kDriverKinds.size()> counts{};
    for (const rig::DrivenJoint& joint : character.driven) ++counts[std::size_t(joint.kind)];
    std::string text;
    for (std::size_t k = 0; k < counts.size(); ++k) {
        if (counts[k] == 0) continue;
        found.json["driven"][std::string(rig::kDriverKinds[k])] = counts[k];
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[k], kWords[k]);
    }
    if (!text.empty()) found.line("driven", text);
}

void describeInfluences(const Character& character, const JointList& joints, Findings& found) {
    const SkinWeights& weights = character.weights;
    const std::size_t most = maxInfluences(weights);
    std::vector<std::size_t> histogram(most + 1, 0);
    std::vector<bool> used(joints.entries.size(), false);
    for (std::size_t v = 0; v < weights.vertexCount(); ++v) ++histogram[weights.influenceCount(v)];
    for (const std::uint32_t slot : weights.joints) used[joints.of_slot[slot]] = true;
    found.json["max_influences"] = most;
    found.json["influences"] = weights.empty() ? std::vector<std::size_t>{} : histogram;
    if (joints.entries.empty()) return;
    if (weights.empty()) {
        found.problems.push_back("joints but no skin weights");
        return;
    }
    std::string shares;
    for (std::size_t n = 1; n < histogram.size(); ++n)
        if (histogram[n] > 0) shares += fmt::format("{}{}: {}", shares.empty() ? "" : ", ", n, histogram[n]);
    found.line("influences", fmt::format("at most {} (vertices by joints: {})", most, shares));
    found.problem(histogram[0], "vertex without weights", "vertices without weights");
    const auto idle = static_cast<std::size_t>(std::count(used.begin(), used.end(), false));
    found.problem(idle, "joint without vertices", "joints without vertices");
}

void describePayload(const Character& character, Findings& found) {
    if (!character.ddm) return;
    const PayloadReport report = reportPayload(*character.ddm);
    found.json["ddm"] = report.json;
    for (const std::string& line : report.lines) found.line(&line == report.lines.data() ? "mushed" : "", line);
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

std::string times(double scale) {
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
    if (std::abs(scale - 1) > 1e-3) text = fmt::format("is {} the posed character", times(scale));
    if (turned) text += fmt::format("{} turned", text.empty() ? "is" : " and");
    if (mirrored) text += fmt::format("{} mirrored", text.empty() ? "is" : " and");
    if (!text.empty()) found.line("space", fmt::format("rest pose {}", text));
}

void describeCharacter(const Character& character, float weld_tolerance, Findings& found) {
    describeMesh(rig::wholeMesh(character), weld_tolerance, found);
    describeProps(character, found);
    describeSpace(character, found);
    const JointList joints = listJoints(character.skeleton);
    found.json["bones"] = joints.entries.size();
    found.json["joints"] = Json::array();
    const std::vector<Vec3d> places = rig::jointRestPositions(character.skeleton);
    for (const JointList::Entry& joint : joints.entries) {
        const Vec3d& p = places[joint.first_slot];
        found.json["joints"].push_back({{"name", joint.name}, {"parent", joint.parent}, {"position", {p.x, p.y, p.z}}});
    }
    describeInfluences(character, joints, found);
    describePayload(character, found);
    describeClips(character, found);
    describeDriven(character, found);
    found.line("joints", fmt::format("{}", joints.entries.size()));
    found.text += drawTree(joints, "    ", speaksUtf8());
    for (const std::string& warning : character.warnings) found.problems.push_back(warning);
}

/// A sequence may be truncated or damaged in any frame; the reader reports where.
void readEveryFrame(MeshSequence& sequence, const Progress& progress) {
    std::vector<Vec3f> positions(sequence.vertexCount());
    const std::size_t frames = sequence.frameCount();
    for (std::size_t frame = 0; frame < frames; ++frame) {
        progress.report("inspect", static_cast<double>(frame) / static_cast<double>(frames));
        sequence.readFrame(frame, positions);
    }
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
    found.line("triangles", "none in this format; --mesh provides them to verbs that need them");
}

/// A mesh or a sequence has the same keys as a character, so that scripts need not distinguish them.
void fillMissingKeys(Json& json) {
    const Json empty = {{"bones", 0}, {"joints", Json::array()}, {"max_influences", 0}, {"clips", Json::array()}};
    for (const auto& [key, value] : empty.items())
        if (!json.contains(key)) json[key] = value;
}

void runInfo(Session& session, const std::filesystem::path& file, const std::optional<std::filesystem::path>& mesh,
             float weld_tolerance) {
    Findings found;
    const char* kind = "character";
    session.stage("load");
    switch (session.kindOf(file)) {
        case pipeline::FileKind::character: {
            const Character character = session.loadAny(file);  // its problems include what was repaired
            session.stage("inspect");
            describeCharacter(character, weld_tolerance, found);
            break;
        }
        case pipeline::FileKind::mesh: {
            const Mesh loaded = io::loadMesh(file);
            session.stage("inspect");
            kind = "mesh";
            describeMesh(loaded, weld_tolerance, found);
            break;
        }
        case pipeline::FileKind::sequence: {
            const auto sequence = pipeline::openSequence(file, {}, mesh);
            session.stage("inspect");
            kind = "sequence";
            readEveryFrame(*sequence, session.progress());
            describeSequence(*sequence, weld_tolerance, found);
            break;
        }
    }
    fillMissingKeys(found.json);
    session.result["file"] = file.string();
    session.result["kind"] = kind;
    session.result.update(found.json);
    session.result["problems"] = found.problems;
    session.print(fmt::format("{} ({})\n{}", oneLine(file.string()), kind, found.text));
    session.print(found.problems.empty() ? "  problems     none\n" : "  problems\n");
    for (const std::string& problem : found.problems) session.print(fmt::format("    - {}\n", oneLine(problem)));
}

}  // namespace

void addInfo(CLI::App& app, Session& session) {
    struct Options {
        std::filesystem::path file;
        std::optional<std::filesystem::path> mesh;
        float weld = 0;
    };
    const auto options = std::make_shared<Options>();
    CLI::App* verb = session.addVerb(
        app, "info", "Shows what is in a file: counts, joints, influences, clips, problems", "pelt info character.glb",
        [&session, options] { runInfo(session, options->file, options->mesh, options->weld); });
    verb->add_option("file", options->file, "A character, a mesh or a sequence")->required()->type_name("FILE");
    verb->add_option("--mesh", options->mesh, "A mesh that provides the faces of a sequence without faces")
        ->type_name("M");
    addPropsOption(*verb, session);
    verb->add_option("--weld", options->weld,
                     "Treat vertices within this distance as one (default: 0, equal positions)")
        ->check(zeroOrMore())
        ->type_name("TOL");
}

}  // namespace pelt::cli

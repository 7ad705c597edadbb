#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/geometry/sequence_error.h>
#include <pelt/io/mesh_file.h>
#include <pelt/io/png.h>

#include <algorithm>

#include "outputs.h"
#include "sheet.h"
#include "text.h"
#include "verbs.h"

namespace pelt::cli {
namespace {

struct CompareOptions {
    std::filesystem::path a, b;
    std::optional<std::filesystem::path> mesh, heatmap;
    pipeline::Sampling sampling;
    std::optional<double> max_error;
    std::string size;
};

void checkSizes(const CompareOptions& options, const MeshSequence& a, const MeshSequence& b) {
    if (a.vertexCount() == b.vertexCount() && a.frameCount() == b.frameCount()) return;
    throw Error::badInput(
        {options.a.string()},
        fmt::format("{} of {} vertices, but {} has {} of {}; only sequences of the same size can be compared",
                    counted(a.frameCount(), "frame", "frames"), a.vertexCount(), options.b.string(),
                    counted(b.frameCount(), "frame", "frames"), b.vertexCount()));
}

/// The pose that determines the scale of E_RMS and is used for the heat map: --mesh, otherwise frame 0 of A.
std::vector<Vec3f> restPose(const CompareOptions& options, const std::optional<Mesh>& mesh, MeshSequence& a) {
    if (!mesh) {
        std::vector<Vec3f> rest(a.vertexCount());
        if (a.frameCount() > 0) a.readFrame(0, rest);
        return rest;
    }
    if (mesh->vertexCount() != a.vertexCount())
        throw Error::badInput(
            {options.mesh->string()},
            fmt::format("has {} vertices, but {} has {}", mesh->vertexCount(), options.a.string(), a.vertexCount()));
    return mesh->positions;
}

std::span<const Triangle> facesOf(const CompareOptions& options, const std::optional<Mesh>& mesh, const MeshSequence& a,
                                  const MeshSequence& b) {
    for (const Mesh* source : {mesh ? &*mesh : nullptr, a.mesh(), b.mesh()})
        if (source && !source->triangles.empty()) return source->triangles;
    throw Error::badInput({options.a.string()}, "neither sequence has faces for a heat map; give some with --mesh M");
}

Image drawHeatmap(Session& session, const CompareOptions& options, const geometry::SequenceError& error,
                  const std::vector<Vec3f>& rest, std::span<const Triangle> faces) {
    const float most =
        error.vertex_rms.empty() ? 0 : *std::max_element(error.vertex_rms.begin(), error.vertex_rms.end());
    std::vector<Shot> shots(2);
    for (Shot& shot : shots) {
        shot.positions = rest;
        shot.triangles = faces;
        shot.values = error.vertex_rms;
    }
    shots[0].camera.azimuth = 25;
    shots[0].caption = "front";
    shots[1].camera.azimuth = 205;
    shots[1].caption = "back";
    SheetLayout layout;
    layout.columns = 2;
    layout.title = fmt::format("{} against {}: RMS {:.4g}, max {:.4g}, E_RMS {:.4g}", options.a.filename().string(),
                               options.b.filename().string(), error.rms, error.max, error.e_rms);
    layout.bar = render::ColorBar{render::ColorMap::viridis, 0, most, "RMS"};
    if (!options.size.empty()) layout.size = parseSize(options.size);
    return drawSheet(session, shots, layout);
}

void reportError(Session& session, const CompareOptions& options, const MeshSequence& a,
                 const geometry::SequenceError& error) {
    session.result["a"] = options.a.string();
    session.result["b"] = options.b.string();
    session.result["vertices"] = a.vertexCount();
    session.result["frame_count"] = a.frameCount();
    session.result["rms"] = error.rms;
    session.result["max"] = error.max;
    session.result["e_rms"] = error.e_rms;
    session.result["frames"] = nlohmann::ordered_json::array();
    std::size_t worst = 0;
    for (std::size_t f = 0; f < error.frames.size(); ++f) {
        session.result["frames"].push_back({{"rms", error.frames[f].rms}, {"max", error.frames[f].max}});
        if (error.frames[f].max > error.frames[worst].max) worst = f;
    }
    session.print(fmt::format("{} of {} vertices\n  RMS    {:.6g}\n  max    {:.6g} (frame {})\n  E_RMS  {:.6g}\n",
                              counted(a.frameCount(), "frame", "frames"), a.vertexCount(), error.rms, error.max, worst,
                              error.e_rms));
}

void runCompare(Session& session, const CompareOptions& options) {
    std::vector<std::filesystem::path> inputs{options.a, options.b};
    if (options.mesh) inputs.push_back(*options.mesh);
    if (options.heatmap) checkOutput(*options.heatmap, OutputKind::picture, session.allInputs(inputs));
    if (!options.size.empty()) parseSize(options.size);

    session.stage("load");
    const auto a = openSequence(session, options.a, options.sampling, options.mesh);
    const auto b = openSequence(session, options.b, options.sampling, options.mesh);
    checkSizes(options, *a, *b);
    std::optional<Mesh> mesh;
    if (options.mesh) mesh = pipeline::loadMeshFor(*options.mesh, a->vertexCount());
    const std::vector<Vec3f> rest = restPose(options, mesh, *a);
    std::span<const Triangle> faces;
    if (options.heatmap) faces = facesOf(options, mesh, *a, *b);

    session.stage("compare");
    const geometry::SequenceError error = geometry::compareSequences(*a, *b, rest, session.progress());
    reportError(session, options, *a, error);
    if (options.heatmap) {
        const Image picture = drawHeatmap(session, options, error, rest, faces);
        session.stage("write");
        session.savePicture(picture, *options.heatmap);
        session.result["heatmap"] = options.heatmap->string();
    }
    if (options.max_error && !(error.e_rms <= *options.max_error))
        session.missGate(fmt::format("{}: E_RMS {:.6g} to {} is above --max-error {:.6g}", options.a.string(),
                                     error.e_rms, options.b.string(), *options.max_error));
}

}  // namespace

void addCompare(CLI::App& app, Session& session) {
    const auto options = std::make_shared<CompareOptions>();
    CLI::App* verb = session.addVerb(app, "compare", "Measures the distance between two sequences: RMS, maximum, E_RMS",
                                     "pelt compare lbs.npy dqs.npy --mesh character.glb --heatmap difference.png",
                                     [&session, options] { runCompare(session, *options); });
    verb->add_option("a", options->a, "A sequence, a mesh, or a character (its skin is sampled)")
        ->required()
        ->type_name("A");
    verb->add_option("b", options->b, "The other one, of the same size")->required()->type_name("B");
    verb->add_option("--mesh", options->mesh, "The rest pose that scales E_RMS (default: frame 0 of A), and faces")
        ->type_name("M");
    verb->add_option("--heatmap", options->heatmap, "Write a picture of the error of each vertex over all frames")
        ->type_name("F.png");
    verb->add_option("--size", options->size, "Size of that picture")->type_name("WxH");
    verb->add_option("--max-error", options->max_error, "Exit with status 4 if E_RMS is above this")
        ->check(zeroOrMore())
        ->type_name("E");
    addSamplingOptions(*verb, session, options->sampling, true);
    addLimitsOption(*verb, session);
    addPropsOption(*verb, session);
}

}  // namespace pelt::cli

// pelt compare: the distance between two sequences.
#include <fmt/format.h>
#include <pelt/geometry/sequence_error.h>

#include "verbs/run/common_options.h"
#include "verbs/run/report.h"

namespace pelt::verbs {
namespace {

struct CompareOptions {
    std::optional<double> max_error;
    std::optional<PictureSize> size;
};

OptionTable<CompareOptions> compareRows() {
    using Row = OptionRow<CompareOptions>;
    return {
        Row("size", "WxH", &CompareOptions::size, "Size of that picture").unit("pixels").programOnly(),
        Row("max_error", "E", &CompareOptions::max_error, "Exit with status 4 if E_RMS is above this")
            .from(0)
            .in(kCommon),
    };
}

void checkSizes(const Run& run, const MeshSequence& a, const MeshSequence& b) {
    if (a.vertexCount() == b.vertexCount() && a.frameCount() == b.frameCount()) return;
    throw Error::badInput(
        {run.nameOf("a")},
        fmt::format("{} of {} vertices, but {} has {} of {}; only sequences of the same size can be compared",
                    counted(a.frameCount(), "frame", "frames"), a.vertexCount(), run.nameOf("b"),
                    counted(b.frameCount(), "frame", "frames"), b.vertexCount()));
}

/// The pose that determines the scale of E_RMS and is used for the heat map: `mesh`, otherwise frame 0 of A.
std::vector<Vec3f> restPose(const Run& run, const std::optional<Mesh>& mesh, MeshSequence& a) {
    if (!mesh) {
        std::vector<Vec3f> rest(a.vertexCount());
        if (a.frameCount() > 0) a.readFrame(0, rest);
        return rest;
    }
    if (mesh->vertexCount() != a.vertexCount())
        throw Error::badInput({run.nameOf("mesh")}, fmt::format("has {} vertices, but {} has {}", mesh->vertexCount(),
                                                                run.nameOf("a"), a.vertexCount()));
    return mesh->positions;
}

std::span<const Triangle> facesOf(const Run& run, const std::optional<Mesh>& mesh, const MeshSequence& a,
                                  const MeshSequence& b) {
    for (const Mesh* source : {mesh ? &*mesh : nullptr, a.mesh(), b.mesh()})
        if (source && !source->triangles.empty()) return source->triangles;
    throw Error::badInput({run.nameOf("a")}, "neither sequence has faces for a heat map; give some with `mesh` M");
}

void reportCompare(Run& run, const MeshSequence& a, const geometry::SequenceError& error) {
    run.result["a"] = run.nameOf("a");
    run.result["b"] = run.nameOf("b");
    run.result["vertices"] = a.vertexCount();
    run.result["frame_count"] = a.frameCount();
    run.result["rms"] = error.rms;
    run.result["max"] = error.max;
    run.result["e_rms"] = error.e_rms;
    run.result["frames"] = nlohmann::ordered_json::array();
    std::size_t worst = 0;
    for (std::size_t f = 0; f < error.frames.size(); ++f) {
        run.result["frames"].push_back({{"rms", error.frames[f].rms}, {"max", error.frames[f].max}});
        if (error.frames[f].max > error.frames[worst].max) worst = f;
    }
    run.print(fmt::format("{} of {} vertices\n  RMS    {:.6g}\n  max    {:.6g} (frame {})\n  E_RMS  {:.6g}\n",
                          counted(a.frameCount(), "frame", "frames"), a.vertexCount(), error.rms, error.max, worst,
                          error.e_rms));
}

std::string heatmapTitle(const Run& run, const geometry::SequenceError& error) {
    const auto file = [&](std::string_view input) {
        return std::filesystem::path(run.nameOf(input)).filename().string();
    };
    return fmt::format("{} against {}: RMS {:.4g}, max {:.4g}, E_RMS {:.4g}", file("a"), file("b"), error.rms,
                       error.max, error.e_rms);
}

void runCompare(Run& run) {
    const auto options = run.read(compareRows());
    const methods::Sampling sampling = readSampling(run, samplingRows());
    run.needs("limits", "clip");
    const bool draws = run.wants("heatmap", Kind::picture);
    run.stage("load");
    const auto a = run.sequence(run.given("a"), sampling, "mesh");
    const auto b = run.sequence(run.given("b"), sampling, "mesh");
    checkSizes(run, *a, *b);
    std::optional<Mesh> mesh;
    if (run.has("mesh")) mesh = run.meshFor(run.given("mesh"), a->vertexCount());
    const std::vector<Vec3f> rest = restPose(run, mesh, *a);
    std::span<const Triangle> faces;
    if (draws) faces = facesOf(run, mesh, *a, *b);

    run.stage("compare");
    const geometry::SequenceError error = geometry::compareSequences(*a, *b, rest, run.progress());
    reportCompare(run, *a, error);
    if (draws) {
        run.draw({rest, faces, error.vertex_rms, heatmapTitle(run, error), "RMS", options.size}, "heatmap");
        run.result["heatmap"] = run.outputName("heatmap");
    }
    if (options.max_error && !(error.e_rms <= *options.max_error))
        run.missGate(fmt::format("{}: E_RMS {:.6g} to {} is above `max_error` {:.6g}", run.nameOf("a"), error.e_rms,
                                 run.nameOf("b"), *options.max_error));
}

}  // namespace

Verb compareVerb() {
    return {
        .name = "compare",
        .summary = "Measures the distance between two sequences: RMS, maximum, E_RMS",
        .example = "pelt compare lbs.npy dqs.npy --mesh character.glb --heatmap difference.png",
        .inputs = {{.name = "a",
                    .kind = Kind::any,
                    .values = "A",
                    .summary = "A sequence, a mesh, or a character (its skin is sampled)"},
                   {.name = "b", .kind = Kind::any, .values = "B", .summary = "The other one, of the same size"},
                   meshInput("The rest pose that scales E_RMS (default: frame 0 of A), and faces"),
                   clipsInput(),
                   limitsInput()},
        .options = joined(joined(optionInfos(compareRows()), optionInfos(samplingRows())), optionInfos(propsRows())),
        .outputs = {{.name = "heatmap",
                     .kinds = {Kind::picture},
                     .values = "F.png",
                     .summary = "Write a picture of the error of each vertex over all frames",
                     .required = false,
                     .group = kCommon,
                     .program_only = true}},
        .run = runCompare};
}

}  // namespace pelt::verbs

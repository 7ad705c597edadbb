// What `pelt decompose` tells about its work.
#include "decompose_report.h"

#include <fmt/format.h>

namespace pelt::verbs {
namespace {

using DecomposeJson = nlohmann::ordered_json;

DecomposeJson jsonOf(const Vec3d& v) { return DecomposeJson::array({v.x, v.y, v.z}); }

void reportBones(Run& run, const DecomposeResult& made) {
    DecomposeJson& result = run.result;
    result["spheres"] = DecomposeJson::array();
    for (const geometry::Sphere& sphere : made.spheres)
        result["spheres"].push_back({{"center", jsonOf(sphere.center)}, {"radius", sphere.radius}});
    if (made.links.empty()) return;
    result["joints"] = DecomposeJson::array();
    for (std::size_t b = 0; b < made.links.size(); ++b)
        result["joints"].push_back({{"name", rig::jointName(made.character.skeleton, b)},
                                    {"parent", made.links[b].parent},
                                    {"center", jsonOf(made.links[b].center)},
                                    {"error", made.links[b].error}});
}

void reportSolve(Run& run, const DecomposeResult& made) {
    DecomposeJson& result = run.result;
    if (made.eigenskin) {
        result["eigenskin"] = made.eigenskin->rank;
        result["e_rms_without_eigenskin"] = made.decomposition.e_rms;
        result["e_rms_world_eigenskin"] = made.eigenskin->world_e_rms;
    }
    result["steps"] = DecomposeJson::array();
    for (const fit::DecomposeStep& step : made.decomposition.steps)
        result["steps"].push_back({{"name", step.name}, {"e_rms", step.e_rms}});
    result["reinitialized"] = made.decomposition.reinitialized;
    if (!made.trials.empty()) {
        result["trials"] = DecomposeJson::array();
        for (const fit::BoneCountTrial& trial : made.trials)
            result["trials"].push_back({{"bones", trial.bones}, {"e_rms", trial.e_rms}});
    }
    result["compression"] = {{"ratio", made.compression.ratio()},
                             {"stored_numbers", made.compression.stored_numbers},
                             {"input_numbers", made.compression.input_numbers}};
}

}  // namespace

void reportDecompose(Run& run, fit::BoneKind kind, const Sequences& sequences, const DecomposeResult& made,
                     const geometry::SequenceError& error) {
    const fit::Decomposition& decomposition = made.decomposition;
    const std::size_t influences = maxInfluences(made.character.weights);
    DecomposeJson& result = run.result;
    result["output"] = run.outputName();
    result["vertices"] = made.character.mesh.vertexCount();
    result["triangles"] = made.character.mesh.triangles.size();
    result["frames"] = decomposition.frames;
    result["clips"] = DecomposeJson::array();
    for (const NamedSequence& sequence : sequences.named)
        result["clips"].push_back({{"name", sequence.name}, {"frames", sequence.frames->frameCount()}});
    result["bones"] = decomposition.bones;
    result["bones_kind"] = wordOf(kind);
    result["influences"] = influences;
    result["rms"] = error.rms;
    result["max"] = error.max;
    result["e_rms"] = error.e_rms;
    if (error.normals) result["normals"] = {{"mean", error.normals->mean}, {"p99", error.normals->p99}};
    reportSolve(run, made);
    reportBones(run, made);
    const std::string normals = error.normals
                                    ? fmt::format(", face normals off by {:.2g}° on average, 99 % by at most {:.3g}°",
                                                  error.normals->mean, error.normals->p99)
                                    : "";
    run.print(fmt::format(
        "{}: {} of {} vertices on {}, at most {} per vertex: E_RMS {:.4g}, RMS {:.4g}, max {:.4g}{}, compression "
        "{:.1f}\n",
        oneLine(run.outputName()), counted(decomposition.frames, "frame", "frames"), made.character.mesh.vertexCount(),
        counted(decomposition.bones, "bone", "bones"), influences, error.e_rms, error.rms, error.max, normals,
        made.compression.ratio()));
}

}  // namespace pelt::verbs

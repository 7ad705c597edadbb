// pelt bake: any deformer, or a deformed sequence, as plain skin weights.
#include <fmt/format.h>
#include <pelt/verbs/bake.h>

#include <algorithm>

#include "verbs/run/bare_skin.h"
#include "verbs/run/common_options.h"
#include "verbs/run/report.h"

namespace pelt::verbs {
namespace {

OptionTable<BakeRequest> bakeRows() {
    using B = BakeRequest;
    using Row = OptionRow<B>;
    return {
        Row("from", "METHOD|SEQ", &B::method,
            "What to bake: a method of pelt deform, or a sequence with one mesh per sample of the clip (default: ddm)")
            .in(kCommon),
        Row("influences", "K", &B::influences, "At most K joints per vertex, 0 for any number (default: 4)")
            .from(0, 65535)
            .in(kCommon),
        Row("helpers", "N", &B::helpers,
            "Add at most N helper joints, driven by other joints, where the error is largest (default: 0)")
            .from(0, 1000)
            .in(kCommon),
        Row("virtual", "N", &B::virtual_joints,
            "Add at most N virtual joints, which move as vertices of Direct Delta Mush do, instead of helpers: its "
            "look at the price of plain skinning")
            .from(1, 65535),
        Row("max_error", "E", &B::max_error,
            "The E_RMS to reach, with as few helpers or virtual joints as possible; exit status 4 if it is missed")
            .from(0)
            .in(kCommon),
        Row("only_clip", "", &B::only_clip,
            "Fit to the clip alone; by default the range of motion takes part too, for clips that the skin plays "
            "later"),
        Row("lock", "JOINT", &B::locked, "A joint whose weights are kept; may be repeated").type(OptionType::joint),
        Row("weld", "TOL", &B::weld, "Treat vertices within this distance as one (default: 0)").from(0),
    };
}

std::vector<OptionInfo> bakeInfos() {
    const std::vector<OptionInfo> own = joined(optionInfos(samplingRows()), optionInfos(bakeRows()));
    return joined(own, methodInfos(own));
}

/// What the options of other tables say.
void complete(BakeRequest& request, Run& run, const methods::Sampling& sampling, const Character& character) {
    request.sampling = sampling;
    request.range = run.limits(character.skeleton).value_or(rig::RangeOfMotion{});
    request.method_options = run.methodOptions();
    request.method_options.erase("influences");  // those of the skin that is made, not of the mush that is baked
}

using Json = nlohmann::ordered_json;

Json bakeErrorJson(const measure::SkinError& error) {
    return {{"rms", error.rms}, {"max", error.max}, {"e_rms", error.e_rms}, {"normals", error.normals}};
}

Json candidateJson(const BakeCandidate& candidate) {
    Json row = {{"name", candidate.name}, {"helpers", candidate.helpers}};
    if (candidate.virtual_joints > 0) row["virtual"] = candidate.virtual_joints;
    row.update(bakeErrorJson(candidate.main()));
    if (candidate.range) row["range_of_motion"] = bakeErrorJson(*candidate.range);
    return row;
}

std::string candidateLine(const BakeCandidate& candidate) {
    const std::string label = candidate.name == "helpers" ? counted(candidate.helpers, "helper", "helpers")
                              : candidate.name == "virtual"
                                  ? counted(candidate.virtual_joints, "virtual joint", "virtual joints")
                              : candidate.name == "v5"    ? "weights of v5"
                              : candidate.name == "given" ? "weights of the file"
                                                          : "baked weights";
    std::string line = fmt::format("  {:<20}", label);
    const auto add = [&](const char* where, const std::optional<measure::SkinError>& error) {
        if (error)
            line += fmt::format("  {}: E_RMS {:<8.4g} normals {:<6.3g}° max {:<8.4g}", where, error->e_rms,
                                error->normals, error->max);
    };
    add("clip", candidate.clip);
    add("range of motion", candidate.range);
    return line;
}

Json helpersJson(const Character& character, const BakeResult& made) {
    Json list = Json::array();
    const Skeleton& skeleton = made.character.skeleton;
    for (const std::uint32_t slot : made.helpers)
        for (std::size_t d = character.driven.size(); d < made.character.driven.size(); ++d) {
            const rig::DrivenJoint& driven = made.character.driven[d];
            if (driven.node != skeleton.joints[slot].node) continue;
            list.push_back({{"name", skeleton.nodes[driven.node].name},
                            {"kind", driven.kindName()},
                            {"driver", skeleton.nodes[driven.driver].name}});
        }
    return list;
}

void reportBake(Run& run, const std::string& from, const Character& character, const BakeResult& made) {
    Json& result = run.result;
    const BakeCandidate& chosen = made.candidates[made.chosen];
    const std::size_t influences = maxInfluences(made.character.weights);
    result["from"] = from;
    result["output"] = run.outputName();
    result["vertices"] = character.mesh.vertexCount();
    result["triangles"] = character.mesh.triangles.size();
    result["bones"] = boneCount(made.character);
    result["influences"] = influences;
    result.update(bakeErrorJson(chosen.main()));
    if (chosen.range) result["range_of_motion"] = bakeErrorJson(*chosen.range);
    result["chosen"] = chosen.name;
    result["virtual"] = chosen.virtual_joints;
    result["candidates"] = Json::array();
    std::string table;
    for (const BakeCandidate& candidate : made.candidates) {
        result["candidates"].push_back(candidateJson(candidate));
        table += candidateLine(candidate) + (&candidate == &chosen ? "  <- written\n" : "\n");
    }
    result["helpers"] = helpersJson(character, made);
    run.print(table);
    const std::string added =
        chosen.virtual_joints > 0 ? " and " + counted(chosen.virtual_joints, "virtual joint", "virtual joints")
        : made.helpers.empty()    ? ""
                                  : " and " + counted(made.helpers.size(), "helper joint", "helper joints");
    run.print(fmt::format(
        "{}: {} vertices, {} baked with at most {} joints per vertex{}: E_RMS {:.4g}, RMS {:.4g}, max {:.4g}\n",
        oneLine(run.outputName()), character.mesh.vertexCount(), oneLine(from), influences, added, chosen.main().e_rms,
        chosen.main().rms, chosen.main().max));
}

/// Says which clip was left out, because it stands still, and what the baked skin does not have although it was asked
/// for.
void tellDropped(Run& run, const Character& character, const BakeRequest& request, const BakeResult& made) {
    const std::string& file = run.nameOf("character");
    const Clip* const clip = methods::movingClip(character, request.sampling);
    if (!request.sequence && !request.base && !character.clips.empty()) {
        const Clip& dropped = request.sampling.clip ? *clip : character.clips.front();
        if (rig::standsStill(character.skeleton, dropped))
            run.warn(file,
                     fmt::format("clip '{}' stands still and does not count: {}", dropped.name,
                                 clip && clip != &dropped ? fmt::format("the skin is judged by '{}'", clip->name)
                                                          : std::string("the skin is judged by the range of motion")));
    }
    const BakeCandidate& chosen = made.candidates[made.chosen];
    const bool enough = request.max_error && chosen.main().e_rms <= *request.max_error;
    if (enough || (request.virtual_joints == 0 && request.helpers == 0)) return;
    const bool asked_virtual = request.virtual_joints > 0;
    if (asked_virtual ? chosen.virtual_joints == 0 : made.helpers.empty())
        run.warn(file, fmt::format("no {} joint was added: the skin without any is nearer ({})",
                                   asked_virtual ? "virtual" : "helper", chosen.name));
}

void runBake(Run& run) {
    BakeRequest request = run.read(bakeRows());
    const std::string from = request.method;  // or a sequence
    const methods::Sampling sampling = readSampling(run, samplingRows());
    run.stage("load");
    const CharacterRef character = boundIfBare(run, "character", run.character("character", sampling.clip));
    complete(request, run, sampling, *character);
    const std::unique_ptr<MeshSequence> sequence = givenMeshes(run, "from", from, *character);
    request.sequence = sequence.get();
    std::unique_ptr<MeshSequence> base;
    if (sequence) {
        request.method = BakeRequest().method;
    } else {
        base = baseMeshes(run, methods::findMethod(request.method), *character, request.method_options);
        request.base = base.get();
    }
    if ((run.has("base") || run.gives("base")) && (sequence || !methods::findMethod(request.method).traits.over_others))
        throw Error::badUsage("`base` is what dm and dm-tangent smooth: use it with `from` dm");
    run.stage("bake");
    BakeResult made = aboutFile(run.nameOf("character"), [&] { return bake(*character, request, run.progress()); });
    run.stage("write");
    tellDropped(run, *character, request, made);
    reportBake(run, run.has("from") ? run.nameOf("from") : from, *character, made);
    const double reached = made.candidates[made.chosen].main().e_rms;
    run.save(std::move(made.character));
    if (request.max_error && reached > *request.max_error)
        run.missGate(fmt::format("{}: E_RMS {:.4g} is above `max_error` {:.4g}; allow more `{}` or `influences`",
                                 run.outputName(), reached, *request.max_error,
                                 request.virtual_joints > 0 ? "virtual" : "helpers"));
}

}  // namespace

Verb bakeVerb() {
    return {
        .name = "bake",
        .summary = "Bakes any deformer, or a deformed sequence, to plain skin weights for every engine",
        .example = "pelt bake mushed.glb --from ddm --helpers 8 -o baked.glb",
        .inputs = {characterInput(),
                   meshesInput("from", "A sequence to bake instead of a method, with one mesh per sample of the clip"),
                   meshesInput("base",
                               "A sequence that dm and dm-tangent smooth, with one mesh per sample of the clip"),
                   limitsInput("How far joints bend and twist in the range of motion, in degrees (default: bend "
                               "90, twist 60, in both directions): {\"default\": {\"bend\": 90, \"twist\": 60}, "
                               "\"joints\": {\"knee\": {\"bend\": [0, 140]}}}"),
                   clipsInput()},
        .options = bakeInfos(),
        .outputs = {characterOutput()},
        .run = runBake};
}

}  // namespace pelt::verbs

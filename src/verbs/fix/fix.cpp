// Repairs the faults that check finds.
#include "fix.h"

#include <pelt/core/skin_weights.h>
#include <pelt/deform/ddm.h>
#include <pelt/methods/ddm.h>

#include <algorithm>
#include <set>

namespace pelt::verbs {
namespace {

using measure::Finding;
using measure::Flaw;
using measure::Remedy;
using measure::Severity;

constexpr std::size_t kLeastInfluences = 4;
constexpr float kAgrees = 0.7f;  // weight on joints that a vertex has already
constexpr double kWide = 0.1;    // of the points: more is no patch
constexpr int kMostRounds = 12;

bool isMendable(const Finding& finding, const FixRequest& request) {
    if (finding.severity != Severity::fault || finding.vertices.empty()) return false;
    if (!request.only.empty())
        return std::find(request.only.begin(), request.only.end(), finding.flaw) != request.only.end();
    return true;
}

/// The skin with other rows for some vertices; all others keep theirs to the bit.
SkinWeights withRows(const SkinWeights& weights, std::span<const std::uint32_t> vertices, const SkinWeights& rows) {
    SkinWeights made;
    std::size_t next = 0;
    for (std::uint32_t v = 0; v < weights.vertexCount(); ++v) {
        const bool other = next < vertices.size() && vertices[next] == v;
        const SkinWeights& from = other ? rows : weights;
        const std::size_t row = other ? next++ : v;
        made.joints.insert(made.joints.end(), from.jointsOf(row).begin(), from.jointsOf(row).end());
        made.weights.insert(made.weights.end(), from.weightsOf(row).begin(), from.weightsOf(row).end());
        made.endRow(made.joints.size());
    }
    return made;
}

SkinWeights chosenRows(const SkinWeights& weights, std::span<const std::uint32_t> vertices) {
    SkinWeights made;
    for (const std::uint32_t v : vertices) {
        made.joints.insert(made.joints.end(), weights.jointsOf(v).begin(), weights.jointsOf(v).end());
        made.weights.insert(made.weights.end(), weights.weightsOf(v).begin(), weights.weightsOf(v).end());
        made.endRow(made.joints.size());
    }
    return made;
}

/// The good bind's rows, of the joints that vertices have already; `otherwise` where these are not what it would take.
SkinWeights boundWithin(const SkinWeights& weights, const SkinWeights& good, std::span<const std::uint32_t> vertices,
                        const SkinWeights& otherwise) {
    SkinWeights made;
    std::vector<std::uint32_t> joints;
    std::vector<float> values;
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        const std::uint32_t v = vertices[i];
        const auto own = weights.jointsOf(v);
        joints.clear(), values.clear();
        float sum = 0;
        for (std::size_t k = 0; k < good.influenceCount(v); ++k) {
            if (std::find(own.begin(), own.end(), good.jointsOf(v)[k]) == own.end()) continue;
            joints.push_back(good.jointsOf(v)[k]);
            values.push_back(good.weightsOf(v)[k]);
            sum += values.back();
        }
        if (sum >= kAgrees)
            appendVertex(made, joints, values);
        else
            appendVertex(made, otherwise.jointsOf(i), otherwise.weightsOf(i));
    }
    return made;
}

/// What may be tried for a finding, the most faithful first.
std::vector<Remedy> remediesFor(const Character& character, const Judge& judge, const Finding& finding,
                                const Progress& progress) {
    std::vector<Remedy> remedies = finding.remedies;
    const bool spread = finding.flaw == Flaw::bleed && finding.share > kWide;
    if (finding.flaw == Flaw::crease) {  // Direct Delta Mush of the heaviest joints, baked into weights
        Character bare = character;
        bare.ddm = nullptr;
        const SkinWeights mushed = deform::plainWeights(methods::ddmRows(bare, {}, progress));
        remedies.push_back({"mush", chosenRows(mushed, finding.vertices)});
    }
    if (spread && !remedies.empty())
        remedies.insert(remedies.begin(), {"bind", boundWithin(character.weights, judge.good().weights,
                                                               finding.vertices, remedies.back().rows)});
    if (finding.flaw == Flaw::limits)
        remedies.push_back(
            {"limit", chosenRows(keepHeaviest(character.weights, std::size_t(finding.limit)), finding.vertices)});
    if ((finding.flaw == Flaw::bleed && !spread) || finding.flaw == Flaw::noise || finding.flaw == Flaw::unweighted)
        remedies.push_back({"bind", chosenRows(judge.good().weights, finding.vertices)});
    return remedies;
}

bool noRegionFalls(const measure::SkinCheck& before, const measure::SkinCheck& after) {
    for (std::size_t j = 0; j < before.regions.size(); ++j)
        if (before.regions[j] >= 0 && after.regions[j] >= 0 && after.regions[j] < before.regions[j] - 1e-6)
            return false;
    return true;
}

std::string placeOf(const Finding& finding) {
    return std::string(wordOf(finding.flaw)) + ' ' + std::to_string(finding.joint) + ' ' +
           std::to_string(finding.other) + ' ' + std::to_string(finding.vertices.empty() ? 0 : finding.vertices[0]);
}

}  // namespace

FixResult fixSkin(const Character& character, const Judge& judge, const FixRequest& request, const Progress& progress) {
    FixResult result;
    result.weights = character.weights;
    result.before = judge.check(character, progress);
    Character now = character;
    now.ddm = nullptr;
    measure::SkinCheck at = result.before;
    std::set<std::string> hopeless;
    const std::size_t influences = std::max(kLeastInfluences, maxInfluences(character.weights));
    for (int round = 0; round < kMostRounds; ++round) {
        const auto found = std::find_if(at.findings.begin(), at.findings.end(), [&](const Finding& finding) {
            return isMendable(finding, request) && !hopeless.contains(placeOf(finding));
        });
        if (found == at.findings.end()) break;
        Repair repair{*found, {}, at.score, at.score};
        SkinWeights best;
        measure::SkinCheck best_check;
        for (const Remedy& remedy : remediesFor(now, judge, *found, progress)) {
            const std::size_t most = found->flaw == Flaw::limits ? std::size_t(found->limit) : influences;
            now.weights = withRows(result.weights, found->vertices, keepHeaviest(withoutSmall(remedy.rows), most));
            measure::SkinCheck tried = judge.check(now, progress);
            if (tried.score > repair.after + 1e-9 && noRegionFalls(at, tried)) {
                repair.by = remedy.by;
                repair.after = tried.score;
                best = now.weights;
                best_check = std::move(tried);
                const auto faults = std::count_if(best_check.findings.begin(), best_check.findings.end(),
                                                  [](const Finding& f) { return f.severity == Severity::fault; });
                const auto had = std::count_if(at.findings.begin(), at.findings.end(),
                                               [](const Finding& f) { return f.severity == Severity::fault; });
                if (faults < had) break;  // the most faithful remedy that mends it
            }
        }
        if (repair.by.empty()) {
            hopeless.insert(placeOf(*found));
        } else {
            result.weights = std::move(best);
            at = std::move(best_check);
        }
        now.weights = result.weights;
        result.repairs.push_back(std::move(repair));
    }
    result.after = std::move(at);
    return result;
}

}  // namespace pelt::verbs

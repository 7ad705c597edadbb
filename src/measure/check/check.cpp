// The detectors in their order, what they found as severities and a score.
#include <pelt/core/error.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "surface.h"

namespace pelt::measure {
namespace {

constexpr double kWarningFrom = 0.6;     // of the limit: less is a note
constexpr double kNoteFrom = 0.3;        // of the limit: less is nothing
constexpr double kWarningsLeave = 0.95;  // of the score, however many there are

Severity severityOf(const Finding& finding) {
    if (finding.value >= finding.limit) return finding.most;
    return finding.value >= kWarningFrom * finding.limit ? std::min(finding.most, Severity::warning) : Severity::note;
}

/// 0 to 1: how much of the figure a finding spoils.
double sizeOf(const Finding& finding) {
    const double excess = finding.limit > 0 ? std::min(finding.value / finding.limit, 20.0) : 1;
    return 1 - std::exp(-(std::sqrt(finding.share) * 2 + finding.moved * 2 + 0.02 * excess));
}

/// Per slot: what findings leave of the points that follow it most; -1 where there are none.
std::vector<double> regionScores(const CheckSurface& surface, std::span<const Finding> findings) {
    std::vector<double> size(surface.places.size(), 0), left(surface.places.size(), 1);
    for (const std::uint32_t home : surface.home)
        if (home != kNone) ++size[home];
    std::vector<double> covered(surface.places.size());
    for (const Finding& finding : findings) {
        if (finding.severity != Severity::fault) continue;
        std::fill(covered.begin(), covered.end(), 0);
        for (const std::uint32_t v : finding.vertices) {
            const std::uint32_t p = surface.weld.welded[v];
            if (surface.home[p] != kNone && surface.weld.representative[p] == v) ++covered[surface.home[p]];
        }
        for (std::size_t j = 0; j < left.size(); ++j)
            if (size[j] > 0) left[j] *= 1 - 0.9 * covered[j] / size[j];
    }
    std::vector<double> scores(surface.character->skeleton.joints.size(), -1);
    for (std::uint32_t j = 0; j < left.size(); ++j)
        if (size[j] > 0) scores[std::size_t(surface.slot(j))] = 100 * left[j];
    return scores;
}

}  // namespace

double scoreOf(std::span<const Finding> findings) {
    double faults = 1, warnings = 1;
    for (const Finding& finding : findings) {
        if (finding.severity == Severity::fault) faults *= 0.9 - 0.6 * sizeOf(finding);
        if (finding.severity == Severity::warning) warnings *= 1 - 0.05 * sizeOf(finding);
    }
    return 100 * faults * std::max(warnings, kWarningsLeave);
}

SkinCheck checkSkin(const Character& character, const SkinPoses& poses, const PoseShape& reference,
                    const Progress& progress) {
    if (character.skeleton.joints.empty()) throw Error::badInput("has no skeleton");
    if (character.weights.empty())
        throw Error::badInput("has a skeleton but no skin weights; bind it first (pelt bind)");
    if (character.mesh.triangles.empty()) throw Error::badInput("has no faces");
    SkinCheck check;
    const CheckSurface surface = makeCheckSurface(character);
    const Motion motion(surface, poses);
    std::vector<bool> taken(surface.count(), false);
    void (*const detectors[])(CheckTools) = {findTorn,  findMisplaced, findPieces,    findBlur,
                                             findNoise, findCreases,   findAsymmetry, findUnused};
    for (std::size_t i = 0; i < std::size(detectors); ++i) {
        progress.report("check", double(i) / double(std::size(detectors)));
        detectors[i]({surface, motion, check.findings, taken});
    }
    findShapes({surface, motion, check.findings, taken}, poses, reference);
    for (Finding& finding : check.findings) finding.severity = severityOf(finding);
    std::erase_if(check.findings, [](const Finding& f) { return f.value < kNoteFrom * f.limit; });
    std::stable_sort(check.findings.begin(), check.findings.end(), [](const Finding& a, const Finding& b) {
        return a.severity != b.severity ? a.severity > b.severity : a.moved * a.share > b.moved * b.share;
    });
    check.score = scoreOf(check.findings);
    check.regions = regionScores(surface, check.findings);
    return check;
}

}  // namespace pelt::measure

// From what the network expects to rows of weights that suit the whole character.
#include "soft_rows.h"

#include <pelt/core/parallel.h>

#include <algorithm>

namespace pelt::bind {
namespace {

// How much more the joint of the rules counts than the network says. The network has seen few characters of many
// parts; there the rules, which know which bones a part encloses, are right more often.
constexpr float kTrust = 2, kTrustInParts = 5;
constexpr int kManyParts = 3;    // that bend
constexpr double kLarge = 0.02;  // of the surface
constexpr float kFade = 0.04f;   // weights below this go
// Of the weight of a rigid piece, enough to believe the rules: if a bone lies in it, and if it lies on another piece.
constexpr float kHolds = 0.1f, kLies = 0.25f;
constexpr float kWhole = 0.6f;     // of its weight: enough for a piece to follow one joint alone
constexpr double kLong = 0.2;      // of the diagonal: a longer piece follows one joint in any case
constexpr double kEyeball = 0.35;  // of the size of a piece: its center is no farther from the joint of an eye
constexpr double kEyeArea = 0.03;  // of the surface

/// A control that is where another joint is, outside the mesh or at the end of a chain never carries skin.
bool onlySteers(const BindScene& scene, std::uint32_t joint) {
    const JointFacts& facts = scene.joints[joint];
    return facts.word == JointWord::steer && scene.choices[joint] == SkinChoice::automatic &&
           (facts.shares_place || !facts.inside || scene.tree.children[joint].empty());
}

}  // namespace

SoftRow mixed(const SoftRow& entries) {
    SoftRow row = entries;
    std::stable_sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::size_t last = 0;
    for (std::size_t k = 1; k < row.size(); ++k) {
        if (row[k].first == row[last].first)
            row[last].second += row[k].second;
        else
            row[++last] = row[k];
    }
    if (!row.empty()) row.resize(last + 1);
    std::erase_if(row, [](const auto& entry) { return !(entry.second > 1e-5f); });
    std::stable_sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    float sum = 0;
    for (const auto& entry : row) sum += entry.second;
    for (auto& entry : row) entry.second /= sum;
    return row;
}

std::vector<SoftRow> expectedRows(const BindScene& scene, const Progress& progress) {
    const CandidateFeatures features(scene, progress);
    const SmoothNetwork network;
    const auto& pieces = scene.labels.pieces;
    const auto bending =
        std::count_if(pieces.begin(), pieces.end(), [](const Piece& p) { return p.area >= kLarge && !p.isRigid(); });
    const float trust = bending >= kManyParts ? kTrustInParts : kTrust;
    std::vector<bool> steers(scene.tree.size());
    for (std::uint32_t j = 0; j < steers.size(); ++j) steers[j] = onlySteers(scene, j);
    std::vector<SoftRow> rows(scene.surface.positions.size());
    progress.report("bind", 0.8);
    parallelFor(rows.size(), 128, [&](std::size_t first, std::size_t last) {
        std::vector<float> numbers(kCandidates * kFeatures);
        for (std::size_t v = first; v < last; ++v) {
            const auto sights = features.of(v);
            std::size_t count = 0;
            while (count < sights.size() && sights[count].joint != CandidateSight::kNone) ++count;
            features.write(v, numbers.data());
            const auto weights = network.weigh(numbers.data(), count);
            SoftRow row;
            for (std::size_t c = 0; c < count; ++c)
                if (!steers[sights[c].joint])
                    row.emplace_back(sights[c].joint,
                                     weights[c] * (sights[c].joint == scene.labels.joints[v] ? trust : 1));
            rows[v] = mixed(row);
            if (rows[v].empty()) rows[v] = {{scene.labels.joints[v], 1.0f}};
        }
    });
    return rows;
}

void mirrorRows(const BindScene& scene, std::vector<SoftRow>& rows) {
    const BindMirror& mirror = scene.labels.mirror;
    const bool one_sided = std::any_of(scene.choices.begin(), scene.choices.end(),
                                       [](SkinChoice choice) { return choice == SkinChoice::none; });
    if (!mirror.found() || one_sided) return;  // the user may want skin on one side alone
    const auto reflected = [&](const SoftRow& row) {
        SoftRow result;
        for (const auto& [joint, weight] : row) {
            const std::uint32_t twin = mirror.joints[joint];
            result.emplace_back(twin == BindMirror::kNoTwin ? joint : twin, weight);
        }
        return result;
    };
    const auto both = [](SoftRow a, const SoftRow& b) {
        a.insert(a.end(), b.begin(), b.end());
        return mixed(a);
    };
    for (std::uint32_t v = 0; v < rows.size(); ++v) {
        const std::uint32_t other = mirror.vertices[v];
        if (other == BindMirror::kNoTwin || other < v) continue;
        rows[v] = both(rows[v], reflected(rows[other]));
        if (other != v) rows[other] = mixed(reflected(rows[v]));
    }
}

void blendRows(const BindScene& scene, int times, std::vector<SoftRow>& rows) {
    constexpr float kAround = 0.5f;
    for (int k = 0; k < times; ++k) {
        std::vector<SoftRow> blended(rows.size());
        parallelFor(rows.size(), 256, [&](std::size_t first, std::size_t last) {
            for (std::size_t v = first; v < last; ++v) {
                const auto around = scene.surface.adjacency.of(v);
                SoftRow sum = rows[v];
                const float share = around.empty() ? 0 : kAround / static_cast<float>(around.size());
                for (auto& entry : sum) entry.second *= 1 - kAround;
                for (const std::uint32_t n : around)
                    for (const auto& [joint, weight] : rows[n]) sum.emplace_back(joint, share * weight);
                blended[v] = mixed(sum);
            }
        });
        rows = std::move(blended);
    }
}

void settleRows(const BindScene& scene, std::vector<SoftRow>& rows) {
    const std::size_t parts = scene.pieces.size();
    std::vector<std::vector<std::pair<std::uint32_t, float>>> sums(parts);
    for (std::size_t v = 0; v < rows.size(); ++v) {
        const std::uint32_t part = scene.surface.parts.part[v];
        if (!scene.labels.pieces[part].isRigid()) continue;
        for (const auto& [joint, weight] : rows[v])
            sums[part].emplace_back(joint, weight * static_cast<float>(scene.areas[v]));
    }
    std::vector<SoftRow> whole(parts);
    for (std::uint32_t p = 0; p < parts; ++p) {
        SoftRow row = mixed(sums[p]);
        if (row.empty()) continue;
        const std::uint32_t label = scene.pieces[p].shares[0].first;  // the rules give the piece to one joint
        const auto found =
            std::find_if(row.begin(), row.end(), [&](const auto& entry) { return entry.first == label; });
        const bool rides = scene.labels.pieces[p].rides();
        const bool agrees = found != row.end() && found->second >= (rides ? kLies : kHolds);
        const std::uint32_t joint = agrees ? label : row[0].first;
        const bool clear = (agrees && !rides) || (agrees ? found->second : row[0].second) >= kWhole;
        whole[p] = clear || scene.pieces[p].size > kLong * scene.surface.diagonal ? SoftRow{{joint, 1.0f}} : row;
    }
    for (std::uint32_t j = 0; j < scene.tree.size(); ++j) {
        if (scene.joints[j].word != JointWord::eye || scene.choices[j] == SkinChoice::none) continue;
        for (std::uint32_t p = 0; p < parts; ++p)
            if (scene.labels.pieces[p].area < kEyeArea &&
                length(scene.pieces[p].center - scene.tree.positions[j]) < kEyeball * scene.pieces[p].size)
                whole[p] = {{j, 1.0f}};
    }
    for (std::size_t v = 0; v < rows.size(); ++v)
        if (const SoftRow& row = whole[scene.surface.parts.part[v]]; !row.empty()) rows[v] = row;
}

void sharpenRows(std::vector<SoftRow>& rows) {
    for (SoftRow& row : rows) {
        const float fade = std::min(kFade, 0.5f * row[0].second);
        for (auto& entry : row) entry.second = std::max(0.0f, entry.second - fade);
        row = mixed(row);
    }
}

}  // namespace pelt::bind

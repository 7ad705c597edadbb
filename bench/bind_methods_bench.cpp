// How near the methods of `bind` come to the weights that an artist painted. scripts/bind_bench runs it over a folder;
// docs/bind_benchmark.md has the protocol.
//
//     bind_methods_bench FILE [--methods smooth,rigid,bbw] [--lattice N] [--bound NAME=FILE]
//
// Prints one line of JSON per method. --bound is the same character with weights of another program.
#include <fmt/format.h>
#include <pelt/bind/bounded_biharmonic.h>
#include <pelt/bind/smooth_bind.h>
#include <pelt/core/error.h>
#include <pelt/geometry/bounding_box.h>
#include <pelt/geometry/ray_tree.h>
#include <pelt/io/character_file.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <map>
#include <numbers>
#include <random>
#include <string_view>

namespace pelt::bench {
namespace {

constexpr int kPoses = 10;
constexpr double kDegrees = 30, kInfluence = 1e-4;

struct Score {
    double hit = 0, l1 = 0, distance = 0, precision = 0, recall = 0, influences = 0;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> confused;  ///< artist's and bound node, vertices
};

/// Weights by node, so that two slots of one node are one joint.
std::map<std::uint32_t, double> byNode(const Skeleton& skeleton, const SkinWeights& weights, std::size_t v) {
    std::map<std::uint32_t, double> row;
    for (std::size_t k = 0; k < weights.influenceCount(v); ++k)
        row[skeleton.joints[weights.jointsOf(v)[k]].node] += weights.weightsOf(v)[k];
    return row;
}

/// Every joint turned about its place by an angle within kDegrees, about an axis of any direction.
std::vector<Affine3d> randomPose(const Skeleton& skeleton, std::mt19937& random) {
    const auto uniform = [&] { return 2 * (static_cast<double>(random()) / 4294967296.0) - 1; };
    const std::vector<Vec3d> places = rig::jointRestPositions(skeleton);
    const std::vector<std::int32_t> parents = rig::jointParents(skeleton);
    std::map<std::uint32_t, Affine3d> turns;  // by node: slots of one node turn as one
    std::vector<Affine3d> own(places.size()), moves(places.size());
    for (std::size_t j = 0; j < places.size(); ++j) {
        const Vec3d axis = normalized(Vec3d(uniform(), uniform(), uniform()), {1, 0, 0});
        const double angle = uniform() * kDegrees * std::numbers::pi / 180, c = std::cos(angle), s = std::sin(angle);
        Mat3d turn;
        const Vec3d basis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        for (std::size_t k = 0; k < 3; ++k)
            turn.col[k] = basis[k] * c + cross(axis, basis[k]) * s + axis * (dot(axis, basis[k]) * (1 - c));
        own[j] = turns.try_emplace(skeleton.joints[j].node, turn, places[j] - turn * places[j]).first->second;
    }
    for (std::size_t j = 0; j < places.size(); ++j) {
        moves[j] = own[j];
        for (auto p = parents[j]; p >= 0; p = parents[static_cast<std::size_t>(p)])
            moves[j] = own[static_cast<std::size_t>(p)] * moves[j];
    }
    return moves;
}

Vec3d posed(const SkinWeights& weights, std::size_t v, const Vec3d& rest, const std::vector<Affine3d>& moves) {
    Vec3d sum;
    for (std::size_t k = 0; k < weights.influenceCount(v); ++k)
        sum += moves[weights.jointsOf(v)[k]] * rest * double(weights.weightsOf(v)[k]);
    return sum;
}

double distanceOf(const Character& artist, const SkinWeights& bound) {
    geometry::Box box = geometry::Box::none();
    for (const Vec3f& p : artist.mesh.positions) box.grow(Vec3d(p));
    std::mt19937 random(1);
    double sum = 0;
    std::size_t count = 0;
    for (int pose = 0; pose < kPoses; ++pose) {
        const auto moves = randomPose(artist.skeleton, random);
        for (std::size_t v = 0; v < bound.vertexCount(); ++v) {
            if (artist.weights.influenceCount(v) == 0 || bound.influenceCount(v) == 0) continue;
            const Vec3d rest(artist.mesh.positions[v]);
            sum += length(posed(artist.weights, v, rest, moves) - posed(bound, v, rest, moves));
            ++count;
        }
    }
    return sum / static_cast<double>(std::max<std::size_t>(1, count)) / box.diagonal();
}

Score scoreOf(const Character& artist, const SkinWeights& bound) {
    Score score;
    double count = 0;
    for (std::size_t v = 0; v < bound.vertexCount(); ++v) {
        const auto theirs = byNode(artist.skeleton, artist.weights, v), ours = byNode(artist.skeleton, bound, v);
        if (theirs.empty()) continue;
        ++count;
        const auto lighter = [](const auto& a, const auto& b) { return a.second < b.second; };
        std::vector<double> heaviest;
        for (const auto& [node, weight] : theirs) heaviest.push_back(weight);
        std::sort(heaviest.rbegin(), heaviest.rend());
        const double second = heaviest[std::min<std::size_t>(1, heaviest.size() - 1)];
        double shared = 0, n_theirs = 0, n_ours = 0;
        for (const auto& [node, weight] : theirs) {
            const auto found = ours.find(node);
            score.l1 += std::abs(weight - (found == ours.end() ? 0 : found->second));
            n_theirs += weight > kInfluence;
            shared += weight > kInfluence && found != ours.end() && found->second > kInfluence;
        }
        for (const auto& [node, weight] : ours) {
            if (!theirs.contains(node)) score.l1 += weight;
            n_ours += weight > kInfluence;
        }
        score.influences += n_ours;
        score.recall += shared / n_theirs;
        if (ours.empty()) continue;
        score.precision += shared / n_ours;
        const std::uint32_t chosen = std::max_element(ours.begin(), ours.end(), lighter)->first;
        const auto best = theirs.find(chosen);
        const bool hit = best != theirs.end() && best->second >= second;
        score.hit += hit;
        if (!hit) ++score.confused[{std::max_element(theirs.begin(), theirs.end(), lighter)->first, chosen}];
    }
    for (double* sum : {&score.hit, &score.l1, &score.precision, &score.recall, &score.influences}) *sum /= count;
    score.distance = distanceOf(artist, bound);
    return score;
}

/// The most frequent confusions, as JSON.
std::string confusionsOf(const Skeleton& skeleton, const Score& score) {
    std::vector<std::pair<std::size_t, std::pair<std::uint32_t, std::uint32_t>>> most;
    for (const auto& [pair, count] : score.confused) most.emplace_back(count, pair);
    std::stable_sort(most.begin(), most.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string text;
    for (std::size_t k = 0; k < std::min<std::size_t>(5, most.size()); ++k)
        text += fmt::format("{}[\"{}\", \"{}\", {}]", k > 0 ? ", " : "", skeleton.nodes[most[k].second.first].name,
                            skeleton.nodes[most[k].second.second].name, most[k].first);
    return text;
}

void print(const std::string& file, const std::string& method, const Character& artist, const SkinWeights& bound,
           double seconds, double cpu) {
    const Score s = scoreOf(artist, bound);
    fmt::print(
        "{{\"file\": \"{}\", \"method\": \"{}\", \"vertices\": {}, \"joints\": {}, \"hit\": {:.5f}, \"l1\": {:.5f}, "
        "\"distance\": {:.6f}, \"precision\": {:.5f}, \"recall\": {:.5f}, \"influences\": {:.3f}, \"seconds\": "
        "{:.3f}, \"cpu_seconds\": {:.3f}, \"confused\": [{}]}}\n",
        file, method, artist.mesh.vertexCount(), artist.skeleton.joints.size(), s.hit, s.l1, s.distance, s.precision,
        s.recall, s.influences, seconds, cpu, confusionsOf(artist.skeleton, s));
    std::fflush(stdout);
}

SkinWeights bindBy(const std::string& method, const Character& c, std::size_t lattice) {
    bind::BiharmonicOptions biharmonic;
    if (lattice > 0) biharmonic.target_tets = lattice;
    if (method == "smooth") return bind::bindSmooth(c.mesh, c.skeleton, 4).weights;
    if (method == "rigid") return bind::bindNearestBone(c.mesh, c.skeleton);
    if (method == "bbw") return bind::bindBiharmonic(c.mesh, c.skeleton, 4, biharmonic).weights;
    throw Error::badUsage(fmt::format("no method '{}'; there are smooth, rigid and bbw", method));
}

/// The weights of another file, by the nearest point of its surface and the names of its joints.
SkinWeights weightsOf(const Character& other, const Character& artist) {
    std::vector<Vec3d> positions;
    for (const Vec3f& p : other.mesh.positions) positions.emplace_back(p);
    const geometry::RayTree tree(positions, other.mesh.triangles);
    std::map<std::string, std::uint32_t> slots;
    for (std::uint32_t j = 0; j < artist.skeleton.joints.size(); ++j)
        slots.emplace(rig::jointName(artist.skeleton, j), j);
    SkinWeights weights;
    for (const Vec3f& p : artist.mesh.positions) {
        const auto place = tree.nearest(Vec3d(p), HUGE_VAL);
        std::vector<std::uint32_t> joints;
        std::vector<float> values;
        if (place) {
            const auto k = std::max_element(place->shares.begin(), place->shares.end()) - place->shares.begin();
            const std::uint32_t v = other.mesh.triangles[place->triangle][static_cast<std::size_t>(k)];
            for (std::size_t i = 0; i < other.weights.influenceCount(v); ++i) {
                const auto slot = slots.find(rig::jointName(other.skeleton, other.weights.jointsOf(v)[i]));
                if (slot == slots.end()) continue;
                joints.push_back(slot->second);
                values.push_back(other.weights.weightsOf(v)[i]);
            }
        }
        appendVertex(weights, joints, values);
    }
    return weights;
}

int run(std::span<char*> arguments) {
    std::string file, methods = "smooth,rigid";
    std::vector<std::pair<std::string, std::string>> bound;
    std::size_t lattice = 0;
    for (std::size_t a = 0; a < arguments.size(); ++a) {
        const std::string word = arguments[a];
        if (word == "--lattice" && a + 1 < arguments.size()) {
            lattice = std::stoul(arguments[++a]);
            continue;
        }
        if (word == "--methods" && a + 1 < arguments.size()) {
            methods = arguments[++a];
        } else if (word == "--bound" && a + 1 < arguments.size()) {
            const std::string pair = arguments[++a];
            bound.emplace_back(pair.substr(0, pair.find('=')), pair.substr(pair.find('=') + 1));
        } else {
            file = word;
        }
    }
    const Character artist = io::loadCharacter(file).character;
    if (artist.weights.empty()) throw Error::badInput({file}, "has no weights to compare with");
    for (std::size_t at = 0; at < methods.size();) {
        const std::size_t end = std::min(methods.find(',', at), methods.size());
        const std::string method = methods.substr(at, end - at);
        at = end + 1;
        const auto start = std::chrono::steady_clock::now();
        const std::clock_t cpu = std::clock();
        const SkinWeights weights = bindBy(method, artist, lattice);
        const double used = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
        print(file, method, artist, weights,
              std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), used);
    }
    for (const auto& [name, path] : bound)
        print(file, name, artist, weightsOf(io::loadCharacter(path).character, artist), 0, 0);
    return 0;
}

}  // namespace
}  // namespace pelt::bench

int main(int argc, char** argv) {
    try {
        return pelt::bench::run(std::span(argv, std::size_t(argc)).subspan(1));
    } catch (const pelt::Error& e) {
        fmt::print(stderr, "{}\n", e.what());
        return 3;
    }
}

// How well a mesh without weights is bound: characters whose artist's weights are known are bound without them, and a
// table says how many vertices land on one of the artist's two heaviest joints, how many where joints that no clip of
// the file moves apart count as one, how many small pieces that the artist kept whole came out split, and the seconds.
//
//     bind_bench [--confused N] [--reposed] [FILE…]      without files: every rigged one of ../shared/data
//
// --confused N lists the N most frequent pairs of artist's and bound joint; --reposed makes the middle of every
// file's clips a rest pose of its own.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/fit/rigid_bind.h>
#include <pelt/geometry/adjacency.h>
#include <pelt/geometry/bounding_sphere.h>
#include <pelt/geometry/weld.h>
#include <pelt/io/character_file.h>
#include <pelt/rig/clip.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <string_view>

namespace pelt::bench {
namespace {

constexpr double kSmallPiece = 0.02;   // of the surface
constexpr double kMovedApart = 2e-3;   // of the diagonal
constexpr std::size_t kSamples = 8;    // a clip

using Joints = std::vector<std::uint32_t>;

/// By pair of joints: whether some clip moves them apart anywhere on the mesh.
class MovedApart {
public:
    explicit MovedApart(const Character& character) : count_(character.skeleton.joints.size()) {
        apart_.assign(count_ * count_, false);
        const double diagonal = geometry::boundingDiagonal(character.mesh.positions);
        Vec3d low(HUGE_VAL, HUGE_VAL, HUGE_VAL), high = -low;
        for (const Vec3f& p : character.mesh.positions)
            for (int k = 0; k < 3; ++k) {
                low[k] = std::min<double>(low[k], p[k]);
                high[k] = std::max<double>(high[k], p[k]);
            }
        for (const Clip& clip : character.clips)
            for (std::size_t s = 0; s <= kSamples; ++s)
                compare(rig::skinMatricesDouble(character.skeleton, &clip,
                                                clip.first_key + clip.seconds() * double(s) / kSamples),
                        low, high, diagonal);
    }
    bool operator()(std::uint32_t a, std::uint32_t b) const { return apart_[a * count_ + b]; }

private:
    void compare(const std::vector<Affine3d>& bones, const Vec3d& low, const Vec3d& high, double diagonal) {
        double stretch = 0;
        for (const Affine3d& m : bones) stretch = std::max(stretch, std::cbrt(std::abs(determinant(m.linear()))));
        for (std::size_t a = 0; a < count_; ++a)
            for (std::size_t b = 0; b < a; ++b)
                for (int corner = 0; corner < 8 && !apart_[a * count_ + b]; ++corner) {
                    const Vec3d p(corner & 1 ? high.x : low.x, corner & 2 ? high.y : low.y,
                                  corner & 4 ? high.z : low.z);
                    if (length(bones[a] * p - bones[b] * p) > kMovedApart * diagonal * stretch)
                        apart_[a * count_ + b] = apart_[b * count_ + a] = true;
                }
    }
    std::size_t count_;
    std::vector<bool> apart_;
};

struct Result {
    std::size_t vertices = 0, joints = 0, pieces = 0;
    double share = 0, alike = 0, seconds = 0;
    std::size_t small_whole = 0, small_split = 0;  ///< small pieces that the artist kept whole, and those of them split
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> confused;
};

Joints artistsTwo(const SkinWeights& artist, std::size_t v) {
    const auto joints = artist.jointsOf(v);
    const auto weights = artist.weightsOf(v);
    Joints two;
    for (std::size_t k = 0; k < joints.size() && (k < 2 || weights[k] == weights[1]); ++k) two.push_back(joints[k]);
    return two;
}

void countPieces(const Character& character, const Joints& bound, Result& result) {
    const geometry::Weld weld = geometry::weldByPosition(character.mesh.positions);
    const auto triangles = geometry::weldedTriangles(character.mesh.triangles, weld);
    const auto parts = geometry::connectedParts(geometry::vertexAdjacency(triangles, weld.count()));
    std::vector<double> area(parts.count, 0);
    double total = 0;
    for (const Triangle& t : triangles) {
        Vec3d p[3];
        for (int k = 0; k < 3; ++k) p[k] = Vec3d(character.mesh.positions[weld.representative[t[std::size_t(k)]]]);
        const double a = length(cross(p[1] - p[0], p[2] - p[0]));
        area[parts.part[t[0]]] += a;
        total += a;
    }
    std::vector<Joints> ours(parts.count), theirs(parts.count);
    for (std::size_t v = 0; v < bound.size(); ++v) {
        const std::uint32_t p = parts.part[weld.welded[v]];
        ours[p].push_back(bound[v]);
        if (character.weights.influenceCount(v) > 0) theirs[p].push_back(character.weights.jointsOf(v)[0]);
    }
    const auto whole = [](const Joints& j) { return std::all_of(j.begin(), j.end(), [&](auto x) { return x == j[0]; }); };
    result.pieces = parts.count;
    for (std::size_t p = 0; p < parts.count; ++p) {
        if (area[p] >= kSmallPiece * total || theirs[p].empty() || !whole(theirs[p])) continue;
        ++result.small_whole;
        result.small_split += !whole(ours[p]);
    }
}

Result measure(const Character& character) {
    Result result;
    const auto start = std::chrono::steady_clock::now();
    const Joints bound = fit::bindNearestBone(character.mesh, character.skeleton).joints;
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    result.vertices = bound.size();
    result.joints = character.skeleton.joints.size();
    const MovedApart apart(character);
    std::size_t right = 0, alike = 0;
    for (std::size_t v = 0; v < bound.size(); ++v) {
        const Joints two = artistsTwo(character.weights, v);
        const bool same = std::any_of(two.begin(), two.end(), [&](auto j) {  // two skins may bind one node
            return character.skeleton.joints[j].node == character.skeleton.joints[bound[v]].node;
        });
        right += same;
        alike += same || (!character.clips.empty() &&
                          std::any_of(two.begin(), two.end(), [&](auto j) { return !apart(j, bound[v]); }));
        if (!same && !two.empty()) ++result.confused[{two[0], bound[v]}];
    }
    result.share = double(right) / double(bound.size());
    result.alike = double(alike) / double(bound.size());
    countPieces(character, bound, result);
    return result;
}

/// The character in the pose of the middle of a clip, as its new rest pose.
Character reposed(Character character, const Clip& clip) {
    const auto bones =
        rig::skinMatricesDouble(character.skeleton, &clip, clip.first_key + 0.5 * clip.seconds());
    const SkinWeights& weights = character.weights;
    for (std::size_t v = 0; v < character.mesh.vertexCount(); ++v) {
        Vec3d sum;
        for (std::size_t k = 0; k < weights.influenceCount(v); ++k)
            sum += bones[weights.jointsOf(v)[k]] * Vec3d(character.mesh.positions[v]) * double(weights.weightsOf(v)[k]);
        character.mesh.positions[v] = Vec3f(sum);
    }
    for (std::size_t j = 0; j < bones.size(); ++j)
        character.skeleton.joints[j].inverse_bind = character.skeleton.joints[j].inverse_bind * inverse(bones[j]);
    return character;
}

void print(const std::string& name, const Character& character, std::size_t confused) {
    const Result r = measure(character);
    fmt::print("{:<34} {:>6} {:>4} {:>4}  {:>6.1f} {:>6.1f}  {:>3}/{:<4} {:>6.2f}\n", name, r.vertices, r.joints,
               r.pieces, 100 * r.share, 100 * r.alike, r.small_split, r.small_whole, r.seconds);
    std::vector<std::pair<std::size_t, std::pair<std::uint32_t, std::uint32_t>>> worst;
    for (const auto& [pair, count] : r.confused) worst.emplace_back(count, pair);
    std::stable_sort(worst.begin(), worst.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    for (std::size_t k = 0; k < std::min(confused, worst.size()); ++k)
        fmt::print("    {:>6}  {} ({}) -> {} ({})\n", worst[k].first,
                   rig::jointName(character.skeleton, worst[k].second.first), worst[k].second.first,
                   rig::jointName(character.skeleton, worst[k].second.second), worst[k].second.second);
    std::fflush(stdout);
}

std::vector<std::filesystem::path> riggedFiles() {
    std::vector<std::filesystem::path> files;
    const std::filesystem::path shared = PELT_SHARED;
    for (const char* folder : {"data/rigged", "data/flagged-no-explicit-licence/rigged"}) {
        if (!std::filesystem::exists(shared / folder)) continue;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(shared / folder)) {
            const std::string name = entry.path().filename().string();
            if (name.ends_with(".glb") || name == "SimpleSkin.gltf") files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.filename() < b.filename(); });
    return files;
}

int run(std::span<char*> arguments) {
    std::vector<std::filesystem::path> files;
    std::size_t confused = 0;
    bool repose = false;
    for (std::size_t a = 0; a < arguments.size(); ++a) {
        const std::string_view word = arguments[a];
        if (word == "--reposed") repose = true;
        else if (word == "--confused" && a + 1 < arguments.size()) confused = std::stoul(arguments[++a]);
        else files.emplace_back(word);
    }
    if (files.empty()) files = riggedFiles();
    fmt::print("{:<34} {:>6} {:>4} {:>4}  {:>6} {:>6}  {:>8} {:>6}\n", "character", "verts", "jnts", "pcs", "share",
               "alike", "split", "s");
    for (const auto& file : files) try {
            const Character character = io::loadCharacter(file);
            if (character.weights.empty()) continue;
            print(file.filename().string(), character, confused);
            if (!repose) continue;
            for (std::size_t c = 0; c < std::min<std::size_t>(4, character.clips.size()); ++c) {
                const Clip& clip = character.clips[(c * character.clips.size()) / std::min<std::size_t>(4, character.clips.size())];
                print("  as in " + clip.name, reposed(character, clip), confused);
            }
        } catch (const Error& e) {
            fmt::print("{}: {}\n", file.filename().string(), e.what());
        }
    return 0;
}

}  // namespace
}  // namespace pelt::bench

int main(int argc, char** argv) {
    return pelt::bench::run(std::span(argv, std::size_t(argc)).subspan(1));
}

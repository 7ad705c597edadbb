// Accuracy of binding a mesh without weights: characters with an artist's weights are bound without them. A table shows
// how many vertices are assigned to one of the artist's two heaviest joints; how many if joints that no clip of the
// file moves relative to each other count as one; how many to the heaviest joint; how many small pieces that the artist
// kept whole were split; and the seconds.
//
//     bind_bench [--confused N] [--reposed] [--no-axes] [FILE…]      without files: every rigged one of ../shared/data
//
// --confused N lists the N most frequent pairs of artist's and bound joint; --reposed also uses the middle of up to
// four clips of every file as rest poses; --no-axes gives all joints the same orientation, as in many VRM files.
#include <fmt/format.h>
#include <pelt/bind/rigid_bind.h>
#include <pelt/core/error.h>
#include <pelt/io/character_file.h>

#include <chrono>
#include <string_view>

#include "bind_score.h"

namespace pelt::bench {
namespace {

/// The character in the pose of the middle of a clip, as its new rest pose.
Character reposed(Character character, const Clip& clip) {
    const auto bones = rig::skinMatricesDouble(character.skeleton, &clip, clip.first_key + 0.5 * clip.seconds());
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

/// The same joint positions without rotations.
void dropAxes(Skeleton& skeleton) {
    for (Joint& joint : skeleton.joints)
        joint.inverse_bind = Affine3d(Mat3d{}, -inverse(joint.inverse_bind).translation());
}

void print(const std::string& name, const Character& character, std::size_t confused) {
    const auto start = std::chrono::steady_clock::now();
    const auto bound = bind::bindNearestBone(character.mesh, character.skeleton).joints;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const BindScore score = scoreBind(character, bound);
    fmt::print("{:<48} {:>6} {:>5} {:>6}  {:>6.1f} {:>6.1f} {:>8.1f}  {:>3}/{:<4} {:>6.2f}\n", name, bound.size(),
               character.skeleton.joints.size(), score.pieces, 100 * score.share, 100 * score.alike,
               100 * score.heaviest, score.small_split, score.small_whole, seconds);
    std::vector<std::pair<std::size_t, std::pair<std::uint32_t, std::uint32_t>>> worst;
    for (const auto& [pair, count] : score.confused) worst.emplace_back(count, pair);
    std::stable_sort(worst.begin(), worst.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    for (std::size_t k = 0; k < std::min(confused, worst.size()); ++k)
        fmt::print("    {:>6}  {} -> {}\n", worst[k].first, rig::jointName(character.skeleton, worst[k].second.first),
                   rig::jointName(character.skeleton, worst[k].second.second));
}

std::vector<std::filesystem::path> riggedFiles() {
    std::vector<std::filesystem::path> files;
    const std::filesystem::path shared = PELT_SHARED;
    for (const char* folder : {"data/rigged", "data/flagged-no-explicit-licence/rigged"}) {
        if (!std::filesystem::exists(shared / folder)) continue;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(shared / folder))
            if (entry.path().extension() == ".glb") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.filename() < b.filename(); });
    return files;
}

void measure(const std::filesystem::path& file, std::size_t confused, bool repose, bool no_axes) {
    Character character = io::loadCharacter(file).character;
    if (character.weights.empty()) return;
    if (no_axes) dropAxes(character.skeleton);
    print(file.stem().string(), character, confused);
    const std::size_t poses = repose ? std::min<std::size_t>(4, character.clips.size()) : 0;
    for (std::size_t c = 0; c < poses; ++c) {
        const Clip& clip = character.clips[c * character.clips.size() / poses];
        print("  as in " + clip.name, reposed(character, clip), confused);
    }
}

int run(std::span<char*> arguments) {
    std::vector<std::filesystem::path> files;
    std::size_t confused = 0;
    bool repose = false, no_axes = false;
    for (std::size_t a = 0; a < arguments.size(); ++a) {
        const std::string_view word = arguments[a];
        if (word == "--reposed")
            repose = true;
        else if (word == "--no-axes")
            no_axes = true;
        else if (word == "--confused" && a + 1 < arguments.size())
            confused = std::stoul(arguments[++a]);
        else
            files.emplace_back(word);
    }
    if (files.empty()) files = riggedFiles();
    fmt::print("{:<48} {:>6} {:>5} {:>6}  {:>6} {:>6} {:>8}  {:>8} {:>6}\n", "character", "verts", "slots", "pieces",
               "share", "alike", "heaviest", "split", "s");
    for (const auto& file : files) {
        try {
            measure(file, confused, repose, no_axes);
        } catch (const Error& e) {
            fmt::print("{}: {}\n", file.filename().string(), e.what());
        }
    }
    return 0;
}

}  // namespace
}  // namespace pelt::bench

int main(int argc, char** argv) { return pelt::bench::run(std::span(argv, std::size_t(argc)).subspan(1)); }

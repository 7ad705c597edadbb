// Samples to train the network of `bind --method smooth` with: what it is told of candidate joints, and the weight that
// the artist gave each. scripts/train_bind runs it.
//
//     bind_samples_bench FILE OUT [--copies N] [--vertices N] [--seed N]
//
// Appends to OUT, per sampled vertex, kCandidates rows of kFeatures numbers (int16, in 1/32767) and kCandidates weights
// (uint16, in 1/65535). The first copy is the character as it is. The others are altered as other makers would have
// built it: with fewer joints or more of them, other proportions, another stance, names that say nothing.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/character_file.h>
#include <pelt/rig/clip.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <numbers>
#include <random>
#include <string_view>

#include "bind/smooth/candidate_features.h"

namespace pelt::bench {
namespace {

using Random = std::mt19937;

double uniform(Random& random, double low, double high) {
    return low + (high - low) * (static_cast<double>(random()) / 4294967296.0);
}

/// Takes the slots away; their weight goes to the nearest joint above that is left.
void removeSlots(Character& character, const std::vector<bool>& gone) {
    const std::vector<std::int32_t> parents = rig::jointParents(character.skeleton);
    std::vector<std::uint32_t> to(gone.size(), 0), index(gone.size(), 0);
    std::vector<Joint> left;
    for (std::size_t j = 0; j < gone.size(); ++j) {
        index[j] = static_cast<std::uint32_t>(left.size());
        if (!gone[j]) left.push_back(character.skeleton.joints[j]);
    }
    for (std::size_t j = 0; j < gone.size(); ++j) {
        auto k = static_cast<std::int32_t>(j);
        while (gone[static_cast<std::size_t>(k)]) k = parents[static_cast<std::size_t>(k)];
        to[j] = index[static_cast<std::size_t>(k)];
    }
    SkinWeights weights;
    for (std::size_t v = 0; v < character.weights.vertexCount(); ++v) {
        std::vector<std::uint32_t> joints(character.weights.jointsOf(v).begin(), character.weights.jointsOf(v).end());
        for (std::uint32_t& j : joints) j = to[j];
        appendVertex(weights, joints, character.weights.weightsOf(v));
    }
    character.weights = std::move(weights);
    character.skeleton.joints = std::move(left);
}

void removeSome(Character& character, Random& random) {
    const std::vector<std::int32_t> parents = rig::jointParents(character.skeleton);
    const double share = uniform(random, 0.02, 0.25);
    std::vector<bool> gone(parents.size());
    for (std::size_t j = 0; j < parents.size(); ++j) gone[j] = uniform(random, 0, 1) < share && parents[j] >= 0;
    removeSlots(character, gone);
}

/// All the joints below some: a hand without fingers, a foot without toes.
void cutBranches(Character& character, Random& random) {
    const std::vector<std::int32_t> parents = rig::jointParents(character.skeleton);

    std::vector<bool> gone(parents.size(), false), cut(parents.size());
    for (std::size_t j = 0; j < parents.size(); ++j) cut[j] = uniform(random, 0, 1) < 0.06;
    for (std::size_t j = 0; j < parents.size(); ++j) {
        int up = 0;
        for (auto p = parents[j]; p >= 0 && up < 3; p = parents[static_cast<std::size_t>(p)], ++up)
            gone[j] = gone[j] || cut[static_cast<std::size_t>(p)];
    }
    removeSlots(character, gone);
}

std::uint32_t addJoint(Character& character, std::int32_t parent_slot, const Vec3d& place, std::string name) {
    Skeleton& skeleton = character.skeleton;
    SkeletonNode node;
    node.name = std::move(name);
    node.parent =
        parent_slot < 0 ? -1 : static_cast<std::int32_t>(skeleton.joints[static_cast<std::size_t>(parent_slot)].node);
    skeleton.nodes.push_back(node);
    skeleton.joints.push_back({static_cast<std::uint32_t>(skeleton.nodes.size() - 1), Affine3d(Mat3d{}, -place)});
    return static_cast<std::uint32_t>(skeleton.joints.size() - 1);
}

double extentOf(const Character& character) {
    geometry::Box box = geometry::Box::none();
    for (const Vec3f& p : character.mesh.positions) box.grow(Vec3d(p));
    return box.diagonal();
}

/// Controls, poles and ends that carry nothing.
void addUnused(Character& character, Random& random) {
    const auto parents = rig::jointParents(character.skeleton);
    const auto places = rig::jointRestPositions(character.skeleton);
    const double extent = extentOf(character);
    std::vector<std::size_t> children(parents.size(), 0);
    for (const std::int32_t p : parents)
        if (p >= 0) ++children[static_cast<std::size_t>(p)];
    const bool ends = uniform(random, 0, 1) < 0.5, handles = uniform(random, 0, 1) < 0.5;
    for (std::size_t j = 0; j < parents.size(); ++j) {
        if (parents[j] < 0) continue;
        const Vec3d bone = places[j] - places[static_cast<std::size_t>(parents[j])];
        const std::string name = rig::jointName(character.skeleton, j);
        const auto slot = static_cast<std::int32_t>(j);
        if (ends && children[j] == 0)
            addJoint(character, slot, places[j] + bone * uniform(random, 0.2, 1),
                     name + (uniform(random, 0, 1) < 0.5 ? "_end" : "_x"));
        if (handles && length(bone) > 0.08 * extent && uniform(random, 0, 1) < 0.4)
            addJoint(character, uniform(random, 0, 1) < 0.7 ? 0 : -1, places[j],
                     name + (uniform(random, 0, 1) < 0.5 ? "_IK" : "_y"));
        if (handles && length(bone) > 0.08 * extent && uniform(random, 0, 1) < 0.2)
            addJoint(character, 0,
                     places[j] + Vec3d(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1)) *
                                     (0.25 * extent),
                     name + "_pole");
        if (uniform(random, 0, 1) < 0.02)
            addJoint(character, slot,
                     places[j] + Vec3d(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1)) *
                                     (0.05 * extent),
                     name + "_slot");
    }
}

/// A joint halfway down some bones that takes over the skin toward their end.
void addTwists(Character& character, Random& random) {
    const auto parents = rig::jointParents(character.skeleton);
    const auto places = rig::jointRestPositions(character.skeleton);
    const double extent = extentOf(character);
    const bool carries = uniform(random, 0, 1) < 0.6;
    for (std::size_t j = 0; j < parents.size(); ++j) {
        if (parents[j] < 0) continue;
        const auto host = static_cast<std::size_t>(parents[j]);
        const Vec3d bone = places[j] - places[host];
        if (length(bone) < 0.08 * extent || uniform(random, 0, 1) < 0.6) continue;
        const double at = uniform(random, 0.4, 0.6);
        const std::uint32_t twist =
            addJoint(character, static_cast<std::int32_t>(host), places[host] + bone * at,
                     rig::jointName(character.skeleton, host) + (uniform(random, 0, 1) < 0.5 ? "_twist" : "_b"));
        if (!carries) continue;
        SkinWeights weights;
        for (std::size_t v = 0; v < character.weights.vertexCount(); ++v) {
            std::vector<std::uint32_t> joints(character.weights.jointsOf(v).begin(),
                                              character.weights.jointsOf(v).end());
            std::vector<float> values(character.weights.weightsOf(v).begin(), character.weights.weightsOf(v).end());
            const double t = dot(Vec3d(character.mesh.positions[v]) - places[host], bone) / dot(bone, bone);
            const auto moved = static_cast<float>(std::clamp((t - at) / 0.3 + 0.5, 0.0, 1.0));
            for (std::size_t k = joints.size(); k-- > 0;) {
                if (joints[k] != host) continue;
                joints.push_back(twist);
                values.push_back(values[k] * moved);
                values[k] *= 1 - moved;
            }
            appendVertex(weights, joints, values);
        }
        character.weights = std::move(weights);
    }
}

void addRoot(Character& character, Random& random) {
    Skeleton& skeleton = character.skeleton;
    for (SkeletonNode& node : skeleton.nodes) ++node.parent;
    for (Joint& joint : skeleton.joints) ++joint.node;
    SkeletonNode root;
    root.name = uniform(random, 0, 1) < 0.5 ? "root" : "all";
    skeleton.nodes.insert(skeleton.nodes.begin(), root);
    skeleton.joints.push_back({0, Affine3d()});
}

void scaleUnevenly(Character& character, Random& random) {
    Vec3d by;
    for (int k = 0; k < 3; ++k) by[k] = std::exp(uniform(random, -0.25, 0.25));
    const auto scaled = [&](const Vec3d& p) { return Vec3d(p.x * by.x, p.y * by.y, p.z * by.z); };
    for (Vec3f& p : character.mesh.positions) p = Vec3f(scaled(Vec3d(p)));
    const auto places = rig::jointRestPositions(character.skeleton);
    for (std::size_t j = 0; j < places.size(); ++j) {
        const Affine3d world = inverse(character.skeleton.joints[j].inverse_bind);
        character.skeleton.joints[j].inverse_bind = inverse(Affine3d(world.linear(), scaled(places[j])));
    }
}

Mat3d turned(Random& random, double degrees) {
    const Vec3d axis =
        normalized(Vec3d(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1)), {1, 0, 0});
    const double angle = uniform(random, -degrees, degrees) * std::numbers::pi / 180, c = std::cos(angle),
                 s = std::sin(angle);
    Mat3d m;
    const Vec3d basis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (std::size_t k = 0; k < 3; ++k)
        m.col[k] = basis[k] * c + cross(axis, basis[k]) * s + axis * (dot(axis, basis[k]) * (1 - c));
    return m;
}

void pose(Character& character, Random& random) {
    const auto parents = rig::jointParents(character.skeleton);
    const auto places = rig::jointRestPositions(character.skeleton);
    std::vector<Affine3d> moves(parents.size());
    std::vector<bool> done(parents.size(), false);
    const double degrees = uniform(random, 5, 25);
    for (std::size_t pass = 0, left = parents.size(); left > 0 && pass < 256; ++pass) {
        for (std::size_t j = 0; j < parents.size(); ++j) {
            if (done[j] || (parents[j] >= 0 && !done[static_cast<std::size_t>(parents[j])])) continue;
            const Mat3d turn = turned(random, degrees);
            const Affine3d own(turn, places[j] - turn * places[j]);
            moves[j] = parents[j] < 0 ? own : moves[static_cast<std::size_t>(parents[j])] * own;
            done[j] = true;
            --left;
        }
    }
    const SkinWeights& weights = character.weights;
    for (std::size_t v = 0; v < character.mesh.vertexCount(); ++v) {
        Vec3d sum;
        if (weights.influenceCount(v) == 0) continue;
        for (std::size_t k = 0; k < weights.influenceCount(v); ++k)
            sum += moves[weights.jointsOf(v)[k]] * Vec3d(character.mesh.positions[v]) * double(weights.weightsOf(v)[k]);
        character.mesh.positions[v] = Vec3f(sum);
    }
    for (std::size_t j = 0; j < moves.size(); ++j)
        character.skeleton.joints[j].inverse_bind = character.skeleton.joints[j].inverse_bind * inverse(moves[j]);
}

void copyVertex(Character& character, SkinWeights& weights, std::uint32_t v, const Vec3d& shift, std::uint32_t skin) {
    character.mesh.positions.push_back(Vec3f(Vec3d(character.mesh.positions[v]) + shift));
    appendVertex(weights, character.weights.jointsOf(skin), character.weights.weightsOf(skin));
}

Vec3d randomWay(Random& random) {
    return normalized(Vec3d(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1)), {1, 0, 0});
}

/// Cuts the mesh where some joints begin: an arm that is a part of its own and only pokes into the chest.
void splitParts(Character& character, Random& random) {
    const auto parents = rig::jointParents(character.skeleton);
    const double extent = extentOf(character), share = uniform(random, 0.05, 0.5);
    std::vector<std::uint32_t> group(parents.size(), 0);
    std::vector<bool> cut(parents.size());
    for (std::size_t j = 0; j < parents.size(); ++j) cut[j] = uniform(random, 0, 1) < share;
    for (std::size_t j = 0; j < parents.size(); ++j)
        for (auto p = static_cast<std::int32_t>(j); p >= 0 && group[j] == 0; p = parents[static_cast<std::size_t>(p)])
            if (cut[static_cast<std::size_t>(p)]) group[j] = static_cast<std::uint32_t>(p) + 1;
    std::vector<Vec3d> shifts;
    for (std::size_t j = 0; j <= parents.size(); ++j) shifts.push_back(randomWay(random) * (1e-3 * extent));
    Mesh& mesh = character.mesh;
    const auto count = static_cast<std::uint32_t>(mesh.positions.size());
    std::vector<std::uint32_t> own(count, 0);
    for (std::uint32_t v = 0; v < count; ++v)
        if (character.weights.influenceCount(v) > 0) own[v] = group[character.weights.jointsOf(v)[0]];
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> copies;
    SkinWeights weights = character.weights;
    for (Triangle& t : mesh.triangles) {
        const std::uint32_t to = std::max({own[t[0]], own[t[1]], own[t[2]]});
        for (std::uint32_t& v : t) {
            if (own[v] == to) continue;
            const auto [found, added] = copies.try_emplace({v, to}, static_cast<std::uint32_t>(mesh.positions.size()));
            if (added) copyVertex(character, weights, v, shifts[to], v);
            v = found->second;
        }
    }
    for (std::uint32_t v = 0; v < count; ++v) mesh.positions[v] = Vec3f(Vec3d(mesh.positions[v]) + shifts[own[v]]);
    character.weights = std::move(weights);
}

/// Buttons, belts and clothes: patches of the surface once more, a little farther out. Small ones do not bend.
void addLayers(Character& character, Random& random) {
    Mesh& mesh = character.mesh;
    const double extent = extentOf(character);
    const std::vector<Triangle> body = mesh.triangles;
    SkinWeights weights = character.weights;
    const int layers = 2 + static_cast<int>(uniform(random, 0, 8));
    for (int k = 0; k < layers; ++k) {
        const bool wide = uniform(random, 0, 1) < 0.25;
        const double radius = extent * (wide ? uniform(random, 0.1, 0.3) : uniform(random, 0.01, 0.06));
        const auto& seed = body[static_cast<std::size_t>(uniform(random, 0, double(body.size())))];
        const std::uint32_t middle = seed[0];
        const Vec3d center(mesh.positions[middle]), a(mesh.positions[seed[1]]), b(mesh.positions[seed[2]]);
        const Vec3d out = normalized(cross(a - center, b - center)) * (extent * uniform(random, 0.002, 0.015));
        const bool stiff = !wide && uniform(random, 0, 1) < 0.7;
        std::map<std::uint32_t, std::uint32_t> copies;
        for (const Triangle& t : body) {
            if (std::any_of(t.begin(), t.end(), [&](std::uint32_t v) {
                    return length(Vec3d(mesh.positions[v]) - center) > radius ||
                           character.weights.influenceCount(v) == 0;
                }))
                continue;
            Triangle copy = t;
            for (std::uint32_t& v : copy) {
                const auto [found, added] = copies.try_emplace(v, static_cast<std::uint32_t>(mesh.positions.size()));
                if (added) copyVertex(character, weights, v, out, stiff ? middle : v);
                v = found->second;
            }
            mesh.triangles.push_back(copy);
        }
    }
    character.weights = std::move(weights);
}

void alter(Character& character, Random& random) {
    const auto chance = [&](double p) { return uniform(random, 0, 1) < p; };
    if (chance(0.5)) splitParts(character, random);
    if (chance(0.4)) addLayers(character, random);
    if (chance(0.5)) removeSome(character, random);
    if (chance(0.3)) cutBranches(character, random);
    if (chance(0.6)) pose(character, random);
    if (chance(0.5)) scaleUnevenly(character, random);
    if (chance(0.25)) addTwists(character, random);
    if (chance(0.4)) addUnused(character, random);
    if (chance(0.3)) addRoot(character, random);
    if (chance(0.5))
        for (std::size_t k = 0; k < character.skeleton.nodes.size(); ++k)
            character.skeleton.nodes[k].name = fmt::format("j{}", k);
}

void sample(const Character& character, std::size_t vertices, Random& random, std::FILE* out, const char* name) {
    const auto start = std::chrono::steady_clock::now();
    const bind::BindScene scene = bind::bindScene(character.mesh, character.skeleton, {}, {});
    if (!scene.known()) return;
    const bind::CandidateFeatures features(scene, {});
    std::vector<std::uint32_t> joint_of_node(character.skeleton.nodes.size(), 0);
    for (std::uint32_t d = 0; d < scene.distinct.slots.size(); ++d)
        joint_of_node[character.skeleton.joints[scene.distinct.slots[d]].node] = d;
    const std::size_t count = scene.surface.positions.size();
    std::size_t held = 0, hit = 0, seen = 0;
    std::vector<float> numbers(bind::kCandidates * bind::kFeatures);
    for (std::size_t v = 0; v < count; ++v) {
        const std::uint32_t original = scene.surface.weld.representative[v];
        if (character.weights.influenceCount(original) == 0) continue;
        std::array<double, bind::kCandidates> weight{};
        const auto sights = features.of(v);
        double sum = 0;
        bool first_held = false, first_hit = false;
        for (std::size_t k = 0; k < character.weights.influenceCount(original); ++k) {
            const std::uint32_t joint =
                joint_of_node[character.skeleton.joints[character.weights.jointsOf(original)[k]].node];
            first_hit |= k < 2 && joint == scene.labels.joints[v];
            for (std::size_t c = 0; c < sights.size(); ++c) {
                if (sights[c].joint != joint) continue;
                weight[c] += character.weights.weightsOf(original)[k];
                sum += character.weights.weightsOf(original)[k];
                first_held |= k == 0;
            }
        }
        ++seen;
        held += first_held;
        hit += first_hit;
        if (sum < 0.3 || uniform(random, 0, 1) * static_cast<double>(count) > static_cast<double>(vertices)) continue;
        features.write(v, numbers.data());
        std::vector<std::int16_t> row;
        for (const float x : numbers)
            row.push_back(static_cast<std::int16_t>(std::lround(32767 * std::clamp(x, -1.0f, 1.0f))));
        for (const double w : weight)
            row.push_back(static_cast<std::int16_t>(static_cast<std::uint16_t>(std::lround(65535 * w / sum))));
        std::fwrite(row.data(), sizeof row[0], row.size(), out);
    }
    fmt::print("{} {} vertices, {} joints: heaviest among candidates {:.2f} %, rules {:.1f} %, {:.2f} s\n", name, count,
               scene.tree.size(), 100.0 * double(held) / double(seen), 100.0 * double(hit) / double(seen),
               std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

int run(std::span<char*> arguments) {
    std::size_t copies = 1, vertices = 1000, seed = 1;
    for (std::size_t a = 2; a + 1 < arguments.size(); a += 2) {
        const std::string_view word = arguments[a];
        (word == "--copies" ? copies : word == "--vertices" ? vertices : seed) = std::stoul(arguments[a + 1]);
    }
    std::FILE* out = std::fopen(arguments[1], "ab");
    if (!out) return 1;
    const Character original = io::loadCharacter(arguments[0]).character;
    for (std::size_t c = 0; c < copies && !original.weights.empty(); ++c) {
        Random random(static_cast<std::uint32_t>(seed * 1000 + c));
        Character character = original;
        if (c > 0) {
            character.mesh.parts.clear();
            character.mesh.normals.clear();
            alter(character, random);
        }
        try {
            sample(character, vertices, random, out, arguments[0]);
        } catch (const Error& e) {
            fmt::print("{}: {}\n", arguments[0], e.what());
        }
    }
    std::fclose(out);
    return 0;
}

}  // namespace
}  // namespace pelt::bench

int main(int argc, char** argv) {
    return argc < 3 ? 2 : pelt::bench::run(std::span(argv, std::size_t(argc)).subspan(1));
}

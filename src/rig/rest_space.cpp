#include <pelt/rig/rest_space.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pelt::rig {
namespace {

constexpr double kSameStretch = 0.02;  ///< joints whose AᵀA differ by less, relative to its size, have the same stretch
constexpr double kSamePose = 1e-4;     ///< joints whose maps differ by less are in one pose
constexpr double kNoSpace = 1e-5;      ///< a map this close to the identity is the identity with rounding

/// Data of one joint about the space of its skin: its map in the rest pose of the nodes.
struct Witness {
    std::uint32_t slot = 0;
    Affine3d map;
    Mat3d stretch;      ///< AᵀA of the map: the same in every rigid pose of the joint
    double weight = 0;  ///< the amount of skin that follows it
    int depth = 0;      ///< nodes above it
    bool mirrored = false;
};

double distance(const Mat3d& a, const Mat3d& b) {
    double sum = 0;
    for (int c = 0; c < 3; ++c) {
        const Vec3d d = a.col[c] - b.col[c];
        sum += dot(d, d);
    }
    return std::sqrt(sum);
}

/// The value at which half of the weight is reached.
double weightedMedian(std::vector<std::pair<double, double>> values) {
    std::sort(values.begin(), values.end());
    double total = 0, sum = 0;
    for (const auto& [value, weight] : values) total += weight;
    for (const auto& [value, weight] : values)
        if ((sum += weight) >= total / 2) return value;
    return values.back().first;
}

/// The stretch that most of the skin has, entry by entry.
Mat3d commonStretch(std::span<const Witness> witnesses) {
    Mat3d common;
    for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r) {
            std::vector<std::pair<double, double>> values;
            for (const Witness& w : witnesses) values.emplace_back(w.stretch.col[c][r], w.weight);
            common.col[c][r] = weightedMedian(std::move(values));
        }
    return common;
}

bool mostlyMirrored(std::span<const Witness> witnesses) {
    double mirrored = 0, total = 0;
    for (const Witness& w : witnesses) {
        total += w.weight;
        if (w.mirrored) mirrored += w.weight;
    }
    return mirrored > total / 2;
}

/// The joint nearest to the root among those with the stretch of most of the skin.
const Witness& chooseWitness(std::span<const Witness> witnesses) {
    const Mat3d common = commonStretch(witnesses);
    const bool mirrored = mostlyMirrored(witnesses);
    const double size = distance(common, Mat3d{{{}, {}, {}}});
    double least = HUGE_VAL;
    const auto fault = [&](const Witness& w) {
        return w.mirrored == mirrored ? distance(w.stretch, common) : HUGE_VAL;
    };
    for (const Witness& w : witnesses) least = std::min(least, fault(w));
    const Witness* best = &witnesses.front();
    for (const Witness& w : witnesses) {
        const bool agrees = fault(w) <= least + kSameStretch * size;
        const bool best_agrees = fault(*best) <= least + kSameStretch * size;
        if (agrees && (!best_agrees || std::pair(w.depth, w.slot) < std::pair(best->depth, best->slot))) best = &w;
    }
    return *best;
}

/// The map of the chosen joint if all joints with the same stretch agree with it, which is the case if the rest pose of
/// the nodes is the bind pose. Otherwise it is rotated and moved to the mean of theirs, so that the character is
/// upright.
Affine3d meanMap(std::span<const Witness> witnesses, const Witness& chosen, const Vec3d& center) {
    const Affine3d back = inverse(chosen.map);
    const Vec3d place = chosen.map * center;
    Quatd turn{0, 0, 0, 0};
    Vec3d middle;
    double total = 0, farthest = 0;
    for (const Witness& w : witnesses) {
        const double size = distance(chosen.stretch, Mat3d{{{}, {}, {}}});
        if (w.mirrored != chosen.mirrored || distance(w.stretch, chosen.stretch) > kSameStretch * size) continue;
        const Mat3d relative = (w.map * back).linear();
        const Quatd q = normalized(toQuat(relative));
        // Every joint counts equally, so that other weights on the same joints do not change the rest pose.
        const double sign = q.w < 0 ? -1 : 1;
        turn = {turn.x + sign * q.x, turn.y + sign * q.y, turn.z + sign * q.z, turn.w + sign * q.w};
        middle += w.map * center;
        total += 1;
        farthest = std::max({farthest, distance(relative, Mat3d{}), length(w.map * center - place) / length(place)});
    }
    if (!(farthest > kSamePose) || !(total > 0)) return chosen.map;
    const Mat3d linear = toMatrix(normalized(turn)) * chosen.map.linear();
    return {linear, middle * (1 / total) - linear * center};
}

double figureSize(const Mesh& mesh) {
    float size = 0;
    for (const Vec3f& p : mesh.positions)
        for (int i = 0; i < 3; ++i) size = std::max(size, std::abs(p[i]));
    return size;
}

bool isFiniteMap(const Affine3d& a) {
    return std::all_of(a.m, a.m + 16, [](double x) { return std::isfinite(x); });
}

bool nearIdentity(const Affine3d& map, double size) {
    const Affine3d one;
    for (int i = 0; i < 12; ++i)
        if (std::abs(map.m[i] - one.m[i]) > kNoSpace) return false;
    return length(map.translation()) <= kNoSpace * size;
}

class SpaceFinder {
public:
    SpaceFinder(const Character& character, std::span<const std::vector<std::uint32_t>> slots)
        : character_(character), slots_(slots.begin(), slots.end()), skinned_(slotCount(), 0), group_(slotCount()) {
        if (slots_.empty()) {
            slots_.emplace_back(slotCount());
            std::iota(slots_.front().begin(), slots_.front().end(), 0U);
        }
        const SkinWeights& weights = character.weights;
        for (std::size_t v = 0; v < weights.vertexCount(); ++v)
            for (std::size_t i = 0; i < weights.jointsOf(v).size(); ++i)
                skinned_[weights.jointsOf(v)[i]] += double(weights.weightsOf(v)[i]);
        slots_of_node_.resize(character.skeleton.nodes.size());
        for (std::uint32_t s = 0; s < slotCount(); ++s) slots_of_node_[character.skeleton.joints[s].node].push_back(s);
        maps_ = skinMatricesDouble(character.skeleton, nullptr, 0);
        size_ = figureSize(character.mesh);
        for (const Vec3f& p : character.mesh.positions)
            center_ += Vec3d(p) * (1 / double(character.mesh.vertexCount()));
        groupSlots();
        findSpaces();
    }

    const Affine3d& ofSlot(std::size_t slot) const { return spaces_[group_[slot]]; }
    Affine3d ofInstance(std::size_t instance) const {
        return slots_[instance].empty() ? Affine3d{} : ofSlot(slots_[instance].front());
    }

private:
    std::size_t slotCount() const { return character_.skeleton.joints.size(); }

    /// Skins that share a slot have one space: group_[slot] is the lowest slot of its group.
    void groupSlots() {
        std::iota(group_.begin(), group_.end(), 0U);
        const auto leader = [&](std::uint32_t s) {
            while (group_[s] != s) s = group_[s] = group_[group_[s]];
            return s;
        };
        for (const std::vector<std::uint32_t>& skin : slots_)
            for (const std::uint32_t slot : skin) {
                const auto [low, high] = std::minmax({leader(skin.front()), leader(slot)});
                group_[high] = low;
            }
        for (std::uint32_t s = 0; s < slotCount(); ++s) group_[s] = leader(s);
    }

    std::vector<Witness> witnessesOf(std::uint32_t group, bool with_skin) const {
        std::vector<Witness> witnesses;
        for (std::uint32_t s = 0; s < slotCount(); ++s) {
            if (group_[s] != group || (with_skin && skinned_[s] <= 0)) continue;
            const Mat3d linear = maps_[s].linear();
            const double det = determinant(linear);
            if (!isFiniteMap(maps_[s]) || !isFiniteMap(inverse(maps_[s])) || det == 0) continue;
            Witness w{s, maps_[s], transposed(linear) * linear, with_skin ? skinned_[s] : 1, 0, det < 0};
            for (std::int32_t n = nodeOf(s); n >= 0; n = character_.skeleton.nodes[std::size_t(n)].parent) ++w.depth;
            witnesses.push_back(w);
        }
        return witnesses;
    }

    std::int32_t nodeOf(std::uint32_t slot) const { return std::int32_t(character_.skeleton.joints[slot].node); }

    void findSpaces() {
        spaces_.resize(slotCount());
        std::vector<std::pair<double, std::uint32_t>> groups;  // the one with the most skin first
        for (std::uint32_t s = 0; s < slotCount(); ++s) {
            if (group_[s] == s) groups.emplace_back(0.0, s);
            std::find_if(groups.begin(), groups.end(), [&](auto& g) { return g.second == group_[s]; })->first -=
                skinned_[s];
        }
        std::stable_sort(groups.begin(), groups.end(), [](auto& a, auto& b) { return a.first < b.first; });
        std::vector<bool> found(slotCount(), false);
        for (const auto& [skin, group] : groups) {
            spaces_[group] = spaceOf(group, found);
            found[group] = true;
        }
    }

    Affine3d spaceOf(std::uint32_t group, const std::vector<bool>& found) const {
        std::vector<Witness> witnesses = witnessesOf(group, true);
        if (witnesses.empty()) witnesses = witnessesOf(group, false);
        if (witnesses.empty()) return {};
        const Affine3d own = meanMap(witnesses, chooseWitness(witnesses), center_);
        const Affine3d map = besideOthers(group, own, found);
        return nearIdentity(map, size_) ? Affine3d{} : map;
    }

    /// Parts that use the same nodes with different matrices, such as a body and its clothes, share one rest pose: a
    /// node bound by both has one position in it.
    Affine3d besideOthers(std::uint32_t group, const Affine3d& own, const std::vector<bool>& found) const {
        const Mat3d stretch = transposed(own.linear()) * own.linear();
        const std::vector<Joint>& joints = character_.skeleton.joints;
        for (std::uint32_t b = 0; b < slotCount(); ++b)
            for (std::size_t i = 0; group_[b] == group && i < slots_of_node_[joints[b].node].size(); ++i) {
                const std::uint32_t a = slots_of_node_[joints[b].node][i];
                if (!found[group_[a]]) continue;
                const Affine3d map = spaces_[group_[a]] * inverse(joints[a].inverse_bind) * joints[b].inverse_bind;
                const double fault = distance(transposed(map.linear()) * map.linear(), stretch);
                if (isFiniteMap(map) && fault <= kSameStretch * distance(stretch, Mat3d{{{}, {}, {}}})) return map;
            }
        return own;
    }

    const Character& character_;
    std::vector<std::vector<std::uint32_t>> slots_;
    std::vector<std::vector<std::uint32_t>> slots_of_node_;
    std::vector<double> skinned_;       ///< per slot, the sum of its weights
    std::vector<std::uint32_t> group_;  ///< per slot, the lowest slot of the skins that share slots with its own
    std::vector<Affine3d> maps_;        ///< per slot, M_j of the nodes' rest pose
    std::vector<Affine3d> spaces_;      ///< N, by group
    double size_ = 0;                   ///< of the mesh
    Vec3d center_;                      ///< of its vertices
};

DdmBlock<float> transformed(const DdmBlock<float>& b, const Mat3d& a) {
    const Mat3d w{{{b.xx, b.xy, b.xz}, {b.xy, b.yy, b.yz}, {b.xz, b.yz, b.zz}}};
    const Mat3d m = a * w * transposed(a);
    const Vec3d x = a * Vec3d{b.x, b.y, b.z};
    return {float(m.col[0].x), float(m.col[1].x), float(m.col[2].x), float(m.col[1].y), float(m.col[2].y),
            float(m.col[2].z), float(x.x),        float(x.y),        float(x.z),        b.w};
}

}  // namespace

void normalizeRestSpace(Character& character, std::span<const std::vector<std::uint32_t>> slots) {
    character.from_file.clear();
    if (character.skeleton.joints.empty()) return;
    const SpaceFinder finder(character, slots);
    const std::size_t instances = std::max<std::size_t>(slots.size(), 1);
    for (std::size_t i = 0; i < instances; ++i) character.from_file.push_back(finder.ofInstance(i));
    for (std::size_t j = 0; j < character.skeleton.joints.size(); ++j)
        if (const Affine3d& space = finder.ofSlot(j); !isIdentity(space)) {
            Affine3d& inverse_bind = character.skeleton.joints[j].inverse_bind;
            inverse_bind = inverse_bind * inverse(space);
        }
    if (std::all_of(character.from_file.begin(), character.from_file.end(), isIdentity<double>)) {
        character.from_file.clear();
        return;
    }
    if (character.mesh.parts.empty()) {
        transformVertices(character.mesh, 0, character.mesh.vertexCount(), character.from_file.front());
        return;
    }
    for (const MeshPart& part : character.mesh.parts)
        transformVertices(character.mesh, part.first_vertex, part.vertex_count, character.from_file[part.instance]);
}

void transformVertices(Mesh& mesh, std::size_t first, std::size_t count, const Affine3d& map) {
    if (isIdentity(map)) return;
    const bool mirrored = determinant(map.linear()) < 0;
    // The inverse transpose up to a positive factor: normals keep pointing outward, mirrored or not.
    const Mat3d normal = cofactor(map.linear()) * (mirrored ? -1.0 : 1.0);
    const auto turned = [&](const Vec3f& n) { return Vec3f(normalized(normal * Vec3d(n), Vec3d{0, 0, 1})); };
    for (MorphTarget& morph : mesh.morphs) {
        const auto begin = std::lower_bound(morph.vertices.begin(), morph.vertices.end(), first);
        const auto end = std::lower_bound(begin, morph.vertices.end(), first + count);
        for (auto v = begin; v != end; ++v) {
            const auto i = std::size_t(v - morph.vertices.begin());
            morph.position_offsets[i] = Vec3f(map.linear() * Vec3d(morph.position_offsets[i]));
            if (morph.normal_offsets.empty()) continue;
            const double scale = length(normal * Vec3d(mesh.normals[*v]));
            Vec3f& offset = morph.normal_offsets[i];
            offset = scale > 0 ? Vec3f(normal * Vec3d(offset) / scale) : Vec3f{};
        }
    }
    for (std::size_t v = first; v < first + count; ++v) {
        mesh.positions[v] = Vec3f(map * Vec3d(mesh.positions[v]));
        if (!mesh.normals.empty()) mesh.normals[v] = turned(mesh.normals[v]);
        if (mesh.tangents.empty()) continue;
        const Vec4f t = mesh.tangents[v];
        const Vec3f along = Vec3f(normalized(map.linear() * Vec3d{t.x, t.y, t.z}, Vec3d{1, 0, 0}));
        mesh.tangents[v] = {along.x, along.y, along.z, mirrored ? -t.w : t.w};
    }
}

void transformRows(DdmRows<float>& rows, std::size_t first, std::size_t count, const Affine3d& map) {
    if (isIdentity(map)) return;
    const Mat3d linear = map.linear();
    for (std::size_t v = first; v < first + count; ++v) {
        rows.centers[v] = Vec3f(map * Vec3d(rows.centers[v]));
        for (std::uint32_t e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e)
            rows.blocks[e] = transformed(rows.blocks[e], linear);
    }
}

double restScale(const Affine3d& from_file) { return 1 / std::cbrt(std::abs(determinant(from_file.linear()))); }

}  // namespace pelt::rig

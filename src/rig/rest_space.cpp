// Finds the space in which a character moves and transforms its rest pose into it.
#include <pelt/rig/rest_space.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace pelt::rig {
namespace {

constexpr double kSameStretch = 0.02;  ///< joints whose AᵀA differ by less, relative to its size, have the same stretch
constexpr double kSamePose = 1e-4;     ///< joints whose maps differ by less are in one pose
constexpr double kLeaning = 0.87;      ///< cosine of 30°: a character that is turned by less only leans in its pose
constexpr double kSlightShift = 0.2;  ///< of the figure's size: so far a pose may move its middle
constexpr double kNoSpace = 1e-5;     ///< a map this close to the identity is the identity with rounding

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

/// The rotation by quarter turns about the axes that is nearest to `r`, and how near: 1 if equal.
std::pair<Mat3d, double> nearestQuarterTurns(const Mat3d& r) {
    std::pair<Mat3d, double> best{Mat3d{}, -1};
    for (int x = 0; x < 3; ++x)
        for (int way = 1; way < 3; ++way)
            for (int signs = 0; signs < 4; ++signs) {
                const int y = (x + way) % 3;
                Mat3d q{{{}, {}, {}}};
                q.col[0][x] = signs & 1 ? -1 : 1;
                q.col[1][y] = signs & 2 ? -1 : 1;
                q.col[2] = cross(q.col[0], q.col[1]);
                double trace = 0;
                for (int c = 0; c < 3; ++c) trace += dot(q.col[c], r.col[c]);
                if (const double cosine = (trace - 1) / 2; cosine > best.second) best = {q, cosine};
            }
    return best;
}

/// The map without a slight turn or shift of the whole character. Files store characters lying or facing another way,
/// but not leaning: that is the pose of the nodes, in which the character may be saved.
Affine3d squared(const Affine3d& map, const Vec3d& center, double size) {
    const Mat3d turn = toMatrix(trsOf(map).rotation);
    const auto [square, cosine] = nearestQuarterTurns(turn);
    if (cosine < kLeaning) return map;
    const Mat3d linear = square * (transposed(turn) * map.linear());
    const Vec3d shift = map * center - linear * center;
    const bool slight = length(shift) < kSlightShift * std::cbrt(std::abs(determinant(linear))) * size;
    return {linear, slight ? Vec3d{} : shift};
}

/// The map of the chosen joint if all joints with the same stretch agree with it, which is the case if the rest pose of
/// the nodes is the bind pose. Otherwise it is rotated and moved to the mean of theirs, so that the character is
/// upright.
Affine3d meanMap(std::span<const Witness> witnesses, const Witness& chosen, const Vec3d& center, double figure) {
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
    return squared({linear, middle * (1 / total) - linear * center}, center, figure);
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

bool nearlySame(const Affine3d& a, const Affine3d& b) {
    constexpr double kSame = 1e-4;
    double linear = 0, apart = 0;
    for (int i = 0; i < 12; ++i) {
        linear = std::max(linear, std::abs(b.m[i]));
        apart = std::max(apart, std::abs(a.m[i] - b.m[i]));
    }
    const double place = length(a.translation() - b.translation());
    return apart <= kSame * linear && place <= kSame * (linear + length(b.translation()));
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
        worlds_.resize(character.skeleton.nodes.size());
        worldTransforms(character.skeleton, sampleLocals(character.skeleton, nullptr, 0), worlds_);
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
        const Affine3d own = meanMap(witnesses, chooseWitness(witnesses), center_, size_);
        const Affine3d map = besideOthers(group, own, found);
        return nearIdentity(map, size_) ? Affine3d{} : map;
    }

    /// Parts that use the same nodes with different matrices, such as a body and its clothes, share one rest pose: a
    /// node bound by both has one position in it. Parts with nodes of their own, such as hair below the head of the
    /// body, stand as their nodes do at rest: beside the nearest node above or below that is bound by the other.
    Affine3d besideOthers(std::uint32_t group, const Affine3d& own, const std::vector<bool>& found) const {
        const Mat3d stretch = transposed(own.linear()) * own.linear();
        const double size = distance(stretch, Mat3d{{{}, {}, {}}});
        const std::vector<Joint>& joints = character_.skeleton.joints;
        std::pair<int, Affine3d> best{std::numeric_limits<int>::max(), own};
        const auto consider = [&](std::uint32_t a, std::uint32_t b, int apart) {
            if (apart >= best.first) return;
            const Affine3d between =
                apart == 0 ? Affine3d{} : inverse(worlds_[joints[a].node]) * worlds_[joints[b].node];
            const Affine3d map =
                spaces_[group_[a]] * inverse(joints[a].inverse_bind) * between * joints[b].inverse_bind;
            if (isFiniteMap(map) && distance(transposed(map.linear()) * map.linear(), stretch) <= kSameStretch * size)
                best = {apart, map};
        };
        for (std::uint32_t b = 0; b < slotCount(); ++b) {
            if (group_[b] != group && !found[group_[b]]) continue;
            std::int32_t node = nodeOf(b);
            for (int apart = 0; node >= 0; node = character_.skeleton.nodes[std::size_t(node)].parent, ++apart)
                for (const std::uint32_t a : slots_of_node_[std::size_t(node)]) {
                    if (group_[b] == group && found[group_[a]]) consider(a, b, apart);
                    if (group_[a] == group && found[group_[b]]) consider(b, a, apart);
                }
        }
        // Where the nodes rest as they were bound, both agree but for rounding.
        const bool exact = best.first > 0 && nearlySame(best.second, own);
        return exact ? own : best.second;
    }

    const Character& character_;
    std::vector<std::vector<std::uint32_t>> slots_;
    std::vector<std::vector<std::uint32_t>> slots_of_node_;
    std::vector<double> skinned_;       ///< per slot, the sum of its weights
    std::vector<std::uint32_t> group_;  ///< per slot, the lowest slot of the skins that share slots with its own
    std::vector<Affine3d> maps_;        ///< per slot, M_j of the nodes' rest pose
    std::vector<Affine3d> worlds_;      ///< per node, at rest
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

void applySpaces(Character& character, std::span<const Affine3d> of_slot, std::vector<Affine3d> of_instance) {
    for (std::size_t j = 0; j < of_slot.size(); ++j)
        if (!isIdentity(of_slot[j])) {
            Affine3d& inverse_bind = character.skeleton.joints[j].inverse_bind;
            inverse_bind = inverse_bind * inverse(of_slot[j]);
        }
    if (std::all_of(of_instance.begin(), of_instance.end(), isIdentity<double>)) return;
    character.from_file = std::move(of_instance);
    if (character.mesh.parts.empty())
        transformVertices(character.mesh, 0, character.mesh.vertexCount(), character.from_file.front());
    for (const MeshPart& part : character.mesh.parts)
        transformVertices(character.mesh, part.first_vertex, part.vertex_count, character.from_file[part.instance]);
}

}  // namespace

void normalizeRestSpace(Character& character, std::span<const std::vector<std::uint32_t>> slots) {
    character.from_file.clear();
    if (character.skeleton.joints.empty()) return;
    const SpaceFinder finder(character, slots);
    std::vector<Affine3d> of_slot, of_instance;
    for (std::size_t j = 0; j < character.skeleton.joints.size(); ++j) of_slot.push_back(finder.ofSlot(j));
    for (std::size_t i = 0; i < std::max<std::size_t>(slots.size(), 1); ++i)
        of_instance.push_back(finder.ofInstance(i));
    applySpaces(character, of_slot, std::move(of_instance));
}

void placeRestSpace(Character& character, std::span<const std::vector<std::uint32_t>> slots,
                    std::span<const Affine3d> maps) {
    character.from_file.clear();
    std::vector<Affine3d> of_slot(character.skeleton.joints.size()), of_instance(slots.size());
    for (std::size_t i = 0; i < std::min(slots.size(), maps.size()); ++i) {
        of_instance[i] = maps[i];
        for (const std::uint32_t slot : slots[i]) of_slot[slot] = maps[i];
    }
    if (!character.skeleton.joints.empty()) applySpaces(character, of_slot, std::move(of_instance));
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
        if (rows.content != DdmContent::plain) rows.centers[v] = Vec3f(map * Vec3d(rows.centers[v]));
        for (std::uint32_t e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e)
            rows.blocks[e] = transformed(rows.blocks[e], linear);
    }
}

Affine3d toFileSpace(const Character& character) {
    const std::vector<Affine3d>& maps = character.from_file;
    if (maps.empty()) return {};
    const std::vector<MeshPart>& parts = character.mesh.parts;
    const Affine3d& first = maps[parts.empty() ? 0 : parts.front().instance];
    const Affine3d back = inverse(first);
    const bool one = std::all_of(parts.begin(), parts.end(), [&](const MeshPart& part) {
        return part.vertex_count == 0 || nearIdentity(maps[part.instance] * back, figureSize(character.mesh));
    });
    return one ? back : Affine3d{};
}

Affine3d toModeledSpace(const Character& character) {
    if (character.from_file.empty()) return {};
    std::vector<std::size_t> vertices(character.from_file.size(), 0);
    for (const MeshPart& part : character.mesh.parts)
        if (part.instance < vertices.size()) vertices[part.instance] += part.vertex_count;
    const auto most = std::max_element(vertices.begin(), vertices.end()) - vertices.begin();
    return inverse(character.from_file[std::size_t(most)]);
}

double restScale(const Affine3d& from_file) { return 1 / std::cbrt(std::abs(determinant(from_file.linear()))); }

}  // namespace pelt::rig

// Copies clips of another skeleton by the names of the joints.
#include <fmt/format.h>
#include <pelt/rig/borrow_clips.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

namespace pelt::rig {
namespace {

constexpr double kSameSize = 0.02;  ///< skeletons that differ by less have the same size

/// A name without prefix, case and punctuation: "mixamorig:LeftUpLeg" and "left_up_leg" are equal.
std::string plainName(std::string_view name) {
    if (const auto prefix = name.find_last_of(":|"); prefix != name.npos && prefix + 1 < name.size())
        name.remove_prefix(prefix + 1);
    std::string plain;
    for (const char c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) || static_cast<unsigned char>(c) >= 0x80)
            plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    // three.js writes names without the colon.
    constexpr std::string_view kMixamo = "mixamorig";
    if (plain.size() > kMixamo.size() && plain.starts_with(kMixamo)) plain.erase(0, kMixamo.size());
    return plain;
}

std::vector<Affine3d> restWorlds(const Skeleton& skeleton) {
    std::vector<Affine3d> worlds(skeleton.nodes.size());
    worldTransforms(skeleton, sampleLocals(skeleton, nullptr, 0), worlds);
    return worlds;
}

/// A skeleton at rest, by node.
struct RestSkeleton {
    explicit RestSkeleton(const Skeleton& skeleton_) : skeleton(skeleton_), worlds(restWorlds(skeleton_)) {}

    Affine3d above(std::size_t node) const {
        const std::int32_t parent = skeleton.nodes[node].parent;
        return parent < 0 ? Affine3d{} : worlds[std::size_t(parent)];
    }
    const Skeleton& skeleton;
    std::vector<Affine3d> worlds;
};

double sizeOf(const Affine3d& a) { return std::cbrt(std::abs(determinant(a.linear()))); }

/// x -> linear x + offset; for rotations x -> turn · x · after.
struct KeyMap {
    Quatd turn, after;
    Mat3d linear;
    Vec3d offset;
};

class Borrower {
public:
    Borrower(Character& character, const Skeleton& from)
        : character_(character), to_(character.skeleton), from_(from), is_joint_(to_.skeleton.nodes.size(), false) {
        for (const Joint& joint : character.skeleton.joints) is_joint_[joint.node] = true;
    }

    BorrowedClips run(std::span<const Clip> clips, const std::string& label);

private:
    void match(std::span<const Clip> clips);
    void matchBones(const std::set<std::uint32_t>& animated);
    std::map<std::string, std::int32_t> byName(bool plain) const;
    void compare();
    std::int32_t matchedAbove(std::size_t node) const;
    KeyMap mapOf(ChannelPath path, std::size_t from, std::size_t to) const;
    Channel converted(const Channel& channel, std::size_t to) const;

    Character& character_;
    RestSkeleton to_, from_;
    std::vector<bool> is_joint_;
    std::map<std::uint32_t, std::uint32_t> node_of_;  ///< node of the other skeleton -> node of this one
    std::vector<std::int32_t> origin_;                ///< node of this skeleton -> node of the other, or -1
    std::set<std::uint32_t> by_bone_;                 ///< nodes of this skeleton that were matched as bones of a human
    Quatd facing_;  ///< turns the other figure to face where this one does, for bones of a human
    BorrowedClips told_;
};

/// The nodes of this skeleton by name; -1 for an ambiguous name. Joints take precedence over other nodes.
std::map<std::string, std::int32_t> Borrower::byName(bool plain) const {
    std::map<std::string, std::int32_t> found;
    for (const bool joints : {true, false})
        for (std::size_t n = 0; n < is_joint_.size(); ++n) {
            if (is_joint_[n] != joints) continue;
            const std::string& name = to_.skeleton.nodes[n].name;
            const auto [known, is_new] = found.try_emplace(plain ? plainName(name) : name, std::int32_t(n));
            if (!is_new && plain && known->second >= 0 && is_joint_[std::size_t(known->second)] == joints)
                known->second = -1;
        }
    return found;
}

void Borrower::match(std::span<const Clip> clips) {
    std::set<std::uint32_t> animated;
    for (const Clip& clip : clips)
        for (const Channel& channel : clip.channels)
            if (channel.path != ChannelPath::morph_weights && !channel.times.empty()) animated.insert(channel.target);
    const auto exact = byName(false), plain = byName(true);
    origin_.assign(is_joint_.size(), -1);
    for (const auto* names : {&exact, &plain})
        for (const std::uint32_t node : animated) {
            if (node_of_.contains(node)) continue;
            const std::string& name = from_.skeleton.nodes[node].name;
            const auto found = names->find(names == &plain ? plainName(name) : name);
            if (found == names->end() || found->second < 0 || found->first.empty()) continue;
            // Nodes that are not joints, such as an armature, must have exactly the same name.
            if (names == &plain && !is_joint_[std::size_t(found->second)]) continue;
            if (origin_[std::size_t(found->second)] >= 0) continue;
            origin_[std::size_t(found->second)] = std::int32_t(node);
            node_of_.emplace(node, std::uint32_t(found->second));
        }
    matchBones(animated);
    for (const std::uint32_t node : animated)
        if (!node_of_.contains(node)) told_.unmatched.push_back(from_.skeleton.nodes[node].name);
    told_.matched = node_of_.size();
}

/// Where the left side of a figure is seen from its right, level; zero if its legs are not known.
Vec3d leftOf(const RestSkeleton& figure) {
    Vec3d across;
    for (std::size_t n = 0; n < figure.worlds.size(); ++n) {
        const std::string& bone = figure.skeleton.nodes[n].human;
        if (bone == "leftUpperLeg") across += figure.worlds[n].translation();
        if (bone == "rightUpperLeg") across -= figure.worlds[n].translation();
    }
    across.y = 0;
    return normalized(across, Vec3d{});
}

/// Avatars and their animations say which node is which bone of a human. Their rest poses are alike, their names and
/// axes need not be.
void Borrower::matchBones(const std::set<std::uint32_t>& animated) {
    std::map<std::string_view, std::uint32_t> here;
    for (std::uint32_t n = 0; n < is_joint_.size(); ++n)
        if (const std::string& bone = to_.skeleton.nodes[n].human; !bone.empty()) here.try_emplace(bone, n);
    for (const std::uint32_t node : animated) {
        const auto found = here.find(from_.skeleton.nodes[node].human);
        if (found == here.end() || origin_[found->second] >= 0) continue;
        if (const auto named = node_of_.find(node); named != node_of_.end()) continue;
        origin_[found->second] = std::int32_t(node);
        node_of_.emplace(node, found->second);
        by_bone_.insert(found->second);
    }
    const Vec3d a = leftOf(from_), b = leftOf(to_);
    facing_ = axisAngle(Vec3d{0, 1, 0}, std::atan2(dot(cross(a, b), Vec3d{0, 1, 0}), dot(a, b)));
}

std::int32_t Borrower::matchedAbove(std::size_t node) const {
    std::int32_t above = to_.skeleton.nodes[node].parent;
    while (above >= 0 && !(origin_[std::size_t(above)] >= 0 && is_joint_[std::size_t(above)]))
        above = to_.skeleton.nodes[std::size_t(above)].parent;
    return above;
}

/// Sizes by the lengths of bones, which do not change with the pose; and how rest rotations differ.
void Borrower::compare() {
    double here = 0, there = 0;
    for (const auto& [from, to] : node_of_) {
        const std::int32_t above = matchedAbove(to);
        if (!is_joint_[to] || above < 0) continue;
        const auto origin = std::size_t(origin_[std::size_t(above)]);
        here += length(to_.worlds[to].translation() - to_.worlds[std::size_t(above)].translation());
        there += length(from_.worlds[from].translation() - from_.worlds[origin].translation());
        const double along =
            std::abs(dot(to_.skeleton.nodes[to].local.rotation, from_.skeleton.nodes[from].local.rotation));
        const double degrees = 2 * std::acos(std::min(along, 1.0)) * 180 / std::numbers::pi;
        if (degrees <= told_.most_turned || by_bone_.contains(to)) continue;
        told_.most_turned = degrees;
        told_.most_turned_node = to_.skeleton.nodes[to].name;
    }
    if (here > 0 && there > 0 && std::abs(here / there - 1) > kSameSize) told_.scale = here / there;
}

KeyMap Borrower::mapOf(ChannelPath path, std::size_t from, std::size_t to) const {
    const Trs &there = from_.skeleton.nodes[from].local, &here = to_.skeleton.nodes[to].local;
    const Affine3d above_there = from_.above(from), above_here = to_.above(to);
    const bool top = matchedAbove(to) < 0, bone = by_bone_.contains(std::uint32_t(to));
    const Quatd facing = bone ? facing_ : Quatd{};
    const auto turnOf = [](const Affine3d& world) { return trsOf(world).rotation; };
    KeyMap map;
    map.linear = Mat3d{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    if (path == ChannelPath::rotation && bone) {  // the same rotation in the figure's axes, from either rest pose
        map.turn = conjugate(turnOf(above_here)) * facing * turnOf(above_there);
        map.after = conjugate(turnOf(from_.worlds[from])) * conjugate(facing) * turnOf(to_.worlds[to]);
    } else if (path == ChannelPath::rotation && !is_joint_[to]) {
        map.turn = here.rotation * conjugate(there.rotation);
    } else if (path == ChannelPath::rotation && top) {
        map.turn = conjugate(trsOf(above_here).rotation) * trsOf(above_there).rotation;
    } else if (path == ChannelPath::translation) {
        const double unit = sizeOf(above_here) > 0 ? told_.scale * sizeOf(above_there) / sizeOf(above_here) : 1;
        map.linear = map.linear * unit;
        if (top) map.linear = toMatrix(conjugate(turnOf(above_here)) * facing * turnOf(above_there)) * map.linear;
        map.offset = here.translation - map.linear * there.translation;
    } else if (path == ChannelPath::scale) {
        for (int i = 0; i < 3; ++i) map.linear.col[i][i] = there.scale[i] != 0 ? here.scale[i] / there.scale[i] : 1;
    }
    return map;
}

Channel Borrower::converted(const Channel& channel, std::size_t to) const {
    Channel out = channel;
    out.target = std::uint32_t(to);
    const KeyMap map = mapOf(channel.path, channel.target, to);
    const bool cubic = channel.interpolation == Interpolation::cubic_spline;
    for (std::size_t i = 0; i + channel.width <= out.values.size(); i += channel.width) {
        float* v = out.values.data() + i;
        if (channel.path == ChannelPath::rotation) {
            const Quatd q = map.turn * Quatd{v[0], v[1], v[2], v[3]} * map.after;
            if (std::min(std::abs(map.turn.w), std::abs(map.after.w)) < 1 - 1e-12)
                v[0] = float(q.x), v[1] = float(q.y), v[2] = float(q.z), v[3] = float(q.w);
            continue;
        }
        // Tangents of a spline are directions, not positions.
        const bool tangent = cubic && (i / channel.width) % 3 != 1;
        const Vec3d moved = map.linear * Vec3d{v[0], v[1], v[2]} + (tangent ? Vec3d{} : map.offset);
        for (int c = 0; c < 3; ++c) v[c] = float(moved[c]);
    }
    return out;
}

BorrowedClips Borrower::run(std::span<const Clip> clips, const std::string& label) {
    match(clips);
    if (node_of_.empty()) return told_;
    compare();
    std::set<std::string> taken;
    for (const Clip& clip : character_.clips) taken.insert(clip.name);
    std::vector<Clip> made;
    for (const Clip& clip : clips) {
        Clip copy{clip.name, clip.first_key, clip.last_key, {}};
        for (const Channel& channel : clip.channels)
            if (const auto node = node_of_.find(channel.target);
                channel.path != ChannelPath::morph_weights && node != node_of_.end() && !channel.times.empty())
                copy.channels.push_back(converted(channel, node->second));
        if (copy.channels.empty()) continue;
        if (taken.contains(copy.name)) copy.name = fmt::format("{}:{}", label, copy.name);
        for (int k = 2; taken.contains(copy.name); ++k) copy.name = fmt::format("{}:{}_{}", label, clip.name, k);
        taken.insert(copy.name);
        made.push_back(std::move(copy));
    }
    character_.clips.insert(character_.clips.begin(), std::make_move_iterator(made.begin()),
                            std::make_move_iterator(made.end()));
    for (Clip& clip : character_.clips) {
        if (character_.driven.empty() || &clip >= character_.clips.data() + made.size()) break;
        bakeDrivers(character_.skeleton, character_.driven, clip);
    }
    return told_;
}

}  // namespace

BorrowedClips borrowClips(Character& character, const Skeleton& from, std::span<const Clip> clips,
                          const std::string& label) {
    return Borrower(character, from).run(clips, label);
}

}  // namespace pelt::rig

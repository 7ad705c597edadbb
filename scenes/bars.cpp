// Upright bars of two and three joints, whole and in parts.
#include "bars.h"

#include <pelt/rig/clip_builder.h>

#include <algorithm>

#include "rigging.h"
#include "tube.h"

namespace pelt::scenes {
namespace {

constexpr double kHeight = 1.0, kHalfWidth = 0.1, kCorner = 0.05, kEndFillet = 0.03, kCutFillet = 0.012;
constexpr double kHalfPi = 1.57079632679489661923;
constexpr double kRound = 8 * (kHalfWidth - kCorner) + 4 * kHalfPi * kCorner;  // the circumference of the section

/// The rounded square by its arc length, u in [0, 1), starting at the middle of a side.
Vec2<double> section(double u) {
    const double half_side = kHalfWidth - kCorner, arc = kHalfPi * kCorner;
    const double quarter = 4 * u - std::floor(4 * u);
    const double s = quarter * (2 * half_side + arc);
    Vec2<double> p;
    if (s < half_side) {
        p = {kHalfWidth, s};
    } else if (s < half_side + arc) {
        const double angle = (s - half_side) / kCorner;
        p = {half_side + kCorner * std::cos(angle), half_side + kCorner * std::sin(angle)};
    } else {
        p = {2 * half_side + arc - s, kHalfWidth};
    }
    for (int turns = int(4 * u); turns > 0; --turns) p = {-p.y, p.x};
    return p;
}

/// One end from its middle (t = 0) to the rim (t = 1) by arc length: scale of the section and depth below the end.
Vec2<double> endProfile(double t, double fillet) {
    const double flat = kHalfWidth - fillet, s = t * (flat + kHalfPi * fillet);
    if (s <= flat) return {s / kHalfWidth, 0};
    const double angle = (s - flat) / fillet;
    return {(flat + fillet * std::sin(angle)) / kHalfWidth, fillet * (1 - std::cos(angle))};
}

struct Piece {
    const char* name;
    double bottom, top, bottom_fillet, top_fillet;

    double side() const { return top - top_fillet - bottom - bottom_fillet; }
};

void appendPiece(Mesh& mesh, const Piece& piece, std::size_t vertex_count) {
    const TubeGrid grid = TubeGrid::forSize(vertex_count, piece.side() / kRound);
    appendTube(mesh, piece.name, grid, [&](double u, double v) {
        const Vec2<double> low = endProfile(std::min(v, 1.0), piece.bottom_fillet);
        const Vec2<double> high = endProfile(std::min(3 - v, 1.0), piece.top_fillet);
        const double along = std::clamp(v - 1, 0.0, 1.0);
        const double y = along <= 0   ? piece.bottom + low.y
                         : along >= 1 ? piece.top - high.y
                                      : piece.bottom + piece.bottom_fillet + along * piece.side();
        const Vec2<double> p = section(u);
        const double scale = std::min(low.x, high.x);
        return Vec3d{p.y * scale, y, p.x * scale};  // z, then x: counterclockwise about +y
    });
}

Skeleton barSkeleton(std::size_t joints) {
    static constexpr std::string_view kNames[] = {"joint0", "joint1", "joint2"};
    std::vector<JointPlace> places;
    for (std::size_t j = 0; j < joints; ++j) {
        places.push_back({kNames[j], std::int32_t(j) - 1, {0, kHeight * double(j) / double(joints), 0}});
    }
    return makeSkeleton(places);
}

/// Keys at 0, 1 and 2 seconds: to the pose and back.
Channel thereAndBack(ChannelPath path, std::uint32_t joint, const Vec3f& rest, const Vec3f& away) {
    Channel channel = rig::emptyChannel(path, joint);
    for (const Vec3f& v : {rest, away, rest}) rig::addKey(channel, float(channel.times.size()), Vec3d(v));
    return channel;
}

/// The joints after the first translate sideways without rotating, as if disconnected ([LeLewis19] Fig. 5).
Clip slideClip(std::uint32_t joints) {
    Clip clip{"slide", 0, 2, {}};
    const Vec3f rest{0, float(kHeight / joints), 0};
    for (std::uint32_t j = 1; j < joints; ++j)
        clip.channels.push_back(
            thereAndBack(ChannelPath::translation, j, rest, rest + Vec3f{0.25f / float(joints - 1), 0, 0}));
    return clip;
}

/// The first joint doubles its length, the second one halves its size ([Kalentchouk20] Fig. 1).
Clip stretchClip(std::uint32_t joints) {
    Clip clip{"stretch", 0, 2, {}};
    clip.channels.push_back(thereAndBack(ChannelPath::scale, 0, {1, 1, 1}, {1, 2, 1}));
    if (joints > 1) clip.channels.push_back(thereAndBack(ChannelPath::scale, 1, {1, 1, 1}, {0.5f, 0.5f, 0.5f}));
    return clip;
}

/// Bends to a right angle and back, then twists and untwists; distributed over all joints except the first.
std::vector<Clip> barClips(std::uint32_t joints) {
    std::vector<JointMotion> motions;
    for (std::uint32_t j = 1; j < joints; ++j) {
        const double share = 1.0 / (joints - 1);
        motions.push_back(
            {j, [share](double t) {
                 const double bend = 100 * share * swell(0, 2, t), twist = 160 * share * swell(2, 4, t);
                 return axisAngle(Vec3d{0, 0, 1}, -bend * kDegree) * axisAngle(Vec3d{0, 1, 0}, twist * kDegree);
             }});
    }
    std::vector<JointLimit> limits;
    for (std::uint32_t j = 0; j < joints; ++j) {
        limits.push_back({j, {0, 0, 1}, -120, 120});
        limits.push_back({j, {1, 0, 0}, -120, 120});
        limits.push_back({j, {0, 1, 0}, -170, 170});
    }
    return {makeClip("bend_and_twist", 4, motions), rangeOfMotion(limits), slideClip(joints), stretchClip(joints)};
}

Character barOf(const char* name, std::uint32_t joints, std::size_t resolution, const Progress& progress) {
    progress.report("generate", 0);
    Mesh mesh;
    appendPiece(mesh, {name, 0, kHeight, kEndFillet, kEndFillet}, resolution);
    progress.report("generate", 0.5);
    return makeCharacter(name, std::move(mesh), barSkeleton(joints), barClips(joints));
}

}  // namespace

Character makeBar(std::size_t resolution, const Progress& progress) { return barOf("bar", 2, resolution, progress); }
Character makeBar3(std::size_t resolution, const Progress& progress) { return barOf("bar3", 3, resolution, progress); }

Character makeBarParts(std::size_t resolution, const Progress& progress) {
    constexpr double kCut = 0.56, kGap = 0.004;
    const Piece lower{"lower", 0, kCut - kGap / 2, kEndFillet, kCutFillet};
    const Piece upper{"upper", kCut + kGap / 2, kHeight, kCutFillet, kEndFillet};
    const double ends = 4 * kHalfWidth * kHalfWidth;
    const double lower_area = ends * 2 + kRound * lower.side(), upper_area = ends * 2 + kRound * upper.side();
    const auto share = static_cast<std::size_t>(double(resolution) * lower_area / (lower_area + upper_area));
    progress.report("generate", 0);
    Mesh mesh;
    appendPiece(mesh, lower, share);
    progress.report("generate", 0.25);
    appendPiece(mesh, upper, resolution - share);
    progress.report("generate", 0.5);
    return makeCharacter("bar-parts", std::move(mesh), barSkeleton(2), barClips(2));
}

}  // namespace pelt::scenes

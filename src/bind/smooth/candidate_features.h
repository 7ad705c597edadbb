#pragma once

#include "bind_scene.h"

namespace pelt::bind {

constexpr std::size_t kCandidates = 12, kFeatures = 63;

/// How a vertex sees a candidate joint.
struct CandidateSight {
    static constexpr std::uint32_t kNone = ~0u;
    std::uint32_t joint = kNone;
    float straight = 0;  ///< distance to the nearest bone of the joint
    float region = 0;    ///< over the surface to the region that the rules give the joint; infinite if far
    float price = 0;     ///< as the rules count
    float walked = 0;    ///< seen through the solid, then over the surface
    float outside = 0;   ///< share of the line from the bone that is outside
    float within = 0;    ///< share of the bone that the vertex's part encloses
    float facing = 0;    ///< cosine of normal and line
    float aligned = 0;   ///< cosine of normal and bone
    float ahead = 0;     ///< cosine of the bone and the direction from the joint
    float before = 0, along = 0, beyond = 0;  ///< the place along the bone: in front of it, 0 to 1, behind it
    float length = 0;                         ///< of that bone
};

/// The joints that welded vertices may follow, and numbers that describe each for the network.
class CandidateFeatures {
public:
    /// Keeps a reference to the scene.
    CandidateFeatures(const BindScene& scene, const Progress& progress);

    /// kCandidates of them; those without a joint come last.
    std::span<const CandidateSight> of(std::size_t vertex) const {
        return {sights_.data() + vertex * kCandidates, kCandidates};
    }
    /// Writes kFeatures numbers per candidate, all of them between -1 and 1.
    void write(std::size_t vertex, float* out) const;

private:
    void measureRegions();
    void choose(std::size_t vertex, std::vector<std::pair<float, CandidateSight>>& nearest);
    void look(std::size_t vertex, std::vector<geometry::Crossing>& crossings);
    void walk();

    const BindScene& scene_;
    CompressedRows region_rows_;
    std::vector<std::pair<std::uint32_t, float>> regions_;  ///< per vertex: joints and distances of regions in reach
    std::vector<float> borders_;                            ///< per vertex: to the nearest region of another joint
    std::vector<float> thickness_;                          ///< per vertex: of the solid below it
    std::vector<CandidateSight> sights_;
};

}  // namespace pelt::bind

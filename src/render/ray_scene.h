#pragma once

#include <embree3/rtcore.h>
#include <pelt/core/mesh.h>
#include <pelt/core/progress.h>

#include <memory>
#include <span>

namespace pelt::render {

constexpr int kLanes = 16;  ///< number of rays cast together

/// Triangles in normalized space for ray casting. Owns its copy of the data.
class RayScene {
public:
    /// Throws Error: cancelled, or system if memory runs out. Indices must be in range.
    RayScene(std::vector<Vec3f> positions, std::vector<Triangle> triangles, const Progress& progress);

    bool empty() const { return triangles_.empty(); }
    const std::vector<Triangle>& triangles() const { return triangles_; }
    const std::vector<Vec3f>& positions() const { return positions_; }

    /// The nearest hit of each ray whose `valid` is -1; others have 0.
    void intersect(const int* valid, RTCRayHit16& rays) const;

    /// Sets the `tfar` of rays that hit anything to minus infinity.
    void occlude(const int* valid, RTCRay16& rays) const;

private:
    struct Release {
        void operator()(RTCDevice device) const { rtcReleaseDevice(device); }
        void operator()(RTCScene scene) const { rtcReleaseScene(scene); }
    };

    std::vector<Vec3f> positions_;
    std::vector<Triangle> triangles_;
    std::unique_ptr<RTCDeviceTy, Release> device_;
    std::unique_ptr<RTCSceneTy, Release> scene_;
};

}  // namespace pelt::render

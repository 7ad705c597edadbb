// The triangles of a picture in Embree.
#include "ray_scene.h"

#include <pelt/core/error.h>
#include <pelt/core/start_threads.h>

#include <cstring>
#include <exception>
#include <mutex>

namespace pelt::render {

namespace {

/// Passes the caller's cancellation through the BVH build, which exceptions must not cross.
struct BuildMonitor {
    const Progress& progress;
    std::mutex mutex;
    std::exception_ptr stop;

    static bool proceed(void* self, double fraction) {
        auto& monitor = *static_cast<BuildMonitor*>(self);
        const std::lock_guard lock(monitor.mutex);
        try {
            if (!monitor.stop) monitor.progress.report("render: scene", fraction);
        } catch (...) {
            monitor.stop = std::current_exception();
        }
        return !monitor.stop;
    }
};

template <class T>
void fillBuffer(RTCGeometry geometry, RTCBufferType type, RTCFormat format, const std::vector<T>& data) {
    void* to = rtcSetNewGeometryBuffer(geometry, type, 0, format, sizeof(T), data.size());
    if (!to) throw Error::system("not enough memory to render " + std::to_string(data.size()) + " elements");
    std::memcpy(to, data.data(), data.size() * sizeof(T));
}

}  // namespace

RayScene::RayScene(std::vector<Vec3f> positions, std::vector<Triangle> triangles, const Progress& progress)
    : positions_(std::move(positions)), triangles_(std::move(triangles)) {
    if (empty()) return;
    startThreads();
    device_.reset(rtcNewDevice(nullptr));
    if (!device_) throw Error::system("the ray caster cannot start on this machine");
    scene_.reset(rtcNewScene(device_.get()));
    rtcSetSceneFlags(scene_.get(), RTC_SCENE_FLAG_ROBUST);
    const RTCGeometry geometry = rtcNewGeometry(device_.get(), RTC_GEOMETRY_TYPE_TRIANGLE);
    const std::unique_ptr<RTCGeometryTy, void (*)(RTCGeometry)> owned(geometry, rtcReleaseGeometry);
    fillBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT3, positions_);
    fillBuffer(geometry, RTC_BUFFER_TYPE_INDEX, RTC_FORMAT_UINT3, triangles_);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(scene_.get(), geometry);
    BuildMonitor monitor{progress, {}, {}};
    rtcSetSceneProgressMonitorFunction(scene_.get(), &BuildMonitor::proceed, &monitor);
    rtcCommitScene(scene_.get());
    rtcSetSceneProgressMonitorFunction(scene_.get(), nullptr, nullptr);
    if (monitor.stop) std::rethrow_exception(monitor.stop);
    if (rtcGetDeviceError(device_.get()) != RTC_ERROR_NONE)
        throw Error::system("not enough memory to render " + std::to_string(triangles_.size()) + " triangles");
}

void RayScene::intersect(const int* valid, RTCRayHit16& rays) const {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
    rtcIntersect16(valid, scene_.get(), &context, &rays);
}

void RayScene::occlude(const int* valid, RTCRay16& rays) const {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcOccluded16(valid, scene_.get(), &context, &rays);
}

}  // namespace pelt::render

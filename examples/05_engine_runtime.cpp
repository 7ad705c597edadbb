// How an engine plays a file written by `pelt pack`: the file is memory-mapped and used in place, poses are in the
// engine's own memory, two frames are in flight, and jobs evaluate ranges of vertices. Links only pelt::runtime. The
// file may have any skin.
//
//     pelt sample biped -o biped.glb && pelt pack biped.glb --method ddm -o biped.peltrig
//     05_engine_runtime biped.peltrig

#include <fcntl.h>
#include <pelt/runtime/skeleton.h>
#include <pelt/runtime/skin.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

using namespace pelt;

namespace {

/// A memory-mapped file: pages are loaded when they are first read, and several processes share them.
class MappedFile {
public:
    explicit MappedFile(const char* path) {
        const int file = ::open(path, O_RDONLY);
        struct stat info {};
        if (file < 0 || ::fstat(file, &info) != 0) return;
        size_ = std::size_t(info.st_size);
        memory_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
        ::close(file);
    }
    ~MappedFile() {
        if (memory_ != MAP_FAILED) ::munmap(memory_, size_);
    }
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    std::span<const std::byte> bytes() const {
        if (memory_ == MAP_FAILED) return {};
        return {static_cast<const std::byte*>(memory_), size_};
    }

private:
    void* memory_ = MAP_FAILED;
    std::size_t size_ = 0;
};

struct Free {
    void operator()(std::byte* p) const { std::free(p); }
};
using Memory = std::unique_ptr<std::byte[], Free>;

/// The engine's allocator; here that of the C library.
Memory allocate(std::size_t bytes) {
    return Memory(static_cast<std::byte*>(std::aligned_alloc(runtime::kRigAlignment, bytes)));
}

/// The engine's animation: every joint sways about its rest.
void animate(const runtime::SkeletonRig& skeleton, double time, std::span<runtime::LocalTransform> locals) {
    for (std::size_t n = 0; n < locals.size(); ++n) {
        locals[n] = skeleton.nodeRest(n);
        locals[n].rotation = locals[n].rotation * axisAngle(Vec3f{0, 0, 1}, float(0.1 * std::sin(time + double(n))));
    }
    runtime::applyDrivers(skeleton, locals);
}

/// The data of one frame in flight.
struct Frame {
    Memory memory;
    runtime::SkinPose pose;
    std::vector<Vec3f> positions, normals;  // in an engine, a mapped vertex buffer

    explicit Frame(const runtime::SkinRig& skin)
        : memory(allocate(runtime::SkinPose::bytes(skin))),
          pose(skin, {memory.get(), runtime::SkinPose::bytes(skin)}),
          positions(skin.vertexCount()),
          normals(skin.hasNormals() ? skin.vertexCount() : 0) {}
};

/// The engine's job system: two workers take ranges of a frame until none is left.
class Jobs {
public:
    Jobs(const runtime::SkinRig& skin, Frame& frame) {
        for (std::thread& worker : workers_)
            worker = std::thread([this, &skin, &frame] {
                constexpr std::size_t kRange = runtime::kDdmWindow;
                const std::size_t vertices = skin.vertexCount();
                for (std::size_t first; (first = next_.fetch_add(kRange)) < vertices;)
                    evaluate(skin, frame.pose, {}, first, std::min(kRange, vertices - first),
                             {frame.positions, frame.normals});
            });
    }
    ~Jobs() {
        for (std::thread& worker : workers_) worker.join();
    }

private:
    std::atomic<std::size_t> next_ = 0;
    std::thread workers_[2];
};

int play(const runtime::SkeletonRig& skeleton, const runtime::SkinRig& skin) {
    if (skin.jointCount() > skeleton.jointCount()) return std::puts("the skin is of another skeleton"), 1;
    std::vector<runtime::LocalTransform> locals(skeleton.nodeCount());
    std::vector<Affine3f> worlds(skeleton.nodeCount()), bones(skeleton.jointCount());
    Frame frames[] = {Frame(skin), Frame(skin)};
    std::unique_ptr<Jobs> running;
    for (int i = 0; i < 60; ++i) {
        Frame& frame = frames[i % 2];
        animate(skeleton, i / 30.0, locals);  // while the jobs of the previous frame are still running
        runtime::skinMatrices(skeleton, locals, worlds, bones);
        frame.pose.set(bones);
        running.reset();
        running = std::make_unique<Jobs>(skin, frame);
    }
    running.reset();
    Vec3f low = frames[1].positions.front(), high = low;
    for (const Vec3f& p : frames[1].positions)
        for (int i = 0; i < 3; ++i) {
            low[i] = std::min(low[i], p[i]);
            high[i] = std::max(high[i], p[i]);
        }
    std::printf("%zu vertices on %zu joints, 60 frames; the last is %.3f x %.3f x %.3f\n", skin.vertexCount(),
                skin.jointCount(), double(high.x - low.x), double(high.y - low.y), double(high.z - low.z));
    return isFinite(high - low) ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
    if (count != 2) return std::puts("usage: 05_engine_runtime FILE.peltrig"), 2;
    const MappedFile file(words[1]);
    const auto skin = runtime::SkinRig::view(file.bytes());
    if (!skin) return std::printf("the skin: %s\n", runtime::describe(skin.error())), 1;
    const auto skeleton = runtime::SkeletonRig::view(runtime::findRig(file.bytes(), runtime::RigKind::skeleton));
    if (!skeleton) return std::printf("the skeleton: %s\n", runtime::describe(skeleton.error())), 1;
    return play(*skeleton, *skin);
}

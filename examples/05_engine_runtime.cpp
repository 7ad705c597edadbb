// How an engine plays a file written by `pelt pack`: the file is memory-mapped and used in place, poses are in the
// engine's own memory, two frames are in flight, and jobs evaluate ranges of vertices. Links only pelt::runtime.
//
//     pelt sample biped -o biped.glb && pelt pack biped.glb --method ddm -o biped.peltrig
//     05_engine_runtime biped.peltrig

#include <fcntl.h>
#include <pelt/runtime/ddm.h>
#include <pelt/runtime/dqs.h>
#include <pelt/runtime/lbs.h>
#include <pelt/runtime/skeleton.h>
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
template <class Rig, class Pose>
struct Frame {
    Memory memory;
    Pose pose;
    std::vector<Vec3f> positions, normals;  // in an engine, a mapped vertex buffer

    explicit Frame(const Rig& rig)
        : memory(allocate(Pose::bytes(rig))),
          pose(rig, {memory.get(), Pose::bytes(rig)}),
          positions(rig.vertexCount()),
          normals(rig.hasNormals() ? rig.vertexCount() : 0) {}
};

/// The engine's job system: two workers take ranges of a frame until none is left.
template <class Rig, class Pose>
class Jobs {
public:
    Jobs(const Rig& rig, Frame<Rig, Pose>& frame) {
        for (std::thread& worker : workers_)
            worker = std::thread([this, &rig, &frame] {
                constexpr std::size_t kRange = runtime::kDdmWindow;
                const std::size_t vertices = rig.vertexCount();
                for (std::size_t first; (first = next_.fetch_add(kRange)) < vertices;)
                    evaluate(rig, frame.pose, {}, first, std::min(kRange, vertices - first),
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

template <class Rig, class Pose>
int play(const runtime::SkeletonRig& skeleton, const Rig& rig) {
    if (rig.jointCount() > skeleton.jointCount()) return std::puts("the skin is of another skeleton"), 1;
    std::vector<runtime::LocalTransform> locals(skeleton.nodeCount());
    std::vector<Affine3f> worlds(skeleton.nodeCount()), bones(skeleton.jointCount());
    Frame<Rig, Pose> frames[] = {Frame<Rig, Pose>(rig), Frame<Rig, Pose>(rig)};
    std::unique_ptr<Jobs<Rig, Pose>> running;
    for (int i = 0; i < 60; ++i) {
        Frame<Rig, Pose>& frame = frames[i % 2];
        animate(skeleton, i / 30.0, locals);  // while the jobs of the previous frame are still running
        runtime::skinMatrices(skeleton, locals, worlds, bones);
        frame.pose.set(bones);
        running.reset();
        running = std::make_unique<Jobs<Rig, Pose>>(rig, frame);
    }
    running.reset();
    Vec3f low = frames[1].positions.front(), high = low;
    for (const Vec3f& p : frames[1].positions)
        for (int i = 0; i < 3; ++i) {
            low[i] = std::min(low[i], p[i]);
            high[i] = std::max(high[i], p[i]);
        }
    std::printf("%zu vertices on %zu joints, 60 frames; the last is %.3f x %.3f x %.3f\n", rig.vertexCount(),
                rig.jointCount(), double(high.x - low.x), double(high.y - low.y), double(high.z - low.z));
    return isFinite(high - low) ? 0 : 1;
}

/// Plays the file's rig of that kind, if it has one.
template <class Rig, class Pose>
std::optional<int> tryToPlay(std::span<const std::byte> file, runtime::RigKind kind) {
    const std::span<const std::byte> bytes = runtime::findRig(file, kind);
    if (bytes.empty()) return std::nullopt;
    const auto skeleton = runtime::SkeletonRig::view(runtime::findRig(file, runtime::RigKind::skeleton));
    if (!skeleton) return std::printf("the skeleton: %s\n", runtime::describe(skeleton.error())), 1;
    const auto rig = Rig::view(bytes);
    if (!rig) return std::printf("the skin: %s\n", runtime::describe(rig.error())), 1;
    return play<Rig, Pose>(*skeleton, *rig);
}

}  // namespace

int main(int count, char** words) {
    if (count != 2) return std::puts("usage: 05_engine_runtime FILE.peltrig"), 2;
    const MappedFile file(words[1]);
    auto status = tryToPlay<runtime::DdmRig, runtime::DdmPose>(file.bytes(), runtime::RigKind::ddm);
    if (!status) status = tryToPlay<runtime::DqsRig, runtime::DqsPose>(file.bytes(), runtime::RigKind::dqs);
    if (!status) status = tryToPlay<runtime::LbsRig, runtime::LbsPose>(file.bytes(), runtime::RigKind::lbs);
    if (!status) std::printf("%s: no rig is in it\n", words[1]);
    return status.value_or(1);
}

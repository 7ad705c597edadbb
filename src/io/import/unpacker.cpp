// Sends compressed mesh data to the helper process and waits for the result.
#include "unpacker.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/memory.h>
#include <pelt/io/import.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <new>

#include "child_process.h"

namespace pelt::io {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::seconds(120);                ///< for one answer
constexpr std::uint64_t kMostMemory = std::uint64_t(8) << 30;        ///< of the process
constexpr std::uint64_t kLeastMemory = std::uint64_t(96) << 20;      ///< for its libraries
constexpr std::uint64_t kMostRequestBytes = std::uint64_t(4) << 30;  ///< a file's buffer has at most this many

/// Waits until the descriptor can be read or written; false when the time is up.
bool isReady(int descriptor, short events, Clock::time_point deadline) {
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (left <= 0) return errno = ETIMEDOUT, false;
        pollfd polled{descriptor, events, 0};
        const int ready = ::poll(&polled, 1, static_cast<int>(std::min<std::int64_t>(left, 1'000'000)));
        if (ready > 0) return true;
        if (ready < 0 && errno != EINTR) return false;
    }
}

/// Writes everything, or returns false with errno set; a closed pipe raises no signal.
bool sendAll(int socket, std::span<const std::byte> bytes, Clock::time_point deadline) {
    while (!bytes.empty()) {
        if (!isReady(socket, POLLOUT, deadline)) return false;
        const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EINTR && errno != EAGAIN) return false;
        if (sent > 0) bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
    return true;
}

bool receiveAll(int socket, std::span<std::byte> out, Clock::time_point deadline) {
    while (!out.empty()) {
        if (!isReady(socket, POLLIN, deadline)) return false;
        const ssize_t got = ::recv(socket, out.data(), out.size(), 0);
        if (got == 0) return errno = ECONNRESET, false;
        if (got < 0 && errno != EINTR && errno != EAGAIN) return false;
        if (got > 0) out = out.subspan(static_cast<std::size_t>(got));
    }
    return true;
}

bool skip(int socket, std::uint64_t size, Clock::time_point deadline) {
    std::array<std::byte, 4096> piece;
    for (; size > piece.size(); size -= piece.size())
        if (!receiveAll(socket, piece, deadline)) return false;
    return receiveAll(socket, std::span(piece).first(size), deadline);
}

/// A message is its length and its bytes.
bool sendMessage(int socket, std::span<const std::byte> bytes, Clock::time_point deadline) {
    const std::uint64_t size = bytes.size();
    return sendAll(socket, std::as_bytes(std::span(&size, 1)), deadline) && sendAll(socket, bytes, deadline);
}

/// False with errno ENOMEM where the message does not fit into memory; it is then skipped.
bool receiveMessage(int socket, std::vector<std::byte>& bytes, std::uint64_t most, Clock::time_point deadline) {
    std::uint64_t size = 0;
    if (!receiveAll(socket, std::as_writable_bytes(std::span(&size, 1)), deadline)) return false;
    if (size > most) return errno = EMSGSIZE, false;
    try {
        bytes.resize(size);
    } catch (const std::bad_alloc&) {
        if (!skip(socket, size, deadline)) return false;
        return errno = ENOMEM, false;
    }
    return receiveAll(socket, bytes, deadline);
}

}  // namespace

class Unpacker::Process {
public:
    Process() : program_(findImporter()) {
        int ends[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
            throw Error::system(fmt::format("cannot communicate with pelt-import: {}", std::strerror(errno)));
        socket_ = ends[0];
        try {
            memory_ = std::min(kMostMemory, availableMemory());
            child_.emplace(
                startChild(program_, {"--memory", std::to_string(memory_), "--unpack"}, {ends[1], ends[1], -1}));
        } catch (...) {
            ::close(ends[0]), ::close(ends[1]);
            throw;
        }
        ::close(ends[1]);
    }
    ~Process() { ::close(socket_); }
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    int socket() const { return socket_; }
    /// False if it had less memory than it needs to begin.
    bool couldStart() const { return answered || memory_ >= kLeastMemory; }
    /// What "more memory than the process may use" means.
    gltf::UnpackFault memoryFault() const {
        return memory_ < kMostMemory ? gltf::UnpackFault::no_room : gltf::UnpackFault::memory;
    }

    /// Throws if it ended without any answer as programs do that cannot be run, for example for want of a library: then
    /// it is not the data's fault.
    void refuseIfUseless() {
        if (answered) return;
        const int status = child_->waitBriefly();
        if (!WIFEXITED(status) || (WEXITSTATUS(status) != 126 && WEXITSTATUS(status) != 127)) return;
        throw Error::system({program_.string()},
                            fmt::format("ended at once with status {}, so that compressed meshes cannot be read; "
                                        "install Pelt again with the libraries it needs, or export plain glTF",
                                        WEXITSTATUS(status)));
    }

    bool answered = false;

private:
    std::filesystem::path program_;
    int socket_ = -1;
    std::uint64_t memory_ = 0;  ///< that it may use
    std::optional<ChildGuard> child_;
};

Unpacker::Unpacker() = default;
Unpacker::~Unpacker() = default;
Unpacker::Unpacker(Unpacker&&) noexcept = default;
Unpacker& Unpacker::operator=(Unpacker&&) noexcept = default;

#ifdef PELT_UNPACKS_HERE

gltf::UnpackAnswer Unpacker::unpack(const gltf::UnpackRequest& request, std::uint64_t) {
    return gltf::unpackHere(request);
}

#else

gltf::UnpackAnswer Unpacker::unpack(const gltf::UnpackRequest& request, std::uint64_t most_bytes) {
    if (!process_) process_ = std::make_unique<Process>();
    const auto deadline = Clock::now() + kPatience;
    std::vector<std::byte> bytes;
    if (sendMessage(process_->socket(), gltf::toBytes(request), deadline) &&
        receiveMessage(process_->socket(), bytes, most_bytes, deadline))
        if (std::optional<gltf::UnpackAnswer> answer = gltf::answerFrom(bytes)) {
            process_->answered = true;
            if (answer->fault == gltf::UnpackFault::memory) answer->fault = process_->memoryFault();
            return std::move(*answer);
        }
    const int why = errno;
    const std::unique_ptr<Process> ended = std::move(process_);
    if (why == ETIMEDOUT) return {gltf::UnpackFault::too_slow, 0, {}, {}};
    if (why == ENOMEM) return {gltf::UnpackFault::no_room, 0, {}, {}};
    ended->refuseIfUseless();
    return {ended->couldStart() ? gltf::UnpackFault::crashed : gltf::UnpackFault::no_room, 0, {}, {}};
}

#endif

bool serveUnpacking(int descriptor) {
    std::vector<std::byte> bytes;
    const auto forever = Clock::time_point::max();
    for (;;) {
        if (!receiveMessage(descriptor, bytes, kMostRequestBytes, forever)) {
            if (errno != ENOMEM) return errno == ECONNRESET;
            const gltf::UnpackAnswer too_large{gltf::UnpackFault::memory, 0, {}, {}};
            if (!sendMessage(descriptor, gltf::toBytes(too_large), forever)) return false;
            continue;
        }
        const std::optional<gltf::UnpackRequest> request = gltf::requestFrom(bytes);
        if (!request) return false;
        if (!sendMessage(descriptor, gltf::toBytes(gltf::unpackHere(*request)), forever)) return false;
    }
}

}  // namespace pelt::io

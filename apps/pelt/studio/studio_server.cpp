// Connections of the studio: a request and an answer each.
#include "studio/studio_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <pelt/core/error.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <list>
#include <system_error>
#include <thread>
#include <utility>

namespace pelt::studio {
namespace {

/// Tried first: browsers keep what a page stores by its address, port included.
constexpr int kUsualPort = 7358;
using Clock = std::chrono::steady_clock;

constexpr int kPollMs = 100;
constexpr std::size_t kMostWaiting =
    256;                           ///< connections whose request is not complete yet; then the oldest is dropped
constexpr int kMostAnswers = 256;  ///< that are sent at a time, to who knows the token
constexpr std::chrono::seconds kHeadPatience{5};  ///< for a whole request
constexpr timeval kSocketPatience{20, 0};         ///< for each part of an answer
constexpr std::size_t kLongestHead = 16384, kChunk = std::size_t(1) << 16;

class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor& operator=(Descriptor&&) = delete;
    int get() const { return fd_; }

private:
    int fd_;
};

bool listenOn(int socket, int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
           ::listen(socket, SOMAXCONN) == 0;
}

int portOf(int socket) {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
    return ntohs(address.sin_port);
}

bool sendAll(int socket, const char* data, std::size_t size) {
    while (size > 0) {
        const ssize_t sent = ::send(socket, data, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        data += sent;
        size -= static_cast<std::size_t>(sent);
    }
    return true;
}

const char* reasonOf(int status) {
    switch (status) {
        case 200:
            return "OK";
        case 400:
            return "Bad Request";
        case 403:
            return "Forbidden";
        case 404:
            return "Not Found";
        case 405:
            return "Method Not Allowed";
        default:
            return "Error";
    }
}

/// The page may load nothing from elsewhere, and no other page may embed or read it. Text is evaluated by WebAssembly
/// and by tools that drive the page.
std::string headOf(const StudioAnswer& answer, std::uint64_t size) {
    return fmt::format(
        "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{}Connection: close\r\nCache-Control: no-cache\r\n"
        "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
        "Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n"
        "Content-Security-Policy: default-src 'self'; script-src 'self' 'unsafe-eval'; worker-src 'self' blob:; "
        "style-src 'self' 'unsafe-inline'; img-src 'self' blob: data:; connect-src 'self' blob: data:; "
        "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\r\n",
        answer.status, reasonOf(answer.status), answer.type, size,
        (answer.status == 405 ? "Allow: GET, HEAD\r\n" : "") +
            (answer.cookie.empty() ? "" : fmt::format("Set-Cookie: {}\r\n", answer.cookie)));
}

/// Exactly the `size` bytes that the head announced; a file that shrank meanwhile ends the connection.
void sendFile(int socket, int file, std::uint64_t size) {
    std::vector<char> chunk(kChunk);
    while (size > 0) {
        const ssize_t got = ::read(file, chunk.data(), std::min<std::uint64_t>(size, kChunk));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0 || !sendAll(socket, chunk.data(), static_cast<std::size_t>(got))) return;
        size -= static_cast<std::uint64_t>(got);
    }
}

void sendAnswer(int socket, StudioAnswer answer) {
    Descriptor file(answer.file.empty() ? -1 : ::open(answer.file.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status {};
    if (!answer.file.empty() && (file.get() < 0 || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)))
        answer = {404, "text/plain; charset=utf-8", "The file is gone.\n", {}, {}, answer.head_only, answer.cookie};
    const bool from_file = !answer.file.empty();
    const std::uint64_t size = from_file      ? static_cast<std::uint64_t>(status.st_size)
                               : answer.bytes ? answer.bytes->size()
                                              : answer.text.size();
    const std::string head = headOf(answer, size);
    if (!sendAll(socket, head.data(), head.size()) || answer.head_only) return;
    if (from_file)
        sendFile(socket, file.get(), size);
    else if (answer.bytes)
        sendAll(socket, reinterpret_cast<const char*>(answer.bytes->data()), answer.bytes->size());
    else
        sendAll(socket, answer.text.data(), answer.text.size());
}

/// What is left of the request is read, so that closing does not take back what was sent.
void closeGently(int socket) {
    ::shutdown(socket, SHUT_WR);
    std::array<char, 4096> chunk;
    for (int i = 0; i < 16 && ::recv(socket, chunk.data(), chunk.size(), MSG_DONTWAIT) > 0; ++i) continue;
}

/// A connection, and what came over it.
struct Request {
    Descriptor socket;
    std::string head;  ///< without the empty line at its end
    Clock::time_point began = Clock::now();

    /// Takes what has come. False if the other side has ended or says too much.
    bool read() {
        std::array<char, 4096> chunk;
        ssize_t got = 0;
        while ((got = ::recv(socket.get(), chunk.data(), chunk.size(), MSG_DONTWAIT)) > 0) {
            head.append(chunk.data(), static_cast<std::size_t>(got));
            if (isWhole() || head.size() >= kLongestHead) return true;
        }
        return got < 0 && (errno == EAGAIN || errno == EINTR);
    }
    bool isWhole() const { return head.find("\r\n\r\n") != std::string::npos || head.size() >= kLongestHead; }
};

/// Connections whose request is not complete yet, the oldest first.
class WaitingRequests {
public:
    /// Waits for a moment; returns the requests that are complete.
    std::vector<Request> next(int listener) {
        std::vector<pollfd> polled{{listener, POLLIN, 0}};
        for (const Request& request : requests_) polled.push_back({request.socket.get(), POLLIN, 0});
        if (::poll(polled.data(), polled.size(), kPollMs) < 0) return {};
        std::vector<Request> whole;
        auto request = requests_.begin();
        for (std::size_t i = 1; i < polled.size(); ++i) {
            const bool ended = polled[i].revents != 0 && !request->read();
            const bool complete = !ended && request->isWhole();
            if (complete) whole.push_back(std::move(*request));
            const bool late = Clock::now() - request->began > kHeadPatience;
            request = ended || complete || late ? requests_.erase(request) : std::next(request);
        }
        if ((polled[0].revents & POLLIN) != 0) accept(listener);
        for (Request& one : whole)
            if (const std::size_t end = one.head.find("\r\n\r\n"); end != std::string::npos) one.head.resize(end + 2);
        return whole;
    }

private:
    void accept(int listener) {
        int client = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
        if (client < 0 && (errno == EMFILE || errno == ENFILE) && !requests_.empty()) {
            requests_.pop_front();  // no descriptor is free
            client = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
        }
        if (client < 0) {
            ::poll(nullptr, 0, kPollMs);  // until answers have been sent
            return;
        }
        if (requests_.size() >= kMostWaiting) requests_.pop_front();
        ::setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &kSocketPatience, sizeof kSocketPatience);
        requests_.push_back({Descriptor(client), {}});
    }

    std::list<Request> requests_;
};

/// On a thread of its own: one that is slow to read holds up nobody.
void startAnswer(Descriptor socket, const StudioAnswer& answer, const std::shared_ptr<std::atomic<int>>& answers) {
    if (answers->load() >= kMostAnswers) return;
    const auto send = [answer, answers, shared = std::make_shared<Descriptor>(std::move(socket))] {
        sendAnswer(shared->get(), answer);
        closeGently(shared->get());
        answers->fetch_sub(1);
    };
    answers->fetch_add(1);
    try {
        std::thread(send).detach();
    } catch (const std::system_error&) {
        send();
    }
}

}  // namespace

StudioServer::StudioServer() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int yes = 1;
    if (listener_ >= 0) ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (listener_ < 0 || (!listenOn(listener_, kUsualPort) && !listenOn(listener_, 0))) {
        const std::string why = std::strerror(errno);
        if (listener_ >= 0) ::close(listener_);
        throw Error::system(fmt::format("cannot serve the page on 127.0.0.1: {}", why));
    }
    port_ = portOf(listener_);
}

StudioServer::~StudioServer() { ::close(listener_); }

std::string StudioServer::host() const { return fmt::format("127.0.0.1:{}", port_); }

void StudioServer::serve(std::shared_ptr<const StudioSite> site, StudioAccess access,
                         const std::function<bool()>& stop) {
    WaitingRequests waiting;
    const auto answers = std::make_shared<std::atomic<int>>(0);
    while (!stop()) {
        for (Request& request : waiting.next(listener_)) {
            const StudioAnswer answer = site->answer(request.head, access);
            if (answer.file.empty() && !answer.bytes) {  // a sentence fits into the socket's buffer
                sendAnswer(request.socket.get(), answer);
                closeGently(request.socket.get());
            } else {
                startAnswer(std::move(request.socket), answer, answers);
            }
        }
    }
}

}  // namespace pelt::studio

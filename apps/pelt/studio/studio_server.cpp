#include "studio_server.h"

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
#include <cstring>
#include <system_error>
#include <thread>

namespace pelt::cli {
namespace {

/// Tried first: browsers keep what a page stores by its address, port included.
constexpr int kUsualPort = 7358;
constexpr int kPollMs = 100;
constexpr int kMostConnections = 64;
constexpr timeval kSocketPatience{20, 0};
constexpr std::size_t kLongestHead = 16384, kChunk = std::size_t(1) << 16;

class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
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
           ::listen(socket, 32) == 0;
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
        answer.status, reasonOf(answer.status), answer.type, size, answer.status == 405 ? "Allow: GET, HEAD\r\n" : "");
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
        answer = {404, "text/plain; charset=utf-8", "The file is gone.\n", {}, {}, answer.head_only};
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

/// The bytes up to the empty line; empty if the other side does not send one.
std::string readHead(int socket) {
    std::string head;
    std::array<char, 4096> chunk;
    while (head.size() < kLongestHead) {
        const ssize_t got = ::recv(socket, chunk.data(), chunk.size(), 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return {};
        head.append(chunk.data(), static_cast<std::size_t>(got));
        if (const std::size_t end = head.find("\r\n\r\n"); end != std::string::npos) return head.substr(0, end + 2);
    }
    return head;
}

/// What is left of the request is read, so that closing does not take back what was sent.
void closeGently(int socket) {
    ::shutdown(socket, SHUT_WR);
    std::array<char, 4096> chunk;
    for (int i = 0; i < 16 && ::recv(socket, chunk.data(), chunk.size(), MSG_DONTWAIT) > 0; ++i) continue;
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

void StudioServer::serve(std::shared_ptr<const StudioSite> site, const std::function<bool()>& stop) {
    const auto open = std::make_shared<std::atomic<int>>(0);
    while (!stop()) {
        pollfd waiting{listener_, POLLIN, 0};
        if (::poll(&waiting, 1, kPollMs) <= 0) continue;
        const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (client < 0) continue;
        if (open->load() >= kMostConnections) {
            ::close(client);
            continue;
        }
        ::setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &kSocketPatience, sizeof kSocketPatience);
        ::setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &kSocketPatience, sizeof kSocketPatience);
        open->fetch_add(1);
        const auto answerOne = [client, site, open, own = host()] {
            const Descriptor socket(client);
            if (const std::string head = readHead(client); !head.empty()) {
                sendAnswer(client, site->answer(head, own));
                closeGently(client);
            }
            open->fetch_sub(1);
        };
        // A thread each: a browser opens connections ahead of their use, and one that stays silent holds up nobody.
        try {
            std::thread(answerOne).detach();
        } catch (const std::system_error&) {
            answerOne();
        }
    }
}

}  // namespace pelt::cli

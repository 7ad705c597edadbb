// The server of `pelt studio`, spoken to as any program on this machine could.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <regex>

#include "program.h"

namespace fs = std::filesystem;

namespace {

class Studio : public CliTest {
protected:
    void SetUp() override {
        CliTest::SetUp();
        fs::create_directories(folder_ / "page/assets");
        writeBytes(path("page/index.html"), "<title>the page</title>");
        writeBytes(path("page/assets/main.js"), "run()");
        writeBytes(path("secret.txt"), "secret");
    }

    /// Starts the server, runs `visit` against it, and ends it with Ctrl-C.
    RunResult visited(std::vector<std::string> words, const std::function<void()>& visit) {
        words.insert(words.begin(), {"studio", "--no-open"});
        RunOptions options;
        options.environment = {"PELT_STUDIO=" + path("page")};
        const std::string output = path("said" + std::to_string(runs_++));
        writeBytes(output, "");
        options.stdout_file = output;
        options.interrupt_when = [&](int) {
            const std::string said = readBytes(output);
            std::smatch match;
            if (!std::regex_search(said, match, std::regex("http://(127\\.0\\.0\\.1:([0-9]+))(/\\S*)"))) return false;
            host_ = match[1], port_ = std::stoi(match[2]), address_ = match[3];
            visit();
            return true;
        };
        return runPelt(words, options);
    }

    /// The whole answer to a request; empty where the connection is refused.
    std::string ask(const std::string& request, const char* to = "127.0.0.1") const {
        const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port_));
        ::inet_pton(AF_INET, to, &address.sin_addr);
        std::string answer;
        if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
            ::send(socket, request.data(), request.size(), MSG_NOSIGNAL) > 0) {
            char chunk[4096];
            for (ssize_t n; (n = ::recv(socket, chunk, sizeof chunk, 0)) > 0;) answer.append(chunk, std::size_t(n));
        }
        ::close(socket);
        return answer;
    }
    std::string get(const std::string& target, const std::string& fields = "",
                    const std::string& method = "GET") const {
        return ask(method + " " + target + " HTTP/1.1\r\nHost: " + host_ + "\r\n" + fields + "\r\n");
    }
    static int status(const std::string& answer) {
        return answer.starts_with("HTTP/1.1 ") ? std::stoi(answer.substr(9, 3)) : 0;
    }
    static std::string body(const std::string& answer) {
        const std::size_t end = answer.find("\r\n\r\n");
        return end == std::string::npos ? "" : answer.substr(end + 4);
    }

    std::string host_, address_;
    int port_ = 0, runs_ = 0;
};

}  // namespace

TEST_F(Studio, ServesThePageAndTheNamedFilesUntilCtrlC) {
    const RunResult result = visited({bar()}, [&] {
        EXPECT_EQ(body(get("/")), "<title>the page</title>");
        EXPECT_EQ(body(get("/?run=1")), "<title>the page</title>");
        EXPECT_NE(get("/assets/main.js").find("Content-Type: text/javascript"), std::string::npos);
        const std::size_t open = address_.find("open=");
        ASSERT_NE(open, std::string::npos) << address_;
        EXPECT_EQ(body(get("/" + address_.substr(open + 5))), readBytes(bar()));
        EXPECT_EQ(body(get("/", "", "HEAD")), "");
        EXPECT_NE(get("/", "", "HEAD").find("Content-Length: 23\r\n"), std::string::npos);
    });
    EXPECT_EQ(result.status, 130) << result.err;
    EXPECT_EQ(result.err, "pelt: the studio is closed\n");
}

TEST_F(Studio, GivesNothingOutsideThePageAndTheNamedFiles) {
    visited({}, [&] {
        for (const char* target :
             {"/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/assets/../../secret.txt",
              "/assets/%2e%2e/%2e%2e/secret.txt", "//etc/passwd", "/etc/passwd", "/files/0/", "/assets",
              "/page/index.html", "/index.html%00.js", "/assets\\..\\..\\secret.txt"}) {
            const std::string answer = get(target);
            EXPECT_EQ(status(answer), 404) << target;
            EXPECT_EQ(answer.find("secret"), std::string::npos) << target;
        }
        fs::create_symlink(path("secret.txt"), path("page/link.txt"));
    });
    visited({}, [&] { EXPECT_EQ(status(get("/link.txt")), 404) << "a link that leads out of the page"; });
}

TEST_F(Studio, AnswersOnlyTheHostItPrintedAndItsOwnOrigin) {
    visited({}, [&] {
        const std::string port = std::to_string(port_);
        const std::vector<std::string> hosts = {"evil.example", "evil.example:" + port, "localhost:" + port,
                                                "127.0.0.1", ""};
        for (const std::string& host : hosts)
            EXPECT_EQ(status(ask("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n")), 403) << host;
        EXPECT_EQ(status(ask("GET / HTTP/1.1\r\n\r\n")), 403) << "no Host";
        EXPECT_EQ(status(ask("GET / HTTP/1.1\r\nHost: evil.example\r\nHost: " + host_ + "\r\n\r\n")), 403);
        EXPECT_EQ(status(get("/", "Origin: http://evil.example\r\n")), 403);
        EXPECT_EQ(status(get("/", "Origin: null\r\n")), 403);
        EXPECT_EQ(status(get("/", "Sec-Fetch-Site: cross-site\r\n")), 403);
        EXPECT_EQ(status(get("/", "Sec-Fetch-Site: same-site\r\n")), 403) << "another port of this machine";
        EXPECT_EQ(status(get("/", "Origin: http://" + host_ + "\r\nSec-Fetch-Site: same-origin\r\n")), 200);
        EXPECT_EQ(get("/").find("Access-Control"), std::string::npos);
        EXPECT_EQ(ask("GET / HTTP/1.1\r\nHost: " + host_ + "\r\n\r\n", "127.0.0.2"), "") << "another address";
    });
}

TEST_F(Studio, OnlyReadsAndRefusesWhatIsNoRequest) {
    visited({}, [&] {
        for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS"})
            EXPECT_EQ(status(get("/", "", method)), 405) << method;
        for (const char* request : {"\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9\r\n\r\n", "GET x HTTP/1.1\r\n\r\n"})
            EXPECT_EQ(status(ask(request)), 400) << request;
        EXPECT_EQ(status(ask("GET /" + std::string(40000, 'a') + " HTTP/1.1\r\nHost: " + host_ + "\r\n\r\n")), 400);
        EXPECT_EQ(status(get("/")), 200) << "and goes on";
    });
}

TEST_F(Studio, TwoServersRunAtOnce) {
    visited({}, [&] {
        const int first = port_;
        visited({}, [&] { EXPECT_NE(port_, first); });
    });
}

TEST_F(Studio, RefusesWhatItCannotOpenInASentence) {
    RunOptions options;
    options.environment = {"PELT_STUDIO=" + path("page")};
    expectFailure(runPelt({"studio", "--no-open", path("none.glb")}, options), 3, "none.glb: cannot be read");
    expectFailure(runPelt({"studio", "--no-open", path("secret.txt")}, options), 3, "'.txt' are not supported");
    options.environment = {"PELT_STUDIO=" + path("none")};
    expectFailure(runPelt({"studio", "--no-open"}, options), 1, "there is no index.html");
}

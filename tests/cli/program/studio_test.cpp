// The server of `pelt studio`, spoken to as any program on this machine could.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <regex>

#include "cli/support/program.h"

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
        words.insert(words.begin(), "studio");
        if (path_.empty()) words.push_back("--no-open");
        RunOptions options;
        options.environment = {"PELT_STUDIO=" + path("page")};
        if (!path_.empty()) options.environment.push_back(path_);
        const std::string output = path("said" + std::to_string(runs_++));
        writeBytes(output, "");
        options.stdout_file = output;
        options.interrupt_when = [&](int) {
            const std::string said = readBytes(output);
            std::smatch match;
            if (!std::regex_search(said, match, std::regex("http://(127\\.0\\.0\\.1:([0-9]+))(/\\S*)"))) return false;
            host_ = match[1], port_ = std::stoi(match[2]), address_ = match[3];
            cookie_ = cookieOf(ask("GET " + address_ + " HTTP/1.1\r\nHost: " + host_ + "\r\n\r\n"));
            visit();
            return true;
        };
        return runPelt(words, options);
    }

    /// A connection that has not said anything; -1 where it is refused.
    int connection(const char* to = "127.0.0.1") const {
        const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port_));
        ::inet_pton(AF_INET, to, &address.sin_addr);
        if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return socket;
        ::close(socket);
        return -1;
    }
    /// What the server sends until it ends the connection.
    static std::string rest(int socket) {
        std::string answer;
        char chunk[4096];
        for (ssize_t n; (n = ::recv(socket, chunk, sizeof chunk, 0)) > 0;) answer.append(chunk, std::size_t(n));
        return answer;
    }
    /// The whole answer to a request; empty where the connection is refused.
    std::string ask(const std::string& request, const char* to = "127.0.0.1") const {
        const int socket = connection(to);
        std::string answer;
        if (socket >= 0 && ::send(socket, request.data(), request.size(), MSG_NOSIGNAL) > 0) answer = rest(socket);
        ::close(socket);
        return answer;
    }
    /// What the browser that opened the printed address gets.
    std::string get(const std::string& target, const std::string& fields = "",
                    const std::string& method = "GET") const {
        return getWith("Cookie: theme=dark; " + cookie_ + "\r\n" + fields, target, method);
    }
    std::string getWith(const std::string& fields, const std::string& target = "/",
                        const std::string& method = "GET") const {
        return ask(method + " " + target + " HTTP/1.1\r\nHost: " + host_ + "\r\n" + fields + "\r\n");
    }
    /// "name=value" of the cookie that an answer sets; empty if it sets none.
    static std::string cookieOf(const std::string& answer) {
        std::smatch match;
        return std::regex_search(answer, match, std::regex("\r\nSet-Cookie: ([^;\r]+)")) ? match[1].str() : "";
    }
    static int status(const std::string& answer) {
        return answer.starts_with("HTTP/1.1 ") ? std::stoi(answer.substr(9, 3)) : 0;
    }
    static std::string body(const std::string& answer) {
        const std::size_t end = answer.find("\r\n\r\n");
        return end == std::string::npos ? "" : answer.substr(end + 4);
    }

    std::string host_, address_, cookie_;
    std::string path_;  ///< where the browser is found; empty: none is started
    int port_ = 0, runs_ = 0;
};

}  // namespace

TEST_F(Studio, ServesThePageAndTheNamedFilesUntilCtrlC) {
    const RunResult result = visited({bar()}, [&] {
        EXPECT_EQ(body(get("/")), "<title>the page</title>");
        EXPECT_EQ(body(get("/?run=1")), "<title>the page</title>");
        EXPECT_NE(get("/assets/main.js").find("Content-Type: text/javascript"), std::string::npos);
        EXPECT_NE(body(get("/?token=wrong")), "") << "the cookie is enough";
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
        const std::string cookie = "Cookie: " + cookie_ + "\r\n";
        for (const std::string& host : hosts)
            EXPECT_EQ(status(ask("GET / HTTP/1.1\r\nHost: " + host + "\r\n" + cookie + "\r\n")), 403) << host;
        EXPECT_EQ(status(ask("GET / HTTP/1.1\r\n" + cookie + "\r\n")), 403) << "no Host";
        EXPECT_EQ(status(ask("GET / HTTP/1.1\r\nHost: evil.example\r\nHost: " + host_ + "\r\n" + cookie + "\r\n")),
                  403);
        EXPECT_EQ(status(get("/", "Origin: http://evil.example\r\n")), 403);
        EXPECT_EQ(status(get("/", "Origin: null\r\n")), 403);
        EXPECT_EQ(status(get("/", "Sec-Fetch-Site: cross-site\r\n")), 403);
        EXPECT_EQ(status(get("/", "Sec-Fetch-Site: same-site\r\n")), 403) << "another port of this machine";
        EXPECT_EQ(status(get("/", "Origin: http://" + host_ + "\r\nSec-Fetch-Site: same-origin\r\n")), 200);
        EXPECT_EQ(get("/").find("Access-Control"), std::string::npos);
        EXPECT_EQ(ask("GET / HTTP/1.1\r\nHost: " + host_ + "\r\n" + cookie + "\r\n", "127.0.0.2"), "")
            << "another address";
    });
}

TEST_F(Studio, AnswersOnlyWhoKnowsTheTokenOfThePrintedAddress) {
    visited({bar()}, [&] {
        const std::size_t open = address_.find("open=");
        ASSERT_NE(open, std::string::npos) << address_;
        const std::string file = "/" + address_.substr(open + 5), name = "pelt_studio_" + std::to_string(port_) + "=";
        ASSERT_EQ(cookie_.rfind(name, 0), 0u) << cookie_;
        const std::string token = cookie_.substr(name.size());
        EXPECT_GE(token.size(), 32u);
        EXPECT_NE(address_.find(token), std::string::npos);
        for (const std::string& target :
             {std::string("/"), file, std::string("/assets/main.js"), std::string("/none")}) {
            EXPECT_EQ(status(getWith("", target)), 403) << target;
            EXPECT_EQ(status(getWith("Cookie: " + name + std::string(token.size(), '0') + "\r\n", target)), 403);
            EXPECT_EQ(status(getWith("Cookie: " + name + "\r\n", target)), 403);
            EXPECT_EQ(status(getWith("Cookie: pelt_studio=" + token + "\r\n", target)), 403) << "of another port";
            EXPECT_EQ(status(getWith("Cookie: " + cookie_ + "0\r\n", target)), 403);
        }
        for (const char* target : {"/?token=", "/?token", "/?token=0", "/?xtoken=", "/?a=token="})
            EXPECT_EQ(status(getWith("", target)), 403) << target;
        EXPECT_EQ(status(getWith("", "/", "POST")), 403);
        EXPECT_EQ(cookieOf(getWith("", "/")), "");
        EXPECT_EQ(status(getWith("", "/?run=1&token=" + token)), 200);
        EXPECT_EQ(status(getWith("", file + "?token=" + token)), 200);
        EXPECT_NE(getWith("", "/?token=" + token).find("HttpOnly; SameSite=Strict"), std::string::npos);
        EXPECT_EQ(cookieOf(get("/")), "") << "the browser has it already";
        const std::string first = token;
        visited({}, [&] { EXPECT_EQ(cookie_.find(first), std::string::npos) << "each run has its own"; });
    });
}

TEST_F(Studio, TheBrowserIsStartedWithAnAddressThatWorksOnce) {
    fs::create_directories(path("bin"));
    writeBytes(path("bin/xdg-open"), "#!/bin/sh\nprintf %s \"$1\" >'" + path("started") + "'.part\nmv '" +
                                         path("started") + "'.part '" + path("started") + "'\n");
    fs::permissions(path("bin/xdg-open"), fs::perms(0755));
    path_ = "PATH=" + path("bin") + ":" + std::getenv("PATH");
    visited({bar()}, [&] {
        while (!fs::exists(path("started"))) ::usleep(10'000);
        const std::string address = readBytes(path("started"));
        EXPECT_EQ(address.find(cookie_.substr(cookie_.find('=') + 1)), std::string::npos)
            << "everybody sees the arguments of programs";
        const std::string target = address.substr(address.find(host_) + host_.size());
        const std::string answer = getWith("", target);
        EXPECT_EQ(status(answer), 200) << address;
        EXPECT_EQ(cookieOf(answer), cookie_);
        EXPECT_EQ(status(getWith("", target)), 403) << "who comes second is not the browser";
        EXPECT_EQ(status(get("/")), 200);
    });
}

TEST_F(Studio, IdleConnectionsLockNobodyOut) {
    visited({}, [&] {
        std::vector<int> idle;
        for (int i = 0; i < 400; ++i) idle.push_back(connection());
        EXPECT_EQ(status(get("/")), 200) << "the oldest has to go";
        EXPECT_EQ(rest(idle.front()), "");
        EXPECT_EQ(::send(idle.back(), "GET /", 5, MSG_NOSIGNAL), 5);
        EXPECT_EQ(rest(idle.back()), "") << "dropped after a while, whatever it says";
        for (const int socket : idle) ::close(socket);
        EXPECT_EQ(status(get("/")), 200);
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

// The process that reads untrusted files: what it cannot do, and what happens if it misbehaves.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/io/import.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

#include "import_support.h"
#include "io/gltf/compressed_maker.h"
#include "io/import/unpacker.h"

using namespace pelt;

namespace {

/// Runs in a child that is in the sandbox: whether `attempt` was refused there.
[[maybe_unused]] bool isRefused(const std::function<bool()>& attempt) {
    const pid_t child = ::fork();
    if (child == 0) {
        if (!io::enterSandbox()) ::_exit(3);
        const bool done = attempt();
        ::_exit(done ? 0 : errno == EPERM ? 1 : 2);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
    EXPECT_NE(WEXITSTATUS(status), 3) << "there is no sandbox";
    return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

/// A program in the importer's place, for the time of a test.
class OtherImporter {
public:
    explicit OtherImporter(const std::string& program) { ::setenv("PELT_IMPORTER", program.c_str(), 1); }
    OtherImporter(const ScratchFolder& folder, const std::string& script)
        : OtherImporter(folder.write("importer", "#!/bin/sh\n" + script + "\n").string()) {
        ::chmod(::getenv("PELT_IMPORTER"), 0755);
    }
    ~OtherImporter() { ::unsetenv("PELT_IMPORTER"); }
};

[[maybe_unused]] std::string faultOf(const io::test::GlbMaker& maker, ErrorCode code) {
    try {
        maker.load();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), code) << error.what();
        return error.what();
    }
    ADD_FAILURE() << "it was unpacked in this process";
    return {};
}

}  // namespace

#ifndef PELT_SANITIZED

TEST(Sandbox, RefusesFilesNetworkProgramsAndSignals) {
    const ScratchFolder folder;
    const std::string file = folder.write("there.txt", "x").string(), other = file + "2";
    EXPECT_TRUE(isRefused([&] { return ::open(other.c_str(), O_WRONLY | O_CREAT, 0600) >= 0; }));
    EXPECT_TRUE(isRefused([&] { return ::open(file.c_str(), O_RDONLY) >= 0; }));
    EXPECT_TRUE(isRefused([&] { return ::unlink(file.c_str()) == 0; }));
    EXPECT_TRUE(isRefused([&] { return ::rename(file.c_str(), other.c_str()) == 0; }));
    EXPECT_TRUE(isRefused([&] { return ::chmod(file.c_str(), 0777) == 0; }));
    EXPECT_TRUE(isRefused([] { return ::socket(AF_INET, SOCK_STREAM, 0) >= 0; }));
    EXPECT_TRUE(isRefused([] { return ::execl("/bin/true", "true", nullptr) == 0; }));
    EXPECT_TRUE(isRefused([] { return ::fork() >= 0; }));
    EXPECT_TRUE(isRefused([] { return ::kill(::getppid(), 0) == 0; }));
    EXPECT_TRUE(isRefused(
        [] { return ::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED; }));
    EXPECT_EQ(importFault(folder.write("missing.fbx", "x")).find("crashed"), std::string::npos);
}

TEST(Sandbox, LetsOneComputeAndUseOpenFiles) {
    EXPECT_FALSE(isRefused([] {
        std::vector<double> numbers(10'000'000, 1.0);
        return numbers[5] == 1.0 && ::write(STDERR_FILENO, "", 0) == 0;
    }));
}

#ifndef PELT_UNPACKS_HERE

TEST(Sandbox, IsWhereCompressedMeshesAreUnpacked) {
    io::Unpacker unpacker;
    const auto answer =
        unpacker.unpack({io::gltf::UnpackRequest::Kind::meshopt, "INDICES", "NONE", 3, 2, {}, {}}, 4096);
    EXPECT_EQ(answer.fault, io::gltf::UnpackFault::broken);  // nothing is no index; but the process is there
    std::ifstream children("/proc/self/task/" + std::to_string(::gettid()) + "/children");
    int child = 0;
    if (!(children >> child)) GTEST_SKIP() << "this kernel does not list children";
    std::ifstream status("/proc/" + std::to_string(child) + "/status");
    const std::string text{std::istreambuf_iterator<char>(status), {}};
    EXPECT_NE(text.find("NoNewPrivs:\t1"), std::string::npos) << text;
    EXPECT_NE(text.find("Seccomp:\t2"), std::string::npos) << text;
}

#endif
#endif

#ifndef PELT_UNPACKS_HERE

TEST(Unpacking, AMissingHelperIsASystemError) {
    const OtherImporter nowhere("/nowhere/pelt-import");
    for (const auto& maker : {io::test::makeMeshoptStrip(), io::test::makeDracoStrip()})
        EXPECT_NE(faultOf(maker, ErrorCode::system).find("/nowhere/pelt-import"), std::string::npos);
}

TEST(Unpacking, AHelperThatDoesNotRunIsNamedAndIsNotTheFilesFault) {
    const ScratchFolder folder;
    const OtherImporter broken(folder, "exit 127");  // as where one of its libraries is missing
    for (const auto& maker : {io::test::makeMeshoptStrip(), io::test::makeDracoStrip()}) {
        const std::string fault = faultOf(maker, ErrorCode::system);
        EXPECT_NE(fault.find("importer: ended at once with status 127"), std::string::npos) << fault;
        EXPECT_NE(fault.find("install Pelt again"), std::string::npos) << fault;
        EXPECT_EQ(fault.find('\n'), std::string::npos) << fault;
    }
}

TEST(Unpacking, AHelperThatCrashesOrTalksNonsenseIsBadInput) {
    const ScratchFolder folder;
    for (const char* script :
         {"kill -SEGV $$", "exit 0", "exit 1", "exit 3", "head -c 4000 /dev/zero", "head -c 4000 /dev/urandom",
          "printf '\\377\\377\\377\\377\\377\\377\\377\\377'", "exec cat"}) {
        SCOPED_TRACE(script);
        const OtherImporter rude(folder, script);
        for (const auto& maker : {io::test::makeMeshoptStrip(), io::test::makeDracoStrip()})
            EXPECT_NE(faultOf(maker, ErrorCode::bad_input).find("data"), std::string::npos);
    }
}

#endif

TEST(Unpacking, RequestsAndAnswersSurviveTheirWayAndDamageDoesNot) {
    using namespace io::gltf;
    const std::vector<std::byte> packed(5, std::byte(7));
    const UnpackRequest request{UnpackRequest::Kind::draco, "A", "B", 3, 4, {{5, 6, 7}, {8, 9, 10}}, packed};
    const std::vector<std::byte> asked = toBytes(request);
    ASSERT_TRUE(requestFrom(asked));
    EXPECT_EQ(toBytes(*requestFrom(asked)), asked);
    const UnpackAnswer answer{UnpackFault::unfit, 2, {1, 2, 3}, {packed, {}}};
    const std::vector<std::byte> said = toBytes(answer);
    ASSERT_TRUE(answerFrom(said));
    EXPECT_EQ(toBytes(*answerFrom(said)), said);
    for (std::size_t size = 0; size < said.size(); ++size) EXPECT_FALSE(answerFrom(std::span(said).first(size)));
    for (std::size_t size = 0; size < asked.size(); ++size) EXPECT_FALSE(requestFrom(std::span(asked).first(size)));
    for (std::size_t i = 0; i < said.size(); ++i) {
        std::vector<std::byte> damaged = said;
        damaged[i] = std::byte(0xFF);
        answerFrom(damaged);  // a wrong answer or none, but no harm
    }
}

// The same bytes on any number of threads.
#include "cli/support/program.h"

namespace {

class Determinism : public CliTest {
protected:
    /// The bytes the command writes to `name` with that many threads.
    std::string bytesWith(const std::string& threads, std::vector<std::string> words, const std::string& name) {
        words.insert(words.end(), {"--threads", threads, "--quiet"});
        runWell(words);
        return readBytes(path(name));
    }
    void expectSameBytes(const std::vector<std::string>& words, const std::string& name) {
        const std::string one = bytesWith("1", words, name);
        EXPECT_FALSE(one.empty());
        EXPECT_TRUE(one == bytesWith("2", words, name)) << words[0] << ": two threads write other bytes";
        EXPECT_TRUE(one == bytesWith("2", words, name)) << words[0] << ": a second run writes other bytes";
    }
};

}  // namespace

TEST_F(Determinism, SameBytesWhateverTheThreads) {
    expectSameBytes({"sample", "bar", "--resolution", "9000", "--skin", "smooth", "-o", path("s.glb")}, "s.glb");
    expectSameBytes({"bind", path("s.glb"), "-o", path("b.glb")}, "b.glb");
    for (const char* method : {"lbs", "dqs"})
        expectSameBytes({"deform", path("s.glb"), "--method", method, "--frames", ":6", "-o", path("d.npy"),
                         "--normals", path("n.npy")},
                        "d.npy");
    EXPECT_TRUE(bytesWith("1", {"deform", path("s.glb"), "-o", path("d.npy"), "--normals", path("n.npy")}, "n.npy") ==
                bytesWith("2", {"deform", path("s.glb"), "-o", path("d.npy"), "--normals", path("n.npy")}, "n.npy"));
    expectSameBytes({"render", path("s.glb"), "--skeleton", "--color", "weights", "--method", "lbs,dqs", "--size",
                     "200x120", "-o", path("r.png")},
                    "r.png");
}

TEST_F(Determinism, ComparesToTheSameNumbersWhateverTheThreads) {
    runWell({"sample", "bar", "--resolution", "9000", "--skin", "smooth", "-o", path("s.glb")});
    runWell({"deform", path("s.glb"), "--method", "dqs", "-o", path("d.npy")});
    const auto numbers = [&](const char* threads) {
        nlohmann::json json = runWell({"compare", path("s.glb"), path("d.npy"), "--threads", threads, "--json"}).json();
        json.erase("stages");
        return json.dump();
    };
    EXPECT_EQ(numbers("1"), numbers("2"));
}

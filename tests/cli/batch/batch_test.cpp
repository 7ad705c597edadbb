// pelt batch: manifests, what is done again, and failures.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <thread>

#include "batch_fixture.h"

using Json = nlohmann::json;

namespace fs = std::filesystem;

TEST_F(BatchTest, AManifestRunsEachItemAfterThoseThatItNeeds) {
    copyBar("lib/hero.glb");
    manifest({{{"id", "hero"},
               {"argv", {"bake", "mushed/hero.glb", "-o", "built/hero.glb"}},
               {"after", {"hero-mush"}},
               {"retries", 1},
               {"timeout", 600}},
              {{"id", "hero-mush"}, {"argv", {"mush", "lib/hero.glb", "-o", "mushed/hero.glb"}}}});
    const RunResult result = runWell({"batch", path("jobs.jsonl"), "--report", path("copy.jsonl")});
    EXPECT_NE(result.out.find("2 items: 2 done"), std::string::npos) << result.out;
    const std::vector<Json> lines = report();
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0]["id"], "hero") << "the order of the manifest";
    for (const Json& line : lines) {
        std::vector<std::string> keys;
        for (const auto& [key, value] : line.items()) keys.push_back(key);
        EXPECT_EQ(keys, (std::vector<std::string>{"attempts", "cpu_seconds", "error", "exit_code", "id", "json", "node",
                                                  "peak_bytes", "seconds", "status"}));
        EXPECT_EQ(line["status"], "done");
        EXPECT_EQ(line["exit_code"], 0);
        EXPECT_EQ(line["attempts"], 1);
        EXPECT_GT(line["seconds"], 0.0);
        EXPECT_GT(line["cpu_seconds"], 0.0);
        EXPECT_GT(line["peak_bytes"], 1e6);
        EXPECT_FALSE(line["node"].get<std::string>().empty());
        EXPECT_TRUE(line["error"].is_null());
    }
    EXPECT_EQ(lines[0]["json"]["verb"], "bake");
    EXPECT_EQ(readBytes(path("copy.jsonl")), readBytes(path("jobs.state/report.jsonl")));
    runWell({"mush", path("lib/hero.glb"), "-o", path("by_hand.glb")});
    EXPECT_EQ(readBytes(path("by_hand.glb")), readBytes(path("mushed/hero.glb")));
}

TEST_F(BatchTest, WhatIsDoneIsNotDoneAgainUntilItsInputsOrArgumentsChange) {
    copyBar("a.glb");
    copyBar("b.glb");
    const auto write = [this](const char* alpha) {
        manifest({mushItem("a", {"--alpha", alpha}),
                  mushItem("b"),
                  {{"id", "baked"}, {"argv", {"bake", "out/b.glb", "-o", "out/baked.glb"}}, {"after", {"b"}}}});
    };
    write("0.5");
    EXPECT_EQ(doneNow(), (std::vector<std::string>{"a", "b", "baked"}));
    EXPECT_EQ(doneNow(), std::vector<std::string>{});
    write("0.6");
    EXPECT_EQ(doneNow(), (std::vector<std::string>{"a"})) << "other arguments";
    runWell({"sample", "bar", "--resolution", "200", "-o", path("b.glb")});
    EXPECT_EQ(doneNow(), (std::vector<std::string>{"b", "baked"})) << "another input, and what is made of it";
    fs::remove(path("out/a.glb"));
    EXPECT_EQ(doneNow(), (std::vector<std::string>{"a"})) << "a result that is gone";
    fs::last_write_time(path("a.glb"), fs::file_time_type::clock::now());
    EXPECT_EQ(doneNow(), std::vector<std::string>{}) << "the same bytes with another date";
}

TEST_F(BatchTest, FilesThatAGltfRefersToAreInputsToo) {
    runWell({"sample", "bar", "--resolution", "200", "-o", path("hero.gltf")});
    manifest({{{"id", "hero"}, {"argv", {"info", "hero.gltf"}}}});
    EXPECT_EQ(doneNow(), std::vector<std::string>{"hero"});
    for (const auto& entry : fs::directory_iterator(folder_))
        if (entry.path().extension() == ".bin") {
            std::string bytes = readBytes(entry.path());
            bytes.back() = char(bytes.back() ^ 1);
            writeBytes(entry.path(), bytes);
        }
    EXPECT_EQ(doneNow(), std::vector<std::string>{"hero"});
}

TEST_F(BatchTest, FailuresAreSortedAndOneBadFileDoesNotStopTheOthers) {
    copyBar("good.glb");
    writeBytes(path("bad.glb"), "no character");
    const Json gate = {{"id", "gate"}, {"argv", {"bake", "good.glb", "--max-error", "0", "-o", "out/gate.glb"}}};
    manifest({mushItem("bad"),
              mushItem("good"),
              gate,
              {{"id", "usage"}, {"argv", {"mush", "good.glb"}}},
              {{"id", "after"}, {"argv", {"info", "good.glb"}}, {"after", {"good", "gate"}}},
              {{"id", "later"}, {"argv", {"info", "good.glb"}}, {"after", {"after"}}}});
    const RunResult result = runPelt({"batch", path("jobs.jsonl")});
    EXPECT_EQ(result.status, 3) << "bad input comes before a missed gate";
    EXPECT_TRUE(result.oneErrorLine()) << result.err;
    EXPECT_EQ(statuses(), (Statuses{{"bad", "bad_input"},
                                    {"good", "done"},
                                    {"gate", "gate"},
                                    {"usage", "bad_input"},
                                    {"after", "skipped"},
                                    {"later", "skipped"}}));
    EXPECT_EQ(item("bad")["exit_code"], 3);
    EXPECT_EQ(item("bad")["attempts"], 1) << "trying again would not help";
    EXPECT_NE(item("bad")["error"].get<std::string>().find("bad.glb"), std::string::npos);
    EXPECT_EQ(item("gate")["exit_code"], 4);
    EXPECT_TRUE(item("gate")["json"].is_object());
    EXPECT_TRUE(item("later")["exit_code"].is_null());
    EXPECT_EQ(doneNow(), std::vector<std::string>{}) << "final failures are not tried again either";
    EXPECT_EQ(item("bad")["status"], "bad_input") << "but they are reported again";
    manifest({mushItem("good"), gate});
    EXPECT_EQ(runPelt({"batch", path("jobs.jsonl")}).status, 4);
}

TEST_F(BatchTest, ATimeoutIsTriedAgainAndFailsTheRun) {
    runWell({"sample", "biped", "--resolution", "6000", "--skin", "smooth", "-o", path("large.glb")});
    writeBytes(path("bad.glb"), "no character");
    manifest({{{"id", "slow"},
               {"argv", {"bake", "large.glb", "--helpers", "60", "-o", "out/slow.glb"}},
               {"retries", 2},
               {"timeout", 0.3}},
              mushItem("bad")});
    const RunResult result = runPelt({"batch", path("jobs.jsonl")});
    EXPECT_EQ(result.status, 1) << "a failure comes before bad input";
    EXPECT_EQ(item("slow")["status"], "timeout");
    EXPECT_EQ(item("slow")["attempts"], 3);
    EXPECT_EQ(item("slow")["exit_code"], 124);
    EXPECT_EQ(item("bad")["status"], "bad_input");
    EXPECT_TRUE(fs::is_empty(path("out"))) << "temporary files are left";
}

TEST_F(BatchTest, ACrashIsTriedAgain) {
    slowManifest(2);
    bool killed = false;
    RunOptions options;
    options.interrupt_when = [&](int pid) {  // looks at the running program; never interrupts it
        const std::vector<int> running = childrenOf(pid);
        if (!killed && !running.empty()) killed = ::kill(running.front(), SIGKILL) == 0;
        return false;
    };
    const RunResult result = runPelt({"batch", path("jobs.jsonl")}, options);
    EXPECT_EQ(result.status, 0) << result.err;
    ASSERT_TRUE(killed);
    std::vector<int> attempts = {item("0")["attempts"], item("1")["attempts"]};
    std::sort(attempts.begin(), attempts.end());
    EXPECT_EQ(attempts, (std::vector<int>{1, 2}));
}

TEST_F(BatchTest, ARunThatWasKilledGoesOnWhereItStood) {
    slowManifest(6);
    RunOptions options;
    options.interrupt = SIGKILL;
    options.interrupt_when = [this](int) { return recordCount() >= 2; };
    EXPECT_EQ(runPelt({"batch", path("jobs.jsonl"), "--jobs", "2"}, options).status, 128 + SIGKILL);
    const std::size_t before = recordCount();
    ASSERT_LT(before, 6u);
    const RunResult result = runPelt({"batch", path("jobs.jsonl"), "--json"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.json()["done"], 6);
    EXPECT_GE(result.json()["done_before"], before) << "an item that was done is done again";
    for (const auto& entry : fs::directory_iterator(path("out"))) EXPECT_EQ(entry.path().extension(), ".glb");
}

TEST_F(BatchTest, CtrlCEndsTheItemsAndTheSameCommandGoesOn) {
    slowManifest(6);
    RunOptions options;
    options.interrupt_when = [this](int) { return recordCount() >= 1; };
    const RunResult result = runPelt({"batch", path("jobs.jsonl"), "--jobs", "2"}, options);
    EXPECT_EQ(result.status, 130);
    EXPECT_TRUE(result.oneErrorLine()) << result.err;
    for (const auto& entry : fs::directory_iterator(path("out"))) EXPECT_EQ(entry.path().extension(), ".glb");
    EXPECT_EQ(runPelt({"batch", path("jobs.jsonl")}).status, 0);
}

TEST_F(BatchTest, TwoRunsOverOneStateShareTheWork) {
    slowManifest(8);
    RunResult other;
    std::thread second([&] { other = runPelt({"batch", path("jobs.jsonl"), "--json", "--jobs", "2"}); });
    RunResult first = runPelt({"batch", path("jobs.jsonl"), "--json", "--jobs", "2"});
    second.join();
    EXPECT_EQ(first.status, 0) << first.err;
    EXPECT_EQ(other.status, 0) << other.err;
    std::size_t done_here = 0;
    for (const RunResult* result : {&first, &other}) {
        const Json json = result->json();
        EXPECT_EQ(json["done"], 8);
        done_here += json["done"].get<std::size_t>() - json["done_before"].get<std::size_t>();
    }
    EXPECT_EQ(done_here, 8u) << "an item was done by both";
}

TEST_F(BatchTest, ItemsThatNeedMoreMemoryThanThereIsRunOneByOne) {
    slowManifest(3);
    for (const bool large : {true, false}) {
        std::size_t most = 0;
        RunOptions options;
        options.interrupt_when = [&](int pid) {
            most = std::max(most, childrenOf(pid).size());
            return false;
        };
        const std::string state = path(large ? "one" : "three");
        runPelt({"batch", path("jobs.jsonl"), "--jobs", "3", "--state", state, "--memory", large ? "900T" : "1M"},
                options);
        EXPECT_EQ(most, large ? 1u : 3u);
    }
}

TEST_F(BatchTest, MemoryIsANumberWithAUnit) {
    copyBar("a.glb");
    manifest({mushItem("a")});
    for (const std::string good : {"1000000", "2G", "2 GiB", "512mb"})
        EXPECT_EQ(runPelt({"batch", path("jobs.jsonl"), "--memory", good, "--dry-run"}).status, 0) << good;
    for (const std::string bad : {"2X", "-1G", "G", "1.5G", "99999999E"})
        expectFailure(runPelt({"batch", path("jobs.jsonl"), "--memory", bad}), 2, "--memory");
}

TEST_F(BatchTest, AManifestIsReadFromStandardInputAndItsReportIsAFile) {
    copyBar("a.glb");
    manifest({mushItem("a")});
    RunOptions options;
    options.stdin_file = path("jobs.jsonl");
    expectFailure(runPelt({"batch", "-"}, options), 2, "needs --state");
    const fs::path before = fs::current_path();
    fs::current_path(folder_);
    const RunResult run = runPelt({"batch", "-", "--state", path("state")}, options);
    fs::current_path(before);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_TRUE(fs::exists(path("out/a.glb")));
    for (const std::string page : {"--report", "--html"})
        expectFailure(runPelt({"batch", path("jobs.jsonl"), page, "-"}), 2, page);
}

TEST_F(BatchTest, AWrongManifestIsOneLineThatNamesIt) {
    const auto expectRefused = [this](const std::string& text, const std::string& words) {
        writeBytes(path("jobs.jsonl"), text);
        expectFailure(runPelt({"batch", path("jobs.jsonl")}), 3, words);
        EXPECT_FALSE(fs::exists(path("jobs.state")));
    };
    expectRefused(R"({"id": "a", "argv": ["info", "x.glb"], "after": ["c"]}
{"id": "b", "argv": ["info", "x.glb"], "after": ["a"]}
{"id": "c", "argv": ["info", "x.glb"], "after": ["b"]})",
                  "items wait for each other: 'a' after 'c' after 'b' after 'a'");
    expectRefused(R"({"id": "a", "argv": ["info", "x.glb"], "after": ["a"]})", "'a' after 'a'");
    expectRefused(R"({"id": "a", "argv": ["info", "x.glb"], "after": ["bb"]})", "'bb', which is not in the manifest");
    expectRefused("{\"id\": \"a\", \"argv\": [\"info\", \"x.glb\"]}\n\n{\"id\": \"a\", \"argv\": [\"info\"]}",
                  "the id 'a'");
    expectRefused("\n{\"id\": \"a\", \"argv\": [}", "line 2: is not valid JSON");
    expectRefused("[1]", "line 1: is not an object");
    expectRefused(R"({"argv": ["info", "x.glb"]})", "'id' is missing");
    expectRefused(R"({"id": "a"})", "'argv' is missing");
    expectRefused(R"({"id": "a", "argv": "info x.glb"})", "'argv' is not a list of strings");
    expectRefused(R"({"id": "a", "argv": ["batch", "x.jsonl"]})", "'batch' cannot be an item");
    expectRefused(R"({"id": "a", "argv": ["info", "-"]})", "no standard input");
    expectRefused(R"({"id": "a", "argv": ["info", "x.glb"], "timeout": -1})", "'timeout' is not a number");
    expectRefused(R"({"id": "a", "argv": ["mush", "x.glb", "-o", "y.glb"]}
{"id": "b", "argv": ["mush", "x.glb", "-o", "./y.glb"]})",
                  "items 'a' and 'b' both write ./y.glb");
    expectFailure(runPelt({"batch", path("none.jsonl")}), 3, "none.jsonl");
    expectFailure(runPelt({"batch"}), 2, "name a manifest");
}

TEST_F(BatchTest, AnArgumentWithANulCharacterIsRefused) {
    copyBar("hero.glb");
    writeBytes(path("jobs.jsonl"), "{\"id\": \"a\", \"argv\": [\"info\", \"hero.glb\\u0000.txt\"]}\n");
    expectFailure(runPelt({"batch", path("jobs.jsonl")}), 3, "line 1: 'argv' has a NUL character");
    writeBytes(path("jobs.jsonl"), "{\"id\": \"a\\u0000b\", \"argv\": [\"info\", \"hero.glb\"]}\n");
    expectFailure(runPelt({"batch", path("jobs.jsonl")}), 3, "line 1: 'id' has a NUL character");
}

TEST_F(BatchTest, ADryRunPrintsTheCommandsAndWritesNothing) {
    copyBar("it's.glb");
    manifest({mushItem("it's")});
    const RunResult result = runWell({"batch", path("jobs.jsonl"), "--dry-run"});
    EXPECT_EQ(result.out, "it's: pelt mush 'it'\\''s.glb' -o 'out/it'\\''s.glb'\n1 of 1 item would run\n");
    EXPECT_FALSE(fs::exists(path("jobs.state")));
    runWell({"batch", path("jobs.jsonl")});
    EXPECT_EQ(runWell({"batch", path("jobs.jsonl"), "--dry-run"}).out, "0 of 1 item would run\n");
}

TEST_F(BatchTest, NoPageTakesThePlaceOfWhatIsReadOrWritten) {
    copyBar("hero.glb");
    manifest({mushItem("hero")});
    const std::string before = readBytes(path("hero.glb"));
    for (const std::string flag : {"--report", "--html"}) {
        for (const std::string& file :
             {path("hero.glb"), path("out/../hero.glb"), path("jobs.jsonl"), path("out/hero.glb")}) {
            fs::create_directories(path("out"));
            expectFailure(runPelt({"batch", path("jobs.jsonl"), flag, file}), 2, "choose another file");
        }
        fs::create_symlink("hero.glb", path("link" + flag));
        expectFailure(runPelt({"batch", path("jobs.jsonl"), flag, path("link" + flag)}), 2, "choose another file");
        expectFailure(runPelt({"batch", path("jobs.jsonl"), flag, path("out")}), 1, "is a folder");
    }
    expectFailure(runPelt({"batch", path("jobs.jsonl"), "--report", path("r"), "--html", path("r")}), 2, "same file");
    EXPECT_EQ(readBytes(path("hero.glb")), before);
    EXPECT_FALSE(fs::exists(path("jobs.state"))) << "refused before any work";
    runWell({"batch", path("jobs.jsonl"), "--report", path("r.jsonl")});
    runWell({"batch", path("jobs.jsonl"), "--report", path("r.jsonl")});  // an earlier report is replaced
}

TEST_F(BatchTest, OnlyWhatARunOnSlurmHasWrittenIsRemovedWithIt) {
    copyBar("hero.glb");
    manifest({mushItem("hero")});
    fs::create_directories(path("jobs.state/slurm/0123456789ab"));
    fs::create_directories(path("precious/deep"));
    writeBytes(path("precious/deep/mine.txt"), "mine");
    // Commands of Slurm that have nothing to do.
    fs::create_directories(path("bin"));
    for (const char* name : {"squeue", "sbatch", "scontrol", "scancel"}) {
        writeBytes(path("bin/" + std::string(name)), "#!/bin/sh\nexit 1\n");
        fs::permissions(path("bin/" + std::string(name)), fs::perms(0755));
    }
    writeBytes(path("bin/squeue"), "#!/bin/sh\nexit 0\n");
    RunOptions options;
    options.environment = {"PATH=" + path("bin") + ":" + std::getenv("PATH")};
    for (const char* run : {"../../precious", "../../precious/deep", ".", "..", "0123456789ab"}) {
        writeBytes(path("jobs.state/slurm/run"), run);
        for (const char* file : {"0-0.jsonl", "0-0.sh", "0-0-1.log", "0-0.progress", "notes.txt"})
            writeBytes(path("jobs.state/slurm/0123456789ab/" + std::string(file)), "x");
        EXPECT_EQ(runPelt({"batch", path("jobs.jsonl"), "--engine", "slurm"}, options).status, 1) << run;
        EXPECT_EQ(readBytes(path("precious/deep/mine.txt")), "mine") << run;
        EXPECT_TRUE(fs::exists(path("hero.glb")));
    }
    EXPECT_TRUE(fs::exists(path("jobs.state/slurm/0123456789ab/notes.txt"))) << "somebody's notes";
    EXPECT_FALSE(fs::exists(path("jobs.state/slurm/0123456789ab/0-0.jsonl")));
}

TEST_F(BatchTest, ADamagedStateIsDoneAgain) {
    copyBar("hero.glb");
    manifest({mushItem("hero")});
    EXPECT_EQ(doneNow(), std::vector<std::string>{"hero"});
    for (const auto& entry : fs::recursive_directory_iterator(path("jobs.state/items"))) {
        if (!entry.is_regular_file()) continue;
        Json record = Json::parse(readBytes(entry.path()));
        for (const char* key : {"hashed", "inputs", "report"}) {
            Json damaged = record;
            damaged[key] = 1e300;
            writeBytes(entry.path(), damaged.dump());
            const RunResult run = runWell({"batch", path("jobs.jsonl")});
            EXPECT_EQ(run.out.find("before"), std::string::npos) << key << ": " << run.out;
        }
    }
}

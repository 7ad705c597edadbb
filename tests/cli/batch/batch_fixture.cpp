// Folders and manifests for tests of pelt batch.
#include "batch_fixture.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

namespace fs = std::filesystem;
using BatchJson = nlohmann::json;

void BatchTest::copyBar(const std::string& name) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    fs::copy_file(bar(), path(name));
}

void BatchTest::manifest(const std::vector<BatchJson>& items) const {
    std::ofstream file(path("jobs.jsonl"));
    for (const BatchJson& line : items) file << line.dump() << "\n";
}

BatchJson BatchTest::mushItem(const std::string& id, const std::vector<std::string>& options) {
    std::vector<std::string> argv = {"mush", id + ".glb"};
    argv.insert(argv.end(), options.begin(), options.end());
    argv.insert(argv.end(), {"-o", "out/" + id + ".glb"});
    return {{"id", id}, {"argv", argv}};
}

void BatchTest::slowManifest(int count) const {
    std::filesystem::copy_file(
        madeOnce("biped1500.glb", {"sample", "biped", "--resolution", "1500", "--skin", "smooth"}), path("slow.glb"));
    std::vector<BatchJson> items;
    for (int i = 0; i < count; ++i)
        items.push_back({{"id", std::to_string(i)},
                         {"argv",
                          {"bake", "slow.glb", "--alpha", "0." + std::to_string(i + 1), "-o",
                           "out/" + std::to_string(i) + ".glb"}}});
    manifest(items);
}

std::vector<BatchJson> BatchTest::report() const {
    std::istringstream text(readBytes(path("jobs.state/report.jsonl")));
    std::vector<BatchJson> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(BatchJson::parse(line));
    return lines;
}

BatchJson BatchTest::item(const std::string& id) const {
    for (BatchJson& line : report())
        if (line["id"] == id) return line;
    ADD_FAILURE() << "no item " << id;
    return {};
}

BatchTest::Statuses BatchTest::statuses() const {
    Statuses all;
    for (const BatchJson& line : report()) all.emplace_back(line["id"], line["status"]);
    return all;
}

std::vector<std::string> BatchTest::doneNow() const {
    const auto read = [this] {
        std::map<std::string, std::string> records;
        std::error_code fault;
        for (fs::recursive_directory_iterator it(path("jobs.state/items"), fault), end; !fault && it != end; ++it)
            if (it->is_regular_file()) {
                const std::string text = readBytes(it->path());
                records[BatchJson::parse(text)["report"]["id"]] = text;
            }
        return records;
    };
    const auto before = read();
    runPelt({"batch", path("jobs.jsonl")});
    std::vector<std::string> ids;
    for (const auto& [id, text] : read())
        if (const auto known = before.find(id); known == before.end() || known->second != text) ids.push_back(id);
    return ids;
}

std::size_t BatchTest::recordCount() const {
    std::error_code fault;
    std::size_t count = 0;
    for (fs::recursive_directory_iterator it(path("jobs.state/items"), fault), end; !fault && it != end;
         it.increment(fault))
        count += it->path().extension() == ".json";
    return count;
}

std::vector<int> BatchTest::childrenOf(int process) {
    std::vector<int> children;
    std::error_code fault;
    for (fs::directory_iterator it("/proc", fault), end; !fault && it != end; it.increment(fault)) {
        const std::string name = it->path().filename().string();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        std::ifstream file(it->path() / "stat");
        std::string text;
        std::getline(file, text);
        const std::size_t after_name = text.rfind(')');
        char state = 0;
        int parent = 0;
        if (after_name == std::string::npos) continue;
        std::istringstream(text.substr(after_name + 1)) >> state >> parent;
        if (parent == process && state != 'Z') children.push_back(std::stoi(name));
    }
    return children;
}

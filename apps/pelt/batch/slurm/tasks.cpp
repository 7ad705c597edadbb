// Divides items among tasks of a cluster, and the files that tell a task its items.
#include "batch/slurm/tasks.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/atomic_file.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

#include "batch/plan/manifest.h"

namespace pelt::batch {
namespace {

namespace fs = std::filesystem;

/// The groups of chosen items that are connected by what they need: for each item the first one of its group.
std::vector<std::size_t> findGroups(const Plan& plan, const std::vector<bool>& chosen) {
    std::vector<std::size_t> parent(plan.items.size());
    std::iota(parent.begin(), parent.end(), std::size_t(0));
    const auto root = [&parent](std::size_t i) {
        while (parent[i] != i) i = parent[i] = parent[parent[i]];
        return i;
    };
    for (std::size_t i = 0; i < parent.size(); ++i)
        for (const std::size_t need : plan.needs[i]) {
            if (!chosen[i] || !chosen[need]) continue;
            const std::size_t a = root(i), b = root(need);
            parent[std::max(a, b)] = std::min(a, b);
        }
    std::vector<std::size_t> groups(parent.size());
    for (std::size_t i = 0; i < parent.size(); ++i) groups[i] = root(i);
    return groups;
}

/// Fills tasks of one wave, one unit after the other.
class Packer {
public:
    Packer(std::vector<Task>& tasks, std::size_t wave, std::size_t most) : tasks_(tasks), wave_(wave), most_(most) {}

    void add(const std::vector<std::size_t>& unit) {
        if (first_ || tasks_.back().items.size() + unit.size() > most_) tasks_.push_back({wave_, {}});
        first_ = false;
        tasks_.back().items.insert(tasks_.back().items.end(), unit.begin(), unit.end());
    }

private:
    std::vector<Task>& tasks_;
    std::size_t wave_, most_;
    bool first_ = true;
};

}  // namespace

std::vector<Task> divideItems(const Plan& plan, const std::vector<bool>& chosen, std::size_t most) {
    const std::vector<std::size_t> groups = findGroups(plan, chosen);
    std::map<std::size_t, std::vector<std::size_t>> members;
    for (const std::size_t i : plan.order)
        if (chosen[i]) members[groups[i]].push_back(i);
    std::vector<std::size_t> wave(plan.items.size(), 0);
    std::map<std::size_t, std::vector<std::vector<std::size_t>>> units;  // by wave
    for (auto& [first, items] : members) {
        if (items.size() <= most) {
            units[0].push_back(std::move(items));
            continue;
        }
        for (const std::size_t i : items) {
            for (const std::size_t need : plan.needs[i])
                if (chosen[need]) wave[i] = std::max(wave[i], wave[need] + 1);
            units[wave[i]].push_back({i});
        }
    }
    std::vector<Task> tasks;
    for (const auto& [number, list] : units) {
        Packer packer(tasks, number, most);
        for (const std::vector<std::size_t>& unit : list) packer.add(unit);
    }
    return tasks;
}

void writeTask(const fs::path& path, const TaskFile& task, const Plan& plan, const std::vector<std::size_t>& items) {
    io::AtomicFile file(path);
    const auto line = [&file](const Json& object) {
        file.write(object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
    };
    line({{"folder", task.folder.string()},
          {"run", task.run},
          {"jobs", task.jobs},
          {"threads", task.threads},
          {"memory", task.memory},
          {"local_files_only", task.local_files_only}});
    const std::set<std::size_t> mine(items.begin(), items.end());
    std::set<std::size_t> context;
    for (const std::size_t i : items)
        for (const std::size_t need : plan.needs[i])
            if (mine.count(need) == 0) context.insert(need);
    const auto add = [&](std::size_t i, bool is_context) {
        Item item = plan.items[i];
        item.context = is_context;
        item.after.clear();
        if (!is_context)
            for (const std::size_t need : plan.needs[i]) item.after.push_back(plan.items[need].id);
        line(toJson(item));
    };
    for (const std::size_t i : context) add(i, true);
    for (const std::size_t i : items) add(i, false);
    file.commit();
}

Plan readTask(const fs::path& path, TaskFile& task) {
    const std::vector<std::byte> bytes = io::readFile(path);
    return taskFromText({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string(), task);
}

Plan taskFromText(const std::string& text, const std::string& name, TaskFile& task) {
    std::istringstream lines(text);
    Plan plan;
    try {
        std::string line;
        std::getline(lines, line);
        const Json head = Json::parse(line);
        plan.folder = task.folder = head.at("folder").get<std::string>();
        task.run = head.at("run").get<std::string>();
        task.jobs = head.at("jobs").get<int>();
        task.threads = head.at("threads").get<int>();
        task.memory = head.at("memory").get<std::uint64_t>();
        task.local_files_only = head.at("local_files_only").get<bool>();
        while (std::getline(lines, line)) plan.items.push_back(itemFromJson(Json::parse(line)));
    } catch (const Json::exception&) {
        throw Error::badInput({name}, "is not the file of a task of pelt batch");
    }
    for (const Item& item : plan.items)
        if (item.argv.empty()) throw Error::badInput({name}, fmt::format("item '{}' has no verb", item.id));
    plan.connect(name);
    return plan;
}

}  // namespace pelt::batch

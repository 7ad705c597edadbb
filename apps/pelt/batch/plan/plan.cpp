// The order of items: each after those whose results it reads.
#include "batch/plan/plan.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/spelling.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "batch/plan/arguments.h"

namespace pelt::batch {
namespace {

namespace fs = std::filesystem;

using IndexOf = std::unordered_map<std::string, std::size_t>;

IndexOf indexIds(const std::vector<Item>& items, const std::string& name) {
    IndexOf index;
    for (std::size_t i = 0; i < items.size(); ++i)
        if (!index.emplace(items[i].id, i).second)
            throw Error::badInput({name}, fmt::format("two items have the id '{}'; give each its own", items[i].id));
    return index;
}

std::vector<std::size_t> findNeeds(const Item& item, const IndexOf& index, const std::string& name) {
    std::vector<std::size_t> needs;
    for (const std::string& id : item.after) {
        const auto found = index.find(id);
        if (found == index.end()) {
            std::vector<std::string> ids;
            for (const auto& entry : index) ids.push_back(entry.first);
            throw Error::badInput({name}, fmt::format("item '{}' is after '{}', which is not in the manifest{}",
                                                      item.id, id, didYouMean(id, ids)));
        }
        needs.push_back(found->second);
    }
    return needs;
}

/// Which item writes a file, by absolute path. Folders may get files of several items.
IndexOf indexOutputs(const Plan& plan, const std::string& name) {
    IndexOf index;
    for (std::size_t i = 0; i < plan.items.size(); ++i)
        for (const fs::path& output : outputsOf(plan.items[i].argv)) {
            const fs::path path = (plan.folder / output).lexically_normal();
            const auto [other, is_new] = index.emplace(path.string(), i);
            if (is_new || other->second == i || !path.has_extension()) continue;
            throw Error::badInput({name}, fmt::format("items '{}' and '{}' both write {}; choose different outputs",
                                                      plan.items[other->second].id, plan.items[i].id, output.string()));
        }
    return index;
}

/// Kahn's algorithm; among items that are free, the first of the manifest comes first.
std::vector<std::size_t> sortItems(const Plan& plan, const std::string& name) {
    std::vector<std::vector<std::size_t>> followers(plan.items.size());
    std::vector<std::size_t> open(plan.items.size()), order;
    for (std::size_t i = 0; i < plan.items.size(); ++i) {
        open[i] = plan.needs[i].size();
        for (const std::size_t need : plan.needs[i]) followers[need].push_back(i);
    }
    for (std::size_t i = 0; i < open.size(); ++i)
        if (open[i] == 0) order.push_back(i);
    for (std::size_t at = 0; at < order.size(); ++at)
        for (const std::size_t follower : followers[order[at]])
            if (--open[follower] == 0) order.push_back(follower);
    if (order.size() == plan.items.size()) return order;
    // Every item that is left needs one that is left: following them ends in the cycle.
    std::size_t at =
        std::size_t(std::find_if(open.begin(), open.end(), [](std::size_t n) { return n > 0; }) - open.begin());
    std::vector<std::size_t> path;
    while (std::find(path.begin(), path.end(), at) == path.end()) {
        path.push_back(at);
        at = *std::find_if(plan.needs[at].begin(), plan.needs[at].end(), [&](std::size_t n) { return open[n] > 0; });
    }
    std::string cycle;
    for (auto it = std::find(path.begin(), path.end(), at); it != path.end(); ++it)
        cycle += fmt::format("'{}' after ", plan.items[*it].id);
    throw Error::badInput(
        {name}, fmt::format("items wait for each other: {}'{}'; remove one 'after'", cycle, plan.items[at].id));
}

}  // namespace

void Plan::connect(const std::string& name) {
    const IndexOf ids = indexIds(items, name), writers = indexOutputs(*this, name);
    needs.assign(items.size(), {});
    for (std::size_t i = 0; i < items.size(); ++i) {
        needs[i] = findNeeds(items[i], ids, name);
        for (const std::string& word : inputWordsOf(items[i].argv)) {
            const auto writer = writers.find((folder / word).lexically_normal().string());
            if (writer != writers.end() && writer->second != i) needs[i].push_back(writer->second);
        }
        std::sort(needs[i].begin(), needs[i].end());
        needs[i].erase(std::unique(needs[i].begin(), needs[i].end()), needs[i].end());
    }
    order = sortItems(*this, name);
}

}  // namespace pelt::batch

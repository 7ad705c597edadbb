#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace pelt::batch {

using Json = nlohmann::ordered_json;

/// One run of a verb: a line of the manifest.
struct Item {
    std::string id;
    std::vector<std::string> argv;   ///< the verb and its arguments
    std::vector<std::string> after;  ///< ids of items that must be done before this one starts
    int retries = 1;                 ///< how often it is tried again after a crash, a timeout or a lost node
    double timeout = 0;              ///< seconds; 0: none
    bool scratch = false;            ///< its outputs may be deleted afterwards: they are not missed
    std::string character;           ///< the card of the gallery that it belongs to; empty: its own
    Json facts;                      ///< further values that the card shows
    bool picture = false;            ///< made for the gallery, and not part of the report
    int tried = 0;                   ///< attempts that ended with their node
    bool context = false;            ///< in a task: not to be run, but others are after it
};

struct Plan {
    std::filesystem::path folder;                 ///< absolute; what relative paths of items start from
    std::vector<Item> items;                      ///< in the order of the manifest
    std::vector<std::vector<std::size_t>> needs;  ///< for each item the items it comes after
    std::vector<std::size_t> order;               ///< all items, each after those that it needs
    std::vector<std::string> warnings;

    /// Fills `needs` and `order`. An item that reads what another one writes comes after it even if it does not say
    /// so. Throws Error (bad input, about the file `name`) for a repeated id, an unknown id in `after`, two items that
    /// write the same file, and a cycle.
    void connect(const std::string& name);
};

}  // namespace pelt::batch

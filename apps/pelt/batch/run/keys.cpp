// What decides whether the result of an earlier run still counts.
#include "batch/run/keys.h"

#include <pelt/version.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>

#include "batch/plan/arguments.h"
#include "batch/run/sha256.h"

namespace pelt::batch {
namespace {

namespace fs = std::filesystem;

/// A file that was changed this shortly before it was read may have been changed again without another time stamp.
constexpr std::int64_t kSettled = 2'000'000'000;

std::int64_t now() {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
}

const InputFile* findInput(const std::optional<Record>& record, const std::string& path) {
    if (!record) return nullptr;
    const auto found = std::find_if(record->inputs.begin(), record->inputs.end(),
                                    [&](const InputFile& input) { return input.path == path; });
    return found == record->inputs.end() ? nullptr : &*found;
}

InputFile lookAt(const fs::path& path, const fs::path& folder, const std::optional<Record>& former) {
    InputFile input{path.string(), 0, 0, {}};
    struct stat status {};
    if (::stat((folder / path).c_str(), &status) == 0) {
        input.size = std::uint64_t(status.st_size);
        input.modified = std::int64_t(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec;
    }
    const InputFile* known = findInput(former, input.path);
    const bool same = known && known->size == input.size && known->modified == input.modified &&
                      input.modified + kSettled < former->hashed;
    input.hash = same ? known->hash : sha256File(folder / path);
    return input;
}

}  // namespace

ItemKey keyOf(const Item& item, const fs::path& folder, const std::optional<Record>& former) {
    ItemKey made;
    made.hashed = now();
    Sha256 hash;
    hash.addField(PELT_VERSION);
    for (const std::string& word : item.argv) hash.addField(word);
    hash.addField("inputs");
    for (const fs::path& path : inputsOf(item.argv, folder)) {
        made.inputs.push_back(lookAt(path, folder, former));
        hash.addField(made.inputs.back().path);
        hash.addField(made.inputs.back().hash);
    }
    made.key = hash.finish();
    return made;
}

bool isCurrent(const Record& record, const Item& item, const ItemKey& key, const fs::path& folder) {
    if (!record.isFinal() || record.key != key.key) return false;
    std::error_code fault;
    return item.scratch || std::all_of(record.outputs.begin(), record.outputs.end(),
                                       [&](const std::string& output) { return fs::exists(folder / output, fault); });
}

}  // namespace pelt::batch

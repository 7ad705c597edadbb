// Patterns with ** * ? [ and the files that match them.
#include "batch/plan/glob.h"

#include <fnmatch.h>

#include <algorithm>

namespace pelt::batch {
namespace {

namespace fs = std::filesystem;

using Parts = std::vector<std::string>;

Parts partsOf(const fs::path& relative) {
    Parts parts;
    for (const fs::path& part : relative)
        if (!part.empty() && (part != "**" || parts.empty() || parts.back() != "**")) parts.push_back(part.string());
    return parts;
}

bool matches(const std::string& pattern, const std::string& name) {
    return ::fnmatch(pattern.c_str(), name.c_str(), FNM_PERIOD) == 0;
}

/// `at` is shown in results; `base / at` is where it lies.
void search(const fs::path& base, const fs::path& at, const Parts& parts, std::size_t next,
            std::vector<fs::path>& found) {
    std::error_code fault;
    if (next == parts.size()) {
        if (fs::is_regular_file(base / at, fault)) found.push_back(at);
        return;
    }
    const std::string& part = parts[next];
    if (part != "**" && !isPattern(part)) return search(base, at / part, parts, next + 1, found);
    if (part == "**") search(base, at, parts, next + 1, found);
    const fs::path folder = (base / at).empty() ? fs::path(".") : base / at;
    for (fs::directory_iterator it(folder, fs::directory_options::skip_permission_denied, fault), end;
         !fault && it != end; it.increment(fault)) {
        const std::string name = it->path().filename().string();
        std::error_code ignored;
        if (part == "**") {
            if (name[0] != '.' && it->is_directory(ignored) && !it->is_symlink(ignored))
                search(base, at / name, parts, next, found);
        } else if (matches(part, name)) {
            search(base, at / name, parts, next + 1, found);
        }
    }
}

}  // namespace

bool isPattern(const std::string& word) { return word.find_first_of("*?[") != std::string::npos; }

fs::path fixedPart(const std::string& pattern) {
    fs::path fixed;
    const fs::path path = pattern;
    for (const fs::path& part : path.parent_path()) {
        if (isPattern(part.string())) break;
        fixed /= part;
    }
    return fixed;
}

std::vector<fs::path> findFiles(const std::string& pattern, const fs::path& folder) {
    const fs::path path = pattern;
    std::vector<fs::path> found;
    if (path.is_absolute())
        search({}, path.root_path(), partsOf(path.relative_path()), 0, found);
    else
        search(folder, {}, partsOf(path), 0, found);
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

}  // namespace pelt::batch

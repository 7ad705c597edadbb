// Items that draw the pictures of the gallery.
#include <fmt/format.h>
#include <pelt/verbs/files.h>

#include <map>
#include <optional>

#include "batch/plan/arguments.h"
#include "batch/report/gallery.h"
#include "batch/run/sha256.h"

namespace pelt::batch {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> writtenCharacter(const Item& item) {
    for (const fs::path& output : outputsOf(item.argv))
        if (const std::string extension = io::extensionOf(output);
            extension == ".glb" || extension == ".gltf" || extension == ".vrm")
            return output;
    return {};
}

/// What is drawn for one card.
struct Subject {
    bool has_own = false;
    std::string id;  ///< of the item that writes it
    fs::path file;
};

Item pictureItem(const Subject& subject, const std::string& card, const fs::path& state, const char* kind,
                 const std::vector<std::string>& options) {
    Item item;
    item.picture = true;
    item.character = card;
    item.id = fmt::format("{} ({})", subject.id, kind);
    item.after = {subject.id};
    const fs::path target = state / "pictures" / fmt::format("{}-{}.png", sha256(subject.id).substr(0, 16), kind);
    item.argv = {"render", fileWord(subject.file), "--size", "320x320"};
    item.argv.insert(item.argv.end(), options.begin(), options.end());
    item.argv.insert(item.argv.end(), {"-o", target.string()});
    return item;
}

}  // namespace

void addPictures(Plan& plan, const fs::path& state) {
    std::map<std::string, Subject> subjects;
    for (const std::size_t i : plan.order) {
        const Item& item = plan.items[i];
        Subject& subject = subjects[item.character.empty() ? item.id : item.character];
        subject.has_own |= item.argv[0] == "render";
        if (const auto file = writtenCharacter(item)) subject.id = item.id, subject.file = *file;
    }
    for (const auto& [card, subject] : subjects) {
        if (subject.has_own || subject.id.empty()) continue;
        plan.items.push_back(pictureItem(subject, card, state, "rest", {}));
        plan.items.push_back(pictureItem(subject, card, state, "posed", {"--method", "lbs"}));
    }
    plan.connect("the gallery");
}

}  // namespace pelt::batch

// All verbs of the program.
#include "program/table.h"

#include <algorithm>

#include "batch/verb_batch.h"
#include "draw/verb_render.h"
#include "program/verb_verbs.h"
#include "studio/verb_studio.h"

namespace pelt::program {
namespace {

std::vector<verbs::Verb> makeTable() {
    std::vector<verbs::Verb> verbs(verbs::all().begin(), verbs::all().end());
    for (const auto make : {draw::renderVerb, studio::studioVerb, batch::batchVerb, verbsVerb}) verbs.push_back(make());
    return verbs;
}

}  // namespace

std::span<const verbs::Verb> table() {
    static const std::vector<verbs::Verb> verbs = makeTable();
    return verbs;
}

const verbs::Verb* findVerb(std::string_view name) {
    const std::span<const verbs::Verb> verbs = table();
    const auto found = std::find_if(verbs.begin(), verbs.end(), [&](const auto& verb) { return verb.name == name; });
    return found == verbs.end() ? nullptr : &*found;
}

}  // namespace pelt::program

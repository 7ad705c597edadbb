// The table of verbs. A new verb is a row here and a file with its function `NAMEVerb()`.
#include <pelt/verbs/verb.h>

#include <algorithm>

#ifdef PELT_SCRATCH_VERB  // tests/scratch: one more verb, which must then be everywhere
#define PELT_SCRATCH(row) row(scratch)
#else
#define PELT_SCRATCH(row)
#endif

#ifdef __EMSCRIPTEN__  // cutting out pictures would take pelt.wasm over its size
#define PELT_CUTOUT(row)
#else
#define PELT_CUTOUT(row) row(cutout)
#endif

// clang-format off
#define PELT_VERBS(row) \
    row(info)             \
    row(check)            \
    row(fix)              \
    row(sample)           \
    row(bind)             \
    row(transfer)         \
    row(lod)              \
    row(mush)             \
    row(deform)           \
    row(bake)             \
    row(clean)            \
    row(limit)            \
    row(mirror)           \
    row(pack)             \
    row(fit)              \
    row(decompose)        \
    row(pose)             \
    PELT_CUTOUT(row)      \
    row(compare)          \
    PELT_SCRATCH(row)
// clang-format on

namespace pelt::verbs {

#define PELT_DECLARE(name) Verb name##Verb();
PELT_VERBS(PELT_DECLARE)

std::span<const Verb> all() {
#define PELT_MAKE(name) name##Verb(),
    static const std::vector<Verb> verbs = {PELT_VERBS(PELT_MAKE)};
    return verbs;
}

const Verb* find(std::string_view name) {
    const std::span<const Verb> verbs = all();
    const auto found = std::find_if(verbs.begin(), verbs.end(), [&](const Verb& verb) { return verb.name == name; });
    return found == verbs.end() ? nullptr : &*found;
}

}  // namespace pelt::verbs

// Fuzz target: the files of pelt batch.
#include <pelt/core/error.h>
#include <pelt/verbs/verb.h>

#include <cstdlib>
#include <string>

#include "batch/plan/manifest.h"
#include "batch/run/state.h"
#include "batch/slurm/tasks.h"
#include "program/table.h"

/// In the place of the program's table: the verbs of the library.
const pelt::verbs::Verb* pelt::program::findVerb(std::string_view name) {
    for (const verbs::Verb& verb : verbs::all())
        if (verb.name == name) return &verb;
    return nullptr;
}

/// A manifest, the file of a task, and a record of the state: each is read or refused; what is read is written and then
/// reads the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace pelt;
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const batch::Plan plan = batch::readManifest(text, "manifest", "/nowhere", {});
        if (plan.order.size() != plan.items.size()) std::abort();
        for (const batch::Item& item : plan.items)
            if (batch::itemFromJson(batch::toJson(item)).argv != item.argv) std::abort();
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) std::abort();
    }
    try {
        batch::TaskFile task;
        batch::taskFromText(text, "task", task);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) std::abort();
    }
    if (const auto record = batch::recordFromText(text)) {
        const std::string written = batch::textOf(*record);
        const auto again = batch::recordFromText(written);
        if (!again || batch::textOf(*again) != written) std::abort();
        batch::reportLine(*record);
    }
    return 0;
}

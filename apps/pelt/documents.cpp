#include "documents.h"

#include <pelt/core/error.h>

namespace pelt::cli {
namespace {

template <class T>
const T& findDocument(const std::map<std::string, T>& documents, const std::filesystem::path& name) {
    const auto found = documents.find(name.string());
    if (found == documents.end()) throw Error::badUsage({name.string()}, "there is no such document in memory");
    return found->second;
}

}  // namespace

const Character& Documents::character(const std::filesystem::path& name) const {
    return *findDocument(characters, name);
}

std::unique_ptr<MeshSequence> Documents::sequence(const std::filesystem::path& name) const {
    return findDocument(sequences, name)();
}

const nlohmann::json& Documents::object(const std::filesystem::path& name) const { return findDocument(objects, name); }

bool isInMemory(const std::filesystem::path& path) { return path.string().rfind("memory:", 0) == 0; }

}  // namespace pelt::cli

#include "gltf/document.h"

#include <fmt/format.h>

namespace pelt::io::gltf {

std::size_t Document::count(const char* collection_name) const {
    const auto found = json.find(collection_name);
    return found == json.end() ? 0 : found->size();
}

JsonRef Document::item(const char* collection_name, std::size_t index) const {
    return {json.at(collection_name)[index], name, fmt::format("{}[{}]", collection_name, index)};
}

Json& collection(Document& document, const char* name) {
    Json& array = document.json[name];
    if (array.is_null()) array = Json::array();
    return array;
}

}  // namespace pelt::io::gltf

// Reads the layers of an FBX mesh.
#include "layers.h"

#include <optional>

namespace pelt::io::fbx {
namespace {

std::optional<Mapping> mappingOf(std::string_view name) {
    if (name == "ByPolygonVertex") return Mapping::corner;
    if (name == "ByVertex" || name == "ByVertice" || name == "ByControlPoint") return Mapping::point;
    if (name == "ByPolygon") return Mapping::polygon;
    if (name == "AllSame") return Mapping::all;
    return std::nullopt;
}

}  // namespace

template <class T>
std::vector<Layer<T>> readLayers(const Element& geometry, const LayerNames& names) {
    std::vector<Layer<T>> layers;
    for (const Element& element : geometry.children) {
        if (element.name != names.layer) continue;
        const Element *mapping = element.find("MappingInformationType"), *name = element.find("Name");
        const auto known = mappingOf(mapping ? mapping->text(0) : "");
        if (!known) continue;
        Layer<T> layer;
        if (name) layer.name = name->text(0);
        layer.width = names.width;
        layer.mapping = *known;
        layer.values = element.arrayOf<T>(names.values);
        const Element* reference = element.find("ReferenceInformationType");
        if (names.index && reference && reference->text(0) != "Direct")
            layer.index = element.arrayOf<std::int32_t>(names.index);
        if (layer.values.size() >= layer.width) layers.push_back(std::move(layer));
    }
    return layers;
}

template std::vector<Layer<float>> readLayers(const Element&, const LayerNames&);
template std::vector<Layer<std::int32_t>> readLayers(const Element&, const LayerNames&);

}  // namespace pelt::io::fbx

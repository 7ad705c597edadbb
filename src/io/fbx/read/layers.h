#pragma once

#include <pelt/core/vec.h>

#include "io/fbx/tree/tree.h"

namespace pelt::io::fbx {

/// Where the values of a layer are: one per corner of a polygon, per control point, per polygon, or one for all.
enum class Mapping { corner, point, polygon, all };

/// Normals, UVs, colors or materials of a mesh, by any mapping, direct or by an index.
template <class T>
struct Layer {
    std::string name;
    std::size_t width = 0;  ///< numbers per value; 0: there is no such layer
    Mapping mapping = Mapping::corner;
    std::vector<T> values;
    std::vector<std::int32_t> index;  ///< empty if values are direct

    /// The first number of the value, or null if the file has none there.
    const T* at(std::size_t corner, std::size_t point, std::size_t polygon) const {
        std::size_t i = mapping == Mapping::corner    ? corner
                        : mapping == Mapping::point   ? point
                        : mapping == Mapping::polygon ? polygon
                                                      : 0;
        if (!index.empty()) {
            if (i >= index.size() || index[i] < 0) return nullptr;
            i = static_cast<std::size_t>(index[i]);
        }
        return width > 0 && i < values.size() / width ? values.data() + i * width : nullptr;
    }
};

/// What to look for in a geometry, such as {"LayerElementUV", "UV", "UVIndex", 2}.
struct LayerNames {
    const char *layer, *values, *index;
    std::size_t width;
};

/// All layers of that kind in the file's order; those of an unknown mapping (by edge) are left out.
template <class T>
std::vector<Layer<T>> readLayers(const Element& geometry, const LayerNames& names);

}  // namespace pelt::io::fbx

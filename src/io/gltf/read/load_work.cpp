// Estimates from a document's claims how much there is to decode, and whether memory suffices.
#include <fmt/format.h>
#include <pelt/core/memory.h>

#include <limits>

#include "load.h"

namespace pelt::io::gltf {
namespace {

/// The most values that an accessor can have: as many as its buffer view has bytes. Without one they are zeros, or
/// sparse; an unreasonable claim is refused later, with its path.
std::uint64_t mostNumbers(const Document& document, const Json& accessor) {
    constexpr std::uint64_t kMostZeros = std::uint64_t(1) << 32;
    const auto view = accessor.find("bufferView");
    if (view == accessor.end())
        return accessor.contains("sparse") ? std::numeric_limits<std::uint64_t>::max() : kMostZeros;
    if (!view->is_number_unsigned()) return 0;
    if (view->get<std::uint64_t>() >= document.count("bufferViews")) return 0;
    const Json& found = document.item("bufferViews", view->get<std::size_t>()).value();
    const auto length = found.find("byteLength");
    return length != found.end() && length->is_number_unsigned() ? length->get<std::uint64_t>() : 0;
}

/// The number of values that an accessor claims; 0 if the document is malformed, which the loader reports later with
/// its path.
std::uint64_t numbersOf(const Document& document, const Json& index) {
    if (!index.is_number_unsigned() || index.get<std::uint64_t>() >= document.count("accessors")) return 0;
    const Json& accessor = document.item("accessors", index.get<std::size_t>()).value();
    const auto count = accessor.find("count"), type = accessor.find("type");
    if (count == accessor.end() || !count->is_number_unsigned() || type == accessor.end() || !type->is_string())
        return 0;
    const std::string& name = type->get_ref<const std::string&>();
    const std::uint64_t width = name == "VEC2" ? 2 : name == "VEC3" ? 3 : name == "VEC4" ? 4 : name == "MAT4" ? 16 : 1;
    const std::uint64_t numbers = std::min<std::uint64_t>(count->get<std::uint64_t>(), 1ull << 40) * width;
    return numbers <= mostNumbers(document, accessor) ? numbers : 0;
}

const Json* member(const Json& object, const char* key) {
    if (!object.is_object()) return nullptr;
    const auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
}

std::uint64_t numbersOfAttributes(const Document& document, const Json* attributes) {
    std::uint64_t sum = 0;
    if (attributes && attributes->is_object())
        for (const Json& index : *attributes) sum += numbersOf(document, index);
    return sum;
}

/// Morph targets are not counted: only their moving vertices are kept.
std::uint64_t numbersOfVertices(const Document& document, const Json& primitive) {
    const Json* indices = member(primitive, "indices");
    return numbersOfAttributes(document, member(primitive, "attributes")) +
           (indices ? numbersOf(document, *indices) : 0);
}

std::uint64_t sumOverPrimitives(const Loading& loading, std::uint64_t (*numbers)(const Document&, const Json&)) {
    const Document& document = loading.document();
    std::uint64_t sum = 0;
    std::vector<InstanceSource> shown = loading.source->instances;
    shown.insert(shown.end(), loading.source->props.begin(), loading.source->props.end());
    for (const InstanceSource& instance : shown) {
        const Json* primitives = member(document.item("meshes", instance.mesh).value(), "primitives");
        if (!primitives || !primitives->is_array()) continue;
        for (const Json& primitive : *primitives) sum += numbers(document, primitive);
    }
    return sum;
}

}  // namespace

std::uint64_t numbersOfPrimitive(const Document& document, const Json& primitive) {
    std::uint64_t sum = numbersOfVertices(document, primitive);
    if (const Json* targets = member(primitive, "targets"); targets && targets->is_array())
        for (const Json& target : *targets) sum += numbersOfAttributes(document, &target);
    return sum;
}

std::uint64_t numbersOfChannel(const Document& document, const Json& sampler) {
    std::uint64_t sum = 0;
    for (const char* key : {"input", "output"})
        if (const Json* index = member(sampler, key)) sum += numbersOf(document, *index);
    return sum;
}

void checkMemory(const Loading& loading) {
    // Measured: 4.5 GiB for 6.6 million vertices of 14 numbers: decoded data, copies, and the state that saving
    // compares with.
    constexpr std::uint64_t kBytesPerNumber = 56;
    const std::uint64_t needed = kBytesPerNumber * sumOverPrimitives(loading, numbersOfVertices);
    constexpr std::uint64_t kWorthAsking = std::uint64_t(1) << 28;
    if (needed < kWorthAsking) return;
    if (const std::uint64_t free = availableMemory(); needed > free)
        loading.document().root().fail(
            fmt::format("the vertices that the file claims need {} MiB of memory, but only {} MiB are free; split the "
                        "file or use a machine with more memory",
                        needed >> 20, free >> 20));
}

std::uint64_t numbersToDecode(const Loading& loading) {
    const Document& document = loading.document();
    std::uint64_t sum = sumOverPrimitives(loading, numbersOfPrimitive);
    for (std::size_t a = 0; a < document.count("animations"); ++a) {
        const Json& animation = document.item("animations", a).value();
        const Json *channels = member(animation, "channels"), *samplers = member(animation, "samplers");
        if (!channels || !channels->is_array() || !samplers || !samplers->is_array()) continue;
        for (const Json& channel : *channels) {
            const Json* index = member(channel, "sampler");
            if (index && index->is_number_unsigned() && index->get<std::uint64_t>() < samplers->size())
                sum += numbersOfChannel(document, (*samplers)[index->get<std::size_t>()]);
        }
    }
    return sum;
}

}  // namespace pelt::io::gltf

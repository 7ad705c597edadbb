#pragma once

#include <map>

#include "appender.h"
#include "io/import/unpacker.h"

namespace pelt::io::gltf {

/// How much data one file may expand to: sparse, compressed and shared data can need far more memory than the file has
/// bytes. 768 MiB, and 64 bytes for each byte of the file.
class Budget {
public:
    explicit Budget(std::uint64_t file_bytes) : left_((std::uint64_t(768) << 20) + file_bytes * 64) {}
    /// Takes `bytes` from the remaining budget; errors name `who`.
    void take(const JsonRef& who, std::uint64_t bytes);

private:
    std::uint64_t left_;
};

/// The contents of an accessor's JSON, checked.
struct AccessorInfo {
    int component_type = kFloat;
    std::size_t component_bytes = 4;
    std::size_t width = 1;  ///< components
    std::size_t count = 0;
    bool normalized = false;
    std::string type;
};

/// Reads the numbers of a document's accessors. Decompressed buffer views are kept as long as the reader exists.
class AccessorReader {
public:
    explicit AccessorReader(const Document& document);

    const Document& document() const { return document_; }
    Budget& budget() { return budget_; }
    Unpacker& unpacker() { return unpacker_; }

    AccessorInfo info(std::size_t accessor) const;

    /// All components as floats: count · width. Normalized integers become fractions as in glTF 2.0, 3.11. Fails if
    /// `type` (such as "VEC3") is not that of the accessor.
    std::vector<float> floats(std::size_t accessor, const char* type);
    /// The same for integers: joints and indices. Fails for float components.
    std::vector<std::uint32_t> integers(std::size_t accessor, const char* type);

    /// The plain bytes of an accessor, tightly packed, in its own component type, with sparse values applied.
    std::vector<std::byte> packed(std::size_t accessor);

    /// The bytes of a buffer view, decompressed if they exist only in EXT_meshopt_compression.
    std::span<const std::byte> view(std::size_t view);

private:
    void putSparse(const JsonRef& sparse, const AccessorInfo& about, std::span<std::byte> out);

    const Document& document_;
    std::uint64_t file_bytes_ = 0;
    Budget budget_;
    Unpacker unpacker_;
    std::map<std::size_t, std::vector<std::byte>> unpacked_;
};

/// Packed components as floats or whole numbers.
std::vector<float> toFloats(std::span<const std::byte> packed, const AccessorInfo& about);
std::vector<std::uint32_t> toIntegers(std::span<const std::byte> packed, const AccessorInfo& about);

/// The bytes of a view with EXT_meshopt_compression, decompressed and unfiltered.
std::vector<std::byte> unpackMeshopt(AccessorReader& reader, const JsonRef& compressed);

/// Reports faults that any kind of compression can have; errors name `who`.
void failUnlessUnpacked(const JsonRef& who, const UnpackAnswer& answer, const char* compression);

}  // namespace pelt::io::gltf

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// Compressed mesh data. Untrusted data is decompressed by another process (unpacker.h); these are its requests and
/// answers.
namespace pelt::io::gltf {

/// A requested attribute of a Draco mesh: the number of components per vertex and their type (as numbered in glTF).
struct DracoWish {
    std::uint32_t id = 0, component_type = 0, width = 0;
};

struct UnpackRequest {
    enum class Kind : std::uint32_t { meshopt, draco };
    Kind kind = Kind::meshopt;
    std::string mode, filter;       ///< of meshopt, named as in EXT_meshopt_compression; valid strides depend on them
    std::uint64_t count = 0;        ///< expected number of elements (meshopt) or vertices (Draco)
    std::uint64_t stride = 0;       ///< bytes of an element (meshopt)
    std::vector<DracoWish> wishes;  ///< of Draco
    std::span<const std::byte> packed;
};

enum class UnpackFault : std::uint32_t {
    none,
    broken,        ///< the packed bytes are damaged
    other_count,   ///< there are UnpackAnswer::count vertices, not the expected number
    no_attribute,  ///< request number UnpackAnswer::count is for a missing attribute
    unfit,         ///< the attribute of that request does not have the requested form
    memory,        ///< more than the process may use
    crashed,       ///< the process ended without an answer
    too_slow,
    no_room,  ///< more memory than is free on this machine: not the data's fault
};

struct UnpackAnswer {
    UnpackFault fault = UnpackFault::none;
    std::uint64_t count = 0;
    std::vector<std::uint32_t> indices;          ///< three per face, below the number of vertices (Draco)
    std::vector<std::vector<std::byte>> arrays;  ///< the elements (meshopt), or one per attribute (Draco)
};

/// Calls the compression libraries in this process.
UnpackAnswer unpackHere(const UnpackRequest& request);
UnpackAnswer unpackMeshoptHere(const UnpackRequest& request);
UnpackAnswer unpackDracoHere(const UnpackRequest& request);

/// Serialization between two processes of one machine; nullopt for invalid bytes. A request refers to its bytes.
std::vector<std::byte> toBytes(const UnpackRequest& request);
std::vector<std::byte> toBytes(const UnpackAnswer& answer);
std::optional<UnpackRequest> requestFrom(std::span<const std::byte> bytes);
std::optional<UnpackAnswer> answerFrom(std::span<const std::byte> bytes);

}  // namespace pelt::io::gltf

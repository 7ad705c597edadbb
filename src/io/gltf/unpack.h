#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// Mesh data as compression libraries pack it. Packed bytes of a stranger are unpacked by another process (unpacker.h),
/// which is asked and answers in these terms.
namespace pelt::io::gltf {

/// An attribute of Draco's mesh and how it is wanted: that many components of that type (glTF's numbers) a vertex.
struct DracoWish {
    std::uint32_t id = 0, component_type = 0, width = 0;
};

struct UnpackRequest {
    enum class Kind : std::uint32_t { meshopt, draco };
    Kind kind = Kind::meshopt;
    std::string mode, filter;       ///< of meshopt, as EXT_meshopt_compression names them; they go with the stride
    std::uint64_t count = 0;        ///< elements (meshopt) or vertices (Draco) that must come out
    std::uint64_t stride = 0;       ///< bytes of an element (meshopt)
    std::vector<DracoWish> wishes;  ///< of Draco
    std::span<const std::byte> packed;
};

enum class UnpackFault : std::uint32_t {
    none,
    broken,        ///< the packed bytes are damaged
    other_count,   ///< there are UnpackAnswer::count vertices, not as many as asked for
    no_attribute,  ///< the wish of number UnpackAnswer::count names one that is not there
    unfit,         ///< nor can the attribute of that wish be given as it says
    memory,        ///< more than the process may use
    crashed,       ///< the process ended without an answer
    too_slow,
};

struct UnpackAnswer {
    UnpackFault fault = UnpackFault::none;
    std::uint64_t count = 0;
    std::vector<std::uint32_t> indices;          ///< three a face, below the number of vertices (Draco)
    std::vector<std::vector<std::byte>> arrays;  ///< one of elements (meshopt), one for each wish (Draco)
};

/// Asks the compression libraries, in this process.
UnpackAnswer unpackHere(const UnpackRequest& request);
UnpackAnswer unpackMeshoptHere(const UnpackRequest& request);
UnpackAnswer unpackDracoHere(const UnpackRequest& request);

/// As two processes of one machine pass them on; nullopt where the bytes are none. A request borrows from its bytes.
std::vector<std::byte> toBytes(const UnpackRequest& request);
std::vector<std::byte> toBytes(const UnpackAnswer& answer);
std::optional<UnpackRequest> requestFrom(std::span<const std::byte> bytes);
std::optional<UnpackAnswer> answerFrom(std::span<const std::byte> bytes);

}  // namespace pelt::io::gltf

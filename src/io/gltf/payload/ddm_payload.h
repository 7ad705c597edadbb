#pragma once

#include <pelt/rig/character.h>
#include <pelt/version.h>

#include "ddm_records.h"
#include "io/gltf/document/accessor.h"
#include "io/gltf/read/load.h"
#include "io/gltf/write/write_parts.h"

/// The extension PELT_direct_delta_mush; described in docs/payload.md.
namespace pelt::io::gltf {

inline constexpr const char* kDirectDeltaMush = "PELT_direct_delta_mush";
inline constexpr std::uint64_t kPayloadVersion = 1;
inline constexpr std::uint64_t kPlacedPayloadVersion = 2;                    ///< with `space`
inline constexpr std::uint64_t kReducedPayloadVersion = kDdmPayloadVersion;  ///< with the numbers of its variant alone

/// Data that is equal in all primitives of a character.
struct PayloadTerms {
    DdmVariant variant = DdmVariant::v0;
    DdmEncoding encoding = DdmEncoding::float32;
    DdmContent content = DdmContent::full;
    DdmSettings settings;
    double expected_error = -1;
    bool fitted = false;

    friend bool operator==(const PayloadTerms&, const PayloadTerms&) = default;
};

/// From POSITION to the space of the payload's numbers; the identity if the extension has none.
Affine3d readSpace(const JsonRef& extension);

PayloadTerms readTerms(const JsonRef& extension);
/// Version, variant, encoding, expected error and settings as JSON.
Json termsJson(const DdmPayload& payload);

/// 64-bit FNV-1a, 16 hexadecimal digits: of the decoded positions; of the names and inverse bind matrices of a skin's
/// joints, in order.
std::string hashPositions(std::span<const float> positions);
std::string hashJoints(AccessorReader& reader, std::size_t skin);

/// Reads the payload of the loaded mesh. A payload that does not match the mesh or has another version is ignored with
/// a warning; a malformed one is an error.
void loadPayload(Loading& loading);

/// The payload of one primitive, to be written to a document.
struct PayloadPart {
    DdmRecords records;
    Json bind = Json::object();          ///< accessors of the original JOINTS_n and WEIGHTS_n, if the file has them
    std::optional<WeightSets> new_bind;  ///< if the file has none
    std::size_t skin = 0;                ///< the joints that the records refer to
    Affine3d space;                      ///< from POSITION to the space of the records

    friend bool operator==(const PayloadPart&, const PayloadPart&) = default;
};

/// A primitive that gets a payload.
struct PayloadPlace {
    std::size_t mesh = 0, primitive = 0;
    const PayloadPart* part = nullptr;
};

/// Removes every payload and its data from a document.
void dropPayload(Document& document);

/// Writes the parts of a payload, with all records in one buffer view at the end.
void writePayload(Document& document, Appender& appender, const DdmPayload& payload,
                  std::span<const PayloadPlace> places);

/// Updates the hashes of all payloads for the current document.
void stampPayload(Document& document);

}  // namespace pelt::io::gltf

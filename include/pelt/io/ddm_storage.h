#pragma once

#include <pelt/core/ddm_payload.h>

/// How files keep Direct Delta Mush rows; docs/payload.md has the layout.
namespace pelt::io {

/// The rows as a reader of a saved file gets them: float32 changes nothing, q16 rounds (and rounding twice is rounding
/// once). Throws Error (bad usage) for rows that saveCharacter would refuse.
DdmRows<float> asStored(const DdmRows<float>& rows, DdmEncoding encoding);

/// The bytes of a payload's vertices and blocks in a file: 16 per vertex, and a block 48 (float32) or 24 (q16). The
/// original bind is not counted: as a rule it is the skin that the file had already.
std::size_t storedBytes(const DdmRows<float>& rows, DdmEncoding encoding);

}  // namespace pelt::io

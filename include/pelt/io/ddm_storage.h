#pragma once

#include <pelt/rig/ddm_payload.h>

/// How files store Direct Delta Mush rows; the layout is described in docs/payload.md.
namespace pelt::io {

/// The rows as read back from a saved file: float32 changes nothing, q16 rounds (rounding again changes nothing).
/// Throws Error (bad usage) for rows that saveCharacter would refuse.
DdmRows<float> asStored(const DdmRows<float>& rows, DdmEncoding encoding);

/// The size of a payload in a file: with all numbers, 16 bytes per vertex and 48 (float32) or 24 (q16) per block. The
/// original bind is not counted, because it is usually the skin that the file already had.
std::size_t storedBytes(const DdmRows<float>& rows, DdmEncoding encoding);

}  // namespace pelt::io

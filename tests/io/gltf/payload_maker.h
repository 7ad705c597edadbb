#pragma once

#include <pelt/rig/character.h>

#include <memory>

#include "glb_maker.h"

/// Direct Delta Mush payloads for tests, straight from the definition.
namespace pelt::io::test {

/// Rows of [LeLewis19] Eq. 8 and 11 with a Gaussian of that radius for the smoothing (ψ with one half as wide again),
/// each vertex's `influences` largest joints kept, and the character's weights as the bind.
std::shared_ptr<DdmPayload> makePayload(const Character& character, double radius, std::size_t influences = 4);

/// Rows that move as the character's weights do, for meshes too large for the definition.
std::shared_ptr<DdmPayload> makePlainPayload(const Character& character);

constexpr const char* kPayloadExtension = "PELT_direct_delta_mush";

/// Weights of any sign on two joints.
std::shared_ptr<DdmPayload> makeFittedPayload(const Character& character);

/// The character with makePayload's.
Character mushed(Character c, DdmEncoding encoding = DdmEncoding::float32, double radius = 0.8);

/// The payload of a primitive in a file's JSON.
Json& payloadOf(Json& json, std::size_t mesh = 0, std::size_t primitive = 0);

/// makeStrip with its primitive twice.
GlbMaker makeTwoParts();

}  // namespace pelt::io::test

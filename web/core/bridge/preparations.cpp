// Posers that are prepared in a worker, while the page goes on with what it has: results go from one instance to the
// other as bytes.
#include <emscripten.h>

#include "options.h"
#include "poser.h"

using namespace pelt;

extern "C" {

/// What a poser of the character prepares for these handles, as bytes that pelt_free frees.
EMSCRIPTEN_KEEPALIVE pelt_status pelt_web_prepare(const pelt_character* character, const char* options,
                                                  const char* handles, const pelt_call* call, std::uint8_t** bytes,
                                                  std::size_t* size) {
    return c::guarded([&] {
        verbs::PreparationShelf shelf;
        verbs::PoseRequest request = c::poserRequest(character->character, c::parseOptions(options));
        request.cache = &shelf;
        pelt_poser poser(character, request, c::progressOf(call));
        poser.live.setHandles(c::posedHandles(handles), c::progressOf(call));
        const std::vector<std::byte> all = shelf.toBytes();
        *bytes = c::copied(all);
        *size = all.size();
    });
}

/// The poser then sets these handles without preparing them itself.
EMSCRIPTEN_KEEPALIVE pelt_status pelt_web_take_prepared(pelt_poser* poser, const std::uint8_t* bytes,
                                                        std::size_t size) {
    return c::guarded([&] { poser->taken.take(std::as_bytes(std::span(bytes, size))); });
}

}  // extern "C"

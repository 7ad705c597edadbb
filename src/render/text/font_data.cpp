// The font, compiled into the library.
#include "font_data.h"

// The assembler includes the file; compiling a generated array would take seconds.
__asm__(
    ".section .rodata\n"
    ".balign 16\n"
    "pelt_render_font_begin:\n"
    ".incbin \"" PELT_FONT_FILE
    "\"\n"
    "pelt_render_font_end:\n"
    ".byte 0\n"
    ".previous\n");

extern "C" {
extern const unsigned char pelt_render_font_begin[];
extern const unsigned char pelt_render_font_end[];
}

namespace pelt::render {

std::span<const unsigned char> fontData() {
    return {pelt_render_font_begin, static_cast<std::size_t>(pelt_render_font_end - pelt_render_font_begin)};
}

}  // namespace pelt::render

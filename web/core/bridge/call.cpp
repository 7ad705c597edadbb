// Progress of long calls goes to the function `onProgress` of the module, which answers whether to go on.
#include <emscripten.h>
#include <pelt/pelt.h>

EM_JS(int, pelt_web_progress, (const char* stage, double fraction),
      { return !Module.onProgress || Module.onProgress(UTF8ToString(stage), fraction) ? 1 : 0; });

namespace {

int report(void*, const char* stage, double fraction) { return pelt_web_progress(stage, fraction); }

const pelt_call reporting_call{sizeof(pelt_call), &report, nullptr, 1};

}  // namespace

/// How every long call of a page runs.
extern "C" EMSCRIPTEN_KEEPALIVE const pelt_call* pelt_web_call() { return &reporting_call; }

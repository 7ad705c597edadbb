# pelt_harden(TARGET): for targets that read untrusted files. Stack smashing and overruns of buffers of known size end
# the program; function tables are read-only before the program starts (full RELRO).
function(pelt_harden target)
  if(PELT_SANITIZE OR EMSCRIPTEN)
    return()  # AddressSanitizer checks for the same errors, more closely; WebAssembly keeps its stack apart
  endif()
  target_compile_options(${target} PRIVATE
    -fstack-protector-strong $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
  get_target_property(kind ${target} TYPE)
  if(kind STREQUAL EXECUTABLE AND CMAKE_SYSTEM_NAME STREQUAL Linux)
    target_link_options(${target} PRIVATE -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
  endif()
endfunction()

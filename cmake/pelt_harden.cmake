# pelt_harden(TARGET): for what touches the bytes of a file that a stranger made. Smashed stacks and overrun buffers of
# known size end the program; a program's tables of functions are read-only before it begins (full RELRO).
function(pelt_harden target)
  if(PELT_SANITIZE)
    return()  # which looks for the same, closer
  endif()
  target_compile_options(${target} PRIVATE
    -fstack-protector-strong $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
  get_target_property(kind ${target} TYPE)
  if(kind STREQUAL EXECUTABLE AND CMAKE_SYSTEM_NAME STREQUAL Linux)
    target_link_options(${target} PRIVATE -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
  endif()
endfunction()

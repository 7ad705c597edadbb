# pelt_cold(TARGET): for code without long loops (verbs, programs), which takes longer to optimize than it ever
# runs. What it computes is the same. An index out of range ends the program, in every build.
function(pelt_cold target)
  if(NOT EMSCRIPTEN)
    target_compile_definitions(${target} PRIVATE _GLIBCXX_ASSERTIONS)
  endif()
  if(PELT_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  elseif(NOT EMSCRIPTEN)  # where the size of the code counts
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()

# pelt_unity(TARGET): compiles the target's sources a dozen at a time. Headers full of templates (JSON, the command line)
# then cost once per dozen, not once per file: a sixth of the time. Names in anonymous namespaces must differ.
function(pelt_unity target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # g++ takes what is not in the file it was called with for a header, and g++ 12 raises false alarms on vectors that
    # grow where it sees much at once.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage -Wno-stringop-overflow)
  endif()
endfunction()

# pelt_unity(TARGET [FILES]): compiles the target's sources several FILES at a time (36 if not given). Headers full of
# templates (JSON, Eigen, the command line, the tests) then cost once, not once per file. Names in anonymous namespaces
# must differ, which is why tests, each with helpers of its own, are joined a dozen at a time. Kernels that
# Highway compiles for several instruction sets (*_kernel.cpp) stay alone, since they include themselves; so do tests that
# bring their own operator new (allocation_test.cpp).
# -DPELT_UNITY=OFF compiles every file on its own: more work in all, less after a change to one of them.
function(pelt_unity target)
  if(NOT PELT_UNITY)
    return()
  endif()
  set(files 36)
  if(ARGC GREATER 1)
    set(files ${ARGV1})
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${files})
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "(_kernel|allocation_test)\\.cpp$")
  set_source_files_properties(${sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # g++ takes what is not in the file it was called with for a header, and g++ 12 raises false alarms on vectors that
    # grow where it sees much at once.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage -Wno-stringop-overflow)
  endif()
endfunction()

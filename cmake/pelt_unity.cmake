# pelt_unity(TARGET [FILES]): compiles the target's sources several FILES at a time (36 if not given). Headers with many
# templates (JSON, Eigen, the command line, the tests) are then compiled once instead of once per file. Names in
# anonymous namespaces must differ; tests, each with its own helper functions, are therefore joined a dozen at a time.
# Kernels that Highway compiles for several instruction sets (*_kernel.cpp) are compiled separately, since they include
# themselves; so are tests that define their own operator new (allocation_test.cpp).
# -DPELT_UNITY=OFF compiles every file separately: a full build takes longer, a rebuild after changing one file is
# faster.
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
    # g++ treats joined files as headers, and g++ 12 gives false warnings about growing vectors in large translation
    # units.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage -Wno-stringop-overflow)
  endif()
endfunction()

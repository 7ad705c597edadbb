# WebAssembly with Debian's Emscripten, instead of what pelt_dependencies.cmake finds: libraries that are headers alone,
# each by itself, since /usr/include as a whole belongs to another platform. What a page has no processes, threads or
# pictures for is not there: FBX import, Draco, meshoptimizer, oneTBB, Embree.
set(PELT_SERIAL ON)
set(headers ${CMAKE_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${headers})
foreach(library hwy fmt nlohmann stb boost)
  file(CREATE_LINK /usr/include/${library} ${headers}/${library} SYMBOLIC)
endforeach()
foreach(target hwy::hwy fmt::fmt-header-only nlohmann_json::nlohmann_json Eigen3::Eigen meshoptimizer::meshoptimizer
        draco::draco_static)
  add_library(${target} INTERFACE IMPORTED)
endforeach()
target_include_directories(Eigen3::Eigen SYSTEM INTERFACE /usr/include/eigen3)
include_directories(SYSTEM ${headers})
# With a separator of thousands of its own, {fmt} needs no std::locale, which would bring all its facets along.
add_compile_definitions(PELT_SERIAL FMT_HEADER_ONLY FMT_STATIC_THOUSANDS_SEPARATOR=',' EIGEN_NO_DEBUG NDEBUG)
add_compile_options(-msimd128 -fwasm-exceptions -ffp-contract=off
  -include ${PROJECT_SOURCE_DIR}/web/core/bridge/libcxx14.h)

# Kernels and the runtime are compiled for speed, the rest for size: a page loads it before it shows anything.
set(PELT_BROWSER_FLAGS_runtime -O3)
# Highway has no double precision for WebAssembly: for kernels in double precision it takes arrays of two numbers, which
# the compiler turns into registers.
set(PELT_BROWSER_EMULATED geometry fit)

# pelt_browser(MODULE): the flags of a module.
function(pelt_browser module)
  if(DEFINED PELT_BROWSER_FLAGS_${module})
    target_compile_options(pelt_${module} PRIVATE ${PELT_BROWSER_FLAGS_${module}})
  else()
    target_compile_options(pelt_${module} PRIVATE -Oz)
  endif()
  if(module IN_LIST PELT_BROWSER_EMULATED)
    target_compile_definitions(pelt_${module} PRIVATE HWY_COMPILE_ONLY_EMU128)
  endif()
  get_target_property(sources pelt_${module} SOURCES)
  list(FILTER sources INCLUDE REGEX "_kernel\\.cpp$")  # as pelt_unity does
  # Processors repeat short loops as fast as long ones.
  set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS "-O3;-fno-unroll-loops")
endfunction()

# pelt_module(NAME [PUBLIC targets…] [PRIVATE targets…] [NOT_IN_BROWSER folders…])
# One library per folder of src/: every .cpp below it, headers in include/pelt/NAME, exported as pelt::NAME. Private
# headers are included by their path from src/. The WebAssembly build leaves out the folders NOT_IN_BROWSER.
function(pelt_module name)
  cmake_parse_arguments(arg "" "INCLUDE" "PUBLIC;PRIVATE;NOT_IN_BROWSER" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(EMSCRIPTEN)
    foreach(folder IN LISTS arg_NOT_IN_BROWSER)
      list(FILTER sources EXCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/${folder}/")
    endforeach()
  endif()
  add_library(pelt_${name} ${sources})
  add_library(pelt::${name} ALIAS pelt_${name})
  if(NOT arg_INCLUDE)
    set(arg_INCLUDE ${PROJECT_SOURCE_DIR}/include)
  endif()
  target_include_directories(pelt_${name}
    PUBLIC $<BUILD_INTERFACE:${arg_INCLUDE}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_features(pelt_${name} PUBLIC cxx_std_20)
  target_link_libraries(pelt_${name} PUBLIC ${arg_PUBLIC} PRIVATE $<BUILD_INTERFACE:pelt_options> ${arg_PRIVATE})
  if(PELT_FUZZ AND name MATCHES "^(runtime|core|geometry|rig|io)$")
    # Coverage instrumentation in the readers and the code they call, so that the fuzzers see which code their inputs
    # reach.
    target_compile_options(pelt_${name} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  pelt_unity(pelt_${name})
  if(EMSCRIPTEN)
    pelt_browser(${name})
  endif()
  set_target_properties(pelt_${name} PROPERTIES EXPORT_NAME ${name})
  set_property(GLOBAL APPEND PROPERTY PELT_EXPORTED pelt_${name})
endfunction()

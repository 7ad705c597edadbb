# Components: program (bindings and apps say what belongs to them), c, runtime, toolkit, python. All but the last are
# installed where none is named; c only if it was built.
include(CMakePackageConfigHelpers)

# Two export sets: an engine that uses COMPONENTS runtime needs none of the toolkit's dependencies.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/pelt)
install(TARGETS pelt_runtime EXPORT peltRuntimeTargets COMPONENT runtime
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT peltRuntimeTargets NAMESPACE pelt:: DESTINATION ${package_dir} COMPONENT runtime)
install(DIRECTORY include/pelt/runtime DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pelt COMPONENT runtime)
install(FILES include/pelt/version.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pelt COMPONENT runtime)
install(FILES include/pelt/core/vec.h include/pelt/core/mat.h include/pelt/core/quat.h include/pelt/core/affine.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pelt/core COMPONENT runtime)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)

if(NOT PELT_RUNTIME_ONLY)
  get_property(exported GLOBAL PROPERTY PELT_EXPORTED)
  list(REMOVE_ITEM exported pelt_runtime)
  install(TARGETS ${exported} EXPORT peltTargets COMPONENT toolkit
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT peltTargets NAMESPACE pelt:: DESTINATION ${package_dir} COMPONENT toolkit)
  install(DIRECTORY include/pelt scenes/include/pelt DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT toolkit
    FILES_MATCHING PATTERN "*.h")
  list(TRANSFORM exported REPLACE "^pelt_" "" OUTPUT_VARIABLE PELT_TOOLKIT)
endif()

configure_package_config_file(cmake/peltConfig.cmake.in ${PROJECT_BINARY_DIR}/peltConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/peltConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/peltConfig.cmake ${PROJECT_BINARY_DIR}/peltConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT runtime)

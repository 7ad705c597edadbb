include(CMakePackageConfigHelpers)

get_property(exported GLOBAL PROPERTY PELT_EXPORTED)
install(TARGETS ${exported} EXPORT peltTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT peltTargets NAMESPACE pelt:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pelt)
install(DIRECTORY include/pelt scenes/include/pelt DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_package_config_file(cmake/peltConfig.cmake.in ${PROJECT_BINARY_DIR}/peltConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pelt)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/peltConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/peltConfig.cmake ${PROJECT_BINARY_DIR}/peltConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pelt)

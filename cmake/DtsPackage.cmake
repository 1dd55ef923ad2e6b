# dts_package(NAME MODULE HEADER LIBRARY) -- the target PkgConfig::NAME and NAME_LINK_LIBRARIES: by pkg-config, or,
# where that is missing or does not know MODULE, by CMake's own search for a header and a library
# (CMAKE_PREFIX_PATH). A machine that nothing can be installed on needs no pkg-config.
macro(dts_package name module header library)
  if(PKG_CONFIG_FOUND)
    pkg_check_modules(${name} QUIET IMPORTED_TARGET ${module})
  endif()
  if(NOT TARGET PkgConfig::${name})
    find_path(${name}_HEADERS ${header} PATH_SUFFIXES ${module} REQUIRED)
    find_library(${name}_LIBRARY ${library} REQUIRED)
    set(${name}_LINK_LIBRARIES ${${name}_LIBRARY})
    add_library(PkgConfig::${name} INTERFACE IMPORTED)
    target_include_directories(PkgConfig::${name} INTERFACE ${${name}_HEADERS})
    target_link_libraries(PkgConfig::${name} INTERFACE ${${name}_LIBRARY})
  endif()
endmacro()

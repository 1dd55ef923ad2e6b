# dts_module(NAME [FOLDER folder] [ONLY pattern] [WITHOUT patterns...] [MODULES...] [LIBRARIES...])
#
# A folder of src/, with all folders in it, is a static library: adding a collective or a topology is to
# add its file and its row. MODULES are the libraries of ours that it links, LIBRARIES come from outside;
# src/rooms.txt says which folder may include which, and the test "rooms" holds the sources to it.
# FOLDER is NAME unless it is said. ONLY and WITHOUT are patterns of paths below FOLDER, for folders
# that are libraries of their own or that this build has no use for. main.c is never part of a library.
# A row leaves out what it does not have (clang would have it named).
set(DTS_WARNINGS -Wall -Wextra -Wno-missing-field-initializers -Wshadow -Wvla $<$<BOOL:${DTSIM_WERROR}>:-Werror>)
set(DTS_C_WARNINGS -Wpedantic -Wstrict-prototypes -Wmissing-prototypes)

# The sources of a folder, as dts_module() has them, in a variable.
function(dts_sources result folder only without)
  set(root ${PROJECT_SOURCE_DIR}/src/${folder})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${root}/*.c ${root}/*.cpp)
  if(DTSIM_CUDA)
    file(GLOB_RECURSE cuda_sources CONFIGURE_DEPENDS ${root}/*.cu)
    list(APPEND sources ${cuda_sources})
  endif()
  if(only)
    list(FILTER sources INCLUDE REGEX "^${root}/${only}")
  endif()
  foreach(pattern ${without})
    list(FILTER sources EXCLUDE REGEX "^${root}/${pattern}")
  endforeach()
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

function(dts_module name)
  cmake_parse_arguments(arg "" "FOLDER;ONLY" "WITHOUT;MODULES;LIBRARIES" ${ARGN})
  if(NOT arg_FOLDER)
    set(arg_FOLDER ${name})
  endif()
  dts_sources(sources ${arg_FOLDER} "${arg_ONLY}" "${arg_WITHOUT};(.*/)?main\\.c$")
  add_library(dts_${name} STATIC ${sources})
  target_include_directories(dts_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  dts_compile_options(dts_${name})
  list(TRANSFORM arg_MODULES PREPEND dts_)
  target_link_libraries(dts_${name} PUBLIC ${arg_MODULES} PRIVATE ${arg_LIBRARIES})
endfunction()

# What every source of ours is compiled with.
function(dts_compile_options target)
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:C,CXX>:${DTS_WARNINGS}> $<$<COMPILE_LANGUAGE:C>:${DTS_C_WARNINGS}>
    # what assert() says names a file of the project, not where it was built
    $<$<COMPILE_LANGUAGE:C,CXX>:-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=>)
endfunction()

# The file of src/ as a string NAME of C, in the library `target`.
function(dts_embed target name file)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.c)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  file(CONFIGURE OUTPUT ${source} CONTENT
    "extern const char ${name}[];\nconst char ${name}[] = {${bytes}0};\n" @ONLY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  target_sources(${target} PRIVATE ${source})
endfunction()

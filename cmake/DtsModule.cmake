# dts_module(NAME [FOLDER FILES] [MODULES...] [LIBRARIES...] [EXCEPT...]) -- a folder of src/ is a
# static library.
#
# MODULES are the modules that this one may include, and the only ones: the test "layers.NAME"
# holds the #include lines to them. LIBRARIES come from outside. Every source of the folder
# belongs to it, so that adding a topology or a collective is to add its file and its row. Only
# main.c does not, since it is a program, nor do the files that EXCEPT names.
# A module that shares another's FOLDER has those sources there that FILES is a pattern of.
# INCLUDES are modules of which excepted files use the headers, without being linked here.
# A row leaves out what it does not have (clang would have it named).
set(DTS_WARNINGS -Wall -Wextra -Wno-missing-field-initializers -Wshadow -Wvla $<$<BOOL:${DTSIM_WERROR}>:-Werror>)
set(DTS_C_WARNINGS -Wpedantic -Wstrict-prototypes -Wmissing-prototypes)

function(dts_module name)
  cmake_parse_arguments(arg "" "FOLDER;FILES" "MODULES;INCLUDES;LIBRARIES;EXCEPT" ${ARGN})
  list(TRANSFORM arg_MODULES PREPEND dts_ OUTPUT_VARIABLE modules)
  if(NOT arg_FOLDER)
    set(arg_FOLDER ${name})
    set(arg_FILES *)
  endif()

  set(files ${arg_FOLDER}/${arg_FILES})
  file(GLOB sources CONFIGURE_DEPENDS ${files}.c ${files}.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.c$")
  list(TRANSFORM arg_EXCEPT PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/${arg_FOLDER}/)
  list(REMOVE_ITEM sources ${arg_EXCEPT})
  if(DTSIM_CUDA)
    file(GLOB cuda_sources CONFIGURE_DEPENDS ${files}.cu)
  endif()
  add_library(dts_${name} STATIC ${sources} ${cuda_sources})
  target_include_directories(dts_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  dts_compile_options(dts_${name})
  target_link_libraries(dts_${name} PUBLIC ${modules} PRIVATE ${arg_LIBRARIES})

  add_test(NAME layers.${name}
    COMMAND ${CMAKE_COMMAND} -D "FOLDER=${CMAKE_CURRENT_SOURCE_DIR}/${arg_FOLDER}"
      -D "ALLOWED=${name};${arg_MODULES};${arg_INCLUDES}" -P ${PROJECT_SOURCE_DIR}/cmake/CheckLayers.cmake)
endfunction()

# What every source of ours is compiled with.
function(dts_compile_options target)
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:C,CXX>:${DTS_WARNINGS}> $<$<COMPILE_LANGUAGE:C>:${DTS_C_WARNINGS}>)
endfunction()

# aclimb_shared_library(name PARTS <static libraries, linked whole> NEEDS <shared libraries>)
# One of the toolkit's libraries: unversioned SONAME, C symbols only, dependencies recorded even where
# the linker would drop them (programs look base functions up through libopapi.so), never unloaded.
function(aclimb_shared_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PARTS;NEEDS;LINK" ${ARGN})
  set(anchor ${CMAKE_CURRENT_BINARY_DIR}/${name}_anchor.cc)
  file(WRITE ${anchor}.in "// A shared library needs one source of its own; its content is in its parts.\n")
  configure_file(${anchor}.in ${anchor} COPYONLY)
  add_library(${name} SHARED ${anchor} ${ARG_SOURCES})
  add_library(aclimb::${name} ALIAS ${name})
  set_target_properties(${name} PROPERTIES
    NO_SONAME OFF
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib64
    BUILD_RPATH_USE_ORIGIN ON
    BUILD_RPATH "\$ORIGIN"
    INSTALL_RPATH "\$ORIGIN"
    LINK_DEPENDS ${PROJECT_SOURCE_DIR}/libraries/exports.map)
  target_include_directories(${name} PUBLIC
    ${PROJECT_SOURCE_DIR}/include ${ACLIMB_OPERATOR_INCLUDE})
  target_link_libraries(${name} PRIVATE
    -Wl,--whole-archive ${ARG_PARTS} -Wl,--no-whole-archive ${ARG_LINK})
  target_link_libraries(${name} PUBLIC ${ARG_NEEDS})
  target_link_options(${name} PRIVATE
    -Wl,--version-script=${PROJECT_SOURCE_DIR}/libraries/exports.map
    -Wl,--no-as-needed -Wl,-z,nodelete)
  # clang leaves the sanitizer's symbols to the program.
  if(NOT (ACLIMB_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang"))
    target_link_options(${name} PRIVATE -Wl,-z,defs)
  endif()
  install(TARGETS ${name} LIBRARY DESTINATION lib64)
  # For the targets of programs that are built with CMake (packaging/aclimb-config.cmake.in).
  list(JOIN ARG_NEEDS ";" needs)
  set_property(GLOBAL APPEND_STRING PROPERTY ACLIMB_IMPORTED "aclimb_imported(${name} \"${needs}\")\n")
endfunction()

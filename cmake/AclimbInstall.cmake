# The installed tree: CMAKE_INSTALL_PREFIX is the toolkit's root. The shared libraries and the common
# headers install themselves; here are the operators' headers, the environment script, the version
# files and the links. Included last, when the operators are known.

# The toolkit release whose layout this is; the header is the one place that says it.
file(STRINGS ${PROJECT_SOURCE_DIR}/include/aclimb/version.h version_line
  REGEX "define ACLIMB_TOOLKIT_VERSION_STRING")
string(REGEX REPLACE ".*\"(.*)\".*" "\\1" ACLIMB_TOOLKIT_VERSION "${version_line}")
file(STRINGS ${PROJECT_SOURCE_DIR}/include/aclimb/version.h version_line
  REGEX "define ACLIMB_VERSION_STRING")
if(NOT version_line MATCHES "\"${PROJECT_VERSION}\"")
  message(FATAL_ERROR "include/aclimb/version.h does not say ${PROJECT_VERSION}, the project's version")
endif()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(ACLIMB_ARCH aarch64)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(ACLIMB_ARCH x86_64)
else()
  set(ACLIMB_ARCH ${CMAKE_SYSTEM_PROCESSOR})
endif()

install(FILES ${ACLIMB_OPERATOR_HEADERS} DESTINATION include/aclnnop)

install(FILES packaging/set_env.sh DESTINATION .)
install(FILES LICENSE DESTINATION share/doc/aclimb)

# Frameworks check that this folder exists; operators of the user's own go into it.
install(DIRECTORY DESTINATION opp/vendors)

# Other names of the libraries: a program may list or open several, and must get one library with
# one state. Frameworks name the last five of libascendcl without taking a symbol from them that they
# cannot do without.
set(ACLIMB_NAMES_OF_ascendcl acl_rt ge_runner graph acl_tdt_channel ascend_hal msprofiler)
set(ACLIMB_NAMES_OF_opapi opapi_math opapi_nn opapi_cv opapi_transformer opapi_legacy
  aclnn_ops_infer aclnn_ops_train aclnn_math aclnn_sparse aclnn_fft aclnn_rand)
set(ACLIMB_NAMES_OF_hccl hcomm)

set(packaged ${PROJECT_BINARY_DIR}/packaging)
foreach(file IN ITEMS ascend_toolkit_install.info version.info version.cfg links.cmake)
  configure_file(packaging/${file}.in ${packaged}/${file} @ONLY)
endforeach()
install(FILES ${packaged}/ascend_toolkit_install.info DESTINATION ${ACLIMB_ARCH}-linux)
install(FILES ${packaged}/version.cfg DESTINATION .)
foreach(component IN ITEMS runtime compiler opp toolkit fwkacllib acllib
                           share/info/runtime share/info/compiler share/info/opp share/info/toolkit)
  install(FILES ${packaged}/version.info DESTINATION ${component})
endforeach()
install(SCRIPT ${packaged}/links.cmake COMPONENT links)

# find_package(aclimb), which looks into share/cmake of the prefixes that it knows, of those whose bin/ is in
# PATH too.
get_property(ACLIMB_IMPORTED GLOBAL PROPERTY ACLIMB_IMPORTED)
configure_file(packaging/aclimb-config.cmake.in ${packaged}/aclimb-config.cmake @ONLY)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${packaged}/aclimb-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${packaged}/aclimb-config.cmake ${packaged}/aclimb-config-version.cmake
  DESTINATION share/cmake/aclimb)

# A wheel can hold neither links nor empty folders. There, the other names are libraries of their own
# with nothing in them but the need for the real one (aclimb_wheel, pyproject.toml).
file(WRITE ${packaged}/wheel/nothing.c "")
file(WRITE ${packaged}/wheel/README "Operators of your own go into this folder.\n")
add_custom_target(aclimb_wheel DEPENDS opapi hccl acl_op_compiler aclimb_completion)
foreach(library IN ITEMS ascendcl opapi hccl)
  foreach(name IN LISTS ACLIMB_NAMES_OF_${library})
    add_library(${name} SHARED EXCLUDE_FROM_ALL ${packaged}/wheel/nothing.c)
    set_target_properties(${name} PROPERTIES
      LIBRARY_OUTPUT_DIRECTORY ${packaged}/wheel
      INSTALL_RPATH "\$ORIGIN")
    target_link_options(${name} PRIVATE -Wl,--no-as-needed)
    target_link_libraries(${name} PRIVATE ${library})
    add_dependencies(aclimb_wheel ${name})
    install(TARGETS ${name} LIBRARY DESTINATION lib64 COMPONENT wheel EXCLUDE_FROM_ALL)
  endforeach()
endforeach()
install(FILES ${packaged}/wheel/README DESTINATION opp/vendors COMPONENT wheel EXCLUDE_FROM_ALL)

# The types of the operators' functions in Python, beside the modules; the tree is in the package.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  set(stubs ${packaged}/wheel/ops.pyi ${packaged}/wheel/reference.pyi)
  add_custom_command(OUTPUT ${stubs}
    COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/python/stubs.py
      $<TARGET_FILE:aclimb_tool> ${stubs}
    DEPENDS aclimb_tool ${PROJECT_SOURCE_DIR}/python/stubs.py
    VERBATIM)
  add_custom_target(aclimb_stubs DEPENDS ${stubs})
  add_dependencies(aclimb_wheel aclimb_stubs)
  install(FILES ${stubs} DESTINATION .. COMPONENT wheel EXCLUDE_FROM_ALL)
endif()

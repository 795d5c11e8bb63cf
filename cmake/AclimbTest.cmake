# GoogleTest with the standard headers that it includes is parsed once for all tests.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/test_precompiled.cc CONTENT "")
add_executable(aclimb_test_precompiled EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/test_precompiled.cc)
# The test programs are not optimized, which halves their compile time; what takes long in
# them is in the libraries and in tests/support.
set(ACLIMB_TEST_OPTIONS $<$<CONFIG:Release>:-O0>)
target_compile_options(aclimb_test_precompiled PRIVATE ${ACLIMB_TEST_OPTIONS})
target_link_libraries(aclimb_test_precompiled PRIVATE GTest::gtest GTest::gtest_main)
target_precompile_headers(aclimb_test_precompiled PRIVATE
  <gtest/gtest.h> <algorithm> <cmath> <functional> <random> <span> <string> <vector>)

# aclimb_test(name SOURCES ... [LINK ...] [TIMEOUT seconds] [ENVIRONMENT VAR=value ...] [LABELS ...])
# One GoogleTest program, one ctest entry.
function(aclimb_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LINK;ENVIRONMENT;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
  target_compile_options(${name} PRIVATE ${ACLIMB_TEST_OPTIONS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gtest_main)
  target_precompile_headers(${name} REUSE_FROM aclimb_test_precompiled)
  add_test(NAME ${name} COMMAND ${name})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT})
  if(ARG_ENVIRONMENT)
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${ARG_ENVIRONMENT}")
  endif()
  if(ARG_LABELS)
    set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}")
  endif()
endfunction()

# GoogleTest with the standard headers that it includes is parsed once for all tests: once for those that
# are not optimized, which halves their compile time, and once for those whose own loops take long.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/test_precompiled.cc CONTENT "")
set(ACLIMB_TEST_OPTIONS $<$<CONFIG:Release>:-O0>)
foreach(kind test optimized_test)
  add_executable(aclimb_${kind}_precompiled EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/test_precompiled.cc)
  target_link_libraries(aclimb_${kind}_precompiled PRIVATE GTest::gtest GTest::gtest_main)
  target_precompile_headers(aclimb_${kind}_precompiled PRIVATE
    <gtest/gtest.h> <algorithm> <cmath> <functional> <random> <span> <string> <vector>)
endforeach()
target_compile_options(aclimb_test_precompiled PRIVATE ${ACLIMB_TEST_OPTIONS})
target_compile_options(aclimb_optimized_test_precompiled PRIVATE ${ACLIMB_BUILT_QUICKLY})

# More than a hundred programs are linked: gold takes a third of the time of GNU's other linker. It is for programs
# alone: in a shared library gold 1.16 makes one thread-local variable of a file another one.
include(CheckLinkerFlag)
set(ACLIMB_TEST_LINKER "")
if(NOT CMAKE_EXE_LINKER_FLAGS MATCHES "-fuse-ld=")
  check_linker_flag(CXX -fuse-ld=gold ACLIMB_HAS_GOLD)
  if(ACLIMB_HAS_GOLD)
    set(ACLIMB_TEST_LINKER -fuse-ld=gold)
  endif()
endif()

# aclimb_test_program(name SOURCES ... [APART ...] [LINK ...] [OPTIMIZED]): one GoogleTest program. OPTIMIZED pays
# where the sources themselves, with the truths that they include, compute for more than a few seconds; sources that
# are APART share names with others (aclimb_join_sources).
function(aclimb_test_program name)
  cmake_parse_arguments(ARG "OPTIMIZED" "" "SOURCES;APART;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES} ${ARG_APART})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gtest_main)
  target_link_options(${name} PRIVATE ${ACLIMB_TEST_LINKER})
  aclimb_join_sources(${name} APART ${ARG_APART})
  if(ARG_OPTIMIZED)
    target_compile_options(${name} PRIVATE ${ACLIMB_BUILT_QUICKLY})
    target_precompile_headers(${name} REUSE_FROM aclimb_optimized_test_precompiled)
  else()
    target_compile_options(${name} PRIVATE ${ACLIMB_TEST_OPTIONS})
    target_precompile_headers(${name} REUSE_FROM aclimb_test_precompiled)
  endif()
endfunction()

set(ACLIMB_TEST_TIMEOUT 300)  # seconds
set(ACLIMB_TEST_ENVIRONMENT)
if(ACLIMB_SANITIZE MATCHES "address")
  # Its dlopen does not look for a library where the caller's own library says.
  set(ACLIMB_TEST_ENVIRONMENT LD_LIBRARY_PATH=${PROJECT_BINARY_DIR}/lib64)
endif()

# aclimb_test(name SOURCES ... [APART ...] [LINK ...] [OPTIMIZED] [TIMEOUT seconds] [ENVIRONMENT VAR=value ...] [LABELS ...])
# One program, one ctest entry.
function(aclimb_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "ENVIRONMENT;LABELS" ${ARGN})
  aclimb_test_program(${name} ${ARG_UNPARSED_ARGUMENTS})
  add_test(NAME ${name} COMMAND ${name})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT ${ACLIMB_TEST_TIMEOUT})
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT})
  list(APPEND ARG_ENVIRONMENT ${ACLIMB_TEST_ENVIRONMENT})
  if(ARG_ENVIRONMENT)
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${ARG_ENVIRONMENT}")
  endif()
  if(ARG_LABELS)
    set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}")
  endif()
endfunction()

# aclimb_operator_test(sources...): the program <folder>_test, which has what is particular to a folder of
# operators, and its suite. Compiled in batches for all folders the sources take a third of the time: with
# ACLIMB_JOIN_SOURCES ctest runs one program for all of them, and the folder's own is built when it is asked for.
# Each file therefore has a namespace of its own.
function(aclimb_operator_test)
  get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  set(program ${folder}_test SOURCES ${ARGN} LINK ${ACLIMB_OPERATOR_TEST_LINK})
  if(NOT ACLIMB_JOIN_SOURCES)
    aclimb_test(${program})
    return()
  endif()
  aclimb_test_program(${program})
  set_target_properties(${folder}_test PROPERTIES EXCLUDE_FROM_ALL ON)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set_property(GLOBAL APPEND PROPERTY ACLIMB_OPERATOR_TESTS ${ARGN})
endfunction()
set(ACLIMB_OPERATOR_TEST_LINK aclimb::copy aclimb::test_support aclimb_operator_suite)

# What tests of kernels alone link beside the folder: the runtime, which the plans that are compiled with the kernels
# name. Nothing needs it yet where it stands.
set(ACLIMB_KERNEL_TEST_LINK -Wl,--no-as-needed aclimb::ascendcl)

# aclimb_operators_test(): the program of all folders' tests, in parts that ctest runs side by side.
function(aclimb_operators_test)
  get_property(sources GLOBAL PROPERTY ACLIMB_OPERATOR_TESTS)
  if(NOT sources)
    return()
  endif()
  aclimb_test_program(operators_test SOURCES ${sources} LINK ${ACLIMB_OPERATOR_TEST_LINK})
  set(parts 16)
  foreach(part RANGE 1 ${parts})
    add_test(NAME operators_test_${part} COMMAND operators_test)
    math(EXPR index "${part} - 1")
    set_tests_properties(operators_test_${part} PROPERTIES TIMEOUT ${ACLIMB_TEST_TIMEOUT}
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${parts};GTEST_SHARD_INDEX=${index}")
  endforeach()
endfunction()

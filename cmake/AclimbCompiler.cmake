# What every target of the project is compiled with.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 99)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# The public headers mark their functions visible only for those who define them.
add_compile_definitions(FUNC_VISIBILITY)
add_compile_options(-Wall -Wextra -Wshadow)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # gcc looks for memory that it no longer needs from 1 GiB on, which few of our sources reach, and not
  # from 128 MiB on: a twentieth less to compile.
  add_compile_options(--param=ggc-min-heapsize=1048576)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # gcc 12 sees overlapping copies inside std::string where there are none (its bug 105651).
  add_compile_options(-Wno-restrict)
endif()
# Two eight-byte stores read back as one vector wait until both have left the core: pointers that
# move through objects on the stack are such pairs, and our kernels say themselves what a vector is.
add_compile_options(-fno-tree-slp-vectorize)
# A loop of a few instructions that crosses a cache line's end takes 1.4 times as long where the other
# half of the core is busy (AMD EPYC, family 25): it begins at a line.
add_compile_options(-falign-loops=64)
# Of what is in no operator's way: a third less to compile counts for more than its speed.
set(ACLIMB_BUILT_QUICKLY $<$<CONFIG:Release>:-O1>)
if(ACLIMB_WERROR)
  add_compile_options(-Werror)
endif()
# Kernels are compiled for the instruction sets that matter: the compiler's baseline, AVX2 and
# AVX-512. The sets between them would double the time to compile; AVX-512's dot products are
# called by name (aclimb/simd/factors-inl.h).
set(ACLIMB_TARGETS_LEFT_OUT HWY_SSSE3 HWY_SSE4 HWY_AVX3_DL)
if(ACLIMB_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "ACLIMB_FUZZ needs clang, whose libFuzzer it uses")
  endif()
  set(ACLIMB_SANITIZE address,undefined)
  # The targets themselves also link libFuzzer's main.
  add_compile_options(-fsanitize=fuzzer-no-link -O1 -gline-tables-only)
  # Or the kernels would take an hour to compile: two instruction sets stand for all of them, which
  # the kernels' own tests go through, and what ends in a fault anyway has no check of its own.
  list(APPEND ACLIMB_TARGETS_LEFT_OUT HWY_AVX3)
endif()
set(is_x86 FALSE)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(is_x86 TRUE)
endif()
if(ACLIMB_NATIVE AND is_x86 AND NOT CMAKE_CROSSCOMPILING)
  include(CheckCXXSourceRuns)
  check_cxx_source_runs([[
    int main() {
      const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                       __builtin_cpu_supports("avx512cd");
      return has ? 0 : 1;
    }]] ACLIMB_MACHINE_HAS_AVX512)
  if(NOT ACLIMB_MACHINE_HAS_AVX512)
    list(APPEND ACLIMB_TARGETS_LEFT_OUT HWY_AVX3)
  endif()
endif()
list(JOIN ACLIMB_TARGETS_LEFT_OUT "|" left_out)
if(is_x86)
  add_compile_definitions("HWY_BROKEN_TARGETS=(${left_out})")
endif()
if(ACLIMB_SANITIZE)
  add_compile_options(-fsanitize=${ACLIMB_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${ACLIMB_SANITIZE})
  if(ACLIMB_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined)
    # The enumerations are C's: a program may pass any number, and the library must answer with a code.
    add_compile_options(-fno-sanitize=enum)
    # This check opens a pipe, and takes an object for a wrong one in tests that use up the descriptors.
    add_compile_options(-fno-sanitize=vptr)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # Under these checks gcc takes the address of a function for no constant (its bug 71962),
      # which the contracts' static assertions need.
      add_compile_options(-fno-sanitize=null,nonnull-attribute,returns-nonnull-attribute)
    endif()
  endif()
  if(ACLIMB_FUZZ)
    add_compile_options(-fno-sanitize=null,alignment,object-size,pointer-overflow,vptr,function)
  endif()
  if(ACLIMB_SANITIZE STREQUAL "thread")
    # libgomp's barriers are invisible to the thread sanitizer: oneDNN works on one thread.
    add_compile_definitions(ACLIMB_ONE_OPENMP_THREAD=1)
  endif()
endif()

# aclimb_join_sources(target [APART sources...]): compiles the target's sources in batches of 25: those
# that include large libraries of templates take five seconds each alone, and ten together. A name of
# an unnamed namespace must then be the only one of its kind in the target. Sources that are APART may
# use names of each other, and so may those that include themselves to be compiled once for each
# instruction set. A source with properties of its own must be APART: with some of them CMake compiles
# it alone, but only where they are set, and it drops the others.
function(aclimb_join_sources target)
  cmake_parse_arguments(ARG "" "" "APART" ${ARGN})
  if(ACLIMB_JOIN_SOURCES)
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "\\.cc$")
    foreach(source IN LISTS sources)
      file(STRINGS ${source} includes_itself REGEX "define HWY_TARGET_INCLUDE" LIMIT_COUNT 1)
      if(includes_itself)
        list(APPEND ARG_APART ${source})
      endif()
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 25)
    set_source_files_properties(${ARG_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # It takes joined sources for headers, whose unnamed namespaces differ from file to file.
      target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
    endif()
    cmake_language(EVAL CODE "cmake_language(DEFER CALL aclimb_check_joined_sources ${target})")
  endif()
endfunction()

function(aclimb_check_joined_sources target)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_source_file_property(apart ${source} SKIP_UNITY_BUILD_INCLUSION)
    foreach(property IN ITEMS COMPILE_OPTIONS COMPILE_FLAGS COMPILE_DEFINITIONS INCLUDE_DIRECTORIES
        SKIP_PRECOMPILE_HEADERS)
      get_source_file_property(own ${source} ${property})
      if(own AND NOT apart)
        message(FATAL_ERROR "${source} of ${target} has ${property} of its own (${own}): name it APART.")
      endif()
    endforeach()
  endforeach()
endfunction()

# aclimb_without_contraction(sources...): rounds every product and sum of these sources, also where
# fused multiply-adds exist. Not with a precompiled header: in functions for an instruction set of
# their own gcc then forgets the option.
function(aclimb_without_contraction)
  set_source_files_properties(${ARGN} PROPERTIES
    COMPILE_OPTIONS -ffp-contract=off SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# aclimb_library(name SOURCES ... [APART ...] [LINK ...] [PUBLIC_LINK ...])
# A static, position-independent part of the shared libraries, included as <repository path>. Its sources are
# joined, but for those that are APART (aclimb_join_sources).
function(aclimb_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;APART;LINK;PUBLIC_LINK" ${ARGN})
  if(ARG_SOURCES)
    add_library(aclimb_${name} STATIC ${ARG_SOURCES} ${ARG_APART})
    aclimb_join_sources(aclimb_${name} APART ${ARG_APART})
    target_include_directories(aclimb_${name} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
    target_link_libraries(aclimb_${name} PUBLIC ${ARG_PUBLIC_LINK} PRIVATE ${ARG_LINK})
  else()
    add_library(aclimb_${name} INTERFACE)
    target_include_directories(aclimb_${name} INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
    target_link_libraries(aclimb_${name} INTERFACE ${ARG_PUBLIC_LINK})
  endif()
  add_library(aclimb::${name} ALIAS aclimb_${name})
endfunction()

# Turns files into C++ constants.  cmake -DOUT=<header> -DFILES=<name=path,...> -P embed.cmake
# A name with a + before it is one of the list kPageScripts, in the order given.
set(text "#pragma once\n\n#include <string_view>\n\nnamespace aclimb::cli::report {\n\n")
set(scripts "")
string(REPLACE "," ";" FILES "${FILES}")
foreach(pair IN LISTS FILES)
  string(REGEX MATCH "^(\\+?)([^=]+)=(.*)$" matched "${pair}")
  set(listed "${CMAKE_MATCH_1}")
  set(name "${CMAKE_MATCH_2}")
  file(READ "${CMAKE_MATCH_3}" hex HEX)
  # Characters, because compilers limit the length of a string literal.
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${hex}")
  string(REGEX REPLACE "('.x0a',)" "\\1\n    " bytes "${bytes}")
  string(APPEND text "inline constexpr char ${name}Bytes[] = {\n    ${bytes}};\n"
    "inline constexpr std::string_view ${name}(${name}Bytes, sizeof(${name}Bytes));\n\n")
  if(listed)
    string(APPEND scripts "${name}, ")
  endif()
endforeach()
string(APPEND text "inline constexpr std::string_view kPageScripts[] = {${scripts}};\n\n"
  "}  // namespace aclimb::cli::report\n")
file(WRITE "${OUT}" "${text}")

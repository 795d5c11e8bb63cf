# Operators of one C signature stand as rows of a table, from which CMake writes their public headers.

# aclimb_rows(table <MACRO> <template> <prefix> ...)
# For every row of the table in the caller's folder, writes the row's declarations, made from the
# template, into the public header that the row names: several rows may name one. A row is
#   ACLIMB_UNARY(abs, Abs, aclnn_abs, self, ..., "One sentence.")
# and the first comment of the table names the fields, by which the template reads them as @Name@:
#   // ACLIMB_UNARY(name, Name, header, self, ..., sentence)
# A field may be a list in parentheses, which the template reads without them. The operator's name
# is <prefix><name>. Sets in the caller's scope
#   ACLIMB_ROW_OPERATORS  names of the rows' operators
#   ACLIMB_ROW_HEADERS    their public headers, written to ${ACLIMB_OPERATOR_INCLUDE}/aclnnop
# and writes <folder>_headers.h beside that, which includes them all.
function(aclimb_rows table)
  get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  set(table ${CMAKE_CURRENT_SOURCE_DIR}/${table})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  file(READ ${table} text)
  # CMake's lists would be cut at them.
  string(REPLACE ";" "<semicolon>" text "${text}")
  set(operators "")
  set(headers "")
  while(ARGN)
    list(POP_FRONT ARGN macro template prefix)
    set(template ${CMAKE_CURRENT_SOURCE_DIR}/${template})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${template})
    file(READ ${template} form)
    if(NOT text MATCHES "// ${macro}\\(([^)]*)\\)")
      message(FATAL_ERROR "${table}: no comment names the fields of ${macro}")
    endif()
    string(REGEX REPLACE ",[ \n/]*" ";" fields "${CMAKE_MATCH_1}")
    string(REGEX MATCHALL "\n${macro}\\([^\"]*\"[^\"]*\"\\)" rows "${text}")
    foreach(row IN LISTS rows)
      string(REGEX MATCH "\\(([^\"]*),[ \n]*\"([^\"]*)\"\\)" all "${row}")
      set(sentence "${CMAKE_MATCH_2}")
      set(values "${CMAKE_MATCH_1}")
      while(values MATCHES "\\(([^()]*)\\)")
        set(list "${CMAKE_MATCH_0}")
        string(REGEX REPLACE ",[ \n]*" "<comma>" plain "${CMAKE_MATCH_1}")
        string(REPLACE "${list}" "${plain}" values "${values}")
      endwhile()
      string(REGEX REPLACE ",[ \n]*" ";" values "${values}")
      list(APPEND values "${sentence}")
      foreach(field value IN ZIP_LISTS fields values)
        string(REPLACE "<comma>" ", " ${field} "${value}")
      endforeach()
      string(CONFIGURE "${form}" declaration @ONLY)
      string(APPEND declarations_of_${header} "\n${declaration}")
      list(APPEND operators ${prefix}${name})
      list(APPEND headers ${header})
    endforeach()
  endwhile()
  list(REMOVE_DUPLICATES headers)
  set(includes "")
  foreach(header IN LISTS headers)
    string(TOUPPER "ACLNNOP_${header}_H_" guard)
    string(REPLACE "<semicolon>" ";" declarations "${declarations_of_${header}}")
    string(APPEND includes "#include \"aclnnop/${header}.h\"\n")
    file(CONFIGURE OUTPUT ${ACLIMB_OPERATOR_INCLUDE}/aclnnop/${header}.h CONTENT
"// Written from aclimb/ops/${folder}/rows.inc when the project is configured. C++11.
#ifndef ${guard}
#define ${guard}

#include \"aclnn/aclnn_base.h\"
#include \"aclnnop/aclnn_util.h\"

#ifdef __cplusplus
extern \"C\" {
#endif
${declarations}
#ifdef __cplusplus
}
#endif

#endif  // ${guard}
" @ONLY)
  endforeach()
  file(CONFIGURE OUTPUT ${ACLIMB_OPERATOR_INCLUDE}/${folder}_headers.h CONTENT "#pragma once\n\n${includes}" @ONLY)
  list(TRANSFORM headers APPEND .h)
  set(ACLIMB_ROW_OPERATORS ${operators} PARENT_SCOPE)
  set(ACLIMB_ROW_HEADERS ${headers} PARENT_SCOPE)
endfunction()

# Public headers that are written from tables: operators of one C signature stand as rows of a table
# (rows.inc), and one header may declare several operators, of several folders.

# aclimb_headers_from_rows(table MACRO template ...)
# Adds the declarations of every row of `table` in the caller's folder to the public header that the
# row names. A row is
#   ACLIMB_UNARY(aclnn_abs, Abs, self, ..., "One sentence.")
# and the first comment of the table names the fields:
#   // ACLIMB_UNARY(header, Name, input, ..., sentence)
# A template reads each field as @<its name in the comment>@. Templates of further arguments follow in
# pairs: the macro whose rows they are for, and the file.
function(aclimb_headers_from_rows table)
  set(table ${CMAKE_CURRENT_SOURCE_DIR}/${table})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  file(READ ${table} text)
  # CMake's lists would be cut at them.
  string(REPLACE ";" "<semicolon>" text "${text}")
  while(ARGN)
    list(POP_FRONT ARGN macro template)
    set(template ${CMAKE_CURRENT_SOURCE_DIR}/${template})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${template})
    if(NOT text MATCHES "// ${macro}\\(([^)]*)\\)")
      message(FATAL_ERROR "${table}: no comment names the fields of ${macro}")
    endif()
    string(REGEX REPLACE ", *\n?/* *" ";" names "${CMAKE_MATCH_1}")
    string(REGEX MATCHALL "\n${macro}\\([^\"]*\"[^\"]*\"\\)" rows "${text}")
    foreach(row IN LISTS rows)
      string(REGEX MATCH "\\(([^\"]*), *\n? *\"([^\"]*)\"\\)" all "${row}")
      set(sentence "${CMAKE_MATCH_2}")
      string(REGEX REPLACE ", *\n? *" ";" values "${CMAKE_MATCH_1}")
      list(APPEND values "${sentence}")
      foreach(name value IN ZIP_LISTS names values)
        set(${name} "${value}")
      endforeach()
      file(READ ${template} declaration)
      string(CONFIGURE "${declaration}" declaration @ONLY)
      aclimb_declare(${header} "${declaration}")
    endforeach()
  endwhile()
endfunction()

# aclimb_declare(header text): the text is part of the public header aclnnop/<header>.h.
function(aclimb_declare header text)
  get_property(headers GLOBAL PROPERTY ACLIMB_GENERATED_HEADERS)
  if(NOT header IN_LIST headers)
    set_property(GLOBAL APPEND PROPERTY ACLIMB_GENERATED_HEADERS ${header})
  endif()
  set_property(GLOBAL APPEND_STRING PROPERTY ACLIMB_DECLARATIONS_OF_${header} "\n${text}")
endfunction()

# Writes the headers that were declared, once all folders have been read.
function(aclimb_write_headers folder)
  get_property(headers GLOBAL PROPERTY ACLIMB_GENERATED_HEADERS)
  foreach(header IN LISTS headers)
    get_property(declarations GLOBAL PROPERTY ACLIMB_DECLARATIONS_OF_${header})
    string(REPLACE "<semicolon>" ";" declarations "${declarations}")
    string(TOUPPER "ACLNNOP_${header}_H_" guard)
    file(CONFIGURE OUTPUT ${folder}/aclnnop/${header}.h CONTENT
"// Written from the tables of aclimb/ops when the project is configured. C++11.
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
endfunction()

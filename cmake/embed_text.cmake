# Text files -> a C++ file with each of them as a constant of HEADER, a std::string_view with a zero byte after it:
#   memviz_embed_text(OUTPUT file.cpp HEADER "folder/file.hpp" NAMESPACE memviz::folder [CDATA] [TABLE kName] CONSTANTS kName file...)
# TABLE kName: instead of constants, one std::span of pairs of a file's name, in place of a constant's, and its text.
# CDATA: they are written into CDATA sections, so none may hold what ends one. Run as a script, this file writes OUTPUT.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  function(memviz_embed_text)
    cmake_parse_arguments(PARSE_ARGV 0 embed "CDATA" "OUTPUT;HEADER;NAMESPACE;TABLE" "CONSTANTS")
    set(pairs ${embed_CONSTANTS})
    set(files)
    while(pairs)
      list(POP_FRONT pairs name file)
      list(APPEND files ${file})
    endwhile()
    add_custom_command(
      OUTPUT ${embed_OUTPUT}
      COMMAND ${CMAKE_COMMAND} -DOUTPUT=${embed_OUTPUT} -DHEADER=${embed_HEADER} -DNAMESPACE=${embed_NAMESPACE} -DCDATA=${embed_CDATA}
              -DTABLE=${embed_TABLE}
              "-DCONSTANTS=${embed_CONSTANTS}" -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
      DEPENDS ${files} ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
      VERBATIM)
  endfunction()
  return()
endif()

cmake_minimum_required(VERSION 3.22)
set(code "#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n")
set(table "")
set(count 0)
while(CONSTANTS)
  list(POP_FRONT CONSTANTS name file)
  file(READ ${file} text)
  string(FIND "${text}" "]]>" cdata_end)
  if(CDATA AND NOT cdata_end EQUAL -1)
    message(FATAL_ERROR "${file} holds ]]>, which would end the CDATA section it is written into")
  endif()
  # As bytes, because compilers need not accept a string literal of more than 65,536 of them, and Clang warns.
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
  string(REGEX REPLACE "('[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,)" "\\1\n"
         bytes "${bytes}")
  if(TABLE)
    string(APPEND table "    {\"${name}\", {kText${count}Bytes, sizeof kText${count}Bytes - 1}},\n")
    set(name kText${count})
    math(EXPR count "${count} + 1")
  endif()
  string(APPEND code "
static constexpr char ${name}Bytes[] = {
${bytes}'\\0'};
")
  if(NOT TABLE)
    string(APPEND code "const std::string_view ${name}{${name}Bytes, sizeof ${name}Bytes - 1};\n")
  endif()
endwhile()
if(TABLE)
  string(APPEND code "
static constexpr std::pair<std::string_view, std::string_view> kTexts[] = {
${table}};
const std::span<const std::pair<std::string_view, std::string_view>> ${TABLE}{kTexts};
")
endif()
file(WRITE ${OUTPUT} "${code}\n} // namespace ${NAMESPACE}\n")

# SCRIPTS (a list of .js files, joined into one function) and STYLE (.css) -> OUTPUT, a C++ file with constants:
# k${NAME}Script and, where there is a style, k${NAME}Style.
set(script "")
foreach(file IN LISTS SCRIPTS)
  file(READ ${file} part)
  string(APPEND script "${part}")
endforeach()
set(style "")
if(STYLE)
  file(READ ${STYLE} style)
endif()

# Comments on lines of their own and indentation are for readers of the source.
string(REGEX REPLACE "\n *//[^\n]*" "" script "\n${script}")
string(REGEX REPLACE "\n +" "\n" script "${script}")

foreach(text IN ITEMS "${script}" "${style}")
  string(FIND "${text}" "]]>" cdata_end)
  if(NOT cdata_end EQUAL -1)
    message(FATAL_ERROR "A script or style that holds ]]> would end the CDATA section it is written into")
  endif()
endforeach()

# As bytes: compilers need not take a string literal of more than 65,536 of them, and Clang says so.
function(write_constant name text)
  string(HEX "${text}" bytes)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
  string(REGEX REPLACE "('[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,)" "\\1\n"
         bytes "${bytes}")
  file(APPEND ${OUTPUT} "
static constexpr char k${name}Bytes[] = {
${bytes}'\\0'};
const char* const k${name} = k${name}Bytes;
")
endfunction()

file(WRITE ${OUTPUT} "#include \"script/embedded.hpp\"

namespace memviz::render {
")
write_constant(${NAME}Script "(() => {
'use strict';
${script}})();
")
if(STYLE)
  write_constant(${NAME}Style "${style}")
endif()
file(APPEND ${OUTPUT} "
} // namespace memviz::render
")

# SCRIPTS (a list of .js files, joined into one function) and STYLE (.css) -> OUTPUT, a C++ file with two constants:
# k${NAME}Script and k${NAME}Style.
set(script "")
foreach(file IN LISTS SCRIPTS)
  file(READ ${file} part)
  string(APPEND script "${part}")
endforeach()
file(READ ${STYLE} style)

# Comments on lines of their own and indentation are for readers of the source.
string(REGEX REPLACE "\n *//[^\n]*" "" script "\n${script}")
string(REGEX REPLACE "\n +" "\n" script "${script}")

foreach(text IN ITEMS "${script}" "${style}")
  string(FIND "${text}" "]]>" cdata_end)
  if(NOT cdata_end EQUAL -1)
    message(FATAL_ERROR "A script or style that holds ]]> would end the CDATA section it is written into")
  endif()
endforeach()

file(WRITE ${OUTPUT} "#include \"script/embedded.hpp\"

namespace memviz::render {

const char* const k${NAME}Script = R\"memviz((() => {
'use strict';
${script}})();
)memviz\";

const char* const k${NAME}Style = R\"memviz(${style})memviz\";

} // namespace memviz::render
")

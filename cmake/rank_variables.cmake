# memviz_rank_variables(TARGET): gives its sources rank_variables.hpp, the environment variables in which launchers
# leave the rank of a process, in the order of python/memviz_torch/recording/ranks.py, which has them for Python.
set(memviz_ranks_of_python ${CMAKE_CURRENT_LIST_DIR}/../python/memviz_torch/recording/ranks.py)

function(memviz_rank_variables target)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${memviz_ranks_of_python})
  file(READ ${memviz_ranks_of_python} python)
  if(NOT python MATCHES "\nRANK_VARIABLES = \\(((\"[A-Z0-9_]+\",? ?)+)\\)\n")
    message(FATAL_ERROR "${memviz_ranks_of_python} has no RANK_VARIABLES in one line")
  endif()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/rank_variables/rank_variables.hpp CONTENT
       "#pragma once\n\n#include <array>\n\nnamespace memviz::capture {\n\ninline constexpr std::array kRankVariables{@CMAKE_MATCH_1@};\n\n} // namespace memviz::capture\n"
       @ONLY)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/rank_variables)
endfunction()

# The library's sources in two lists. MEMVIZ_CORE_SOURCES make figures, sentences, JSON, text and (render/) pictures of
# bytes in memory: ISO C++ without threads and without files, for a machine that has neither, such as a browser's
# WebAssembly. MEMVIZ_SYSTEM_SOURCES are the rest of src/ for POSIX: files, threads, SQLite, exported programs.
# `cmake -P` of this file writes the first list, a path a line, for tests/scripts/includes.py.
get_filename_component(root ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
# So that the build notices a new file, which then needs no second edit.
set(depends CONFIGURE_DEPENDS)
if(CMAKE_SCRIPT_MODE_FILE)
  set(depends)
endif()
set(MEMVIZ_CORE_SOURCES)
foreach(folder IN ITEMS base value json pickle fast_reader recording text redact analysis session story export formats answers io sqlite program logs)
  file(GLOB_RECURSE sources RELATIVE ${root} ${depends} ${root}/src/${folder}/*.cpp)
  list(APPEND MEMVIZ_CORE_SOURCES ${sources})
endforeach()

set(MEMVIZ_SYSTEM_SOURCES ${MEMVIZ_CORE_SOURCES})
list(FILTER MEMVIZ_SYSTEM_SOURCES INCLUDE REGEX "^src/(io|sqlite|program|logs)/|/(check|check_json|check_text|contents|packing|flops_.+|logged_error_.+|record_lookahead|session_file|source_lines)\\.cpp$")
list(FILTER MEMVIZ_SYSTEM_SOURCES EXCLUDE REGEX "^src/io/(byte_buffer|decompress(_gzip|_zstd|_page)?|input)\\.cpp$")
list(REMOVE_ITEM MEMVIZ_CORE_SOURCES ${MEMVIZ_SYSTEM_SOURCES})
file(GLOB_RECURSE sources RELATIVE ${root} ${depends} ${root}/render/*.cpp)
list(FILTER sources EXCLUDE REGEX "/flops_svg\\.cpp$") # which draws an exported program
list(APPEND MEMVIZ_CORE_SOURCES ${sources})
list(TRANSFORM MEMVIZ_CORE_SOURCES PREPEND ${root}/)
list(TRANSFORM MEMVIZ_SYSTEM_SOURCES PREPEND ${root}/)

if(CMAKE_SCRIPT_MODE_FILE)
  list(JOIN MEMVIZ_CORE_SOURCES "\n" text)
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo "${text}")
endif()

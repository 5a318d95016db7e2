# SOURCES (a list of .cpp and .hpp files) -> OUTPUT, a C++ file with the words of their string literals: what memviz's
# outputs say by themselves, whatever the snapshot is.
set(words "")
foreach(file IN LISTS SOURCES)
  file(READ ${file} text)
  string(REGEX REPLACE "(^|[ \n])//[^\n]*" "\n" text "${text}")
  # The regular expressions and lists of CMake have a meaning for these; no word does.
  string(REGEX REPLACE "[][;\\]" " " text "${text}")
  string(REGEX MATCHALL "\"[^\"\n]*\"" literals "${text}")
  string(REGEX MATCHALL "[A-Za-z_][A-Za-z_0-9]*" found "${literals}")
  list(APPEND words ${found})
endforeach()
# Put together from parts, or written by a library.
list(APPEND words lived_events lived_us pending_events pending_us mem_viz version encoding viewBox utf CDATA)
list(REMOVE_DUPLICATES words)
list(SORT words)
list(JOIN words "\\n\"\n    \"" lines)

file(WRITE ${OUTPUT} "#include \"redact/own_words.hpp\"

namespace memviz {

std::string_view own_words() {
  return
    \"${lines}\\n\";
}

} // namespace memviz
")

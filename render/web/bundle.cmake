# ENTRY, an ES module -> OUTPUT, one script for a <script> of an SVG: the entry behind all that it imports, in a function.
#
# What a module may say is what needs no parser: `import {a, b} from './c.js'`, `import './c.js'`, and `export` before a
# declaration at the start of a line. All share one scope here, so no two modules of a bundle declare the same name.
# (Of several in one declaration those after the first are seen where they are constants in capitals.)
cmake_minimum_required(VERSION 3.22)
get_filename_component(root ${ENTRY} DIRECTORY)
set_property(GLOBAL PROPERTY bundle "")

# The names that declarations at the start of lines make; `prefix` is what they begin with.
function(declared_names text prefix names)
  string(REGEX MATCHALL "\n${prefix}(const|let|class|function|async function) [A-Za-z_$][A-Za-z_0-9$]*" found "${text}")
  string(REGEX MATCHALL "\n${prefix}const [^\n]*" constants "${text}")
  string(REGEX MATCHALL ", [A-Z][A-Z_0-9]* =" more "${constants}")
  string(REGEX REPLACE "," "" more "${more}")
  list(TRANSFORM more REPLACE " =" "")
  list(APPEND found ${more})
  list(TRANSFORM found REPLACE ".* " "")
  set(${names} ${found} PARENT_SCOPE)
endfunction()

function(check_import module file names)
  get_property(exported GLOBAL PROPERTY "exported by ${file}")
  foreach(name IN LISTS names)
    if(NOT name IN_LIST exported)
      file(RELATIVE_PATH file ${root} ${file})
      message(FATAL_ERROR "${module} imports ${name}, which ${file} does not export")
    endif()
  endforeach()
endfunction()

# Appends a module to the bundle, once, behind what it imports; `way` is who imports it.
function(add_module file way)
  file(RELATIVE_PATH module ${root} ${file})
  get_property(state GLOBAL PROPERTY "state of ${file}")
  if(state STREQUAL "added")
    return()
  elseif(state STREQUAL "open")
    message(FATAL_ERROR "Modules import each other: ${way}${module}")
  elseif(NOT EXISTS ${file})
    message(FATAL_ERROR "There is no module ${way}${module}")
  endif()
  set_property(GLOBAL PROPERTY "state of ${file}" open)

  # Comments on lines of their own and indentation are for readers of the source.
  file(READ ${file} text)
  string(REGEX REPLACE "\n *//[^\n]*" "" text "\n${text}")
  # The lists of CMake have a meaning for these.
  string(REGEX REPLACE "[][;]" " " plain "${text}")
  string(REGEX MATCHALL "\nimport ({[A-Za-z_0-9$, \n]*} from )?'[^'\n]*'" imports "${plain}")
  get_filename_component(folder ${file} DIRECTORY)
  foreach(import IN LISTS imports)
    string(REGEX MATCH "'(.*)'" from "${import}")
    get_filename_component(from ${folder}/${CMAKE_MATCH_1} ABSOLUTE)
    add_module(${from} "${way}${module} > ")
    string(REGEX MATCH "{.*}" names "${import}")
    string(REGEX MATCHALL "[A-Za-z_$][A-Za-z_0-9$]*" names "${names}")
    check_import(${module} ${from} "${names}")
  endforeach()

  declared_names("${plain}" "export " exported)
  declared_names("${plain}" "" names)
  foreach(name IN LISTS names exported)
    get_property(other GLOBAL PROPERTY "who declares ${name}")
    if(other)
      message(FATAL_ERROR "${other} and ${module} both declare ${name}; in a bundle they share one scope")
    endif()
    set_property(GLOBAL PROPERTY "who declares ${name}" ${module})
  endforeach()
  set_property(GLOBAL PROPERTY "exported by ${file}" "${exported}")

  string(REGEX REPLACE "\nimport ({[^}]*} from )?'[^']*';" "" text "${text}")
  string(REGEX REPLACE "\nexport (const|let|class|function|async)" "\n\\1" text "${text}")
  string(REGEX MATCH "\n((import|export)[^A-Za-z_0-9$][^\n]*|(const|let) [^A-Za-z_$][^\n]*)" odd "${text}")
  if(odd)
    message(FATAL_ERROR "bundle.cmake does not know what this means, in ${module}:${odd}")
  endif()
  string(REGEX REPLACE "\n+ *" "\n" text "${text}")
  set_property(GLOBAL APPEND_STRING PROPERTY bundle "${text}")
  set_property(GLOBAL PROPERTY "state of ${file}" added)
endfunction()

add_module(${ENTRY} "")
get_property(script GLOBAL PROPERTY bundle)
string(REGEX REPLACE "\n+" "\n" script "${script}")
file(WRITE ${OUTPUT} "(() => {
'use strict';${script}})();
")

# memviz_static: the program that `memviz` is, from the same archives, linked fully statically: one file for every Linux,
# which is what the wheel carries. Of the libraries below, Debian's packages lack libfmt.a and libzip.a, so `./run wheel`
# makes them from Debian's source. Built where it is asked for by name.
option(MEMVIZ_STATIC "Offer the target memviz_static" OFF)
set(MEMVIZ_STATIC_LIBRARIES "" CACHE PATH "A folder to look for libraries for memviz_static in, before the system's own")
if(NOT MEMVIZ_STATIC)
  return()
endif()

add_executable(memviz_static EXCLUDE_FROM_ALL $<TARGET_OBJECTS:memviz>)
set_target_properties(memviz_static PROPERTIES LINKER_LANGUAGE CXX)
# As files, because their targets depend on shared libraries. A library comes before those that it needs.
foreach(part IN ITEMS memviz_cli memviz_view memviz_render memviz_rehearse memviz_attach memviz_hooks memviz_core)
  add_dependencies(memviz_static ${part})
  target_link_libraries(memviz_static PRIVATE $<TARGET_FILE:${part}>)
endforeach()
foreach(name IN ITEMS boost_program_options pugixml fmt re2 zip sqlite3 zstd lzma bz2 z)
  find_library(MEMVIZ_STATIC_${name} lib${name}.a HINTS ${MEMVIZ_STATIC_LIBRARIES} REQUIRED)
  mark_as_advanced(MEMVIZ_STATIC_${name})
  target_link_libraries(memviz_static PRIVATE ${MEMVIZ_STATIC_${name}})
endforeach()
# SQLite could load extensions, which memviz never does; the linker nevertheless warns about dlopen().
target_link_options(memviz_static PRIVATE -static -Wl,--gc-sections)

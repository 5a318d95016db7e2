# Sets embedded_file: a source with the scripts and styles of the pictures as constants (web/embedded.hpp). They are in
# web/. Each picture has an entry module there, which is bundled into one script.
get_filename_component(web ${CMAKE_CURRENT_LIST_DIR}/../render/web ABSOLUTE)
file(GLOB_RECURSE web_modules CONFIGURE_DEPENDS ${web}/*.js)
foreach(picture IN ITEMS flame page segments state timeline)
  set(script ${CMAKE_CURRENT_BINARY_DIR}/${picture}.js)
  add_custom_command(
    OUTPUT ${script}
    COMMAND ${CMAKE_COMMAND} -DENTRY=${web}/${picture}.js -DOUTPUT=${script} -P ${web}/bundle.cmake
    DEPENDS ${web_modules} ${web}/bundle.cmake
    VERBATIM)
  list(APPEND scripts ${script})
endforeach()
set(embedded_file ${CMAKE_CURRENT_BINARY_DIR}/embedded.cpp)
set(built ${CMAKE_CURRENT_BINARY_DIR})
memviz_embed_text(OUTPUT ${embedded_file} HEADER web/embedded.hpp NAMESPACE memviz::render CDATA
  CONSTANTS kFlameScript ${built}/flame.js kPageScript ${built}/page.js kSegmentsScript ${built}/segments.js kStateScript ${built}/state.js kTimelineScript ${built}/timeline.js
            kPageStyle ${web}/page.css kStateStyle ${web}/state.css kTimelineStyle ${web}/timeline.css)

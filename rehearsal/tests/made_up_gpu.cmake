# Tests that run programs on the made-up GPU, with a Python that has torch; capture includes it. MEMVIZ_REHEARSAL
# and MEMVIZ_PYTHON are those of capture's tests.
if(NOT MEMVIZ_PYTHON OR NOT EXISTS "${MEMVIZ_REHEARSAL}/libmemviz_rehearsal.so")
  return()
endif()

# About 15 s of one core.
add_test(NAME rehearsal.real
  COMMAND ${MEMVIZ_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/real/real_test.py ${MEMVIZ_REHEARSAL})
if(MEMVIZ_BINARY)
  # About 50 s of one core.
  add_test(NAME rehearsal.ranks
    COMMAND ${MEMVIZ_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/real/ranks_test.py ${MEMVIZ_BINARY})
  add_test(NAME rehearsal.moments
    COMMAND ${MEMVIZ_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/moments/moments_test.py ${MEMVIZ_BINARY} ${MEMVIZ_REHEARSAL})
  add_test(NAME rehearsal.capture_kinds
    COMMAND ${MEMVIZ_PYTHON} ${memviz_capture_SOURCE_DIR}/tests/check_kinds.py $<TARGET_FILE:memviz_example_train>
            ${MEMVIZ_BINARY} ${MEMVIZ_REHEARSAL})
  add_test(NAME rehearsal.capture_names
    COMMAND ${MEMVIZ_PYTHON} ${memviz_capture_SOURCE_DIR}/tests/check_names.py $<TARGET_FILE:memviz_example_record>
            ${MEMVIZ_BINARY} ${MEMVIZ_REHEARSAL})
  add_test(NAME rehearsal.late_kinds
    COMMAND ${MEMVIZ_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/kinds/late_test.py ${MEMVIZ_BINARY} ${MEMVIZ_REHEARSAL})
  add_test(NAME rehearsal.kinds
    COMMAND ${MEMVIZ_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/kinds/kinds_test.py ${MEMVIZ_BINARY} ${MEMVIZ_REHEARSAL})
endif()

# cmake -DSOURCE=... -DOUTPUT=... -P git_commit.cmake: writes the file that defines memviz::cli::commit(), if its
# contents would change.
execute_process(COMMAND git describe --always --tags --dirty --abbrev=10 WORKING_DIRECTORY ${SOURCE}
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
# A copy of the source inside another repository does not belong to that one's commit.
execute_process(COMMAND git rev-parse --show-toplevel WORKING_DIRECTORY ${SOURCE}
  OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
file(REAL_PATH ${SOURCE} source)
if(failed OR NOT top STREQUAL source OR NOT commit MATCHES "^[A-Za-z0-9._/+-]+$")
  set(commit "")
endif()

set(text "#include \"cli/frame/commit.hpp\"

namespace memviz::cli {

std::string_view commit() {
  return \"${commit}\";
}

} // namespace memviz::cli
")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT text STREQUAL "${before}")
  file(WRITE ${OUTPUT} "${text}")
endif()

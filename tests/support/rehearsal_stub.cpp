#include "support/rehearsal_stub.hpp"

namespace memviz::test {

std::string rehearsal_stub() {
  return MEMVIZ_REHEARSAL_STUB;
}

std::string fake_torch() {
  return MEMVIZ_SOURCE_DIR "/tests/rehearse";
}

} // namespace memviz::test

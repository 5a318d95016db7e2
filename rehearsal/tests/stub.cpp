// Stands in for the made-up GPU where a test is about `memviz rehearse` itself: a library that can be preloaded and
// does nothing, except that it keeps what a server's model sets: four graphs of ten nodes each were instantiated.
#include <cstdint>

namespace {

std::uint64_t outside_bytes = 0;
std::uint64_t bytes_of_graphs = 0;

} // namespace

extern "C" {

const char* memviz_rehearsal_profile() {
  return "test";
}

void memviz_rehearsal_set_outside(std::uint64_t bytes) {
  outside_bytes = bytes;
}

// Returns the bytes outside PyTorch that the test's server measures.
std::uint64_t memviz_stub_outside() {
  return outside_bytes;
}

void memviz_rehearsal_set_graph_model(std::uint64_t graph_bytes, std::uint64_t node_bytes) {
  bytes_of_graphs = 4 * graph_bytes + 40 * node_bytes;
}

// Returns different bytes at each call.
std::uint64_t memviz_rehearsal_take_peak(int /*device*/) {
  static std::uint64_t calls = 0;
  return ++calls << 27U;
}

void memviz_rehearsal_graphs(std::uint64_t* graphs_nodes_bytes) {
  graphs_nodes_bytes[0] = 4;
  graphs_nodes_bytes[1] = 40;
  graphs_nodes_bytes[2] = bytes_of_graphs;
}
}

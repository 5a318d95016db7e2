// CUDA runtime: graphs. A graph consists of its nodes; an instantiated one can be launched, which does nothing.
#include "machine.hpp"
#include "versioned.hpp"

#include <algorithm>

using namespace memviz::rehearsal;

namespace {

// CUDA's convention for arrays: without an array it returns the number of elements; with one it fills it and returns
// how many it filled.
void give_handles(const std::vector<Handle>& handles, Handle* out, std::size_t* count) {
  if (!out) {
    *count = handles.size();
    return;
  }
  const std::size_t given = std::min(*count, handles.size());
  std::copy_n(handles.begin(), given, out);
  std::fill(out + given, out + *count, nullptr);
  *count = given;
}

int dependencies(Handle node, Handle* out, std::size_t* count) {
  return runtime_call([&](Machine&) {
    if (!node || !count) return Error::invalid_value;
    const auto& nodes = static_cast<Node*>(node)->dependencies;
    give_handles({nodes.begin(), nodes.end()}, out, count);
    return Error::success;
  });
}

// The driver keeps an instantiated graph in the device's memory, by the model of memory.hpp.
Error instantiate(Machine& machine, Handle graph, Handle* out) {
  if (const Error error = machine.streams.instantiate(graph, out); error != Error::success) return error;
  GraphExec& exec = *machine.streams.find_exec(*out);
  exec.device = current_device();
  exec.use = machine.memory.use_of_graph(exec.nodes);
  const Error error = machine.memory.charge_graph(exec.device, exec.use);
  if (error != Error::success) {
    static_cast<void>(machine.streams.destroy_exec(*out));
    *out = nullptr;
  }
  return error;
}

Error destroy(Machine& machine, Handle exec) {
  if (const GraphExec* const found = machine.streams.find_exec(exec))
    machine.memory.release_graph(found->device, found->use);
  return machine.streams.destroy_exec(exec);
}

} // namespace

MEMVIZ_EXPORT int cudaGraphCreate(Handle* graph, unsigned) {
  return runtime_call([&](Machine& machine) {
    if (!graph) return Error::invalid_value;
    *graph = machine.streams.create_graph();
    return Error::success;
  });
}

MEMVIZ_EXPORT int cudaGraphDestroy(Handle graph) {
  return runtime_call([&](Machine& machine) { return machine.streams.destroy_graph(graph); });
}

MEMVIZ_EXPORT int cudaGraphInstantiate(Handle* exec, Handle graph, unsigned long long) {
  return runtime_call([&](Machine& machine) { return instantiate(machine, graph, exec); });
}

MEMVIZ_EXPORT int cudaGraphInstantiateWithFlags(Handle* exec, Handle graph, unsigned long long flags) {
  return cudaGraphInstantiate(exec, graph, flags);
}

MEMVIZ_EXPORT int cudaGraphExecDestroy(Handle exec) {
  return runtime_call([&](Machine& machine) { return destroy(machine, exec); });
}

MEMVIZ_EXPORT int cudaGraphUpload(Handle exec, Handle) {
  return runtime_call(
      [&](Machine& machine) { return machine.streams.is_exec(exec) ? Error::success : Error::invalid_value; });
}

MEMVIZ_EXPORT int cudaGraphLaunch(Handle exec, Handle stream) {
  return runtime_call(
      [&](Machine& machine) { return machine.streams.is_exec(exec) ? launch(machine, stream) : Error::invalid_value; });
}

MEMVIZ_EXPORT int cudaGraphGetNodes(Handle graph, Handle* nodes, std::size_t* count) {
  return runtime_call([&](Machine& machine) {
    const Graph* const found = machine.streams.find_graph(graph);
    if (!found || !count) return Error::invalid_value;
    std::vector<Handle> handles;
    for (const auto& node : found->nodes)
      handles.push_back(node.get());
    give_handles(handles, nodes, count);
    return Error::success;
  });
}

MEMVIZ_EXPORT int cudaGraphNodeGetType(Handle node, int* type) {
  return runtime_call([&](Machine&) {
    if (!node || !type) return Error::invalid_value;
    *type = static_cast<Node*>(node)->type;
    return Error::success;
  });
}

MEMVIZ_EXPORT int cudaGraphAddEmptyNode(Handle* node, Handle graph, const Handle* from, std::size_t count) {
  return runtime_call([&](Machine& machine) {
    Graph* const found = machine.streams.find_graph(graph);
    if (!node || !found || (count > 0 && !from)) return Error::invalid_value;
    *node = machine.streams.add_empty_node(*found, from, count);
    return Error::success;
  });
}

MEMVIZ_CUDART_12(cudaGraphNodeGetDependencies);
MEMVIZ_EXPORT int memviz_12_cudaGraphNodeGetDependencies(Handle node, Handle* out, std::size_t* count) {
  return dependencies(node, out, count);
}

MEMVIZ_CUDART_13(cudaGraphNodeGetDependencies);
MEMVIZ_EXPORT int memviz_13_cudaGraphNodeGetDependencies(Handle node, Handle* out, void*, std::size_t* count) {
  return dependencies(node, out, count); // the edges are plain: their data stays as the program set it
}

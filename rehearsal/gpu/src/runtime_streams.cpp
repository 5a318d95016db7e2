// CUDA runtime: streams, events and capture.
#include "machine.hpp"
#include "versioned.hpp"

using namespace memviz::rehearsal;

namespace {

constexpr int kHostNode = 3;

template <typename Call> int stream_call(Handle handle, Call call) {
  return runtime_call([&](Machine& machine) {
    Stream* const stream = machine.streams.find(handle, current_device());
    return stream ? call(machine, *stream) : Error::invalid_handle;
  });
}

struct CaptureAnswer {
  int* status;
  unsigned long long* id;
  Handle* graph;
  const Handle** dependencies;
  const void** edges;
  std::size_t* dependency_count;
};

int capture_info(Handle handle, const CaptureAnswer& answer) {
  return stream_call(handle, [&](Machine& machine, Stream& stream) {
    if (!answer.status) return Error::invalid_value;
    *answer.status = static_cast<int>(machine.streams.status(stream));
    const bool is_active = machine.streams.status(stream) == CaptureStatus::active;
    if (answer.id) *answer.id = is_active ? stream.capture->id : 0;
    if (answer.graph) *answer.graph = is_active ? stream.capture->into : nullptr;
    if (answer.dependencies)
      *answer.dependencies = is_active ? reinterpret_cast<const Handle*>(stream.last.data()) : nullptr;
    if (answer.edges) *answer.edges = nullptr; // plain edges
    if (answer.dependency_count) *answer.dependency_count = is_active ? stream.last.size() : 0;
    return Error::success;
  });
}

constexpr unsigned kSetDependencies = 1; // cudaStreamSetCaptureDependencies; 0 adds

int update_dependencies(Handle handle, Handle* nodes, std::size_t count, unsigned flags) {
  return stream_call(handle, [&](Machine&, Stream& stream) {
    if (!stream.capture) return Error::illegal_state;
    if (flags > kSetDependencies || (count > 0 && !nodes)) return Error::invalid_value;
    if (flags == kSetDependencies) stream.last.clear();
    for (std::size_t index = 0; index < count; ++index)
      stream.last.push_back(static_cast<Node*>(nodes[index]));
    return Error::success;
  });
}

} // namespace

MEMVIZ_EXPORT int cudaStreamCreateWithPriority(Handle* stream, unsigned flags, int priority) {
  return runtime_call([&](Machine& machine) {
    touch(machine, current_device());
    return machine.streams.create_stream(current_device(), flags, priority, stream);
  });
}

MEMVIZ_EXPORT int cudaStreamCreateWithFlags(Handle* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

MEMVIZ_EXPORT int cudaStreamCreate(Handle* stream) {
  return cudaStreamCreateWithPriority(stream, 0, 0);
}

MEMVIZ_EXPORT int cudaStreamDestroy(Handle stream) {
  return runtime_call([&](Machine& machine) { return machine.streams.destroy_stream(stream); });
}

MEMVIZ_EXPORT int cudaStreamSynchronize(Handle handle) {
  return stream_call(handle, [](Machine& machine, Stream& stream) {
    const Error error = machine.streams.synchronize(stream);
    if (error == Error::success) machine.pools.synchronized(stream.device);
    return error;
  });
}

MEMVIZ_EXPORT int cudaStreamQuery(Handle handle) {
  return stream_call(handle, [](Machine& machine, Stream& stream) { return machine.streams.query(stream); });
}

MEMVIZ_EXPORT int cudaStreamGetPriority(Handle handle, int* priority) {
  return stream_call(handle, [&](Machine&, Stream& stream) {
    *priority = stream.priority;
    return Error::success;
  });
}

MEMVIZ_EXPORT int cudaStreamGetFlags(Handle handle, unsigned* flags) {
  return stream_call(handle, [&](Machine&, Stream& stream) {
    *flags = stream.flags;
    return Error::success;
  });
}

MEMVIZ_EXPORT int cudaStreamGetId(Handle handle, unsigned long long* id) {
  return stream_call(handle, [&](Machine&, Stream& stream) {
    *id = stream.id;
    return Error::success;
  });
}

MEMVIZ_EXPORT int cudaStreamGetDevice(Handle handle, int* device) {
  return stream_call(handle, [&](Machine&, Stream& stream) {
    *device = stream.device;
    return Error::success;
  });
}

MEMVIZ_EXPORT int cudaStreamWaitEvent(Handle handle, Handle event, unsigned) {
  return stream_call(handle, [&](Machine& machine, Stream& stream) { return machine.streams.wait(stream, event); });
}

// The host's function runs immediately, on the calling thread, and not under our lock.
MEMVIZ_EXPORT int cudaLaunchHostFunc(Handle stream, void (*function)(void*), void* data) {
  bool is_capturing = false;
  const int error = stream_call(stream, [&](Machine& machine, Stream& found) {
    is_capturing = found.capture != nullptr;
    return machine.streams.add_node(found, kHostNode);
  });
  if (!error && !is_capturing) function(data);
  return error;
}

MEMVIZ_EXPORT int cudaStreamAddCallback(Handle stream, void (*function)(Handle, int, void*), void* data, unsigned) {
  const int error = stream_call(stream, [](Machine& machine, Stream& found) {
    return found.capture ? machine.streams.synchronize(found) : machine.streams.add_node(found, kHostNode);
  });
  if (!error) function(stream, 0, data);
  return error;
}

MEMVIZ_EXPORT int cudaEventCreateWithFlags(Handle* event, unsigned flags) {
  return runtime_call([&](Machine& machine) {
    touch(machine, current_device());
    return machine.streams.create_event(current_device(), flags, event);
  });
}

MEMVIZ_EXPORT int cudaEventCreate(Handle* event) {
  return cudaEventCreateWithFlags(event, 0);
}

MEMVIZ_EXPORT int cudaEventDestroy(Handle event) {
  return runtime_call([&](Machine& machine) { return machine.streams.destroy_event(event); });
}

MEMVIZ_EXPORT int cudaEventRecordWithFlags(Handle event, Handle handle, unsigned) {
  return stream_call(handle, [&](Machine& machine, Stream& stream) { return machine.streams.record(event, stream); });
}

MEMVIZ_EXPORT int cudaEventRecord(Handle event, Handle stream) {
  return cudaEventRecordWithFlags(event, stream, 0);
}

MEMVIZ_EXPORT int cudaEventQuery(Handle event) {
  return runtime_call([&](Machine& machine) { return machine.streams.query(event); });
}

MEMVIZ_EXPORT int cudaEventSynchronize(Handle event) {
  return runtime_call([&](Machine& machine) {
    const Error error = machine.streams.synchronize(event);
    if (error == Error::success) machine.pools.synchronized(current_device());
    return error;
  });
}

MEMVIZ_EXPORT int cudaEventElapsedTime(float* ms, Handle start, Handle end) {
  return runtime_call([&](Machine& machine) { return machine.streams.elapsed(start, end, ms); });
}

MEMVIZ_EXPORT int cudaStreamBeginCapture(Handle handle, int mode) {
  return stream_call(handle, [&](Machine& machine, Stream& stream) {
    return machine.streams.begin_capture(stream, static_cast<CaptureMode>(mode), nullptr);
  });
}

MEMVIZ_EXPORT int cudaStreamBeginCaptureToGraph(Handle handle, Handle graph, const Handle* dependencies, const void*,
                                                std::size_t count, int mode) {
  return stream_call(handle, [&](Machine& machine, Stream& stream) {
    Graph* const into = machine.streams.find_graph(graph);
    if (!into) return Error::invalid_value;
    const Error error = machine.streams.begin_capture(stream, static_cast<CaptureMode>(mode), into);
    for (std::size_t index = 0; error == Error::success && index < count; ++index)
      stream.last.push_back(static_cast<Node*>(dependencies[index]));
    return error;
  });
}

MEMVIZ_EXPORT int cudaStreamEndCapture(Handle handle, Handle* graph) {
  return stream_call(handle,
                     [&](Machine& machine, Stream& stream) { return machine.streams.end_capture(stream, graph); });
}

MEMVIZ_EXPORT int cudaStreamIsCapturing(Handle handle, int* status) {
  return stream_call(handle, [&](Machine& machine, Stream& stream) {
    if (!status) return Error::invalid_value;
    *status = static_cast<int>(machine.streams.status(stream));
    return Error::success;
  });
}

MEMVIZ_EXPORT int cudaStreamGetCaptureInfo_v2(Handle stream, int* status, unsigned long long* id, Handle* graph,
                                              const Handle** dependencies, std::size_t* count) {
  return capture_info(stream, {status, id, graph, dependencies, nullptr, count});
}

MEMVIZ_EXPORT int cudaStreamGetCaptureInfo_v3(Handle stream, int* status, unsigned long long* id, Handle* graph,
                                              const Handle** dependencies, const void** edges, std::size_t* count) {
  return capture_info(stream, {status, id, graph, dependencies, edges, count});
}

MEMVIZ_CUDART_13(cudaStreamGetCaptureInfo);
MEMVIZ_EXPORT int memviz_13_cudaStreamGetCaptureInfo(Handle stream, int* status, unsigned long long* id, Handle* graph,
                                                     const Handle** dependencies, const void** edges,
                                                     std::size_t* count) {
  return capture_info(stream, {status, id, graph, dependencies, edges, count});
}

MEMVIZ_CUDART_12(cudaStreamUpdateCaptureDependencies);
MEMVIZ_EXPORT int memviz_12_cudaStreamUpdateCaptureDependencies(Handle stream, Handle* nodes, std::size_t count,
                                                                unsigned flags) {
  return update_dependencies(stream, nodes, count, flags);
}

MEMVIZ_CUDART_13(cudaStreamUpdateCaptureDependencies);
MEMVIZ_EXPORT int memviz_13_cudaStreamUpdateCaptureDependencies(Handle stream, Handle* nodes, const void*,
                                                                std::size_t count, unsigned flags) {
  return update_dependencies(stream, nodes, count, flags);
}

MEMVIZ_EXPORT int cudaThreadExchangeStreamCaptureMode(int* mode) {
  if (!mode || *mode < 0 || *mode > 2) return static_cast<int>(Error::invalid_value);
  *mode = static_cast<int>(Streams::exchange_mode(static_cast<CaptureMode>(*mode)));
  return 0;
}

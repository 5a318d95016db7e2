// CUDA driver: streams, events, capture and graphs, which are the runtime's.
#include "runtime.hpp"

using namespace memviz::rehearsal;

// NAME(parameters)(arguments) calls RUNTIME_NAME with the same arguments.
#define FORWARD(name, runtime_name, parameters, arguments)                                                             \
  MEMVIZ_EXPORT int name parameters {                                                                                  \
    return quietly([&] { return runtime_name arguments; });                                                            \
  }

using Callback = void (*)(void*);
using StreamCallback = void (*)(Handle, int, void*);
using Id = unsigned long long;

FORWARD(cuStreamCreateWithPriority, cudaStreamCreateWithPriority, (Handle * stream, unsigned flags, int priority),
        (stream, flags, priority))
FORWARD(cuStreamCreate, cudaStreamCreateWithPriority, (Handle * stream, unsigned flags), (stream, flags, 0))
FORWARD(cuStreamDestroy_v2, cudaStreamDestroy, (Handle stream), (stream))
FORWARD(cuStreamSynchronize, cudaStreamSynchronize, (Handle stream), (stream))
FORWARD(cuStreamQuery, cudaStreamQuery, (Handle stream), (stream))
FORWARD(cuStreamGetPriority, cudaStreamGetPriority, (Handle stream, int* priority), (stream, priority))
FORWARD(cuStreamGetFlags, cudaStreamGetFlags, (Handle stream, unsigned* flags), (stream, flags))
FORWARD(cuStreamGetId, cudaStreamGetId, (Handle stream, Id* id), (stream, id))
FORWARD(cuStreamGetDevice, cudaStreamGetDevice, (Handle stream, int* device), (stream, device))
FORWARD(cuStreamWaitEvent, cudaStreamWaitEvent, (Handle stream, Handle event, unsigned flags), (stream, event, flags))
FORWARD(cuLaunchHostFunc, cudaLaunchHostFunc, (Handle stream, Callback function, void* data), (stream, function, data))
FORWARD(cuStreamAddCallback, cudaStreamAddCallback,
        (Handle stream, StreamCallback function, void* data, unsigned flags), (stream, function, data, flags))
FORWARD(cuStreamBeginCapture_v2, cudaStreamBeginCapture, (Handle stream, int mode), (stream, mode))
FORWARD(cuStreamEndCapture, cudaStreamEndCapture, (Handle stream, Handle* graph), (stream, graph))
FORWARD(cuStreamIsCapturing, cudaStreamIsCapturing, (Handle stream, int* status), (stream, status))
FORWARD(cuStreamGetCaptureInfo_v2, cudaStreamGetCaptureInfo_v2,
        (Handle stream, int* status, Id* id, Handle* graph, const Handle** dependencies, std::size_t* count),
        (stream, status, id, graph, dependencies, count))
FORWARD(cuStreamGetCaptureInfo_v3, cudaStreamGetCaptureInfo_v3,
        (Handle stream, int* status, Id* id, Handle* graph, const Handle** dependencies, const void** edges,
         std::size_t* count),
        (stream, status, id, graph, dependencies, edges, count))
FORWARD(cuThreadExchangeStreamCaptureMode, cudaThreadExchangeStreamCaptureMode, (int* mode), (mode))
FORWARD(cuEventCreate, cudaEventCreateWithFlags, (Handle * event, unsigned flags), (event, flags))
FORWARD(cuEventDestroy_v2, cudaEventDestroy, (Handle event), (event))
FORWARD(cuEventRecord, cudaEventRecordWithFlags, (Handle event, Handle stream), (event, stream, 0))
FORWARD(cuEventRecordWithFlags, cudaEventRecordWithFlags, (Handle event, Handle stream, unsigned flags),
        (event, stream, flags))
FORWARD(cuEventQuery, cudaEventQuery, (Handle event), (event))
FORWARD(cuEventSynchronize, cudaEventSynchronize, (Handle event), (event))
FORWARD(cuEventElapsedTime, cudaEventElapsedTime, (float* ms, Handle start, Handle end), (ms, start, end))
FORWARD(cuEventElapsedTime_v2, cudaEventElapsedTime, (float* ms, Handle start, Handle end), (ms, start, end))
FORWARD(cuGraphCreate, cudaGraphCreate, (Handle * graph, unsigned flags), (graph, flags))
FORWARD(cuGraphDestroy, cudaGraphDestroy, (Handle graph), (graph))
FORWARD(cuGraphInstantiateWithFlags, cudaGraphInstantiate, (Handle * exec, Handle graph, Id flags),
        (exec, graph, flags))
FORWARD(cuGraphExecDestroy, cudaGraphExecDestroy, (Handle exec), (exec))
FORWARD(cuGraphUpload, cudaGraphUpload, (Handle exec, Handle stream), (exec, stream))
FORWARD(cuGraphLaunch, cudaGraphLaunch, (Handle exec, Handle stream), (exec, stream))
FORWARD(cuGraphGetNodes, cudaGraphGetNodes, (Handle graph, Handle* nodes, std::size_t* count), (graph, nodes, count))
FORWARD(cuGraphNodeGetType, cudaGraphNodeGetType, (Handle node, int* type), (node, type))
FORWARD(cuGraphAddEmptyNode, cudaGraphAddEmptyNode,
        (Handle * node, Handle graph, const Handle* dependencies, std::size_t count),
        (node, graph, dependencies, count))

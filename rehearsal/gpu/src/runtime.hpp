// Functions of the CUDA runtime that other libraries of the made-up GPU also call: most of the driver's functions are
// the runtime's under another name. Their meaning is documented by NVIDIA.
#pragma once

#include "machine.hpp"

MEMVIZ_EXPORT int cudaDeviceGetPCIBusId(char* text, int length, int device);
MEMVIZ_EXPORT int cudaDeviceGetByPCIBusId(int* device, const char* text);
MEMVIZ_EXPORT int cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
MEMVIZ_EXPORT int cudaDeviceSynchronize();
MEMVIZ_EXPORT int cudaDeviceCanAccessPeer(int* can_access, int device, int peer);
MEMVIZ_EXPORT int cudaMalloc(void** pointer, std::size_t bytes);
MEMVIZ_EXPORT int cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width_bytes, std::size_t height);
MEMVIZ_EXPORT int cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags);
MEMVIZ_EXPORT int cudaFree(void* pointer);
MEMVIZ_EXPORT int cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags);
MEMVIZ_EXPORT int cudaFreeHost(void* pointer);
MEMVIZ_EXPORT int cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags);
MEMVIZ_EXPORT int cudaHostUnregister(void* pointer);
MEMVIZ_EXPORT int cudaHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned flags);
MEMVIZ_EXPORT int cudaHostGetFlags(unsigned* flags, void* pointer);
MEMVIZ_EXPORT int cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes);
MEMVIZ_EXPORT int cudaMallocAsync(void** pointer, std::size_t bytes, memviz::rehearsal::Handle stream);
MEMVIZ_EXPORT int cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, memviz::rehearsal::Handle pool,
                                          memviz::rehearsal::Handle stream);
MEMVIZ_EXPORT int cudaFreeAsync(void* pointer, memviz::rehearsal::Handle stream);
MEMVIZ_EXPORT int cudaDeviceGetDefaultMemPool(memviz::rehearsal::Handle* pool, int device);
MEMVIZ_EXPORT int cudaDeviceGetMemPool(memviz::rehearsal::Handle* pool, int device);
MEMVIZ_EXPORT int cudaDeviceSetMemPool(int device, memviz::rehearsal::Handle pool);
MEMVIZ_EXPORT int cudaMemPoolCreate(memviz::rehearsal::Handle* pool,
                                    const memviz::rehearsal::PoolProperties* properties);
MEMVIZ_EXPORT int cudaMemPoolDestroy(memviz::rehearsal::Handle pool);
MEMVIZ_EXPORT int cudaMemPoolGetAttribute(memviz::rehearsal::Handle pool, int attribute, void* value);
MEMVIZ_EXPORT int cudaMemPoolSetAttribute(memviz::rehearsal::Handle pool, int attribute, void* value);
MEMVIZ_EXPORT int cudaMemPoolTrimTo(memviz::rehearsal::Handle pool, std::size_t keep_bytes);
MEMVIZ_EXPORT int cudaMemPoolSetAccess(memviz::rehearsal::Handle pool,
                                       const memviz::rehearsal::AccessDescription* descriptions, std::size_t count);
MEMVIZ_EXPORT int cudaStreamCreateWithPriority(memviz::rehearsal::Handle* stream, unsigned flags, int priority);
MEMVIZ_EXPORT int cudaStreamDestroy(memviz::rehearsal::Handle stream);
MEMVIZ_EXPORT int cudaStreamSynchronize(memviz::rehearsal::Handle stream);
MEMVIZ_EXPORT int cudaStreamQuery(memviz::rehearsal::Handle stream);
MEMVIZ_EXPORT int cudaStreamGetPriority(memviz::rehearsal::Handle stream, int* priority);
MEMVIZ_EXPORT int cudaStreamGetFlags(memviz::rehearsal::Handle stream, unsigned* flags);
MEMVIZ_EXPORT int cudaStreamGetId(memviz::rehearsal::Handle stream, unsigned long long* id);
MEMVIZ_EXPORT int cudaStreamGetDevice(memviz::rehearsal::Handle stream, int* device);
MEMVIZ_EXPORT int cudaStreamWaitEvent(memviz::rehearsal::Handle stream, memviz::rehearsal::Handle event,
                                      unsigned flags);
MEMVIZ_EXPORT int cudaLaunchHostFunc(memviz::rehearsal::Handle stream, void (*function)(void*), void* data);
MEMVIZ_EXPORT int cudaStreamAddCallback(memviz::rehearsal::Handle stream,
                                        void (*function)(memviz::rehearsal::Handle, int, void*), void* data,
                                        unsigned flags);
MEMVIZ_EXPORT int cudaEventCreateWithFlags(memviz::rehearsal::Handle* event, unsigned flags);
MEMVIZ_EXPORT int cudaEventDestroy(memviz::rehearsal::Handle event);
MEMVIZ_EXPORT int cudaEventRecordWithFlags(memviz::rehearsal::Handle event, memviz::rehearsal::Handle stream,
                                           unsigned flags);
MEMVIZ_EXPORT int cudaEventQuery(memviz::rehearsal::Handle event);
MEMVIZ_EXPORT int cudaEventSynchronize(memviz::rehearsal::Handle event);
MEMVIZ_EXPORT int cudaEventElapsedTime(float* ms, memviz::rehearsal::Handle start, memviz::rehearsal::Handle end);
MEMVIZ_EXPORT int cudaStreamBeginCapture(memviz::rehearsal::Handle stream, int mode);
MEMVIZ_EXPORT int cudaStreamEndCapture(memviz::rehearsal::Handle stream, memviz::rehearsal::Handle* graph);
MEMVIZ_EXPORT int cudaStreamIsCapturing(memviz::rehearsal::Handle stream, int* status);
MEMVIZ_EXPORT int cudaStreamGetCaptureInfo_v2(memviz::rehearsal::Handle stream, int* status, unsigned long long* id,
                                              memviz::rehearsal::Handle* graph,
                                              const memviz::rehearsal::Handle** dependencies, std::size_t* count);
MEMVIZ_EXPORT int cudaStreamGetCaptureInfo_v3(memviz::rehearsal::Handle stream, int* status, unsigned long long* id,
                                              memviz::rehearsal::Handle* graph,
                                              const memviz::rehearsal::Handle** dependencies, const void** edges,
                                              std::size_t* count);
MEMVIZ_EXPORT int cudaThreadExchangeStreamCaptureMode(int* mode);
MEMVIZ_EXPORT int cudaGraphCreate(memviz::rehearsal::Handle* graph, unsigned flags);
MEMVIZ_EXPORT int cudaGraphDestroy(memviz::rehearsal::Handle graph);
MEMVIZ_EXPORT int cudaGraphInstantiate(memviz::rehearsal::Handle* exec, memviz::rehearsal::Handle graph,
                                       unsigned long long flags);
MEMVIZ_EXPORT int cudaGraphExecDestroy(memviz::rehearsal::Handle exec);
MEMVIZ_EXPORT int cudaGraphUpload(memviz::rehearsal::Handle exec, memviz::rehearsal::Handle stream);
MEMVIZ_EXPORT int cudaGraphLaunch(memviz::rehearsal::Handle exec, memviz::rehearsal::Handle stream);
MEMVIZ_EXPORT int cudaGraphGetNodes(memviz::rehearsal::Handle graph, memviz::rehearsal::Handle* nodes,
                                    std::size_t* count);
MEMVIZ_EXPORT int cudaGraphNodeGetType(memviz::rehearsal::Handle node, int* type);
MEMVIZ_EXPORT int cudaGraphAddEmptyNode(memviz::rehearsal::Handle* node, memviz::rehearsal::Handle graph,
                                        const memviz::rehearsal::Handle* from, std::size_t count);

// Nothing runs here: it compiles only if the declarations of abi.hpp and device_properties.hpp agree with CUDA's
// headers.
#include "abi.hpp"
#include "device_facts.hpp"
#include "pools.hpp"
#include "streams.hpp"

#include <cstddef>
#include <cuda.h>
#include <cuda_runtime_api.h>

namespace ours = memviz::rehearsal;

#if CUDART_VERSION >= 13000
using OurProperties = ours::DeviceProperties13;
#else
using OurProperties = ours::DeviceProperties12;
#endif

#define SAME_MEMBER(member) static_assert(offsetof(OurProperties, member) == offsetof(cudaDeviceProp, member))
static_assert(sizeof(OurProperties) == sizeof(cudaDeviceProp));
SAME_MEMBER(uuid);
SAME_MEMBER(totalGlobalMem);
SAME_MEMBER(sharedMemPerBlock);
SAME_MEMBER(warpSize);
SAME_MEMBER(maxThreadsPerBlock);
SAME_MEMBER(maxThreadsDim);
SAME_MEMBER(maxGridSize);
SAME_MEMBER(totalConstMem);
SAME_MEMBER(major);
SAME_MEMBER(minor);
SAME_MEMBER(textureAlignment);
SAME_MEMBER(multiProcessorCount);
SAME_MEMBER(integrated);
SAME_MEMBER(maxTexture1D);
SAME_MEMBER(maxSurfaceCubemapLayered);
SAME_MEMBER(surfaceAlignment);
SAME_MEMBER(pciBusID);
SAME_MEMBER(asyncEngineCount);
SAME_MEMBER(unifiedAddressing);
SAME_MEMBER(memoryBusWidth);
SAME_MEMBER(l2CacheSize);
SAME_MEMBER(maxThreadsPerMultiProcessor);
SAME_MEMBER(sharedMemPerMultiprocessor);
SAME_MEMBER(regsPerMultiprocessor);
SAME_MEMBER(managedMemory);
SAME_MEMBER(cooperativeLaunch);
SAME_MEMBER(sharedMemPerBlockOptin);
SAME_MEMBER(maxBlocksPerMultiProcessor);
SAME_MEMBER(reservedSharedMemPerBlock);
SAME_MEMBER(hostRegisterSupported);
SAME_MEMBER(memoryPoolsSupported);
SAME_MEMBER(clusterLaunch);
SAME_MEMBER(unifiedFunctionPointers);

static_assert(sizeof(ours::Dim3) == sizeof(dim3));
static_assert(sizeof(ours::AllocationProperties) == sizeof(CUmemAllocationProp));
static_assert(offsetof(ours::AllocationProperties, location) == offsetof(CUmemAllocationProp, location));
static_assert(sizeof(ours::AccessDescription) == sizeof(CUmemAccessDesc));
static_assert(sizeof(ours::Location) == sizeof(CUmemLocation));
static_assert(sizeof(ours::PoolProperties) == sizeof(cudaMemPoolProps));
static_assert(offsetof(ours::PoolProperties, location) == offsetof(cudaMemPoolProps, location));
static_assert(offsetof(ours::PoolProperties, max_bytes) == offsetof(cudaMemPoolProps, maxSize));
static_assert(sizeof(ours::FunctionAttributes) == sizeof(cudaFuncAttributes));
static_assert(offsetof(ours::FunctionAttributes, binary_version) == offsetof(cudaFuncAttributes, binaryVersion));
static_assert(offsetof(ours::FunctionAttributes, max_dynamic_shared_bytes) ==
              offsetof(cudaFuncAttributes, maxDynamicSharedSizeBytes));
static_assert(offsetof(ours::PointerAttributes, host_pointer) == offsetof(cudaPointerAttributes, hostPointer));
static_assert(sizeof(ours::PointerAttributes) <= sizeof(cudaPointerAttributes));
static_assert(offsetof(ours::LaunchConfig, stream) == offsetof(cudaLaunchConfig_t, stream));
static_assert(offsetof(ours::DriverLaunchConfig, stream) == offsetof(CUlaunchConfig, hStream));

#define SAME_NUMBER(our, runtime, driver)                                                                              \
  static_assert(static_cast<int>(ours::Error::our) == static_cast<int>(runtime));                                      \
  static_assert(static_cast<int>(ours::Error::our) == static_cast<int>(driver))
SAME_NUMBER(invalid_value, cudaErrorInvalidValue, CUDA_ERROR_INVALID_VALUE);
SAME_NUMBER(out_of_memory, cudaErrorMemoryAllocation, CUDA_ERROR_OUT_OF_MEMORY);
SAME_NUMBER(not_initialized, cudaErrorInitializationError, CUDA_ERROR_NOT_INITIALIZED);
SAME_NUMBER(no_device, cudaErrorNoDevice, CUDA_ERROR_NO_DEVICE);
SAME_NUMBER(invalid_device, cudaErrorInvalidDevice, CUDA_ERROR_INVALID_DEVICE);
SAME_NUMBER(invalid_context, cudaErrorDeviceUninitialized, CUDA_ERROR_INVALID_CONTEXT);
SAME_NUMBER(invalid_handle, cudaErrorInvalidResourceHandle, CUDA_ERROR_INVALID_HANDLE);
SAME_NUMBER(illegal_state, cudaErrorIllegalState, CUDA_ERROR_ILLEGAL_STATE);
SAME_NUMBER(not_found, cudaErrorSymbolNotFound, CUDA_ERROR_NOT_FOUND);
SAME_NUMBER(not_ready, cudaErrorNotReady, CUDA_ERROR_NOT_READY);
SAME_NUMBER(peer_access_already_enabled, cudaErrorPeerAccessAlreadyEnabled, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
SAME_NUMBER(peer_access_not_enabled, cudaErrorPeerAccessNotEnabled, CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
SAME_NUMBER(host_memory_already_registered, cudaErrorHostMemoryAlreadyRegistered,
            CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
SAME_NUMBER(host_memory_not_registered, cudaErrorHostMemoryNotRegistered, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
SAME_NUMBER(not_supported, cudaErrorNotSupported, CUDA_ERROR_NOT_SUPPORTED);
SAME_NUMBER(capture_unsupported, cudaErrorStreamCaptureUnsupported, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
SAME_NUMBER(capture_invalidated, cudaErrorStreamCaptureInvalidated, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
SAME_NUMBER(capture_merge, cudaErrorStreamCaptureMerge, CUDA_ERROR_STREAM_CAPTURE_MERGE);
SAME_NUMBER(capture_unmatched, cudaErrorStreamCaptureUnmatched, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
SAME_NUMBER(capture_unjoined, cudaErrorStreamCaptureUnjoined, CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
SAME_NUMBER(capture_isolation, cudaErrorStreamCaptureIsolation, CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
SAME_NUMBER(capture_implicit, cudaErrorStreamCaptureImplicit, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
SAME_NUMBER(captured_event, cudaErrorCapturedEvent, CUDA_ERROR_CAPTURED_EVENT);
SAME_NUMBER(capture_wrong_thread, cudaErrorStreamCaptureWrongThread, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
static_assert(static_cast<int>(ours::Error::invalid_configuration) == cudaErrorInvalidConfiguration);
static_assert(static_cast<int>(ours::Error::invalid_symbol) == cudaErrorInvalidSymbol);

static_assert(static_cast<int>(ours::PoolAttribute::release_threshold) == cudaMemPoolAttrReleaseThreshold);
static_assert(static_cast<int>(ours::PoolAttribute::used_high) == cudaMemPoolAttrUsedMemHigh);
static_assert(static_cast<int>(ours::CaptureStatus::invalidated) == cudaStreamCaptureStatusInvalidated);
static_assert(static_cast<int>(ours::CaptureMode::relaxed) == cudaStreamCaptureModeRelaxed);
static_assert(static_cast<int>(ours::MemoryType::managed) == cudaMemoryTypeManaged);
static_assert(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT == 16 && CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH == 120 &&
              CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR == 106 &&
              CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN == 97);
static_assert(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL == 9 && CU_POINTER_ATTRIBUTE_RANGE_SIZE == 12);

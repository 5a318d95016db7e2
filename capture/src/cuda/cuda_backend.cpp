#include "cuda_backend.hpp"

#include "cuda_snapshot.hpp"
#include "libtorch/operator_names.hpp"
#include "libtorch_version.hpp"
#include "stack_context.hpp"

#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAFunctions.h>

#include <algorithm>
#include <mutex>
#include <stdexcept>

namespace memviz::capture {
namespace {

namespace allocator = libtorch::allocator;

/// About what PyTorch's traceback takes for an event of a Python program.
constexpr std::size_t kPythonBytesPerEvent = 1024;

void check_device(c10::Device device) {
  if (device.has_index() && device.index() >= c10::cuda::device_count()) {
    throw std::runtime_error("cannot record on " + device.str() + ": there are " +
                             std::to_string(c10::cuda::device_count()) + " CUDA devices");
  }
  at::empty({0}, at::TensorOptions(device)); // initializes CUDA and the allocator, in every version of LibTorch
  if (const std::string name = allocator::name(); name != "native") {
    throw std::runtime_error("cannot record: the CUDA allocator \"" + name +
                             "\" keeps no history (backend:native in PYTORCH_CUDA_ALLOC_CONF does)");
  }
}

allocator::RecordContext context_of(Context context) {
  switch (context) {
  case Context::never: return allocator::RecordContext::NEVER;
  case Context::state: return allocator::RecordContext::STATE;
  case Context::alloc: return allocator::RecordContext::ALLOC;
  case Context::all: break;
  }
  return allocator::RecordContext::ALL;
}

/// The allocator never forgets an observer, so there is one for all recordings.
void attach_observers() {
  static std::once_flag once;
  std::call_once(once, [] {
    const auto observer = [](std::int64_t, std::size_t bytes, std::size_t, std::size_t) {
      report_out_of_memory(c10::kCUDA, bytes);
    };
    allocator::attachOutOfMemoryObserver(observer);
    libtorch::attach_rejection_observer(*allocator::get(), observer);
  });
}

/// The allocator has a ring of events for each device that it knows, whether the program uses it or not.
std::size_t devices_of_allocator() {
  return static_cast<std::size_t>(std::max<int>(c10::cuda::device_count(), 1));
}

} // namespace

// Of the bytes, a quarter is for distinct native stacks. One entry when only blocks are wanted, as PyTorch does.
std::size_t max_entries_of(const RecordingOptions& options, std::size_t devices) {
  if (!options.events) return 1;
  const std::size_t entry_bytes = sizeof(allocator::TraceEntry) + (has_python() ? kPythonBytesPerEvent : 0);
  return std::clamp<std::size_t>(options.max_bytes / 4 * 3 / devices / entry_bytes, 1, options.max_entries);
}

void add_recording_settings(std::size_t max_entries, std::uint64_t stacks_left_out, SnapshotData& snapshot) {
  const bool is_full = std::any_of(snapshot.traces.begin(), snapshot.traces.end(),
                                   [&](const auto& trace) { return trace.size() >= max_entries; });
  const auto add = [&](const char* name, std::uint64_t number) {
    snapshot.settings.emplace_back(name, static_cast<std::int64_t>(number));
  };
  snapshot.settings.emplace_back("memviz_recording", std::string("cuda"));
  add("trace_alloc_max_entries", max_entries);
  add("trace_alloc_overflowed", is_full ? 1 : 0);
  add("memviz_stacks_left_out", stacks_left_out);
}

CudaBackend::CudaBackend(const RecordingOptions& options)
    : Backend(options.oom_directory, options.oom_dumps), options_(options) {
  check_device(options.device);
  attach_observers();
  start_gathering(options.native_stacks, options.max_bytes / 4);
  libtorch::record_history(*allocator::get(), true, &gather_context, max_entries_of(options, devices_of_allocator()),
                           context_of(options.context), options.skip_actions);
  watch_operators(/*operators=*/options.with_cpu && options.context != Context::never, &report_annotation);
}

void CudaBackend::stop() {
  stop_watching_operators();
  libtorch::end_history(*allocator::get(), &gather_context, max_entries_of(options_, devices_of_allocator()));
  stop_gathering();
}

SnapshotData CudaBackend::snapshot() const {
  SnapshotData snapshot = make_cuda_snapshot(allocator::snapshot());
  if (!options_.events) {
    for (auto& trace : snapshot.traces)
      trace.clear();
  }
  add_recording_settings(max_entries_of(options_, devices_of_allocator()), stacks_left_out(), snapshot);
  return snapshot;
}

void CudaBackend::annotate(std::string_view name, const char* stage) {
  libtorch::record_annotation(*allocator::get(), {{"name", std::string(name)}, {"stage", stage}});
}

} // namespace memviz::capture

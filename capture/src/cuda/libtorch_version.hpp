#pragma once

// The only place that knows how the CUDA caching allocator's interface changed from LibTorch 2.4 to 2.15: what a
// version lacks is asked of its types, not of its number, so nightly builds in between are right, too.

#include "running_threads.hpp"
#include "snapshot_data.hpp"

#include <c10/cuda/CUDACachingAllocator.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace memviz::capture::libtorch {

// In 2.13 its structs moved to c10::CachingDeviceAllocator; these names stayed.
namespace allocator = c10::cuda::CUDACachingAllocator;

/// Clears what was recorded before. clearHistory came with 2.7, skip_actions with 2.10.
template <class Allocator>
void record_history(Allocator& cuda, bool enabled, allocator::CreateContextFn gather, std::size_t max_entries,
                    allocator::RecordContext context, const std::vector<std::string>& skip_actions) {
  if constexpr (requires { cuda.recordHistory(enabled, gather, max_entries, context, true, skip_actions); }) {
    cuda.recordHistory(enabled, gather, max_entries, context, true, skip_actions);
  } else {
    if (!skip_actions.empty()) throw std::runtime_error("RecorderOptions::skip_actions needs LibTorch 2.10 on CUDA");
    if constexpr (requires { cuda.recordHistory(enabled, gather, max_entries, context, true); }) {
      cuda.recordHistory(enabled, gather, max_entries, context, true);
    } else {
      cuda.recordHistory(enabled, gather, max_entries, context);
    }
  }
}

/// Ends what record_history() began, while other threads allocate. Without a lock the allocator reads whether a stack
/// is wanted, and then whom to ask for it; and recordHistory takes away who is asked before it says that none is
/// wanted. So first none is wanted any more, and then those who read otherwise just before make their calls.
/// `max_entries` must be that of the recording: before 2.7 a full ring is not cleared then, and one that is said to be
/// shorter than it is would be written beyond its end.
template <class Allocator>
void end_history(Allocator& cuda, allocator::CreateContextFn gather, std::size_t max_entries) {
  constexpr std::chrono::seconds at_most{2};
  record_history(cuda, true, gather, max_entries, allocator::RecordContext::NEVER, {});
  wait_until_threads_moved(at_most);
  record_history(cuda, false, nullptr, max_entries, allocator::RecordContext::NEVER, {});
}

/// Since 2.5; before, nothing happens.
template <class Allocator>
void record_annotation(Allocator& cuda, const std::vector<std::pair<std::string, std::string>>& metadata) {
  if constexpr (requires { cuda.recordAnnotation(metadata); }) cuda.recordAnnotation(metadata);
}

/// When a limit set by the program rejects an allocation that CUDA was not asked for; since 2026.
template <class Allocator, class Observer> void attach_rejection_observer(Allocator& cuda, Observer observer) {
  if constexpr (requires { cuda.attachOomRejectionObserver(observer); }) cuda.attachOomRejectionObserver(observer);
}

/// cudaStream_t before 2.13, void* since.
template <class Stream> std::int64_t stream_number(Stream* stream) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(stream));
}

template <class Entry> PoolId pool_of(const Entry& entry) {
  if constexpr (requires { entry.mempool_; }) return {entry.mempool_.first, entry.mempool_.second};
  return {0, 0}; // before 2.7
}

template <class Entry> std::string compile_context_of(const Entry& entry) {
  if constexpr (requires { entry.compile_context_; }) return entry.compile_context_;
  return {};
}

template <class Entry> std::string user_metadata_of(const Entry& entry) {
  if constexpr (requires { entry.user_metadata_; }) return entry.user_metadata_;
  return {};
}

/// Since 2.5. Only those with a name and a stage, as record_function writes them.
template <class Snapshot> std::vector<AnnotationData> annotations_of(const Snapshot& snapshot) {
  std::vector<AnnotationData> annotations;
  if constexpr (requires { snapshot.external_annotations; }) {
    for (const auto& entry : snapshot.external_annotations) {
      const auto name = entry.metadata_.find("name");
      const auto stage = entry.metadata_.find("stage");
      if (name == entry.metadata_.end() || stage == entry.metadata_.end()) continue;
      annotations.push_back({name->second, stage->second, entry.device_, entry.time_.t_});
    }
  }
  return annotations;
}

/// The keys of `allocator_settings` that this version's configuration has.
template <class Config> std::vector<std::pair<std::string, SettingValue>> settings_of(const Config& config) {
  const auto number = [](std::size_t value) {
    return static_cast<std::int64_t>(value);
  }; // SIZE_MAX: -1, as PyTorch does
  std::vector<std::pair<std::string, std::int64_t>> divisions;
  std::int64_t interval = 1;
  for (const std::size_t count : config.roundup_power2_divisions) {
    divisions.emplace_back(std::to_string(interval), number(count));
    interval *= 2;
  }
  std::vector<std::pair<std::string, SettingValue>> settings{
      {"PYTORCH_CUDA_ALLOC_CONF", config.last_allocator_settings},
      {"max_split_size", number(config.max_split_size)},
      {"garbage_collection_threshold", config.garbage_collection_threshold},
      {"expandable_segments", config.expandable_segments},
      {"pinned_num_register_threads", number(config.pinned_num_register_threads)},
      {"release_lock_on_cudamalloc", config.release_lock_on_malloc},
      {"pinned_use_cuda_host_register", config.pinned_use_host_register},
      {"roundup_power2_divisions", std::move(divisions)}};
  if constexpr (requires { config.graph_capture_record_stream_reuse; }) {
    settings.emplace_back("graph_capture_record_stream_reuse", config.graph_capture_record_stream_reuse);
  }
  if constexpr (requires { config.max_round_threshold; }) {
    settings.emplace_back("max_round_threshold", number(config.max_round_threshold));
  }
  if constexpr (requires { config.max_cached_size; }) {
    settings.emplace_back("max_cached_size", number(config.max_cached_size));
  }
  return settings;
}

} // namespace memviz::capture::libtorch

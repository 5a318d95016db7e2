#include "cpu_backend.hpp"

#include "cpu_snapshot.hpp"
#include "operator_names.hpp"

#include <algorithm>
#include <chrono>
#include <unistd.h>
#include <utility>

namespace memviz::capture {
namespace {

std::int64_t now_us() {
  using std::chrono::duration_cast, std::chrono::microseconds, std::chrono::system_clock;
  return duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
}

std::uint64_t free_bytes_of_machine() {
  const long pages = ::sysconf(_SC_AVPHYS_PAGES);
  const long page_bytes = ::sysconf(_SC_PAGESIZE);
  return pages < 0 || page_bytes < 0 ? 0 : static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
}

CallSiteKinds kinds_of(const RecordingOptions& options) {
  CallSiteKinds kinds;
  kinds.operators_of_allocations = options.context >= Context::state;
  kinds.operators_of_frees = options.context == Context::all && options.events;
  kinds.native_of_allocations = kinds.operators_of_allocations && options.native_stacks;
  kinds.native_of_frees = kinds.operators_of_frees && options.native_stacks;
  return kinds;
}

EventCounts counts_of(const RecordingOptions& options) {
  if (!options.events) return {0, 0, 0};
  EventCounts counts;
  for (const auto& [action, count] : {std::pair{"alloc", &counts.allocation},
                                      {"segment_alloc", &counts.allocation},
                                      {"free_requested", &counts.free},
                                      {"free_completed", &counts.free},
                                      {"segment_free", &counts.free},
                                      {"oom", &counts.out_of_memory}}) {
    const auto& skipped = options.skip_actions;
    if (std::find(skipped.begin(), skipped.end(), action) != skipped.end() && *count > 0) --*count;
  }
  return counts;
}

} // namespace

CpuBackend::CpuBackend(const RecordingOptions& options)
    : Backend(options.oom_directory, options.oom_dumps), options_(options),
      history_(counts_of(options), options.max_entries, options.max_bytes / 8 * 7),
      annotations_(options.max_entries, options.max_bytes / 8) {
  install_cpu_watch();
  watch_operators(options.context != Context::never, &report_annotation);
  listen_to_cpu(*this, kinds_of(options));
}

void CpuBackend::stop() {
  stop_listening_to_cpu();
  stop_watching_operators();
}

void CpuBackend::allocated(std::uint64_t address, std::uint64_t bytes, const CallSite& site) noexcept try {
  // With context "state" the blocks have stacks and the events none.
  const StackPair stack = history_.add_stack(site);
  const StackPair event_stack = options_.context >= Context::alloc ? stack : StackPair{};
  if (stack != StackPair{}) history_.add_live(address, stack);
  history_.add_record({address, bytes, now_us(), event_stack, CpuRecord::Kind::allocation});
} catch (...) {
  // Out of memory for the history: this allocation is known as a block, from the watch.
}

void CpuBackend::freed(std::uint64_t address, std::uint64_t bytes, const CallSite& site) noexcept try {
  const StackPair allocation_stack = history_.take_live(address);
  StackPair stack;
  // As PyTorch does: a free without a stack of its own has that of its allocation.
  if (options_.context == Context::all) stack = history_.add_stack(site);
  if (options_.context >= Context::alloc && stack == StackPair{}) stack = allocation_stack;
  history_.add_record({address, bytes, now_us(), stack, CpuRecord::Kind::free});
} catch (...) {
  // As above.
}

void CpuBackend::note_out_of_memory(c10::DeviceType kind, std::uint64_t bytes) {
  if (kind != c10::kCPU) return;
  const CallSite site{{}, running_operators().outermost_first()};
  const CpuWatchPause pause;
  const StackPair stack = options_.context >= Context::alloc ? history_.add_stack(site) : StackPair{};
  history_.add_record({free_bytes_of_machine(), bytes, now_us(), stack, CpuRecord::Kind::out_of_memory});
}

void CpuBackend::annotate(std::string_view name, const char* stage) {
  const CpuWatchPause pause;
  annotations_.add(name, stage, now_us());
}

SnapshotData CpuBackend::snapshot() const {
  // Copies under the lock, and looks names up without it, while other threads allocate.
  std::unique_ptr<CpuHistory> history;
  std::vector<LiveAllocation> live;
  std::vector<AnnotationData> annotations;
  {
    const CpuWatchPause pause;
    history = std::make_unique<CpuHistory>(history_.copy_for_dump());
    live = pause.live();
    annotations = annotations_.oldest_first();
  }
  SnapshotData snapshot = make_cpu_snapshot(*history, std::move(live), options_);
  snapshot.annotations = std::move(annotations);
  return snapshot;
}

} // namespace memviz::capture

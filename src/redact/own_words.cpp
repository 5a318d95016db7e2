#include "redact/own_words.hpp"

namespace memviz {

std::string_view own_words() {
  return "active_allocated active_pending_free free_requested free_completed segment_alloc segment_free segment_map "
         "segment_unmap device_traces allocator_settings external_annotations compile_context user_metadata "
         "forward_frames pool_id segment_pool_id segment_type is_expandable requested_size total_size time_us "
         "device_free only_before only_after in_both allocated_bytes baseline_bytes before_bytes after_bytes "
         "delta_bytes end_requested_bytes exact_bytes held_bytes imbalance_bytes inactive_bytes live_bytes "
         "peak_requested_bytes pending_free_bytes requested_bytes reserved_bytes root_bytes rounding_bytes self_bytes "
         "size_bytes stored_bytes total_bytes unaccounted_bytes bytes_per_step first_event last_event last_oom_event "
         "peak_event max_entries trace_alloc_max_entries trace_alloc_overflowed unmatched_frees by_name well_formed "
         "memviz_recording viewBox PyTorch _record_memory_history memory_snapshot _dump_snapshot MemoryViz";
}

} // namespace memviz

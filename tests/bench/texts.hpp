#pragma once

// The texts that are one object each throughout a snapshot: PyTorch makes them once and uses them again.

#include "pickler.hpp"

#include <array>

namespace memviz::bench {

struct Texts {
  SharedText segments{"segments"}, device_traces{"device_traces"}, settings{"allocator_settings"};
  SharedText annotations{"external_annotations"};
  SharedText device{"device"}, address{"address"}, total_size{"total_size"}, allocated_size{"allocated_size"};
  SharedText active_size{"active_size"}, requested_size{"requested_size"}, stream{"stream"};
  SharedText segment_type{"segment_type"}, large{"large"}, small{"small"}, segment_pool_id{"segment_pool_id"};
  SharedText is_expandable{"is_expandable"}, frames{"frames"}, blocks{"blocks"}, size{"size"}, state{"state"};
  SharedText action{"action"}, addr{"addr"}, time_us{"time_us"}, compile_context{"compile_context"};
  SharedText user_metadata{"user_metadata"}, pool_id{"pool_id"}, forward_frames{"forward_frames"}, empty{""};
  SharedText not_available{"N/A"};
  /// As in enum State.
  std::array<SharedText, 3> states{SharedText("inactive"), SharedText("active_allocated"),
                                   SharedText("active_pending_free")};
  /// As in enum Action.
  std::array<SharedText, 8> actions{SharedText("alloc"),          SharedText("free_requested"),
                                    SharedText("free_completed"), SharedText("segment_alloc"),
                                    SharedText("segment_free"),   SharedText("segment_map"),
                                    SharedText("segment_unmap"),  SharedText("snapshot")};
};

} // namespace memviz::bench

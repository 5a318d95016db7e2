#pragma once

// `device_traces` and `external_annotations` of the document -> EventTables and Annotations.

#include "memviz/snapshot.hpp"
#include "snapshot/budget.hpp"
#include "snapshot/fields.hpp"
#include "snapshot/frame_reader.hpp"

#include <unordered_map>
#include <vector>

namespace memviz {

class TraceReader {
public:
  /// Events go to `sink`, their number and everything else to `snapshot`.
  TraceReader(const Document& document, FrameReader& frames, Budget& budget, Snapshot& snapshot, EventSink& sink);

  void read_traces(Value device_traces);
  void read_annotations(Value annotations);

  // What tells the generations of writers apart.
  [[nodiscard]] bool saw_time() const { return saw_time_; }
  [[nodiscard]] bool saw_compile_context() const { return saw_compile_context_; }
  [[nodiscard]] bool saw_user_metadata() const { return saw_user_metadata_; }
  [[nodiscard]] bool saw_pool() const { return saw_pool_; }

private:
  /// A sink is called once for so many events.
  static constexpr std::size_t kBatchEvents = 256;

  void hand_over();
  Event read_event(Value dict, const Where& where);
  Action read_action(Value text, Event& event, const Where& where, Value dict);
  StringId text_or_empty(Value value);

  const Document& document_;
  FrameReader& frames_;
  Budget& budget_;
  Snapshot& snapshot_;
  EventSink& sink_;
  std::vector<Event> batch_;
  FieldChecker check_;
  FieldReader<11> fields_;
  FieldReader<4> annotation_fields_;
  std::unordered_map<std::uint64_t, Action> actions_; ///< by Value::bits() of the text
  bool saw_time_ = false;
  bool saw_compile_context_ = false;
  bool saw_user_metadata_ = false;
  bool saw_pool_ = false;
};

} // namespace memviz

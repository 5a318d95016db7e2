// Streams, events, capture and graphs. Nothing runs; the books contain what a program can query: which streams capture,
// what depends on what, how many nodes a graph has, and whether an event has passed.
#pragma once

#include "abi.hpp"
#include "memory.hpp"
#include "settings.hpp"
#include "work_order.hpp"

#include <cstdint>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

namespace memviz::rehearsal {

struct Graph;

struct Node {
  Graph* graph = nullptr;
  int type = 0; // cudaGraphNodeType: 0 kernel, 1 copy, 2 memset, 3 host, 4 graph, 5 empty
  std::vector<Node*> dependencies;
};

struct Graph {
  std::vector<std::unique_ptr<Node>> nodes;
};

struct GraphExec {
  std::size_t nodes = 0;
  int device = 0; // on which it was instantiated
  GraphUse use;   // of that device
};

enum class CaptureMode : int { global = 0, thread_local_ = 1, relaxed = 2 };
enum class CaptureStatus : int { none = 0, active = 1, invalidated = 2 };

struct Stream;

struct Capture {
  unsigned long long id = 0;
  CaptureMode mode = CaptureMode::global;
  int thread = 0; // number of the thread that began it
  bool invalidated = false;
  bool owns_graph = true; // false: captured into a graph of the program
  std::unique_ptr<Graph> graph;
  Graph* into = nullptr;
  Stream* origin = nullptr;
  std::set<Stream*> streams;
};

struct Stream {
  int device = 0;
  unsigned flags = 0;
  int priority = 0;
  unsigned long long id = 0;
  std::shared_ptr<Capture> capture;
  std::vector<Node*> last; // what the next captured node depends on
  WorkMoment end;          // after everything that was submitted to it
};

// The time of a launch between two events. Programs that choose by measuring repeat short kernels for a tenth of a
// second: with the host's time they would launch thousands that do nothing.
inline constexpr float kWorkMs = 1;
inline constexpr float kNoWorkMs = 0.0005F; // above zero, as on a device

struct Event {
  int device = 0;
  unsigned flags = 0;
  bool recorded = false;
  std::uint64_t work = 0;           // launches before it
  std::shared_ptr<Capture> capture; // the capture that the record is part of
  std::vector<Node*> last;
  WorkMoment moment; // at which it was recorded
};

class Streams {
public:
  explicit Streams(int devices, EventsPass events_pass = EventsPass::at_once);

  Error create_stream(int device, unsigned flags, int priority, Handle* out);
  Error destroy_stream(Handle stream);
  // Returns the legacy default stream of `device` for 0 and 1 (cudaStreamLegacy), the thread's own for 2; null if
  // unknown.
  Stream* find(Handle stream, int device);

  Error create_event(int device, unsigned flags, Handle* out);
  Error destroy_event(Handle event);
  [[nodiscard]] bool is_event(Handle event) const { return events_.count(event) != 0; }
  Error record(Handle event, Stream& stream);
  Error wait(Stream& stream, Handle event);
  // Returns success if everything before it has passed, else not_ready.
  Error query(Handle event);
  Error query(Stream& stream);
  // Records that the host waits: everything before it has then passed, on other streams too if events order it.
  Error synchronize(Handle event);
  Error synchronize(Stream& stream);
  Error synchronize_device(int device);
  void wait_for_device(int device); // by a call that no capture forbids, such as cudaFree
  Error elapsed(Handle start, Handle end, float* out_ms);

  Error begin_capture(Stream& stream, CaptureMode mode, Graph* into);
  Error end_capture(Stream& stream, Handle* out_graph);
  [[nodiscard]] CaptureStatus status(const Stream& stream) const;
  // Submits a kernel, a copy, a host function: a node if the stream captures. Then the stream itself does not do it.
  Error add_node(Stream& stream, int type);
  // Checks calls that are not allowed while a stream captures, like cudaMalloc: an error if one captures in this
  // thread, or in any thread in global mode, unless this thread's mode is relaxed. The capture is then lost, as on a
  // device.
  Error check_unsafe_call();
  Error check_legacy(const Stream& stream); // the legacy stream would wait for blocking streams that capture
  static CaptureMode exchange_mode(CaptureMode mode);

  Graph* create_graph();
  Graph* find_graph(Handle graph) const;
  Error destroy_graph(Handle graph);
  Error instantiate(Handle graph, Handle* out);
  Error destroy_exec(Handle exec);
  [[nodiscard]] bool is_exec(Handle exec) const { return execs_.count(exec) != 0; }
  [[nodiscard]] GraphExec* find_exec(Handle exec) const;
  Node* add_empty_node(Graph& graph, const Handle* dependencies, std::size_t count);

private:
  void leave(Capture& capture);
  Error check_event(const Event& event);   // whether it may be queried
  Error check_synchronize(Stream& stream); // a stream that captures may not be waited for
  Error check_synchronize_device(int device);
  bool is_legacy(const Stream& stream) const;
  template <typename Use> void for_each_blocking(int device, Use use);
  void take_implicit_order(Stream& stream); // of the legacy stream and the blocking ones
  Error answer(const WorkMoment& moment);

  std::vector<Stream> legacy_, per_thread_; // by device
  std::unordered_map<Handle, std::unique_ptr<Stream>> streams_;
  std::unordered_map<Handle, std::unique_ptr<Event>> events_;
  std::unordered_map<Handle, std::unique_ptr<Graph>> graphs_;
  std::unordered_map<Handle, std::unique_ptr<GraphExec>> execs_;
  std::set<Capture*> captures_;
  unsigned long long next_id_ = 1;
  std::uint64_t work_ = 0; // launches of all streams
  EventsPass events_pass_;
  WorkOrder order_;
};

} // namespace memviz::rehearsal

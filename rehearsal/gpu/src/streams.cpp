#include "streams.hpp"

#include <algorithm>
#include <atomic>
#include <unordered_set>
#include <utility>

namespace memviz::rehearsal {
namespace {

thread_local CaptureMode thread_mode = CaptureMode::global;

constexpr std::uintptr_t kLegacy = 1;
constexpr std::uintptr_t kPerThread = 2;
constexpr unsigned kNonBlocking = 1;
constexpr unsigned kDisableTiming = 2;

int thread_number() {
  static std::atomic<int> next{1};
  thread_local const int number = next++;
  return number;
}

template <typename T> T* find_in(const std::unordered_map<Handle, std::unique_ptr<T>>& table, Handle handle) {
  const auto found = table.find(handle);
  return found == table.end() ? nullptr : found->second.get();
}

// Whether the stream that began the capture has waited for all work of its other streams.
bool is_joined(const Capture& capture) {
  if (capture.streams.size() < 2) return true;
  std::unordered_set<const Node*> reached;
  std::vector<const Node*> next(capture.origin->last.begin(), capture.origin->last.end());
  while (!next.empty()) {
    const Node* const node = next.back();
    next.pop_back();
    if (!reached.insert(node).second) continue;
    next.insert(next.end(), node->dependencies.begin(), node->dependencies.end());
  }
  return std::all_of(capture.streams.begin(), capture.streams.end(), [&](const Stream* stream) {
    return std::all_of(stream->last.begin(), stream->last.end(), [&](const Node* node) { return reached.count(node); });
  });
}

template <typename T> T* add_to(std::unordered_map<Handle, std::unique_ptr<T>>& table, std::unique_ptr<T> object) {
  T* const pointer = object.get();
  table[pointer] = std::move(object);
  return pointer;
}

} // namespace

Streams::Streams(int devices, EventsPass events_pass)
    : legacy_(static_cast<std::size_t>(devices)), per_thread_(static_cast<std::size_t>(devices)),
      events_pass_(events_pass) {
  for (int device = 0; device < devices; ++device) {
    const auto index = static_cast<std::size_t>(device);
    legacy_[index].device = per_thread_[index].device = device;
    legacy_[index].id = next_id_++;
    per_thread_[index].id = next_id_++;
  }
}

Error Streams::create_stream(int device, unsigned flags, int priority, Handle* out) {
  if (!out || flags > kNonBlocking) return Error::invalid_value;
  auto stream = std::make_unique<Stream>();
  stream->device = device;
  stream->flags = flags;
  stream->priority = priority;
  stream->id = next_id_++;
  *out = add_to(streams_, std::move(stream));
  return Error::success;
}

Error Streams::destroy_stream(Handle handle) {
  Stream* const stream = find_in(streams_, handle);
  if (!stream) return Error::invalid_handle;
  if (stream->capture) {
    stream->capture->invalidated = true;
    stream->capture->streams.erase(stream);
    if (stream->capture->origin == stream) leave(*stream->capture);
  }
  streams_.erase(handle);
  return Error::success;
}

Stream* Streams::find(Handle handle, int device) {
  const auto number = reinterpret_cast<std::uintptr_t>(handle);
  if (number <= kLegacy) return &legacy_[static_cast<std::size_t>(device)];
  if (number == kPerThread) return &per_thread_[static_cast<std::size_t>(device)];
  return find_in(streams_, handle);
}

Error Streams::create_event(int device, unsigned flags, Handle* out) {
  if (!out) return Error::invalid_value;
  auto event = std::make_unique<Event>();
  event->device = device;
  event->flags = flags;
  *out = add_to(events_, std::move(event));
  return Error::success;
}

Error Streams::destroy_event(Handle event) {
  return events_.erase(event) ? Error::success : Error::invalid_handle;
}

Error Streams::record(Handle handle, Stream& stream) {
  Event* const event = find_in(events_, handle);
  if (!event) return Error::invalid_handle;
  if (const Error error = check_legacy(stream); error != Error::success) return error;
  event->recorded = true;
  event->work = work_;
  event->capture = stream.capture;
  event->last = stream.last;
  take_implicit_order(stream);
  event->moment = stream.end;
  return Error::success;
}

Error Streams::wait(Stream& stream, Handle handle) {
  Event* const event = find_in(events_, handle);
  if (!event) return Error::invalid_handle;
  if (!event->capture || !captures_.count(event->capture.get())) {
    // An event that was recorded outside the capture cannot be waited for inside.
    if (stream.capture && event->recorded) {
      stream.capture->invalidated = true;
      return Error::capture_isolation;
    }
    order_.join(stream.end, event->moment);
    return Error::success;
  }
  if (stream.capture && stream.capture != event->capture) return Error::capture_merge;
  stream.capture = event->capture; // the stream joins the capture
  stream.capture->streams.insert(&stream);
  for (Node* const node : event->last)
    if (std::find(stream.last.begin(), stream.last.end(), node) == stream.last.end()) stream.last.push_back(node);
  return Error::success;
}

Error Streams::check_event(const Event& event) {
  if (!event.capture || !captures_.count(event.capture.get())) return Error::success;
  event.capture->invalidated = true;
  return Error::captured_event;
}

Error Streams::answer(const WorkMoment& moment) {
  order_.pass_if_idle(std::chrono::steady_clock::now());
  return order_.has_passed(moment) ? Error::success : Error::not_ready;
}

Error Streams::query(Handle handle) {
  const Event* const event = find_in(events_, handle);
  if (!event) return Error::invalid_handle;
  const Error error = check_event(*event);
  return error == Error::success ? answer(event->moment) : error;
}

Error Streams::query(Stream& stream) {
  const Error error = check_synchronize(stream);
  take_implicit_order(stream);
  return error == Error::success ? answer(stream.end) : error;
}

Error Streams::synchronize(Handle handle) {
  const Event* const event = find_in(events_, handle);
  if (!event) return Error::invalid_handle;
  const Error error = check_event(*event);
  if (error == Error::success) order_.pass(event->moment);
  return error;
}

Error Streams::synchronize(Stream& stream) {
  const Error error = check_synchronize(stream);
  if (error != Error::success) return error;
  take_implicit_order(stream);
  order_.pass(stream.end);
  return Error::success;
}

Error Streams::synchronize_device(int device) {
  const Error error = check_synchronize_device(device);
  if (error == Error::success) wait_for_device(device);
  return error;
}

// A stream of another device may precede one of this device.
void Streams::wait_for_device(int device) {
  order_.pass_device(device);
  order_.pass(legacy_[static_cast<std::size_t>(device)].end);
  order_.pass(per_thread_[static_cast<std::size_t>(device)].end);
  for (const auto& [handle, stream] : streams_)
    if (stream->device == device) order_.pass(stream->end);
}

Error Streams::elapsed(Handle start_handle, Handle end_handle, float* out_ms) {
  const Event* const start = find_in(events_, start_handle);
  const Event* const end = find_in(events_, end_handle);
  if (!start || !end || !out_ms) return Error::invalid_handle;
  if (!start->recorded || !end->recorded || ((start->flags | end->flags) & kDisableTiming))
    return Error::invalid_handle;
  const auto work = static_cast<std::int64_t>(end->work) - static_cast<std::int64_t>(start->work);
  *out_ms = work == 0 ? kNoWorkMs : static_cast<float>(work) * kWorkMs;
  return Error::success;
}

Error Streams::begin_capture(Stream& stream, CaptureMode mode, Graph* into) {
  if (is_legacy(stream)) return Error::capture_unsupported;
  if (stream.capture) return Error::illegal_state;
  auto capture = std::make_shared<Capture>();
  capture->id = next_id_++;
  capture->mode = mode;
  capture->thread = thread_number();
  capture->owns_graph = !into;
  if (!into) capture->graph = std::make_unique<Graph>();
  capture->into = into ? into : capture->graph.get();
  capture->origin = &stream;
  capture->streams.insert(&stream);
  captures_.insert(capture.get());
  stream.capture = std::move(capture);
  stream.last.clear();
  return Error::success;
}

void Streams::leave(Capture& capture) {
  captures_.erase(&capture);
  const std::set<Stream*> streams = capture.streams;
  for (Stream* const stream : streams) {
    stream->last.clear();
    stream->capture.reset();
  }
}

Error Streams::end_capture(Stream& stream, Handle* out_graph) {
  if (!out_graph) return Error::invalid_value;
  *out_graph = nullptr;
  if (!stream.capture) return Error::illegal_state;
  const std::shared_ptr<Capture> capture = stream.capture;
  if (capture->origin != &stream) return Error::capture_unmatched;
  if (capture->mode != CaptureMode::relaxed && capture->thread != thread_number()) return Error::capture_wrong_thread;
  const bool unjoined = !is_joined(*capture);
  leave(*capture);
  if (capture->invalidated) return Error::capture_invalidated;
  if (unjoined) return Error::capture_unjoined;
  *out_graph = capture->into;
  if (capture->owns_graph) add_to(graphs_, std::move(capture->graph));
  return Error::success;
}

CaptureStatus Streams::status(const Stream& stream) const {
  if (!stream.capture) return CaptureStatus::none;
  return stream.capture->invalidated ? CaptureStatus::invalidated : CaptureStatus::active;
}

Error Streams::add_node(Stream& stream, int type) {
  if (const Error error = check_legacy(stream); error != Error::success) return error;
  if (!stream.capture) {
    ++work_;
    if (events_pass_ == EventsPass::at_once) return Error::success;
    take_implicit_order(stream);
    order_.submit(stream.id, stream.device, stream.end, std::chrono::steady_clock::now());
    return Error::success;
  }
  if (stream.capture->invalidated) return Error::capture_invalidated;
  auto node = std::make_unique<Node>();
  node->graph = stream.capture->into;
  node->type = type;
  node->dependencies = stream.last;
  stream.last = {node.get()};
  stream.capture->into->nodes.push_back(std::move(node));
  return Error::success;
}

Error Streams::check_unsafe_call() {
  if (thread_mode == CaptureMode::relaxed) return Error::success;
  Error result = Error::success;
  for (Capture* const capture : captures_) {
    const bool own = capture->thread == thread_number();
    const bool forbids = capture->mode == CaptureMode::global ? own || thread_mode == CaptureMode::global
                                                              : capture->mode == CaptureMode::thread_local_ && own;
    if (!forbids) continue;
    capture->invalidated = true;
    result = Error::capture_unsupported;
  }
  return result;
}

Error Streams::check_synchronize(Stream& stream) {
  if (!stream.capture) return check_legacy(stream);
  stream.capture->invalidated = true;
  return Error::capture_unsupported;
}

Error Streams::check_synchronize_device(int device) {
  Error result = Error::success;
  for (Capture* const capture : captures_)
    if (capture->origin->device == device) {
      capture->invalidated = true;
      result = Error::capture_unsupported;
    }
  return result;
}

bool Streams::is_legacy(const Stream& stream) const {
  return &stream >= legacy_.data() && &stream < legacy_.data() + legacy_.size();
}

template <typename Use> void Streams::for_each_blocking(int device, Use use) {
  use(per_thread_[static_cast<std::size_t>(device)]);
  for (const auto& [handle, stream] : streams_)
    if (stream->device == device && !(stream->flags & kNonBlocking)) use(*stream);
}

void Streams::take_implicit_order(Stream& stream) {
  if (events_pass_ == EventsPass::at_once || stream.flags & kNonBlocking) return;
  if (is_legacy(stream))
    for_each_blocking(stream.device, [&](const Stream& other) { order_.join(stream.end, other.end); });
  else
    order_.join(stream.end, legacy_[static_cast<std::size_t>(stream.device)].end);
}

Error Streams::check_legacy(const Stream& stream) {
  if (!is_legacy(stream)) return Error::success;
  Error result = Error::success;
  for (Capture* const capture : captures_) {
    const bool blocks = std::any_of(capture->streams.begin(), capture->streams.end(), [&](const Stream* captured) {
      return captured->device == stream.device && !(captured->flags & kNonBlocking);
    });
    if (!blocks || thread_mode == CaptureMode::relaxed) continue;
    capture->invalidated = true;
    result = Error::capture_implicit;
  }
  return result;
}

CaptureMode Streams::exchange_mode(CaptureMode mode) {
  return std::exchange(thread_mode, mode);
}

Graph* Streams::create_graph() {
  return add_to(graphs_, std::make_unique<Graph>());
}

Graph* Streams::find_graph(Handle graph) const {
  if (Graph* const found = find_in(graphs_, graph)) return found;
  for (const Capture* const capture : captures_)
    if (capture->into == graph) return capture->into; // cudaStreamGetCaptureInfo's, while it captures
  return nullptr;
}

Error Streams::destroy_graph(Handle graph) {
  return graphs_.erase(graph) ? Error::success : Error::invalid_value;
}

Error Streams::instantiate(Handle graph, Handle* out) {
  const Graph* const found = find_in(graphs_, graph);
  if (!found || !out) return Error::invalid_value;
  *out = add_to(execs_, std::make_unique<GraphExec>(GraphExec{found->nodes.size(), 0, {}}));
  return Error::success;
}

GraphExec* Streams::find_exec(Handle exec) const {
  return find_in(execs_, exec);
}

Error Streams::destroy_exec(Handle exec) {
  return execs_.erase(exec) ? Error::success : Error::invalid_value;
}

Node* Streams::add_empty_node(Graph& graph, const Handle* dependencies, std::size_t count) {
  auto node = std::make_unique<Node>();
  node->graph = &graph;
  node->type = 5;
  for (std::size_t index = 0; index < count; ++index)
    node->dependencies.push_back(static_cast<Node*>(dependencies[index]));
  graph.nodes.push_back(std::move(node));
  return graph.nodes.back().get();
}

} // namespace memviz::rehearsal

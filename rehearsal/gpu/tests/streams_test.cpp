#include "support.hpp"

#include <thread>

using namespace memviz::rehearsal;

namespace {

struct Fixture {
  Streams streams{1};
  Handle first_handle = nullptr, second_handle = nullptr, event = nullptr;
  Stream *first = nullptr, *second = nullptr;

  Fixture() {
    REQUIRE(streams.create_stream(0, 1, 0, &first_handle) == Error::success);
    REQUIRE(streams.create_stream(0, 1, 0, &second_handle) == Error::success);
    REQUIRE(streams.create_event(0, 0, &event) == Error::success);
    first = streams.find(first_handle, 0);
    second = streams.find(second_handle, 0);
  }
};

} // namespace

TEST_CASE_FIXTURE(Fixture, "a captured stream makes a graph of what it is given") {
  REQUIRE(streams.begin_capture(*first, CaptureMode::global, nullptr) == Error::success);
  CHECK(streams.status(*first) == CaptureStatus::active);
  CHECK(streams.status(*second) == CaptureStatus::none);
  CHECK(streams.add_node(*first, 0) == Error::success);
  CHECK(streams.add_node(*first, 1) == Error::success);
  CHECK(streams.add_node(*second, 0) == Error::success); // runs, and is not part of it
  Handle graph = nullptr;
  REQUIRE(streams.end_capture(*first, &graph) == Error::success);
  CHECK(streams.status(*first) == CaptureStatus::none);
  const auto& nodes = streams.find_graph(graph)->nodes;
  REQUIRE(nodes.size() == 2);
  CHECK(nodes[1]->dependencies == std::vector<Node*>{nodes[0].get()});
  Handle exec = nullptr;
  CHECK(streams.instantiate(graph, &exec) == Error::success);
  CHECK(streams.destroy_graph(graph) == Error::success);
  CHECK(streams.destroy_graph(graph) == Error::invalid_value);
  CHECK(streams.is_exec(exec));
  CHECK(streams.destroy_exec(exec) == Error::success);
}

TEST_CASE_FIXTURE(Fixture, "a stream joins a capture by waiting for its event") {
  REQUIRE(streams.begin_capture(*first, CaptureMode::global, nullptr) == Error::success);
  REQUIRE(streams.add_node(*first, 0) == Error::success);
  REQUIRE(streams.record(event, *first) == Error::success);
  REQUIRE(streams.wait(*second, event) == Error::success);
  CHECK(streams.status(*second) == CaptureStatus::active);
  REQUIRE(streams.add_node(*second, 0) == Error::success);
  CHECK(streams.query(event) == Error::captured_event);
  first->capture->invalidated = false; // the query has lost it
  Handle graph = nullptr;
  SUBCASE("and has to be waited for in turn") {
    REQUIRE(streams.record(event, *second) == Error::success);
    REQUIRE(streams.wait(*first, event) == Error::success);
    REQUIRE(streams.add_node(*first, 0) == Error::success);
    REQUIRE(streams.add_node(*first, 0) == Error::success);
    CHECK(streams.end_capture(*second, &graph) == Error::capture_unmatched);
    CHECK(streams.end_capture(*first, &graph) == Error::success);
    CHECK(streams.find_graph(graph)->nodes.size() == 4);
  }
  SUBCASE("or its work is unjoined") {
    CHECK(streams.end_capture(*first, &graph) == Error::capture_unjoined);
    CHECK(streams.status(*second) == CaptureStatus::none);
  }
}

TEST_CASE_FIXTURE(Fixture, "what may not happen while a stream captures loses the capture") {
  Handle graph = nullptr;
  REQUIRE(streams.begin_capture(*first, CaptureMode::global, nullptr) == Error::success);
  SUBCASE("a synchronization of it") {
    CHECK(streams.synchronize(*first) == Error::capture_unsupported);
  }
  SUBCASE("one of the device") {
    CHECK(streams.synchronize_device(0) == Error::capture_unsupported);
  }
  SUBCASE("cudaMalloc") {
    CHECK(streams.check_unsafe_call() == Error::capture_unsupported);
  }
  SUBCASE("cudaMalloc of another thread, in global mode") {
    Error error = Error::success;
    std::thread([&] { error = streams.check_unsafe_call(); }).join();
    CHECK(error == Error::capture_unsupported);
  }
  SUBCASE("waiting for what was not captured") {
    REQUIRE(streams.record(event, *second) == Error::success);
    CHECK(streams.wait(*first, event) == Error::capture_isolation);
  }
  CHECK(streams.status(*first) == CaptureStatus::invalidated);
  CHECK(streams.add_node(*first, 0) == Error::capture_invalidated);
  CHECK(streams.end_capture(*first, &graph) == Error::capture_invalidated);
  CHECK(graph == nullptr);
  CHECK(streams.status(*first) == CaptureStatus::none);
}

TEST_CASE_FIXTURE(Fixture, "a relaxed thread may allocate, and so may others beside a thread's own capture") {
  REQUIRE(streams.begin_capture(*first, CaptureMode::global, nullptr) == Error::success);
  CHECK(Streams::exchange_mode(CaptureMode::relaxed) == CaptureMode::global);
  CHECK(streams.check_unsafe_call() == Error::success);
  CHECK(Streams::exchange_mode(CaptureMode::global) == CaptureMode::relaxed);
  Handle graph = nullptr;
  REQUIRE(streams.end_capture(*first, &graph) == Error::success);
  REQUIRE(streams.begin_capture(*first, CaptureMode::thread_local_, nullptr) == Error::success);
  Error error = Error::invalid_value;
  std::thread([&] { error = streams.check_unsafe_call(); }).join();
  CHECK(error == Error::success);
}

TEST_CASE_FIXTURE(Fixture, "capture has its rules") {
  Handle graph = nullptr;
  CHECK(streams.begin_capture(*streams.find(nullptr, 0), CaptureMode::global, nullptr) == Error::capture_unsupported);
  CHECK(streams.end_capture(*first, &graph) == Error::illegal_state);
  REQUIRE(streams.begin_capture(*first, CaptureMode::global, nullptr) == Error::success);
  CHECK(streams.begin_capture(*first, CaptureMode::global, nullptr) == Error::illegal_state);
  Error error = Error::success;
  std::thread([&] { error = streams.end_capture(*first, &graph); }).join();
  CHECK(error == Error::capture_wrong_thread);
  CHECK(streams.end_capture(*first, &graph) == Error::success);
  Handle blocking = nullptr;
  REQUIRE(streams.create_stream(0, 0, 0, &blocking) == Error::success);
  REQUIRE(streams.begin_capture(*streams.find(blocking, 0), CaptureMode::global, nullptr) == Error::success);
  CHECK(streams.add_node(*streams.find(nullptr, 0), 0) == Error::capture_implicit);
}

TEST_CASE_FIXTURE(Fixture, "the time between two events is that of the launches between them") {
  Handle later = nullptr;
  REQUIRE(streams.create_event(0, 0, &later) == Error::success);
  REQUIRE(streams.record(event, *first) == Error::success);
  for (int i = 0; i < 3; ++i)
    REQUIRE(streams.add_node(*first, 0) == Error::success);
  REQUIRE(streams.record(later, *first) == Error::success);
  float ms = 0;
  CHECK(streams.elapsed(event, later, &ms) == Error::success);
  CHECK(ms == 3 * kWorkMs);
  CHECK(streams.elapsed(later, event, &ms) == Error::success);
  CHECK(ms == -3 * kWorkMs);
}

TEST_CASE_FIXTURE(Fixture, "events and streams that are gone are no handles") {
  float ms = 0;
  CHECK(streams.elapsed(event, event, &ms) == Error::invalid_handle); // never recorded
  REQUIRE(streams.record(event, *first) == Error::success);
  CHECK(streams.query(event) == Error::success);
  CHECK(streams.elapsed(event, event, &ms) == Error::success);
  CHECK(ms > 0);
  CHECK(streams.destroy_event(event) == Error::success);
  CHECK(streams.query(event) == Error::invalid_handle);
  CHECK(streams.destroy_event(event) == Error::invalid_handle);
  CHECK(streams.destroy_stream(second_handle) == Error::success);
  CHECK(streams.find(second_handle, 0) == nullptr);
}

namespace {

struct LateFixture {
  Streams streams{2, EventsPass::late};
  Handle events[2] = {};

  LateFixture() {
    for (Handle& event : events)
      REQUIRE(streams.create_event(0, 0, &event) == Error::success);
  }

  Stream& stream(int device = 0, unsigned flags = 1) {
    Handle handle = nullptr;
    REQUIRE(streams.create_stream(device, flags, 0, &handle) == Error::success);
    return *streams.find(handle, device);
  }

  // Gives the stream a kernel and records an event after it.
  void work(Stream& on, Handle event) {
    REQUIRE(streams.add_node(on, 0) == Error::success);
    REQUIRE(streams.record(event, on) == Error::success);
  }

  bool has_passed(Handle event) { return streams.query(event) == Error::success; }
};

} // namespace

TEST_CASE("an event passes at once unless events are late") {
  Streams streams{1};
  Handle event = nullptr;
  REQUIRE(streams.create_event(0, 0, &event) == Error::success);
  REQUIRE(streams.add_node(*streams.find(nullptr, 0), 0) == Error::success);
  REQUIRE(streams.record(event, *streams.find(nullptr, 0)) == Error::success);
  CHECK(streams.query(event) == Error::success);
}

TEST_CASE_FIXTURE(LateFixture, "a late event passes when the host waits for what it is ordered before") {
  Stream &first = stream(), &second = stream();
  work(first, events[0]);
  work(second, events[1]);
  CHECK_FALSE(has_passed(events[0]));
  CHECK(streams.query(first) == Error::not_ready);
  SUBCASE("its stream") {
    CHECK(streams.synchronize(first) == Error::success);
    CHECK(has_passed(events[0]));
    CHECK_FALSE(has_passed(events[1]));
    CHECK(streams.query(first) == Error::success);
    work(first, events[0]);
    CHECK_FALSE(has_passed(events[0]));
  }
  SUBCASE("a later event of its stream") {
    work(first, events[1]);
    CHECK(streams.synchronize(events[1]) == Error::success);
    CHECK(has_passed(events[0]));
  }
  SUBCASE("a stream that waits for it") {
    CHECK(streams.wait(second, events[0]) == Error::success);
    CHECK(streams.synchronize(second) == Error::success);
    CHECK(has_passed(events[0]));
  }
  SUBCASE("the device") {
    CHECK(streams.synchronize_device(0) == Error::success);
    CHECK(has_passed(events[0]));
    CHECK(has_passed(events[1]));
  }
  SUBCASE("not another device") {
    CHECK(streams.synchronize_device(1) == Error::success);
    CHECK_FALSE(has_passed(events[0]));
  }
  SUBCASE("not what it comes after") {
    CHECK(streams.wait(second, events[0]) == Error::success);
    CHECK(streams.synchronize(events[1]) == Error::success); // recorded before the wait
    CHECK_FALSE(has_passed(events[0]));
  }
}

TEST_CASE_FIXTURE(LateFixture, "a late event waits for other devices that its stream waits for") {
  Stream &first = stream(0), &second = stream(1);
  work(first, events[0]);
  CHECK(streams.wait(second, events[0]) == Error::success);
  CHECK(streams.record(events[1], second) == Error::success); // after no work of its own stream
  CHECK_FALSE(has_passed(events[1]));
  CHECK(streams.synchronize_device(1) == Error::success);
  CHECK(has_passed(events[0]));
  CHECK(has_passed(events[1]));
}

TEST_CASE_FIXTURE(LateFixture, "a late event with nothing before it has passed") {
  Stream& first = stream();
  CHECK(streams.record(events[0], first) == Error::success);
  CHECK(has_passed(events[0]));
}

TEST_CASE_FIXTURE(LateFixture, "the legacy stream and blocking streams wait for each other") {
  Stream &legacy = *streams.find(nullptr, 0), &blocking = stream(0, 0), &other = stream();
  SUBCASE("the legacy stream for a blocking one, and for no other") {
    work(blocking, events[0]);
    work(other, events[1]);
    CHECK(streams.synchronize(legacy) == Error::success);
    CHECK(has_passed(events[0]));
    CHECK_FALSE(has_passed(events[1]));
  }
  SUBCASE("a blocking one for the legacy stream") {
    work(legacy, events[0]);
    CHECK(streams.synchronize(other) == Error::success);
    CHECK_FALSE(has_passed(events[0]));
    CHECK(streams.synchronize(blocking) == Error::success);
    CHECK(has_passed(events[0]));
  }
}

TEST_CASE("work that is late passes when nothing was submitted for two seconds") {
  WorkOrder order;
  WorkMoment end;
  const WorkOrder::Time start{};
  order.submit(7, 0, end, start);
  order.pass_if_idle(start + std::chrono::milliseconds(1999));
  CHECK_FALSE(order.has_passed(end));
  order.pass_if_idle(start + std::chrono::seconds(2));
  CHECK(order.has_passed(end));
}

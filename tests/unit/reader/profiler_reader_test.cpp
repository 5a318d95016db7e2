#include "memviz/error.hpp"
#include "memviz/explain.hpp"
#include "memviz/label.hpp"
#include "memviz/perfect_allocator.hpp"
#include "memviz/recording.hpp"
#include "memviz/replay.hpp"
#include "recording/profiler_calls.hpp"
#include "story/explain_words.hpp"
#include "support/states.hpp"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <memory>
#include <string>
#include <vector>

using namespace memviz;

namespace {

constexpr std::uint64_t kPlace = 0x700000000000;

/// Builds a trace, event by event.
class Trace {
public:
  Trace& memory(double time, std::uint64_t address, std::int64_t bytes, const std::string& more = "") {
    return event(fmt::format(R"("ph":"i","name":"[memory]","pid":1,"tid":2,"ts":{},"args":{{"Addr":{},"Bytes":{},)"
                             R"("Device Type":1,"Device Id":{}}})",
                             time, address, bytes, more.empty() ? "0" : more));
  }
  /// `totals`: of the device, after the event
  Trace& memory(double time, std::uint64_t address, std::int64_t bytes, std::uint64_t total) {
    return memory(time, address, bytes, fmt::format(R"(0,"Total Allocated":{},"Total Reserved":4096)", total));
  }
  Trace& call(const std::string& category, const std::string& name, double time, double duration, int thread = 2) {
    return event(fmt::format(R"("ph":"X","cat":"{}","name":"{}","pid":1,"tid":{},"ts":{},"dur":{})", category, name,
                             thread, time, duration));
  }
  Trace& event(const std::string& members) {
    events_.push_back("{" + members + "}");
    return *this;
  }
  /// `nanoseconds`: when the profiler began, since 1970
  Trace& began(std::int64_t nanoseconds) {
    base_ns_ = nanoseconds;
    return *this;
  }
  [[nodiscard]] std::string text() const {
    return fmt::format(R"({{"baseTimeNanoseconds":{},"traceEvents":[{}]}})", base_ns_, fmt::join(events_, ","));
  }
  [[nodiscard]] Recording read() const { return read_snapshot(text()); }

private:
  std::vector<std::string> events_;
  std::int64_t base_ns_ = 5000000;
};

const Trace& operators_only() {
  static const Trace trace = Trace().call("cpu_op", "aten::empty", 1, 5).memory(2, kPlace, 512);
  return trace;
}

std::vector<std::string> labels_of(const Recording& recording, StackId stack) {
  std::vector<std::string> labels;
  for (const FrameId frame : recording.frames.stack(stack))
    labels.push_back(node_label(recording.frames, frame));
  return labels;
}

bool warns(const Recording& recording, const std::string& words) {
  return std::ranges::any_of(recording.warnings,
                             [&](const std::string& one) { return one.find(words) != std::string::npos; });
}

DeviceFigures figures_of(const Trace& trace) {
  return replay(std::make_shared<const Recording>(trace.read())).devices.at(0).figures;
}

} // namespace

TEST_CASE("a memory event has the calls that ran then, on its thread, as its stack") {
  const Recording recording = Trace()
                                  .call("python_function", "train.py(12): step", 0, 100)
                                  .call("python_function", "torch/nn/modules/linear.py(130): forward", 10, 20)
                                  .call("cpu_op", "aten::linear", 11, 10)
                                  .call("cpu_op", "aten::relu", 25, 2)
                                  .call("cpu_op", "of another thread", 0, 100, 3)
                                  .call("user_annotation", "ProfilerStep#0", 0, 100)
                                  .memory(12, kPlace, 1024)
                                  .memory(60, kPlace + 4096, 512)
                                  .read();
  const Block& first = recording.end.blocks.at(0);
  CHECK(labels_of(recording, first.stack) ==
        std::vector<std::string>{"aten::linear", "forward linear.py:130", "step train.py:12"});
  CHECK(labels_of(recording, recording.end.blocks.at(1).stack) == std::vector<std::string>{"step train.py:12"});
  const FrameId library = recording.frames.stack(first.stack)[1];
  CHECK(origin_of(recording.frames.text(recording.frames.frame(library).filename)) == CodeOrigin::torch);
  CHECK(recording.origin.encoding == "a profiler's trace");
  CHECK(recording.trace_overflowed == false);
  REQUIRE(recording.annotations.size() == 2);
  CHECK(recording.frames.text(recording.annotations[0].name) == "ProfilerStep#0");
  CHECK(recording.annotations[1].time_us == 5100);
}

TEST_CASE("a call that begins when another ends, or shortly after it, is not called by it") {
  const auto stack_at = [](double time, Trace calls) {
    const Recording recording = calls.began(1'790'000'000'000'000'123).memory(time, kPlace, 512).read();
    CHECK(recording.events_of({0})[0].time_us == 1'790'000'000'000'000 + std::llround(time + 0.123));
    return labels_of(recording, recording.end.blocks.at(0).stack);
  };
  const std::vector<std::string> second{"second"};
  CHECK(stack_at(12, Trace().call("cpu_op", "first", 10, 1).call("cpu_op", "second", 11, 5)) == second);
  CHECK(stack_at(10.3, Trace().call("cpu_op", "first", 10, 0.2).call("cpu_op", "second", 10.22, 5)) == second);
  CHECK(stack_at(10, Trace().call("cpu_op", "second", 10, 0)) == second);
}

TEST_CASE("what was allocated before the profiler began is in use at unknown addresses, and the rest is conserved") {
  const Trace trace = Trace()
                          .memory(1, kPlace, 512, std::uint64_t{1536})
                          .memory(2, kPlace + 512, 256, std::uint64_t{1792})
                          .memory(3, kPlace, -512, std::uint64_t{1280})
                          .memory(4, kPlace + 1024, -128, std::uint64_t{1152});
  const Recording recording = trace.read();
  CHECK(warns(recording, "896 B was allocated before the profiler began"));
  CHECK(warns(recording, "2.25 KiB of the 4.00 KiB that the trace reports as reserved is at unknown addresses"));
  CHECK(!warns(recording, "is the file edited?"));
  const DeviceFigures figures = figures_of(trace);
  CHECK(figures.reserved_bytes == 4096);
  CHECK(figures.requested_bytes == 1152);
  CHECK(figures.peak_requested_bytes == 1792);
  CHECK(figures.baseline_bytes == 1024);
  CHECK(figures.balanced());
}

TEST_CASE("memory that is allocated over other memory shows that its free is missing") {
  const Trace trace = Trace().memory(1, kPlace, 512).memory(2, kPlace + 512, 512).memory(3, kPlace + 256, 512);
  CHECK(warns(trace.read(), "2 frees are missing in the trace"));
  const DeviceFigures figures = figures_of(trace);
  CHECK(figures.requested_bytes == 512);
  CHECK(figures.balanced());
}

TEST_CASE("segments beyond the reserved memory that a trace reports were returned") {
  Trace trace;
  for (std::uint64_t i = 0; i < 10; ++i)
    trace.memory(10.0 * static_cast<double>(i), kPlace + i * 8192, 4096, std::uint64_t{4096})
        .memory(10.0 * static_cast<double>(i) + 5, kPlace + i * 8192, -4096, std::uint64_t{0});
  const auto recording = std::make_shared<const Recording>(trace.read());
  const MemoryState at_end = replay(recording);
  CHECK(at_end.devices.at(0).figures.reserved_bytes == 4096);
  CHECK(at_end.devices.at(0).figures.alloc_bytes == 40960);
  CHECK(at_end.devices.at(0).figures.balanced());
  CHECK(at_end.segments.at(0).address == kPlace + 9U * 8192);
  CHECK(warns(*recording, "count as returned"));
  CHECK_FALSE(perfect_allocator(at_end.devices.at(0)).has_value());
  const MemoryState at_peak = rewind(recording, {.kind = MomentKind::peak});
  CHECK(at_peak.devices.at(0).figures.reserved_bytes == 4096);
  CHECK(at_peak.devices.at(0).figures.requested_bytes == 4096);
  CHECK(at_peak.devices.at(0).figures.outside_bytes == 0);
  const DeviceExplanation explained = explain(at_peak, {}).at(0);
  CHECK(explained.what_ifs.empty());
  CHECK(explained.fidelity.allocs == 0);
}

TEST_CASE("no answer rests on where the free memory of made-up segments lies") {
  constexpr std::uint64_t kPiece = std::uint64_t{64} << 20U;
  Trace trace;
  const auto total = [&](const std::string& bytes) {
    return fmt::format(R"(0,"Total Allocated":{},"Total Reserved":{})", bytes, 16 * kPiece);
  };
  const auto size = static_cast<std::int64_t>(kPiece);
  for (int i = 0; i < 16; ++i)
    trace.memory(i, kPlace + kPiece * static_cast<std::uint64_t>(i), size, total("1073741824"));
  for (int i = 0; i < 16; ++i)
    if (i % 4 != 0) trace.memory(100 + i, kPlace + kPiece * static_cast<std::uint64_t>(i), -size, total("268435456"));
  const auto recording = std::make_shared<const Recording>(trace.read());
  const DeviceExplanation explained = explain(replay(recording), {}).at(0);
  CHECK(explained.judgement.verdict == Verdict::in_use);
  CHECK(explained.causes.empty());
  CHECK(explained.pins.lines.empty());
  CHECK(explained.ledger.room.total_bytes() == 12 * kPiece);
  CHECK(explained.ledger.room.unplaced_bytes == 12 * kPiece);
  CHECK(explained.ledger.largest_hole_bytes == 0);
  const ExplanationText text = in_words(replay(recording), explained);
  const auto says_why = [](const std::string& reason) { return reason.find("left out") != std::string::npos; };
  CHECK(std::ranges::count_if(text.reasons, says_why) == 1);
}

TEST_CASE("a trace without totals has segments where memory is in use at its end") {
  const DeviceFigures figures =
      figures_of(Trace().memory(1, kPlace, 512).memory(2, kPlace + 8192, 256).memory(3, kPlace, -512));
  CHECK(figures.reserved_bytes == 256);
  CHECK(figures.requested_bytes == 256);
  CHECK(figures.balanced());
}

TEST_CASE("a free without an allocation is of older memory only if its addresses are new") {
  Trace trace;
  for (int i = 0; i < 50; ++i)
    trace.memory(i, kPlace, -1024);
  trace.memory(50, kPlace + 8192, 1024).memory(51, kPlace + 8192 + 512, -256);
  CHECK(warns(trace.read(), "50 frees of memory whose allocation the trace lacks left out"));
  const DeviceFigures figures = figures_of(trace);
  CHECK(figures.baseline_bytes == 1024);
  CHECK(figures.requested_bytes == 1024);
  CHECK(figures.balanced());
}

TEST_CASE("a free that is missing in the trace has no stack") {
  const Recording recording =
      Trace().call("cpu_op", "second", 2, 2).memory(1, kPlace, 512).memory(3, kPlace, 512).read();
  const EventTable& events = recording.events_of({0});
  REQUIRE(events.size() == 3);
  CHECK(events.action(1) == Action::free_completed);
  CHECK(labels_of(recording, events.stack(1)).empty());
  CHECK(labels_of(recording, events.stack(2)) == std::vector<std::string>{"second"});
}

TEST_CASE("events are taken by time, however the trace orders them") {
  const DeviceFigures figures =
      figures_of(Trace().memory(3, kPlace, -512).memory(1, kPlace, 512).memory(2, kPlace + 512, 64));
  CHECK(figures.requested_bytes == 64);
  CHECK(figures.peak_requested_bytes == 576);
}

TEST_CASE("a trace of GPUs leaves out the memory of the CPU; one without GPUs is of the CPU") {
  const std::string of_cpu = R"("name":"[memory]","pid":1,"tid":2,"ts":1,"args":{"Addr":64,"Bytes":8,"Device Type":0,)"
                             R"("Device Id":-1})";
  const Recording mixed = Trace().memory(1, kPlace, 512).event(of_cpu).read();
  CHECK(warns(mixed, "1 memory event of the CPU left out"));
  CHECK(mixed.origin.device_kind == DeviceKind::cuda);
  const Trace trace = Trace().event(of_cpu);
  CHECK(trace.read().origin.device_kind == DeviceKind::cpu);
  CHECK(figures_of(trace).requested_bytes == 8);
  const Trace with_total = Trace().event(R"("name":"[memory]","pid":1,"tid":2,"ts":1,"args":{"Addr":64,"Bytes":8,)"
                                         R"("Device Type":0,"Device Id":-1,"Total Allocated":8,"Total Reserved":0})");
  CHECK(!warns(with_total.read(), "segments that are made up have"));
}

TEST_CASE("warnings say which stacks a trace has") {
  CHECK(warns(Trace().memory(1, kPlace, 512).read(), "it has no operators, so there are no stacks"));
  CHECK(warns(operators_only().read(), "with_stack=True records them"));
}

TEST_CASE("memory events that cannot be are left out, and counted") {
  const Trace trace = Trace()
                          .memory(1, kPlace, 512)
                          .memory(2, kPlace, 0)
                          .memory(2, ~std::uint64_t{0} - 8, 512)
                          .memory(2, kPlace, std::numeric_limits<std::int64_t>::min())
                          .memory(2, kPlace, 512, "5000")
                          .event(R"("name":"[memory]","pid":1,"tid":2,"ts":1,"args":[1])")
                          .event(R"("name":"[memory]","pid":1,"tid":2,"args":{})");
  CHECK(figures_of(trace).requested_bytes == 512);
  CHECK(warns(trace.read(), "5 memory events left out"));
}

TEST_CASE("a memory event without a number of its thread has no stack") {
  const Recording recording =
      Trace()
          .call("cpu_op", "aten::empty", 0, 10)
          .event(R"("name":"[memory]","pid":"a","tid":"b","ts":1,"args":{"Addr":4096,"Bytes":512,"Device Type":1})")
          .read();
  REQUIRE(recording.end.blocks.size() == 1);
  CHECK(labels_of(recording, recording.end.blocks[0].stack).empty());
}

TEST_CASE("a snapshot that also has events of a trace is read as a snapshot") {
  const Recording recording = read_snapshot(R"({"segments":[],"device_traces":[],"traceEvents":[]})");
  CHECK(recording.origin.encoding == "JSON");
}

TEST_CASE("out-of-memory errors are named, though no event of a snapshot is made of them") {
  const Recording recording =
      Trace()
          .memory(1, kPlace, 512)
          .event(R"("name":"[OutOfMemory]","pid":1,"tid":2,"ts":2,"args":{"Bytes":2048,"Device Type":1})")
          .read();
  CHECK(warns(recording, "1 out-of-memory error, the first for 2.00 KiB"));
}

TEST_CASE("a trace without memory says how to record it") {
  const auto refused = [](const std::string& text) {
    try {
      (void)read_snapshot(text);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refused(R"({"traceEvents":[]})").find("without memory events: record it with torch.profiler") !=
        std::string::npos);
  CHECK(refused(R"({"traceEvents":[{"name":"[memory]","pid":1,"tid":1,"ts":1,"args":{"Bytes":8,"Device Type":1}}]})")
            .find("lack an address") != std::string::npos);
}

TEST_CASE("deep stacks are cut to their innermost calls, and no more frames are made than the file pays for") {
  Trace deep;
  for (int i = 0; i < 300; ++i)
    deep.call("cpu_op", "f" + std::to_string(i), i, 1000 - 2 * i);
  const Recording recording = deep.memory(350, kPlace, 512).read();
  const std::vector<std::string> labels = labels_of(recording, recording.end.blocks.at(0).stack);
  CHECK(labels.size() == 256);
  CHECK(labels.front() == "f299");
  for (int i = 0; i < 300; ++i)
    deep.call("cpu_op", "g" + std::to_string(i), 351 + i, 0)
        .memory(351 + i, kPlace + 512U * static_cast<unsigned>(1 + i), 512);
  CHECK(warns(deep.read(), "some stacks are left out"));
}

TEST_CASE("names of calls become frames") {
  CHECK(profiler_frame("train.py(12): <module>").file == "train.py");
  CHECK(profiler_frame("train.py(12): <module>").line == 12);
  CHECK(profiler_frame("C:\\a(1)\\train.py(12): step").file == "C:\\a(1)\\train.py");
  CHECK(profiler_frame("autograd::engine::evaluate_function: MulBackward0").name == "MulBackward0");
  CHECK(profiler_frame("transformers/trainer.py(3): train").file == "/site-packages/transformers/trainer.py");
  for (const char* const own : {"datasets/coco.py", "ray/trace.py", "copy.py", "queue.py", "socket.py"})
    CHECK(profiler_frame(std::string(own) + "(3): load").file == own);
  CHECK(profiler_frame("<built-in method randn of type object at 0x7f50aa189d60>").name ==
        "<built-in method randn of type object>");
  CHECK(profiler_frame("aten::add(x): y").name == "aten::add(x): y");
  CHECK(profiler_frame("nn.Module: Linear_0").name == "nn.Module: Linear_0");
  CHECK(profiler_frame("").name.empty());
}

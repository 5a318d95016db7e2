#include "memviz/leaks.hpp"
#include "story/leaks_words_gate.hpp"
#include "support/small_snapshot.hpp"
#include "support/states.hpp"

#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

namespace memviz {

using Bytes = std::vector<std::uint64_t>;

TEST_CASE("what rises in every step grows") {
  const Trend trend = trend_of({0, 10, 20, 30, 40, 50, 60, 70, 80, 90});
  CHECK(trend.kind == TrendKind::grows);
  CHECK(trend.bytes_per_step == 10);
  CHECK(trend.rises == 9);
  CHECK(trend.confidence == Confidence::medium);
  CHECK(confidence_word(trend.confidence) == "medium");
}

TEST_CASE("the slope of growth does not mind a large first step, or odd steps") {
  CHECK(trend_of({0, 5000, 5010, 5020, 5030, 5040, 5050, 5060}).bytes_per_step == 10);
  CHECK(trend_of({0, 10, 20, 900, 910, 920, 930, 940, 950, 960}).kind == TrendKind::grows);
  const Trend noisy = trend_of({100, 112, 118, 131, 138, 152, 149, 171, 178, 192, 199, 210});
  CHECK(noisy.kind == TrendKind::grows);
  CHECK(noisy.bytes_per_step == doctest::Approx(10).epsilon(0.1));
  CHECK(noisy.confidence == Confidence::medium);
}

TEST_CASE("three steps are the fewest, and never certain") {
  CHECK(trend_of({}).kind == TrendKind::none);
  CHECK(trend_of({0, 10}).kind == TrendKind::none);
  CHECK(trend_of({0, 10, 20}).kind == TrendKind::grows);
  CHECK(trend_of({0, 10, 10}).kind == TrendKind::none);
  CHECK(trend_of({0, 10, 20}).confidence == Confidence::low);
}

TEST_CASE("what does not change, falls, or rose once does not grow") {
  CHECK(trend_of(Bytes(20, 7)).kind == TrendKind::none);
  CHECK(trend_of({50, 40, 30, 20, 10}).kind == TrendKind::none);
  CHECK(trend_of({0, 90, 90, 90, 90, 90, 90, 90}).kind == TrendKind::none);
  CHECK(trend_of({10, 30, 10, 30, 10, 30, 10, 30}).kind == TrendKind::none);
  CHECK(trend_of({10, 30, 25, 5, 40, 12, 33, 8, 29, 17}).kind == TrendKind::none);
}

TEST_CASE("what rises every few steps, each time, grows as surely") {
  Bytes stairs;
  for (std::uint64_t step = 0; step < 40; ++step)
    stairs.push_back(step / 4 * 100);
  const Trend trend = trend_of(stairs);
  CHECK(trend.kind == TrendKind::grows);
  CHECK(trend.bytes_per_step == doctest::Approx(25));
  CHECK(trend.confidence == Confidence::medium);
}

TEST_CASE("what rises every few steps has its rate, wherever the recording begins and ends") {
  for (const std::uint64_t every : {3U, 4U, 10U}) {
    for (std::uint64_t offset = 0; offset < every; ++offset) {
      Bytes stairs;
      for (std::uint64_t step = 0; step < 60; ++step)
        stairs.push_back((step + offset) / every * 3000);
      CAPTURE(every);
      CAPTURE(offset);
      CHECK(trend_of(stairs).bytes_per_step == doctest::Approx(3000.0 / static_cast<double>(every)));
    }
  }
}

TEST_CASE("a late start has its own rate") {
  for (const std::uint64_t early : {0U, 64U}) {
    Bytes bytes;
    for (std::uint64_t step = 0; step < 40; ++step)
      bytes.push_back(5000 + (step >= 2 ? early : 0) + (step > 20 ? 1000 * (step - 20) : 0));
    const Trend trend = trend_of(bytes);
    CHECK(trend.kind == TrendKind::grows);
    CHECK(trend.bytes_per_step == 1000);
    CHECK(trend.first_step == 20);
    CHECK(trend.confidence == Confidence::high);
  }
  Bytes noisy;
  for (std::uint64_t step = 0; step < 40; ++step)
    noisy.push_back(5000 + 37 * (step * step % 11) + (step > 20 ? 1000 * (step - 20) : 0));
  CHECK(trend_of(noisy).bytes_per_step == doctest::Approx(1000).epsilon(0.05));
  CHECK(trend_of(noisy).first_step == doctest::Approx(20).epsilon(0.1));
}

TEST_CASE("twelve steps are too few to be certain, seventeen that all rise are enough") {
  Bytes bytes;
  for (std::uint64_t step = 0; step < 12; ++step)
    bytes.push_back(100 * step);
  CHECK(trend_of(bytes).confidence == Confidence::medium);
  while (bytes.size() < 17)
    bytes.push_back(bytes.back() + 100);
  CHECK(trend_of(bytes).confidence == Confidence::high);
}

TEST_CASE("a leap among even steps does not count into the rate") {
  CHECK(trend_of({0, 10, 20, 900, 910, 920, 930, 940, 950, 960}).bytes_per_step == 10);
}

TEST_CASE("a cache that is full, or nearly, has stopped") {
  CHECK(trend_of({0, 10, 20, 30, 40, 40, 40, 40, 40, 40}).kind == TrendKind::stopped);
  CHECK(trend_of({0, 10, 20, 30, 40, 40, 40, 40, 40, 40}).last_rise == 4);
  CHECK(trend_of({0, 500, 750, 875, 937, 968, 984, 992, 996, 998}).kind == TrendKind::stopped);
}

TEST_CASE("growth has stopped when it is quiet for more than twice its longest pause") {
  const auto kind_of = [](const std::vector<std::size_t>& rises, std::size_t quiet) {
    Bytes bytes(rises.back() + quiet + 1);
    for (const std::size_t rise : rises)
      for (std::size_t step = rise; step < bytes.size(); ++step)
        bytes[step] += 10;
    return trend_of(bytes).kind;
  };
  const std::vector<std::size_t> even{2, 4, 6, 8, 10, 12};
  CHECK(kind_of(even, 4) == TrendKind::grows);
  CHECK(kind_of(even, 5) == TrendKind::stopped);
  const std::vector<std::size_t> early_pause{1, 5, 6, 7, 8, 9, 10};
  CHECK(kind_of(early_pause, 3) == TrendKind::grows);
  const std::vector<std::size_t> late_pause{1, 2, 3, 4, 8, 9, 10};
  CHECK(kind_of(late_pause, 3) == TrendKind::grows);
}

TEST_CASE("rising for some steps and falling at once, again and again, is freeing late") {
  const Bytes saw{0, 10, 20, 30, 0, 10, 20, 30, 0, 10, 20, 30, 0};
  CHECK(trend_of(saw).kind == TrendKind::late_frees);
  // One fall at the very end is the end of the program.
  CHECK(trend_of({0, 10, 20, 30, 40, 50, 0}).kind == TrendKind::none);
  Bytes tilted = saw;
  for (std::size_t step = 0; step < tilted.size(); ++step)
    tilted[step] += 8 * step;
  CHECK(trend_of(tilted).kind == TrendKind::grows);
}

TEST_CASE("what falls before anything has risen is the end of the start-up, not a late free") {
  CHECK(trend_of({20, 5, 10, 15, 20, 25, 30}).kind == TrendKind::grows);
  CHECK(trend_of({40, 40, 5, 10, 15}).kind == TrendKind::grows);
  CHECK(trend_of({40, 40, 5, 10, 15}).last_rise == 4);
  CHECK(trend_of({90, 10, 10, 10, 10}).kind == TrendKind::none);
  CHECK(trend_of({90, 10, 20}).kind == TrendKind::none); // two steps are left
}

TEST_CASE("one fall among few steps is a late free only where it takes all back") {
  CHECK(trend_of({0, 10, 20, 0, 10, 20}).kind == TrendKind::late_frees);
  CHECK(trend_of({0, 10, 20, 30, 4, 14, 40}).kind == TrendKind::late_frees);
  // A cache that was cut back once, and goes on growing.
  CHECK(trend_of({0, 10, 20, 30, 10, 20, 30, 40}).kind == TrendKind::grows);
  CHECK(trend_of({0, 10, 20, 30, 10, 20, 25}).kind == TrendKind::late_frees); // no new height
}

TEST_CASE("sizes near 2^60 are no trouble") {
  const std::uint64_t most = kMaxTotalBytes;
  CHECK(trend_of({0, most / 4, most / 2, most}).kind == TrendKind::grows);
  CHECK(trend_of({most, 0, most, 0, most}).kind == TrendKind::none);
}

TEST_CASE("an optimizer's state of twice the bytes of the parameters, float32 next to bfloat16, is no leak; more is") {
  constexpr std::uint64_t kSteps = 8;
  constexpr std::uint64_t kStateBytes = 500;
  for (const std::uint64_t parameter_bytes : {kSteps * kStateBytes / 2, kSteps * kStateBytes / 2 - 1}) {
    CAPTURE(parameter_bytes);
    test::SmallSnapshot builder;
    const StackId work = builder.stack({"/app/train.py:1:main", "/app/model.py:2:forward"});
    const StackId line = builder.stack({"/app/train.py:1:main", "/lib/torch/optim/adam.py:100:_init_group"});
    builder.segment(0x100000, 0x1000).active(0x800, parameter_bytes).inactive(0x800);
    builder.segment(0x200000, 0x10000);
    std::vector<KindOf> kinds{{MemoryKind::parameter, KindEvidence::frames}, {}};
    for (std::uint64_t step = 0; step < kSteps; ++step) {
      builder.active(0x200, kStateBytes, line);
      kinds.push_back({MemoryKind::optimizer_state, KindEvidence::frames});
      builder.event(Action::alloc, 0x300000, 4096, work);
      builder.event(Action::alloc, 0x200000 + 0x200 * step, kStateBytes, line);
      builder.event(Action::free_completed, 0x300000, 4096);
    }
    builder.inactive(0x10000 - 0x200 * kSteps);
    const Recording recording = builder.take();
    MemoryState state = test::end_of(recording);
    test::set_kinds(state, kinds);
    LeakOptions options;
    options.steps = {StepSource::events, {}, 3};
    const DeviceLeaks leaks = find_leaks(state, options).at(0);
    const bool is_leak = 2 * parameter_bytes < kSteps * kStateBytes;
    CHECK(leaks.grows.size() == (is_leak ? 1 : 0));
    CHECK(leaks.stopped.size() == (is_leak ? 0 : 1));
  }
}

} // namespace memviz

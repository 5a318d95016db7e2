#include "analysis/causes/caught_errors.hpp"

#include "memviz/explain.hpp"
#include "memviz/session.hpp"
#include "story/explain_words.hpp"
#include "support/contains.hpp"
#include "support/small_snapshot.hpp"

#include <doctest/doctest.h>
#include <string_view>
#include <vector>

namespace memviz {

namespace {

using CaughtFrames = std::vector<std::string_view>;

constexpr std::uint64_t kCaughtMiB = std::uint64_t{1} << 20U;
constexpr std::string_view kCallsModule = "/torch/nn/modules/module.py:9:_call_impl";
const CaughtFrames kConvolution{"/app/train.py:20:step", kCallsModule, "/torch/nn/modules/conv.py:9:_conv_forward"};
const CaughtFrames kLayer{"/app/train.py:20:step", kCallsModule, "/app/model.py:2:forward"};
const CaughtFrames kPlan{"/app/train.py:20:step", kCallsModule, "/torch/nn/modules/conv.py:9:_conv_forward",
                         "/torch/Conv_v8.cpp:9:at::native::run_conv_plan(cudnnContext*, at::Tensor const&)"};

/// A program that holds 3 MiB at its peak, and then 2 MiB.
class CaughtProgram {
public:
  CaughtProgram& peak() {
    return alloc(0x1000000, 2 * kCaughtMiB, kLayer).alloc(0x2000000, kCaughtMiB, kLayer).free(0x2000000, kCaughtMiB);
  }
  CaughtProgram& fails(const CaughtFrames& frames) {
    made_.event(Action::oom, 0, 512 * kCaughtMiB, made_.stack(frames));
    return *this;
  }
  CaughtProgram& goes_on(const CaughtFrames& frames) {
    return alloc(0x3000000, kCaughtMiB / 2, frames).free(0x3000000, kCaughtMiB / 2);
  }
  [[nodiscard]] MemoryState state(MomentKind kind) { return open({.moment = {.kind = kind, .option = "--at"}}).state; }
  [[nodiscard]] Opened open(const Wants& wants) {
    made_.segment(0x1000000, 2 * kCaughtMiB).active(2 * kCaughtMiB, 2 * kCaughtMiB, made_.stack(kLayer));
    made_.segment(0x2000000, kCaughtMiB).inactive(kCaughtMiB);
    Session session(std::make_shared<const Recording>(made_.take()));
    return session.open(wants);
  }
  [[nodiscard]] Moment moment(MomentKind kind = MomentKind::automatic) { return state(kind).devices.at(0).moment; }

private:
  CaughtProgram& alloc(std::uint64_t address, std::uint64_t bytes, const CaughtFrames& frames) {
    made_.event(Action::alloc, address, bytes, made_.stack(frames));
    return *this;
  }
  CaughtProgram& free(std::uint64_t address, std::uint64_t bytes) {
    made_.event(Action::free_requested, address, bytes).event(Action::free_completed, address, bytes);
    return *this;
  }

  test::SmallSnapshot made_;
};

} // namespace

TEST_CASE("an error that cuDNN catches is not the moment to look at") {
  CHECK(CaughtProgram().peak().fails(kPlan).goes_on(kLayer).moment().kind == MomentKind::peak);
  CHECK(CaughtProgram().peak().fails(kConvolution).fails(kConvolution).goes_on(kLayer).moment().kind ==
        MomentKind::peak);
  const MemoryState peak = CaughtProgram().peak().fails(kPlan).goes_on(kLayer).state(MomentKind::automatic);
  CHECK(peak.devices[0].figures.requested_bytes == 3 * kCaughtMiB);
  SUBCASE("but an error before it is") {
    const Moment moment = CaughtProgram().peak().fails(kLayer).goes_on(kLayer).fails(kPlan).goes_on(kLayer).moment();
    CHECK(moment.kind == MomentKind::oom);
    CHECK(moment.event == EventIndex(std::uint64_t{4}));
  }
  SUBCASE("nor is it in addition to the end") {
    const Opened opened = CaughtProgram().peak().fails(kPlan).goes_on(kLayer).open({.also = MomentKind::automatic});
    CHECK(opened.state.devices.at(0).moment.is_end());
    REQUIRE(opened.also);
    CHECK(opened.also->devices.at(0).moment.kind == MomentKind::peak);
  }
  SUBCASE("but it is, where it is asked for") {
    CHECK(CaughtProgram().peak().fails(kPlan).goes_on(kLayer).moment(MomentKind::oom).kind == MomentKind::oom);
  }
}

TEST_CASE("an error after which nothing is allocated, or another call begins, is the program's") {
  CHECK(CaughtProgram().peak().fails(kPlan).moment().kind == MomentKind::oom);
  CHECK(CaughtProgram().peak().fails(kConvolution).goes_on({"/app/train.py:19:batch"}).moment().kind ==
        MomentKind::oom);
}

TEST_CASE("of very many errors only the last are looked past, so that they take little memory") {
  CaughtProgram program;
  program.peak();
  for (int i = 0; i < 5000; ++i)
    program.fails(kPlan).goes_on(kLayer);
  const Moment moment = program.moment();
  CHECK(moment.kind == MomentKind::oom);
  CHECK(moment.event < EventIndex(std::uint64_t{4 * 5000}));
}

TEST_CASE("explain says that a program went on after an error that it caught") {
  const auto reasons_of = [](CaughtProgram& program) {
    const MemoryState state = program.state(MomentKind::automatic);
    return in_words(state, explain(state, {}).at(0)).reasons;
  };
  CHECK(test::one_contains(reasons_of(CaughtProgram().peak().fails(kLayer).goes_on(kLayer).goes_on(kLayer)),
                           "The program went on after this error: 2 allocations follow."));
  CHECK(test::one_contains(reasons_of(CaughtProgram().peak().fails(kLayer).goes_on(kLayer)),
                           "The program went on after this error: 1 allocation follows."));
  CHECK_FALSE(test::one_contains(reasons_of(CaughtProgram().peak().fails(kLayer)), "went on"));
}

} // namespace memviz

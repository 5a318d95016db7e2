#include "memviz/explain.hpp"
#include "story/explain_words.hpp"

#include "support/contains.hpp"
#include "support/explained.hpp"
#include "support/small_snapshot.hpp"
#include "support/snapshot_builder.hpp"

#include <doctest/doctest.h>

// The advice: which line is named, with which figures, and when there is none.

using namespace memviz;
using memviz::test::GiB;
using memviz::test::MiB;
using memviz::test::one_contains;
using test::Explained;
using test::SmallSnapshot;

namespace {

constexpr std::uint64_t kFirstSegment = 0x7f0000000000;

/// Segments of one block each, from `first` on.
void add_blocks(SmallSnapshot& made, std::uint64_t first, std::uint64_t count, std::uint64_t bytes, StackId stack) {
  for (std::uint64_t i = first; i < first + count; ++i)
    made.segment(kFirstSegment + i * 8 * GiB, bytes).active(bytes, bytes, stack);
}

/// Returns the advice if the program goes on with everything that makes the request fit.
std::vector<std::string> advice_that_goes_on(Explained found) {
  for (WhatIf& answer : found.devices.front().what_ifs)
    if (answer.outcome == Outcome::fits) answer.prospect = Prospect::goes_on;
  return found.words().advice;
}

} // namespace

TEST_CASE("of blocks as large as each other, that of the line that holds most is the one to free") {
  SmallSnapshot made;
  const StackId once = made.stack({"/app/loss.py:5:loss"});
  const StackId often = made.stack({"/app/train.py:14:forward"});
  add_blocks(made, 0, 5, 500 * MiB, once);
  add_blocks(made, 5, 20, 500 * MiB, often);
  made.event(Action::oom, 100 * MiB, 500 * MiB, once);
  const Explained found = test::explained(made.take());
  REQUIRE(found.first().in_the_way.size() == 1);
  CHECK(found.label(found.first().in_the_way[0].key) == "forward train.py:14");
  CHECK_FALSE(one_contains(found.words().advice, "Free, shrink"));
  CHECK(one_contains(found.words().answers, "the request would have fit; the rest of the pass is unknown: forward"));
  CHECK(one_contains(advice_that_goes_on(found),
                     "Free, shrink or move one block (500 MiB) of the 9.77 GiB that forward "
                     "train.py:14 holds: the program goes on as in the pass before, with 100 MiB left."));
}

TEST_CASE("a line that holds only what has to go is named with that") {
  SmallSnapshot made;
  add_blocks(made, 0, 1, 4 * GiB, made.stack({"/app/model.py:118:forward"}));
  SUBCASE("and with what was missing, where that is far less") {
    made.event(Action::oom, 290 * MiB, 600 * MiB);
    CHECK(one_contains(advice_that_goes_on(test::explained(made.take())),
                       "Free, shrink or move the 4.00 GiB that forward model.py:118 holds (310 MiB was missing): the "
                       "program goes on as in the pass before, with 3.70 GiB left."));
  }
  SUBCASE("and without, where it is not") {
    made.event(Action::oom, 290 * MiB, 4 * GiB);
    CHECK(one_contains(advice_that_goes_on(test::explained(made.take())),
                       "Free, shrink or move the 4.00 GiB that forward model.py:118 holds: the program goes on as in "
                       "the pass before, with "
                       "290 MiB left."));
  }
}

TEST_CASE("the blocks of several lines are named with what each has of them") {
  SmallSnapshot made;
  add_blocks(made, 0, 1, 4 * GiB, made.stack({"/app/model.py:118:forward"}));
  add_blocks(made, 1, 1, 2 * GiB, made.stack({"/app/model.py:30:__init__"}));
  made.event(Action::oom, 0, 5 * GiB);
  CHECK(one_contains(advice_that_goes_on(test::explained(made.take())),
                     "Free, shrink or move 2 blocks (6.00 GiB) of forward model.py:118 (4.00 GiB), __init__ "
                     "model.py:30 (2.00 GiB): the program goes on as in the pass before, with 1.00 GiB left."));
}

TEST_CASE("a request that is larger than all there was is said to be, and nothing else is offered") {
  SmallSnapshot made;
  add_blocks(made, 0, 1, 2 * GiB, made.stack({"/app/model.py:118:forward"}));
  made.segment(kFirstSegment + 100 * GiB, GiB / 2, 0, 1).active(GiB / 2, GiB / 2);
  made.event(Action::oom, GiB, 5 * GiB);
  const ExplanationText words = test::explained(made.take()).words();
  CHECK(words.verdict.ends_with(
      "The request alone is larger than PyTorch's memory and the device's free memory together, 3.00 GiB, so freeing "
      "memory cannot help."));
  CHECK_FALSE(one_contains(words.reasons, "Imbalance"));
  CHECK_FALSE(one_contains(words.answers, "No set of blocks was found"));
  CHECK(one_contains(words.answers, "Freeing all blocks would not have helped either"));
  CHECK_FALSE(one_contains(words.helps, "Freeing"));
  CHECK_FALSE(one_contains(words.does_not_help, "Freeing"));
}

TEST_CASE("a request that no device could hold has a wrong size, unless its cause is known") {
  const auto advice_of = [](std::vector<std::string_view> frames) {
    SmallSnapshot made;
    add_blocks(made, 0, 1, 2 * GiB, made.stack({"/app/model.py:118:forward"}));
    frames.insert(frames.begin(), "/usr/lib/python3/dist-packages/torch/nn/modules/module.py:9:_call_impl");
    made.event(Action::oom, 70 * GiB, 1'100 * GiB, made.stack(frames));
    return test::explained(made.take()).words().advice;
  };
  CHECK(advice_of({"/app/model.py:120:forward"}) ==
        std::vector<std::string>{"Check the sizes at forward model.py:120: no GPU has 1.07 TiB, so one of them is "
                                 "wrong, or shapes broadcast to a larger one than intended."});
  CHECK(advice_of({"/app/model.py:120:forward", "/torch/nn/functional.py:9:softmax"}) ==
        std::vector<std::string>{"Use torch.nn.functional.scaled_dot_product_attention, which does not materialise the "
                                 "scores."});
}

TEST_CASE("without a history, the first advice is to record one") {
  SmallSnapshot made;
  made.segment(kFirstSegment, GiB).active(GiB / 2, GiB / 2).inactive(GiB / 2);
  const std::vector<std::string> advice = test::explained(made.take()).words().advice;
  REQUIRE_FALSE(advice.empty());
  CHECK(advice.front() == "512 MiB has no stack: the memory history was not recorded. To see which lines made it, call "
                          "torch.cuda.memory._record_memory_history() before the model is built.");
  SmallSnapshot recorded;
  recorded.segment(kFirstSegment, GiB).active(GiB / 2, GiB / 2, recorded.stack({"/app/model.py:118:forward"}));
  CHECK_FALSE(one_contains(test::explained(recorded.take()).words().advice, "_record_memory_history"));
}

TEST_CASE("without a failure, what saves most comes first, and 2 % are hardly a help") {
  SmallSnapshot made;
  made.segment(kFirstSegment, 4 * GiB).active(4 * GiB, 4 * GiB);
  Explained found = test::explained(made.take());
  const auto would_leave = [](Circumstance circumstance, std::uint64_t bytes) {
    WhatIf answer;
    answer.circumstance = circumstance;
    answer.outcome = Outcome::fits;
    answer.reserved_bytes = bytes;
    return answer;
  };
  found.devices.front().what_ifs = {would_leave(Circumstance::expandable_segments, 4 * GiB - 200 * MiB),
                                    would_leave(Circumstance::empty_cache, 3 * GiB)};
  const std::vector<std::string> helps = found.words().helps;
  REQUIRE(helps.size() >= 2);
  CHECK(helps.at(helps.size() - 2) == "torch.cuda.empty_cache() would return 1.00 GiB to the device.");
  CHECK(helps.back() == "With expandable_segments:True, 3.80 GiB would be reserved instead of 4.00 GiB.");
  found.devices.front().what_ifs.front().reserved_bytes = 4 * GiB - 60 * MiB;
  CHECK(one_contains(found.words().does_not_help, "With expandable_segments:True, 3.94 GiB"));
}

TEST_CASE("what waits for other streams has an advice") {
  SmallSnapshot made;
  made.segment(kFirstSegment, 4 * GiB).active(GiB, GiB).pending(3 * GiB, 3 * GiB);
  const Explained found = test::explained(made.take());
  CHECK(found.first().judgement.verdict == Verdict::pending_free);
  CHECK(one_contains(found.words().advice, "Wait for the stream that still uses this memory"));
}

TEST_CASE("what each step leaves behind comes before what would have helped once") {
  SmallSnapshot made;
  const StackId kept = made.stack({"/app/cache.py:3:put"});
  const StackId work = made.stack({"/app/model.py:2:forward"});
  const auto trained = [&](const char* annotation, std::uint64_t leaked_bytes, std::uint64_t held_bytes) {
    std::uint64_t address = kFirstSegment;
    made.segment(address, held_bytes).active(held_bytes, held_bytes);
    for (std::int64_t step = 0; step < 24; ++step) {
      address += 8 * GiB;
      made.time(1000 * (step + 1));
      if (*annotation != '\0') made.mark(annotation);
      made.event(Action::alloc, 0x100, 512, work);
      made.event(Action::alloc, address, leaked_bytes, kept);
      made.event(Action::free_completed, 0x100, 512);
      made.segment(address, leaked_bytes).active(leaked_bytes, leaked_bytes, kept);
    }
    made.event(Action::oom, 10 * MiB, 500 * MiB, work);
    return test::explained(made.take());
  };
  SUBCASE("with bytes a step and the line") {
    const Explained found = trained("ProfilerStep#7", 100 * MiB, GiB);
    REQUIRE(found.first().leak);
    CHECK(found.first().leak->bytes_per_step == 100 * MiB);
    CHECK(found.first().leak->steps == 24);
    REQUIRE(found.first().leak->lines.size() == 1);
    REQUIRE_FALSE(found.words().advice.empty());
    CHECK(found.words().advice[0] ==
          "Release the memory that each step leaves behind: 100 MiB more per step, all of it from put "
          "cache.py:3. memviz leaks says how certain that is.");
  }
  SUBCASE("but not where it is next to nothing next to the rest") {
    CHECK_FALSE(trained("ProfilerStep#7", MiB, GiB).first().leak);
  }
  SUBCASE("nor where no one says what a step is") {
    CHECK_FALSE(trained("", 100 * MiB, GiB).first().leak);
  }
  SUBCASE("nor where these may be the layers of a forward pass") {
    CHECK_FALSE(trained("FSDP::post_forward", 100 * MiB, GiB).first().leak);
  }
  SUBCASE("whatever they are called") {
    CHECK_FALSE(trained("layer_step", 100 * MiB, GiB).first().leak);
  }
}

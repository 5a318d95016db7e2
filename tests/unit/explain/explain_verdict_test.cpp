#include "memviz/explain.hpp"
#include "memviz/explain_report.hpp"
#include "memviz/story.hpp"
#include "story/moment_words.hpp"

#include "support/contains.hpp"
#include "support/explained.hpp"
#include "support/small_snapshot.hpp"
#include "support/snapshot_builder.hpp"

#include <doctest/doctest.h>

// Verdicts over states of a few lines: which figure decides, and the sentence about it.

using namespace memviz;
using memviz::test::GiB;
using memviz::test::MiB;
using memviz::test::one_contains;
using test::Explained;
using test::SmallSnapshot;

namespace {

constexpr std::uint64_t kBase = 0x7f0000000000;

Event oom(std::uint64_t bytes, std::uint64_t device_free_bytes, const PoolId& pool = {}) {
  return test::event_of(Action::oom, device_free_bytes, bytes, pool);
}

Explained failed(SmallSnapshot& made, const Event& failure, DeviceId device = {}) {
  Recording snapshot = made.take();
  snapshot.traces.make(device).push(failure);
  ++snapshot.event_counts.make(device);
  Explained found = test::explained(std::move(snapshot));
  test::check_adds_up(found);
  return found;
}

} // namespace

TEST_CASE("full memory is exhaustion, not fragmentation") {
  SmallSnapshot made;
  SUBCASE("with nothing free at all") {
    made.segment(kBase, 2 * GiB).active(2 * GiB, 2 * GiB);
    const Explained found = failed(made, oom(4 * MiB, 10 * MiB));
    CHECK(found.first().judgement.verdict == Verdict::exhaustion);
    CHECK(found.words().verdict.find("6.00 MiB less than the 20.0 MiB that PyTorch takes") == std::string::npos);
    CHECK(found.words().verdict.find("10.0 MiB less than the 20.0 MiB that PyTorch takes from the device at once") !=
          std::string::npos);
  }
  SUBCASE("with holes that together are smaller than the segment that the request needs") {
    made.segment(kBase, 2 * GiB).active(2 * GiB, 2 * GiB);
    for (std::uint64_t i = 1; i <= 2; ++i)
      made.segment(kBase + i * 4 * GiB, 20 * MiB).active(17 * MiB, 17 * MiB).inactive(3 * MiB);
    const Explained found = failed(made, oom(4 * MiB, 10 * MiB)); // 16 MiB of the 20 MiB of a new segment
    CHECK(found.first().judgement.verdict == Verdict::exhaustion);
    CHECK(found.first().judgement.alone_bytes == 20 * MiB);
  }
  SUBCASE("of the pages of expandable segments") {
    made.setting("expandable_segments", "True");
    made.segment(kBase, 400 * MiB).active(397 * MiB, 397 * MiB).inactive(3 * MiB);
    Recording snapshot = made.take();
    snapshot.end.segments[0].is_expandable = true;
    snapshot.traces.make({}).push(oom(21 * MiB, 18 * MiB)); // 3 + 18, but pages have 20
    snapshot.event_counts.make({}) = 1;
    const Explained found = test::explained(std::move(snapshot));
    CHECK(found.first().judgement.verdict == Verdict::exhaustion);
    CHECK(found.first().judgement.needed_bytes == 20 * MiB);
    CHECK(found.first().judgement.missing_bytes == 2 * MiB);
  }
}

TEST_CASE("where PyTorch held nothing, no share of that is named") {
  SmallSnapshot made;
  const std::string headline = failed(made, oom(GiB, MiB)).words().headline;
  CHECK(headline.ends_with("the device had 1.00 MiB free, and PyTorch held nothing."));
}

TEST_CASE("where one request stands out, the first advice is to ask for less at once") {
  SmallSnapshot made;
  made.segment(kBase, 2 * GiB).active(2 * GiB, 2 * GiB);
  SUBCASE("and the only one, where nothing that is freed makes room") {
    const Explained found = failed(made, oom(5 * GiB, GiB));
    REQUIRE(found.words().advice.size() == 1);
    CHECK(found.words().advice[0] ==
          "Ask for less at once: a smaller batch, shorter sequences, or the same computation in pieces.");
  }
  SUBCASE("besides others, where the request outweighs all that is held") {
    const Explained found = failed(made, oom(2 * GiB + 512 * MiB, GiB));
    REQUIRE_FALSE(found.words().advice.empty());
    CHECK(found.words().advice[0] == "Ask for less at once; the request alone is larger than all memory in use: a "
                                     "smaller batch, shorter sequences, or the same computation in pieces.");
  }
  SUBCASE("but not of a request like any other") {
    const Explained found = failed(made, oom(GiB + 512 * MiB, GiB));
    CHECK_FALSE(one_contains(found.words().advice, "Ask for less at once"));
  }
}

TEST_CASE("memory that would be enough in one piece is fragmentation") {
  SmallSnapshot made;
  for (std::uint64_t i = 0; i < 5; ++i)
    made.segment(kBase + i * GiB, 20 * MiB).active(17 * MiB, 17 * MiB).inactive(3 * MiB);
  const Explained found = failed(made, oom(4 * MiB, 10 * MiB));
  CHECK(found.first().judgement.verdict == Verdict::fragmentation);
  CHECK(found.words().verdict.find("15.0 MiB was free") != std::string::npos);
}

TEST_CASE("a free that completed while the request failed came too late for it, and no replay is asked") {
  SmallSnapshot made;
  made.segment(kBase, 8 * GiB).inactive(4 * GiB).active(4 * GiB, 4 * GiB);
  made.event(Action::alloc, kBase, 4 * GiB).event(Action::free_requested, kBase, 4 * GiB);
  SUBCASE("if it is part of a run that is large enough") {
    made.event(Action::free_completed, kBase, 4 * GiB);
    const Explained found = failed(made, oom(2 * GiB, 100 * MiB));
    CHECK(found.first().judgement.verdict == Verdict::pending_free);
    CHECK(found.first().ledger.late_free_bytes == 4 * GiB);
    CHECK(found.words().verdict.starts_with("Pending frees: 4.00 GiB of 8.00 GiB reserved was freed, but still waited "
                                            "for another stream (record_stream) when PyTorch searched"));
    REQUIRE(found.words().advice.size() == 1);
    CHECK(found.words().advice[0].starts_with("Wait for the stream"));
  }
  SUBCASE("but not of one that is too small") {
    made.event(Action::free_completed, kBase, 4 * GiB);
    const Explained found = failed(made, oom(5 * GiB, 100 * MiB));
    CHECK(found.first().ledger.late_free_bytes == 0);
    CHECK(found.first().judgement.verdict == Verdict::exhaustion);
  }
  SUBCASE("nor before another allocation") {
    made.event(Action::free_completed, kBase, 4 * GiB).event(Action::alloc, kBase + 4 * GiB, 4 * GiB);
    const Explained found = failed(made, oom(2 * GiB, 100 * MiB));
    CHECK(found.first().ledger.late_free_bytes == 0);
    CHECK(found.first().judgement.verdict == Verdict::unclear);
  }
}

TEST_CASE("where nearly all is in use, the verdict is that memory is full") {
  SmallSnapshot made;
  made.segment(kBase, 2 * GiB).active(2 * GiB, 2 * GiB);
  for (std::uint64_t i = 1; i <= 5; ++i)
    made.segment(kBase + i * 4 * GiB, 20 * MiB).active(17 * MiB, 17 * MiB).inactive(3 * MiB);
  const Explained found = failed(made, oom(4 * MiB, 10 * MiB));
  CHECK(found.first().judgement.verdict == Verdict::fragmentation);
  CHECK(found.words().verdict.starts_with("Full: 99.3 % of PyTorch's memory was in use, and the 15.0 MiB free"));
}

TEST_CASE("a request that is refused besides as much free memory takes more than it asks for, and that is said") {
  SmallSnapshot made;
  made.segment(kBase, GiB).active(GiB, GiB);
  const Explained found = failed(made, oom(4 * MiB, 10 * MiB));
  CHECK(found.words().title == "GPU 0 ran out of memory: 4.00 MiB asked for, 20.0 MiB needed, 10.0 MiB free");
  CHECK(one_contains(found.words().reasons, "For this request PyTorch takes 20.0 MiB from the device at once."));
}

TEST_CASE("memory that is free only next to blocks of the other size class is said to be") {
  SmallSnapshot made;
  made.segment(kBase, 200 * MiB).active(2 * MiB, 2 * MiB).inactive(198 * MiB);
  const Explained found = failed(made, oom(4096, MiB)); // the small pool takes 2 MiB
  CHECK(found.first().judgement.verdict == Verdict::size_class);
  CHECK(found.words().verdict.starts_with("Size class: 198 MiB of 200 MiB reserved is free, but next to large blocks"));
}

TEST_CASE("whole free segments while a graph is captured are a cache, and empty_cache() before it is the advice") {
  SmallSnapshot made;
  made.segment(kBase, 400 * MiB).inactive(400 * MiB);
  made.segment(kBase + GiB, 600 * MiB).active(600 * MiB, 600 * MiB);
  made.segment(kBase + 2 * GiB, 100 * MiB).pool({1, 0}).active(60 * MiB, 60 * MiB).inactive(40 * MiB);
  const Explained found = failed(made, oom(300 * MiB, 20 * MiB, {1, 0}));
  CHECK(found.first().judgement.verdict == Verdict::idle);
  CHECK(found.first().ledger.room.soft_bytes == 400 * MiB);
  CHECK(found.first().ledger.room.hard_bytes == 40 * MiB); // of the request's own pool
  CHECK(found.first().ledger.room.private_pool_bytes == 0);
  CHECK(found.words().verdict.find("while a CUDA graph is captured") != std::string::npos);
  CHECK(one_contains(found.words().advice, "Call torch.cuda.empty_cache() before the capture: this request fits."));
  CHECK_FALSE(one_contains(found.words().answers, "No set of blocks"));
}

TEST_CASE("a request of a private pool sees its own pool, and what others hold as other pools") {
  SmallSnapshot made;
  made.segment(kBase, 400 * MiB).active(2 * MiB, 2 * MiB).inactive(398 * MiB);
  made.segment(kBase + GiB, 100 * MiB).pool({1, 0}).active(60 * MiB, 60 * MiB).inactive(40 * MiB);
  const Explained found = failed(made, oom(300 * MiB, 20 * MiB, {1, 0}));
  CHECK(found.first().judgement.verdict == Verdict::private_pool);
  CHECK(found.first().ledger.largest_hole_bytes == 40 * MiB);
  CHECK(found.first().ledger.room.private_pool_bytes == 398 * MiB);
  CHECK(found.words().verdict.find("in other pools than the private one that the request is for") != std::string::npos);
}

TEST_CASE("a request whose file does not say its pool is taken for that of the last allocation on its stream") {
  SmallSnapshot made;
  made.segment(kBase, 400 * MiB).inactive(400 * MiB);
  made.segment(kBase + GiB, 100 * MiB).pool({1, 0}).active(60 * MiB, 60 * MiB).inactive(40 * MiB);
  made.event(Action::segment_alloc, kBase + GiB, 100 * MiB);
  made.event(Action::alloc, kBase + GiB, 60 * MiB);
  Event failure = oom(300 * MiB, 20 * MiB);
  failure.pool.reset();
  SUBCASE("the graph's, while one is captured") {
    const Explained found = failed(made, failure);
    CHECK(found.first().request->pool == PoolId{1, 0});
    CHECK_FALSE(found.first().request->pool_is_known);
    CHECK(found.first().ledger.room.hard_bytes == 40 * MiB);
    CHECK(one_contains(found.words().reasons, "Assumed: the request was for the private pool"));
  }
  SUBCASE("the default one on another stream") {
    failure.stream = 7;
    const Explained found = failed(made, failure);
    CHECK(found.first().request->pool == PoolId{});
    CHECK(found.first().ledger.room.private_pool_bytes == 40 * MiB);
    CHECK(one_contains(found.words().reasons, "Assumed: the request was for the default pool"));
  }
}

TEST_CASE("private pools do not grow by pages before PyTorch 2.5") {
  const PoolId pool{1, 0};
  SmallSnapshot made;
  made.setting("expandable_segments", "True");
  SUBCASE("read off their segments") {
    made.segment(kBase, 20 * MiB).pool(pool).active(20 * MiB, 20 * MiB);
    CHECK_FALSE(allocator_settings(replay(made.take())).expands(pool));
    SmallSnapshot with_pages;
    with_pages.setting("expandable_segments", "True");
    with_pages.segment(kBase, 20 * MiB).pool(pool).active(20 * MiB, 20 * MiB);
    Recording newer = with_pages.take();
    newer.end.segments[0].is_expandable = true;
    CHECK(allocator_settings(replay(std::move(newer))).expands(pool));
  }
  SUBCASE("so that a request of one takes its own segment") {
    made.segment(kBase, 20 * MiB).pool(pool).active(12 * MiB, 12 * MiB).inactive(8 * MiB);
    const Explained found = failed(made, oom(12 * MiB, 10 * MiB, pool));
    CHECK(found.first().judgement.needed_bytes == 12 * MiB); // pages would be 20 MiB
    CHECK(one_contains(found.words().reasons, "Private pools do not use expandable segments in this recording"));
  }
  SUBCASE("the default pool does") {
    CHECK(allocator_settings(replay(made.take())).expands({}));
  }
}

TEST_CASE("rounding that takes much is its own cause, with its own advice") {
  SmallSnapshot made;
  made.setting("roundup_power2_divisions.256", "1").setting("roundup_power2_divisions.512", "2");
  const StackId stack = made.stack({"/app/model.py:7:build"});
  const auto place = [](std::uint64_t i) { return kBase + i * GiB; };
  for (std::uint64_t i = 0; i < 4; ++i)
    made.segment(place(i), 768 * MiB).active(768 * MiB, 520 * MiB, stack);
  SUBCASE("where a request failed for it") {
    for (std::uint64_t i = 0; i < 4; ++i) {
      made.event(Action::segment_alloc, place(i), 768 * MiB, stack);
      made.event(Action::alloc, place(i), 520 * MiB, stack);
    }
    const Explained found = failed(made, oom(600 * MiB, 100 * MiB));
    CHECK(found.first().judgement.verdict == Verdict::rounding);
    CHECK(found.words().verdict == "Rounding: 992 MiB of 3.00 GiB reserved is what the allocator added to the "
                                   "program's requests, 47.7 % of these; roundup_power2_divisions is set.");
    CHECK(found.answer(Circumstance::no_rounding).outcome == Outcome::fits);
    CHECK(one_contains(found.words().advice, "Remove roundup_power2_divisions"));
  }
  SUBCASE("where nothing failed") {
    const Explained found = test::explained(made.take());
    CHECK(found.first().judgement.verdict == Verdict::rounding);
  }
}

TEST_CASE("without a failure, fragmentation is said only of a large share of much memory") {
  SmallSnapshot made;
  SUBCASE("a few MiB are not") {
    made.segment(kBase, 20 * MiB).active(8 * MiB, 8 * MiB).inactive(12 * MiB);
    const Explained found = test::explained(made.take());
    CHECK(found.first().judgement.verdict == Verdict::in_use);
    CHECK(found.words().verdict == "Partly in use: 40.0 % of reserved memory is in use, 12.0 MiB is free.");
  }
  SUBCASE("a sixth is not, nor a quarter") {
    for (const std::uint64_t used : {18 * GiB, 16 * GiB}) {
      SmallSnapshot one;
      one.segment(kBase, 24 * GiB).active(used, used).inactive(22 * GiB - used).active(2 * GiB, 2 * GiB);
      CHECK(test::explained(one.take()).first().judgement.verdict == Verdict::in_use);
    }
  }
  SUBCASE("a half is") {
    made.segment(kBase, 4 * GiB).active(GiB, GiB).inactive(2 * GiB).active(GiB, GiB);
    CHECK(test::explained(made.take()).first().judgement.verdict == Verdict::fragmentation);
  }
}

TEST_CASE("what the allocator gave back before it failed is not repeated as the program's empty_cache()") {
  SmallSnapshot made;
  const StackId loop = made.stack({"/app/train.py:7:loop"});
  const StackId logits = made.stack({"/app/loss.py:31:logits"});
  const StackId cleaning = made.stack({"/app/train.py:9:clean"});
  const auto place = [](std::uint64_t i) { return kBase + i * GiB; };
  for (std::uint64_t i = 0; i < 6; ++i) {
    made.event(Action::segment_alloc, place(i), 100 * MiB, loop);
    made.event(Action::alloc, place(i), 100 * MiB, loop);
  }
  for (const std::uint64_t i : {1U, 3U, 5U}) {
    made.event(Action::free_requested, place(i), 100 * MiB, loop);
    made.event(Action::free_completed, place(i), 100 * MiB, loop);
  }
  bool is_own = false;
  SUBCASE("under the stack of the request that found no room") {
    is_own = true;
  }
  SUBCASE("under another stack it was the program") {
  }
  for (const std::uint64_t i : {1U, 3U, 5U})
    made.event(Action::segment_free, place(i), 100 * MiB, is_own ? logits : cleaning);
  made.event(Action::segment_alloc, place(9), 440 * MiB, logits);
  made.event(Action::alloc, place(9), 440 * MiB, logits);
  for (const std::uint64_t i : {0U, 2U, 4U})
    made.segment(place(i), 100 * MiB).active(100 * MiB, 100 * MiB, loop);
  made.segment(place(9), 440 * MiB).active(440 * MiB, 440 * MiB, logits);
  const Explained found = failed(made, oom(260 * MiB, 250 * MiB));
  CHECK(found.first().fidelity.reproduces());
  // With expandable segments 440 MiB find the last 100 MiB free before new pages, and there was room for 990 MiB.
  const WhatIf& answer = found.answer(Circumstance::expandable_segments);
  REQUIRE(answer.reserved_bytes.has_value());
  CHECK(*answer.reserved_bytes == (is_own ? 940 * MiB : 740 * MiB));
}

TEST_CASE("memory outside PyTorch leads to advice about that, and room that is left is named") {
  SUBCASE("a failure for what others hold") {
    SmallSnapshot made;
    made.segment(kBase, 4 * GiB).active(4 * GiB, 4 * GiB);
    Recording snapshot = made.take();
    snapshot.traces.make({}).push(oom(GiB, GiB / 2));
    snapshot.event_counts.make({}) = 1;
    const Explained found = test::explained(std::move(snapshot), 12 * GiB);
    CHECK(found.first().judgement.verdict == Verdict::outside);
    CHECK(one_contains(found.words().advice, "Make room outside PyTorch, of which 512 MiB is missing: nvidia-smi "));
  }
  SUBCASE("the words are those of the device") {
    SmallSnapshot made;
    const StackId stack = made.stack({"/lib/python3.11/site-packages/torch_npu/npu/memory.py:1:alloc"});
    made.segment(kBase, 4 * GiB).active(4 * GiB, 4 * GiB, stack);
    Recording snapshot = made.take();
    snapshot.traces.make({}).push(oom(GiB, GiB / 2));
    snapshot.event_counts.make({}) = 1;
    const Explained found = test::explained(std::move(snapshot), 12 * GiB);
    CHECK(one_contains(found.words().advice, "npu-smi shows the other processes"));
    CHECK(test::contains(found.words().verdict, "other processes, the device context, libraries"));
  }
  SUBCASE("headroom where nothing failed") {
    SmallSnapshot made;
    made.segment(kBase, 4 * GiB).active(4 * GiB, 4 * GiB);
    const Explained found = test::explained(made.take(), 12 * GiB);
    CHECK(one_contains(found.words().reasons, "Headroom: PyTorch left 8.00 GiB of the device's 12.0 GiB unreserved."));
  }
}

TEST_CASE("a full device next to others that have room is named with them") {
  SmallSnapshot made;
  made.segment(kBase, 8 * GiB, 0, 0).active(8 * GiB, 8 * GiB);
  made.segment(kBase, 78 * GiB, 0, 1).active(78 * GiB, 78 * GiB);
  made.segment(kBase, 20 * GiB, 0, 2).active(20 * GiB, 20 * GiB);
  made.segment(kBase, 60 * GiB, 0, 3).active(60 * GiB, 60 * GiB);
  const Explained found = failed(made, oom(5 * GiB, MiB), DeviceId{1});
  CHECK(found.first().device_state.device == DeviceId{1});
  CHECK(one_contains(found.words().reasons, "Imbalance: GPU 1 held 78.0 GiB; GPU 0 held 8.00 GiB and GPU 2 20.0 GiB"));
  CHECK(one_contains(found.words().advice, "move some of what GPU 1 holds to GPU 0 or GPU 2"));
  CHECK_FALSE(one_contains(reasons_beside_devices(found.words()), "Imbalance"));
}

TEST_CASE("main memory gets no advice about CUDA") {
  SmallSnapshot made;
  made.segment(kBase, GiB).active(GiB / 8, GiB / 8).inactive(GiB - GiB / 8);
  Recording snapshot = made.take();
  snapshot.origin.device_kind = DeviceKind::cpu;
  const Explained found = test::explained(std::move(snapshot));
  CHECK(found.first().what_ifs.empty());
  CHECK(found.first().growth.reserving.empty());
  const std::string text = explain_text({"cpu.pickle", found.state, found.devices});
  for (const char* word : {"expandable_segments", "empty_cache", "CUDA", "device has"})
    CHECK(text.find(word) == std::string::npos);
}

TEST_CASE("of an edited file the end is what its blocks say, and what the events have besides them is distinguished") {
  SmallSnapshot made;
  made.segment(kBase, 64 * MiB).inactive(64 * MiB);
  made.event(Action::alloc, kBase + GiB, 5 * MiB);
  const Explained found = test::explained(made.take());
  test::check_adds_up(found);
  CHECK(found.first().ledger.no_segment_bytes == 5 * MiB);
  CHECK(found.words().headline ==
        "GPU 0 at the peak, event 0 of 1: 0 B of 64.0 MiB reserved is in use, and by the events "
        "5.00 MiB more, outside all segments.");
  CHECK(found.words().title == "GPU 0: 0 B of 64.0 MiB reserved is in use, 5.00 MiB outside all segments");
  CHECK(flame_story(memory_subject(found.state, {})).headline ==
        "GPU 0 at its peak: 64.0 MiB reserved, 0 % in use, 5.00 MiB outside all segments");
  CHECK(other_moments_text("explain", found.first().device_state)
            .starts_with("At the end: 0 B requested of 64.0 MiB reserved"));
}

TEST_CASE("what empty_cache() would give back does not count memory that no block covers") {
  SmallSnapshot made;
  made.segment(kBase, 64 * MiB).active(MiB, MiB);
  made.segment(kBase + GiB, 64 * MiB).inactive(64 * MiB);
  const Explained found = test::explained(made.take());
  CHECK(found.answer(Circumstance::empty_cache).outcome == Outcome::not_offered);
  CHECK_FALSE(one_contains(found.words().answers, "empty_cache"));
}

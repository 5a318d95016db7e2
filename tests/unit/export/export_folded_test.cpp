#include "memviz/error.hpp"
#include "memviz/export.hpp"
#include "support/small_snapshot.hpp"
#include "support/states.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

using test::SmallSnapshot;

namespace {

std::string memory(SmallSnapshot& builder) {
  return folded_stacks(replay(builder.take()), FoldedView::memory, std::nullopt);
}

} // namespace

TEST_CASE("folded_stacks of the memory view") {
  SmallSnapshot builder;

  SUBCASE("writes nothing for an empty snapshot") {
    CHECK(memory(builder).empty());
  }
  SUBCASE("puts the stack outermost first, with the base name of the file") {
    builder.segment(4096, 512).active(512, 512, builder.stack({"/app/train.py:1:<module>", "/app/net.py:22:forward"}));
    CHECK(memory(builder) == "stream_0;active_allocated;train.py:1:<module>;net.py:22:forward 512\n");
  }
  SUBCASE("counts requested bytes on the stack and the rounding next to it") {
    builder.segment(4096, 1024).active(512, 500, builder.stack({"a.py:1:f"})).active(512, 400);
    CHECK(memory(builder) == "stream_0;active_allocated;<gaps> 124\n"
                             "stream_0;active_allocated;<non-python> 400\n"
                             "stream_0;active_allocated;a.py:1:f 500\n");
  }
  SUBCASE("distinguishes an entry without context from a stack without frames") {
    builder.segment(4096, 1024).active(512, 512, kNoContext).active(512, 512, kNoFrames);
    CHECK(memory(builder) == "stream_0;active_allocated;<no-context> 512\n"
                             "stream_0;active_allocated;<non-python> 512\n");
  }
  SUBCASE("keeps pending blocks apart and gives inactive ones one line with their full size") {
    builder.segment(4096, 2048, 7).pending(512, 512).inactive(1024).inactive(512);
    CHECK(memory(builder) == "stream_7;active_pending_free;<non-python> 512\n"
                             "stream_7;inactive 1536\n");
  }
  SUBCASE("leaves out the frames that PyTorch leaves out, down to an empty last element") {
    builder.segment(4096, 1024)
        .active(512, 512, builder.stack({"/app/a.py:1:f", "/python/ceval.c:9:eval"}))
        .active(512, 512, builder.stack({"x.cpp:1:_start", "x.cpp:2:on_start_now"}));
    CHECK(memory(builder) == "stream_0;active_allocated; 512\n"
                             "stream_0;active_allocated;a.py:1:f 512\n");
  }
  SUBCASE("merges stacks whose texts are equal") {
    builder.segment(4096, 1024)
        .active(512, 512, builder.stack({"/one/a.py:1:f"}))
        .active(512, 512, builder.stack({"/two/a.py:1:f"}));
    CHECK(memory(builder) == "stream_0;active_allocated;a.py:1:f 1024\n");
  }
  SUBCASE("merges devices, unless one is asked for") {
    builder.segment(4096, 512).active(512, 512).segment(4096, 1024, 0, 1).active(1024, 1024);
    const Recording snapshot = builder.take();
    CHECK(folded_stacks(test::end_of(snapshot), FoldedView::memory, std::nullopt) ==
          "stream_0;active_allocated;<non-python> 1536\n");
    CHECK(folded_stacks(test::end_of(snapshot), FoldedView::memory, DeviceId{1}) ==
          "stream_0;active_allocated;<non-python> 1024\n");
  }
  SUBCASE("drops what is zero and what no block covers") {
    builder.segment(4096, 512).active(0, 0).segment(8192, 2048).active(512, 0, builder.stack({"a.py:1:f"}));
    CHECK(memory(builder) == "stream_0;active_allocated;<gaps> 512\n");
  }
  SUBCASE("sorts by code point, and one frame stays one frame whatever its name is") {
    builder.segment(4096, 4096)
        .active(512, 512, kNoContext)
        .active(512, 512, builder.stack({"/app/<no-context:1:f"}))
        .active(512, 512, builder.stack({"/app/<a.py:1:f"}))
        .active(512, 512, builder.stack({"/app/<z.py:1:f"}))
        .active(512, 512, builder.stack({"a.py:1:\xF0\x9F\x90\x8D"}))
        .active(512, 512, builder.stack({"a.py:1:\xC3\xA9"}))
        .active(512, 512, builder.stack({"a.py:1:z"}))
        .active(512, 512, builder.stack({"a.py:1:f;g\nstream_0;forged 1"}));
    CHECK(memory(builder) == "stream_0;active_allocated;<a.py:1:f 512\n"
                             "stream_0;active_allocated;<no-context:1:f 512\n"
                             "stream_0;active_allocated;<no-context> 512\n"
                             "stream_0;active_allocated;<z.py:1:f 512\n"
                             "stream_0;active_allocated;a.py:1:f:g stream_0:forged 1 512\n"
                             "stream_0;active_allocated;a.py:1:z 512\n"
                             "stream_0;active_allocated;a.py:1:\xC3\xA9 512\n"
                             "stream_0;active_allocated;a.py:1:\xF0\x9F\x90\x8D 512\n");
  }
}

TEST_CASE("folded_stacks of the segments view names the segment by its decimal address") {
  SmallSnapshot builder;
  builder.segment(139637976727552, 1024, 3)
      .active(512, 500)
      .inactive(512)
      .segment(18446744073709551104U, 512)
      .inactive(512);
  CHECK(folded_stacks(replay(builder.take()), FoldedView::segments, std::nullopt) ==
        "stream_0;seg_18446744073709551104;inactive 512\n"
        "stream_3;seg_139637976727552;active_allocated;<gaps> 12\n"
        "stream_3;seg_139637976727552;active_allocated;<non-python> 500\n"
        "stream_3;seg_139637976727552;inactive 512\n");
}

TEST_CASE("folded labels are PyTorch's, but cannot break a line or a path") {
  const auto label = [](std::string_view name, std::string_view filename, std::int64_t line) {
    SmallSnapshot builder;
    FrameTable& frames = builder.frames();
    const FrameId frame = frames.add_frame({frames.intern(name), frames.intern(filename), line});
    builder.segment(0, 512).active(512, 512, frames.add_stack({&frame, 1}));
    const std::string text = memory(builder);
    constexpr std::size_t kPrefix = std::string_view("stream_0;active_allocated;").size();
    return text.substr(kPrefix, text.size() - kPrefix - std::string_view(" 512\n").size());
  };
  CHECK(label("step", "/home/ann/train.py", 12) == "train.py:12:step");
  CHECK(label("step", "C:\\ann\\train.py", 12) == "C:\\ann\\train.py:12:step");
  CHECK(label("f(int; char)", "??", 0) == "??:0:f(int: char)");
  CHECK(label("two\nlines\t", "a.py", 1) == "a.py:1:two lines ");
}

TEST_CASE("folded paths are in the order of their texts, however frames are parted") {
  const std::vector<std::vector<std::string_view>> stacks{{"/x/a.py:1:f", "b.py:2:g"},
                                                          {"/y/a.py:1:f", "b.py:2:g"},
                                                          {"a.py:1:f"},
                                                          {"a.py:1:f\n"},
                                                          {"a.py:1:f;"},
                                                          {"a.py:1:f!"},
                                                          {"a.py:1:f", "b.py:10:g"},
                                                          {"a.py:1:\u20AC"},
                                                          {"0:1:f"},
                                                          {"zz:1:f"},
                                                          {"PyEval_:1:f"}};
  SmallSnapshot builder;
  builder.segment(0, 1024 * stacks.size(), 1).segment(1 << 20, 512, 10).active(512, 512).segment(2 << 20, 16384, 2);
  for (const auto& stack : stacks)
    builder.active(1024, 1000, builder.stack(stack));
  builder.pending(512, 512).inactive(512);
  const std::string text = memory(builder);
  std::vector<std::string> paths;
  for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1)
    paths.push_back(text.substr(begin, text.rfind(' ', text.find('\n', begin)) - begin));
  CHECK(std::is_sorted(paths.begin(), paths.end()));
  CHECK(std::adjacent_find(paths.begin(), paths.end()) == paths.end());
  // Two of the stacks have one text.
  CHECK(text.find("a.py:1:f;b.py:2:g 2000\n") != std::string::npos);
  CHECK(paths.size() == stacks.size() - 1 + 4);
}

TEST_CASE("a text out of all proportion is an error before any of it is made") {
  SmallSnapshot builder;
  const std::string name = "a.py:1:" + std::string(100'000, 'x');
  builder.segment(0, 512).active(512, 512, builder.stack(std::vector<std::string_view>(20'000, name)));
  const Recording snapshot = builder.take();
  CHECK_THROWS_WITH_AS(static_cast<void>(folded_source(test::end_of(snapshot), FoldedView::memory, {})),
                       doctest::Contains("more than 64.0 MiB of text"), Error);
}

TEST_CASE("folded_stacks spells a deep stack without recursion") {
  SmallSnapshot builder;
  const std::vector<std::string_view> frames(100'000, "a.py:1:f");
  builder.segment(0, 512).active(512, 512, builder.stack(frames));
  CHECK(memory(builder).size() == std::string("stream_0;active_allocated; 512\n").size() + 100'000 * 9 - 1);
}

} // namespace memviz

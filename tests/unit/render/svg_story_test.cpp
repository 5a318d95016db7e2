#include "memviz/svg.hpp"

#include "support/drawing.hpp"
#include "support/files.hpp"
#include "support/states.hpp"
#include "support/svg_check.hpp"

#include "memviz/input.hpp"

#include <doctest/doctest.h>

using namespace memviz;
using namespace memviz::test;

TEST_CASE("flame_svg answers first") {
  Drawing drawing = training();
  SUBCASE("with what has no stack, where that is most of it") {
    drawing.users.insert(drawing.users.begin(), {Pseudo::before_recording, {40'000'000, 40}});
    drawing.devices[0].figures.requested_bytes = 80'000'000;
    const std::string text = sentences(drawing.svg());
    CHECK(text.find("38.1 MiB (50.0 % of requested memory) has no stack: allocated before recording. The largest user "
                    "with one, forward linear.py:117 (torch's own), holds 19.5 MiB.") != std::string::npos);
  }
  SUBCASE("with nothing where nothing is in use") {
    drawing.users.clear();
    drawing.devices[0].figures.requested_bytes = 0;
    CHECK(visible_text(parse_svg(drawing.svg())).find("largest user") == std::string::npos);
  }
  SUBCASE("with how many share it, where no one stands out") {
    std::vector<Leaf> leaves;
    for (int i = 0; i < 100; ++i)
      leaves.push_back({"active_allocated;train.py:" + std::to_string(i + 1) + ":step", 1024});
    const std::string text = sentences(drawing_of(leaves).svg());
    CHECK(text.find("No line of code stands out: the largest of 100, step train.py:1, holds 1.00 KiB (1.0 % of "
                    "requested memory).") != std::string::npos);
  }
  SUBCASE("of a name of 200 letters it keeps the line") {
    Drawing long_name =
        drawing_of({{"active_allocated;/home/me/" + std::string(200, 'd') + ".py:41:" + std::string(200, 'f'), 1000}});
    const std::string svg = long_name.svg();
    check_svg(svg);
    const std::string text = sentences(svg);
    CHECK(text.find("dd.py:41, holds 1,000 B (100 % of requested memory).") != std::string::npos);
  }
}

TEST_CASE("flame_svg shows the moment, the time and what went wrong") {
  Drawing drawing = training();
  drawing.moment = "at the out-of-memory error, event 12 of 30";
  drawing.devices[0].figures.ooms = 2;
  drawing.devices[0].figures.first_time_us = 1'714'564'803'000'000;
  drawing.devices[0].figures.last_time_us = 1'714'564'805'500'000;
  const std::string text = visible_text(parse_svg(drawing.svg()));
  for (const char* expected : {"ran out of memory 2 times", "at the out-of-memory error, event 12 of 30",
                               "recorded 2024-05-01 12:00:03 to 12:00:05 UTC (2.50 s)"})
    CHECK_MESSAGE(text.find(expected) != std::string::npos, expected);
}

TEST_CASE("at an out-of-memory error flame_svg leads with what was asked for") {
  Drawing drawing = training();
  drawing.devices[0].figures.ooms = 1;
  drawing.devices[0].moment.kind = MomentKind::oom;
  drawing.devices[0].moment.asked_bytes = 3 << 20;
  std::string text = visible_text(parse_svg(drawing.svg()));
  CHECK(text.find("GPU 0 ran out of memory: 3.00 MiB asked for, ") != std::string::npos);
  CHECK(text.find(" of its reserved memory was in use. The largest user, ") != std::string::npos);
  CHECK(text.find("ran out of memory once") == std::string::npos);

  drawing.devices[0].figures.ooms = 2;
  text = visible_text(parse_svg(drawing.svg()));
  CHECK(text.find("ran out of memory 2 times") != std::string::npos);
}

TEST_CASE("flame_svg has a bar for each pool and stream where there are several") {
  Drawing drawing = training();
  for (const std::uint32_t stream : {0U, 0U, 5U, 6U, 7U, 8U, 9U}) {
    Segment segment;
    segment.stream = stream;
    segment.total_bytes = 1000 * (stream + 1);
    drawing.state.segments.push_back(segment);
  }
  SUBCASE("without private pools only the stream is named") {
    CHECK(visible_text(parse_svg(drawing.svg())).find("\nstream 9\n9.77 KiB reserved") != std::string::npos);
    return;
  }
  drawing.state.segments.back().pool = {0, 2};
  const std::string text = visible_text(parse_svg(drawing.svg()));
  CHECK(text.find("private pool (0, 2), stream 9\n9.77 KiB reserved") != std::string::npos);
  CHECK(text.find("default pool, stream 8\n8.79 KiB reserved") != std::string::npos);
  CHECK(text.find("2 more pools and streams\n7.81 KiB reserved") != std::string::npos);
}

TEST_CASE("flame_svg of several devices has a bar for each") {
  Drawing drawing =
      drawing_of({{"GPU 0;stream 0;active_allocated;train.py:1:main", 512}, {"GPU 3;stream 0;inactive", 4096}});
  drawing.devices[0].figures.reserved_bytes = 512;
  drawing.devices[0].figures.inactive_bytes = 0;
  drawing.devices.push_back(
      {.device = {3}, .figures = {{.segments = 1, .blocks = 1, .reserved_bytes = 4096, .inactive_bytes = 4096}, {}}});
  const std::string svg = drawing.svg();
  check_svg(svg);
  const std::string text = visible_text(parse_svg(svg));
  CHECK(text.find("512 B reserved on GPU 0, 100 % in use") != std::string::npos);
  CHECK(text.find("\nGPU 3\n") != std::string::npos);
  CHECK(text.find("4.00 KiB reserved, 0 % in use") != std::string::npos);
}

TEST_CASE("flame_svg adds no devices up") {
  Drawing drawing = training();
  drawing.devices.push_back({.device = {1}, .figures = {{.reserved_bytes = 1 << 20}, {}}});
  const std::string at_end = visible_text(parse_svg(drawing.svg()));
  CHECK(at_end.find("118 MiB reserved on GPU 0, 27.2 % in use") != std::string::npos);
  CHECK(at_end.find("119 MiB") == std::string::npos);
  for (DeviceState& device_state : drawing.devices) {
    device_state.figures.events = 10;
    device_state.moment.kind = MomentKind::peak;
  }
  const std::string text = visible_text(parse_svg(drawing.svg()));
  CHECK(text.find("GPU 0 at its peak: 118 MiB reserved, 27.2 % in use") != std::string::npos);
  CHECK(text.find("119 MiB") == std::string::npos);
  CHECK(text.find("1.00 MiB reserved, 0 % in use, at its peak") != std::string::npos);
  CHECK(text.find("of 2 GPUs, each at its own moment") != std::string::npos);
}

TEST_CASE("flame_svg shows warnings, and by how much accounts do not balance") {
  Drawing drawing = training();
  const std::vector<std::string> warnings = {"the accounts of GPU 0 do not balance",
                                             "two segments are not covered by their blocks"};
  drawing.recording->warnings = warnings;
  drawing.devices[0].figures.events = 10;
  drawing.devices[0].figures.imbalance_bytes = -4096;
  const std::string text = visible_text(parse_svg(drawing.svg()));
  CHECK(text.find(warnings[0]) != std::string::npos);
  CHECK(text.find(warnings[1]) != std::string::npos);
  CHECK(text.find("Accounts do not balance") != std::string::npos);
  CHECK(text.find("−4.00 KiB") != std::string::npos);
}

TEST_CASE("flame_svg does not let the errors of two devices cancel") {
  Drawing drawing = training();
  drawing.devices.push_back(drawing.devices[0]);
  for (DeviceState& device_state : drawing.devices)
    device_state.figures.events = 10;
  drawing.devices[0].figures.imbalance_bytes = 512;
  drawing.devices[1].figures.imbalance_bytes = -512;
  drawing.devices[1].device = {1};
  const std::string text = visible_text(parse_svg(drawing.svg()));
  CHECK(text.find("GPU 0: Accounts do not balance") != std::string::npos);
  CHECK(text.find("GPU 1: Accounts do not balance") != std::string::npos);
  CHECK(text.find("Accounts balance") == std::string::npos);
}

TEST_CASE("flame_svg at the peak gives the memory at the end once") {
  const Recording recording = read_snapshot(read_input((testdata() / "training_step.pickle").string()).bytes());
  const MemoryState state = state_at(recording, {.kind = MomentKind::peak});
  TreeOptions options;
  options.levels = memory_levels(state);
  const FrameTree tree = build_frame_tree(state, options);
  const FlamePicture picture{.file = "mem.pickle", .subject = memory_subject(state, {}), .tree = tree};
  const std::string text = visible_text(parse_svg(flame_svg(picture, {})));
  CHECK(text.find("At the end: ") != std::string::npos);
  CHECK(text.find("at the end\n") == std::string::npos);
}

TEST_CASE("rows of flame_svg that would look alike have the folders that distinguish them") {
  const std::string text = visible_text(parse_svg(drawing_of({{"active_allocated;/app/a/block.py:7:forward", 4096},
                                                              {"active_allocated;/app/b/block.py:7:forward", 2048},
                                                              {"active_allocated;/app/b/head.py:7:forward", 1024}})
                                                      .svg()));
  for (const char* expected : {"forward a/block.py:7", "forward b/block.py:7", "forward head.py:7"})
    CHECK_MESSAGE(text.find(expected) != std::string::npos, expected);
}

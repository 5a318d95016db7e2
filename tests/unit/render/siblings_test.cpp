#include "graph/siblings.hpp"

#include <doctest/doctest.h>
#include <string>
#include <string_view>
#include <vector>

// Boxes under one parent never say the same.

namespace memviz::render {
namespace {

class Siblings {
public:
  Siblings() { graph_.frames = &frames_; }

  void root() { graph_.boxes.emplace_back(); }
  void frame(std::string_view file, std::int64_t line, std::string_view name) {
    const FrameId id = frames_.add_frame({frames_.intern(name), frames_.intern(file), line});
    GraphBox box;
    box.role = BoxRole::frames;
    box.label = frame_label(frames_, id);
    box.frames = {id};
    graph_.boxes.push_back(box);
  }
  void group(const std::string& name) {
    GraphBox box;
    box.label.name = name;
    graph_.boxes.push_back(box);
  }
  GraphBox& last() { return graph_.boxes.back(); }

  /// Returns the labels without that of the root.
  [[nodiscard]] std::vector<std::string> labels(std::size_t columns) const {
    std::vector<std::string> found = shown_labels(graph_, [&](const GraphBox&) { return columns; });
    found.erase(found.begin());
    return found;
  }

private:
  FrameTable frames_;
  FlameGraph graph_;
};

using Labels = std::vector<std::string>;

} // namespace

TEST_CASE("siblings that would show the same words get what distinguishes them") {
  Siblings siblings;
  siblings.root();
  SUBCASE("the line") {
    siblings.frame("/app/adamw.py", 171, "_init_group");
    siblings.frame("/app/adamw.py", 175, "_init_group");
    CHECK(siblings.labels(30) == Labels{"_init_group adamw.py:171", "_init_group adamw.py:175"});
    CHECK(siblings.labels(17) == Labels{"_init_group :171", "_init_group :175"});
    CHECK(siblings.labels(9) == Labels{"_in… :171", "_in… :175"});
    CHECK(siblings.labels(5) == Labels{":171", ":175"});
    CHECK(siblings.labels(3) == Labels{"", ""});
  }
  SUBCASE("the file, where the line is the same") {
    siblings.frame("/app/a.py", 7, "update");
    siblings.frame("/app/b.py", 7, "update");
    CHECK(siblings.labels(13) == Labels{"update a.py:7", "update b.py:7"});
    CHECK(siblings.labels(10) == Labels{"up… a.py:7", "up… b.py:7"});
  }
  SUBCASE("more of the folder, where the file is the same as well") {
    siblings.frame("/app/left/model.py", 7, "update");
    siblings.frame("/app/right/model.py", 7, "update");
    CHECK(siblings.labels(40) == Labels{"update left/model.py:7", "update right/model.py:7"});
  }
  SUBCASE("names that are cut to the same beginning") {
    siblings.frame("/app/a.py", 1, "forward_left");
    siblings.frame("/app/a.py", 2, "forward_right");
    CHECK(siblings.labels(8) == Labels{"forw… :1", "forw… :2"});
  }
  SUBCASE("of a level above the stacks the end of its name") {
    siblings.group("segment 0x7f0000000000");
    siblings.group("segment 0x7f0002200000");
    CHECK(siblings.labels(10) == Labels{"…000000000", "…002200000"});
  }
  SUBCASE("a sign goes before it") {
    for (const int line : {1, 2}) {
      siblings.frame("/app/a.py", line, "update");
      siblings.last().label.note = "+1.00 MiB";
    }
    CHECK(siblings.labels(11) == Labels{"+ update :1", "+ update :2"});
  }
}

TEST_CASE("boxes of different parents may say the same") {
  Siblings siblings;
  siblings.root();
  siblings.frame("/app/a.py", 1, "f");
  siblings.frame("/app/a.py", 1, "update");
  siblings.last().parent = 1;
  siblings.frame("/app/a.py", 2, "update");
  siblings.last().parent = 0;
  CHECK(siblings.labels(6) == Labels{"f :1", "update", "update"});
}

} // namespace memviz::render

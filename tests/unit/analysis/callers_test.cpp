#include "graph/callers.hpp"

#include "page/naming.hpp"
#include "support/tree_builder.hpp"

#include <doctest/doctest.h>
#include <variant>

using namespace memviz;
using namespace memviz::render;

namespace {

NodeKey key_of(const test::BuiltTree<Amount>& built, std::string_view function) {
  for (const TreeNode<Amount>& node : built.tree.nodes)
    if (is_frame(node.key) && built.frames.name(std::get<FrameId>(node.key)) == function) return node.key;
  FAIL("no frame ", std::string(function));
  return {};
}

} // namespace

TEST_CASE("callers_of") {
  const std::string torch = "/usr/lib/python3/dist-packages/torch/nn/module.py";
  const auto built = test::tree_of({
      {"active_allocated;train.py:1:main;" + torch + ":5:_call;model.py:7:forward;" + torch +
           ":5:_call;layer.py:9:apply;" + torch + ":6:linear",
       1000},
      {"active_allocated;train.py:2:validate;layer.py:9:apply", 10},
      {"active_allocated;a.py:1:a;b.py:2:b;c.py:3:c;d.py:4:d;e.py:5:e;f.py:6:f", 10},
      {"active_allocated;g.py:1:g;g.py:1:g;h.py:1:h", 10},
      {"active_allocated;<before recording>", 10},
  });
  const auto origins = origins_of(built.frames);
  const auto of = [&](const NodeKey& key) {
    return callers_of({{key, {1, 1}}}, 10, built.frames, origins, built.tree).at(0);
  };
  SUBCASE("names the user's own frames of the heaviest stack, nearest first") {
    CHECK(of(key_of(built, "apply")) == "‹ forward model.py:7 ‹ main train.py:1");
  }
  SUBCASE("is bounded") {
    CHECK(of(key_of(built, "f")) == "‹ e e.py:5 ‹ d d.py:4 ‹ c c.py:3 ‹ b b.py:2");
  }
  SUBCASE("counts a recursion once") {
    CHECK(of(key_of(built, "h")) == "‹ g g.py:1");
  }
  SUBCASE("is empty where nothing of the user's own is above, and where there is no frame") {
    CHECK(of(key_of(built, "main")).empty());
    CHECK(of(Pseudo::before_recording).empty());
  }
  SUBCASE("looks at as many lines as asked for") {
    const UserLine line{key_of(built, "apply"), {1, 1}};
    CHECK(callers_of({line, line, line}, 2, built.frames, origins, built.tree).size() == 2);
  }
}

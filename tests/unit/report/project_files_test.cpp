#include "memviz/project_files.hpp"

#include "memviz/replay.hpp"
#include "support/small_snapshot.hpp"

#include <doctest/doctest.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

using namespace memviz;

namespace {

struct Project {
  std::string root;
  std::vector<std::string> paths; ///< of each frame of the stack, "" for one outside
  bool has_any = false;
};

/// Returns the project of one block with these frames.
Project project_of(const std::vector<std::string_view>& stack, const std::optional<std::string>& root = std::nullopt) {
  test::SmallSnapshot made;
  made.segment(0x1000, 512).active(512, 512, made.stack(stack));
  const MemoryState state = replay(made.take());
  const ProjectFiles files(state, root);
  Project project{.root = files.root(), .paths = {}, .has_any = files.has_any()};
  for (const FrameId frame : state.frames().stack(state.blocks[0].stack))
    project.paths.emplace(project.paths.begin(), files.path_of(state.frames().frame(frame).filename));
  return project;
}

using Paths = std::vector<std::string>;

constexpr std::string_view kTorch =
    "/home/me/project/.venv/lib/python3.12/site-packages/torch/nn/functional.py:1:linear";

} // namespace

TEST_CASE("paths are relative to the root that is given") {
  const std::vector<std::string_view> stack{"/home/me/project/train.py:3:main",
                                            "/home/me/project/net/model.py:5:forward", "/home/me/other/tools.py:7:help",
                                            "??:0:at::empty"};
  for (const std::string root : {"/home/me/project", "/home/me/project/"}) {
    const Project project = project_of(stack, root);
    CHECK(project.root == "/home/me/project");
    CHECK(project.paths == Paths{"train.py", "net/model.py", "", ""});
  }
  // A folder whose name only begins like the root is another one.
  CHECK(project_of(stack, "/home/me/pro").paths == Paths{"", "", "", ""});
  CHECK(!project_of(stack, "/home/me/pro").has_any);
}

TEST_CASE("packages that are installed within the root are not the project's") {
  CHECK(project_of({"/home/me/project/train.py:3:main", kTorch}, "/home/me/project").paths == Paths{"train.py", ""});
}

TEST_CASE("without a root it is the longest common folder of the user's own files") {
  const Project project = project_of({"/home/me/project/app/train.py:3:main", "/home/me/project/net/model.py:5:forward",
                                      kTorch, "<stdin>:1:<module>"});
  CHECK(project.root == "/home/me/project");
  CHECK(project.paths == Paths{"app/train.py", "net/model.py", "", ""});
  CHECK(project_of({"/home/me/project/app/train.py:3:main"}).root == "/home/me/project/app");
  CHECK(project_of({"/home/me/train.py:3:main", "/home/menu/model.py:3:forward"}).root == "/home");
}

TEST_CASE("what has no folder was found from where the program ran") {
  const Project project =
      project_of({"train.py:3:main", "/home/me/net/model.py:5:forward", "Allocator.cpp:7:c10::malloc"});
  CHECK(project.root == "/home/me/net");
  CHECK(project.paths == Paths{"train.py", "model.py", ""});
}

TEST_CASE("paths of Windows are distinguished by their folders as well") {
  test::SmallSnapshot made;
  FrameTable& frames = made.frames();
  std::vector<FrameId> stack;
  for (const char* file : {R"(D:\Dev\net\model.py)", R"(d:\Dev\train.py)", R"(C:\Python\Lib\site-packages\torch\a.py)"})
    stack.push_back(frames.add_frame({frames.intern("f"), frames.intern(file), 3}));
  made.segment(0x1000, 512).active(512, 512, frames.add_stack(stack));
  const MemoryState state = replay(made.take());
  const auto path = [&](const ProjectFiles& files, std::uint32_t frame) {
    return std::string(files.path_of(state.frames().frame({frame}).filename));
  };
  for (const auto& root : std::vector<std::optional<std::string>>{std::nullopt, "D:\\Dev", "d:/Dev/"}) {
    const ProjectFiles files(state, root);
    CHECK(files.root() == "D:/Dev");
    CHECK(path(files, 0) == "net/model.py");
    CHECK(path(files, 1) == "train.py");
    CHECK(path(files, 2).empty());
  }
}

TEST_CASE("in a program without Python the files count that asked for memory") {
  const Project project =
      project_of({"/src/app/main.cpp:9:main", "/src/app/net/model.cpp:12:Net::forward(at::Tensor)",
                  "/pytorch/aten/Empty.cpp:3:at::native::empty_cuda", "/src/app/net/layer.cpp:4:Layer::forward()"});
  CHECK(project.root == "/src/app/net");
  CHECK(project.paths == Paths{"", "model.cpp", "", "layer.cpp"});
}

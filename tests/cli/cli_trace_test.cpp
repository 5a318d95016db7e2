#include "support/files.hpp"
#include "support/process.hpp"
#include "support/snapshot_builder.hpp"

#include <cstddef>
#include <doctest/doctest.h>
#include <unistd.h>

namespace memviz {

using test::run;
using test::testdata_file;

namespace {

constexpr std::size_t kDeep = 5000;

/// One deep stack shared by 2,000 events: a file of 0.5 MB that would expand to 250 MB of text.
std::string deep_in_events(const test::TemporaryFolder& folder) {
  const test::PythonValue frames = test::frames_of(test::Stack(kDeep, "model.py:12:forward"));
  test::SnapshotBuilder builder;
  for (int i = 0; i < 2000; ++i)
    builder.event(
        test::dict({{"action", "alloc"}, {"addr", 4096 * i}, {"size", 512}, {"stream", 0}, {"frames", frames}}));
  test::write_bytes(folder / "deep.pickle", builder.pickle());
  return folder / "deep.pickle";
}

} // namespace

TEST_CASE("trace ends quietly when its reader does") {
  test::Process::Setup setup;
  int ends[2] = {-1, -1};
  REQUIRE(::pipe(ends) == 0);
  ::close(ends[0]);
  setup.output = ends[1];
  test::Process process({"trace", testdata_file("training_step"), "-q"}, setup);
  ::close(ends[1]);
  const auto gone = process.wait();
  CHECK(gone.exit_code == 1);
  CHECK(gone.err.empty());
}

TEST_CASE("a log with stacks out of all proportion to its file ends with an error, and leaves no file") {
  const test::TemporaryFolder folder;
  const std::string file = deep_in_events(folder);
  for (const std::string format : {"text", "ndjson"}) {
    CAPTURE(format);
    const auto outcome = run({"trace", file, "-q", "--stacks", "--format", format});
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.out.size() <= (std::size_t{65} << 20U) + 128 * test::read_bytes(file).size());
    CHECK(outcome.err.find("omit --stacks") != std::string::npos);
    const auto to_file = run({"trace", file, "-q", "--stacks", "--format", format, "-o", folder / "trace.txt"});
    CHECK(to_file.exit_code == 1);
    CHECK(folder.names().size() == 1);
    // Less is requested, and less is written.
    const auto few = run({"trace", file, "-q", "--stacks", "--format", format, "--to", "event:9"});
    CHECK(few.exit_code == 0);
    CHECK(few.out.size() > 10 * kDeep * 5);
  }
  CHECK(run({"trace", file, "-q"}).exit_code == 0);
}

} // namespace memviz

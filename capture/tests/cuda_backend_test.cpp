#include "memviz/capture/recorder.hpp"

#include "recorded_file.hpp"

#include <ATen/ATen.h>
#include <doctest/doctest.h>

#include <thread>

#ifdef MEMVIZ_CAPTURE_CUDA
#include "cuda/context_stacks.hpp"
#include "cuda/cuda_backend.hpp"
#include "cuda/libtorch_version.hpp"

#include <c10/cuda/CUDAStream.h>

using namespace memviz::capture;

namespace {

RecorderOptions cuda_options() {
  RecorderOptions options;
  options.device = c10::Device(c10::kCUDA, 0);
  return options;
}

class CudaRecording {
public:
  explicit CudaRecording(const RecorderOptions& options) : backend_(check_options(options)) {}
  ~CudaRecording() { backend_.stop(); }
  CudaRecording(const CudaRecording&) = delete;
  CudaRecording& operator=(const CudaRecording&) = delete;
  [[nodiscard]] CudaBackend& backend() { return backend_; }
  [[nodiscard]] SnapshotData snapshot() const { return backend_.snapshot(); }

private:
  CudaBackend backend_;
};

at::Tensor cuda_bytes(std::int64_t count) {
  return at::empty({count}, at::TensorOptions(c10::Device(c10::kCUDA, 0)).dtype(at::kByte));
}

} // namespace

TEST_CASE("without a CUDA device a recording on CUDA is refused") {
  if (at::hasCUDA()) return;
  Recorder recorder;
  CHECK_THROWS_WITH_AS(recorder.start(cuda_options()), "cannot record on cuda:0: there is no CUDA device",
                       std::runtime_error);
}

TEST_CASE("a recording on CUDA has the allocator's events and blocks") {
  if (!at::hasCUDA()) {
    MESSAGE("skipped: no CUDA device");
    return;
  }
  CudaRecording recording(cuda_options());
  const at::Tensor kept = cuda_bytes(90001);
  cuda_bytes(90002);
  recording.backend().annotate("mine", "START");
  const SnapshotData snapshot = recording.snapshot();
  CHECK(count_events(snapshot, "alloc", 90001) == 1);
  CHECK(count_events(snapshot, "alloc", 90002) == 1);
  CHECK(count_events(snapshot, "free_requested", 90002) == 1);
  CHECK(count_events(snapshot, "free_completed", 90002) == 1);
  CHECK(count_events(snapshot, "free_completed", 90001) == 0);
  bool has_block = false;
  for (const auto& segment : snapshot.segments) {
    std::uint64_t sum = 0;
    for (const auto& block : segment.blocks) {
      sum += block.size;
      if (block.requested_size != 90001 || std::string_view(block.state) != "active_allocated") continue;
      has_block = true;
      REQUIRE(block.stack != kNoStack);
      CHECK(names_of(snapshot, block.stack).size() > 2);
    }
    CHECK(sum == segment.total_size);
  }
  CHECK(has_block);
  REQUIRE(snapshot.annotations.size() == 1);
  CHECK(snapshot.annotations[0].name == "mine");
}

TEST_CASE("running out of CUDA memory dumps") {
  if (!at::hasCUDA()) {
    MESSAGE("skipped: no CUDA device");
    return;
  }
  const TemporaryFolder folder;
  RecorderOptions options = cuda_options();
  options.oom_directory = folder.path();
  Recorder recorder;
  recorder.start(options);
  CHECK_THROWS(cuda_bytes(std::int64_t{1} << 50));
  const auto files = std::filesystem::directory_iterator(folder.path());
  CHECK(std::distance(begin(files), end(files)) == 1);
}

TEST_CASE("equal stacks share a context") {
  start_gathering(true, 1 << 20);
  const auto gather = [] { return gather_context(); };
  std::vector<std::shared_ptr<c10::GatheredContext>> contexts;
  for (int i = 0; i < 3; ++i)
    contexts.push_back(gather());
  CHECK(contexts[0] != nullptr);
  CHECK(contexts[0] == contexts[1]);
  CHECK(contexts[1] == contexts[2]);

  ContextStacks stacks;
  for (const auto& context : contexts)
    stacks.add(context.get());
  stacks.add(nullptr);
  SnapshotData snapshot;
  stacks.finish(snapshot);
  CHECK(stacks[nullptr] == kNoStack);
  REQUIRE(stacks[contexts[0].get()] != kNoStack);
  CHECK_FALSE(snapshot.stacks.at(stacks[contexts[0].get()]).empty());
  stop_gathering();
  CHECK(gather_context() == nullptr);
}

TEST_CASE("native stacks beyond the bound are left out and counted") {
  start_gathering(true, 1);
  CHECK(stacks_left_out() == 0);
  CHECK(gather_context() == nullptr);
  CHECK(gather_context() == nullptr);
  CHECK(stacks_left_out() == 2);
  stop_gathering();
  start_gathering(true, 1);
  CHECK(stacks_left_out() == 0);
  stop_gathering();
}

TEST_CASE("native stacks that are held count to the bound until they are not") {
  // Room for one stack, as deep as those here, but not for two.
  start_gathering(true, 1 << 20);
  const auto depth = std::dynamic_pointer_cast<StackContext>(gather_context())->native->size();
  stop_gathering();
  start_gathering(true, depth * sizeof(void*) * 3 / 2 + 256);
  // Beside Python's frames the addresses are held without the context that they came in.
  auto held = std::dynamic_pointer_cast<StackContext>(gather_context())->native;
  REQUIRE(held != nullptr);
  const auto gather_elsewhere = [] { return gather_context(); };
  CHECK(gather_elsewhere() == nullptr);
  held.reset();
  bool has_room = false;
  for (int i = 0; i < 3000 && !has_room; ++i) // places are looked for once in a while
    has_room = gather_elsewhere() != nullptr;
  CHECK(has_room);
  stop_gathering();
}

TEST_CASE("the settings tell what a recording on CUDA has lost") {
  SnapshotData snapshot;
  const auto setting = [&](const char* name) {
    const auto is_it = [&](const auto& pair) { return pair.first == name; };
    const auto found = std::find_if(snapshot.settings.begin(), snapshot.settings.end(), is_it);
    REQUIRE(found != snapshot.settings.end());
    return std::get<std::int64_t>(found->second);
  };
  snapshot.traces = {{}, std::vector<EventData>(3)};
  add_recording_settings(4, 7, snapshot);
  CHECK(setting("trace_alloc_max_entries") == 4);
  CHECK(setting("trace_alloc_overflowed") == 0);
  CHECK(setting("memviz_stacks_left_out") == 7);
  snapshot.settings.clear();
  add_recording_settings(3, 0, snapshot);
  CHECK(setting("trace_alloc_overflowed") == 1);
}

TEST_CASE("Python's frames stand inside those of the interpreter") {
  const std::vector<FrameData> frames{{"at::empty", "", 0},
                                      {"_PyEval_EvalFrameDefault", "", 0},
                                      {"main", "", 0},
                                      {"inner", "a.py", 1},
                                      {"outer", "a.py", 2}};
  using Frames = std::vector<std::uint32_t>;
  CHECK(merge_python({0, 1, 2}, {3, 4}, frames) == Frames{0, 3, 1, 2, 4});
  CHECK(merge_python({}, {3, 4}, frames) == Frames{3, 4});
  CHECK(merge_python({0, 1, 2}, {}, frames) == Frames{0, 1, 2});
}

namespace {

/// As LibTorch 2.4 and 2.7 declare it.
struct OldAllocator {
  std::size_t entries = 0;
  void recordHistory(bool, libtorch::allocator::CreateContextFn, std::size_t max_entries,
                     libtorch::allocator::RecordContext) {
    entries = max_entries;
  }
};
struct MiddleAllocator {
  bool cleared = false;
  void recordHistory(bool, libtorch::allocator::CreateContextFn, std::size_t, libtorch::allocator::RecordContext,
                     bool clear) {
    cleared = clear;
  }
};

/// Keeps in what order it was told what.
struct TellingAllocator {
  struct Call {
    bool enabled;
    bool has_recorder;
    std::size_t max_entries;
    libtorch::allocator::RecordContext context;
    bool operator==(const Call&) const = default;
  };
  std::vector<Call> calls;
  void recordHistory(bool enabled, libtorch::allocator::CreateContextFn gather, std::size_t max_entries,
                     libtorch::allocator::RecordContext context) {
    calls.push_back({enabled, gather != nullptr, max_entries, context});
  }
};

} // namespace

TEST_CASE(
    "a recording ends by asking for no stacks before it takes away who is asked, with the ring as long as it is") {
  using Context_ = libtorch::allocator::RecordContext;
  TellingAllocator allocator;
  libtorch::end_history(allocator, &gather_context, 1000);
  using Calls = std::vector<TellingAllocator::Call>;
  CHECK((allocator.calls == Calls{{true, true, 1000, Context_::NEVER}, {false, false, 1000, Context_::NEVER}}));
}

TEST_CASE("the devices share the bytes of the history") {
  RecordingOptions options;
  options.max_entries = 1'000'000;
  options.max_bytes = 1 << 20;
  const std::size_t alone = max_entries_of(options, 1);
  CHECK(alone > 100);
  CHECK(max_entries_of(options, 4) == alone / 4);
  options.max_entries = 50;
  CHECK(max_entries_of(options, 2) == 50);
}

TEST_CASE("PyTorch takes a context of ours for one of its own") {
  start_gathering(true, 1 << 20);
  const std::shared_ptr<c10::GatheredContext> context = gather_context();
  stop_gathering();
  auto* const theirs = dynamic_cast<torch::CapturedTraceback*>(context.get());
  REQUIRE(theirs != nullptr);
  CHECK(torch::symbolize({theirs}).tracebacks.at(0).empty());
}

TEST_CASE("a traceback of Python that cannot be moved is held") {
  struct Unmovable : torch::CapturedTraceback {
    Unmovable() = default;
    Unmovable(Unmovable&&) = delete;
  };
  const auto gathered = std::make_shared<Unmovable>();
  CHECK(StackContext(gathered).python == gathered.get());
  const StackContext context(torch::CapturedTraceback::gather(true, true, false));
  CHECK(context.python != nullptr);
}

TEST_CASE("older allocators are called as they are declared") {
  using Context_ = libtorch::allocator::RecordContext;
  OldAllocator old;
  libtorch::record_history(old, true, &gather_context, 7, Context_::ALL, {});
  CHECK(old.entries == 7);
  CHECK_THROWS_AS(libtorch::record_history(old, true, &gather_context, 7, Context_::ALL, {"oom"}), std::runtime_error);
  libtorch::record_annotation(old, {{"name", "x"}}); // has none: nothing happens
  MiddleAllocator middle;
  libtorch::record_history(middle, true, &gather_context, 7, Context_::ALL, {});
  CHECK(middle.cleared);
}

#else

TEST_CASE("a recording on CUDA has the allocator's events and blocks") {
  MESSAGE("skipped: this LibTorch has no CUDA");
}

#endif

#include "verdict/fit_words.hpp"

#include "verdict/fit.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <fmt/ranges.h>
#include <functional>
#include <string>
#include <vector>

using namespace memviz;

namespace {

constexpr std::uint64_t kFitMiB = std::uint64_t{1} << 20U;

bool is_noted(const rehearse::FitVerdict& verdict, const std::string& sentence) {
  const std::vector<std::string> list = rehearse::notes(verdict);
  return std::ranges::any_of(list, [&](const std::string& note) { return note.find(sentence) != std::string::npos; });
}

/// A program that took 20 of 24 GiB.
rehearse::FitVerdict of_a_small_gpu() {
  rehearse::FitVerdict verdict;
  verdict.outcome = rehearse::FitOutcome::fits;
  verdict.profile = {.name = "small", .gpu = "A Small GPU", .total_bytes = 24576 * kFitMiB};
  verdict.facts.used_cuda = true;
  verdict.facts.uses = {{.pid = 7, .device = {0}, .total_bytes = 24576 * kFitMiB, .peak_bytes = 20480 * kFitMiB}};
  return verdict;
}

/// Returns the headline, the short text and the notes, a line each.
std::string all_words(const rehearse::FitVerdict& verdict) {
  return fmt::format("{}\n{}\n{}", rehearse::headline(verdict), rehearse::short_text(verdict),
                     fmt::join(rehearse::notes(verdict), "\n"));
}

struct FitWordsCase {
  std::function<void(rehearse::FitVerdict&)> change;
  std::string words;
};

} // namespace

TEST_CASE("all that a verdict says") {
  using rehearse::FitOutcome;
  using rehearse::FitVerdict;
  const std::vector<FitWordsCase> cases{
      {[](FitVerdict&) {}, R"(Fits on A Small GPU (small): 20.0 GiB of 24.0 GiB at the peak, 4.00 GiB left.
fits: 20.0 GiB of 24.0 GiB
)"},
      {[](FitVerdict& v) { v.other_end = {.is_latest = true, .peak_bytes = 20480 * kFitMiB}; },
       R"(Fits on A Small GPU (small): 20.0 GiB of 24.0 GiB at the peak, 4.00 GiB left.
fits: 20.0 GiB of 24.0 GiB
Memory used on another stream becomes free when that stream's work is done: at the earliest when it is submitted, at the latest when the host waits for it. Both ends have the same peak.)"},
      {[](FitVerdict& v) { v.other_end = {.is_latest = false, .peak_bytes = 10240 * kFitMiB}; },
       R"(Fits on A Small GPU (small): 10.0 GiB to 20.0 GiB of 24.0 GiB at the peak, 4.00 GiB left.
fits: 10.0 GiB to 20.0 GiB of 24.0 GiB
Memory used on another stream becomes free when that stream's work is done: at the earliest when it is submitted, at the latest when the host waits for it. The peak is 10.0 GiB at the earliest and 20.0 GiB at the latest; the other figures here are those of the latter.)"},
      {[](FitVerdict& v) {
         v.outcome = FitOutcome::does_not_fit;
         v.facts.oom_count = 1;
         v.facts.ooms.emplace_back().asked_bytes = 8192 * kFitMiB;
         v.ending.exit_code = 1;
         v.other_end = {.is_latest = true, .outcome = FitOutcome::does_not_fit};
       },
       R"(Does not fit on A Small GPU (small): it ran out of memory.
does not fit: 8.00 GiB asked for
Memory used on another stream becomes free when that stream's work is done: at the earliest when it is submitted, at the latest when the host waits for it. The program runs out of memory at both ends.)"},
      {[](FitVerdict& v) {
         v.outcome = FitOutcome::does_not_fit;
         v.facts.oom_count = 3;
         v.facts.library_asked_bytes = 64 * kFitMiB;
         v.facts.most_other_bytes = 1024 * kFitMiB;
         v.other_end = {.is_latest = false, .peak_bytes = 10240 * kFitMiB};
       },
       R"(May not fit on A Small GPU (small): it ran out of memory 3 times, caught the error and went on, while other processes had 1.00 GiB of the GPU: libraries outside PyTorch asked for 64.0 MiB.
does not fit: 64.0 MiB asked for by libraries
Memory used on another stream becomes free when that stream's work is done: at the earliest when it is submitted, at the latest when the host waits for it. At the earliest the program fits, with 10.0 GiB at the peak; the other figures here are those of the latest. A real run is between them.)"},
      {[](FitVerdict& v) {
         v.facts.is_stopped = true;
         v.facts.steps = 1;
         v.facts.interrupted_at = "train.py:7";
       },
       R"(Fits on A Small GPU (small): 20.0 GiB of 24.0 GiB at the peak, 4.00 GiB left.
fits: 20.0 GiB of 24.0 GiB
It was at train.py:7 when it was interrupted.
Stopped after 1 optimizer step, as requested; later work, such as an evaluation, is not included.)"},
      {[](FitVerdict& v) {
         v.steps_asked = 3;
         v.facts.steps = 2;
       },
       R"(Fits on A Small GPU (small): 20.0 GiB of 24.0 GiB at the peak, 4.00 GiB left.
fits: 20.0 GiB of 24.0 GiB
--steps 3: the program ended after 2 steps that PyTorch's optimizers counted.)"},
      {[](FitVerdict& v) {
         v.neighbours = {{.command = "python a.py", .peak_bytes = 512 * kFitMiB},
                         {.command = "python b.py", .peak_bytes = 256 * kFitMiB, .is_sure = false}};
         v.facts.uses.front().peak_all_bytes = 21504 * kFitMiB;
       },
       R"(May fit on A Small GPU (small): 20.0 GiB of 24.0 GiB at the peak, 21.0 GiB with other processes, 3.00 GiB left.
may fit: 20.0 GiB of 24.0 GiB, 21.0 GiB with other processes
On the GPU before it: python a.py, which takes 512 MiB at its peak and is counted with it from the beginning.
On the GPU before it: python b.py, which takes 256 MiB at its peak and is counted with it from the beginning. It may take more: rehearse it alone to see why.)"},
      {[](FitVerdict& v) {
         v.facts.uses.front().context_bytes = 500 * kFitMiB;
         v.facts.uses.front().outside_bytes = v.profile.kernels_bytes = 240 * kFitMiB;
         v.facts.convolutions = 1;
         v.facts.has_own_recorder = true;
       },
       R"(Fits on A Small GPU (small): 20.0 GiB of 24.0 GiB at the peak, 4.00 GiB left; workspaces of convolutions take 0 to 98.0 MiB more.
fits: 20.0 GiB of 24.0 GiB
The program records its own history, so who holds memory is known only from where that history begins.
500 MiB of each device for the CUDA context and 240 MiB for kernels outside PyTorch are typical; the real memory depends on the driver and the loaded kernels.
Of the workspaces of convolutions, the part that converts tensors is counted, as on an H100. There one took up to 98.0 MiB more with kernels of up to 3 x 3, and the memory that PyTorch reserved was up to 14 % more; if memory is short, PyTorch chooses a smaller one. With torch.backends.cudnn.benchmark the first calls try larger ones, up to all free memory.)"},
      {[](FitVerdict& v) {
         v.facts.uses.front().context_bytes = 500 * kFitMiB;
         v.facts.uses.front().peak_bytes = v.profile.total_bytes - 50 * kFitMiB;
         v.facts.convolutions = 1;
         for (const char* const name : {"cuA", "cuB", "cuC", "cuD", "cuE"})
           v.facts.notes.push_back(std::string("a function that is not made up was asked for: ") + name);
         v.facts.notes.emplace_back("something else");
       },
       R"(Fits on A Small GPU (small): 24.0 GiB of 24.0 GiB at the peak, 50.0 MiB left; workspaces of convolutions take 0 to 50.0 MiB more.
fits: 24.0 GiB of 24.0 GiB
500 MiB of each device for the CUDA context is typical; the real memory depends on the driver and the loaded kernels.
Of the workspaces of convolutions, the part that converts tensors is counted, as on an H100. There one took up to 98.0 MiB more with kernels of up to 3 x 3, and the memory that PyTorch reserved was up to 14 % more; if memory is short, PyTorch chooses a smaller one. With torch.backends.cudnn.benchmark the first calls try larger ones, up to all free memory.
something else
5 functions that the made-up GPU does not have were looked up: cuA, cuB, cuC and 2 more.)"},
      {[](FitVerdict& v) {
         v.facts.notes = {"a function that is not made up was asked for: cuA"};
         v.profile.system_bytes = 1024 * kFitMiB;
         v.facts.uses.front().peak_all_bytes = 21504 * kFitMiB;
       },
       R"(Fits on A Small GPU (small): 20.0 GiB of 24.0 GiB at the peak, 21.0 GiB with the system, 3.00 GiB left.
fits: 20.0 GiB of 24.0 GiB, 21.0 GiB with the system
1 function that the made-up GPU does not have was looked up: cuA.)"},
      {[](FitVerdict& v) {
         v.profile.system_bytes = 1024 * kFitMiB;
         v.facts.uses.front().peak_all_bytes = 21505 * kFitMiB;
       },
       R"(Fits on A Small GPU (small): 20.0 GiB of 24.0 GiB at the peak, 21.0 GiB with the system and other processes, 3.00 GiB left.
fits: 20.0 GiB of 24.0 GiB, 21.0 GiB with the system and other processes
)"},
      {[](FitVerdict& v) {
         v.outcome = FitOutcome::failed;
         v.ending.exit_code = 4;
         v.facts.failures = {"ValueError: no"};
         v.facts.failure_counts = {{"ValueError: no", 2}};
       },
       R"(No answer: the program ended with exit code 4, for a reason other than memory. Until then on A Small GPU (small): 20.0 GiB of 24.0 GiB at the peak, 4.00 GiB left.
no answer: the program ended with exit code 4
Part of the recording failed, and the program continued: ValueError: no (2 times))"},
      {[](FitVerdict& v) {
         v.outcome = FitOutcome::failed;
         v.ending.exit_code = 1;
         v.facts.refusals = {"rank 3 does not answer"};
       },
       R"(No answer: rank 3 does not answer. The program ended with exit code 1.
no answer: rank 3 does not answer
)"},
      {[](FitVerdict& v) {
         v.outcome = FitOutcome::failed;
         v.ending.exit_code = 1;
         v.facts.uses.clear();
         v.facts.used_cuda = false;
         v.facts.torches = {"2.6.0+cpu"};
       },
       R"(No answer: the program ended with exit code 1, for a reason other than memory.
no answer: the program ended with exit code 1
The program never used a GPU: its torch 2.6.0+cpu was built without CUDA.)"},
      {[](FitVerdict& v) {
         v.outcome = FitOutcome::no_gpu;
         v.facts = {};
         v.facts.torches = {"2.6.0"};
         v.facts.has_cuda_torch = true;
       },
       R"(No answer. The program never used a GPU: it imported torch, but never initialised CUDA. Programs that choose the CPU by an option also do so here.
no answer: no GPU was used
)"},
      {[](FitVerdict& v) {
         v.outcome = FitOutcome::no_gpu;
         v.facts = {};
       },
       R"(No answer. The program never used a GPU: nothing initialised CUDA. A statically linked CUDA runtime cannot be replaced, and Python started with -I, -E or -S ignores memviz's hook.
no answer: no GPU was used
)"},
      {[](FitVerdict& v) {
         v.outcome = FitOutcome::no_gpu;
         v.neighbour = "python a.py";
       },
       R"(No answer: python a.py used no GPU.
no answer: no GPU was used
)"},
  };
  for (const FitWordsCase& one : cases) {
    FitVerdict verdict = of_a_small_gpu();
    one.change(verdict);
    CHECK(all_words(verdict) == one.words);
  }
}

TEST_CASE("a program only just fits where PyTorch had to try again, and processes that share a GPU are named") {
  rehearse::FitVerdict verdict;
  verdict.outcome = rehearse::FitOutcome::fits;
  verdict.facts.uses.resize(2);
  for (rehearse::DeviceUse& use : verdict.facts.uses)
    use.total_bytes = use.peak_bytes = 60 * kFitMiB;
  verdict.facts.uses[1].peak_all_bytes = 50 * kFitMiB;
  CHECK_FALSE(is_noted(verdict, "It only just fits: "));
  CHECK(is_noted(verdict,
                 "was used by 2 processes, which found taken what the others had: 60.0 MiB of 60.0 MiB at most, at"));
  verdict.facts.uses[0].retries = 1;
  CHECK(is_noted(verdict, "It only just fits: the device had no more memory"));
  verdict.facts.uses.pop_back();
  CHECK_FALSE(is_noted(verdict, "found taken"));
}

TEST_CASE("a program that fails is quoted") {
  rehearse::FitVerdict verdict;
  verdict.outcome = rehearse::FitOutcome::failed;
  verdict.ending.exit_code = 1;
  verdict.facts.error = "ValueError: 1 microbatch for 2 stages";
  CHECK(rehearse::short_text(verdict) ==
        "no answer: the program ended with exit code 1: ValueError: 1 microbatch for 2 stages");
  CHECK(rehearse::deciding_memory(verdict) == verdict.facts.error);
  CHECK(rehearse::headline(verdict) ==
        "No answer: the program ended with exit code 1, for a reason other than memory (ValueError: 1 microbatch for 2 "
        "stages).");
  verdict.ending.signal = 9; // after an error that it caught
  CHECK(rehearse::deciding_memory(verdict) == "the program was ended by SIGKILL");
}

TEST_CASE("a program that used no GPU has no answer, however it ended") {
  rehearse::FitVerdict verdict;
  verdict.outcome = rehearse::FitOutcome::no_gpu;
  CHECK(rehearse::short_text(verdict) == "no answer: no GPU was used");
  CHECK(rehearse::deciding_memory(verdict) == "no GPU was used");
}

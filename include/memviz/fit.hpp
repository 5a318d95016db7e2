#pragma once

// The figures of rehearsed runs, in which a program ran on the made-up GPU: whether it fits, the memory it took and the
// lines that held it; of a search for the largest number that fits, and of a program under other settings.

#include "memviz/device_state.hpp"
#include "memviz/ending.hpp"
#include "memviz/explain_words.hpp"
#include "memviz/fit_server.hpp"
#include "memviz/kind_totals.hpp"
#include "memviz/lost_history.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memviz::rehearse {

/// One kind of GPU: a small text of lines "key = value", with # before a comment.
struct Profile {
  std::string name; ///< "h100-80": its file's name
  std::string gpu;  ///< "NVIDIA H100 80GB HBM3"
  std::uint64_t total_bytes = 0;
  std::uint64_t context_bytes = 0; ///< what a process takes of it before it allocates anything
};

/// The memory that one process took of one device. All sizes are bytes.
struct DeviceUse {
  std::int64_t pid = 0;
  std::optional<std::int64_t> rank = {};
  DeviceId device;
  std::uint64_t total_bytes = 0;
  std::uint64_t context_bytes = 0;
  std::uint64_t outside_bytes = 0;                       ///< of --outside; nothing of it before the first kernel
  std::uint64_t peak_bytes = 0;                          ///< of the device, with the context's
  std::optional<std::uint64_t> peak_reserved_bytes = {}; ///< of PyTorch's allocator; nothing without the hook
  std::optional<std::uint64_t> peak_allocated_bytes = {};
  std::uint64_t retries = 0; ///< how often all cached memory was given back because the device had no more

  [[nodiscard]] std::uint64_t left_bytes() const { return total_bytes > peak_bytes ? total_bytes - peak_bytes : 0; }
};

/// An out-of-memory error of PyTorch's allocator.
struct OutOfMemoryFact {
  std::int64_t pid = 0;
  std::optional<std::int64_t> rank = {};
  DeviceId device;
  std::uint64_t asked_bytes = 0;
  std::string file;             ///< "" where none was written
  std::uint64_t free_bytes = 0; ///< on the device
};

/// A snapshot that the hook wrote.
struct WrittenFile {
  std::int64_t pid = 0;
  std::string path;
};

/// A line of the program that copies device memory to the host, and how often it did.
struct ReadLine {
  std::string line; ///< "generation/utils.py:395"
  std::uint64_t count = 0;
  std::uint64_t unknown_count = 0; ///< of an integer that is not known, and zero
  std::uint64_t made_up_count = 0; ///< of a value that is made up, such as a mask that selects everything
};

struct RunFacts {
  std::vector<DeviceUse> uses; ///< by rank, then process, then device; only what was used
  std::vector<OutOfMemoryFact> ooms;
  std::uint64_t oom_count = 0;      ///< of uncaught ones outside of PyTorch's allocator as well
  std::vector<WrittenFile> files;   ///< those of the end of a process
  std::vector<std::string> torches; ///< versions of torch that were imported
  bool has_cuda_torch = false;      ///< one of them was built with CUDA
  bool used_cuda = false;
  bool has_own_recorder = false; ///< the program records its own history
  bool is_stopped = false;       ///< by --steps
  std::uint64_t steps = 0;       ///< optimizer steps, the most of any process
  std::uint64_t host_reads = 0;
  std::uint64_t kernel_launches = 0;
  std::vector<std::string> notes;               ///< what the made-up GPU or absent ranks do not have; each once
  std::vector<std::string> failures;            ///< of the hook; each once
  std::vector<std::string> refusals = {};       ///< what a rank asked of absent ones in vain; each once
  std::vector<std::uint64_t> needed_ranks = {}; ///< absent ones, without whose objects it cannot go on
  std::vector<ReadLine> reads = {};             ///< the most first, at most five
  std::vector<ReadLine> decisions = {};         ///< of those, reads that may decide the program's way; at most five
  std::optional<ReadLine> waits_at = {};  ///< the line at which the program was ended, because it waits for a value
  std::string interrupted_at = {};        ///< the line at which a signal ended the program; "" where none did
  std::optional<ServerFacts> server = {}; ///< nothing where the program is no inference server
};

/// A line of code and the memory that it held.
struct Holder {
  std::string line; ///< "forward model.py:140"
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  std::vector<Holder> within = {}; ///< as UserLine::within
  std::string source = {};         ///< of the line, where its file is there and did not change
};

/// One device of a snapshot, at one moment.
struct FileFacts {
  std::string file;
  DeviceState device;                   ///< as the process counts them
  std::vector<Holder> holders = {};     ///< largest first, at most three
  KindAccount kinds = {};               ///< of the requested bytes
  KindAccount server_kinds = {};        ///< of those, what code of an inference server (vLLM, SGLang) asked for
  std::optional<LostHistory> loss = {}; ///< where the history does not reach back to everything
};

struct Failure {
  FileFacts facts;
  ExplanationText words; ///< the answer of `explain`
};

enum class FitOutcome : std::uint8_t {
  fits,
  does_not_fit, ///< PyTorch's allocator ran out of memory, whether or not the program caught that, or a server refused
                ///< to start for want of memory
  failed,       ///< the program ended with an error of another kind, or before the server was ready
  no_gpu,       ///< it ended well, but never used a GPU
};

/// The end that takes less, where a program was run at both. Memory that another stream uses becomes free at the
/// earliest when its work is submitted, at the latest when the host waits for it.
struct OtherEnd {
  bool is_latest = false;
  FitOutcome outcome = FitOutcome::fits;
  std::uint64_t peak_bytes = 0;
};

/// The other run of a program that was run twice because it reads values that may decide its way: once all are zeros,
/// so that nothing is selected, once small ones are computed, and a mask that is not known selects everything.
struct OtherValues {
  bool is_computed = false; ///< the other run is the one in which values are computed
  bool is_range = false;    ///< the program decides by values that are not known: a real run is between both
  FitOutcome outcome = FitOutcome::fits;
  std::uint64_t peak_bytes = 0;
  Ending ending = {};
  std::optional<ReadLine> waits_at = {};
};

struct FitVerdict {
  FitOutcome outcome = FitOutcome::no_gpu;
  Ending ending;
  Profile profile; ///< with the memory that was asked for
  std::optional<std::uint64_t> steps_asked = {};
  bool computes_values = false; ///< small ones; else all are zeros
  RunFacts facts = {};
  std::optional<FileFacts> peak = {};  ///< of the fullest process
  std::optional<Failure> failure = {}; ///< of the first out-of-memory error
  std::optional<OtherEnd> other_end = {};
  std::optional<OtherValues> other_values = {};
};

[[nodiscard]] FitOutcome outcome_of(const Ending& ending, const RunFacts& facts);

/// 0 where it fits, 3 where it does not, the program's own code where it failed otherwise, 1 where there is no answer.
[[nodiscard]] int exit_code(const FitVerdict& verdict);

/// The use of a device that left least; null where none was used.
[[nodiscard]] const DeviceUse* fullest(const RunFacts& facts);
/// The peak of that device; 0 where none was used.
[[nodiscard]] std::uint64_t peak_of(const FitVerdict& verdict);

/// A device that several processes used; each of them found all of it free.
struct SharedDevice {
  DeviceId device;
  std::uint64_t processes = 0;
  std::uint64_t peak_bytes = 0; ///< the sum of their peaks
  std::uint64_t total_bytes = 0;
};

/// Returns the devices that several processes share, one entry each.
[[nodiscard]] std::vector<SharedDevice> shared_devices(const RunFacts& facts);

struct SearchRange {
  std::string name; ///< of the environment variable
  std::uint64_t low = 1;
  std::uint64_t high = 1;
};

struct SearchRun {
  std::uint64_t value = 0;
  FitVerdict verdict;
};

struct SearchReport {
  SearchRange range;
  std::vector<SearchRun> runs = {};          ///< in the order in which they were made
  std::optional<std::uint64_t> largest = {}; ///< that fits; nothing where none does
  bool has_answer = true;                    ///< false: the last run failed for another reason than memory
};

/// The run that the answer describes: the largest that fits, else the last one.
[[nodiscard]] const SearchRun& answering_run(const SearchReport& report);
/// Whether the ends of the range have the same peak, as in a program that does not read the variable.
[[nodiscard]] bool makes_no_difference(const SearchReport& report);

struct FrontierRow {
  std::uint64_t value = 0; ///< of the second name
  SearchReport search;     ///< for the largest of the first
};

/// The largest number of one name for numbers of another, which are tried upward until nothing fits.
struct FrontierReport {
  SearchRange range;                  ///< of the second name
  std::vector<FrontierRow> rows = {}; ///< at least one, ascending
};

struct Variant {
  std::string setting; ///< "NAME=VALUE", or arguments of the program
  FitVerdict verdict;
};

struct VariantsReport {
  FitVerdict usual; ///< the program as it is
  std::vector<Variant> variants = {};
};

struct RankRun {
  std::uint64_t rank = 0;
  FitVerdict verdict;
};

/// A job of which some ranks were rehearsed, each alone.
struct RanksReport {
  std::uint64_t ranks = 1;        ///< of the job
  std::vector<RankRun> runs = {}; ///< at least one, by rank
};

/// The run that decides whether the job fits: the first that does not fit, else the first that gave no answer, else the
/// one that left least.
[[nodiscard]] const RankRun& deciding_run(const RanksReport& report);

/// A program on several GPUs, each of its processes on its own.
struct GpusReport {
  std::vector<RanksReport> gpus; ///< at least one, most memory first; a program that is not a job has one run on each
};

/// The profile of a GPU that was rehearsed on.
[[nodiscard]] const Profile& profile_of(const RanksReport& report);
/// The GPU that the answer describes: the smallest of those on which it fits, else the largest.
[[nodiscard]] const RanksReport& answering_gpu(const GpusReport& report);
/// 0 where it fits on any, else 3 where it does not fit on any, else the exit code of the answering GPU's run.
[[nodiscard]] int exit_code(const GpusReport& report);

} // namespace memviz::rehearse

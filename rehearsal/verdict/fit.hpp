#pragma once

// The figures of a rehearsed run, in which a program ran on the made-up GPU: whether it fits, the memory it took and
// the lines that held it.

#include "base/ending.hpp"
#include "memviz/device_state.hpp"
#include "memviz/lost_history.hpp"
#include "story/explain_words.hpp"
#include "story/kind_totals.hpp"
#include "verdict/fit_server.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace memviz::rehearse {

/// One kind of GPU, from a small text of lines "key = value", with # before a comment.
struct Profile {
  std::string name; ///< "h100-80": its file's name
  std::string gpu;  ///< "NVIDIA H100 80GB HBM3"
  std::uint64_t total_bytes = 0;
  std::uint64_t context_bytes = 0;     ///< taken by a process before it allocates anything
  std::uint64_t kernels_bytes = 0;     ///< taken outside PyTorch from the first kernel on; 0 if unknown
  std::uint64_t least_total_bytes = 0; ///< that any driver leaves; 0: all leave total_bytes
  std::uint64_t most_total_bytes = 0;  ///< likewise
  std::uint64_t system_bytes = 0;      ///< of the system, where CPU and GPU share the memory; 0 if they do not
  std::string also_called = {};        ///< "h100": the name by which this one of several is meant; may be ""
};

/// The memory that one process took of one device. All sizes are bytes.
struct DeviceUse {
  std::int64_t pid = 0;
  std::optional<std::int64_t> rank = {};
  DeviceId device;
  std::uint64_t total_bytes = 0;
  std::uint64_t context_bytes = 0;
  std::uint64_t outside_bytes = 0;  ///< by --outside, or typical of the GPU; none before the first kernel
  std::uint64_t peak_bytes = 0;     ///< of the device, including the context
  std::uint64_t peak_all_bytes = 0; ///< with other processes, at one time; 0 if unknown
  std::optional<std::uint64_t> peak_reserved_bytes = {}; ///< of PyTorch's allocator; nullopt without the hook
  std::optional<std::uint64_t> peak_allocated_bytes = {};
  std::uint64_t retries = 0; ///< how often the allocator released all cached memory because the device had no more

  /// At its peak, or at that with other processes.
  [[nodiscard]] std::uint64_t most_bytes() const { return std::max(peak_bytes, peak_all_bytes); }
  [[nodiscard]] std::uint64_t left_bytes() const { return total_bytes > most_bytes() ? total_bytes - most_bytes() : 0; }
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

/// A snapshot written by the hook.
struct WrittenFile {
  std::int64_t pid = 0;
  std::string path;
};

/// A line of the program that copies device memory to the host, and the number of copies.
struct ReadLine {
  std::string line; ///< "generation/utils.py:395"
  std::uint64_t count = 0;
  std::uint64_t unknown_count = 0; ///< reads of an unknown integer, which is zero
  std::uint64_t made_up_count = 0; ///< reads of a made-up value, such as a mask that selects everything
  std::uint64_t guessed_count = 0; ///< of these, those with which a program may take less than with others
};

/// The most bytes that a workspace of a convolution with a kernel of up to 3 x 3 took on an H100 in addition to what
/// the made-up GPU requests, in 1,929 passes (cuDNN 9.19). cuDNN documents no bound.
inline constexpr std::uint64_t kConvolutionWorkspaceBytes = 102760579;

struct RunFacts {
  std::vector<DeviceUse> uses; ///< by rank, then process, then device; only devices that were used
  std::vector<OutOfMemoryFact> ooms;
  std::uint64_t oom_count = 0; ///< uncaught, including those outside PyTorch's allocator
  /// The bytes that a library, such as cuBLAS for its workspace, asked for in vain outside PyTorch; 0 if none did.
  std::uint64_t library_asked_bytes = 0;
  std::uint64_t most_other_bytes = 0; ///< of a device, that other processes had when a request failed
  std::vector<WrittenFile> files;     ///< written at the end of a process
  std::vector<std::string> torches;   ///< of torch, as imported
  bool has_cuda_torch = false;        ///< whether one of them was built with CUDA
  bool used_cuda = false;
  bool has_own_recorder = false; ///< whether the program records its own history
  bool is_stopped = false;       ///< by --steps
  std::uint64_t steps = 0;       ///< optimizer steps; the maximum of all processes
  std::uint64_t host_reads = 0;
  std::uint64_t other_reads = 0;     ///< of these, reads of values other than zero; none without values
  std::uint64_t compiled_frames = 0; ///< functions that torch.compile compiled
  bool is_left_uncompiled = false;   ///< computing values kept torch.compile from compiling any
  std::uint64_t host_peak_bytes = 0; ///< memory of the host that all processes with a GPU had at most, each at its time
  std::uint64_t kernel_launches = 0;
  std::uint64_t convolutions = 0;    ///< prepared by cuDNN; only a part of their workspaces is counted
  std::uint64_t handle_bytes = 0;    ///< that handles of libraries take on one device on an H100, at most
  std::vector<std::string> notes;    ///< missing from the made-up GPU or the absent ranks; each once
  std::vector<std::string> failures; ///< from the hook; each once
  std::map<std::string, std::uint64_t> failure_counts = {}; ///< by these; absent for those not from the hook
  std::string error = {}; ///< with which the first process ended that did, as Python reports it; "" if none did
  std::vector<std::string> refusals = {};       ///< requests to absent ranks that were not answered; each once
  std::vector<std::uint64_t> needed_ranks = {}; ///< absent ranks whose objects it needs to continue
  std::vector<ReadLine> reads = {};             ///< the most frequent first, at most five
  std::vector<ReadLine> decisions = {};         ///< those whose values may decide the control flow; at most five
  std::optional<ReadLine> waits_at = {};        ///< the line where memviz ended it, waiting for a value never computed
  std::string interrupted_at = {};              ///< the line at which a signal ended the program; "" if none did
  std::optional<ServerFacts> server = {};       ///< nullopt if the program is not an inference server
};

/// A line of code and the memory that it held.
struct Holder {
  std::string line; ///< "forward model.py:140"
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  std::vector<Holder> within = {};       ///< as UserLine::within
  std::string source = {};               ///< of the line, if its file exists and did not change
  std::vector<std::string> callers = {}; ///< of the line, the nearest first, each as "validate eval.py:11"
};

/// One device of a snapshot, at one moment.
struct FileFacts {
  std::string file;
  DeviceState device;                   ///< as the process numbers them
  std::vector<Holder> holders = {};     ///< largest first, at most three
  KindAccount kinds = {};               ///< of the requested bytes
  KindAccount server_kinds = {};        ///< the part requested by an inference server's code (vLLM, SGLang)
  std::optional<LostHistory> loss = {}; ///< whether the history does not reach back to everything
};

/// A change to a program that may let it go on, and that can be tried without the program's help.
enum class FitChange : std::uint8_t {
  expandable_segments, ///< PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
  no_foreach,          ///< PyTorch's optimizers do not use their foreach implementation by default
};

struct Failure {
  FileFacts facts;
  ExplanationText words;               ///< the answer of `explain`
  std::vector<FitChange> changes = {}; ///< those that are worth a run
};

/// A change with which a program that did not fit was rehearsed again, and went on.
struct TriedChange {
  FitChange change = FitChange::expandable_segments;
  std::uint64_t left_bytes = 0; ///< of the device at the peak
  std::uint64_t more_steps = 0; ///< after the step that failed, where memviz ended the run; 0: it ran to its end
};

enum class FitOutcome : std::uint8_t {
  fits,
  does_not_fit, ///< PyTorch's allocator ran out of memory, whether or not the program caught that, or a server refused
                ///< to start because memory was too small
  failed,       ///< the program ended with another error, or before the server was ready
  no_gpu,       ///< it ended well, but never used a GPU
};

/// The end that takes less, if a program was run at both. Memory used on other streams becomes free at the earliest
/// when the work there is submitted, and at the latest when the host waits for it.
struct OtherEnd {
  bool is_latest = false;
  FitOutcome outcome = FitOutcome::fits;
  std::uint64_t peak_bytes = 0;
};

/// Why a run with values is no answer: computing them changed more than what the program reads.
enum class Disturbance : std::uint8_t {
  none,
  compiler, ///< torch.compile compiled nothing, unlike in the run with zeros
  unread,   ///< the peaks differ, although every value that the program read was zero
};

/// The other run of a program that ran twice because it reads values that may decide its control flow: once all are
/// zeros, so that nothing is selected, once small ones are computed, and an unknown mask selects everything.
struct OtherValues {
  bool is_computed = false; ///< the other run is the one in which values are computed
  bool is_range = false;    ///< the program decides by values that are not known: a real run is between both
  Disturbance disturbance = Disturbance::none; ///< of the run with values
  FitOutcome outcome = FitOutcome::fits;
  std::uint64_t peak_bytes = 0;
  Ending ending = {};
  std::optional<ReadLine> waits_at = {};
};

/// A program that has its memory on the GPU before the rehearsed program begins (--share).
struct Neighbour {
  std::string command;
  std::uint64_t peak_bytes = 0; ///< of its fullest device, with the context of each of its processes
  bool is_sure = true;          ///< whether it surely takes no more, so that it fits
};

struct FitVerdict {
  FitOutcome outcome = FitOutcome::no_gpu;
  Ending ending;
  Profile profile; ///< including the memory requested when it ran out
  std::optional<std::uint64_t> steps_asked = {};
  bool computes_values = false; ///< small ones are computed; else all are zeros
  bool has_outside = false;     ///< --outside says what is taken outside PyTorch
  RunFacts facts = {};
  std::optional<FileFacts> peak = {};  ///< of the fullest process
  std::optional<Failure> failure = {}; ///< of the first out-of-memory error
  std::vector<TriedChange> tried = {};
  std::vector<Neighbour> neighbours = {}; ///< in the order in which they came
  std::string neighbour = {};             ///< the one that this verdict is about; "": the program itself
  std::optional<OtherEnd> other_end = {};
  std::optional<OtherValues> other_values = {};
};

[[nodiscard]] FitOutcome outcome_of(const Ending& ending, const RunFacts& facts);

/// Whether the run shows if the program fits: it did not fail for another reason, and used a GPU.
[[nodiscard]] bool is_answer(const FitVerdict& verdict);

/// Returns 0 if it fits, 3 if it does not, the program's own code if it failed otherwise, 1 if there is no answer.
[[nodiscard]] int exit_code(const FitVerdict& verdict);

/// Returns the device use that left the least memory; null if no device was used.
[[nodiscard]] const DeviceUse* fullest(const RunFacts& facts);
/// Returns the peak of that device; 0 if no device was used.
[[nodiscard]] std::uint64_t peak_of(const FitVerdict& verdict);

/// A device that several processes used.
struct SharedDevice {
  DeviceId device;
  std::uint64_t processes = 0;
  std::uint64_t peak_bytes = 0; ///< of all that used it at one time
  std::uint64_t total_bytes = 0;
};

/// Returns the devices that several processes share, one entry per device.
[[nodiscard]] std::vector<SharedDevice> shared_devices(const RunFacts& facts);

} // namespace memviz::rehearse

#pragma once

// A comparison -> sentences about it: which moments and devices are compared, and the result of its limit.

#include "memviz/compare.hpp"
#include "memviz/environment.hpp"
#include "memviz/step_compare.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memviz {

struct CompareSide {
  std::string file;        ///< the end of its path, from where it differs from the other
  std::string moment = {}; ///< "at the peak, event 5 of 9"
};

struct CompareReport {
  CompareSide before;
  CompareSide after;
  const Comparison& comparison;
  std::optional<GateVerdict> verdict = std::nullopt;
  std::vector<std::string> warnings = {};
  std::vector<EnvironmentChange> environment = {};
  std::optional<std::vector<StepComparison>> steps = {}; ///< by device, where requested
};

/// A line that changed, or a line within it.
struct ChangeRow {
  NodeKey key;
  Change change;
  std::string device; ///< "GPU 1: ", if the lines of several devices are kept apart; else ""
  std::string label;  ///< after it: "step train.py:12"; lines that would look alike have their folders
  bool is_within = false;
};

/// The lines that changed most, largest change first, and the sum of the others: for texts, Markdown and pictures.
struct ChangeTable {
  std::vector<ChangeRow> rows;
  std::size_t left_out = 0;
  std::int64_t left_out_bytes = 0;
};

/// Returns at most `most` of all lines, or of those that grew, or shrank, with the lines within them.
[[nodiscard]] ChangeTable change_table(const Comparison& comparison, std::size_t most,
                                       std::optional<bool> has_grown = std::nullopt);

/// Returns indices into Comparison::readings and devices: at most `most` of those whose figures changed most, in the
/// order of devices.
[[nodiscard]] std::vector<std::size_t> devices_that_changed_most(const Comparison& comparison, std::size_t most);

/// "and 3 more devices, which changed no more.": those that are not shown.
[[nodiscard]] std::string more_devices_text(std::size_t devices);

/// Returns a few words for the moment that all devices of both sides share, "at the peak"; "" if they do not share one.
[[nodiscard]] std::string common_moment(const Comparison& comparison);

/// Returns the device of a line, "GPU 1: ", if the lines of several devices are kept apart; else "".
[[nodiscard]] std::string device_prefix(const Comparison& comparison, const UserLineChange& line);

/// Returns the reason why lines are compared by function although `--match` did not request it, without a full stop; ""
/// if they are not.
[[nodiscard]] std::string match_text(const Comparison& comparison);
/// "a.py and b.py have the same functions, and are compared as one script"; "" unless a script was matched under
/// another name.
[[nodiscard]] std::string script_text(const Comparison& comparison);

/// Returns a sentence if addresses are in both lists of segments that only one side has, because their segments have
/// another size on the other; else "".
[[nodiscard]] std::string resized_text(const Comparison& comparison);

/// Returns a sentence, without its full stop, if the compared peaks are equal and only the ends differ: it names the
/// option that compares the ends; else "".
[[nodiscard]] std::string end_text(const Comparison& comparison);

/// Returns "60.4 MiB is classified only after, though the same lines hold as much before", if more memory changed
/// between unknown and the other kinds than all lines together; else "".
[[nodiscard]] std::string classified_once_text(const Comparison& comparison);

/// A function that quotes a text of the snapshot, or a file's name, for a sentence.
using Quote = std::string (*)(const std::string&);

[[nodiscard]] std::string as_it_is(const std::string& text);

/// "the peak grew by 5.07 GiB (77.6 % of 6.53 GiB), more than --fail-over 2% allows; the most by step train.py:12
/// (+4.10 GiB at the peak)"; nullopt if no figure grew too much.
[[nodiscard]] std::optional<std::string> exceeded_text(const CompareReport& report, Quote quote = as_it_is);

/// "the peak is unknown: before.pickle has no events"; "" if all figures are known.
[[nodiscard]] std::string unknown_text(const CompareReport& report, Quote quote = as_it_is);

/// Returns a note on devices whose kind of moment differs between the sides, so that the difference is not growth
/// alone; "" if there are none.
[[nodiscard]] std::string uneven_text(const CompareReport& report);

/// "made with other settings: expandable_segments False before, True after; PyTorch 2.5 to 2.8 before, 2.10 after": the
/// first changes; "" if nothing differs.
[[nodiscard]] std::string environment_text(const std::vector<EnvironmentChange>& changes, Quote quote = as_it_is);

/// "they differ most in step 3: its peak is 96.0 MiB higher (597 MiB before, 693 MiB after)", or why steps cannot be
/// compared; names the device if there are several.
[[nodiscard]] std::string steps_difference_text(const StepComparison& steps, bool names_device);

/// Returns a warning, without its full stop, if the sides use different devices, which are compared by number; else "".
[[nodiscard]] std::string other_devices_text(const CompareReport& report);

} // namespace memviz

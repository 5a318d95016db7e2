#pragma once

// A comparison -> sentences about it: which moments and devices are compared, and what became of its limit.

#include "memviz/compare.hpp"
#include "memviz/environment.hpp"
#include "memviz/step_compare.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace memviz {

struct CompareSide {
  std::string file;        ///< the end of its path in which it differs from the other
  std::string moment = {}; ///< "at the peak, event 5 of 9"
};

struct CompareReport {
  CompareSide before;
  CompareSide after;
  const Comparison& comparison;
  std::optional<GateVerdict> verdict = std::nullopt;
  std::vector<std::string> warnings = {};
  std::vector<EnvironmentChange> environment = {};
  std::optional<std::vector<StepComparison>> steps = {}; ///< by device; where they were asked for
};

/// Indices into Comparison::readings and devices: those of which a figure changed most, at most `most`, in the order of
/// devices.
[[nodiscard]] std::vector<std::size_t> devices_that_changed_most(const Comparison& comparison, std::size_t most);

/// Returns the moment that all devices of both sides are at, in few words, "at the peak"; "" where they are not at one.
[[nodiscard]] std::string common_moment(const Comparison& comparison);

/// Returns the device of a line where lines of several devices are kept apart, "GPU 1: "; else "".
[[nodiscard]] std::string device_prefix(const Comparison& comparison, const UserLineChange& line);

/// Returns the reason why lines are compared by function although `--match` did not ask for it, without a full stop; ""
/// where they are not.
[[nodiscard]] std::string match_text(const Comparison& comparison);

/// Returns a sentence, without its full stop, where the compared peaks are the same and only the ends differ: it names
/// the option that compares those; else "".
[[nodiscard]] std::string end_text(const Comparison& comparison);

/// "60.4 MiB is classified only after, though the same lines hold as much before", where more changed between unknown
/// memory and the other kinds than all lines together; else "".
[[nodiscard]] std::string classified_once_text(const Comparison& comparison);

/// A function that quotes a text of the snapshot, or the name of a file, in a sentence.
using Quote = std::string (*)(const std::string&);

[[nodiscard]] std::string as_it_is(const std::string& text);

/// "the peak grew by 5.07 GiB (77.6 % of 6.53 GiB), more than --fail-over 2% allows; the most by step
/// train.py:12 (+4.10 GiB at the peak)"; nothing where nothing grew too much.
[[nodiscard]] std::optional<std::string> exceeded_text(const CompareReport& report, Quote quote = as_it_is);

/// "the peak is unknown: before.pickle has no events"; "" where all is known.
[[nodiscard]] std::string unknown_text(const CompareReport& report, Quote quote = as_it_is);

/// Returns a note on devices that are at another kind of moment before than after, so that the difference is not growth
/// alone; "" where none is.
[[nodiscard]] std::string uneven_text(const CompareReport& report);

/// "made with other settings: expandable_segments False before, True after; PyTorch 2.5 to 2.8 before, 2.10 after", of
/// the first changes; "" where nothing differs.
[[nodiscard]] std::string environment_text(const std::vector<EnvironmentChange>& changes, Quote quote = as_it_is);

/// "they differ most in step 3: its peak is 96.0 MiB higher (597 MiB before, 693 MiB after)", or why steps cannot be
/// compared; with the device where there are several.
[[nodiscard]] std::string steps_difference_text(const StepComparison& steps, bool names_device);

/// Returns a warning, without its full stop, where the sides use different devices, which are compared by number; else
/// "".
[[nodiscard]] std::string other_devices_text(const CompareReport& report);

} // namespace memviz

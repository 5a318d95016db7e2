#pragma once

// An explanation -> its sentences, one for each of its parts.

#include "memviz/explain.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memviz {

/// "checkpointing", "smaller batch", "smaller optimizer state", "settings"
[[nodiscard]] std::string_view lever_name(Lever lever);

/// An explanation in sentences.
struct ExplanationText {
  std::string title;                ///< "GPU 1 ran out of memory: 4.94 GiB asked for, 91.2 MiB free"
  std::string headline;             ///< what happened, in one sentence, with the requesting line
  std::string verdict;              ///< "Kept graphs: ...", the first cause; or "Exhaustion: ..."
  std::vector<std::string> keepers; ///< the variables that keep most, cycles and temporaries; none if unknown
  std::vector<std::string> reasons; ///< the figures behind it, and the facts that the file does not show
  std::vector<std::string> answers; ///< one for each of what_ifs
  std::vector<std::string> advice;  ///< only what an answer supports; may be empty
  /// Splits the two above into two lists that say each thing once: the advice plus the helpful answers that it does not
  /// mention; and all other answers.
  std::vector<std::string> helps;
  std::vector<std::string> does_not_help;
};

/// Whether the device must supply notably more than what is requested: a segment, or whole pages.
[[nodiscard]] bool takes_more(const DeviceExplanation& device);

/// Whether nothing was ever reserved on the device, so there is nothing to explain.
[[nodiscard]] bool is_unused(const DeviceExplanation& device);
/// "Nothing is reserved on 7 others: GPU 1, GPU 2, ...", about the devices that are not shown; "" if there are none. An
/// is_unused() device is shown only if all are unused: then the first one.
[[nodiscard]] std::string unused_text(const std::vector<DeviceExplanation>& devices);
/// Returns the devices that are shown: those that failed, or the one that holds most, first.
[[nodiscard]] std::vector<const DeviceExplanation*> shown_devices(const std::vector<DeviceExplanation>& devices);

/// Returns the callers of a line, the nearest first, each as "validate eval.py:11".
[[nodiscard]] std::vector<std::string> callers_text(const FrameTable& frames, const CalledLine& called);

[[nodiscard]] ExplanationText in_words(const MemoryState& state, const DeviceExplanation& device);

/// Returns the reasons for an answer that shows all devices: without what each of them held.
[[nodiscard]] std::vector<std::string> reasons_beside_devices(const ExplanationText& text);

/// "12 blocks of 3.00 MiB keep 2.00 GiB free from being returned, in 5 segments."
[[nodiscard]] std::string pinning_text(const Pins& pins);
/// "Since event 12, when 1.00 GiB was requested in all, allocated and kept:"
[[nodiscard]] std::string grown_text(const Growth& growth);
/// "Since event 12, 3.00 GiB was taken from the device for:"
[[nodiscard]] std::string reserved_text(const DeviceExplanation& device);
/// "The full answer covers 3 more devices."
[[nodiscard]] std::string not_shown_text(std::size_t devices);

/// Returns ", part of which was returned" if more memory was taken from the device since the low point than is reserved
/// at the moment; "" otherwise.
[[nodiscard]] std::string returned_text(const DeviceExplanation& device);

} // namespace memviz

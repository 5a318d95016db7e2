#pragma once

// What `check` found out about a file -> text for people and JSON for programs.

#include "memviz/read_by.hpp"
#include "memviz/recording.hpp"
#include "memviz/replay.hpp"
#include "pickle/survey.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace memviz::cli {

struct CheckReport {
  std::string file;
  std::uint64_t size_bytes = 0;               ///< decompressed
  std::optional<std::uint64_t> stored_bytes;  ///< of a file that is compressed
  std::optional<pickle::Survey> survey;       ///< of a pickle, unless the structure alone was asked for
  std::optional<ReadBy> read_by;              ///< none where no reader began
  std::string error;                          ///< why it is no snapshot; "" where it is one
  std::shared_ptr<const Recording> recording; ///< null where it is no snapshot
  std::optional<MemoryState> state;           ///< unless the structure alone was asked for
  double decoding_seconds = 0;

  [[nodiscard]] bool is_balanced() const;
};

/// At most 100 columns wide but for names and warnings.
[[nodiscard]] std::string check_text(const CheckReport& report);
[[nodiscard]] std::string check_json(const CheckReport& report);

/// Of a file that is a snapshot.
[[nodiscard]] std::vector<std::string> warnings_of(const CheckReport& report);

/// What the snapshot has of one device.
struct DeviceCounts {
  std::uint64_t segments = 0;
  std::uint64_t blocks = 0;
  std::uint64_t events = 0;
};
[[nodiscard]] DeviceCounts device_counts(const Recording& recording, std::uint32_t device);

/// Who wrote the file, by the traces that each writer leaves in it.
[[nodiscard]] std::string writer_text(const CheckReport& report);

} // namespace memviz::cli

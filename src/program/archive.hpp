#pragma once

// The bytes of a .pt2 file, which is a zip archive -> the texts that describe its program. Nothing is unpacked to disk,
// and neither tensors nor the pickles next to them are opened.

#include "memviz/flops.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::program {

/// The content of a file that torch.export.save wrote.
struct Archive {
  ArchiveLayout layout = ArchiveLayout::flat_zip;
  std::string model;        ///< the name of the program in the archive: "model"
  std::string program_json; ///< with 0 instead of NaN and Infinity, which PyTorch writes and JSON does not have
  std::string weights_json; ///< the table of weights; "" where there is none
};

/// `model` names one of several programs; without it there has to be one only. `bytes` must stay as they are meanwhile.
/// Throws Error: no zip archive, a damaged or encrypted one, entries that overlap or whose names lead out of it, one of
/// another kind (saved tensors, TorchScript, AOTInductor: the message says what it is), no such program, and a text
/// larger than 64 MiB and 200 times what it takes in the archive, or than 2 GiB.
[[nodiscard]] Archive read_archive(std::string_view bytes, const std::optional<std::string>& model);

} // namespace memviz::program

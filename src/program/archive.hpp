#pragma once

// The bytes of a .pt2 file, which is a zip archive -> the texts that describe its program. Nothing is unpacked to disk,
// and neither tensors nor the pickles next to them are opened.

#include "memviz/flops.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace memviz::program {

/// The contents of a file that torch.export.save wrote.
struct Archive {
  ArchiveLayout layout = ArchiveLayout::flat_zip;
  std::string model;        ///< the name of the program in the archive: "model"
  std::string program_json; ///< with 0 instead of NaN and Infinity, which PyTorch writes and JSON does not have
  std::string weights_json; ///< the table of weights; "" where there is none
};

/// `model` names one of several programs; without it there must be only one. `bytes` must not change meanwhile. Throws
/// Error: not a zip archive, a damaged or encrypted one, entries that overlap or whose names lead out of it, an archive
/// of another kind (saved tensors, TorchScript, AOTInductor: the message says which), no such program, or a text larger
/// than 64 MiB plus 200 times its size in the archive, or than 2 GiB.
[[nodiscard]] Archive read_archive(std::string_view bytes, const std::optional<std::string>& model);

} // namespace memviz::program

#pragma once

// The first bytes of a file -> how what it holds is packed.

#include <cstdint>
#include <string_view>

namespace memviz {

enum class Packing : std::uint8_t {
  none,
  compressed, ///< by a Compression
  zip,        ///< also the form of torch.save since PyTorch 1.6
  tar,
  base64,            ///< of a pickle, or of something packed
  page,              ///< HTML that PyTorch's trace_plot and segment_plot write, which holds a pickle in base64
  torch_save_pickles ///< the form of torch.save before PyTorch 1.6: five pickles, one after another
};

/// Returns the packing, recognised by the first 64 KiB.
[[nodiscard]] Packing packing_of(std::string_view bytes);

/// Returns the base64 in such a page; "" if there is none.
[[nodiscard]] std::string_view base64_of_page(std::string_view page);

/// Returns the object among the pickles of torch.save. Throws Error for a checkpoint of tensors, and for pickles that
/// are damaged.
[[nodiscard]] std::string_view object_of_torch_save(std::string_view bytes);

} // namespace memviz

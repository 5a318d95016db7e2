#pragma once

// The one way to name a frame or a tree node, in folded output, text, JSON and pictures.

#include "memviz/device_kind.hpp"
#include "memviz/frames.hpp"
#include "memviz/tree.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

/// The origin of code, which decides the colour of its box.
enum class CodeOrigin : std::uint8_t { user, torch, library, cpp };

/// From the file name alone: site-packages, the standard library wherever it lies, or code without a file (`<string>`,
/// `<frozen ...>`) is a library; torch inside it is torch; any other Python file, and what was typed at a prompt, is
/// the user's own; everything else is C++.
[[nodiscard]] CodeOrigin origin_of(std::string_view filename);

/// After the last '/': as PyTorch does, so a Windows path stays whole in folded output.
[[nodiscard]] std::string_view folded_basename(std::string_view filename);
/// After the last '/' or '\\'.
[[nodiscard]] std::string_view file_basename(std::string_view filename);
/// The same of the last 1 KiB, but "" where the file is unknown ("" or "??"), and all of a name that ends with a
/// separator.
[[nodiscard]] std::string_view known_basename(std::string_view filename);

/// "train.py:12" with the base name of the file; "" where the file is unknown ("" or "??").
[[nodiscard]] std::string frame_place(const FrameTable& frames, FrameId frame);
/// The function, for C++ without argument lists and template arguments: "at::native::empty_cuda". Of names longer than
/// 4 KiB, the beginning.
[[nodiscard]] std::string short_function(std::string_view name);

/// Returns the torch.fx node of a frame: "call_function mm_3 aten.mm.default, from File layers.py, line 58"; "" if
/// there is none.
[[nodiscard]] std::string fx_text(const FrameTable& frames, FrameId frame);

/// "GPU 0", "NPU 0", "host memory", or "CPU" in a recording of main memory.
[[nodiscard]] std::string device_name(DeviceId device, DeviceKind kind);
/// The same at the beginning of a sentence or a line: "Host memory".
[[nodiscard]] std::string device_heading(DeviceId device, DeviceKind kind);
/// The same of a DeviceState, a DeviceKey, and of whatever else has both.
template <class Part> [[nodiscard]] std::string device_name(const Part& part) {
  return device_name(part.device, part.device_kind);
}
template <class Part> [[nodiscard]] std::string device_heading(const Part& part) {
  return device_heading(part.device, part.device_kind);
}
/// Returns the word by which --device and --at take a device: "0", "host".
[[nodiscard]] std::string device_word(DeviceId device);

/// "GPU 0", "stream 0", "segment 0x7f0000000000", "active_allocated", "<gaps>", "train train.py:12", ...
[[nodiscard]] std::string node_label(const FrameTable& frames, const NodeKey& key);
/// node_label() of each; of different frames that it makes alike with as many of their folders as distinguish them:
/// "forward models/linear.py:10".
[[nodiscard]] std::vector<std::string> node_labels(const FrameTable& frames, const std::vector<NodeKey>& keys);
/// The place of each frame in node_labels(); "" of what is no frame.
[[nodiscard]] std::vector<std::string> places_apart(const FrameTable& frames, const std::vector<NodeKey>& keys);
/// "<no stack: allocated before recording>", ...: why these bytes have no stack, in words.
[[nodiscard]] std::string_view pseudo_label(Pseudo pseudo);

/// PyTorch's omit list: whether _memory_viz.py leaves this frame out (a substring test, so `on_start` is left out too).
[[nodiscard]] bool is_omitted(std::string_view name, std::string_view filename);
/// Returns the parts of names and of file names in that list.
[[nodiscard]] std::span<const std::string_view> omitted_names();
[[nodiscard]] std::span<const std::string_view> omitted_files();
/// The same by one of the two alone.
[[nodiscard]] bool is_omitted_name(std::string_view name);
[[nodiscard]] bool is_omitted_file(std::string_view filename);

/// Whether a frame is CPython's own C ("slot_tp_call typeobject.c:7494", "method_vectorcall" without a file), PyTorch's
/// binding to it ("THPVariable_empty"), or starts the process: it lies between two lines of Python and says nothing of
/// the program. In an interpreter without symbols it has any exported name, such as "PyMethod_New".
[[nodiscard]] bool is_interpreter(std::string_view name, std::string_view filename);
/// Whether a file is source of CPython: "/usr/local/src/conda/python-3.12.3/Objects/typeobject.c".
[[nodiscard]] bool is_interpreter_file(std::string_view filename);

} // namespace memviz

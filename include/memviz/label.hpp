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

/// Returns the origin by the file name alone. Site-packages, the standard library wherever it is installed, and code
/// without a file (`<string>`, `<frozen ...>`) are a library; torch among them is torch; any other Python file, and
/// code typed at a prompt, is the user's own; everything else is C++.
[[nodiscard]] CodeOrigin origin_of(std::string_view filename);
/// Whether the file is memviz's own in a rehearsed process, which stands in for functions of PyTorch's.
[[nodiscard]] bool is_of_rehearsal(std::string_view filename);

/// Returns the part after the last '/', as PyTorch does, so that a Windows path stays whole in folded output.
[[nodiscard]] std::string_view folded_basename(std::string_view filename);
/// Returns the part after the last '/' or '\\'.
[[nodiscard]] std::string_view file_basename(std::string_view filename);
/// Returns the same from at most the last 1 KiB; "" if the file is unknown ("" or "??"), and the whole name if it ends
/// with a separator.
[[nodiscard]] std::string_view known_basename(std::string_view filename);

/// "train.py:12" with the base name of the file; "" if the file is unknown ("" or "??").
[[nodiscard]] std::string frame_place(const FrameTable& frames, FrameId frame);
/// Returns the function, for C++ without argument lists and template arguments: "at::native::empty_cuda". Uses the
/// beginning of names longer than 4 KiB.
[[nodiscard]] std::string short_function(std::string_view name);

/// Returns the torch.fx node of a frame: "call_function mm_3 aten.mm.default, from File layers.py, line 58"; "" if
/// there is none.
[[nodiscard]] std::string fx_text(const FrameTable& frames, FrameId frame);

/// "GPU 0", "NPU 0", "host memory", or "CPU" in a recording of main memory.
[[nodiscard]] std::string device_name(DeviceId device, DeviceKind kind);
/// The same at the start of a sentence or a line: "Host memory".
[[nodiscard]] std::string device_heading(DeviceId device, DeviceKind kind);
/// The same for a DeviceState, a DeviceKey, and any other type with both members.
template <class Part> [[nodiscard]] std::string device_name(const Part& part) {
  return device_name(part.device, part.device_kind);
}
template <class Part> [[nodiscard]] std::string device_heading(const Part& part) {
  return device_heading(part.device, part.device_kind);
}
/// Returns the word for a device in --device and --at: "0", "host".
[[nodiscard]] std::string device_word(DeviceId device);

/// "GPU 0", "stream 0", "segment 0x7f0000000000", "active_allocated", "<gaps>", "train train.py:12", ...
[[nodiscard]] std::string node_label(const FrameTable& frames, const NodeKey& key);
/// Returns node_label() of each key; labels that would be equal for different frames get as many folders as needed to
/// distinguish them: "forward models/linear.py:10".
[[nodiscard]] std::vector<std::string> node_labels(const FrameTable& frames, const std::vector<NodeKey>& keys);
/// Returns the place of each frame as in node_labels(); "" for keys that are not frames.
[[nodiscard]] std::vector<std::string> places_apart(const FrameTable& frames, const std::vector<NodeKey>& keys);
/// Returns the source text of a node's line; "" if it is unknown, and for nodes that are not frames.
[[nodiscard]] std::string_view source_of(const FrameTable& frames, const NodeKey& key);
/// "train train.py:12: loss.backward()": a label, and the source text of its line if known.
[[nodiscard]] std::string with_source(std::string label, std::string_view source);
/// "<no stack: allocated before recording>", ...: the reason why these bytes have no stack, in words.
[[nodiscard]] std::string_view pseudo_label(Pseudo pseudo);

/// Whether _memory_viz.py omits this frame, by PyTorch's omit list (a substring test, so it omits `on_start`, too).
[[nodiscard]] bool is_omitted(std::string_view name, std::string_view filename);
/// Returns the parts of names and of file names in that list.
[[nodiscard]] std::span<const std::string_view> omitted_names();
[[nodiscard]] std::span<const std::string_view> omitted_files();
/// Tests one of the two alone.
[[nodiscard]] bool is_omitted_name(std::string_view name);
[[nodiscard]] bool is_omitted_file(std::string_view filename);

/// Whether a frame is CPython's own C ("slot_tp_call typeobject.c:7494", "method_vectorcall" without a file), PyTorch's
/// binding to it ("THPVariable_empty"), or process start-up: it lies between two lines of Python and is not
/// informative. In an interpreter without symbols it has the name of any exported function, such as "PyMethod_New".
[[nodiscard]] bool is_interpreter(std::string_view name, std::string_view filename);
/// Whether a file is CPython source: "/usr/local/src/conda/python-3.12.3/Objects/typeobject.c".
[[nodiscard]] bool is_interpreter_file(std::string_view filename);

} // namespace memviz

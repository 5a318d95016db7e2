#include "memviz/label.hpp"

#include "memviz/format.hpp"
#include "memviz/snapshot.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace memviz {
namespace {

bool contains_any(std::string_view text, std::span<const std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

bool is_unknown(std::string_view text) {
  return text.empty() || text == "??";
}

std::string with_forward_slashes(std::string_view filename) {
  std::string path(filename);
  std::replace(path.begin(), path.end(), '\\', '/');
  return path;
}

bool is_python(std::string_view filename) {
  return filename.ends_with(".py") || filename.ends_with(".pyx") || filename.starts_with("<ipython-input") ||
         filename == "<stdin>" || filename == "<string>";
}

/// Length of the bracketed text that opens at `begin`, or npos where it never closes.
std::size_t bracketed_length(std::string_view text, std::size_t begin, char open, char close) {
  std::size_t depth = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text[i] == open) ++depth;
    if (text[i] == close && --depth == 0) return i - begin + 1;
  }
  return std::string_view::npos;
}

std::string state_label(std::uint64_t value) {
  return std::string(state_name(static_cast<BlockState>(value)));
}

} // namespace

std::string_view folded_basename(std::string_view filename) {
  return filename.substr(filename.rfind('/') + 1);
}

std::string_view file_basename(std::string_view filename) {
  return filename.substr(filename.find_last_of("/\\") + 1);
}

std::string_view known_basename(std::string_view filename) {
  if (is_unknown(filename)) return {};
  const std::string_view name = file_basename(filename);
  return name.empty() ? filename : name;
}

CodeOrigin origin_of(std::string_view filename) {
  static constexpr std::array<std::string_view, 4> kPackages{"/site-packages/", "/dist-packages/", "/lib/python",
                                                             "/Lib/"};
  static constexpr std::array<std::string_view, 5> kTorch{"/torch/", "/torchvision/", "/torchaudio/", "/functorch/",
                                                          "torchinductor_"};
  const std::string path = with_forward_slashes(filename);
  if (path.starts_with("<frozen")) return CodeOrigin::library;
  // Code that torch.fx and Dynamo generate: "<eval_with_key>.12".
  if (path.starts_with("<eval_with_key>")) return CodeOrigin::torch;
  if (!is_python(path)) return CodeOrigin::cpp;
  if (path.find("torchinductor_") != std::string::npos) return CodeOrigin::torch;
  if (!contains_any(path, kPackages)) return CodeOrigin::user;
  return contains_any(path, kTorch) ? CodeOrigin::torch : CodeOrigin::library;
}

std::string device_name(std::uint32_t device, bool is_cpu) {
  return is_cpu ? "CPU" : fmt::format("GPU {}", device);
}

char folded_char(char c) {
  if (c == ';') return ':';
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
}

std::string frame_place(const FrameTable& frames, FrameId frame) {
  const std::string_view file = known_basename(frames.filename(frame));
  const std::int64_t line = frames.frame(frame).line;
  if (file.empty() || line == 0) return std::string(file);
  return fmt::format("{}:{}", file, line);
}

std::string short_function(std::string_view name) {
  static constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  // What is left out of longer names nobody would read; a stack of thousands of them would take minutes to label.
  constexpr std::size_t kMostBytes = 4096;
  if (name.size() > kMostBytes) name = whole_characters(name.substr(0, kMostBytes));
  name = name.substr(0, name.find(" [clone "));
  std::string text;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name.substr(i).starts_with(kAnonymous)) {
      i += kAnonymous.size() - 1;
      continue;
    }
    // A name that begins with '<' is Python's own: <module>, <lambda>.
    const bool is_template = name[i] == '<' && !text.empty() && !text.ends_with("operator") && text.back() != '.';
    if (is_template || (name[i] == '(' && !text.empty() && !text.ends_with("operator"))) {
      const std::size_t length =
          is_template ? bracketed_length(name, i, '<', '>') : bracketed_length(name, i, '(', ')');
      if (length == std::string_view::npos) break;
      i += length - 1;
      continue;
    }
    text += name[i];
  }
  if (text.ends_with(" const")) text.resize(text.size() - 6);
  // What stands before the last space is the return type of a function template.
  if (const std::size_t space = text.rfind(' '); space != std::string::npos && text.find("::") != std::string::npos &&
                                                 !std::string_view(text).substr(0, space).ends_with("operator"))
    text.erase(0, space + 1);
  return text.empty() ? std::string(name) : text;
}

std::string_view pseudo_label(Pseudo pseudo) {
  switch (pseudo) {
  case Pseudo::gaps: return "<gaps>";
  case Pseudo::unaccounted: return "<unaccounted>";
  case Pseudo::history_off: return "<no stack: memory history was not recorded>";
  case Pseudo::before_recording: return "<no stack: allocated before recording>";
  case Pseudo::lost_or_before: return "<no stack: allocated before recording or lost in the ring>";
  case Pseudo::without_stack: return "<no stack: recorded without stacks>";
  case Pseudo::filtered: return "<filtered>";
  case Pseudo::not_focused: return "<not in focus>";
  }
  return "<unknown>";
}

std::string node_label(const FrameTable& frames, const NodeKey& key) {
  switch (key.kind) {
  case NodeKind::root: return "reserved";
  case NodeKind::device: return device_name(static_cast<std::uint32_t>(key.value), key.other != 0);
  case NodeKind::pool: {
    const PoolId pool{key.value, key.other};
    return pool.is_private() ? fmt::format("private pool ({}, {})", pool.first, pool.second) : "default pool";
  }
  case NodeKind::stream: return fmt::format("stream {}", static_cast<std::int64_t>(key.value));
  case NodeKind::segment: return "segment " + format_address(key.value);
  case NodeKind::state: return state_label(key.value);
  case NodeKind::pseudo: return std::string(pseudo_label(static_cast<Pseudo>(key.value)));
  case NodeKind::frame: break;
  }
  const std::string place = frame_place(frames, key.frame());
  const std::string function = short_function(frames.name(key.frame()));
  return place.empty() ? function : function + " " + place;
}

std::span<const std::string_view> omitted_names() {
  static constexpr std::array<std::string_view, 8> kNames{"unwind::unwind",    "CapturedTraceback::gather",
                                                          "gather_with_cpp",   "_start",
                                                          "__libc_start_main", "PyEval_",
                                                          "PyObject_",         "PyFunction_"};
  return kNames;
}

std::span<const std::string_view> omitted_files() {
  static constexpr std::array<std::string_view, 10> kFiles{"core/boxing",
                                                           "/Register",
                                                           "/Redispatch",
                                                           "pythonrun.c",
                                                           "Modules/main.c",
                                                           "Objects/call.c",
                                                           "Objects/methodobject.c",
                                                           "pycore_ceval.h",
                                                           "ceval.c",
                                                           "cpython/abstract.h"};
  return kFiles;
}

bool is_omitted_name(std::string_view name) {
  return contains_any(name, omitted_names());
}

bool is_omitted_file(std::string_view filename) {
  return contains_any(filename, omitted_files());
}

bool is_omitted(std::string_view name, std::string_view filename) {
  return is_omitted_name(name) || is_omitted_file(filename);
}

} // namespace memviz

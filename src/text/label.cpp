#include "memviz/label.hpp"

#include "base/ascii.hpp"
#include "base/capitalized.hpp"
#include "base/printable.hpp"
#include "base/utf8.hpp"
#include "memviz/format.hpp"
#include "memviz/memory_map.hpp"
#include "memviz/source_line.hpp"
#include "text/keeper_code.hpp"
#include "text/nvcc_files.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string>
#include <variant>

namespace memviz {

std::string code_text(const FrameTable& frames, const KeeperStep& code) {
  constexpr std::size_t kColumns = 100;
  std::string text = elided(frames.text(code.text), kColumns);
  const std::string file = elided(known_basename(frames.text(code.file)), kColumns);
  if (file.empty()) return text;
  if (!text.empty()) text += ' ';
  text += file;
  return code.line == 0 ? text : fmt::format("{}:{}", text, code.line);
}

namespace {

bool contains_any(std::string_view text, std::span<const std::string_view> parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

bool is_unknown(std::string_view text) {
  return text.empty() || text == "??";
}

std::string with_forward_slashes(std::string_view filename) {
  std::string path(filename);
  std::ranges::replace(path, '\\', '/');
  return path;
}

bool is_python(std::string_view filename) {
  return filename.ends_with(".py") || filename.ends_with(".pyw") || filename.ends_with(".pyx");
}

/// Whether code was typed at a prompt: it has no file, and is the user's own.
bool is_typed(std::string_view filename) {
  return filename.starts_with("<ipython-input") || filename.starts_with("<stdin>");
}

/// Code generated while the program ran ("<string>", "<eval_with_key>.12", "<attrs generated init m.C>"), or frozen
/// into the interpreter. "<built-in>" is C.
bool is_generated(std::string_view filename) {
  return filename.starts_with('<') && filename.find('>') != std::string_view::npos && filename != "<built-in>" &&
         filename != "<unknown>";
}

std::string in_lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), lower_case);
  return text;
}

/// Whether the folder that holds a "lib" is an interpreter's: "Python311", "cpython-3.11-windows-x86_64-none",
/// "miniconda3", or an environment, ".../envs/gnn".
bool is_python_home(std::string_view folder) {
  static constexpr std::array<std::string_view, 8> kHomes{"python",    "cpython-",  "pypy",  "anaconda",
                                                          "miniconda", "miniforge", "mamba", "conda"};
  const std::size_t slash = folder.rfind('/');
  const std::string_view name = folder.substr(slash + 1);
  if (std::ranges::any_of(kHomes, [&](std::string_view home) { return name.starts_with(home); })) return true;
  return slash != std::string_view::npos && folder.substr(0, slash).ends_with("/envs");
}

/// The standard library, which on Windows is in a folder called only "Lib" or "lib".
bool is_standard_library(const std::string& path) {
  const std::string lower = in_lower_case(path);
  if (contains_any(lower, std::array<std::string_view, 2>{"/lib/python", "/lib64/python"})) return true;
  for (std::size_t lib = lower.find("/lib/"); lib != std::string::npos; lib = lower.find("/lib/", lib + 1))
    if (is_python_home(std::string_view(lower).substr(0, lib))) return true;
  return false;
}

/// Returns the length of the bracketed text that opens at `begin`, or npos if it is never closed.
std::size_t bracketed_length(std::string_view text, std::size_t begin, char open, char close) {
  std::size_t depth = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text[i] == open) ++depth;
    if (text[i] == close && --depth == 0) return i - begin + 1;
  }
  return std::string_view::npos;
}

/// Returns the name without the suffixes that compilers add to distinguish copies of a function:
/// "f.llvm.1180591620717411303424", "f.isra.0", "f.constprop.0.cold", and the hash of a Rust function,
/// "f::h0123456789abcdef".
std::string_view without_compiler_suffix(std::string_view name) {
  static constexpr std::array<std::string_view, 7> kSuffixes{".llvm", ".isra",     ".constprop", ".part",
                                                             ".cold", ".lto_priv", ".localalias"};
  for (const std::string_view suffix : kSuffixes) {
    const std::size_t found = name.find(suffix, 1);
    if (found == std::string_view::npos) continue;
    const std::string_view rest = name.substr(found + suffix.size());
    const bool is_numbered = rest.size() > 1 && rest[0] == '.' && is_digit(rest[1]);
    if (rest.empty() || is_numbered) name = name.substr(0, found);
  }
  constexpr std::size_t kHash = 19;
  if (name.size() <= kHash || name.substr(name.size() - kHash, 3) != "::h") return name;
  const std::string_view hash = name.substr(name.size() - kHash + 3);
  return hash.find_first_not_of("0123456789abcdef") == std::string_view::npos ? name.substr(0, name.size() - kHash)
                                                                              : name;
}

std::string topic_label(const FrameTable& frames, const TopicKey& key) {
  constexpr std::size_t kColumns = 100;
  if (key.content == TopicContent::text) return elided(frames.text(key.text), kColumns);
  const bool is_unknown = key.content == TopicContent::unknown;
  switch (key.topic) {
  case Topic::annotation: return is_unknown ? "<annotation unknown>" : "<no annotation>";
  case Topic::metadata: return is_unknown ? "<metadata unknown>" : "<no metadata>";
  case Topic::compile: break;
  }
  return is_unknown ? "<compilation unknown>" : "<not compiled>";
}

std::string keeper_label(const FrameTable& frames, const KeeperStep& step) {
  constexpr std::size_t kColumns = 100;
  std::string text = elided(frames.text(step.text), kColumns);
  const std::string file = elided(known_basename(frames.text(step.file)), kColumns);
  switch (step.part) {
  case KeeperPart::running: return code_text(frames, step);
  case KeeperPart::globals: return "globals of " + (file.empty() ? text : file);
  case KeeperPart::exception: return "<exception> " + text;
  case KeeperPart::cycle: return "<cycle>";
  case KeeperPart::temporary: return "<temporary>";
  case KeeperPart::no_object: return "<no Python object>";
  case KeeperPart::unknown: return "<unknown: the walk over the heap ended early>";
  case KeeperPart::freed: return "<freed before the end>";
  case KeeperPart::variable: return text;
  case KeeperPart::attribute: return "." + text;
  case KeeperPart::key: return fmt::format("['{}']", text);
  case KeeperPart::items: return "[*]";
  case KeeperPart::traceback: return "traceback: " + code_text(frames, step);
  case KeeperPart::object: return text.empty() ? "<object>" : text;
  case KeeperPart::graph: break;
  }
  return "<graph>";
}

struct Labeller {
  const FrameTable& frames;

  std::string operator()(const RootKey& /*root*/) const { return "reserved"; }
  std::string operator()(const DeviceKey& key) const { return device_name(key); }
  std::string operator()(const PoolId& pool) const {
    return pool.is_private() ? fmt::format("private pool ({}, {})", pool.first, pool.second) : "default pool";
  }
  std::string operator()(const StreamKey& key) const { return fmt::format("stream {}", key.stream); }
  std::string operator()(const SegmentKey& key) const { return "segment " + format_address(key.address); }
  std::string operator()(BlockState state) const { return std::string(state_name(state)); }
  std::string operator()(FrameId frame) const {
    const std::string place = frame_place(frames, frame);
    const std::string function = short_function(frames.name(frame));
    return place.empty() ? function : function + " " + place;
  }
  std::string operator()(Pseudo pseudo) const { return std::string(pseudo_label(pseudo)); }
  std::string operator()(MemoryKind kind) const { return std::string(kind_name(kind)); }
  std::string operator()(const KeeperStep& step) const { return keeper_label(frames, step); }
  std::string operator()(const TopicKey& key) const { return topic_label(frames, key); }
};

} // namespace

std::string_view folded_basename(std::string_view filename) {
  return filename.substr(filename.rfind('/') + 1);
}

std::string_view file_basename(std::string_view filename) {
  return filename.substr(filename.find_last_of("/\\") + 1);
}

std::string_view known_basename(std::string_view filename) {
  // No file system allows longer names, and each of thousands of frames may have one of megabytes.
  constexpr std::size_t kMostBytes = 1024;
  if (is_unknown(filename)) return {};
  filename = end_of(filename, kMostBytes);
  const std::string_view name = file_basename(filename);
  if (const std::string_view source = source_between_compilers(name); !source.empty()) return source;
  return name.empty() ? filename : name;
}

bool is_of_rehearsal(std::string_view filename) {
  return filename.find("/memviz_rehearsal") != std::string_view::npos; // a folder, up to 0.2.0 the beginning of files
}

CodeOrigin origin_of(std::string_view filename) {
  // The last one is a debugger that runs the program.
  static constexpr std::array<std::string_view, 3> kPackages{"/site-packages/", "/dist-packages/", "/debugpy/"};
  static constexpr std::array<std::string_view, 5> kTorch{"/torch/", "/torchvision/", "/torchaudio/", "/functorch/",
                                                          "torchinductor_"};
  const std::string path = with_forward_slashes(filename);
  if (is_typed(path)) return CodeOrigin::user;
  // Code that torch.fx and Dynamo generate: "<eval_with_key>.12".
  if (path.starts_with("<eval_with_key>")) return CodeOrigin::torch;
  if (is_generated(path)) return CodeOrigin::library;
  if (!is_python(path)) return CodeOrigin::cpp;
  if (path.find("torchinductor_") != std::string::npos || is_of_rehearsal(path)) return CodeOrigin::torch;
  if (!contains_any(path, kPackages) && !is_standard_library(path)) return CodeOrigin::user;
  return contains_any(path, kTorch) ? CodeOrigin::torch : CodeOrigin::library;
}

std::string device_name(DeviceId device, DeviceKind kind) {
  if (is_host(device)) return "host memory";
  return kind == DeviceKind::cpu ? "CPU" : fmt::format("{} {}", words_of(kind).noun, device.value);
}

std::string device_heading(DeviceId device, DeviceKind kind) {
  return capitalized(device_name(device, kind));
}

std::string device_word(DeviceId device) {
  return is_host(device) ? "host" : std::to_string(device.value);
}

std::string frame_place(const FrameTable& frames, FrameId frame) {
  const std::string_view file = known_basename(frames.filename(frame));
  const std::int64_t line = frames.frame(frame).line;
  if (file.empty() || !is_line(line)) return std::string(file);
  return fmt::format("{}:{}", file, line);
}

std::string fx_text(const FrameTable& frames, FrameId frame) {
  constexpr std::size_t kColumns = 300;    // the trace has a line of code below each place
  constexpr std::size_t kMostBytes = 4096; // one text may be in every frame
  const FxInfo* const fx = frames.fx(frame);
  if (fx == nullptr) return "";
  const auto shown = [&](StringId part) { return elided(beginning_of(frames.text(part), kMostBytes), kColumns); };
  std::string text;
  for (const StringId part : {fx->node_op, fx->node_name, fx->node_target})
    if (part != kEmptyString) text += (text.empty() ? "" : " ") + shown(part);
  if (fx->original_trace == kEmptyString) return text;
  text += (text.empty() ? "from " : ", from ") + shown(fx->original_trace);
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

std::string short_function(std::string_view name) {
  static constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  // The longest name that is labelled completely; a stack of thousands of longer ones would take minutes.
  constexpr std::size_t kMostBytes = 4096;
  name = beginning_of(name, kMostBytes);
  name = name.substr(0, name.find(" [clone "));
  name = without_compiler_suffix(name);
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
  // The text before the last space is the return type of a function template.
  const bool is_cpp = text.find("::") != std::string::npos || text.starts_with("void ");
  if (const std::size_t space = text.rfind(' ');
      space != std::string::npos && is_cpp && !std::string_view(text).substr(0, space).ends_with("operator"))
    text.erase(0, space + 1);
  return text.empty() ? std::string(name) : text;
}

std::string_view pseudo_label(Pseudo pseudo) {
  switch (pseudo) {
  case Pseudo::gaps: return "<gaps>";
  case Pseudo::unaccounted: return "<unaccounted>";
  case Pseudo::outside: return "<outside all segments>";
  case Pseudo::history_off: return "<no stack: memory history was not recorded>";
  case Pseudo::before_recording: return "<no stack: allocated before recording>";
  case Pseudo::lost_or_before: return "<no stack: allocated before recording or lost in the ring>";
  case Pseudo::without_stack: return "<no stack: recorded without one>";
  case Pseudo::only_counted: return "<no stack: only the sums of the events have it>";
  case Pseudo::filtered: return "<filtered>";
  case Pseudo::not_focused: return "<not in focus>";
  }
  return "<unknown>";
}

std::string node_label(const FrameTable& frames, const NodeKey& key) {
  return std::visit(Labeller{frames}, key);
}

std::string_view source_of(const FrameTable& frames, const NodeKey& key) {
  const auto* const frame = std::get_if<FrameId>(&key);
  return frame == nullptr ? std::string_view() : frames.source(*frame);
}

std::string with_source(std::string label, std::string_view source) {
  constexpr std::size_t kColumns = 60;
  return source.empty() ? label : fmt::format("{}: {}", label, elided(source, kColumns));
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

#include "memviz/redact.hpp"

#include "base/ascii.hpp"
#include "memviz/error.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "memviz/recording.hpp"
#include "redact/code_names.hpp"
#include "redact/hiding.hpp"
#include "redact/leak_search.hpp"
#include "redact/paths.hpp"
#include "redact/public_names.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>

namespace memviz {
namespace {

/// Calls hidden(part, is_last) for each part between dots, and joins the results.
template <class Hidden> std::string by_part(std::string_view path, const Hidden& hidden) {
  std::string result;
  for (;;) {
    const std::size_t end = path.find('.');
    result += hidden(path.substr(0, end), end == std::string_view::npos);
    if (end == std::string_view::npos) return result;
    result += '.';
    path.remove_prefix(end + 1);
  }
}

std::string hidden_part(std::string_view prefix, std::string_view part, const Hiding& hiding) {
  if (part.empty() || is_number(part)) return std::string(part);
  hiding.search.hide(part);
  return hiding.pseudonym(prefix, part);
}

/// "s0", "u12": torch.fx's names for sizes, a letter and a number.
bool is_given_size(std::string_view name) {
  static constexpr std::string_view kLetters = "suzf";
  return name.size() > 1 && kLetters.find(name.front()) != std::string_view::npos && is_number(name.substr(1));
}

/// "transformer.h.0" -> "module_1.module_2.0"
std::string hidden_module_path(std::string_view path, const Hiding& hiding) {
  return by_part(path, [&](std::string_view part, bool /*is_last*/) { return hidden_part("module_", part, hiding); });
}

/// "train.Block" -> "module_1.class_2"; the class of a public package stays.
std::string hidden_class(std::string_view name, const Hiding& hiding) {
  const std::string_view package = name.substr(0, name.find('.'));
  if (package.size() < name.size() && is_public_package(package)) {
    hiding.search.keep(package);
    hiding.search.keep(name);
    return std::string(name);
  }
  return by_part(name, [&](std::string_view part, bool is_last) {
    return hidden_part(is_last ? "class_" : "module_", part, hiding);
  });
}

/// Whether it is the name of a node of autograd that is PyTorch's own: "MulBackward0", not a program's "ScaleBackward".
bool is_autograd_node(std::string_view name) {
  constexpr std::string_view kBackward = "Backward";
  if (name == "AccumulateGrad" || name == "CopySlices" || name == "CopyBackwards") return true;
  const std::size_t at = name.rfind(kBackward);
  return at != std::string_view::npos && is_number(name.substr(at + kBackward.size()));
}

/// "acme.fused.default" -> "module_1.func_2.default"; PyTorch's own operators stay.
std::string hidden_operator(std::string_view target, const Hiding& hiding) {
  static constexpr std::array<std::string_view, 8> kPublic{"aten",  "prims", "higher_order", "_operator",
                                                           "torch", "math",  "builtins",     "torchvision"};
  const std::string_view space = target.substr(0, target.find('.'));
  if (std::ranges::find(kPublic, space) != kPublic.end()) {
    hiding.search.keep(target);
    return std::string(target);
  }
  std::size_t place = 0;
  return by_part(target, [&](std::string_view part, bool /*is_last*/) {
    ++place;
    if (place > 2 && part == "default") return std::string(part); // of the overloads of an operator
    return hidden_part(place == 2 ? "func_" : "module_", part, hiding);
  });
}

/// "batch" -> "size_1"; PyTorch's own names stay: "s0", "u12".
std::string hidden_size(std::string_view name, const Hiding& hiding) {
  if (is_given_size(name)) return std::string(name);
  hiding.search.hide(name);
  return hiding.pseudonym("size_", name);
}

bool has_letters(std::string_view text) {
  return std::ranges::any_of(text, may_be_letter);
}

/// Lower-case letters and '_', as in PyTorch's names of actions.
bool is_action(std::string_view text) {
  constexpr std::size_t kLongestAction = 24;
  return text.size() <= kLongestAction && std::ranges::all_of(text, [](char c) { return c == '_' || is_lower(c); });
}

/// Whether every word in it is one of the allocator's settings.
bool is_public_setting(std::string_view text) {
  static constexpr std::string_view kBetween = " :,.[]<>{}()'\"=+-;";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(kBetween), text.size());
    if (end > 0 && !is_public_setting_word(text.substr(0, end))) return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

/// "Torch-Compiled Region: 0/1", "N/A", "", numbers
bool is_known_context(std::string_view text) {
  constexpr std::string_view kRegion = "Torch-Compiled Region";
  return text == "N/A" || !has_letters(text.starts_with(kRegion) ? text.substr(kRegion.size()) : text);
}

std::string_view word_of(Redact what) {
  switch (what) {
  case Redact::paths: return "paths";
  case Redact::names: return "names";
  case Redact::all: return "all";
  }
  return "";
}

} // namespace

struct Redactor::Parts {
  explicit Parts(RedactOptions options)
      : what(options.what), hides_paths(options.what != Redact::names), hides_names(options.what != Redact::paths),
        hides_all(options.what == Redact::all), pseudonyms(std::move(options.key)) {}

  [[nodiscard]] Hiding hiding() { return {pseudonyms, search}; }

  [[nodiscard]] std::string hidden(std::string_view prefix, std::string_view text) {
    search.hide(text);
    return hiding().pseudonym(prefix, text);
  }

  [[nodiscard]] std::string unchanged(std::string_view text) {
    std::string result = hides_paths ? without_paths(text, hiding()) : std::string(text);
    search.keep(result);
    return result;
  }

  [[nodiscard]] std::string annotation(std::string_view text) {
    if (is_public_annotation(text)) return unchanged(text);
    // A number at the end distinguishes the steps of one mark.
    const std::size_t digits = text.find_last_not_of("0123456789") + 1;
    const std::string_view stem = text.substr(0, digits);
    if (stem.empty()) return std::string(text);
    return hidden("mark_", stem) + (digits < text.size() ? "#" : "") + std::string(text.substr(digits));
  }

  [[nodiscard]] std::string function(std::string_view name, std::string_view filename) {
    if (!hides_names || is_public_python_name(name)) return unchanged(name);
    if (origin_of(filename) == CodeOrigin::cpp) return hidden_cpp_name(name, hiding());
    if (is_public_file(filename)) return unchanged(name);
    return hidden_function(name, hiding());
  }

  void check(std::size_t leaks) const {
    if (leaks == 0) return;
    throw Error(fmt::format("--redact {} left {} in the output, so nothing was written; please report this",
                            word_of(what), format_counted(leaks, "hidden text")));
  }

  Redact what;
  bool hides_paths;
  bool hides_names;
  bool hides_all;
  Pseudonyms pseudonyms;
  LeakSearch search;
};

Redactor::Redactor(RedactOptions options) : parts_(std::make_unique<Parts>(std::move(options))) {
}

Redactor::~Redactor() = default;

FrameText Redactor::frame(std::string_view name, std::string_view filename) {
  Parts& parts = *parts_;
  FrameText text{parts.function(name, filename), std::string(filename)};
  // Debug information often has only the file's own name; a function of torch's is in a file of torch's.
  const bool is_torch_source = filename.find_first_of("/\\") == std::string_view::npos &&
                               origin_of(filename) == CodeOrigin::cpp && name.find("::") != std::string_view::npos &&
                               hidden_cpp_name(name, parts.hiding()) == name;
  if (is_torch_source)
    parts.search.keep(filename);
  else if (parts.hides_paths)
    text.filename = hidden_path(filename, parts.hiding());
  else if (parts.hides_names)
    text.filename = hidden_module(filename, parts.hiding());
  return text;
}

std::string Redactor::text(TextKind kind, std::string_view text) {
  Parts& parts = *parts_;
  switch (kind) {
  case TextKind::stage:
    return text.empty() || text == "START" || text == "END" ? parts.unchanged(text) : parts.hidden("text_", text);
  case TextKind::action: return is_action(text) ? parts.unchanged(text) : parts.hidden("action_", text);
  case TextKind::annotation: return parts.hides_names ? parts.annotation(text) : parts.unchanged(text);
  case TextKind::metadata_key:
  case TextKind::metadata:
  case TextKind::graph_node:
    if (text.empty()) return "";
    return parts.hides_names && has_letters(text) ? parts.hidden("text_", text) : parts.unchanged(text);
  case TextKind::compile_context:
    return parts.hides_names && !is_known_context(text) ? parts.hidden("text_", text) : parts.unchanged(text);
  case TextKind::setting_key:
  case TextKind::setting:
    return parts.hides_all && !is_public_setting(text) ? parts.hidden("text_", text) : parts.unchanged(text);
  case TextKind::variable:
    return parts.hides_names && has_letters(text) && !is_public_attribute(text) ? parts.hidden("name_", text)
                                                                                : parts.unchanged(text);
  case TextKind::class_name:
    if (!parts.hides_names || is_public_python_name(text) || is_autograd_node(text)) return parts.unchanged(text);
    return hidden_class(text, parts.hiding());
  }
  return parts.hidden("text_", text);
}

std::string Redactor::text(ProgramText kind, std::string_view text) {
  Parts& parts = *parts_;
  if (!parts.hides_names) return parts.unchanged(text);
  switch (kind) {
  case ProgramText::module_path: return hidden_module_path(text, parts.hiding());
  case ProgramText::class_name: return hidden_class(text, parts.hiding());
  case ProgramText::operator_name: return hidden_operator(text, parts.hiding());
  case ProgramText::size: return hidden_size(text, parts.hiding());
  }
  return parts.hidden("text_", text);
}

std::string Redactor::input_name(std::string_view path) {
  const std::string_view name = file_basename(path);
  if (!parts_->hides_all || path == "-") {
    parts_->search.keep(name);
    return std::string(name);
  }
  return parts_->hidden("snapshot_", name);
}

std::string Redactor::message(std::string_view text) {
  const std::size_t open = text.find('\'');
  if (open == std::string_view::npos) return std::string(text);
  const std::size_t close = text.rfind('\'');
  return std::string(text.substr(0, open)) + "'...'" + std::string(text.substr(close + 1));
}

std::size_t Redactor::leaks(const Recording& recording) const {
  const LeakSearch& search = parts_->search;
  std::size_t places = 0;
  for (std::uint32_t i = 0; i < recording.frames.string_count(); ++i)
    places += search.count(recording.frames.text({i}));
  if (const auto& rehearsal = recording.origin.rehearsal)
    places += search.count(rehearsal->gpu) + search.count(rehearsal->profile);
  for (const std::string& warning : recording.warnings)
    places += search.count_paths(warning);
  return places;
}

std::size_t Redactor::leaks_in_output(std::string_view output) const {
  return parts_->search.count_paths(output);
}

void Redactor::check(const Recording& recording) const {
  parts_->check(leaks(recording));
}

void Redactor::check_texts(const std::vector<std::string_view>& texts) const {
  std::size_t places = 0;
  for (const std::string_view text : texts)
    places += parts_->search.count(text);
  parts_->check(places);
}

void Redactor::check_output(std::string_view output) const {
  parts_->check(leaks_in_output(output));
}

} // namespace memviz

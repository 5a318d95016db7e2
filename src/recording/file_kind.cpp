#include "recording/file_kind.hpp"

#include "base/ascii.hpp"
#include "base/printable.hpp"
#include "base/utf8.hpp"
#include "memviz/error.hpp"
#include "pickle/survey.hpp"
#include "recording/folded_reader.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>

namespace memviz {
namespace {

std::string_view without_leading_space(std::string_view bytes) {
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  return bytes.substr(std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size()));
}

bool is_identifier(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '.'; });
}

/// GLOBAL or INST: a module and a name, each on a separate line. Such a file must not be treated as harmless prose.
bool begins_with_import(std::string_view bytes) {
  if (!bytes.starts_with('c') && !bytes.starts_with('i')) return false;
  const std::size_t first = bytes.find('\n');
  const std::size_t second = first == std::string_view::npos ? first : bytes.find('\n', first + 1);
  return second != std::string_view::npos && is_identifier(bytes.substr(1, first - 1)) &&
         is_identifier(bytes.substr(first + 1, second - first - 1));
}

/// Protocol 0 is also text: it opens its containers with MARK; otherwise it is disguised code.
bool may_be_text_pickle(std::string_view bytes) {
  return bytes.starts_with('(') || bytes.starts_with('}') || bytes.starts_with(']') || begins_with_import(bytes);
}

bool is_readable_text(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, 256);
  return std::ranges::all_of(head, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte >= 0x20 && byte < 0x7F) || byte == '\t' || byte == '\n' || byte == '\r';
  });
}

/// A format that people pass by mistake, by its first bytes.
struct ForeignFormat {
  std::string_view begins;
  std::string_view name;
  std::string_view what_to_do;
};

constexpr std::string_view kPassSource = "pass the snapshot that it was made from";

constexpr std::array<ForeignFormat, 11> kForeignFormats{{
    {"version https://git-lfs.github.com/spec/", "a Git LFS pointer, which only names the file",
     "git lfs pull downloads it"},
    {{"SQLite format 3\0", 16}, "a SQLite database, as nsys export writes it", kWriteSnapshot},
    {{"NVR\0", 4}, "a report of Nsight Compute", kWriteSnapshot},
    {{"memray\0", 7}, "a capture of memray, which has the memory of the CPU", kWriteSnapshot},
    {"\x93NUMPY", "an array of NumPy (.npy)", kWriteSnapshot},
    {"\x89HDF\r\n", "an HDF5 file, as Keras writes weights", kWriteSnapshot},
    {"GGUF", "the weights of a model (GGUF)", kWriteSnapshot},
    {"\x89PNG\r\n", "a picture (PNG)", kPassSource},
    {"\xFF\xD8\xFF", "a picture (JPEG)", kPassSource},
    {"GIF8", "a picture (GIF)", kPassSource},
    {"%PDF-", "a PDF", kPassSource},
}};

/// The length of the header in 8 bytes, then the header, which is JSON.
bool is_safetensors(std::string_view bytes) {
  return bytes.size() > 10 && bytes.substr(4, 4) == std::string_view("\0\0\0\0", 4) && bytes.substr(8, 2) == "{\"";
}

void reject_foreign_format(std::string_view bytes) {
  if (is_safetensors(bytes)) throw_other_file("the weights of a model (safetensors)");
  for (const ForeignFormat& format : kForeignFormats)
    if (bytes.starts_with(format.begins)) throw_other_file(format.name, format.what_to_do);
}

} // namespace

bool looks_like_json(std::string_view bytes) {
  const std::string_view text = without_leading_space(bytes);
  return text.starts_with('{') || text.starts_with('[');
}

void throw_other_file(std::string_view what, std::string_view what_to_do) {
  throw Error(fmt::format("byte 0: expected a memory snapshot, found {}: {}", what, what_to_do));
}

void reject_foreign_file(std::string_view bytes) {
  if (bytes.empty()) throw Error("the file is empty");
  if (bytes.starts_with("PK\x03\x04"))
    throw_other_file("a zip archive", "unpack it first, or use the program memviz, which reads the snapshots in it");
  constexpr std::size_t kTarMagicAt = 257;
  if (bytes.size() > kTarMagicAt && bytes.substr(kTarMagicAt).starts_with("ustar"))
    throw_other_file("a tar archive", "unpack it first");
  reject_foreign_format(bytes);
  if (bytes.substr(0, 256).find("<title>GPU Memory Timeline HTML</title>") != std::string_view::npos)
    throw_other_file("the HTML of export_memory_timeline, which is a picture alone",
                     "export it to a name that ends in .json or .raw.json.gz, which memviz reads");
  if (without_leading_space(bytes).starts_with('<'))
    throw_other_file("HTML or XML", "pass the .pickle that the page was made from");
  if (looks_like_folded(bytes)) return;
  if (!looks_like_json(bytes) && !may_be_text_pickle(bytes) && is_readable_text(bytes)) {
    throw Error("byte 0: expected a memory snapshot (a pickle or JSON), found text: '" +
                elided(to_valid_utf8(bytes.substr(0, bytes.find('\n')).substr(0, 256)), 60) + "'");
  }
}

void reject_foreign_head(std::string_view head) {
  reject_foreign_file(head);
  if (looks_like_json(head) || looks_like_folded(head)) return;
  const pickle::Survey survey = pickle::survey(head);
  if (survey.end != pickle::SurveyEnd::unknown_opcode) return;
  throw ParseError(survey.end_offset,
                   fmt::format("expected a pickle opcode, found byte {:#04x}",
                               static_cast<unsigned char>(head[static_cast<std::size_t>(survey.end_offset)])));
}

} // namespace memviz

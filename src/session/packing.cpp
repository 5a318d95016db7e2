#include "session/packing.hpp"

#include "io/base64_text.hpp"
#include "io/decompress.hpp"
#include "io/tar_file.hpp"
#include "memviz/error.hpp"
#include "pickle/survey.hpp"
#include "session/foreign_archive.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace memviz {

namespace {

/// LONG1 of ten bytes: the number with which torch.save begins (torch/serialization.py, MAGIC_NUMBER).
constexpr std::string_view kTorchSaveNumber = "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";

bool is_zip(std::string_view bytes) {
  return bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06");
}

/// PROTO and a protocol that has it.
bool begins_with_protocol(std::string_view bytes) {
  return bytes.size() > 1 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5;
}

bool is_base64_of_packed(std::string_view bytes) {
  const std::string head = base64_head(bytes);
  return begins_with_protocol(head) || is_zip(head) || compression_of(head) != Compression::none;
}

bool begins_as_html(std::string_view bytes) {
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && bytes[first] == '<';
}

} // namespace

Packing packing_of(std::string_view bytes) {
  constexpr std::size_t kNumberWithin = 32;
  if (compression_of(bytes) != Compression::none) return Packing::compressed;
  if (is_zip(bytes)) return Packing::zip;
  if (begins_with_protocol(bytes)) {
    const bool has_number = bytes.substr(0, kNumberWithin).find(kTorchSaveNumber) != std::string_view::npos;
    return has_number ? Packing::torch_save_pickles : Packing::none;
  }
  if (looks_like_tar(bytes)) return Packing::tar;
  if (begins_as_html(bytes)) return base64_of_page(bytes).empty() ? Packing::none : Packing::page;
  return is_base64_of_packed(bytes) ? Packing::base64 : Packing::none;
}

std::string_view base64_of_page(std::string_view page) {
  constexpr std::string_view kKey = R"("base64": ")";
  const std::size_t key = page.find(kKey);
  if (key == std::string_view::npos) return "";
  const std::string_view text = page.substr(key + kKey.size());
  return text.substr(0, text.find('"'));
}

std::string_view object_of_torch_save(std::string_view bytes) {
  constexpr int kBefore = 3; // the number, the protocol of torch.save, facts about the system
  std::size_t at = 0;
  for (int i = 0;; ++i) {
    const std::string_view rest = bytes.substr(at);
    const pickle::Survey survey = pickle::survey(rest);
    if (i == kBefore && survey.counts[static_cast<std::size_t>(pickle::Opcode::binpersid)] > 0) throw_checkpoint();
    const auto size = static_cast<std::size_t>(survey.end_offset);
    if (i == kBefore) return survey.end == pickle::SurveyEnd::stop ? rest.substr(0, size) : rest;
    if (survey.end != pickle::SurveyEnd::stop)
      throw ParseError(at + size, "expected the pickles that torch.save writes, found none: is the file cut short?");
    at += size;
  }
}

} // namespace memviz

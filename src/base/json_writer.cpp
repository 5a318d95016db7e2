#include "base/json_writer.hpp"

#include "base/characters.hpp"
#include "base/utf8.hpp"

#include "base/log_commands.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <stdexcept>
#include <vector>

namespace memviz {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 16U;

bool stands_for_itself(char byte) {
  return byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\\' && byte != '#';
}

void append_escape(std::string& out, unsigned unit) {
  fmt::format_to(std::back_inserter(out), "\\u{:04x}", unit);
}

void append_escaped(std::string& out, char32_t point) {
  if (point < 0x10000) return append_escape(out, static_cast<unsigned>(point));
  const auto above = static_cast<unsigned>(point) - 0x10000;
  append_escape(out, 0xD800 + (above >> 10U));
  append_escape(out, 0xDC00 + (above & 0x3FFU));
}

/// Returns the letter of a short escape, "\n"; 0 if there is none.
char short_escape(char32_t point) {
  switch (point) {
  case '\b': return 'b';
  case '\t': return 't';
  case '\n': return 'n';
  case '\f': return 'f';
  case '\r': return 'r';
  case '"':
  case '\\': return static_cast<char>(point);
  default: return 0;
  }
}

bool needs_escape(char32_t point, JsonEscapes escapes) {
  if (escapes == JsonEscapes::ascii && point >= 0x7F) return true;
  if (escapes == JsonEscapes::markup && (point == '<' || point == '>' || point == '&')) return true;
  return is_unsafe(point);
}

} // namespace

void append_json_text(std::string& out, std::string_view text, JsonEscapes escapes) {
  constexpr char32_t kReplacement = 0xFFFD;
  out += '"';
  if (escapes != JsonEscapes::markup && std::ranges::all_of(text, stands_for_itself)) {
    out.append(text) += '"';
    return;
  }
  const std::vector<std::size_t> commands = hash_commands(text);
  auto command = commands.begin();
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = first_code_point(text.substr(at));
    const char32_t value = point.is_valid ? point.value : kReplacement;
    const bool is_command = command != commands.end() && *command == at;
    if (is_command) ++command;
    if (const char letter = short_escape(value); letter != 0)
      out.append(1, '\\') += letter;
    else if (is_command || needs_escape(value, escapes))
      append_escaped(out, value);
    else
      out += point.is_valid ? text.substr(at, point.bytes) : "\xEF\xBF\xBD";
    at += point.bytes;
  }
  out += '"';
}

JsonWriter& JsonWriter::key(std::string_view name) {
  if (depth_ == 0 || levels_[depth_ - 1].closes != '}' || has_key_) throw std::logic_error("JSON: no place for a key");
  separate();
  append_json_text(out_, name, escapes_);
  out_ += layout_ == JsonLayout::compact ? ":" : ": ";
  has_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::set_layout(JsonLayout layout) {
  if ((layout >= JsonLayout::lines) != (layout_ >= JsonLayout::lines)) throw std::logic_error("JSON: half in lines");
  layout_ = layout;
  return *this;
}

JsonWriter& JsonWriter::begin(char opens, JsonLayout layout) {
  if (depth_ == kMostLevels) throw std::logic_error("JSON: too deep");
  begin_value();
  out_ += opens;
  levels_[depth_++] = {opens == '{' ? '}' : ']', layout_, false};
  layout_ = layout;
  if (layout >= JsonLayout::lines) ++indent_;
  return *this;
}

JsonWriter& JsonWriter::end(char closes) {
  if (depth_ == 0 || levels_[depth_ - 1].closes != closes || has_key_) throw std::logic_error("JSON: nothing to end");
  const Level level = levels_[--depth_];
  if (layout_ >= JsonLayout::lines) --indent_;
  if (layout_ == JsonLayout::rows || (layout_ == JsonLayout::lines && level.has_members)) add_line();
  out_ += closes;
  layout_ = level.outer;
  end_value();
  return *this;
}

void JsonWriter::separate() {
  Level& level = levels_[depth_ - 1];
  if (level.has_members) out_ += layout_ == JsonLayout::spaced ? ", " : ",";
  level.has_members = true;
  if (layout_ >= JsonLayout::lines) add_line();
}

void JsonWriter::begin_value() {
  if (depth_ == 0) {
    if (has_root_) throw std::logic_error("JSON: a second root");
    has_root_ = true;
  } else if (levels_[depth_ - 1].closes == ']') {
    separate();
  } else if (!has_key_) {
    throw std::logic_error("JSON: a value without its key");
  }
  has_key_ = false;
}

void JsonWriter::end_value() {
  if (!sink_ || out_.size() < kPieceBytes) return;
  sink_(out_);
  given_bytes_ += out_.size();
  out_.clear();
}

void JsonWriter::add_line() {
  out_ += '\n';
  out_.append(2 * indent_, ' ');
}

void JsonWriter::add_text(std::string_view text) {
  append_json_text(out_, text, escapes_);
}

void JsonWriter::add_number(double number) {
  if (!std::isfinite(number)) {
    out_ += "null";
    return;
  }
  const std::string digits = fmt::format("{}", number);
  out_ += digits;
  if (digits.find_first_of(".e") == std::string::npos) out_ += ".0";
}

} // namespace memviz

#include "page/xml_writer.hpp"

#include "base/characters.hpp"
#include "base/log_commands.hpp"
#include "base/utf8.hpp"

#include <pugixml.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fmt/format.h>
#include <new>
#include <vector>

namespace memviz::render {
namespace {

/// Everything that XML 1.0 forbids (section 2.2, Char) is also unsafe.
bool is_kept(const CodePoint& point) {
  return point.is_valid && (point.value == '\t' || point.value == '\n' || !is_unsafe(point.value));
}

pugi::xml_node node_of(pugi::xml_node_struct* node) {
  return pugi::xml_node(node);
}

// When memory runs out, pugixml returns empty handles and continues: a picture would lack their content.
void check(bool done) {
  if (!done) throw std::bad_alloc();
}

template <class Handle> Handle made(Handle handle) {
  check(!handle.empty());
  return handle;
}

struct StringWriter : pugi::xml_writer {
  std::string bytes;
  void write(const void* data, std::size_t size) override { bytes.append(static_cast<const char*>(data), size); }
};

/// XML on standard output is a log like any other: a command in a name is written with a character reference, which is
/// the same text to a reader of XML. memviz's own scripts and styles, where it would not be, contain no commands.
std::string without_commands(std::string xml) {
  std::vector<std::size_t> places = hash_commands(xml);
  const std::vector<std::size_t> colons = colon_commands(xml);
  if (places.empty() && colons.empty()) return xml;
  places.insert(places.end(), colons.begin(), colons.end());
  std::ranges::sort(places);
  std::string result;
  std::size_t done = 0;
  for (const std::size_t at : places) {
    result.append(xml, done, at - done).append(xml[at] == '#' ? "&#35;" : "&#58;");
    done = at + 1;
  }
  return result.append(xml, done);
}

} // namespace

std::string valid_xml_text(std::string_view text) {
  if (is_plain_ascii(text)) return std::string(text);
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    if (is_kept(point))
      valid.append(text.substr(0, point.bytes));
    else
      valid.append("\xef\xbf\xbd");
    text.remove_prefix(point.bytes);
  }
  return valid;
}

std::string px(double value) {
  const auto hundredths = static_cast<std::int64_t>(std::llround(value * 100));
  const std::int64_t magnitude = std::abs(hundredths);
  std::string text = fmt::format("{}{}", hundredths < 0 ? "-" : "", magnitude / 100);
  if (magnitude % 100 == 0) return text;
  text += '.';
  text += static_cast<char>('0' + magnitude % 100 / 10);
  if (magnitude % 10 != 0) text += static_cast<char>('0' + magnitude % 10);
  return text;
}

XmlElement XmlElement::child(const char* name) {
  return XmlElement(made(node_of(node_).append_child(name)).internal_object());
}

XmlElement& XmlElement::set(const char* attribute, std::string_view value) {
  check(made(node_of(node_).append_attribute(attribute)).set_value(valid_xml_text(value).c_str()));
  return *this;
}

XmlElement& XmlElement::text(std::string_view text) {
  check(made(node_of(node_).append_child(pugi::node_pcdata)).set_value(valid_xml_text(text).c_str()));
  return *this;
}

XmlElement& XmlElement::cdata(std::string_view text) {
  check(made(node_of(node_).append_child(pugi::node_cdata)).set_value(std::string(text).c_str()));
  return *this;
}

XmlDocument::XmlDocument(const char* root_name) : document_(std::make_unique<pugi::xml_document>()) {
  made(document_->append_child(root_name));
}

XmlDocument::~XmlDocument() = default;

XmlElement XmlDocument::root() {
  return XmlElement(document_->document_element().internal_object());
}

std::string XmlDocument::serialize() const {
  StringWriter writer;
  document_->save(writer, "", pugi::format_raw | pugi::format_skip_control_chars, pugi::encoding_utf8);
  writer.bytes += '\n';
  return without_commands(std::move(writer.bytes));
}

} // namespace memviz::render

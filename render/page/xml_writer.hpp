#pragma once

// Elements, attributes and text -> the bytes of an XML 1.0 document. All text passes through valid_xml_text(), so that
// no name in a snapshot can make the document invalid.

#include <concepts>
#include <memory>
#include <string>
#include <string_view>

namespace pugi {
class xml_document;
struct xml_node_struct;
} // namespace pugi

namespace memviz::render {

/// Returns `text` as UTF-8 that XML 1.0 allows: bytes that are not UTF-8 and is_unsafe() characters become U+FFFD. Tab
/// and line feed stay.
[[nodiscard]] std::string valid_xml_text(std::string_view text);

/// Formats a length in pixels with at most two decimals: "12", "12.5", "0.25".
[[nodiscard]] std::string px(double value);

/// An element of an XmlDocument, which must outlive it. A handle: copies refer to the same element.
class XmlElement {
public:
  explicit XmlElement(pugi::xml_node_struct* node) : node_(node) {}

  XmlElement child(const char* name);
  XmlElement& set(const char* attribute, std::string_view value);
  XmlElement& set(const char* attribute, double pixels) { return set(attribute, std::string_view(px(pixels))); }
  XmlElement& set(const char* attribute, std::integral auto value) {
    return set(attribute, std::string_view(std::to_string(value)));
  }
  XmlElement& text(std::string_view text);
  /// Adds text unescaped, in a CDATA section: only our own, which contains no "]]>".
  XmlElement& cdata(std::string_view text);

private:
  pugi::xml_node_struct* node_;
};

class XmlDocument {
public:
  explicit XmlDocument(const char* root_name);
  ~XmlDocument();
  XmlDocument(const XmlDocument&) = delete;
  XmlDocument& operator=(const XmlDocument&) = delete;

  [[nodiscard]] XmlElement root();
  /// Returns the whole document, ending in a newline.
  [[nodiscard]] std::string serialize() const;

private:
  std::unique_ptr<pugi::xml_document> document_;
};

} // namespace memviz::render

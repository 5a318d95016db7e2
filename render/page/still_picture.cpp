#include "page/still_picture.hpp"

#include <pugixml.hpp>

#include <new>
#include <sstream>
#include <utility>
#include <vector>

namespace memviz::render {

namespace {

void remove_unread(pugi::xml_node element) {
  std::vector<const char*> data;
  for (const pugi::xml_attribute attribute : element.attributes())
    if (std::string_view(attribute.name()).starts_with("data-")) data.push_back(attribute.name());
  for (const char* const name : data)
    element.remove_attribute(name);
  while (element.remove_child("title")) {}
}

} // namespace

std::string still_picture(std::string_view svg) {
  pugi::xml_document document;
  // Spaces between words of different styles are text.
  if (!document.load_buffer(svg.data(), svg.size(), pugi::parse_default | pugi::parse_ws_pcdata))
    throw std::bad_alloc();
  struct : pugi::xml_tree_walker {
    bool for_each(pugi::xml_node& node) override {
      remove_unread(node);
      return true;
    }
  } walker;
  document.traverse(walker);
  std::ostringstream text;
  document.save(text, "", pugi::format_raw | pugi::format_no_declaration, pugi::encoding_utf8);
  return std::move(text).str();
}

} // namespace memviz::render

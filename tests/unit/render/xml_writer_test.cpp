#include "page/xml_writer.hpp"

#include <doctest/doctest.h>

using namespace memviz::render;

TEST_CASE("valid_xml_text") {
  const std::string replaced = "\xef\xbf\xbd"; // U+FFFD
  CHECK(valid_xml_text("forward <b> & \"c\" ]]>") == "forward <b> & \"c\" ]]>");
  CHECK(valid_xml_text("größe 模型 🙂") == "größe 模型 🙂");
  CHECK(valid_xml_text(std::string("a\0b", 3)) == "a" + replaced + "b");
  CHECK(valid_xml_text("\x1b[31m") == replaced + "[31m");
  CHECK(valid_xml_text("line\nline\tend") == "line\nline\tend");
  CHECK(valid_xml_text("a\rb") == "a" + replaced + "b");
  SUBCASE("what is not UTF-8") {
    CHECK(valid_xml_text("\xff") == replaced);
    CHECK(valid_xml_text("\xc0\xaf") == replaced + replaced); // overlong
    CHECK(valid_xml_text("\xed\xa0\x80") == replaced);        // a lone surrogate
    CHECK(valid_xml_text("\xe6\xa8") == replaced + replaced); // cut short
    CHECK(valid_xml_text("\xf4\x90\x80\x80").find("\xf4") == std::string::npos);
  }
  SUBCASE("what Unicode allows and XML or a reader does not") {
    CHECK(valid_xml_text("\xef\xbf\xbe") == replaced); // U+FFFE
    CHECK(valid_xml_text("\xe2\x80\xae"
                         "abc") == replaced + "abc"); // right-to-left override
    CHECK(valid_xml_text("\xc2\x9b") == replaced);    // C1 control
  }
}

TEST_CASE("px") {
  CHECK(px(12) == "12");
  CHECK(px(0.25) == "0.25");
  CHECK(px(0.5) == "0.5");
  CHECK(px(1143.999) == "1144");
  CHECK(px(-3.14159) == "-3.14");
  CHECK(px(-0.001) == "0");
}

TEST_CASE("XmlDocument escapes everything that is not its own") {
  XmlDocument document("svg");
  document.root().child("text").set("data-name", "a\"<&>'").text("x < y && z ]]>");
  const std::string xml = document.serialize();
  CHECK(xml.find("<text data-name=\"a&quot;&lt;&amp;") != std::string::npos);
  CHECK(xml.find("x &lt; y &amp;&amp; z ]]&gt;") != std::string::npos);
  CHECK(xml.ends_with("</svg>\n"));
}

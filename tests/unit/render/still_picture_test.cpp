#include "page/still_picture.hpp"

#include <doctest/doctest.h>

TEST_CASE("a still picture has what is drawn, and not what scripts and pointers read") {
  CHECK(memviz::render::still_picture(
            "<svg class=\"a\" data-row=\"1\"><title>all</title><style><![CDATA[a > b{content:\"x\"}]]></style>"
            "<g data-x=\"2\" id=\"b\" data-name=\"f &gt; g\"><title>one</title><text>f data-x=\"secret\" &lt; "
            "end</text> <text/></g></svg>\n") ==
        "<svg class=\"a\"><style><![CDATA[a > b{content:\"x\"}]]></style>"
        "<g id=\"b\"><text>f data-x=\"secret\" &lt; end</text> <text/></g></svg>");
}

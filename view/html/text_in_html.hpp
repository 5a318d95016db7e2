#pragma once

// Bytes -> ASCII text for an element of HTML: 13 bits in each two of 91 characters, so that the text is 23 % longer
// than the bytes, where base64 is 33 % longer. The characters are those from ! to ~ without &, < and >.
// view/web/carried.js returns the bytes.

#include <string>
#include <string_view>

namespace memviz {

[[nodiscard]] std::string text_in_html(std::string_view bytes);

} // namespace memviz

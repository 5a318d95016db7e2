#pragma once

// The parts that all steps of redaction use: how texts become pseudonyms, and the search that remembers hidden texts.

#include "redact/leak_search.hpp"
#include "redact/pseudonym.hpp"

#include <string>
#include <string_view>

namespace memviz {

struct Hiding {
  const Pseudonyms& pseudonyms;
  LeakSearch& search;

  /// Returns the pseudonym of `text`, followed by `end`.
  [[nodiscard]] std::string pseudonym(std::string_view prefix, std::string_view text, std::string_view end = {}) const {
    std::string result = pseudonyms.of(prefix, text).append(end);
    search.add_pseudonym(result);
    return result;
  }
};

} // namespace memviz

#pragma once

// What every step of redaction is given: how texts become pseudonyms, who remembers what was hidden, and whether what
// everybody knows keeps its name.

#include "redact/leak_search.hpp"
#include "redact/pseudonym.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace memviz {

/// `hidden` because a text can only look public: a fork of torch, a private package that is called like a public one.
enum class PublicNames : std::uint8_t { kept, hidden };

struct Hiding {
  const Pseudonyms& pseudonyms;
  LeakSearch& search;
  PublicNames public_names = PublicNames::kept;

  /// What stands for `text`, with `end` behind it.
  [[nodiscard]] std::string pseudonym(std::string_view prefix, std::string_view text, std::string_view end = {}) const {
    std::string result = pseudonyms.of(prefix, text).append(end);
    search.add_pseudonym(result);
    return result;
  }
};

} // namespace memviz

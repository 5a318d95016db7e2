#pragma once

// What every step of redaction is given: how texts become pseudonyms, who remembers what was hidden, and whether what
// everybody knows keeps its name.

#include "redact/leak_search.hpp"
#include "redact/pseudonym.hpp"

#include <cstdint>

namespace memviz {

/// `hidden` because a text can only look public: a fork of torch, a private package that is called like a public one.
enum class PublicNames : std::uint8_t { kept, hidden };

struct Hiding {
  const Pseudonyms& pseudonyms;
  LeakSearch& search;
  PublicNames public_names = PublicNames::kept;
};

} // namespace memviz

#pragma once

// Questions of a page -> answers: one function for each, by name. What a page shows comes from the functions that the
// program itself calls, so that both say the same.

#include "engine/page_file.hpp"
#include "engine/request.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace memviz::view {

/// The files that a page has open.
class Engine {
public:
  /// Returns the index of the file. Throws what PageFile's constructor throws.
  std::size_t add(std::string name, std::string bytes);
  /// Throws UsageError where there is no such file.
  [[nodiscard]] PageFile& file(const Request& request, std::string_view member = "file");
  /// The answer: JSON or SVG as UTF-8, or numbers as they lie in memory. Throws UsageError for a question that it does
  /// not know or that makes no sense, and Error where there is no answer.
  [[nodiscard]] std::string answer(std::string_view request);

private:
  std::vector<std::unique_ptr<PageFile>> files_;
};

} // namespace memviz::view

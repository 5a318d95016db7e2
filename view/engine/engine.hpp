#pragma once

// Questions of a page -> answers: one function for each, by name. A page shows results of the functions that the
// program itself calls, so that both agree.

#include "engine/page_file.hpp"
#include "engine/request.hpp"

#include "memviz/input.hpp"
#include "memviz/ranks.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz::view {

/// The files that a page has open.
class Engine {
public:
  /// Opens a file and returns its index; of several snapshots in it `rank`. Throws the exceptions of PageFile's
  /// constructor.
  std::size_t add(std::string name, Input bytes, const std::string& rank = "");
  /// Adds the parts of a file to the job, keeps nothing else of it, and returns the names of the parts, as JSON. A file
  /// that cannot be read is a part with the reason.
  std::string add_to_job(const std::string& name, Input bytes);
  /// Adds a file of which the page itself could not read the bytes.
  void add_unread(std::string name, std::string reason) {
    job_.push_back({.file = std::move(name), .error = std::move(reason)});
  }
  [[nodiscard]] const std::vector<RankPart>& job() const { return job_; }
  /// Removes all parts, for another job.
  void forget_job() { job_.clear(); }
  /// Frees a file, whose index stays its own. Throws UsageError if there is none.
  void close(const PageRequest& request);
  /// Returns a file. Throws UsageError if there is none, or if it is closed.
  [[nodiscard]] PageFile& file(const PageRequest& request, std::string_view member = "file");
  /// Returns the answer: JSON or SVG as UTF-8, or numbers as they are in memory. Throws UsageError for an unknown or
  /// invalid question, and Error if there is no answer.
  [[nodiscard]] std::string answer(std::string_view text);
  /// Returns the names of all questions.
  [[nodiscard]] static std::vector<std::string_view> questions();

private:
  std::vector<std::unique_ptr<PageFile>> files_;
  std::vector<RankPart> job_;
};

} // namespace memviz::view

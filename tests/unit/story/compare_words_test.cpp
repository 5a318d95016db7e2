#include "memviz/compare_words.hpp"
#include "memviz/environment.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace memviz;

TEST_CASE("at most six settings are named, and the others counted") {
  std::vector<EnvironmentChange> changes;
  CHECK(environment_text(changes).empty());
  for (int i = 1; i <= 6; ++i)
    changes.push_back({fmt::format("option{}", i), "1", std::nullopt});
  const std::string six = environment_text(changes);
  CHECK(six.starts_with("made with other settings or versions: option1 1 before, not recorded after; option2 "));
  CHECK(six.ends_with("; option6 1 before, not recorded after"));
  changes.push_back({"option7", "", "2"});
  CHECK(environment_text(changes) == six + "; and 1 more setting");
}

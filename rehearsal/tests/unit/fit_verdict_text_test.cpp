#include "verdict/fit_verdict_text.hpp"

#include <doctest/doctest.h>

namespace memviz::rehearse {

TEST_CASE("what keeps the memory follows what ran out") {
  FitVerdict verdict;
  verdict.failure.emplace();
  ExplanationText& words = verdict.failure->words;
  words.headline = "GPU 0 ran out of memory.";
  words.verdict = "Kept: 640 MiB of 10 earlier calls.";
  words.keepers = {"Keeper: 704 MiB is kept by `features` (dict of 4)."};
  words.helps = {"Keep less of each call."};
  CHECK(verdict_text(verdict, 80) == "\nGPU 0 ran out of memory.\n"
                                     "Kept: 640 MiB of 10 earlier calls.\n"
                                     "\n"
                                     "Keeper: 704 MiB is kept by `features` (dict of 4).\n"
                                     "\n"
                                     "What would help\n"
                                     "  - Keep less of each call.\n");
}

} // namespace memviz::rehearse

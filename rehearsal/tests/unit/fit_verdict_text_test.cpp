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

TEST_CASE("as many devices as have a row are in their order, and of more the fullest come first") {
  FitVerdict verdict;
  for (std::int64_t rank = 0; rank < 16; ++rank)
    verdict.facts.uses.push_back({.rank = rank,
                                  .device = {},
                                  .total_bytes = 1 << 30,
                                  .peak_bytes = 1024 * (1 + static_cast<std::uint64_t>(rank))});
  std::string text = verdict_text(verdict, 80);
  CHECK(text.find("rank 0, ") < text.find("rank 15, "));
  CHECK(text.find("more, with more memory left") == std::string::npos);
  verdict.facts.uses.push_back({.rank = 16, .device = {}, .total_bytes = 1 << 30, .peak_bytes = 1024 * 17});
  text = verdict_text(verdict, 80);
  CHECK(text.find("rank 16, ") < text.find("rank 1, "));
  CHECK(text.find("rank 0, ") == std::string::npos);
  CHECK(text.find("  and 1 more, with more memory left\n") != std::string::npos);
}

} // namespace memviz::rehearse

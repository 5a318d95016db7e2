#include "memviz/format.hpp"
#include "verdict/fit_words.hpp"

#include <fmt/format.h>

namespace memviz::rehearse {

namespace {

/// Returns the beginning of the advice about a change.
std::string_view advice_of(FitChange change) {
  switch (change) {
  case FitChange::expandable_segments: return "Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True";
  case FitChange::no_foreach: return "Create the optimizer with foreach=False";
  }
  return "";
}

std::string tried_text(const TriedChange& tried) {
  const std::string how_far = tried.more_steps > 0
                                  ? fmt::format("goes on for {}", format_counted(tried.more_steps, "more step"))
                                  : "runs to its end";
  return fmt::format("{}: tried, the program {}, {} left.", advice_of(tried.change), how_far,
                     format_bytes(tried.left_bytes));
}

} // namespace

std::string_view change_name(FitChange change) {
  switch (change) {
  case FitChange::expandable_segments: return "expandable_segments:True";
  case FitChange::no_foreach: return "foreach=False";
  }
  return "";
}

void replace_advice(FitVerdict& verdict) {
  if (!verdict.failure) return;
  for (std::vector<std::string>* const list : {&verdict.failure->words.advice, &verdict.failure->words.helps}) {
    for (const FitChange change : verdict.failure->changes)
      std::erase_if(*list, [&](const std::string& sentence) { return sentence.starts_with(advice_of(change)); });
    for (std::size_t i = 0; i < verdict.tried.size(); ++i)
      list->insert(list->begin() + static_cast<std::ptrdiff_t>(i), tried_text(verdict.tried[i]));
  }
}

} // namespace memviz::rehearse

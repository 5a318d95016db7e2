#include "rehearse/verdict.hpp"

namespace memviz::rehearse {

namespace {

using Json = nlohmann::ordered_json;

template <class Value> Json known(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json uses_json(const RunFacts& facts) {
  Json list = Json::array();
  for (const DeviceUse& use : facts.uses)
    list.push_back({{"device", use.device},
                    {"rank", known(use.rank)},
                    {"pid", use.pid},
                    {"total_bytes", use.total_bytes},
                    {"context_bytes", use.context_bytes},
                    {"peak_bytes", use.peak_bytes},
                    {"left_bytes", use.left_bytes()},
                    {"peak_reserved_bytes", known(use.peak_reserved_bytes)},
                    {"peak_allocated_bytes", known(use.peak_allocated_bytes)},
                    {"retries", use.retries}});
  return list;
}

Json facts_json(const FileFacts& facts) {
  Json holders = Json::array();
  for (const Holder& holder : facts.holders)
    holders.push_back({{"line", holder.line}, {"bytes", holder.bytes}, {"blocks", holder.blocks}});
  return {{"file", facts.file},
          {"device", facts.device},
          {"moment", facts.moment},
          {"requested_bytes", facts.requested_bytes},
          {"reserved_bytes", facts.reserved_bytes},
          {"holders", std::move(holders)}};
}

Json failure_json(const Failure& failure) {
  Json result = facts_json(failure.facts);
  result["headline"] = failure.words.headline;
  result["verdict_text"] = failure.words.verdict;
  result["reasons"] = failure.words.reasons;
  result["answers"] = failure.words.answers;
  result["advice"] = failure.words.advice;
  return result;
}

Json files_json(const RunFacts& facts) {
  Json files = Json::array();
  for (const OutOfMemoryFact& oom : facts.ooms)
    if (!oom.file.empty()) files.push_back({{"file", oom.file}, {"at", "oom"}, {"pid", oom.pid}});
  for (const WrittenFile& file : facts.files)
    files.push_back({{"file", file.path}, {"at", "end"}, {"pid", file.pid}});
  return files;
}

} // namespace

Json verdict_json(const FitVerdict& verdict) {
  Json result;
  result["outcome"] = outcome_word(verdict.outcome);
  result["text"] = headline(verdict);
  result["program"] = {{"exit_code", verdict.ending.exit_code}, {"signal", verdict.ending.signal}};
  result["gpu"] = {{"name", verdict.profile.gpu},
                   {"profile", verdict.profile.name},
                   {"total_bytes", verdict.profile.total_bytes},
                   {"context_bytes", verdict.profile.context_bytes}};
  result["devices"] = uses_json(verdict.facts);
  result["ooms"] = verdict.facts.oom_count;
  result["steps"] = verdict.facts.steps;
  result["is_stopped"] = verdict.facts.is_stopped;
  result["peak"] = verdict.peak ? facts_json(*verdict.peak) : Json(nullptr);
  result["failure"] = verdict.failure ? failure_json(*verdict.failure) : Json(nullptr);
  result["files"] = files_json(verdict.facts);
  result["notes"] = notes(verdict);
  return result;
}

} // namespace memviz::rehearse

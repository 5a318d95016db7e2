#include "engine/engine.hpp"

#include "engine/answers.hpp"

#include "base/json_writer.hpp"
#include "memviz/error.hpp"

#include <fmt/format.h>
#include <utility>

namespace memviz::view {

namespace {

std::string close_file(Engine& engine, const PageRequest& request) {
  engine.close(request);
  return "null";
}

using Answer = std::string (*)(Engine&, const PageRequest&);

constexpr std::pair<std::string_view, Answer> kAnswers[] = {
    {"overview", overview},    {"curve", curve_of},        {"classes", classes_of},
    {"live", live_at},         {"life", life_of},          {"cell", life_in_cell},
    {"lines", lines_at},       {"events", events_of},      {"find", find_text},
    {"picture", picture_of},   {"compare", comparison_of}, {"text", text_of},
    {"event", event_of},       {"hits", hits_of},          {"found_curve", found_curve_of},
    {"headline", headline_of}, {"range", range_of},        {"same_time", same_time},
    {"span", span_of},         {"bands", bands_of},        {"lit", lit_of},
    {"close", close_file},     {"ranks", ranks_of},        {"new_job", new_job},
    {"unread", add_unread},
};

} // namespace

std::size_t Engine::add(std::string name, Input bytes, const std::string& rank) {
  files_.push_back(std::make_unique<PageFile>(std::move(name), std::move(bytes), rank));
  return files_.size() - 1;
}

std::string Engine::add_to_job(const std::string& name, Input bytes) {
  const std::vector<RankPart> parts = parts_of_file(name, std::move(bytes));
  std::string names;
  JsonWriter json(names, JsonLayout::compact);
  json.begin_array();
  for (const RankPart& part : parts)
    json.value(part.file);
  json.end_array();
  job_.insert(job_.end(), parts.begin(), parts.end());
  return names;
}

PageFile& Engine::file(const PageRequest& request, std::string_view member) {
  const std::uint64_t index = request.number(member, 0, files_.size());
  if (index >= files_.size() || !files_[static_cast<std::size_t>(index)])
    throw UsageError(fmt::format("no file {} is open", index));
  return *files_[static_cast<std::size_t>(index)];
}

void Engine::close(const PageRequest& request) {
  static_cast<void>(file(request));
  files_[request.count("file", 0, files_.size())].reset();
}

std::vector<std::string_view> Engine::questions() {
  std::vector<std::string_view> names;
  for (const auto& [name, make] : kAnswers)
    names.push_back(name);
  return names;
}

std::string Engine::answer(std::string_view text) {
  const PageRequest request(text);
  const std::string ask = request.text("ask");
  for (const auto& [name, make] : kAnswers)
    if (name == ask) return make(*this, request);
  throw UsageError(fmt::format("there is no answer '{}'", ask));
}

} // namespace memviz::view

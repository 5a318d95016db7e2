#include "memviz/kind_rules.hpp"

#include "memviz/error.hpp"

#include <deque>
#include <fmt/format.h>
#include <re2/re2.h>
#include <string>

namespace memviz {

namespace {

constexpr std::string_view kBlank = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

/// The kinds that a rule can name; the last ones only express that something is unknown.
constexpr auto kRuleKinds = static_cast<std::size_t>(MemoryKind::parameter_or_state);

/// "parameter, gradient, ... or workspace"
std::string all_kinds() {
  std::string names;
  for (std::size_t i = 0; i < kRuleKinds; ++i)
    names += fmt::format("{}{}",
                         i == 0                ? ""
                         : i + 1 == kRuleKinds ? " or "
                                               : ", ",
                         kind_name(static_cast<MemoryKind>(i)));
  return names;
}

} // namespace

struct KindRules::Rule {
  MemoryKind kind;
  RE2 regex;

  Rule(MemoryKind its_kind, const std::string& expression) : kind(its_kind), regex(expression, RE2::Quiet) {}
};

KindRules::KindRules(std::string_view text) {
  std::deque<Rule> rules; // a regular expression is not movable
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line.front() == '#') continue;

    const std::string_view name = line.substr(0, line.find_first_of(kBlank));
    const std::string expression(trimmed(line.substr(name.size())));
    const auto kind = kind_of_name(name);
    if (!kind || static_cast<std::size_t>(*kind) >= kRuleKinds)
      throw Error(fmt::format("line {}: expected {}, found '{}'", number, all_kinds(), name));
    if (expression.empty()) throw Error(fmt::format("line {}: expected a regular expression after {}", number, name));
    const Rule& rule = rules.emplace_back(*kind, expression);
    if (!rule.regex.ok())
      throw Error(fmt::format("line {}: '{}' is not a regular expression: {}", number, expression, rule.regex.error()));
  }
  if (!rules.empty()) rules_ = std::make_shared<const std::deque<Rule>>(std::move(rules));
}

std::optional<std::size_t> KindRules::first_match(std::string_view text) const {
  if (empty()) return std::nullopt;
  for (std::size_t i = 0; i < rules_->size(); ++i)
    if (RE2::PartialMatch({text.data(), text.size()}, (*rules_)[i].regex)) return i;
  return std::nullopt;
}

MemoryKind KindRules::kind(std::size_t rule) const {
  return (*rules_)[rule].kind;
}

} // namespace memviz

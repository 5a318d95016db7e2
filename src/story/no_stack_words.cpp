#include "analysis/tree/no_stack_account.hpp"

#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "story/no_stack_words.hpp"

#include <fmt/format.h>
#include <string_view>
#include <variant>

namespace memviz {

std::string reason_text(const NodeKey& reason) {
  std::string_view label = pseudo_label(std::get<Pseudo>(reason));
  label = label.substr(1, label.size() - 2);
  const std::size_t colon = label.find(": ");
  return std::string(colon == std::string_view::npos ? label : label.substr(colon + 2));
}

std::string no_stack_text(const NoStackAccount& account) {
  std::string text = "no stack: ";
  if (account.reasons.size() == 1) return text + reason_text(account.reasons.front().key);
  for (const UserLine& reason : account.reasons)
    if (reason.amount.bytes > 0)
      text += fmt::format("{}{} {}", text.ends_with(": ") ? "" : ", ", format_bytes(reason.amount.bytes),
                          reason_text(reason.key));
  return text;
}

} // namespace memviz

#include "pickle/memo.hpp"

namespace memviz::pickle {

void Memo::put_out_of_order(std::uint64_t index, Value value) {
  static constexpr std::uint64_t kMaxGap = 16;
  if (index > dense_.size() && index - dense_.size() <= kMaxGap) {
    while (dense_.size() < index)
      dense_.push_back({});
    dense_.push_back(value);
    ++count_;
    return;
  }
  const Value previous = get(index);
  if (previous.kind() == Kind::unset)
    ++count_;
  else if (previous != value)
    was_replaced_ = true;
  if (index < dense_.size())
    dense_[static_cast<std::size_t>(index)] = value;
  else
    sparse_.insert(index, value.bits());
}

} // namespace memviz::pickle

#include "operator_frames.hpp"

#include <algorithm>
#include <string_view>

namespace memviz::capture {
namespace {

constexpr std::string_view kEvaluate = "autograd::engine::evaluate_function: ";

/// Of "aten::add_.Tensor" it is "add_", of "MmBackward0" itself.
std::string_view last_part(std::string_view name) {
  if (const auto colons = name.rfind("::"); colons != std::string_view::npos) name.remove_prefix(colons + 2);
  return name.substr(0, name.find('.'));
}

/// The index, in the native stack, of the frame that enters the operator, at `from` or further in; npos for none.
constexpr std::size_t npos = std::string::npos;
std::size_t find_entry(const std::vector<std::uint32_t>& native, std::size_t from, const std::string& name,
                       const std::vector<FrameData>& frames) {
  for (std::size_t i = from; i-- > 0;) {
    if (is_entry_of(frames[native[i]].name, name)) return i;
  }
  return npos;
}

} // namespace

bool is_entry_of(const std::string& function, const std::string& name) {
  if (name.starts_with(kEvaluate)) return function.find("Engine::evaluate_function(") != npos;
  const std::string_view part = last_part(name);
  const auto contains = [&function](std::string_view scope, std::string_view middle, std::string_view method) {
    return function.find(std::string(scope).append(middle).append(method)) != npos;
  };
  return contains("_ops::", part, "::call(") || contains("::", part, "::apply(");
}

std::vector<std::uint32_t> merge_operators(const std::vector<std::uint32_t>& native,
                                           std::span<const OperatorFrame> operators,
                                           const std::vector<FrameData>& frames) {
  std::vector<std::uint32_t> merged;  // outermost first, until the end
  std::vector<std::uint32_t> pending; // operators that await the first one whose entry is known
  std::size_t left = native.size();   // native frames further in than those in `merged`
  for (const auto& [name, frame] : operators) {
    const std::size_t entry = find_entry(native, left, *name, frames);
    if (entry == npos) {
      (merged.empty() ? pending : merged).push_back(frame);
      continue;
    }
    for (; left > entry + 1; --left) merged.push_back(native[left - 1]);
    merged.insert(merged.end(), pending.begin(), pending.end());
    pending.clear();
    merged.push_back(native[--left]);
    merged.push_back(frame);
  }
  for (; left > 0; --left) merged.push_back(native[left - 1]);
  merged.insert(merged.end(), pending.begin(), pending.end());
  std::reverse(merged.begin(), merged.end());
  return merged;
}

} // namespace memviz::capture

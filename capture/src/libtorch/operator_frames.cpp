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
  const std::string part(last_part(name));
  if (function.find("::" + part + "::apply(") != npos) return true;
  const std::string start = "_ops::" + part;
  const std::size_t found = function.find(start);
  if (found == npos) return false;
  const std::string_view rest = std::string_view(function).substr(found + start.size());
  if (rest.starts_with("::call(")) return true;
  // "_Scalar::call(" of an overload; "__Scalar" is one of the in-place operator.
  return rest.starts_with("_") && !rest.starts_with("__") && rest.substr(0, rest.find("::")).find('(') == npos &&
         rest.find("::call(") == rest.find("::");
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
    for (; left > entry + 1; --left)
      merged.push_back(native[left - 1]);
    merged.insert(merged.end(), pending.begin(), pending.end());
    pending.clear();
    merged.push_back(native[--left]);
    merged.push_back(frame);
  }
  for (; left > 0; --left)
    merged.push_back(native[left - 1]);
  merged.insert(merged.end(), pending.begin(), pending.end());
  std::reverse(merged.begin(), merged.end());
  return merged;
}

} // namespace memviz::capture

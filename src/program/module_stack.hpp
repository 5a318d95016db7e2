#pragma once

// The texts in which torch.export writes the place of a node in the model -> the tree of modules.

#include "program/program.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::program {

/// "L__self__,,__main__.GPT;L__self___h_0,transformer.h.0,__main__.Block", outermost first: a key, a path and a class
/// for each module, as in `nn_module_stack`.
class ModuleTree {
public:
  /// `modules` receives the modules, the whole model first; it must outlive this object.
  explicit ModuleTree(std::vector<Module>& modules);

  /// Returns the innermost module of `stack`; the whole model for an empty or malformed one.
  ModuleId innermost(std::string_view stack);

private:
  ModuleId module_at(std::string_view path, std::string_view type, ModuleId parent);

  std::vector<Module>& modules_;
  std::vector<std::size_t> levels_; ///< by module: the number of modules around it
  std::map<std::string, ModuleId, std::less<>> by_path_;
  std::map<std::string, ModuleId, std::less<>> by_stack_;
};

} // namespace memviz::program

#include "memviz/label.hpp"

#include "base/affixes.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace memviz {
namespace {

/// "PyObject_Call", "_PyEval_Vector", "Py_BytesMain", but not "PyModel::forward" or "Python_forward".
bool is_python_c_function(std::string_view name) {
  if (name.starts_with('_')) name.remove_prefix(1);
  if (!name.starts_with("Py") || name.size() < 3) return false;
  return name[2] == '_' || (name[2] >= 'A' && name[2] <= 'Z' && name.find('_') != std::string_view::npos);
}

/// CPython functions that are static, and therefore have no prefix, and those that run compiled code for Dynamo.
bool is_static_c_function(std::string_view name) {
  static constexpr std::array<std::string_view, 37> kBeginnings{"slot_tp_",
                                                                "slot_nb_",
                                                                "slot_sq_",
                                                                "slot_mp_",
                                                                "slot_am_",
                                                                "method_vectorcall",
                                                                "cfunction_",
                                                                "type_call",
                                                                "vectorcall_",
                                                                "subtype_dealloc",
                                                                "tupledealloc",
                                                                "list_dealloc",
                                                                "dict_dealloc",
                                                                "odict_dealloc",
                                                                "frame_dealloc",
                                                                "meth_dealloc",
                                                                "tb_dealloc",
                                                                "structseq_dealloc",
                                                                "BaseException_dealloc",
                                                                "pymain_",
                                                                "pyrun_",
                                                                "run_mod",
                                                                "run_eval_code_obj",
                                                                "do_call_core",
                                                                "do_richcompare",
                                                                "binary_op",
                                                                "ternary_op",
                                                                "object_recursive_isinstance",
                                                                "gen_send_ex",
                                                                "gen_iternext",
                                                                "partial_call",
                                                                "builtin_",
                                                                "infinite_lru_cache_wrapper",
                                                                "bounded_lru_cache_wrapper",
                                                                "pythread_wrapper",
                                                                "thread_run",
                                                                "dynamo_"};
  return starts_with_any(name, kBeginnings);
}

/// PyTorch's C++ between Python and an operator, or between Python and Python.
bool is_binding(std::string_view name) {
  static constexpr std::array<std::string_view, 4> kParts{"THPVariable_", "THPFunction_apply", "handle_torch_function",
                                                          "dynamo__custom_eval_frame"};
  constexpr std::size_t kLookedAt = 256;
  name = name.substr(0, kLookedAt);
  return std::ranges::any_of(kParts, [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

bool ends_as_c(std::string_view filename) {
  return filename.ends_with(".c") || filename.ends_with(".h");
}

/// The frames in which a process or a thread starts: some stacks have them, others of the same line do not.
bool is_start(std::string_view name) {
  static constexpr std::array<std::string_view, 5> kNames{"clone", "start_thread", "pthread_condattr_setpshared",
                                                          "__clone", "__clone3"};
  return name.starts_with("__libc_") || std::ranges::find(kNames, name) != kNames.end();
}

/// Whether it is a function of the interpreter, unless its file shows otherwise.
bool is_interpreter_name(std::string_view name) {
  constexpr std::size_t kLongest = 256;
  if (name.size() > kLongest) return false;
  if (is_start(name)) return true;
  if (name.find("::") != std::string_view::npos || name.find('(') != std::string_view::npos) return false;
  return is_python_c_function(name) || is_static_c_function(name);
}

} // namespace

bool is_interpreter_file(std::string_view filename) {
  // In builds by distributions: "./Objects/call.c".
  static constexpr std::array<std::string_view, 8> kFolders{"Objects/",   "Python/",   "Modules/",   "Include/",
                                                            "./Objects/", "./Python/", "./Modules/", "./Include/"};
  // One name of megabytes may be in every frame.
  constexpr std::size_t kLongest = 4096;
  if (!ends_as_c(filename) || filename.size() > kLongest) return false;
  if (filename.find("/python-") != std::string_view::npos || filename.find("/Python-") != std::string_view::npos)
    return true;
  return starts_with_any(filename.starts_with("../") ? filename.substr(3) : filename, kFolders);
}

bool is_interpreter(std::string_view name, std::string_view filename) {
  if (is_interpreter_file(filename) || is_binding(name)) return true;
  if (name == "execute_native_thread_routine") return true; // of libstdc++, whose file has many paths
  // Folded stacks have no files, and arbitrary names.
  if (name == "main") return filename == "??";
  const bool has_no_source = filename.empty() || filename == "??" || filename.ends_with(".o");
  return (has_no_source || ends_as_c(filename)) && is_interpreter_name(name);
}

} // namespace memviz

#pragma once

// Names that are public knowledge, and that a redacted picture may therefore contain: Python, torch, and packages that
// thousands use.

#include <string_view>

namespace memviz {

/// Whether it is a top-level package or module of site-packages, as in "torch" or "typing_extensions.py".
[[nodiscard]] bool is_public_package(std::string_view name);
/// Whether it is a C++ namespace of a library: everything inside belongs to that library.
[[nodiscard]] bool is_public_namespace(std::string_view name);
/// Whether it is a C++ keyword, one of a few types and functions that every C++ program has, or a name that begins like
/// those of CPython, CUDA or the system.
[[nodiscard]] bool is_public_symbol(std::string_view name);
/// Whether it is a name that Python gives to unnamed code, one that every model has, or a special method: `<module>`,
/// `forward`, `__init__`.
[[nodiscard]] bool is_public_python_name(std::string_view name);
/// Whether it is such a name, or that of an attribute of PyTorch's and vLLM's objects from which kinds of memory
/// follow.
[[nodiscard]] bool is_public_attribute(std::string_view name);
/// Whether it is the name of torch's own marks: "ProfilerStep#12", "Optimizer.step#AdamW.step".
[[nodiscard]] bool is_public_annotation(std::string_view name);
/// Whether it is a word of the allocator's settings, or a number.
[[nodiscard]] bool is_public_setting_word(std::string_view word);

} // namespace memviz

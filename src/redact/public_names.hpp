#pragma once

// What everybody knows, and a redacted picture may therefore say: Python, torch, and packages that thousands use.

#include <string_view>

namespace memviz {

/// A top-level package or module of site-packages, as in "torch" or "typing_extensions.py".
[[nodiscard]] bool is_public_package(std::string_view name);
/// A C++ namespace: what is inside is its library's.
[[nodiscard]] bool is_public_namespace(std::string_view name);
/// A C++ keyword, a type, or a function of CPython, CUDA or the system.
[[nodiscard]] bool is_public_symbol(std::string_view name);
/// A name that Python gives, or that every model has: `__init__`, `<module>`, `forward`.
[[nodiscard]] bool is_public_python_name(std::string_view name);
/// A name of torch's own marks: "ProfilerStep#12", "Optimizer.step#AdamW.step".
[[nodiscard]] bool is_public_annotation(std::string_view name);
/// A word of the allocator's settings, or a number.
[[nodiscard]] bool is_public_setting_word(std::string_view word);

} // namespace memviz

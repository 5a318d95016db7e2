#pragma once

// What a file is, by its first bytes: so that somebody who passes the wrong file is told what it is.

#include <string_view>

namespace memviz {

[[nodiscard]] bool looks_like_json(std::string_view bytes);

/// Throws Error, saying what the file is and what to pass instead, for an empty file, a zip archive (torch.save), HTML,
/// and text that is neither JSON nor a pickle of protocol 0.
void reject_foreign_file(std::string_view bytes);

} // namespace memviz

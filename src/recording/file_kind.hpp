#pragma once

// The first bytes of a file -> its kind, to describe a file that is not a snapshot.

#include <string_view>

namespace memviz {

[[nodiscard]] bool looks_like_json(std::string_view bytes);

/// Throws Error, which says what the file is and what to pass instead, for an empty file, a zip archive (torch.save),
/// HTML, and text that is neither JSON nor a pickle of protocol 0.
void reject_foreign_file(std::string_view bytes);

/// Does the same for the first bytes of a file whose rest has not been read yet: throws ParseError if they cannot begin
/// a pickle either.
void reject_foreign_head(std::string_view head);

} // namespace memviz

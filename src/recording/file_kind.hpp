#pragma once

// The first bytes of a file -> its kind, to name the kind of a file that is not a snapshot.

#include <string_view>

namespace memviz {

[[nodiscard]] bool looks_like_json(std::string_view bytes);

/// Throws Error, saying what the file is and what to pass instead, for an empty file, a zip archive (torch.save), HTML,
/// and text that is neither JSON nor a pickle of protocol 0.
void reject_foreign_file(std::string_view bytes);

/// The same for the first bytes of a file whose rest is not there yet: throws ParseError where they cannot begin a
/// pickle as well.
void reject_foreign_head(std::string_view head);

} // namespace memviz

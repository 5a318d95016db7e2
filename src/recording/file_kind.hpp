#pragma once

// The first bytes of a file -> its kind, to describe a file that is not a snapshot.

#include <string_view>

namespace memviz {

[[nodiscard]] bool looks_like_json(std::string_view bytes);

inline constexpr std::string_view kWriteSnapshot =
    "write a snapshot with torch.cuda.memory._dump_snapshot(\"snapshot.pickle\"), or let memviz run -- python train.py "
    "do that";

/// Throws Error for a file that is something else: "byte 0: expected a memory snapshot, found WHAT: WHAT_TO_DO".
[[noreturn]] void throw_other_file(std::string_view what, std::string_view what_to_do = kWriteSnapshot);

/// Throws Error, which says what the file is and what to pass instead, for an empty file, an archive, files of other
/// tools, HTML, and text that is neither JSON nor a pickle of protocol 0.
void reject_foreign_file(std::string_view bytes);

/// Does the same for the first bytes of a file whose rest has not been read yet: throws ParseError if they cannot begin
/// a pickle either.
void reject_foreign_head(std::string_view head);

} // namespace memviz

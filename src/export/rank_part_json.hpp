#pragma once

// Descriptions of the parts of ranks that several documents of JSON have.

#include "base/json_object.hpp"
#include "memviz/moment.hpp"
#include "memviz/ranks.hpp"

namespace memviz {

inline constexpr auto kNamedRankMoment = named(moment_kind_name, MomentKind::end, MomentKind::oom);

inline constexpr auto kUnreadPart = json_object<RankPart>(
    {.meaning = "A file that could not be read", .name = "unread_file", .layout = JsonLayout::compact},
    member("file", "Its name", &RankPart::file), member("error", "Why it could not be read", &RankPart::error));

} // namespace memviz

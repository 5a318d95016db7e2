#pragma once

// The parts of the explain panel: bars to scale, the totals by cause, the answers.

#include "page/bars.hpp"
#include "page/naming.hpp"
#include "page/page.hpp"

#include "memviz/explain.hpp"
#include "memviz/explain_words.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memviz::render {

/// The request against the largest holes and what the device had free, on one scale.
[[nodiscard]] std::vector<Bar> request_bars(const DeviceExplanation& device);

/// Returns a bar for what each device holds at its own moment, on one scale: the first device, then the fullest of the
/// others by their number; at most eight.
[[nodiscard]] std::vector<Bar> device_bars(const std::vector<const DeviceExplanation*>& devices);

/// Reserved memory by what it is used for or what kept it from being used, then the rest of the device as far as known.
[[nodiscard]] Bar ledger_bar(const MemoryLedger& ledger);

/// The same as figures with names, two columns; what is 0 is left out.
[[nodiscard]] double draw_parts_table(Page& page, double y, const MemoryLedger& ledger);

/// A heading and each sentence with a bullet of that class; nothing where there are none.
[[nodiscard]] double draw_sentences(Page& page, double y, const std::string& heading,
                                    const std::vector<std::string>& sentences, std::string_view bullet_class);

/// The moment, who asked, counts.
[[nodiscard]] std::vector<std::string> facts_of(const MemoryState& state, const DeviceExplanation& device);

} // namespace memviz::render

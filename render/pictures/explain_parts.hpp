#pragma once

// The parts of the explain panel: bars to scale, the totals by cause, the answers.

#include "page/bars.hpp"
#include "page/naming.hpp"
#include "page/page.hpp"

#include "memviz/explain.hpp"
#include "story/explain_words.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memviz::render {

/// Draws the request, the largest free parts and the device's free memory on one scale.
[[nodiscard]] std::vector<Bar> request_bars(const DeviceExplanation& device);

/// Returns a bar for the memory of each device at its own moment, on one scale: the first device, then the fullest of
/// the others by their number; at most eight.
[[nodiscard]] std::vector<Bar> device_bars(const std::vector<const DeviceExplanation*>& devices);

/// Draws reserved memory by its use or by what kept it from being used, then the rest of the device as far as known.
[[nodiscard]] Bar ledger_bar(const MemoryLedger& ledger);

/// Draws the same as figures with names, in two columns; omits those that are 0.
[[nodiscard]] double draw_parts_table(Page& page, double y, const MemoryLedger& ledger);

/// Draws a heading and each sentence with a bullet of that class; nothing if there are none.
[[nodiscard]] double draw_sentences(Page& page, double y, const std::string& heading,
                                    const std::vector<std::string>& sentences, std::string_view bullet_class);

/// Returns the moment, the requesting line, counts.
[[nodiscard]] std::vector<std::string> facts_of(const MemoryState& state, const DeviceExplanation& device);

} // namespace memviz::render

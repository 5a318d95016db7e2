#pragma once

// The answers of the engine. Members of a request that each reads: "file" (0), "device" (the first), "at" (a moment as
// for --at, or "start"), "state" (of a device: 0 is before its first event), "by" ("line", "kind", "keeper" or
// "origin"). All throw UsageError for an invalid request.

#include "engine/engine.hpp"

#include <string>

namespace memviz::view {

/// JSON: the headline, devices with their figures, marks and moments, annotations, settings, warnings.
[[nodiscard]] std::string overview(Engine& engine, const PageRequest& request);

/// Doubles, see curve(); "first", "last", "columns", "axis" ("event" or "time").
[[nodiscard]] std::string curve_of(Engine& engine, const PageRequest& request);
/// The same part as bands() with "rows" of "bytes_per_row" each above "base_bytes": Bands::bytes as doubles, then
/// Bands::lives, then Bands::values. With "headroom", all rows are that many percent of the highest value of the curve.
/// Fewer rows if there would be more than 8 million pixels.
[[nodiscard]] std::string bands_of(Engine& engine, const PageRequest& request);
/// A bit for each allocation, by index from the lowest bit of the first byte: whether it is among those that a part of
/// the page shows. "of" a "line" ("name", "place"), a "kind" ("name"), a "function" ("frame"), a "frame" ("name"), a
/// "class" ("class", with "by"), or a "stack" that begins with "frames", one a line, outermost first. "stream": only
/// those of it.
[[nodiscard]] std::string lit_of(Engine& engine, const PageRequest& request);
/// JSON: names and colours of classes.
[[nodiscard]] std::string classes_of(Engine& engine, const PageRequest& request);
/// At "state": six doubles (live bytes, live allocations, reserved bytes, bytes and allocations that the last search
/// matched, microseconds since the first event), then the bytes of each class as doubles, then Cells::lives and
/// Cells::bytes for "cells" cells of "cell_bytes" each.
[[nodiscard]] std::string live_at(Engine& engine, const PageRequest& request);
/// JSON: everything about the allocation "life".
[[nodiscard]] std::string life_of(Engine& engine, const PageRequest& request);
/// The same for the allocation that the last live_at() drew in "cell", or for the one named "name"; null if there is
/// none.
[[nodiscard]] std::string life_in_cell(Engine& engine, const PageRequest& request);

/// JSON: a row for each of the user's lines ("by": "line"), kinds ("kind"), functions ("frame": its callees and
/// callers) that holds memory at "state"; or "of" the range from "first" to "last": "born", allocations in it that are
/// live at its end, or "freed", those freed in it.
[[nodiscard]] std::string lines_at(Engine& engine, const PageRequest& request);
/// JSON: at most "count" events from position "from" among those that match "filter", and the number of these.
[[nodiscard]] std::string events_of(Engine& engine, const PageRequest& request);
/// JSON: everything about "event": place, texts, the whole stack, the forward pass, and the events that allocated and
/// freed its allocation; null without events.
[[nodiscard]] std::string event_of(Engine& engine, const PageRequest& request);

/// JSON: how much of the recording contains "text"; live_at() marks it from then on.
[[nodiscard]] std::string find_text(Engine& engine, const PageRequest& request);
/// JSON: the number of moments of the device at which the last search finds something, those next to "state", and the
/// most bytes that the found allocations had.
[[nodiscard]] std::string hits_of(Engine& engine, const PageRequest& request);
/// Doubles, see found_curve(); "first", "last", "columns", "axis".
[[nodiscard]] std::string found_curve_of(Engine& engine, const PageRequest& request);

/// JSON: the headline and the answer of a moment, "at".
[[nodiscard]] std::string headline_of(Engine& engine, const PageRequest& request);
/// JSON: the "state" of the device at the time of "state" of "of_device" in "of_file"; null if it was not recorded
/// then.
[[nodiscard]] std::string same_time(Engine& engine, const PageRequest& request);
/// JSON: microseconds from the first event to "first" and to "last".
[[nodiscard]] std::string span_of(Engine& engine, const PageRequest& request);
/// JSON: what was allocated, freed and left from "first" to "last".
[[nodiscard]] std::string range_of(Engine& engine, const PageRequest& request);

/// SVG: "of" is flame, state, timeline or explain; with the options of these commands. A flame graph of "lives" that
/// are "born" or "freed" from "first" to "last" contains only these, among what is live "at" a moment. "hues": the
/// word of classes_of() whose lines or keepers have their colours there; by default the largest of the picture have
/// some.
[[nodiscard]] std::string picture_of(Engine& engine, const PageRequest& request);
/// SVG: the changes from "before" (a moment) of "file" to "after" of "other"; with the options of compare.
[[nodiscard]] std::string comparison_of(Engine& engine, const PageRequest& request);
/// "of": explain (text), stats, state, flame, explain_json, timeline, compare (JSON), folded.
[[nodiscard]] std::string text_of(Engine& engine, const PageRequest& request);

/// JSON: the answer of `memviz ranks` about the files of the job.
[[nodiscard]] std::string ranks_of(Engine& engine, const PageRequest& request);
/// Removes all files of the job.
[[nodiscard]] std::string new_job(Engine& engine, const PageRequest& request);
/// Adds the file "name" to the job, which the page could not read for "reason"; null.
[[nodiscard]] std::string add_unread(Engine& engine, const PageRequest& request);

} // namespace memviz::view

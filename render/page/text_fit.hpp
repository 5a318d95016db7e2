#pragma once

// Text and room -> text that fits, whatever font the viewer falls back to: widths are upper bounds, so a label may be
// cut a letter early but never leaves its box.

#include "base/font_columns.hpp"
#include "story/short_label.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace memviz::render {

/// The widest advance of the common monospace fonts (Menlo, Consolas, DejaVu, Liberation, Courier) is 0.602 em.
inline constexpr double kMonoEm = 0.61;

/// The font for which the width of sans-serif text is measured: an upper bound for all fonts, or DejaVu Sans, the
/// widest that page.css names.
enum class Font : std::uint8_t { any, regular, bold };

/// Returns the width of `text`, in pixels.
[[nodiscard]] double sans_width(std::string_view text, double font_size, Font font = Font::any);

/// Returns the longest prefix of `text` that is no wider than `width` pixels, at least one character.
[[nodiscard]] std::string fit_sans_prefix(std::string_view text, double width, double font_size, Font font = Font::any);
/// Returns `text` if it is no wider than `width` pixels, else its beginning and "…".
[[nodiscard]] std::string fit_sans(std::string_view text, double width, double font_size, Font font = Font::any);

/// Returns the longest form that fits: name, place and note; name with place, unless the note has a sign; name with the
/// line number of its place, ":176", and the note; name with the line; the name cut, with the line; name and note; for
/// a folded run the name with the place cut; without a place the brief form with the note; the name; for a folded run
/// the function of its place; the brief form; the name cut, unless almost nothing would be left of it. A sign is kept
/// in every form.
[[nodiscard]] std::string fit_label(const Label& label, std::size_t columns);
/// Returns the same for one of several lines of a function: without room for the beginning of its name, the line alone.
[[nodiscard]] std::string fit_line_label(const Label& label, std::size_t columns);
/// Returns the same for a label that `mark` distinguishes from others that look like it: "update :62", then the name
/// cut, then the mark alone. Without a mark, the end of the name, "…2000000".
[[nodiscard]] std::string fit_marked_label(const Label& label, std::string_view mark, std::size_t columns);

} // namespace memviz::render

#pragma once

// Text and room -> text that fits, with whatever font the viewer falls back to: widths are estimated from above, so
// that a label may be cut a letter early but never leaves its box.

#include "base/font_columns.hpp"
#include "memviz/short_label.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace memviz::render {

/// Widest advance of the common monospace fonts (Menlo, Consolas, DejaVu, Liberation, Courier) is 0.602 em.
inline constexpr double kMonoEm = 0.61;

/// The font for which the width of sans-serif text is measured: an upper bound of any font, or DejaVu Sans, the
/// widest that page.css names.
enum class Font : std::uint8_t { any, regular, bold };

/// The width of `text`, in pixels.
[[nodiscard]] double sans_width(std::string_view text, double font_size, Font font = Font::any);

/// The longest beginning of `text` that is no wider than `width` pixels, at least one character.
[[nodiscard]] std::string fit_sans_prefix(std::string_view text, double width, double font_size, Font font = Font::any);
/// `text` where it is no wider than `width` pixels, else its beginning and "…".
[[nodiscard]] std::string fit_sans(std::string_view text, double width, double font_size, Font font = Font::any);

/// The longest form that fits: name, place and note; name with place (with the note where that has a sign); for a
/// folded run the name with the place cut; without a place the brief form with the note; the name; its brief form; the
/// name cut, unless next to nothing is left of it. A sign is kept to the last.
[[nodiscard]] std::string fit_label(const Label& label, std::size_t columns);
/// The same of a label that is distinguished by `mark` from others that look like it: "update :62", then the name cut,
/// then the mark alone. Without a mark the end of the name, "…2000000".
[[nodiscard]] std::string fit_marked_label(const Label& label, std::string_view mark, std::size_t columns);

} // namespace memviz::render

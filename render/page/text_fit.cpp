#include "page/text_fit.hpp"

#include "base/utf8.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <vector>

namespace memviz::render {
namespace {

constexpr char32_t kFirstLetter = 0x20;
constexpr std::size_t kLetters = 95;

/// Advances of DejaVu Sans and of its bold type, in thousandths of an em, starting with the space.
constexpr std::array<std::uint16_t, kLetters> kRegular{
    318, 401, 460, 838, 637, 951, 780, 275, 391, 391, 500, 838, 318, 361,  318, 337, 637, 637, 637,
    637, 637, 637, 637, 637, 637, 637, 337, 337, 838, 838, 838, 531, 1000, 685, 687, 699, 771, 632,
    576, 775, 752, 295, 295, 656, 558, 863, 749, 788, 604, 788, 695, 635,  611, 732, 685, 989, 686,
    611, 686, 391, 337, 391, 838, 500, 500, 613, 635, 550, 635, 616, 353,  635, 634, 278, 278, 580,
    278, 975, 634, 612, 635, 635, 412, 521, 393, 634, 592, 818, 592, 592,  525, 637, 337, 637, 838};
constexpr std::array<std::uint16_t, kLetters> kBold{
    349, 457,  521, 838, 696, 1002, 873, 307, 458, 458, 523, 838, 380, 416,  380, 366, 696, 696,  696,
    696, 696,  696, 696, 696, 696,  696, 400, 400, 838, 838, 838, 581, 1000, 774, 763, 734, 831,  684,
    684, 821,  837, 373, 373, 775,  638, 996, 837, 851, 733, 851, 771, 721,  683, 813, 774, 1104, 771,
    725, 726,  458, 366, 458, 838,  500, 500, 675, 716, 593, 716, 679, 436,  716, 712, 343, 343,  666,
    343, 1042, 712, 688, 716, 716,  494, 596, 479, 712, 652, 924, 646, 652,  583, 712, 366, 712,  838};

/// Widths in em of the widest common fonts (Verdana, DejaVu Sans), by class of letter.
double any_em(char32_t point) {
  if (point >= 0x80) return static_cast<double>(font_columns(point));
  const char letter = static_cast<char>(point);
  if (std::strchr(" ijl.,:;'!f", letter) != nullptr) return 0.4;
  if (std::strchr("|I()[]-rt", letter) != nullptr) return 0.46;
  if (std::strchr("mwMW@%", letter) != nullptr) return 1.08;
  if (std::strchr("+<=>~#&^", letter) != nullptr) return 0.84;
  return letter >= 'A' && letter <= 'Z' ? 0.79 : 0.65;
}

double sans_em(char32_t point, Font font) {
  if (font == Font::any || point < kFirstLetter || point >= kFirstLetter + kLetters) return any_em(point);
  return (font == Font::bold ? kBold : kRegular).at(point - kFirstLetter) / 1000.0;
}

/// "+ " or "− " of a note that begins with a sign, else "".
std::string_view sign_of(std::string_view note) {
  if (note.starts_with('+')) return "+ ";
  return note.starts_with("−") ? "− " : "";
}

/// A name cut to fewer columns is useless: "fo…" means nothing to a reader.
constexpr std::size_t kLeastName = 5;
/// The minimum columns of a place that is cut.
constexpr std::size_t kLeastPlace = 9;

/// ":176" of "models.py:176", the part that readers need; "" without a line.
std::string_view line_mark(std::string_view place) {
  const std::size_t colon = place.rfind(':');
  const bool has_line = colon != std::string_view::npos && colon + 1 < place.size() &&
                        place.find_first_not_of("0123456789", colon + 1) == std::string_view::npos;
  return has_line ? place.substr(colon) : std::string_view();
}

std::vector<std::string> label_forms(const Label& label, std::size_t columns) {
  const auto& [name, place, note, source, brief] = label;
  const std::string_view sign = sign_of(note);
  const std::string_view line = brief.empty() ? line_mark(place) : "";
  std::vector<std::string> forms;
  if (!place.empty() && !note.empty() && !source.empty())
    forms.push_back(fmt::format("{} {}  {}  {}", name, place, source, note));
  if (!place.empty() && !note.empty()) forms.push_back(fmt::format("{} {}  {}", name, place, note));
  if (!place.empty() && sign.empty()) forms.push_back(fmt::format("{} {}", name, place));
  if (!line.empty() && !note.empty()) forms.push_back(fmt::format("{} {}  {}", name, line, note));
  if (!sign.empty() || place.empty()) forms.push_back(note.empty() ? name : fmt::format("{}  {}", name, note));
  if (!line.empty()) forms.push_back(fmt::format("{}{} {}", sign, name, line));
  const std::size_t besides_name = columns_of(sign) + line.size() + 1;
  if (!line.empty() && columns >= besides_name + kLeastName)
    forms.push_back(fmt::format("{}{} {}", sign, cut_name(name, columns - besides_name), line));
  const std::size_t name_columns = columns_of(name);
  if (sign.empty() && !brief.empty() && !place.empty() && columns > name_columns + kLeastPlace)
    forms.push_back(fmt::format("{} {}", name, cut_end(place, columns - name_columns - 1)));
  if (place.empty() && !brief.empty() && !note.empty()) forms.push_back(fmt::format("{}  {}", brief, note));
  forms.push_back(fmt::format("{}{}", sign, name));
  if (!brief.empty() && !place.empty())
    forms.push_back(fmt::format("{}⋯ {}", sign, std::string_view(place).substr(place.find(' ') + 1)));
  if (!brief.empty()) forms.push_back(fmt::format("{}{}", sign, brief));
  return forms;
}

} // namespace

double sans_width(std::string_view text, double font_size, Font font) {
  double em = 0;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    em += sans_em(point.value, font);
    text.remove_prefix(point.bytes);
  }
  return em * font_size;
}

std::string fit_sans_prefix(std::string_view text, double width, double font_size, Font font) {
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    const CodePoint point = first_code_point(text.substr(bytes));
    width -= sans_em(point.value, font) * font_size;
    if (width < 0 && bytes > 0) break;
    bytes += point.bytes;
  }
  return std::string(text.substr(0, bytes));
}

std::string fit_sans(std::string_view text, double width, double font_size, Font font) {
  if (sans_width(text, font_size, font) <= width) return std::string(text);
  return fit_sans_prefix(text, width - sans_em(U'…', font) * font_size, font_size, font) + "…";
}

std::string fit_label(const Label& label, std::size_t columns) {
  if (columns < 3) return "";
  for (const std::string& form : label_forms(label, columns))
    if (columns_of(form) <= columns) return form;
  const std::string_view sign = sign_of(label.note);
  const std::size_t sign_columns = columns_of(sign);
  // The name of a folded run is useless once it is cut.
  const bool is_useless = !label.brief.empty() || columns < sign_columns + kLeastName;
  const std::string name = is_useless ? "" : cut_name(label.name, columns - sign_columns);
  return name.empty() ? std::string(sign.substr(0, sign.find(' '))) : fmt::format("{}{}", sign, name);
}

std::string fit_line_label(const Label& label, std::size_t columns) {
  const std::string_view line = line_mark(label.place);
  const bool has_room = columns_of(label.name) + 1 + line.size() <= columns || columns > kLeastName + line.size();
  if (line.empty() || has_room) return fit_label(label, columns);
  return line.size() <= columns ? std::string(line) : "";
}

std::string fit_marked_label(const Label& label, std::string_view mark, std::size_t columns) {
  const std::string_view sign = sign_of(label.note);
  const std::string alone(sign.substr(0, sign.find(' ')));
  const std::size_t sign_columns = columns_of(sign);
  if (columns < sign_columns + 3) return columns < 3 ? "" : alone;
  const std::size_t room = columns - sign_columns;
  if (mark.empty()) return fmt::format("{}{}", sign, cut_start(label.name, room));
  const std::string& name = label.brief.empty() ? label.name : label.brief;
  const std::size_t mark_columns = columns_of(mark) + 1;
  if (columns_of(name) + mark_columns <= room) return fmt::format("{}{} {}", sign, name, mark);
  if (label.brief.empty() && room >= mark_columns + 3)
    return fmt::format("{}{} {}", sign, cut_name(name, room - mark_columns), mark);
  return mark_columns <= room + 1 ? fmt::format("{}{}", sign, mark) : alone;
}

} // namespace memviz::render

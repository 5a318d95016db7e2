"""Unicode's character database, as Python has it -> unicode_tables.cpp.

    make_unicode_tables.py > src/base/unicode_tables.cpp
    make_unicode_tables.py --check src/base/unicode_tables.cpp

With --check it ends with 1 where the file says something else, and with 77 where it is of another version of Unicode.
"""

import pathlib
import sys
import unicodedata

LAST = 0x10FFFF
# The characters of category Cf that are visible nevertheless: signs before or around the digits that follow them.
DRAWN = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
# Zero width non-joiner and joiner: Persian, the scripts of India and emoji are written with them.
JOINERS = {0x200C, 0x200D}
# Medial vowels and final consonants, which are joined to the syllable before them.
JAMO = {*range(0x1160, 0x1200), *range(0xD7B0, 0xD7C7), *range(0xD7CB, 0xD7FC)}
# Planes and blocks of ideographs, whose unassigned characters will also be ideographs.
IDEOGRAPHS = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2FFFD), (0x30000, 0x3FFFD))
VARIATIONS = range(0xE0100, 0xE01F0)
# Reserved for more invisible characters.
UNSEEN = {0x2065, *range(0xFFF0, 0xFFF9)}


def is_unsafe(point):
    """Controls, line ends, marks of direction, tags, invisible characters, and code points that are not characters."""
    category = unicodedata.category(chr(point))
    if point & 0xFFFE == 0xFFFE or 0xFDD0 <= point <= 0xFDEF or point in UNSEEN:
        return True
    if 0xE0000 <= point <= 0xE0FFF:
        return point not in VARIATIONS
    return category in ("Cc", "Cs", "Zl", "Zp") or (category == "Cf" and point not in DRAWN | JOINERS)


def is_zero_width(point):
    if is_unsafe(point):
        return False
    return unicodedata.category(chr(point)) in ("Mn", "Me") or point in JOINERS or point in JAMO


def is_wide(point):
    if is_unsafe(point) or is_zero_width(point):
        return False
    return unicodedata.east_asian_width(chr(point)) in "WF" or any(first <= point <= last for first, last in IDEOGRAPHS)


def borders(is_in):
    """Where a range begins or has ended, ascending."""
    result = []
    inside = False
    for point in range(LAST + 1):
        if is_in(point) != inside:
            inside = not inside
            result.append(point)
    return result + [LAST + 1] if inside else result


def table(name, is_in):
    numbers = [f"0x{number:X}" for number in borders(is_in)]
    lines = [f"constexpr std::array<char32_t, {len(numbers)}> {name}{{"]
    for begin in range(0, len(numbers), 12):
        lines.append("    " + ", ".join(numbers[begin:begin + 12]) + ",")
    return "\n".join(lines) + "\n};\n"


def source():
    return f"""// Made by make_unicode_tables.py from Unicode {unicodedata.unidata_version}: edit that file instead.
#include "base/unicode_tables.hpp"

#include <array>

namespace memviz {{
namespace {{

// clang-format off
{table("kUnsafe", is_unsafe)}
{table("kZeroWidth", is_zero_width)}
{table("kWide", is_wide)}// clang-format on

}} // namespace

std::string_view unicode_version() {{
  return "{unicodedata.unidata_version}";
}}

std::span<const char32_t> unsafe_borders() {{
  return kUnsafe;
}}

std::span<const char32_t> zero_width_borders() {{
  return kZeroWidth;
}}

std::span<const char32_t> wide_borders() {{
  return kWide;
}}

}} // namespace memviz
"""


def main():
    if len(sys.argv) == 1:
        print(source(), end="")
        return 0
    kept = pathlib.Path(sys.argv[2]).read_text()
    if f"from Unicode {unicodedata.unidata_version}:" not in kept:
        print("the file is of another version of Unicode than this Python")
        return 77
    print("as made" if kept == source() else "the file is not what this script makes")
    return 0 if kept == source() else 1


if __name__ == "__main__":
    sys.exit(main())

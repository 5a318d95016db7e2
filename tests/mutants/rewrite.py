"""Finds the places in a C++ file where one small change is likely to be a bug, and writes the change as a switch.

A mutant is (begin, end, before, after): `before` is the file's text from `begin` to `end`, in bytes, and `after` the same
with a call of mutants::is_on({n}) that chooses between the text as it is and the changed one.
"""

import dataclasses
import pathlib
import shlex

from clang.cindex import CursorKind, Index, TranslationUnitLoadError, TypeKind

OTHER_OPERATOR = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+", "*": "+", "&&": "||", "||": "&&",
}  # fmt: skip
ARITHMETIC = ("+", "-", "*")
NUMBERS = (
    TypeKind.INT, TypeKind.UINT, TypeKind.LONG, TypeKind.ULONG, TypeKind.LONGLONG, TypeKind.ULONGLONG, TypeKind.DOUBLE,
    TypeKind.FLOAT,
)  # fmt: skip
FIXED_AT_COMPILE_TIME = (CursorKind.STATIC_ASSERT, CursorKind.ENUM_DECL)
# Warnings that changes cause, which would be errors.
HEAD = "".join(f'#pragma GCC diagnostic ignored "-W{name}"\n' for name in ("type-limits", "parentheses", "logical-op", "sign-compare", "conversion"))
HEAD += f'#include "{pathlib.Path(__file__).with_name("switch.hpp")}"\n'
STATEMENTS = (CursorKind.CALL_EXPR, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR)


@dataclasses.dataclass(frozen=True)
class Mutant:
    file: str
    line: int
    begin: int
    end: int
    before: str
    change: str
    after: str

    def __str__(self):
        return f"{self.file}:{self.line}: {' '.join(self.before.split())[:100]}   [{self.change}]"


class Finder:
    """Walks one file's syntax tree."""

    def __init__(self, path, name):
        self.path, self.name = path, name
        self.source = path.read_bytes()
        self.found = []

    def text(self, begin, end):
        return self.source[begin:end].decode(errors="replace")

    def add(self, cursor, begin, end, change, after):
        before = self.text(begin, end)
        if "\n#" not in before:
            self.found.append(Mutant(self.name, cursor.extent.start.line, begin, end, before, change, after))

    def extent(self, cursor):
        return cursor.extent.start.offset, cursor.extent.end.offset

    def operator(self, cursor):
        children = list(cursor.get_children())
        if len(children) != 2:
            return
        (begin, left_end), (right_begin, end) = map(self.extent, children)
        sign = self.text(left_end, right_begin).strip()
        other = OTHER_OPERATOR.get(sign)
        if other is None or (sign in ARITHMETIC and cursor.type.get_canonical().kind not in NUMBERS):
            return
        left, right = self.text(begin, left_end), self.text(right_begin, end)
        self.add(cursor, begin, end, f"{sign} -> {other}",
                 f"(mutants::is_on({{n}}) ? ({left}) {other} ({right}) : ({left}) {sign} ({right}))")  # fmt: skip

    def condition(self, cursor):
        children = [child for child in cursor.get_children() if child.kind != CursorKind.DECL_STMT]
        if not children or children[0].kind == CursorKind.VAR_DECL or not children[0].kind.is_expression():
            return
        begin, end = self.extent(children[0])
        text = self.text(begin, end)
        self.add(cursor, begin, end, "never", f"!mutants::is_on({{n}}) && ({text})")
        self.add(cursor, begin, end, "always", f"mutants::is_on({{n}}) || ({text})")

    def statement(self, cursor):
        begin, end = self.extent(cursor)
        text = self.text(begin, end)
        if self.source[end : end + 1] == b";":
            self.add(cursor, begin, end, "left out", f"if (!mutants::is_on({{n}})) {{ {text}; }}")

    def is_fixed(self, cursor):
        if cursor.kind in FIXED_AT_COMPILE_TIME or (cursor.kind == CursorKind.CALL_EXPR and cursor.spelling == "reserve"):
            return True  # and how much memory is reserved changes no answer
        begin, end = self.extent(cursor)
        return cursor.kind.is_declaration() and "constexpr" in self.text(begin, min(end, begin + 60)).split("{")[0]

    def walk(self, cursor):
        for child in cursor.get_children():
            file = child.location.file
            if child.kind == CursorKind.TRANSLATION_UNIT or file is None or file.name != str(self.path) or self.is_fixed(child):
                continue
            if child.kind == CursorKind.BINARY_OPERATOR:
                self.operator(child)
            if child.kind == CursorKind.IF_STMT:
                self.condition(child)
            if cursor.kind == CursorKind.COMPOUND_STMT and child.kind in STATEMENTS:
                self.statement(child)
            self.walk(child)


def find_mutants(path, name, command):
    """Returns all mutants of a file, which is compiled by `command`."""
    words = shlex.split(command)
    arguments = [word for word in words if word.startswith(("-I", "-D", "-std"))]
    arguments += [f"-isystem{value}" for flag, value in zip(words, words[1:]) if flag == "-isystem"]
    try:
        unit = Index.create().parse(str(path), arguments)
    except TranslationUnitLoadError:
        return []
    finder = Finder(pathlib.Path(path), name)
    finder.walk(unit.cursor)
    return finder.found


def rewrite(path, numbered):
    """Writes the mutants, pairs of a number and a mutant that do not overlap, into the file."""
    source = path.read_bytes()
    for number, mutant in sorted(numbered, key=lambda pair: -pair[1].begin):
        assert source[mutant.begin : mutant.end].decode() == mutant.before
        source = source[: mutant.begin] + mutant.after.replace("{n}", str(number)).encode() + source[mutant.end :]
    path.write_bytes(HEAD.encode() + source)

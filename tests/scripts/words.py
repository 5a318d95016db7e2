"""Comments, docs and strings follow the rules of words that a script can check.

    words.py SOURCE

A block of comments does not begin with a fragment (FRAGMENT). No comment, docstring, name of a test, page of docs, description
in a schema or string that users read has a replaced word (REPLACED). Prints each place that breaks a rule, and ends with 1 if
there is one.
"""

import pathlib
import re
import sys

FOLDERS = ("src", "include", "render", "view", "capture", "rehearsal", "tests", "examples", "python", "cmake", "packaging", "fleet", "docs")
CODE = {".cpp", ".hpp", ".js", ".def"}  # comments begin with //
SCRIPTS = {".py", ".sh", ".cmake"}  # comments begin with #
COMMENT = re.compile(r"^(\s*)(///|//|#)(?!<) ?(.*)")
FRAGMENT = re.compile(r"(What|Of|Where|Whose|Those|Who|Which|How|Nobody|Told)\b")
# Folders whose strings users read.
SPEAKING = ("src", "render", "python")
# Not of an address in a string, such as "https://".
CODE_COMMENT = re.compile(r'(?<![\w:"])//[/<]*\s(.*)')
SCRIPT_COMMENT = re.compile(r"(?:^|\s)#\s(.*)")
DOCSTRING = re.compile(r'"""(.*?)"""', re.DOTALL)
FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
QUOTED = re.compile(r"`[^`\n]*`|\"[^\"\n]*\"")
DESCRIPTION = re.compile(r'"description": "(.*)"')
TEST_NAME = re.compile(r"\s*(TEST_CASE|SUBCASE|test)\(")
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
REPLACED = re.compile(
    r"\b(tells?|told|nobody|everybody|but for|at hand|in the place of|of use|beside|one behind the other)\b"
    r"|\bstands (in(?! for\b)|on|upon|at|there|before|behind|below|above|first)\b|\ban? (\w+ )?\w+ of (its|their) own\b"
    r"|\b(what|that|which|it|they|this) (is|are) no (?!longer|more|less|wider|larger|smaller|narrower|other|way)\w"
    r"|\b(by accident|as ever)\b|, too\.(\s|\"|$)")


def fragments(lines, has_hash_comments):
    """Returns the line numbers, from 1, of comment blocks that begin with a fragment."""
    before = None
    for number, line in enumerate(lines, 1):
        match = COMMENT.match(line)
        kind = match.group(1, 2) if match and (match[2] != "#" or has_hash_comments) else None
        if kind is not None and kind != before and FRAGMENT.match(match[3]):
            yield number
        before = kind


def prose_of_code(lines, are_strings_read):
    """Returns the line numbers, from 1, and texts of comments, names of tests and, in folders that users read,
    strings."""
    for number, line in enumerate(lines, 1):
        comment = CODE_COMMENT.search(line)
        if comment:
            yield number, comment[1]
        if COMMENT.match(line) is None and (are_strings_read or TEST_NAME.match(line)):
            for text in STRING.findall(line):
                yield number, text[1:-1]


def prose_of_script(text, lines, suffix):
    """Returns the line numbers, from 1, and texts of comments and of Python's docstrings."""
    for number, line in enumerate(lines, 1):
        comment = SCRIPT_COMMENT.search(line)
        if comment:
            yield number, comment[1]
    if suffix == ".py":
        for docstring in DOCSTRING.finditer(text):
            first = text.count("\n", 0, docstring.start()) + 1
            yield from enumerate(docstring[1].splitlines(), first)


def prose_of_page(text):
    """Returns the line numbers, from 1, and the lines of a page of Markdown, except code."""
    without_code = FENCE.sub(lambda code: "\n" * code[0].count("\n"), text)
    return enumerate(without_code.splitlines(), 1)


def prose(path, name, text, lines):
    """Returns the line numbers, from 1, and texts of a file that people read."""
    if path.suffix in CODE:
        return prose_of_code(lines, name.parts[0] in SPEAKING and path.suffix != ".js")
    if path.suffix == ".md":
        return prose_of_page(text)
    if path.suffix == ".json":
        return ((number, match[1]) for number, match in enumerate(map(DESCRIPTION.search, lines), 1) if match)
    return prose_of_script(text, lines, path.suffix)


def paths_of(source):
    """Returns the files that are checked: code, scripts, pages of docs and schemas."""
    for folder in FOLDERS:
        for path in sorted((source / folder).rglob("*")):
            is_schema = path.suffix == ".json" and path.parent.name == "schemas"
            if path.suffix in CODE | SCRIPTS | {".md"} or path.name == "CMakeLists.txt" or is_schema:
                yield path
    # The changelog keeps the words of earlier versions.
    yield from (path for path in sorted(source.glob("*.md")) if path.name != "CHANGELOG.md")


def main():
    source = pathlib.Path(sys.argv[1])
    paths = list(paths_of(source))
    count = 0
    for path in paths:
        name = path.relative_to(source)
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines()
        found = []
        if path.suffix not in (".md", ".json"):
            found += fragments(lines, path.suffix not in CODE)
        if path.name != "words.py":
            found += [number for number, line in prose(path, name, text, lines) if REPLACED.search(QUOTED.sub("", line))]
        for number in sorted(set(found)):
            print(f"{name}:{number}: {lines[number - 1].strip()}")
            count += 1
    print(f"{len(paths)} files looked at")
    return 1 if count or not paths else 0


if __name__ == "__main__":
    sys.exit(main())

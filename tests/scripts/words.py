"""Comments and strings follow the rules of words that a script can check.

    words.py SOURCE

A block of comments does not begin with a fragment (FRAGMENT), and no string that users read, no comment and no name of a
test has a replaced word (REPLACED). Prints each place that breaks a rule, and ends with 1 if there is one.
"""

import pathlib
import re
import sys

FOLDERS = ("src", "include", "render", "view", "capture", "tests", "examples", "python", "cmake", "packaging")
ENDINGS = {".cpp", ".hpp", ".py", ".js", ".sh", ".cmake", ".def"}
COMMENT = re.compile(r"^(\s*)(///|//|#)(?!<) ?(.*)")
FRAGMENT = re.compile(r"(What|Of|Where|Whose|Those|Who|Which|How|Nobody|Told)\b")
# Folders whose strings users read.
SPEAKING = ("src", "render", "python")
# Not of an address in a string, such as "https://".
WITH_COMMENT = re.compile(r'(?<![\w:"])//[/<]*\s(.*)')
QUOTED = re.compile(r"`[^`]*`")
TEST_NAME = re.compile(r"\s*(TEST_CASE|SUBCASE|test)\(")
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
REPLACED = re.compile(r"\b(tells?|told|nobody|everybody|but for|at hand|in the place of|of use)\b")


def fragments(lines, has_hash_comments):
    """The line numbers, from 1, of comment blocks that begin with a fragment."""
    before = None
    for number, line in enumerate(lines, 1):
        match = COMMENT.match(line)
        kind = match.group(1, 2) if match and (match[2] != "#" or has_hash_comments) else None
        if kind is not None and kind != before and FRAGMENT.match(match[3]):
            yield number
        before = kind


def replaced_words(lines, are_strings_read):
    """The line numbers, from 1, of comments, names of tests and, where users read them, strings with a replaced word."""
    for number, line in enumerate(lines, 1):
        comment = WITH_COMMENT.search(line)
        texts = [QUOTED.sub("", comment[1])] if comment else []
        if COMMENT.match(line) is None and (are_strings_read or TEST_NAME.match(line)):
            texts += STRING.findall(line)
        if any(REPLACED.search(text) for text in texts):
            yield number


def main():
    source = pathlib.Path(sys.argv[1])
    paths = [path for folder in FOLDERS for path in sorted((source / folder).rglob("*"))
             if path.suffix in ENDINGS or path.name == "CMakeLists.txt"]
    count = 0
    for path in paths:
        name = path.relative_to(source)
        lines = path.read_text(encoding="utf-8").splitlines()
        for number in fragments(lines, path.suffix not in (".cpp", ".hpp", ".js", ".def")):
            print(f"{name}:{number}: begins with a fragment: {lines[number - 1].strip()}")
            count += 1
        if path.suffix in (".cpp", ".hpp", ".js"):
            for number in replaced_words(lines, name.parts[0] in SPEAKING and path.suffix != ".js"):
                print(f"{name}:{number}: {lines[number - 1].strip()}")
                count += 1
    print(f"{len(paths)} files looked at")
    return 1 if count or not paths else 0


if __name__ == "__main__":
    sys.exit(main())

"""Each sentence of src/story and rehearsal/verdict that claims something of everything or nothing names the test that decides it.

    claims.py SOURCE [--new]

A string with one of the words same, all, nothing, none, only or every (CLAIM) has a line in claims.txt, "TEST | SENTENCE": the file
of a test and, of a C++ test, the name of the TEST_CASE, then the text of the string. Reports each string without a line, each
line whose test is missing or does not contain a piece of the sentence, and each line without a string; ends with 1 if there is
one. A test with ~ before it decides the figure without the words; "instruction" and "definition" claim nothing of a file.
--new prints lines for strings that have none, with the first test that contains a piece of them.

The folders that print (PRINTERS) make no sentence: a string of theirs that ends one (SENTENCE) is a fault. Meanings of members of
JSON are not about figures, and errors, which name what was expected, have no full stop.
"""

import pathlib
import re
import sys

CLAIM = re.compile(r"\b(same|all|nothing|none|only|every)\b", re.IGNORECASE)
STRINGS = re.compile(r'(?:"(?:[^"\\\n]|\\.)*"\s*)+')
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
TEST_CASE = re.compile(r'^TEST_CASE\("((?:[^"\\]|\\.)*)"', re.MULTILINE)
PRINTERS = ("src/export", "src/formats", "src/sqlite", "render", "view/engine")
# A full stop or a question mark after a word or a field, at the end or before the next sentence.
SENTENCE = re.compile(r"(?<!\.)[\w)}'][.?](?:(?:\\n)*$| (?=[A-Z{]))")
LEAST_WORDS = 3
FIELD = re.compile(r"\{[^{}]*\}")
# A piece of a sentence that a test must contain: shorter ones are in too many tests.
LEAST_PIECE = 8
NO_CLAIMS = ("instruction", "definition")
LEAST_REST = 16  # without a word of CLAIM


def joined(text):
    """Returns adjacent strings as one."""
    return re.sub(r'"\s*\n\s*"', "", text)


def strings_of(source, paths):
    """Returns the strings of files, adjacent ones as one, each with its place."""
    for path in sorted(paths):
        text = path.read_text(encoding="utf-8")
        for match in STRINGS.finditer(text):
            start = text[text.rfind("\n", 0, match.start()) + 1 : match.start()].lstrip()
            if not start.startswith(("#include", "//")):
                place = f"{path.relative_to(source)}:{text.count(chr(10), 0, match.start()) + 1}"
                yield "".join(STRING.findall(match.group())), place


def claims_of(source):
    """Returns the sentences of both with a word of CLAIM, each with its first place."""
    found = {}
    paths = [*source.glob("src/story/*.cpp"), *source.glob("rehearsal/verdict/*_words*.cpp"), *source.glob("rehearsal/verdict/*_settings.cpp")]
    for sentence, place in strings_of(source, paths):
        if CLAIM.search(sentence):
            found.setdefault(sentence, place)
    return found


def misplaced(source):
    """Returns a fault for each sentence that a printer makes."""
    paths = [path for folder in PRINTERS for path in (source / folder).rglob("*.?pp") if "json" not in path.name]
    for sentence, place in strings_of(source, paths):
        if SENTENCE.search(sentence) and len(re.findall("[A-Za-z]{2,}", sentence)) >= LEAST_WORDS:
            yield f"{place}: a sentence outside src/story: {sentence}"


def tests_of(source):
    """Returns the text of each test by its name: "FILE: TEST_CASE" of C++, and "FILE" of others."""
    tests = {}
    for path in sorted(path for folder in ("tests", "rehearsal/tests") for path in (source / folder).rglob("*")):
        name = str(path.relative_to(source))
        if path.suffix == ".cpp":
            text = joined(path.read_text(encoding="utf-8"))
            begins = [(match.start(), match[1]) for match in TEST_CASE.finditer(text)]
            for (begin, case), (end, _) in zip(begins, [*begins[1:], (len(text), "")]):
                tests[f"{name}: {case}"] = text[begin:end]
        elif path.suffix == ".py" and path.parent.name != "scripts":
            tests[name] = joined(path.read_text(encoding="utf-8"))
        elif path.suffix == ".txt" and path.parent.name == "cases":
            # Lines of a terminal are wrapped.
            tests[name] = re.sub(r"\s+", " ", path.read_text(encoding="utf-8"))
    return tests


def pieces_of(sentence):
    """Returns the texts between fields, those with a word of CLAIM first, then the longest."""
    pieces = [piece.strip(" .,;:()") for piece in FIELD.split(sentence.replace("\\n", " "))]
    pieces = [piece for piece in pieces if len(piece) >= LEAST_PIECE]
    return sorted(pieces, key=lambda piece: (CLAIM.search(piece) is None, -len(piece)))


def contains(text, sentence):
    """Whether a test has a piece of the sentence: its claim, or a part of a long one."""
    for piece in pieces_of(sentence) or [sentence.strip()]:
        words = piece.split(" ")
        for size in sorted({len(words), min(len(words), 6), min(len(words), 4)}, reverse=True):
            for first in range(len(words) - size + 1):
                part = " ".join(words[first : first + size])
                is_enough = len(part) >= (LEAST_PIECE if CLAIM.search(part) else LEAST_REST)
                if is_enough and part.lower() in text.lower():
                    return True
    short = sentence.strip(" .,;:")
    return not pieces_of(sentence) and short.lower() in text.lower()


def read_table(path):
    """Returns the test of each sentence."""
    table = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            test, _, sentence = line.partition(" | ")
            table[sentence] = test
    return table


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    claims, tests = claims_of(source), tests_of(source)
    table = read_table(source / "tests" / "scripts" / "claims.txt")
    if "--new" in sys.argv[2:]:
        for sentence in claims:
            if sentence not in table:
                print(next((name for name, text in tests.items() if contains(text, sentence)), "?"), sentence, sep=" | ")
        return 0
    faults = [f"{place}: no test is named for: {text}" for text, place in claims.items() if text not in table]
    faults += misplaced(source)
    for sentence, test in table.items():
        if sentence not in claims:
            faults.append(f"claims.txt: no longer a sentence: {sentence}")
        elif test in NO_CLAIMS:
            continue
        elif test.removeprefix("~") not in tests:
            faults.append(f"claims.txt: no such test: {test}")
        elif not test.startswith("~") and not contains(tests[test], sentence):
            faults.append(f"claims.txt: {test} does not contain: {sentence}")
    print("\n".join([*faults, f"{len(claims)} sentences, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

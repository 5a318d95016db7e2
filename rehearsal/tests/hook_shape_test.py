"""The modules of the hook keep what they know in objects that are handed to them, and swallow no error without a word.

usage: hook_shape_test.py MEMVIZ SOURCE
"""

import ast
import pathlib
import sys

FOLDER = pathlib.Path(sys.argv[2], "rehearsal/hook/memviz_rehearsal")
MOST_LINES = 60
# Logs the failures, and may fail to do that itself.
SWALLOWS = {"journal.py"}


def faults(tree, name):
    for node in ast.walk(tree):
        if isinstance(node, ast.Global) or (isinstance(node, ast.ClassDef) and node.name == "_State"):
            yield f"{name}:{node.lineno}: keeps what it knows in the module"
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if node.end_lineno - node.lineno >= MOST_LINES:
                yield f"{name}:{node.lineno}: {node.name} has more than {MOST_LINES} lines"
            for inner in ast.walk(node):
                if isinstance(inner, ast.ClassDef):
                    yield f"{name}:{inner.lineno}: the class {inner.name} is made by a function"
        if isinstance(node, ast.ExceptHandler) and name not in SWALLOWS:
            is_any = node.type is None or getattr(node.type, "id", "") in ("Exception", "BaseException")
            if is_any and all(isinstance(one, (ast.Pass, ast.Continue)) for one in node.body):
                yield f"{name}:{node.lineno}: swallows every error"


def main():
    example = "def f():\n    class Inner: pass\n    global x\n    try: pass\n    except Exception: pass\nclass _State: pass\n"
    example += "def g():\n" + "    x = 1\n" * MOST_LINES
    if len(list(faults(ast.parse(example), "example"))) != 5:
        sys.exit("does not find the faults of the example")
    found = [one for file in sorted(FOLDER.rglob("*.py")) for one in faults(ast.parse(file.read_text()), str(file.relative_to(FOLDER)))]
    if found:
        sys.exit("\n".join(found))


main()

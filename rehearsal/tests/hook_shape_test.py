"""The modules of the hook keep what they know in objects that are handed to them, swallow no error without a word, and
replace in other packages what the table of rehearsal/hook/README.md says.

usage: hook_shape_test.py MEMVIZ SOURCE
"""

import ast
import pathlib
import re
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


# Attributes of the hook's own objects, and of a server's arguments.
OWN = set("replacement timer rest ask mode reads arguments handler _noted".split())


def replaced_in(tree):
    """Yields the name of what each statement replaces in another package; "" where it is computed."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = getattr(node.func, "id", None) or getattr(node.func, "attr", None)
            of_objects = ast.unparse(node.func) in ("replace", "objects.replace")
            if called in ("wrap", "setattr") and len(node.args) == 3 and getattr(node.args[0], "id", "") not in OWN:
                yield node.args[1].value if isinstance(node.args[1], ast.Constant) else ""
            if called == "replace" and len(node.args) == 2 and of_objects:
                yield ""
        for target in node.targets if isinstance(node, ast.Assign) else ():
            for part in target.elts if isinstance(target, ast.Tuple) else [target]:
                if isinstance(part, ast.Attribute) and ast.unparse(part.value).partition(".")[0] not in {*OWN, "self"}:
                    yield part.attr


def faults_of_table(page, trees):
    """`trees`: by file. Each name is in the row of its file, and each row is of a file that replaces something."""
    rows = {name: rest for name, rest in re.findall(r"^\| `(\S+\.py)` \|(.*)$", page, re.M)}
    replaced = {name: set(replaced_in(tree)) for name, tree in trees.items()}
    for name, names in replaced.items():
        for one in sorted(names):
            if one not in rows.get(name, "") or (names and name not in rows):
                yield f"README.md: {name} replaces {one or 'something'}, which its row does not say"
    yield from (f"README.md: {name} replaces nothing" for name in rows if not replaced.get(name))


def main():
    table = faults_of_table("| `a.py` | `b` | c |\n| `d.py` | e | f |\n", {"a.py": ast.parse("torch.x.y = 1\nself.z = 2"), "d.py": ast.parse("")})
    if len(list(table)) != 2:
        sys.exit("does not find the faults of the example's table")
    example = "def f():\n    class Inner: pass\n    global x\n    try: pass\n    except Exception: pass\nclass _State: pass\n"
    example += "def g():\n" + "    x = 1\n" * MOST_LINES
    if len(list(faults(ast.parse(example), "example"))) != 5:
        sys.exit("does not find the faults of the example")
    trees = {str(file.relative_to(FOLDER)): ast.parse(file.read_text()) for file in sorted(FOLDER.rglob("*.py"))}
    found = [one for name, tree in trees.items() for one in faults(tree, name)]
    found += faults_of_table((FOLDER.parent / "README.md").read_text(), trees)
    if found:
        sys.exit("\n".join(found))


main()

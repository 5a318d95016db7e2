"""The variable that a running line would set. Needs no torch."""

import dis
import sys
import textwrap
import unittest
from unittest import mock

from keepers_stage import RAN, Tensor, Walks, ran, walk

from memviz_torch.recording import keepers_pending  # noqa: E402

RETURNED = keepers_pending.RETURNED
SEEN = []


def look(depth=1):
    frame = sys._getframe(depth + 1)
    SEEN.append(keepers_pending.variable_of(frame.f_code, frame.f_lasti))


def f(*_, **__):
    look()
    return f


def pair():
    look()
    return 1, 2


def generated():
    look()
    yield 1


class Object:
    def method(self, *_):
        look()
        return self

    def looks(self, *_):
        look()
        return self

    __enter__ = __exit__ = __add__ = __iadd__ = __setitem__ = looks
    attribute = property(looks)

    def __bool__(self):
        look()
        return True

    def __iter__(self):
        look()
        return iter((1,))


# Statements, and the variables that get the values of what they call.
CASES = (
    ("x = f()", ["x"]),
    ("x = f(f(1), 2, key=f(3))", ["x", "x", "x"]),
    ("x = o.method().method(2).attribute", ["x", "x", "x"]),
    ("x = o + 3", ["x"]),
    ("x = not f()", ["x"]),
    ("x += f()", ["x"]),
    ("x: int = f()", ["x"]),
    ("x = (f(1), f(2), [f(3)], {1: f(4)})", ["x", "x", "x", "x"]),
    ("x = dict(*[pair() for y in ()], **dict(key=f(1)))", ["x"]),
    ("x = f(1) if c else f(2)", ["x"]),
    ("x = c and f(1)", ["x"]),
    ("x = f(1) or 3", [""]),
    ("x = y = f()", ["y"]),
    ("x, y = f(1), f(2)", ["x", "y"]),
    ("x, y, z = f(1), f(2), f(3)", ["x", "y", "z"]),
    ("x, y = pair()", ["x, y"]),
    ("(x, y), z = pair(), 3", ["x, y"]),
    ("self.x, y = pair()", ["self.x, y"]),
    ("self.x = f()", ["self.x"]),
    ("self.x.y = f()", [""]),
    ("self.x += f()", [""]),
    ("d[1] = f()", [""]),
    ("o[1] = 2", [""]),
    ("global g; g = f()", ["g"]),
    ("f()", [""]),
    ("f(1).y", [""]),
    ("if f(): pass", [""]),
    ("if o: pass", [""]),
    ("assert f()", [""]),
    ("raise f(f)", [""]),
    ("del d; x = f()", ["x"]),
    ("x = f(1); y = f(2)", ["x", "y"]),
    ("for y in (1, 2): x = f(y)", ["x", "x"]),
    ("for x in generated(): pass", ["x"]),
    ("for x in o: y = f()", ["", "y"]),
    ("with o as x: y = f()", ["x", "y", ""]),
    ("with o: pass", ["", ""]),
    ("try: x = f()\nfinally: y = f()", ["x", "y"]),
    ("try: return f()\nfinally: y = f()", [RETURNED, "y"]),
    ("for y in (1, 2): return f()", [RETURNED]),
    ("with o: return f()", ["", RETURNED, ""]),
    ("return f()", [RETURNED]),
    ("yield f()", [RETURNED]),
    ("x = [y for y in (1, 2)] + [f()]", ["x"]),
)
# A comprehension is a function until Python 3.11.
COMPREHENSIONS = ("[f(y) for y in (1,)]", "{y: f(y) for y in (1,)}", "{f(y) for y in (1,) if y}")
IS_FUNCTION = sys.version_info < (3, 12)


def seen(statement, inner=""):
    SEEN.clear()
    code = "def run(o, self, c, d, x=2, y=2):\n" + textwrap.indent(f"{statement}\n{inner}", "    ")
    names = {"f": f, "pair": pair, "generated": generated}
    exec(code, names)
    empty = type("Empty", (), {"x": mock.Mock()})()
    try:
        list(names["run"](Object(), empty, [1], {}) or ())
    except (TypeError, AttributeError):  # what it calls is not what the statement expects
        pass
    return list(SEEN)


class Pending(Walks):
    def test_a_value_is_followed_to_the_variable_that_gets_it(self):
        for statement, expected in CASES:
            with self.subTest(statement):
                self.assertEqual(seen(statement), expected)

    def test_variables_of_closures_are_found_as_well(self):
        for statement, expected in CASES:
            if not statement.startswith("global"):
                with self.subTest(statement):
                    self.assertEqual(seen(statement, "def inner(): return x, y, self, d"), expected)

    def test_a_comprehension_returns_its_value_or_is_a_part_of_the_line(self):
        for text in COMPREHENSIONS:
            with self.subTest(text):
                self.assertEqual(seen(f"x = {text}"), [RETURNED if IS_FUNCTION else "x"])
                self.assertEqual(seen(f"return {text}"), [RETURNED])
                self.assertEqual(seen(f"f(0, {text})"), [RETURNED if IS_FUNCTION else "", ""])

    def test_far_code_is_unknown(self):
        with mock.patch.object(keepers_pending, "_MOST_INSTRUCTIONS", 3):
            self.assertEqual(seen("x = f() + d + d + d"), [""])


def returns_a_walk():
    answers = [walk() for _ in (1,)]
    return answers[0]


def passes_on():
    return returns_a_walk()


def pending(answer):
    """Returns for each function the variable that would get its value, and the function with that line."""
    facts = answer.facts
    rows = zip(*(facts[f"place_{name}"] for name in ("node", "variable", "how", "name", "line")))
    texts, would_set = facts["texts"], facts["place_hows"].index("would set")
    return {
        answer.name(node): (texts[variable], texts[name], line)
        for node, variable, how, name, line in rows
        if how == would_set
    }


class PendingOfFrames(Walks):
    def test_a_function_has_the_variable_of_the_one_that_called_it(self):
        def build():
            return walk()

        def load():
            return build()

        def train():
            model = load()
            return model

        found = pending(train())
        expected = ("model", "train", train.__code__.co_firstlineno + 1)
        for function in ("build", "load", "train"):
            self.assertEqual(found[function], expected)

    def test_a_function_that_sets_a_variable_itself_ends_the_search(self):
        found = pending(passes_on())
        line = returns_a_walk.__code__.co_firstlineno + 1
        self.assertEqual(found["returns_a_walk"], ("answers", "returns_a_walk", line))
        self.assertNotEqual(found.get("passes_on", ("",))[0], "answers")

    def test_no_time_leaves_no_variable(self):
        with mock.patch.object(keepers_pending, "_MOST_SECONDS", -1):
            answer = walk()
        self.assertNotIn("would set", answer.facts["place_hows"])


class HostilePending(Walks):
    def variable(self, **changes):
        code = seen.__code__.replace(**changes)
        found = [keepers_pending.variable_of(code, at) for at in range(-2, len(code.co_code) + 2)]
        self.assertEqual(RAN, [])
        return found

    def test_constants_are_not_asked_for_anything(self):
        class Constant:
            __repr__ = __eq__ = __hash__ = __str__ = __len__ = ran("a constant")

        self.assertIn("code", self.variable(co_consts=(*seen.__code__.co_consts, Constant())))

    def test_instructions_may_be_anything(self):
        for name, number in dis.opmap.items():
            if number < 256 and not name.startswith(("INSTRUMENTED", "ENTER_EXECUTOR")):  # Python itself crashes on these
                for argument in (0, 1, 255):
                    self.variable(co_code=bytes([number, argument]) * 8)
        call = bytes([dis.opmap["LOAD_CONST"], 0])
        extended = bytes([dis.opmap["EXTENDED_ARG"], 255]) * 1000
        self.variable(co_code=call + extended + bytes([dis.opmap["STORE_FAST"], 255]))
        self.variable(co_code=b"")


if __name__ == "__main__":
    unittest.main()

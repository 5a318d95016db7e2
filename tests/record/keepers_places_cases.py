"""The lines that set and use the variables that keep memory. Needs no torch."""

import dis
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest
from unittest import mock

from keepers_stage import RAN, SOURCE, Tensor, Walks, ran, walk

from memviz_torch.recording import keepers_code  # noqa: E402


def places(answer, variable, how):
    """Returns function and line of each place of a variable."""
    facts = answer.facts
    rows = zip(*(facts[f"place_{name}"] for name in ("variable", "how", "name", "line")))
    texts, hows = facts["texts"], facts["place_hows"]
    return [(texts[name], line) for label, one, name, line in rows if texts[label] == variable and hows[one] == how]


def lines_of(function, *numbers):
    return [(function.__name__, function.__code__.co_firstlineno + number) for number in numbers]


def sets_twice():
    kept = []
    kept.append(Tensor())
    if kept:
        kept = [*kept, 1]
    return walk(), kept


def sets_in_pairs():
    first, second = Tensor(), Tensor()
    for third in [first]:
        answer = walk()
    with open(__file__) as file, mock.patch("os.sep", Tensor()) as fourth:
        return walk(), first, second, third, fourth


def sets_by_an_inner_function():
    kept = None

    def inner():
        nonlocal kept
        kept = Tensor()

    inner()
    return walk(), kept


def has_an_inner_variable_of_this_name():
    kept = Tensor()

    def middle():
        kept = None

        def inner():
            nonlocal kept
            kept = 1

        return inner, kept

    return walk(), middle, kept


def comprehends(kept, other):
    unused = [kept for kept in range(3)]
    other = Tensor()
    return walk(), other, unused


PROGRAM = """
    import sys
    sys.path[:0] = [{support!r}, {source!r}]
    from keepers_stage import Tensor, walk
    from keepers_places_cases import places
    features = {{}}
    state = None
    for state in [Tensor()]:
        pass

    def watch():
        def hook():
            features.setdefault(1, []).append(Tensor())
        return hook

    def resets():
        global state
        state = Tensor()

    def runs():
        features[2] = state
        return walk()

    watch()()
    answer = runs()
    for name in "features", "state":
        for how in "set", "used":
            print(name, how, *places(answer, name, how))
"""


def printed(program):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "program.py"
        path.write_text(textwrap.dedent(program))
        return subprocess.run(
            [sys.executable, path], stdout=subprocess.PIPE, universal_newlines=True, check=True, timeout=60
        ).stdout.splitlines()


class Places(Walks):
    def test_a_local_is_set_in_the_lines_that_store_it(self):
        answer, _ = sets_twice()
        self.assertEqual(places(answer, "kept", "set"), lines_of(sets_twice, 1, 4))
        self.assertEqual(places(answer, "kept", "used"), [])

    def test_variables_that_one_instruction_stores_are_all_set(self):
        answer = sets_in_pairs()[0]
        for name, number in (("first", 1), ("second", 1), ("third", 2), ("fourth", 4)):
            self.assertEqual(places(answer, name, "set"), lines_of(sets_in_pairs, number), name)

    def test_an_inner_function_may_set_a_variable_of_the_outer_one(self):
        answer, _ = sets_by_an_inner_function()
        first = sets_by_an_inner_function.__code__.co_firstlineno
        self.assertEqual(
            places(answer, "kept", "set"), [("sets_by_an_inner_function", first + 1), ("inner", first + 5)]
        )
        answer, *_ = has_an_inner_variable_of_this_name()
        self.assertEqual(places(answer, "kept", "set"), lines_of(has_an_inner_variable_of_this_name, 1))

    def test_a_comprehension_sets_no_variable_of_the_function(self):
        answer, *_ = comprehends(Tensor(), None)
        self.assertEqual(places(answer, "kept", "set"), [])
        self.assertEqual(places(answer, "other", "set"), lines_of(comprehends, 2))

    def test_a_global_has_the_function_that_uses_it_and_does_not_run(self):
        found = printed(PROGRAM.format(support=str(pathlib.Path(__file__).parent), source=str(SOURCE / "python")))
        self.assertEqual(
            found,
            [
                "features set ('<module>', 6)",
                "features used ('hook', 13)",
                "state set ('<module>', 7) ('<module>', 8) ('resets', 18)",
                "state used ('runs', 21)",
            ],
        )

    def test_an_argument_that_its_function_sets_is_a_local(self):
        def takes(kept, *others, by=None, **named):
            kept = [kept]
            return walk(), kept, others, by, named

        answer = takes(Tensor(), Tensor(), by=Tensor(), name=Tensor())[0]
        hows = {path[2] for path in answer.paths().values() if path[1] == "takes"}
        self.assertEqual(hows, {"local kept", "argument others", "argument by", "argument named"})


class HostileCode(Walks):
    def stored(self, **changes):
        """Returns what is read of a function with another code."""
        code = sets_twice.__code__.replace(**changes)
        self.assertEqual(RAN, [])
        reader = keepers_code.CodeReader()
        found = reader.of_locals(code)
        reader.arguments(code)
        for one in reader.with_nested(code):
            reader.of_globals(one, {"walk"}, True)
        self.assertEqual(RAN, [])
        return found

    def test_constants_are_not_asked_for_their_text(self):
        class Constant:
            __repr__ = __eq__ = __hash__ = __str__ = ran("a constant")

        code = sets_twice.__code__
        self.assertIn("kept", self.stored(co_consts=(*code.co_consts, Constant())))

    def test_instructions_and_names_may_be_anything(self):
        raw = sets_twice.__code__.co_code
        for name, number in dis.opmap.items():
            if number < 256 and not name.startswith(("INSTRUMENTED", "ENTER_EXECUTOR")):  # Python itself crashes on these
                self.stored(co_code=bytes([number, 255]) * 8)
        extended = bytes([dis.opmap["EXTENDED_ARG"], 255]) * 1000
        self.assertEqual(self.stored(co_code=extended + bytes([dis.opmap["STORE_FAST"], 255])), {})
        self.assertIn("kept", self.stored(co_code=raw, co_name="\ud800", co_filename="\ud800"))
        self.stored(co_firstlineno=2**31 - 1)
        self.stored(co_firstlineno=0)

    def test_more_instructions_than_are_read_are_left_out(self):
        with mock.patch.object(keepers_code, "_MOST_INSTRUCTIONS", 5):
            self.assertEqual(self.stored(), {})
        with mock.patch.object(keepers_code, "_MOST_CODES", 0):
            self.assertEqual(self.stored(), {})

    def test_code_in_code_in_code_ends(self):
        code = sets_twice.__code__
        for _ in range(3000):
            code = code.replace(co_consts=(code, code))
        with mock.patch.object(keepers_code, "_MOST_CODES", 100):
            self.assertLessEqual(len(list(keepers_code.CodeReader().with_nested(code))), 100)
        names = sets_twice.__code__.replace(co_consts=(None, code))
        self.assertIn("kept", keepers_code.CodeReader().of_locals(names))

    def test_a_walk_without_places_is_whole(self):
        kept = Tensor()
        with mock.patch.object(keepers_code.dis, "findlinestarts", side_effect=ValueError):
            answer = self.assert_path("local kept")
        self.assertNotIn("set", answer.facts["place_hows"])
        self.assertEqual(answer.facts["cut"], "")
        del kept


if __name__ == "__main__":
    unittest.main()

"""The paths that a walk over the heap names. Needs no torch; `record_test.py` runs it, with every Python that has
unittest.
"""

import ast
import collections
import contextlib
import functools
import gc
import io
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
from unittest import mock

from keepers_stage import SOURCE, TORCH, Module, Optimizer, Parameter, Storage, Tensor, Walks, keepers, keepers_columns, pauses, walk


class Slots:
    __slots__ = ("kept", "never_assigned")

    def method(self):
        pass


class Plain:
    pass


def fails(kept):
    raise ValueError


def kept_error():
    try:
        fails(Tensor())
    except ValueError as error:
        return error


def generator():
    kept = Tensor()
    yield
    del kept


def closure():
    kept = Tensor()
    return lambda: kept


class Keepers(Walks):
    def test_attributes_skip_the_dict_between(self):
        holder = Plain()
        holder.kept = Tensor()
        self.assert_path("local holder", "attribute kept")
        vars(holder)
        self.assertEqual(self.assert_path("local holder", "attribute kept").nodes("dict"), [])

    def test_slots_are_named(self):
        holder = Slots()
        holder.kept = Tensor()
        self.assert_path("local holder", "slot kept")

    def test_causes_are_named_as_attributes(self):
        for name in ("cause", "context"):
            error = ValueError()
            setattr(error, f"__{name}__", KeyError())
            getattr(error, f"__{name}__").kept = Tensor()
            self.assert_path("local error", f"{name} __{name}__", "attribute kept")

    def test_modules_have_their_children_as_attributes(self):
        model = Module()
        model._modules["layer"] = Module()
        model._modules["layer"]._parameters["weight"] = Parameter()
        answer = self.assert_path("local model", "attribute layer", "parameter weight")
        self.assertEqual(len(answer.nodes("module")), 2)
        self.assertEqual([answer.name(node) for node in answer.nodes("parameter")], ["keepers_stage.Parameter"])

    def test_buffers_of_a_module_differ_from_its_other_tensors(self):
        model = Module()
        model._buffers["mean"] = Tensor()
        self.assert_path("local model", "buffer mean")
        model._buffers.clear()
        model.mean = Tensor()
        self.assert_path("local model", "attribute mean")

    def test_the_state_of_an_optimizer_is_found(self):
        optimizer = Optimizer()
        optimizer.state = {Parameter(): {"exp_avg": Tensor()}}
        self.assert_path("local optimizer", "attribute state", "other_key keepers_stage.Parameter", "key exp_avg")

    def test_containers_have_indices_and_items(self):
        holder = [0, (Tensor(),)]
        answer = self.assert_path("local holder", "index 1", "index 0")
        self.assertIn(2, answer.facts["node_items"])
        holder = collections.deque([0, 0, Tensor()])
        self.assert_path("local holder", "index 2")
        holder = {Tensor()}
        self.assert_path("local holder", "item")
        holder = functools.partial(print, Tensor())
        self.assert_path("local holder", "attribute args", "index 0")

    def test_functions_have_closures_and_defaults(self):
        holder = closure()
        self.assert_path("local holder", "closure kept", "refers")

        def holder(number, first=Tensor()):
            pass

        self.assert_path("local holder", "default first")

        def holder(*, first=Tensor()):
            pass

        self.assert_path("local holder", "default first")

    def test_functions_have_attributes(self):
        def holder():
            pass

        holder.kept = Tensor()
        self.assert_path("local holder", "attribute kept")

    def test_methods_have_their_object(self):
        holder = Slots()
        holder.kept = Tensor()
        holder = holder.method
        self.assert_path("local holder", "self __self__", "slot kept")

    def test_generators_have_their_variables(self):
        holder = generator()
        next(holder)
        answer = self.assert_path("local holder", "local kept")
        (node,) = answer.nodes("generator")
        self.assertEqual(answer.name(node), "generator")
        self.assertGreater(answer.facts["node_line"][node], 0)

    def test_a_kept_exception_has_the_variables_of_its_frames(self):
        holder = kept_error()
        answer = self.assert_path("local holder", "traceback", "traceback", "argument kept")
        self.assertIn("fails", [answer.name(node) for node in answer.nodes("traceback")])

    def test_an_exception_that_is_handled_is_a_root(self):
        try:
            fails(Tensor())
        except ValueError:
            self.assert_path("traceback", "traceback", "argument kept", root="exception")

    def test_variables_of_other_threads_are_roots_after_those_of_the_main_thread(self):
        is_done, has_begun = threading.Event(), threading.Event()

        def work():
            kept = Tensor()
            has_begun.set()
            is_done.wait()
            del kept

        thread = threading.Thread(target=work)
        thread.start()
        has_begun.wait()
        try:
            answer = self.assert_path("local kept")
        finally:
            is_done.set()
            thread.join()
        frames = [answer.name(node) for kind, node in answer.roots if kind == "local"]
        self.assertLess(frames.index("main") if "main" in frames else 0, frames.index("work"))

    def test_the_innermost_frame_is_there_even_if_it_holds_nothing(self):
        answer = walk()
        self.assertEqual((answer.roots[0][0], answer.name(answer.roots[0][1])), ("local", "walk"))

    def test_a_cycle_waits_for_the_collector(self):
        cycle = [Tensor()]
        cycle.append(cycle)
        del cycle
        self.assert_path("index 0", root="cycle")

    def test_of_a_longer_cycle_the_object_before_it_is_the_root(self):
        holder = Plain()
        holder.cycle = [Tensor()]
        holder.cycle.append({"holder": holder})
        del holder
        answer = walk()
        self.assertEqual([kind for kind, _ in answer.roots if kind != "local"], ["cycle"])
        self.assertEqual(answer.paths()[Tensor.last][0], "cycle")

    def test_a_temporary_has_no_variable(self):
        answer = [Tensor(), walk()][1]
        path = answer.paths()[Tensor.last]
        self.assertEqual(path, ("temporary", "keepers_stage.Tensor"))

    def test_a_tuple_that_is_being_filled_has_what_it_has(self):
        answers = []

        def values():
            yield Tensor()
            answers.append(walk())

        tuple(values())
        self.assertEqual(answers[0].paths()[Tensor.last], ("temporary", "tuple", "index 0"))

    def test_what_refers_to_globals_is_not_part_of_a_path(self):
        globals()["kept"] = Tensor()
        self.addCleanup(globals().pop, "kept")
        holder = closure
        answer = self.assert_path("global kept", root="main" if __name__ == "__main__" else "global")
        self.assertEqual(answer.nodes("function"), [])
        del holder

    def test_objects_that_the_collector_was_told_to_ignore_are_found(self):
        holder = [[[Tensor()]]]
        gc.freeze()
        self.addCleanup(gc.unfreeze)
        self.assert_path("local holder", "index 0", "index 0", "index 0")


class TheWalk(Walks):
    def test_leaves_the_variables_of_running_functions_free(self):
        kept = Tensor()
        address = Tensor.last
        walk()
        del kept
        self.assertNotIn(address, walk().paths())

    def test_leaves_a_dict_of_variables_that_the_program_has_as_it_is(self):
        kept = Tensor()
        variables = locals()
        walk()
        self.assertIs(variables["kept"], kept)

    def test_leaves_the_collector_as_it_was(self):
        gc.enable()
        walk()
        self.assertTrue(gc.isenabled())
        gc.disable()
        walk()
        self.assertFalse(gc.isenabled())

    def test_leaves_the_collector_as_it_was_when_memory_runs_out(self):
        gc.enable()
        for name in ("keepers.gc.get_objects", "keepers.Classes"):
            with mock.patch("memviz_torch.recording." + name, side_effect=MemoryError):
                with contextlib.redirect_stderr(io.StringIO()) as said:
                    self.assertIsNone(keepers.found(TORCH))
            self.assertTrue(gc.isenabled(), name)
            self.assertIn("records no keepers: MemoryError", said.getvalue())

    def test_leaves_the_collector_as_it_was_when_it_is_interrupted(self):
        gc.enable()
        with mock.patch.object(keepers.gc, "get_objects", side_effect=KeyboardInterrupt):
            self.assertRaises(KeyboardInterrupt, keepers.found, TORCH)
        self.assertTrue(gc.isenabled())

    def test_pauses_nothing_in_a_child_that_is_forked_meanwhile(self):
        gc.enable()
        before = sys.getswitchinterval()
        with pauses.without_collector(), pauses.without_turns():
            paused = (gc.isenabled(), sys.getswitchinterval())
            child = os.fork()
            if child == 0:
                os._exit(0 if (gc.isenabled(), sys.getswitchinterval()) == (True, before) else 1)
        self.assertEqual(paused, (False, 1.0))
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual((gc.isenabled(), sys.getswitchinterval()), (True, before))

    def test_is_turned_off_by_a_variable(self):
        os.environ["MEMVIZ_KEEPERS"] = "0"
        self.addCleanup(os.environ.pop, "MEMVIZ_KEEPERS")
        self.assertIsNone(keepers.found(TORCH))

    def test_of_a_failure_says_one_line_and_leaves_the_program_alone(self):
        program = "import sys; sys.path[:0] = sys.argv[1:]\nfrom keepers_stage import keepers, TORCH\n"
        program += "keepers.keepers_roots.found = lambda: 1 / 0\nprint(keepers.found(TORCH))"
        words = [sys.executable, "-c", program, str(SOURCE / "tests" / "record")]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.stdout, "None\n", done.stderr)
        self.assertRegex(done.stderr, r"^memviz: process \d+ records no keepers: ZeroDivisionError: [^\n]*\n$")

    def test_names_the_file_of_the_program_and_not_the_thread_of_a_debugger(self):
        program = "import sys, threading; sys.path[:0] = sys.argv[1:]\nfrom keepers_stage import keepers, TORCH, Tensor\nkept = Tensor()\n"
        program += "names = {'__name__': 'memviz_attached', 'found': [], 'keepers': keepers, 'TORCH': TORCH}\n"
        program += "thread = threading.Thread(target=exec, args=('found.append(keepers.found(TORCH))', names))\nthread.start()\nthread.join()\n"
        program += "found = names['found'][0]\nprint([found['texts'][file] for file in found['node_file'] if file])"
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder) / "job.py"
            script.write_text(program)
            words = [sys.executable, script, str(SOURCE / "tests" / "record")]
            done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        files = [file for file in ast.literal_eval(done.stdout) if os.path.basename(file) != "threading.py"]
        self.assertEqual(files, [str(script), str(script)], done.stderr)  # of the frame, and of the globals

    def test_says_when_its_time_was_over(self):
        self.addCleanup(setattr, keepers, "_MOST_SECONDS", keepers._MOST_SECONDS)
        keepers._MOST_SECONDS = 0
        kept = [Tensor()]
        self.assertEqual(walk().facts["cut"], "time")
        del kept

    def test_writes_a_bounded_number_of_objects(self):
        columns = keepers_columns
        self.addCleanup(setattr, columns, "MOST_NODES", columns.MOST_NODES)
        columns.MOST_NODES = 100
        kept = [[Tensor()] for _ in range(1000)]
        large = [Tensor(size=1024)]
        answer = walk()
        self.assertEqual((answer.facts["cut"], len(answer.facts["node_kind"])), ("nodes", 100))
        self.assertLess(max(answer.facts["edge_to"]), 100)
        self.assertEqual(answer.paths()[Tensor.last][2:], ("local large", "index 0"))
        del kept, large

    def test_prefers_tensors_to_the_objects_of_their_storages_where_there_are_too_many(self):
        self.addCleanup(setattr, keepers_columns, "MOST_NODES", keepers_columns.MOST_NODES)
        keepers_columns.MOST_NODES = 120
        storages = [Storage(Tensor.last + 512 * number, 512) for number in range(1, 51)]
        kept = [Tensor() for _ in storages]
        answer = walk()
        self.assertEqual(answer.facts["cut"], "")
        self.assertEqual({answer.paths()[one.address][1:3] for one in kept}, {(sys._getframe().f_code.co_name, "local kept")})

    def test_writes_one_of_many_tensors_with_the_same_memory(self):
        kept = [Tensor() for _ in range(1000)]
        for one in kept:
            one.address = kept[0].address
        del one
        kept[7].more = Tensor()
        other = kept[9]
        answer = walk()
        self.assertEqual(len(answer.nodes("tensor")), 4)  # the first, those with a path that differs, and what one of them has
        self.assertEqual({kind for kind, _ in answer.roots}, {"local"})
        self.assertEqual(answer.paths()[Tensor.last][2:], ("local kept", "index 7", "attribute more"))
        del other

    def test_makes_no_objects_for_storages_where_pytorch_shows_their_addresses(self):
        kept = [Tensor() for _ in range(50)]
        with mock.patch.object(Tensor, "untyped_storage", side_effect=AssertionError):
            self.assertEqual(len(walk().facts["storage_node"]), 50)
        with mock.patch.object(TORCH._C, "_data_address", None):  # an older PyTorch
            self.assertEqual(len(walk().facts["storage_node"]), 50)
        del kept

    def test_parts_of_one_storage_have_the_bytes_of_the_largest(self):
        whole, part, view = Tensor(4096), Tensor(0), Tensor(0)
        part.address = view.address = whole.address
        view.base = Tensor(8192)
        view.base.address = view.address
        facts = walk().facts
        self.assertEqual(set(facts["storage_bytes"]), {8192})
        self.assertEqual(set(facts["storage_address"]), {whole.address})
        del whole, part, view

    def test_a_storage_without_memory_is_left_out(self):
        freed = [Tensor(), Tensor()]
        for one in freed:
            one.address = 0
        kept = Tensor()
        self.assertEqual(walk().facts["storage_address"], [kept.address])
        del freed

    def test_bounds_texts(self):
        kept = {"\udc80é" * 1000: Tensor(), "a" * 1000: Tensor()}
        texts = walk().facts["texts"]
        self.assertEqual(texts[0], "")
        self.assertLessEqual(max(len(text.encode()) for text in texts), 512)
        self.assertIn("a" * 512, texts)
        del kept

    def test_follows_long_chains_in_any_order(self):
        self.addCleanup(setattr, keepers, "_MOST_SECONDS", keepers._MOST_SECONDS)
        keepers._MOST_SECONDS = 600  # on a machine with other work
        for order in (range(3000), range(3000)[::-1], random.Random(0).sample(range(3000), 3000)):
            links = [Plain() for _ in order]
            chain = [links[number] for number in order]
            for one, following in zip(chain, chain[1:]):
                one.following = following
            chain[-1].kept = Tensor()
            first = chain[0]
            del links, chain, one, following
            answer = walk()
            self.assertEqual((answer.facts["cut"], len(answer.paths()[Tensor.last])), ("", 3 + 3000))
            del first

    def test_names_each_of_its_words(self):
        kept = [Tensor()]
        facts = walk().facts
        for words, column in (("kinds", "node_kind"), ("hows", "edge_how"), ("root_kinds", "root_kind")):
            self.assertEqual(sorted(set(facts[column])), list(range(len(facts[words]))))
        lengths = {name.split("_")[0]: set() for name in facts if isinstance(facts[name], list)}
        for name, column in facts.items():
            if "_" in name and name not in ("root_kinds", "place_hows"):
                lengths[name.split("_")[0]].add(len(column))
        self.assertEqual({len(found) for found in lengths.values() if found}, {1})
        del kept

#!/usr/bin/env python3
"""What memviz_torch promises, tried with the program: package_test.py MEMVIZ SOURCE"""

import fractions
import gzip
import inspect
import io
import os
import pathlib
import pickle
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import unittest.mock
import urllib.parse
import warnings
import xml.etree.ElementTree

PROGRAM, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
TESTDATA = SOURCE / "testdata"
sys.path.insert(0, str(SOURCE / "python"))
os.environ["MEMVIZ_PROGRAM"] = str(PROGRAM)

import memviz_torch
import memviz_torch._program

OOM = TESTDATA / "oom.pickle"
FUNCTIONS = ("flame", "timeline", "state", "explain", "leaks", "stats")
# The options of a command that a function handles differently: its result is not a file, and warnings are Python's.
NOT_KEYWORDS = {"output", "json", "text", "markdown", "format", "zoom", "quiet", "help", "empty"}
NOT_KEYWORDS |= {"addresses"}  # the figures have them all
NOT_KEYWORDS |= {"step", "strict", "rank-pattern"}  # of folders, which no function takes


def unpickled(file):
    return pickle.loads(file.read_bytes())


def call(name, *snapshots, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", memviz_torch.SnapshotWarning)
        return getattr(memviz_torch, name)(*snapshots, **options)


def options_in_help(command):
    done = subprocess.run([PROGRAM, command, "--help=all"], capture_output=True, text=True)
    if done.returncode != 0:
        done = subprocess.run([PROGRAM, "help", command], capture_output=True, text=True, check=True)
    text = done.stdout
    return set(re.findall(r"^ +(?:-\w, | {4})--([a-z-]+)", text, re.MULTILINE))


def carried_bytes(text):
    """Returns the bytes that a page holds as text: 13 bits in each two of 91 characters, 6 in a last single one."""
    numbers = ["".join(chr(code) for code in range(33, 127) if chr(code) not in "&<>").index(letter) for letter in text]
    bits = "".join(f"{one * 91 + other:013b}" for one, other in zip(numbers[::2], numbers[1::2])) + (f"{numbers[-1]:06b}" if len(numbers) % 2 else "")
    return bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits) // 8 * 8, 8))


class Snapshots(unittest.TestCase):
    def test_a_path_bytes_and_a_dict_give_the_same_answer(self):
        with tempfile.TemporaryDirectory() as folder:
            # A snapshot that is not in a file is called "snapshot".
            file = pathlib.Path(shutil.copy(OOM, os.path.join(folder, "snapshot")))
            snapshots = {"PathLike": file, "str": str(file), "bytes": file.read_bytes(),
                         "memoryview": memoryview(file.read_bytes()), "dict": unpickled(file)}
            for name in FUNCTIONS:
                said = {}
                for kind, snapshot in snapshots.items():
                    answer = call(name, snapshot)
                    said[kind] = (getattr(answer, "svg", "") + str(answer)).replace(folder + "/", "")
                for kind in snapshots:
                    with self.subTest(name, kind=kind):
                        self.assertTrue(said[kind] == said["PathLike"])

    def test_two_snapshots_in_memory_are_compared_and_told_apart(self):
        before, after = TESTDATA / "before.pickle", TESTDATA / "after.pickle"
        of_files = call("compare", before, after, at="end")
        in_memory = call("compare", unpickled(before), after.read_bytes(), at="end")
        self.assertEqual(of_files.figures["devices"], in_memory.figures["devices"])
        self.assertEqual((in_memory.figures["before"]["file"], in_memory.figures["after"]["file"]), ("before", "after"))
        self.assertIn("before: before, ", str(in_memory))

    def test_a_list_of_segments_is_a_snapshot(self):
        listed = TESTDATA / "gen_1.13_list.pickle"
        self.assertEqual(call("stats", unpickled(listed))["devices"], call("stats", listed)["devices"])

    def test_a_snapshot_that_no_pipe_holds_at_once_gets_through_and_back(self):
        large = unpickled(OOM)
        large["device_traces"][0] = [dict(event) for event in large["device_traces"][0] * 3000]
        figures = call("stats", large)
        self.assertEqual(figures["devices"][0]["events"], len(large["device_traces"][0]))
        self.assertGreater(len(call("flame", large, frames="all", view="segments").svg), 65536)

    def test_nothing_of_a_snapshot_in_memory_is_left_on_a_disk(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(tempfile, "tempdir", folder):
            seen = []
            ask = memviz_torch._program.Pipes.run

            def looking(pipes, words):
                for place, _, files in os.walk(folder):
                    seen.extend(os.path.join(place, file) for file in files)
                return ask(pipes, words)

            with unittest.mock.patch.object(memviz_torch._program.Pipes, "run", looking):
                call("explain", unpickled(OOM))
            self.assertEqual([os.path.basename(file) for file in seen], ["snapshot"])
            self.assertTrue(all(os.path.islink(file) or not os.path.exists(file) for file in seen))
            self.assertEqual(os.listdir(folder), [])

    def test_no_descriptor_and_no_thread_is_left(self):
        call("explain", unpickled(OOM))
        before = len(os.listdir("/proc/self/fd")), threading.active_count()
        for _ in range(5):
            call("compare", unpickled(OOM), OOM.read_bytes())
            for wrong in (b"no snapshot" * 100000, {"segments": threading.Lock()}, 7):
                with self.assertRaises((memviz_torch.Error, TypeError)):
                    call("explain", wrong)
        self.assertEqual((len(os.listdir("/proc/self/fd")), threading.active_count()), before)

    def test_functions_can_be_called_from_several_threads(self):
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(call("explain", unpickled(OOM)).text)) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(answers), 6)
        self.assertEqual(len(set(answers)), 1)

    def test_a_file_called_minus_is_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(OOM, os.path.join(folder, "-"))
            words = [sys.executable, "-c", "import memviz_torch; print(memviz_torch.explain('-').verdict)"]
            done = subprocess.run(words, cwd=folder, env={**os.environ, "PYTHONPATH": str(SOURCE / "python")},
                                  capture_output=True, text=True, stdin=subprocess.DEVNULL)
            self.assertEqual((done.stdout, done.stderr), ("fragmentation\n", ""))


class Options(unittest.TestCase):
    def test_every_option_of_the_program_is_a_keyword_and_every_keyword_an_option(self):
        for name in (*FUNCTIONS, "compare", "view"):
            with self.subTest(name):
                parameters = inspect.signature(getattr(memviz_torch, name)).parameters.values()
                keywords = {one.name.rstrip("_").replace("_", "-") for one in parameters if one.kind == one.KEYWORD_ONLY}
                self.assertEqual(keywords, options_in_help(name) - NOT_KEYWORDS)

    def test_a_page_carries_its_snapshots_in_their_order_or_waits_for_some(self):
        try:
            empty = memviz_torch.view()
        except memviz_torch.Error as error:
            self.assertIn("./run page", str(error))
            self.skipTest("skipped: the program has no engine")
        page = call("view", OOM, TESTDATA / "training_step.pickle")
        self.assertEqual(re.findall(r'class="snapshot" data-name="([^"]*)"', page.html), [OOM.name, "training_step.pickle"])
        self.assertEqual(repr(page), "<Page: memviz view: oom.pickle and 1 more>")
        self.assertNotIn('class="snapshot"', empty.html)
        self.assertIn('sandbox="allow-scripts"', page._repr_html_())
        with tempfile.TemporaryDirectory() as folder:
            saved = pathlib.Path(page.save(os.path.join(folder, "view.html")))
            self.assertEqual(saved.read_text(), page.html)

    def test_a_page_carries_what_is_asked_for_and_nothing_that_is_hidden(self):
        try:
            page = call("view", OOM, redact="all", from_=10, to=40)
        except memviz_torch.Error as error:
            self.assertIn("./run page", str(error))
            self.skipTest("skipped: the program has no engine")
        carried = gzip.decompress(carried_bytes(re.search(r'class="snapshot"[^>]*>([^<]*)<', page.html).group(1)))
        for hidden in ("cache.py", "append_page", "layers.py"):
            self.assertIn(hidden.encode(), OOM.read_bytes())
            self.assertNotIn(hidden.encode(), carried)
            self.assertNotIn(hidden, page.html)
        cover = urllib.parse.unquote(re.search(r"data:image/svg\+xml,([^']*)'", page.html).group(1))
        self.assertEqual(re.findall(r"[0-9]+ events", cover)[:1], ["31 events"])

    def test_options_reach_the_program(self):
        peak = call("stats", OOM, at="peak")
        self.assertNotEqual(peak["devices"], call("stats", OOM, at="event:3")["devices"])
        self.assertEqual(call("flame", OOM, group=["kind", "stream"]).svg, call("flame", OOM, group="kind,stream").svg)
        self.assertNotEqual(call("flame", OOM, upward=True).svg, call("flame", OOM).svg)
        self.assertEqual(call("flame", OOM, upward=False).svg, call("flame", OOM).svg)
        self.assertNotEqual(call("timeline", OOM, from_=10, to=20).svg, call("timeline", OOM).svg)
        self.assertIn("differ most", call("timeline", TESTDATA / "run_main.pickle", TESTDATA / "run_branch.pickle").svg)
        annotated = TESTDATA / "gen_2.5_annotations.pickle"
        self.assertEqual(call("stats", annotated, by="step", steps="events:20")["schema"], "memviz.steps/1.0")
        self.assertLess(len(call("explain", OOM, brief=True).text), len(call("explain", OOM).text))
        self.assertIsNotNone(call("explain", OOM, capacity=1 << 30).devices[0]["totals"]["outside_bytes"])

    def test_lines_have_the_text_of_source_folders(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("cache", "layers"):
                file = pathlib.Path(folder, name, f"{name}.py")
                file.parent.mkdir()
                file.write_text(f"{name} = made()\n" * 100)
                os.utime(file, (1, 1))
            for source in (folder + "/cache", [pathlib.Path(folder, "layers"), folder + "/cache"]):
                self.assertIn("append_page cache.py:47: cache = made()", call("explain", OOM, source=source).text)
            self.assertNotIn("made()", call("explain", OOM).text)

    def test_in_a_notebook_lines_have_the_text_of_their_cells(self):
        snapshot, cell = unpickled(OOM), "/tmp/ipykernel_7/1234.py"
        for segment in snapshot["segments"]:
            for block in segment["blocks"]:
                for frame in block.get("frames", ()):
                    if frame["filename"].endswith("cache.py"):
                        frame["filename"] = cell
        cached = {cell: (10, None, ["cache = made()\n"] * 100, cell)}
        with unittest.mock.patch.dict("sys.modules", ipykernel=unittest.mock.Mock()), \
                unittest.mock.patch.dict("linecache.cache", cached), warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertIn("1234.py:47: cache = made()", memviz_torch.explain(snapshot).text)
            self.assertNotIn("made()", memviz_torch.explain(snapshot, redact="paths").text)
            self.assertNotIn("made()", call("explain", snapshot, source=str(TESTDATA / "cases")).text)

    def test_numbers_of_other_libraries_are_numbers(self):
        self.assertEqual(call("timeline", OOM, from_=fractions.Fraction(10), to=20).svg, call("timeline", OOM, from_=10, to=20).svg)

    def test_a_value_that_the_program_does_not_take_is_a_usage_error_with_its_words(self):
        with self.assertRaisesRegex(memviz_torch.UsageError, "--at must be .*did you mean 'peak'"):
            memviz_torch.flame(OOM, at="peek")
        with self.assertRaises(ValueError):
            memviz_torch.flame(unpickled(OOM), device=9)
        with self.assertRaisesRegex(TypeError, "at must be a text or a number, not dict"):
            memviz_torch.flame(OOM, at={})
        with self.assertRaises(TypeError):
            memviz_torch.flame(OOM, att="peak")

    def test_an_option_is_no_other_one_whatever_its_text(self):
        with self.assertRaises(memviz_torch.UsageError):
            memviz_torch.flame(OOM, at="--help")
        with tempfile.TemporaryDirectory() as folder:
            odd = os.path.join(folder, "--help")
            shutil.copy(OOM, odd)
            self.assertIn("--help", memviz_torch.flame(odd).headline)

    def test_what_is_hidden_is_hidden_everywhere(self):
        why = call("explain", unpickled(OOM), redact="all")
        for text in (why.svg, why.text, str(why.figures)):
            self.assertNotIn("append_page", text)


class Results(unittest.TestCase):
    def test_a_picture_is_svg_with_a_headline(self):
        picture = memviz_torch.flame(OOM)
        self.assertTrue(xml.etree.ElementTree.fromstring(picture.svg).tag.endswith("svg"))
        self.assertIn("GPU 0 ran out of memory", picture.headline)
        self.assertEqual(repr(picture), f"<Picture: {picture.headline}>")

    def test_a_picture_is_saved_whole_in_the_format_of_its_name(self):
        picture = memviz_torch.flame(OOM)
        with tempfile.TemporaryDirectory() as folder:
            svg = os.path.join(folder, "mem.svg")
            self.assertEqual(picture.save(svg), svg)
            self.assertEqual(pathlib.Path(svg).read_text(), picture.svg)
            with self.assertRaisesRegex(ValueError, "none of .svg, .png and .pdf"):
                picture.save(os.path.join(folder, "mem.jpg"))
            with self.assertRaisesRegex(FileNotFoundError, "no/mem.svg'$"):  # the user's path
                picture.save(os.path.join(folder, "no", "mem.svg"))
            self.assertEqual(os.listdir(folder), ["mem.svg"])

    def test_a_notebook_gets_a_frame_that_shares_nothing_with_the_page(self):
        element, script = xml.etree.ElementTree.fromstring(f"<div>{memviz_torch.flame(OOM)._repr_html_()}</div>")
        self.assertEqual((element.tag, element.get("sandbox"), script.tag), ("iframe", "allow-scripts", "script"))
        picture = re.search(r'src="data:image/svg\+xml,([^"]*)"', element.get("srcdoc")).group(1)
        self.assertEqual(urllib.parse.unquote(picture), memviz_torch.flame(OOM).svg)
        self.assertEqual(set(memviz_torch.flame(OOM)._repr_mimebundle_(include=["text/html"])), {"text/html"})
        self.assertNotIn("text/plain", memviz_torch.flame(OOM)._repr_mimebundle_(exclude=["text/plain"]))

    def test_an_explanation_has_verdict_figures_and_text(self):
        why = memviz_torch.explain(OOM)
        expected = subprocess.run([PROGRAM, "explain", OOM], capture_output=True, text=True, check=True).stdout
        self.assertEqual(str(why), expected)
        self.assertEqual(why.verdict, "fragmentation")
        self.assertIn(why.verdict_text.split(":")[0], why.text)
        self.assertEqual(why.devices[0]["request"]["bytes"], 12587520)
        self.assertIn("ran out of memory", why.headline)

    def test_a_snapshot_of_nothing_has_no_verdict(self):
        why = memviz_torch.explain(TESTDATA / "empty.pickle")
        self.assertIsNone(why.verdict)
        self.assertEqual(why.verdict_text, "")

    def test_a_comparison_says_whether_a_limit_is_exceeded(self):
        main, branch = TESTDATA / "run_main.pickle", TESTDATA / "run_branch.pickle"
        self.assertTrue(call("compare", main, branch, fail_over="1B").exceeded)
        self.assertFalse(call("compare", main, branch, fail_over="100GiB").exceeded)
        self.assertFalse(call("compare", main, main).exceeded)
        self.assertIn("|", call("compare", main, branch).markdown)

    def test_keepers_are_those_of_the_program_with_their_device(self):
        (kept,) = call("keepers", TESTDATA / "keepers_key.pickle")
        (device,) = call("stats", TESTDATA / "keepers_key.pickle")["devices"]
        self.assertEqual(kept, {"device": device["device"], **device["keepers"]})
        self.assertIn("`outputs`", kept["variables"][0]["text"])
        self.assertNotIn("outputs", repr(call("keepers", TESTDATA / "keepers_key.pickle", redact="names")))
        self.assertEqual(call("keepers", OOM), [])

    def test_leaks_are_listed_with_their_device(self):
        found = memviz_torch.leaks(TESTDATA / "leaks" / "cache.pickle")
        self.assertEqual({stack["device"] for stack in found.grows}, {0})
        self.assertEqual(repr(found), "<Leaks: 1 stack grows>")
        self.assertEqual(len(found.grows), sum(len(device["grows"]) for device in found.figures["devices"]))


class Failures(unittest.TestCase):
    def test_a_step_before_the_recording_begins_says_so(self):
        with self.assertRaisesRegex(RuntimeError, "call start\\(\\) first"):
            memviz_torch.record("mem.pickle").step()

    def test_an_error_has_the_programs_message(self):
        with self.assertRaisesRegex(memviz_torch.Error, "^/nowhere/mem.pickle: no such file$"):
            memviz_torch.flame("/nowhere/mem.pickle")
        with self.assertRaisesRegex(memviz_torch.Error, "^snapshot: byte 0: expected a memory snapshot"):
            memviz_torch.flame(b"garbage" * 1000000)

    def test_what_is_no_snapshot_is_told_by_its_type(self):
        for wrong in (7, None, io.BytesIO()):
            with self.assertRaisesRegex(TypeError, f"not {type(wrong).__name__}"):
                memviz_torch.flame(wrong)

    def test_what_cannot_be_pickled_is_an_error(self):
        with self.assertRaisesRegex(memviz_torch.Error, "cannot be pickled"):
            memviz_torch.flame({"segments": [threading.Lock()]})

    def test_warnings_are_pythons_and_in_the_result(self):
        with self.assertWarnsRegex(memviz_torch.SnapshotWarning, "accounts of GPU 0 do not balance") as caught:
            picture = memviz_torch.flame(TESTDATA / "unbalanced.pickle")
        self.assertEqual(os.path.basename(caught.filename), "package_test.py")
        self.assertTrue(picture.warnings)

    def test_a_program_that_is_not_there_is_named(self):
        with unittest.mock.patch.dict(os.environ, MEMVIZ_PROGRAM="/nowhere/memviz"):
            with self.assertRaisesRegex(memviz_torch.ProgramNotFound, "MEMVIZ_PROGRAM is /nowhere/memviz"):
                memviz_torch.flame(OOM)
        with unittest.mock.patch.dict(os.environ, MEMVIZ_PROGRAM="", PATH="/nowhere"):
            with unittest.mock.patch.object(memviz_torch._program, "_places", lambda: iter(["/nowhere/bin/memviz"])):
                with self.assertRaisesRegex(memviz_torch.ProgramNotFound, "looked at /nowhere/bin/memviz and on the PATH"):
                    memviz_torch.flame(OOM)

    def test_a_program_that_is_killed_says_by_what(self):
        with tempfile.TemporaryDirectory() as folder:
            killed = pathlib.Path(folder, "memviz")
            killed.write_text("#!/bin/sh\nkill -KILL $$\n")
            killed.chmod(0o755)
            with unittest.mock.patch.dict(os.environ, MEMVIZ_PROGRAM=str(killed)):
                with self.assertRaisesRegex(memviz_torch.Error, "ended by SIGKILL"):
                    memviz_torch.flame(unpickled(OOM))

    def test_torch_is_not_imported(self):
        words = "import sys, memviz_torch; memviz_torch.stats(sys.argv[1]); sys.exit('torch' in sys.modules)"
        subprocess.run([sys.executable, "-c", words, OOM], check=True, env={**os.environ, "PYTHONPATH": str(SOURCE / "python")})


class Module(unittest.TestCase):
    def test_the_module_is_the_program(self):
        words = [sys.executable, "-m", "memviz_torch"]
        options = {"env": {**os.environ, "PYTHONPATH": str(SOURCE / "python")}, "capture_output": True, "text": True}
        expected = subprocess.run([PROGRAM, "stats", OOM], capture_output=True, text=True).stdout
        self.assertEqual(subprocess.run([*words, "stats", OOM], **options).stdout, expected)
        self.assertEqual(subprocess.run([*words, "nonsense"], **options).returncode, 2)

    def test_what_the_module_starts_inherits_no_signal_that_python_ignores(self):
        words = [sys.executable, "-m", "memviz_torch", "run", "--", "sh", "-c", "kill -PIPE $$"]
        done = subprocess.run(words, env={**os.environ, "PYTHONPATH": str(SOURCE / "python")})
        self.assertEqual(done.returncode, -signal.SIGPIPE)

    def test_every_name_is_there_before_it_is_used(self):
        for name in memviz_torch.__all__:
            self.assertIn(name, dir(memviz_torch))
        self.assertFalse(hasattr(memviz_torch, "flamer"))

    def test_what_is_exported_is_documented(self):
        page = (SOURCE / "docs/python.md").read_text()
        for name in memviz_torch.__all__:
            with self.subTest(name):
                self.assertTrue(inspect.getdoc(getattr(memviz_torch, name)) or name == "Snapshot")
                self.assertRegex(page, rf"\b{name}\b")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

"""memviz_torch.table(), the cell magic, and the version, tried with the program: tables_test.py MEMVIZ SOURCE"""

import os
import pathlib
import subprocess
import sys
import unittest
import unittest.mock
import warnings

PROGRAM, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
sys.path.insert(0, str(SOURCE / "python"))
os.environ["MEMVIZ_PROGRAM"] = str(PROGRAM)

import memviz_torch

OOM = SOURCE / "testdata" / "oom.pickle"


def quietly(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", memviz_torch.SnapshotWarning)
        return function(*arguments, **options)


class Tables(unittest.TestCase):
    def test_rows_add_up_to_the_figures(self):
        blocks = quietly(memviz_torch.table, OOM, "blocks")
        (device,) = quietly(memviz_torch.stats, OOM)["devices"]
        self.assertEqual(sum(row["size_bytes"] for row in blocks if row["state"] == "active_allocated"), device["allocated_bytes"])
        self.assertEqual((len(blocks), blocks.columns[:3]), (len(blocks.rows), ["id", "segment", "device"]))
        live = quietly(memviz_torch.table, OOM, at="peak")
        self.assertEqual(sum(row["requested_bytes"] for row in live), device["peak_requested_bytes"])

    def test_pandas_and_arrow_get_the_columns(self):
        made = {}
        pandas = unittest.mock.Mock(DataFrame=lambda rows, columns: (rows, columns))
        arrow = unittest.mock.Mock(table=lambda columns: made.update(columns) or made)
        table = memviz_torch.Table([{"a": 1}, {"a": 2, "b": "<x>"}])
        with unittest.mock.patch.dict(sys.modules, pandas=pandas, pyarrow=arrow):
            self.assertEqual(table.to_pandas(), (table.rows, ["a", "b"]))
            self.assertEqual(table.to_arrow(), {"a": [1, 2], "b": [None, "<x>"]})
        self.assertIn("<td>&lt;x&gt;</td>", table._repr_html_())

    def test_the_package_has_the_version_of_the_program(self):
        said = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(memviz_torch.__version__, said.split()[1])


class Cells(unittest.TestCase):
    def setUp(self):
        self.shown, self.ran, self.magics = [], [], {}
        display = unittest.mock.Mock(display=self.shown.append)
        self.enterContext(unittest.mock.patch.dict(sys.modules, {"IPython": unittest.mock.Mock(display=display), "IPython.display": display}))
        self.shell = unittest.mock.Mock(run_cell=self.ran.append)
        self.shell.register_magic_function = lambda function, kind, name: self.magics.update({(kind, name): function})
        memviz_torch.load_ipython_extension(self.shell)
        self.recorded = unittest.mock.MagicMock()
        self.recorded.__enter__.return_value.files = [str(OOM)]
        self.enterContext(unittest.mock.patch.object(memviz_torch, "record", lambda path, on_oom: self.recorded))

    def test_a_cell_is_recorded_and_drawn(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", memviz_torch.SnapshotWarning)
            for line in ("", "timeline", "explain kept.pickle"):
                self.magics["cell", "memviz"](line, "x = 1")
        self.assertEqual(self.ran, ["x = 1"] * 3)
        self.assertEqual([type(picture).__name__ for picture in self.shown], ["Picture", "Picture", "Explanation"])

    def test_a_cell_without_a_recording_shows_nothing(self):
        self.recorded.__enter__.return_value.files = []
        self.magics["cell", "memviz"]("", "x = 1")
        self.assertEqual((self.ran, self.shown), (["x = 1"], []))

    def test_other_words_are_refused(self):
        with self.assertRaisesRegex(ValueError, "takes one of flame, timeline, state, explain"):
            self.magics["cell", "memviz"]("draw it", "x = 1")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

#!/usr/bin/env python3
"""Executes a notebook that draws, and looks at what it would show: notebook.py TESTDATA"""

import base64
import pathlib
import shutil
import sys

import nbclient
import nbformat

TESTDATA = pathlib.Path(sys.argv[1]).resolve()


def outputs_of(*sources):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    nbformat.validate(notebook)
    return [cell.outputs for cell in notebook.cells]


def main():
    imported, picture, why, leaks = outputs_of(
        "import memviz_torch",
        f"memviz_torch.flame({str(TESTDATA / 'oom.pickle')!r})",
        f"import pickle\nmemviz_torch.explain(pickle.load(open({str(TESTDATA / 'oom.pickle')!r}, 'rb')))",
        f"memviz_torch.leaks({str(TESTDATA / 'oom.pickle')!r})",
    )
    assert imported == [], imported
    for (shown,) in (picture, why):
        assert shown.output_type == "execute_result", shown.output_type
        assert shown.data["text/html"].startswith('<iframe class="memviz" srcdoc='), shown.data["text/html"][:40]
        assert "ran out of memory" in shown.data["text/plain"], shown.data["text/plain"]
        if shutil.which("rsvg-convert"):
            assert base64.b64decode(shown.data["image/png"]).startswith(b"\x89PNG")
        else:
            assert "image/png" not in shown.data
    assert "GPU 0" in leaks[0].data["text/plain"], leaks[0].data["text/plain"]
    # With a stand-in for torch, a cell is recorded.
    stub = TESTDATA.parent / "rehearsal/tests"
    loaded, ran = outputs_of(f"import sys; sys.path.insert(0, {str(stub)!r})\n%load_ext memviz_torch", "%%memviz\nimport torch\ntorch.allocate(3 << 20)\nprint('ran')")
    assert loaded == [], loaded
    assert "".join(output.get("text", "") for output in ran if output.get("name") == "stdout") == "ran\n", ran
    (shown,) = (output for output in ran if "text/html" in output.get("data", {}))
    assert "3.00 MiB" in shown.data["text/plain"], shown.data["text/plain"]


if __name__ == "__main__":
    main()

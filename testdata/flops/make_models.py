#!/usr/bin/env python3
"""Exports the models of this folder with the PyTorch that runs it: NAME.pt2, and NAME.json with PyTorch's own counts.

usage: make_models.py FOLDER [NAME ...]

The files go to FOLDER, one folder for each generation of PyTorch. Most archives are packed again with deflate, which
torch does not use, and without the bytes of weights and example inputs; a few small ones stay as torch wrote them.
"""

import contextlib
import io
import json
import pathlib
import re
import sys
import warnings
import zipfile

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

import document_models
import oracle

HERE = pathlib.Path(__file__).resolve().parent
CASES = document_models.CASES


def without_folders(text):
    """A stack trace without the folders of the machine that exported: they say nothing about the model."""
    text = text.replace(f"{HERE}/", "/models/")
    return re.sub(r'"[^"\n]*/site-packages/', '"/site-packages/', text)


def hide_folders(program):
    for module in program.graph_module.modules():
        for node in getattr(module, "graph", torch.fx.Graph()).nodes:
            if "stack_trace" in node.meta and node.meta["stack_trace"]:
                node.meta["stack_trace"] = without_folders(node.meta["stack_trace"])


def holds_tensors(name):
    """Whether an entry of an archive of either layout has only bytes of tensors."""
    return name.endswith(".pt") or re.search(r"/data/(weights/weight|constants/tensor)_\d+$", name)


def packed_again(archive):
    """The same entries, deflated, in the same order; those of tensors are empty."""
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as before, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as after:
        for entry in before.infolist():
            info = zipfile.ZipInfo(entry.filename)
            info.compress_type = zipfile.ZIP_DEFLATED
            content = b"" if holds_tensors(entry.filename) else before.read(entry)
            after.writestr(info, content, compresslevel=9)
    return packed.getvalue()


def export(case, model, inputs):
    options = {} if case.strict is None else {"strict": case.strict}
    if case.dynamic_shapes:
        options["dynamic_shapes"] = case.dynamic_shapes()
    return torch.export.export(model, inputs, **options)


def sizes_by_hint(program):
    """The symbols of the graph and the sizes that they had when it was exported."""
    found = {}
    for node in program.graph.nodes:
        value = node.meta.get("val")
        if node.op != "placeholder" or not isinstance(value, torch.Tensor):
            continue
        for size in value.shape:
            if isinstance(size, torch.SymInt):
                found[str(size)] = size.node.hint
    return found


def write(program, case, path, figures):
    hide_folders(program)
    saved = io.BytesIO()
    torch.export.save(program, saved)
    path.write_bytes(saved.getvalue() if case.weights == "kept" else packed_again(saved.getvalue()))
    path.with_suffix(".json").write_text(json.dumps(figures, indent=1) + "\n")


def counted_eagerly(case):
    with FakeTensorMode():
        model, inputs = case.build().eval(), case.inputs()
        return oracle.eager(model, inputs) | {
            "parameter_bytes": oracle.bytes_of(model.parameters()),
            "buffer_bytes": oracle.bytes_of(model.buffers()),
        }


def make(name, case, folder):
    figures = {"torch": torch.__version__} | counted_eagerly(case)
    if case.note:
        figures["note"] = case.note
    with FakeTensorMode() if case.weights == "fake" else contextlib.nullcontext():
        plain = export(case, case.build().eval(), case.inputs())
    for form in case.forms:
        program = plain if form == "plain" else plain.run_decompositions()
        figures |= oracle.exported(program) | {"dynamic": sizes_by_hint(program)}
        write(program, case, folder / f"{name if form == 'plain' else name + '_decomposed'}.pt2", figures)
        print(f"{name} {form}: {figures['total_flops']} {figures['graph_flops']}", flush=True)


def main(folder, names):
    warnings.simplefilter("ignore")
    folder.mkdir(parents=True, exist_ok=True)
    failed = []
    for name in names or CASES:
        case = CASES[name]
        if case.needs and not hasattr(torch, case.needs):
            continue
        try:
            make(name, case, folder)
        except Exception as error:
            failed.append(name)
            print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), sys.argv[2:]) if len(sys.argv) > 1 else __doc__)

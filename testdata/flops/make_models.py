#!/usr/bin/env python3
"""Exports the models of this folder with the PyTorch that runs it: NAME.pt2, and NAME.json with PyTorch's own counts.

usage: make_models.py FOLDER [NAME ...]

The files go to FOLDER, one folder for each generation of PyTorch. Most archives are packed again with deflate, which
torch does not use, and without the bytes of weights and example inputs; a few small ones stay as torch wrote them.
"""

import contextlib
import io
import json
import operator
import pathlib
import re
import sys
import warnings
import zipfile

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

import activation_models
import document_models
import dynamic
import networks
import operators
import oracle
import regions
import saved
from notes import notes_on

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = pathlib.Path(torch.__file__).parent.parent
CASES = activation_models.CASES | document_models.CASES | networks.CASES | operators.CASES | dynamic.CASES | regions.CASES


def without_folders(text):
    """A stack trace without the folders of the machine that exported: they say nothing about the model."""
    return text.replace(f"{HERE}/", "/models/").replace(f"{PACKAGES}/", "/site-packages/")


def hide_folders(program):
    for module in program.graph_module.modules():
        for node in getattr(module, "graph", torch.fx.Graph()).nodes:
            if "stack_trace" in node.meta and node.meta["stack_trace"]:
                node.meta["stack_trace"] = without_folders(node.meta["stack_trace"])


def holds_tensors(name):
    """Whether an entry of an archive of either layout has only bytes of tensors."""
    return name.endswith(".pt") or re.search(r"/data/(weights/weight|constants/tensor)_\d+$", name)


def packed_again(archive, with_tensors):
    """The same entries, deflated, in the same order."""
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as before, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as after:
        for entry in before.infolist():
            if with_tensors or not holds_tensors(entry.filename):
                info = zipfile.ZipInfo(entry.filename)
                info.compress_type = zipfile.ZIP_DEFLATED
                after.writestr(info, before.read(entry), compresslevel=9)
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
    archive = saved.getvalue()
    path.write_bytes(archive if case.weights == "kept" else packed_again(archive, case.weights == "fake"))
    path.with_suffix(".json").write_text(json.dumps(figures, indent=1) + "\n")


def kept_by(model, inputs):
    """None where autograd cannot run the model."""
    try:
        return saved.saved_bytes(model, inputs)
    except Exception:
        return None


def counted_eagerly(case, tensors):
    with tensors:
        model, inputs = case.build().eval(), case.inputs()
        return oracle.eager(model, inputs) | {
            "saved_bytes": kept_by(model, inputs),
            "parameter_bytes": oracle.bytes_of(model.parameters()),
            "buffer_bytes": oracle.bytes_of(model.buffers()),
        }


def counted(case):
    """The counts of the eager program on fake tensors; on real ones where those do not do."""
    figures = counted_eagerly(case, FakeTensorMode())
    if figures["total_flops"] is None:
        torch.manual_seed(0)
        figures = counted_eagerly(case, contextlib.nullcontext())
    if oracle.LATER_RULES and "for_cpu" in str(figures):
        figures["rules"] = "attention on the CPU by the rule that PyTorch has from 2.15 on"
    return figures


def in_form(plain, form):
    if form == "plain":
        return plain
    if form == "decomposed":
        return plain.run_decompositions()
    from torch.export.experimental import _export_forward_backward

    return _export_forward_backward(plain)


def make(name, case, folder):
    torch._dynamo.reset()
    with FakeTensorMode() if case.weights == "fake" else contextlib.nullcontext():
        plain = export(case, case.build().eval(), case.inputs())
    programs = {form: in_form(plain, form) for form in case.forms}
    figures = {"torch": torch.__version__} | counted(case) | notes_on(name)
    for form, program in programs.items():
        found = figures | oracle.exported(program) | {"dynamic": sizes_by_hint(program)}
        write(program, case, folder / f"{name if form == 'plain' else f'{name}_{form}'}.pt2", found)
        print(f"{name} {form}: {found['total_flops']} {found['graph_flops']}", flush=True)


def is_available(case):
    try:
        return not case.needs or operator.attrgetter(case.needs)(torch) is not None
    except AttributeError:
        return False


def main(folder, names):
    warnings.simplefilter("ignore")
    folder.mkdir(parents=True, exist_ok=True)
    failed = []
    for name in names or CASES:
        case = CASES[name]
        if not is_available(case):
            continue
        try:
            make(name, case, folder)
        except Exception as error:
            failed.append(name)
            print(f"{name}: {oracle.reason(error)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), sys.argv[2:]) if len(sys.argv) > 1 else __doc__)

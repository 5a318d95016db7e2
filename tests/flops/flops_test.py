#!/usr/bin/env python3
"""Holds `memviz flops` against what PyTorch's own FlopCounterMode counts of the same models.

usage: flops_test.py MEMVIZ SOURCE_FOLDER

The figures are next to the archives of testdata/flops/, by make_models.py there.
"""

import json
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from expectations import expect, failures, finish  # noqa: E402

# The operators for which FlopCounterMode has no rule, or that it counts differently; the reasons are in the figures'
# notes.
BY_HAND = {
    "additions": 360 + 240 + 24,
    "additions_decomposed": 360 + 240 + 24,
    "cond": 3072,
    "cond_decomposed": 3072,
    "cond_nested": 2048,
    "expressions": 12448 + 120,
    "grouped_mm": 196608,
    "grouped_mm_3d": 24576,
    "invoked_regions": 3072,
    "lstm": 960 + 645120,
    "map": 6 * 512,
    "matmul": 3808 + 2 * 7 + 2 * 3 * 7 + 2 * 2 * 30 * 7,
    "scan": 5 * 384,
    "while_loop": 512,
}
# Tied weights that nothing in the archive shows, and unused parameters that the export omits.
OTHER_PARAMETERS = {"nanogpt_fake", "invoked_regions"}
OTHER_PARAMETERS_BEFORE = {
    "2.4": {"nanogpt", "dynamic_gpt", "map"},
    "2.6": {"map", "while_loop"},
    "2.7": {"scan"},
    "2.8": {"nanogpt", "called_twice"},
}
# The programs whose bytes kept for backward are not compared with PyTorch's hooks, because their eager program runs
# operators that differ from the archive: kernels of a GPU that the hooks did not see, loops and branches, and
# decompositions.
KEPT_OTHERWISE = {"llama", "dynamic_llama", "lstm", "gru", "cond", "cond_later", "cond_nested", "cond_dynamic", "map", "scan",
                  "unbacked", "autocast_region", "vit_decomposed", "llama_decomposed", "dynamic_llama_decomposed",
                  "lstm_decomposed", "cond_decomposed", "loss_decomposed", "no_grad_region_decomposed", "loss_joint"}
# Measured on a GPU by the article on activation memory.
KEPT_ON_A_GPU = {"block_relu": 201523216, "block_gelu": 268632080, "mlp_relu": 83886080, "mlp_gelu": 150994944}


def counted(memviz, archive, *options):
    done = subprocess.run([memviz, "flops", archive, "--json", "-", *options], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else {"error": done.stderr.strip()}


def check_sums(name, answer):
    """Operators add up to modules, and modules to their parents."""
    if answer["flops"] is None:
        return
    for index, module in enumerate(answer["modules"]):
        below = sum(one["flops"] for one in answer["modules"][index + 1 :] if one["parent"] == index)
        own = sum(one["flops"] for one in module["own_operators"])
        expect(f"{name} {module['path']} by operators", own, module["own_flops"])
        expect(f"{name} {module['path']}", module["own_flops"] + below, module["flops"])
    expect(f"{name} by operators", sum(one["flops"] for one in answer["operators"]), answer["flops"])


# Nodes in separate graphs: FlopCounterMode counts the operator that runs the graph, memviz its contents; and such a
# graph, once written, has lost the names of modules.
WITH_GRAPHS = ("cond", "region", "map", "scan", "while_loop")


def check_targets(name, answer, figures):
    expected = {}
    for target, flops in figures["by_target"].items():
        operator = ".".join(target.split(".")[:2])
        expected[operator] = expected.get(operator, 0) + flops
    found = {one["operator"]: one["flops"] for one in answer["operators"] if one["flops"]}
    expect(f"{name} operators", found, expected)


def check_modules(name, answer, figures):
    """By the paths that both have; FlopCounterMode begins each with the class of the model."""
    eager = {}
    for path, by_operator in figures["by_module"].items():
        eager[path.partition(".")[2]] = sum(by_operator.values())
    shared = [module for module in answer["modules"] if module["path"] in eager and module["flops"]]
    if len(eager) > 2 and len(shared) < 2:
        failures.append(f"{name}: no modules as in the eager program")
    for module in shared:
        expect(f"{name} {module['path']}", module["flops"], eager[module["path"]])


def check_archive(memviz, archive):
    figures = json.loads(archive.with_suffix(".json").read_text())
    folder, stem = archive.parent.name, archive.stem
    name = f"{folder}/{stem}"
    answer = counted(memviz, archive)
    if "error" in answer:
        failures.append(f"{name}: {answer['error']}")
        return
    graph = figures["graph_flops"]
    is_by_hand = stem in BY_HAND and graph != BY_HAND[stem]
    expect(f"{name} FLOP", answer["flops"], BY_HAND[stem] if is_by_hand else graph)
    check_sums(name, answer)
    if not is_by_hand and graph and not any(word in stem for word in WITH_GRAPHS):
        check_targets(name, answer, figures)
        if graph == figures["total_flops"] and "called_twice" not in stem:
            check_modules(name, answer, figures)
    if stem not in OTHER_PARAMETERS | OTHER_PARAMETERS_BEFORE.get(folder, set()):
        expect(f"{name} parameters", answer["parameter_bytes"], figures["parameter_bytes"])
    if stem in KEPT_ON_A_GPU:
        expect(f"{name} kept", answer["saved_bytes"], KEPT_ON_A_GPU[stem])
    elif stem not in KEPT_OTHERWISE and figures.get("saved_bytes") is not None:
        expect(f"{name} kept", answer["saved_bytes"], figures["saved_bytes"])


def check_article(memviz, archives):
    """The figures of "Counting nanoGPT FLOPs in PyTorch"."""
    def operators(name):
        return {one["operator"]: one["flops"] for one in counted(memviz, archives / name)["operators"]}

    expect("the article's first module", operators("2.15/linear_800_decomposed.pt2"), {"aten.addmm": 800})
    expect("its second", operators("2.15/products_2560_decomposed.pt2"),
           {"aten.addmm": 800, "aten.mm": 1600, "aten.bmm": 160})
    expect("its GPT", operators("2.15/nanogpt_decomposed.pt2"),
           {"aten.addmm": 173946175488, "aten.bmm": 38654705664, "aten.mm": 77266944})
    table = counted(memviz, archives / "2.15/nanogpt_table.pt2")["transformer"]
    expect("its table", {line["name"]: line["flops"] for line in table["lines"]}, {
        "attention/kqv": 3623878656, "attention/scores": 1610612736, "attention/reduce": 1610612736,
        "attention/proj": 1207959552, "attention": 8053063680, "mlp/ffw1": 4831838208, "mlp/ffw2": 4831838208,
        "mlp": 9663676416, "block": 17716740096, "transformer": 212600881152, "dense": 79047426048,
        "forward_total": 291648307200, "backward_total": 583296614400, "total": 874944921600})


def check_sizes(memviz, archives):
    """Twice the batch is twice the work, by the count itself and by its formula."""
    archive = archives / "2.15/dynamic_gpt.pt2"
    usual = counted(memviz, archive)
    batch = usual["sizes"][0]
    doubled = counted(memviz, archive, "--set", f"{batch['name']}={2 * batch['value']}")
    expect("twice the batch", doubled["flops"], 2 * usual["flops"])
    unknown = counted(memviz, archives / "2.15/unbacked.pt2")
    expect("a size that only the data tell", (unknown["flops"], "u0" in unknown["flops_formula"]), (None, True))


def main(memviz, source):
    archives = pathlib.Path(source) / "testdata" / "flops"
    files = sorted(archives.glob("*/*.pt2"))
    for archive in files:
        check_archive(memviz, archive)
    check_article(memviz, archives)
    check_sizes(memviz, archives)
    expect("a hundred archives", len(files) >= 100, True)
    finish(f"{len(files)} archives are counted as PyTorch counts them")


if __name__ == "__main__":
    main(*sys.argv[1:])

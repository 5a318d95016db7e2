"""Rehearses `vllm serve` as in published start-up logs and prints the table of docs/servers-truth.md.

    servers.py MEMVIZ [--outside SIZE] [--models FOLDER] [--logs FOLDER] [--one-rank] [ROW...]

Runs with the Python and the PATH of an environment that has vLLM. The logs and the models' configurations are in
../shared/probes/serve (published.json, models.py): without that folder nothing is run. The FOLDER of models has more
configurations, as MODEL/config.json; that of logs has debug logs of vLLM 0.19 to use instead, whose rows are their names
without ".log". Without rows: all of one GPU and of the version that is installed. Of several GPUs each rank is a
process; with --one-rank only the last rank is rehearsed, which has the most memory in pipelines. One to three minutes
each; outside of CI: an environment with vLLM takes 5 GB. Ends with 1 where a server does not start (or starts, of which
the log shows that it ran out of memory), its weights or activations differ from the published digits or its KV cache by
more than 0.05 GiB (of several GPUs all three by more than 0.1 GiB), its tokens by more than 0.3 %, or its CUDA graphs
by more than 15 %. Of several ranks the largest sizes count, and the smallest KV cache.
"""

import ast
import importlib.metadata
import json
import pathlib
import re
import subprocess
import sys
import tempfile

PROBE = pathlib.Path(__file__).resolve().parents[4] / "shared/probes/serve"
GIB = 1 << 30
# The 79.19 GiB that the logs show for "NVIDIA H100 80GB HBM3"; the profile has 79.10.
TOTAL_BYTES = 85_031_714_816
TOKENS, CACHE = "tokens", "KV cache"
MOST_SHARE = {TOKENS: 0.003, "graphs": 0.15}
MOST_GIB_OF_ONE_GPU = {"weights": 0, "activations": 0, CACHE: 0.05}
MOST_GIB_OF_SEVERAL = dict.fromkeys(MOST_GIB_OF_ONE_GPU, 0.1)
ROUNDING = 0.001  # of differences between numbers with two decimals


def row_of_log(path):
    """Returns the last start of a log in the form of published.json; None if it has no profile."""
    text = path.read_text(errors="replace").rpartition("non-default args: ")[2]
    number = r"([\d.]+)"
    sizes = rf"Total non KV cache memory: {number}GiB; torch peak memory increase: {number}GiB; non-torch forward increase memory: {number}GiB; weights memory: {number}GiB"
    names = ("total_non_kv_gib", "torch_peak_increase_gib", "non_torch_increase_gib", "weights_gib")
    profiles = [dict(zip(names, map(float, found))) for found in re.findall(sizes, text)]
    tokens = [int(found.replace(",", "")) for found in re.findall(r"GPU KV cache size: ([\d,]+) tokens", text)]
    if not profiles or not tokens:
        return None
    graphs = [float(found) for found in re.findall(rf"and {number} GiB for CUDAGraph memory", text)]
    requested = float(re.search(rf"worker requested memory: {number}GiB", text)[1])
    options = text.partition("\n")[0]
    return {
        "row": path.stem,
        "model": ast.literal_eval(options)["model"],
        "gpu": f"{len(profiles)}x",
        "args": {"non_default": options},
        "figures": {"profile_by_rank": profiles, "requested_gib": requested, "kv_tokens": min(tokens), "graph_capture_gib": max(graphs, default=None)},
    }


def options_of(row):
    """Returns the words that were typed after the model, from those that vLLM logs as not default."""
    for name, value in ast.literal_eval(row["args"]["non_default"]).items():
        option = name.replace("_", "-")
        if name in ("model", "model_tag"):
            continue
        if isinstance(value, bool):
            yield f"--{option}" if value else f"--no-{option}"
        else:
            yield from (f"--{option}", str(value))


def gpus_of(row):
    return int(row["gpu"].partition("x")[0])


def published(figures):
    def largest(name):
        return max(rank[name] for rank in figures["profile_by_rank"])

    return {
        "weights": largest("weights_gib"),
        "activations": largest("torch_peak_increase_gib"),
        "graphs": figures.get("graph_capture_gib"),
        "outside": largest("non_torch_increase_gib"),
        CACHE: round(figures["requested_gib"] - largest("total_non_kv_gib"), 2),
        TOKENS: int(figures["kv_tokens"]),
    }


def rehearsed(server):
    names = {"weights": "weights", "activations": "activation", "graphs": "graph", "outside": "outside"}  # fmt: skip
    sizes = {name: server[f"{key}_bytes"] for name, key in names.items()}
    # As vLLM counts it; its tensors take a little more, because PyTorch rounds each of them up.
    sizes[CACHE] = server["budget_bytes"] - sum(sizes[name] for name in ("weights", "activations", "outside"))
    figures = {name: None if size is None else round(size / GIB, 2) for name, size in sizes.items()}
    return figures | {TOKENS: server["cache_tokens"]}


def gpu_words(row, is_one_rank):
    gpus = gpus_of(row)
    if not is_one_rank or gpus == 1:
        return ["--devices", str(gpus)]
    return ["--world", str(gpus), "--local-world", str(gpus), "--rank", str(gpus - 1)]


def rehearse(memviz, row, model, more):
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, "report.json")
        words = [memviz, "rehearse", "--gpu", "h100-80", "--memory", str(TOTAL_BYTES), "--no-record", "--requests", "0"]
        words += [*more, "--quiet", "-o", f"{folder}/snapshots", "--json", str(report)]
        words += ["--", "vllm", "serve", str(model), *options_of(row)]
        run = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if not report.exists():
            sys.exit(f"row {row['row']}: no report\n{run.stdout[-4000:]}")
        return json.loads(report.read_text())["verdict"]


def is_near(was, now, is_one_gpu):
    most_gib = MOST_GIB_OF_ONE_GPU if is_one_gpu else MOST_GIB_OF_SEVERAL
    most = {name: share * (was[name] or 0) for name, share in MOST_SHARE.items()} | most_gib
    return all(was[name] is None or abs(now[name] - was[name]) <= limit + ROUNDING for name, limit in most.items())


def compare(row, verdict):
    """Prints a row of the table; returns whether it is as published."""
    server = verdict.get("server")
    words = " ".join(options_of(row))
    if "oom" in row["figures"]:
        print(f"| {row['model']} | `{words}` | {row['figures']['oom'][:180]} / {verdict['text']} |", flush=True)
    if not server or not server["cache_tokens"]:
        print(f"| {row['model']} | `{words}` | {verdict['text']} |", flush=True)
        return False
    was, now = published(row["figures"]), rehearsed(server)
    difference = (now[TOKENS] - was[TOKENS]) / was[TOKENS]
    cells = [f"{was[name]} / {now[name]}" for name in was if name != TOKENS]
    cells += [f"{was[TOKENS]:,} / {now[TOKENS]:,}", f"{difference:+.2%}"]
    print(f"| {row['model']} | `{words}` | " + " | ".join(cells) + " |", flush=True)
    ends_alike = verdict["outcome"] == ("does_not_fit" if "oom" in row["figures"] else "fits")
    return ends_alike and is_near(was, now, gpus_of(row) == 1)


def main():
    memviz, *words = sys.argv[1:]
    if not PROBE.exists():
        sys.exit(f"no {PROBE}: nothing is run")
    more, folders, logs, is_one_rank = [], [], None, False
    while words and words[0].startswith("--"):
        option = words.pop(0)
        if option == "--one-rank":
            is_one_rank = True
        elif option == "--outside":
            more = [option, words.pop(0)]
        elif option == "--logs":
            logs = pathlib.Path(words.pop(0))
        else:
            folders = [words.pop(0)]
    if logs:
        rows = list(filter(None, map(row_of_log, sorted(logs.glob("*.log")))))
    else:
        version = importlib.metadata.version("vllm")
        rows = [row for row in json.loads((PROBE / "published.json").read_text()) if row["version"] == version]
    rows = [row for row in rows if (str(row["row"]) in words if words else gpus_of(row) == 1)]
    with tempfile.TemporaryDirectory() as models:
        subprocess.run([sys.executable, PROBE / "models.py"], env={"MODELS": models}, check=True)
        wrong = 0
        for row in rows:
            paths = [pathlib.Path(folder, row["model"].rpartition("/")[2]) for folder in (models, *folders)]
            model = next(filter(pathlib.Path.is_dir, paths), None)
            if model:
                wrong += not compare(row, rehearse(memviz, row, model, [*more, *gpu_words(row, is_one_rank)]))
    sys.exit(wrong > 0)


main()

"""Rehearses `vllm serve` as in published start-up logs and prints the table of docs/servers.md.

    servers.py MEMVIZ [--outside SIZE] [ROW...]

Runs with the Python and the PATH of an environment that has vLLM. The logs and the models' configurations are in
../shared/probes/serve (published.json, models.py): without that folder nothing is run. Without rows: all of one GPU and of
the version that is installed. One to three minutes each; outside of CI. Ends with 1 where a server does not start, its
weights or activations differ from the published digits, its tokens by more than 0.3 %, or its CUDA graphs by more than
15 %.
"""

import ast
import importlib.metadata
import json
import pathlib
import subprocess
import sys
import tempfile

PROBE = pathlib.Path(__file__).resolve().parents[4] / "shared/probes/serve"
GIB = 1 << 30
# The 79.19 GiB that the logs show of "NVIDIA H100 80GB HBM3"; the profile has 79.10.
TOTAL_BYTES = 85_031_714_816
MOST_DIFFERENCE = {"tokens": 0.003, "graphs": 0.15}
TOKENS = "tokens"
EXACT = ("weights", "activations")


def options_of(row):
    """The words that were typed after the model, from those that vLLM logs as not default."""
    for name, value in ast.literal_eval(row["args"]["non_default"]).items():
        option = name.replace("_", "-")
        if name in ("model", "model_tag"):
            continue
        if isinstance(value, bool):
            yield f"--{option}" if value else f"--no-{option}"
        else:
            yield from (f"--{option}", str(value))


def published(figures):
    profile = figures["profile_by_rank"][0]
    return {
        "weights": figures["model_weights_gib_by_rank"][0],
        "activations": profile["torch_peak_increase_gib"],
        TOKENS: int(figures["kv_tokens"]),
        "graphs": figures.get("graph_capture_gib"),
        "outside": profile["non_torch_increase_gib"],
    }


def rehearsed(server):
    names = {"weights": "weights", "activations": "activation", "graphs": "graph", "outside": "outside"}  # fmt: skip
    figures = {name: server[f"{key}_bytes"] for name, key in names.items()}
    return {name: None if value is None else round(value / GIB, 2) for name, value in figures.items()} | {
        TOKENS: server["cache_tokens"]
    }


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


def compare(row, verdict):
    """Prints a row of the table; returns whether it is as published."""
    server = verdict.get("server")
    words = " ".join(options_of(row))
    if verdict["outcome"] != "fits" or not server:
        print(f"| {row['model']} | `{words}` | {verdict['text']} |", flush=True)
        return False
    was, now = published(row["figures"]), rehearsed(server)
    difference = (now[TOKENS] - was[TOKENS]) / was[TOKENS]
    cells = [f"{was[name]} / {now[name]}" for name in was if name != TOKENS]
    cells += [f"{was[TOKENS]:,} / {now[TOKENS]:,}", f"{difference:+.2%}"]
    print(f"| {row['model']} | `{words}` | " + " | ".join(cells) + " |", flush=True)
    near = all(abs(now[name] - was[name]) <= most * was[name] for name, most in MOST_DIFFERENCE.items() if was[name])
    return near and all(was[name] == now[name] for name in EXACT)


def main():
    memviz, *words = sys.argv[1:]
    if not PROBE.exists():
        sys.exit(f"no {PROBE}: nothing is run")
    more = []
    if words[:1] == ["--outside"]:
        more, words = words[:2], words[2:]
    version = importlib.metadata.version("vllm")
    rows = json.loads((PROBE / "published.json").read_text())
    rows = [row for row in rows if row["version"] == version and row["gpu"].startswith("1x")]
    rows = [row for row in rows if not words or str(row["row"]) in words]
    with tempfile.TemporaryDirectory() as models:
        subprocess.run([sys.executable, PROBE / "models.py"], env={"MODELS": models}, check=True)
        wrong = 0
        for row in rows:
            model = pathlib.Path(models, row["model"].rpartition("/")[2])
            if model.is_dir():
                wrong += not compare(row, rehearse(memviz, row, model, more))
    sys.exit(wrong > 0)


main()

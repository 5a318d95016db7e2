"""Prints a table of docs/servers-truth.md: estimators that need no GPU, compared with published start-up logs of servers.

    server_estimators.py

Runs with a Python that has transformers, accelerate and llm-d-planner. Both estimators ask a hub for the sizes of a
model's weights; here they get its parameters as transformers makes them from the configuration, which is right for
models in 16 bits. Rows of ../shared/probes/serve/published.json: all of vLLM 0.19.0 on one GPU. Outside of CI.
"""

import ast
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import torch
import transformers
from accelerate.utils import calculate_maximum_sizes
from planner import capacity_planner

PROBE = pathlib.Path(__file__).resolve().parents[4] / "shared/probes/serve"
GIB = 1 << 30
TOTAL_GIB = 79.19


def empty_model(folder):
    with torch.device("meta"):
        config = transformers.AutoConfig.from_pretrained(folder)
        return config, transformers.AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)


def planned(name, config, model, options):
    """Returns the GiB and the tokens of the KV cache, and the peak of activations, by llm-d-planner."""
    parameters = sum(parameter.numel() for parameter in model.parameters())
    capacity_planner.model_params_by_dtype = lambda *_: {"BF16": parameters}
    gib = capacity_planner.allocatable_kv_cache_memory(
        name, config, TOTAL_GIB, options["gpu_memory_utilization"], max_model_len=options.get("max_model_len")
    )
    token_bytes = capacity_planner.KVCacheDetail(name, config).per_token_memory_bytes
    return gib, int(gib * GIB / token_bytes), capacity_planner.estimate_vllm_activation_memory(config)


def print_row(row, folder):
    options = ast.literal_eval(row["args"]["non_default"])
    figures = row["figures"]
    config, model = empty_model(folder)
    gib, tokens, activations = planned(row["model"], config, model, options)
    published = int(figures["kv_tokens"])
    words = [f"{key}={value}" for key, value in options.items() if key in ("dtype", "quantization", "kv_cache_dtype")]
    cells = [
        row["model"],
        " ".join(words),
        f"{figures['model_weights_gib_by_rank'][0]} / {calculate_maximum_sizes(model)[0] / GIB:.2f}",
        f"{figures['profile_by_rank'][0]['torch_peak_increase_gib']} / {activations:.2f}",
        f"{figures['available_kv_gib']} / {gib:.2f}",
        f"{published:,} / {tokens:,}",
        f"{tokens / published - 1:+.1%}",
    ]
    print("| " + " | ".join(cells) + " |", flush=True)


def main():
    if not PROBE.exists():
        sys.exit(f"no {PROBE}: nothing is run")
    rows = json.loads((PROBE / "published.json").read_text())
    rows = [row for row in rows if row["version"] == "0.19.0" and row["gpu"].startswith("1x")]
    with tempfile.TemporaryDirectory() as models:
        environment = {**os.environ, "MODELS": models}
        subprocess.run([sys.executable, PROBE / "models.py"], env=environment, check=True)
        for row in rows:
            folder = pathlib.Path(models, row["model"].rpartition("/")[2])
            if folder.is_dir():
                print_row(row, folder)


main()

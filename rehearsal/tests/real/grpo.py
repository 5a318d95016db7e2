"""Rehearses GRPO of trl with vLLM in the same process and prints the table of docs/servers.md.

    grpo.py MEMVIZ [OPTION...]

Runs with the Python and the PATH of an environment that has trl 1.12.0 and vLLM 0.19.0. Options are those of `memviz
rehearse`. Two runs, without and with vLLM's sleep mode, of two to five minutes each; outside of CI: the environment
takes 6 GB. Ends with 1 where a run fails, or a peak differs by more than 2 % from docs/servers.md.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

GIB = 1 << 30
MOST_SHARE = 0.02
PEAKS = ("peak", "awake", "waking", "asleep")
# In GiB, from docs/servers.md.
DOCUMENTED = {"awake": {"peak": 36.0}, "sleep": {"peak": 28.9, "awake": 28.9, "waking": 6.80, "asleep": 13.7}}

# Qwen3-0.6B.
CONFIG = {
    "architectures": ["Qwen3ForCausalLM"],
    "attention_bias": False,
    "bos_token_id": 151643,
    "eos_token_id": 151645,
    "head_dim": 128,
    "hidden_act": "silu",
    "hidden_size": 1024,
    "intermediate_size": 3072,
    "max_position_embeddings": 40960,
    "max_window_layers": 28,
    "model_type": "qwen3",
    "num_attention_heads": 16,
    "num_hidden_layers": 28,
    "num_key_value_heads": 8,
    "rms_norm_eps": 1e-06,
    "rope_theta": 1000000,
    "tie_word_embeddings": True,
    "torch_dtype": "bfloat16",
    "vocab_size": 151936,
}

PROGRAM = '''
import sys
import torch
from datasets import Dataset
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

model = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained("model"), dtype=torch.bfloat16)
settings = GRPOConfig(
    output_dir="trained", per_device_train_batch_size=8, num_generations=8, max_completion_length=512, max_steps=2,
    bf16=True, gradient_checkpointing=True, report_to=[], save_strategy="no", use_vllm=True, vllm_mode="colocate",
    vllm_gpu_memory_utilization=0.3, vllm_max_model_length=1024, vllm_enable_sleep_mode=sys.argv[1] == "sleep")
trainer = GRPOTrainer(
    model=model, args=settings, processing_class=AutoTokenizer.from_pretrained("model"),
    reward_funcs=lambda completions, **_: [float(len(text)) for text in completions],
    train_dataset=Dataset.from_list([{"prompt": "the quick brown fox " * 12}] * 64))
trainer.train()
'''  # fmt: skip


def make_model(folder):
    """Writes a model without weights, and a tokenizer of bytes."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    folder.mkdir()
    tokens = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={token: number for number, token in enumerate(tokens)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = {"pad_token": "<|endoftext|>", "eos_token": "<|im_end|>"}
    tokenizer.add_special_tokens(list(special.values()))
    tokenizer.save(str(folder / "tokenizer.json"))
    for name, values in (
        ("config", CONFIG),
        ("generation_config", {name: CONFIG[name] for name in ("bos_token_id", "eos_token_id")}),
        ("tokenizer_config", {"tokenizer_class": "PreTrainedTokenizerFast", **special}),
    ):
        (folder / f"{name}.json").write_text(json.dumps(values))


def rehearse(memviz, options, mode, place):
    command = [memviz, "rehearse", "--gpu", "h100", "--values", "--no-record", *options, "--quiet"]
    command += ["--json", "report.json", "--", sys.executable, "grpo.py", mode]
    run = subprocess.run(command, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    report = place / "report.json"
    if run.returncode != 0 or not report.exists():
        sys.exit(f"{mode}: exit code {run.returncode}\n{run.stdout[-4000:]}")
    return json.loads(report.read_text())["verdict"]


def peaks_of(verdict):
    sizes = {name: verdict["server"].get(f"{name}_peak_bytes") for name in PEAKS}
    sizes["peak"] = verdict["devices"][0]["peak_bytes"]
    return {name: size / GIB for name, size in sizes.items() if size}


def is_near(documented, rehearsed):
    if documented.keys() != rehearsed.keys():
        return False
    return all(abs(rehearsed[name] - size) <= MOST_SHARE * size for name, size in documented.items())


def main():
    memviz, *options = sys.argv[1:]
    memviz = str(pathlib.Path(memviz).resolve())
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        make_model(place / "model")
        (place / "grpo.py").write_text(PROGRAM)
        wrong = 0
        print("Documented / rehearsed, in GiB:\n")
        print(f"| vllm_enable_sleep_mode | {' | '.join(PEAKS)} |\n|---|---|---|---|---|", flush=True)
        for mode, documented in DOCUMENTED.items():
            rehearsed = peaks_of(rehearse(memviz, options, mode, place))
            cells = [f"{documented.get(name, '')} / {rehearsed[name]:.3g}" if name in rehearsed else "" for name in PEAKS]
            print(f"| {mode == 'sleep'} | {' | '.join(cells)} |", flush=True)
            wrong += not is_near(documented, rehearsed)
    sys.exit(wrong > 0)


main()

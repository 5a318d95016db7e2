"""Figures of memory that torchtune publishes, against rehearsals of its recipes: prints a table of docs/rehearsal-truth.md.

    tune_rows.py MEMVIZ PYTHONS [ROW...]

PYTHONS is a folder with an environment for each version of torchtune in ROWS (0.4.0/bin/tune), each with the packages that
RELEASES names. The recipes and their configurations are torchtune's. The weights are files without content, in the shapes of
Llama's; the tokenizer and the data are generated. Compiling takes minutes, so this is outside of CI.
"""

import base64
import dataclasses
import itertools
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

STEPS = 4  # the last one ends before its figures are logged
RELEASES = {
    "30b8519e8": "torch 2.5.1, torchao 0.5.0, bitsandbytes 0.43.3",
    "0.4.0": "torch 2.5.1, torchao 0.6.1, bitsandbytes 0.44.1",
    "0.5.0": "torch 2.5.1, torchao 0.7.0",
}
FIGURE = re.compile(r"peak_memory_(active|alloc|reserved):([0-9.]+)")
FIRST_FIGURE = re.compile(r"GPU peak memory (active|alloc|reserved)(?:ation)?: ([0-9.]+) GiB")  # after the model was loaded
MODELS = {
    # hidden size, heads, heads of keys and values, intermediate size, layers, files, whether the output layer is the embedding
    "3B": (3072, 24, 8, 8192, 28, 2, True),
    "8B": (4096, 32, 8, 14336, 32, 4, False),
}
VOCABULARY = 128_256
HEAD = 128
PACKED = "dataset.packed=True "
COMPILED = PACKED + "compile=True "
CHUNKED = "loss=torchtune.modules.loss.CEWithChunkedOutputLoss "
WHOLE = "loss=torch.nn.CrossEntropyLoss "
CHECKPOINTED = "enable_activation_checkpointing=True "
BACKWARD = "optimizer_in_bwd=True "
OFFLOADED = "enable_activation_offloading=True "
FUSED = "optimizer.fused=True "


@dataclasses.dataclass(frozen=True)
class Row:
    name: str
    words: str  # what the table calls it
    published: float  # GiB
    version: str
    gpu: str
    model: str
    recipe: str
    config: str
    settings: str
    is_first: bool = False  # published is what the model takes before the first step


def _flags(name, words, published, settings, config="3B_full_single_device", recipe="full_finetune_single_device"):
    """A row of the README's "Optimization flags": all flags are off where the row does not have them."""
    off = {"compile": "False", "enable_activation_checkpointing": "False", "enable_activation_offloading": "False"}
    off |= {"optimizer_in_bwd": "False", "dataset.packed": "False", "optimizer": "torch.optim.AdamW"}
    on = [word.split("=")[0] for word in settings.split()]
    general = "tokenizer.max_seq_len=4096 gradient_accumulation_steps=1 epochs=1 batch_size=2 "
    general += "".join(f"{key}={value} " for key, value in off.items() if key not in on)
    return Row(name, words, published, "0.4.0", "a100-80", "3B", recipe, f"llama3_2/{config}", general + settings)


def _model(name, words, published, kind, recipe):
    """A row of the README's "Memory and training speed"."""
    settings = "dataset.packed=True tokenizer.max_seq_len=2048 compile=True gradient_accumulation_steps=1 batch_size=2"
    return Row(name, words, published, "30b8519e8", "a100-80", "8B", recipe, f"llama3_1/8B_{kind}_single_device", settings)


LORA = COMPILED + CHUNKED + CHECKPOINTED + OFFLOADED
IN_BACKWARD = COMPILED + CHUNKED + CHECKPOINTED + BACKWARD
EIGHT_BITS = IN_BACKWARD + OFFLOADED + "optimizer="
ROWS = [
    _flags("packed", "packed data set", 60.0, PACKED + WHOLE),
    _flags("packed-fused", "the same, fused AdamW", 60.0, PACKED + WHOLE + FUSED),
    _flags("compiled", "and compiled", 51.0, COMPILED + WHOLE),
    _flags("compiled-fused", "the same, fused AdamW", 51.0, COMPILED + WHOLE + FUSED),
    _flags("chunked", "and chunked cross-entropy", 42.9, COMPILED + CHUNKED),
    _flags("chunked-fused", "the same, fused AdamW", 42.9, COMPILED + CHUNKED + FUSED),
    _flags("checkpointed", "and activation checkpointing", 24.9, COMPILED + CHUNKED + CHECKPOINTED),
    _flags("checkpointed-fused", "the same, fused AdamW", 24.9, COMPILED + CHUNKED + CHECKPOINTED + FUSED),
    _flags("backward", "and the optimizer in the backward pass", 23.1, IN_BACKWARD),
    _flags("backward-fused", "the same, fused AdamW", 23.1, IN_BACKWARD + FUSED),
    _flags("offloaded", "and activation offloading", 21.8, IN_BACKWARD + OFFLOADED),
    _flags("offloaded-fused", "the same, fused AdamW", 21.8, IN_BACKWARD + OFFLOADED + FUSED),
    _flags("bits-bnb", "and 8-bit AdamW of bitsandbytes", 17.6, EIGHT_BITS + "bitsandbytes.optim.AdamW8bit"),
    _flags("bits-ao", "the same with torchao's", 17.6, EIGHT_BITS + "torchao.prototype.low_bit_optim.AdamW8bit"),
    _flags("lora", "LoRA", 8.5, LORA, "3B_lora_single_device", "lora_finetune_single_device"),
    _flags("qlora", "QLoRA", 4.6, LORA, "3B_qlora_single_device", "lora_finetune_single_device"),
    _model("8b-full", "Llama 3.1 8B, full", 18.9, "full", "full_finetune_single_device"),
    _model("8b-lora", "LoRA", 16.2, "lora", "lora_finetune_single_device"),
    _model("8b-qlora", "QLoRA", 7.4, "qlora", "lora_finetune_single_device"),
    Row("loaded", "3B with LoRA, loaded", 6.21, "0.5.0", "rtx-4090", "3B", "lora_finetune_single_device", "llama3_2/3B_lora_single_device", "", True),
]


def shapes_of(model):
    """Yields the names and shapes of a Llama's weights as the Hub has them."""
    hidden, heads, shared, inner, layers, _, tied = MODELS[model]
    yield "model.embed_tokens.weight", (VOCABULARY, hidden)
    for layer in range(layers):
        sizes = {"self_attn.q_proj": (heads * HEAD, hidden), "self_attn.k_proj": (shared * HEAD, hidden)}
        sizes |= {"self_attn.v_proj": (shared * HEAD, hidden), "self_attn.o_proj": (hidden, heads * HEAD)}
        sizes |= {"mlp.gate_proj": (inner, hidden), "mlp.up_proj": (inner, hidden), "mlp.down_proj": (hidden, inner)}
        sizes |= {"input_layernorm": (hidden,), "post_attention_layernorm": (hidden,)}
        for name, shape in sizes.items():
            yield f"model.layers.{layer}.{name}.weight", shape
    yield "model.norm.weight", (hidden,)
    if not tied:
        yield "lm_head.weight", (VOCABULARY, hidden)


def write_weights(path, shapes):
    """Writes a file of safetensors in bf16 that is a hole behind its header."""
    header, end = {}, 0
    for name, shape in shapes:
        begin, end = end, end + 2 * shape[0] * (shape[1] if len(shape) > 1 else 1)
        header[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [begin, end]}
    words = json.dumps(header).encode()
    words += b" " * (-len(words) % 8)
    with path.open("wb") as file:
        file.write(len(words).to_bytes(8, "little") + words)
        file.truncate(8 + len(words) + end)


def write_model(folder, model):
    folder.mkdir()
    hidden, heads, shared, _, _, files, _ = MODELS[model]
    shapes = list(shapes_of(model))
    for file in range(files):
        write_weights(folder / f"model-{file + 1:05}-of-{files:05}.safetensors", shapes[file::files])
    config = {"num_attention_heads": heads, "num_key_value_heads": shared, "hidden_size": hidden, "head_dim": HEAD}
    (folder / "config.json").write_text(json.dumps(config))


def write_tokenizer(path):
    """Writes 128,000 tokens: all bytes, all pairs of bytes, and some of three."""
    pieces = (bytes(piece) for length in (1, 2, 3) for piece in itertools.product(range(256), repeat=length))
    lines = (base64.b64encode(piece) + b" %d\n" % rank for rank, piece in enumerate(itertools.islice(pieces, 128_000)))
    path.write_bytes(b"".join(lines))


def write_samples(path):
    """Writes 1,000 samples in the form of alpaca, of some 50 to 250 tokens."""
    chance = random.Random(1)
    words = ["".join(chance.choices("abcdefghij", k=5)) for _ in range(200)]
    samples = [
        {"instruction": " ".join(chance.choices(words, k=8)), "input": "", "output": " ".join(chance.choices(words, k=chance.randint(5, 60)))}
        for _ in range(1000)
    ]
    path.write_text(json.dumps(samples))


def rehearse(memviz, tune, row, scratch):
    """Returns the highest GiB of the steps that the recipe logs (active, alloc, reserved), or the end of what it printed."""
    model, log = scratch / row.model, scratch / f"log-{row.name}"
    settings = [f"checkpointer.checkpoint_dir={model}", f"checkpointer.output_dir={scratch}/output", f"output_dir={scratch}/output"]
    settings += [f"tokenizer.path={scratch}/tokenizer.model", f"metric_logger.log_dir={log}", "log_peak_memory_stats=True", "log_every_n_steps=1"]
    settings += ["dataset.source=json", f"dataset.data_files={scratch}/samples.json", "dataset.split=train"]
    command = [memviz, "rehearse", "--quiet", "--no-record", "--no-init", "--values=off", "--steps", str(STEPS), "--gpu", row.gpu]
    command += ["-o", f"{scratch}/rehearsal", "--", tune, "run", row.recipe, "--config", row.config, *row.settings.split(), *settings]
    environment = os.environ | {"HF_HOME": f"{scratch}/hub", "HF_HUB_OFFLINE": "1"}
    run = subprocess.run(command, cwd=scratch, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    output, figures = run.stdout.decode(errors="replace"), {}
    found = FIRST_FIGURE.findall(output) if row.is_first else FIGURE.findall("".join(path.read_text() for path in log.glob("*.txt")))
    for kind, figure in found:
        figures[kind] = max(figures.get(kind, 0), float(figure))
    return figures or output[-3000:]


def main():
    memviz, pythons, *names = sys.argv[1:]
    memviz, pythons = pathlib.Path(memviz).resolve(), pathlib.Path(pythons).resolve()
    print("| row | GPU | GiB published | rehearsed: active | allocated | reserved | |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        (scratch / "output").mkdir()
        write_tokenizer(scratch / "tokenizer.model")
        write_samples(scratch / "samples.json")
        for row in ROWS:
            if names and row.name not in names:
                continue
            if not (scratch / row.model).exists():
                write_model(scratch / row.model, row.model)
            figures = rehearse(memviz, pythons / row.version / "bin/tune", row, scratch)
            begin = f"| {row.words} | {row.gpu} | {row.published} |"
            if isinstance(figures, str):
                print(f"{begin} failed |\n{figures}", flush=True)
                continue
            kinds = " | ".join(f"{figures[kind]:.2f}" for kind in ("active", "alloc", "reserved"))
            print(f"{begin} {kinds} | {figures['active'] / row.published - 1:+.1%} |", flush=True)


if __name__ == "__main__":
    main()

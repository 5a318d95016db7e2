"""Holds `memviz run` and memviz_torch.record() against pip's torch on the made-up GPU, or on the one that is there.

usage: check_record.py MEMVIZ [callbacks | on-gpu | ranks-on-gpu]

With a Python that has torch; `callbacks` takes transformers and lightning as well. `on-gpu` prints a line of JSON that
says what was measured of the device: only there can NVML report it. `ranks-on-gpu` takes two of them, and NCCL; with
one it ends with 77.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

from checks import check

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
MIB = 1 << 20

# A model whose forward pass asks for more with each step, until it is too much.
GROWS = """
import os, torch
torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", 0)))
layer = torch.nn.Linear(1024, 1024, device="cuda")
kept = []
while True:
    kept.append(layer(torch.ones(64 << 10, 1024, device="cuda")).relu())
"""

SPAWNS = """
import torch.multiprocessing
def work(rank):
    import torch
    torch.ones(1 << 40, device="cuda")
if __name__ == "__main__":
    torch.multiprocessing.spawn(work, nprocs=1)
"""

# The program prints what its objects hold; the file records it as well. Twelve steps.
NAMED = """
import json, torch, memviz_torch
assert not torch.cuda.is_initialized()
model = torch.nn.Sequential(torch.nn.Linear(512, 512), torch.nn.BatchNorm1d(512), torch.nn.Linear(512, 256))
optimizer = torch.optim.AdamW(model.parameters())
with memviz_torch.record("named.pickle", names=model, optimizer=optimizer) as recording:
    model.cuda()
    for _ in range(12):
        optimizer.zero_grad()
        model(torch.ones(64, 512, device="cuda")).sum().backward()
        optimizer.step()
        recording.step()
assert not torch._C._cuda_isHistoryEnabled()
size = lambda tensors: sum(tensor.nbytes for tensor in tensors if tensor.device.type == "cuda")
print(json.dumps({
    "parameter": size([*model.parameters(), *model.buffers()]),
    "gradient": size(parameter.grad for parameter in model.parameters()),
    "optimizer_state": size(tensor for state in optimizer.state.values() for tensor in state.values()),
}))
"""

SHARDED = """
import os, torch, memviz_torch
import torch.distributed as dist
try:
    from torch.distributed.fsdp import fully_shard
except ImportError:  # PyTorch 2.4 and 2.5
    from torch.distributed._composable.fsdp import fully_shard
rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(rank)
dist.init_process_group("nccl")
model = torch.nn.Sequential(*[torch.nn.Linear(1024, 1024, bias=False, device="cuda") for _ in range(2)])
for part in (*model, model):
    fully_shard(part)
optimizer = torch.optim.AdamW(model.parameters())
with memviz_torch.record("sharded-{rank}.pickle", names=model, optimizer=optimizer):
    model(torch.ones(16, 1024, device="cuda")).sum().backward()
    optimizer.step()
dist.destroy_process_group()
"""

HUGGING_FACE = """
import torch, transformers
from memviz_torch.integrations.transformers import MemoryRecording
class Data(torch.utils.data.Dataset):
    __len__ = lambda self: 32
    __getitem__ = lambda self, index: {"input_ids": torch.arange(8), "labels": torch.arange(8)}
config = transformers.GPT2Config(vocab_size=64, n_positions=8, n_embd=64, n_layer=1, n_head=1)
options = dict(output_dir="out", per_device_train_batch_size=4, report_to=[], save_strategy="no", disable_tqdm=True)
trainer = transformers.Trainer(
    model=transformers.GPT2LMHeadModel(config), args=transformers.TrainingArguments(num_train_epochs=1, **options),
    train_dataset=Data(), callbacks=[MemoryRecording("callback.pickle")])
trainer.train()
"""

LIGHTNING = """
import torch, lightning.pytorch as pl
from memviz_torch.integrations.lightning import MemoryRecording
class Model(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(64, 64)
    def training_step(self, batch, index):
        return self.layer(batch).square().mean()
    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters())
data = torch.utils.data.DataLoader(torch.ones(32, 64), batch_size=4)
trainer = pl.Trainer(max_epochs=1, accelerator="gpu", devices=1, logger=False, enable_checkpointing=False,
    enable_progress_bar=False, callbacks=[MemoryRecording("callback.pickle")])
trainer.fit(Model(), data)
"""


class Stage:
    """A folder in which programs run on a made-up GPU of 1 GiB; `has_gpu`: on the one that torch finds."""

    def __init__(self, memviz, folder, has_gpu=False):
        self.memviz = memviz
        self.has_gpu = has_gpu
        self.folder = pathlib.Path(folder)
        self.environment = dict(
            os.environ, MEMVIZ_PROGRAM=memviz, PYTHONPATH=str(SOURCE / "python"), HOME=str(self.folder / "home"),
            TOKENIZERS_PARALLELISM="false",
        )
        self.total_bytes = 1 << 30
        if has_gpu:
            told = self.ran([sys.executable, "-c", "import torch; print(torch.cuda.mem_get_info()[1])"])
            self.total_bytes = int(told.stdout)

    def ran(self, words, devices=1):
        command = [self.memviz, "rehearse", "--quiet", "--no-record", "--memory", "1GiB", "--devices", devices, "--"]
        if self.has_gpu:
            command = []
        return subprocess.run(
            [str(word) for word in [*command, *words]], cwd=self.folder, env=self.environment, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600,
        )

    def script(self, text):
        path = self.folder / "program.py"
        path.write_text(text)
        return path

    def files(self, pattern):
        return sorted(self.folder.glob(pattern))

    def explained(self, file, at="auto"):
        return json.loads(self.said("explain", "--quiet", "--json", "-", "--at", at, file))["devices"][0]

    def said(self, *words):
        done = subprocess.run([self.memviz, *map(str, words)], stdout=subprocess.PIPE, check=True, text=True)
        return done.stdout


def check_run(stage):
    done = stage.ran([stage.memviz, "run", "--", sys.executable, "-W", "ignore", stage.script(GROWS)])
    check("torch.OutOfMemoryError" in done.stderr, done.stderr)
    check(" ran out of GPU memory.\n  GPU 0 ran out of memory: 256 MiB asked for" in done.stderr, done.stderr)
    check("program.py:7" in done.stderr, done.stderr)
    (file,) = stage.files("memviz-run/oom-*.pickle")
    device = stage.explained(file)
    totals = device["totals"]
    check(totals["capacity_bytes"] == stage.total_bytes, totals)
    outside_bytes = stage.total_bytes - totals["reserved_bytes"] - totals["device_free_bytes"]
    check(totals["outside_bytes"] == outside_bytes, totals)
    check(device["model"]["reproduces"], device["model"])
    # It includes the memory of this process outside PyTorch, if NVML reports it.
    measured = device["measured"]
    check((measured["own_outside_bytes"] or 0) <= outside_bytes, measured, outside_bytes)
    return measured


def check_ranks(stage, *launcher):
    launcher = launcher or (sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", 2)
    done = stage.ran([stage.memviz, "run", "--dir", "ranks", "--", *launcher, stage.script(GROWS)], devices=2)
    ranks = [file.name.split("-")[1] for file in stage.files("ranks/*")]
    # The launcher ends the other rank as soon as one has failed.
    check(ranks and set(ranks) <= {"rank0", "rank1"} and len(ranks) == len(set(ranks)), ranks, done.stderr)
    for rank in ranks:
        check(f"memviz: rank {rank[4:]} (process " in done.stderr, done.stderr)


def check_spawned(stage):
    run = [stage.memviz, "run", "--dir", "spawned", "--"]
    stage.ran([*run, sys.executable, "-W", "ignore", stage.script(SPAWNS)])
    check(len(stage.files("spawned/*")) == 1, stage.files("spawned/*"))


def check_names(stage):
    done = stage.ran([sys.executable, "-W", "ignore", stage.script(NAMED)])
    check(done.stdout.startswith("{"), done.stdout, done.stderr)
    told = json.loads(done.stdout.splitlines()[0])
    file = stage.folder / "named.pickle"
    declared = {kind["kind"]: kind["declared_bytes"] for kind in stage.explained(file, "end")["kinds"]}
    declared = {kind: size for kind, size in declared.items() if size}
    check(declared == told, declared, told)
    report = stage.folder / "named.sqlite"
    stage.said("report", "-o", report, "--quiet", file)
    for name in (b"0.weight", b"1.bias", b"2.weight"):
        check(name in report.read_bytes(), name)
    leaks = stage.said("leaks", "--quiet", file)
    check("memviz_step#" in leaks, leaks)


def check_shards(stage):
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", 2]
    done = stage.ran([*launcher, stage.script(SHARDED)], devices=2)
    files = stage.files("sharded-*.pickle")
    check([file.name for file in files] == ["sharded-0.pickle", "sharded-1.pickle"], files, done.stderr)
    for file, number in zip(files, range(2)):
        answer = json.loads(stage.said("explain", "--quiet", "--at", "end", "--device", number, "--json", "-", file))
        kinds = answer["devices"][0]["kinds"]
        found = {kind["kind"]: kind["declared_bytes"] for kind in kinds if kind["declared_bytes"]}
        # Half of two layers of 4 MiB.
        check(found == {"parameter": 4 * MIB, "gradient": 4 * MIB, "optimizer_state": 8 * MIB}, found)


def check_callback(stage, program):
    done = stage.ran([sys.executable, "-W", "ignore", stage.script(program)])
    file = stage.folder / "callback.pickle"
    check(file.exists(), done.stdout, done.stderr)
    kinds = {kind["kind"]: kind["declared_bytes"] for kind in stage.explained(file, "end")["kinds"]}
    check(kinds["parameter"] > 0 and kinds["optimizer_state"] > 0, kinds)
    check("memviz_step#" in stage.said("leaks", "--quiet", file), done.stderr)
    file.unlink()


def check_callbacks(stage):
    settings = ["--num_machines", 1, "--num_processes", 2, "--mixed_precision", "no", "--dynamo_backend", "no"]
    check_ranks(stage, sys.executable, "-m", "accelerate.commands.launch", "--multi_gpu", *settings)
    check_callback(stage, HUGGING_FACE)
    check_callback(stage, LIGHTNING)


def check_on_gpu(stage):
    measured = check_run(stage)
    check_spawned(stage)
    check_names(stage)
    print(json.dumps(measured))


def check_ranks_on_gpu(stage):
    count = int(stage.ran([sys.executable, "-c", "import torch; print(torch.cuda.device_count())"]).stdout)
    if count < 2:
        print(f"{count} GPU, and NCCL takes one for each of two ranks", flush=True)
        sys.exit(77)
    check_ranks(stage)
    check_shards(stage)


def main():
    memviz = os.path.abspath(sys.argv[1])
    what = sys.argv[2] if len(sys.argv) > 2 else ""
    checks = {"callbacks": [check_callbacks], "on-gpu": [check_on_gpu], "ranks-on-gpu": [check_ranks_on_gpu]}.get(
        what, [check_run, check_ranks, check_spawned, check_names, check_shards])
    with tempfile.TemporaryDirectory() as folder:
        stage = Stage(memviz, folder, what.endswith("on-gpu"))
        for one in checks:
            one(stage)
            print(one.__name__, "is right", flush=True)


main()

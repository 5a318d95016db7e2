"""Programs that read values, or decide by them, in rehearsals with pip's torch (check_rehearse.py)."""

import os

from rehearsals import MIB, check, program

DECIDES = program("decides")
ADDS_UP = program("adds_up")


def check_values(rehearsals):
    """A program that decides by values goes its way, and one that does not takes the same."""
    _, done, _ = rehearsals.python(["--values"], DECIDES)
    check(done.stdout.startswith(f"500 {[16] * 8} 17\n"), done.stdout, done.stderr)
    _, done, _ = rehearsals.python(["--values"], ADDS_UP, "experts")
    check(done.returncode == 0, done.stdout, done.stderr)
    with_values, without = (rehearsals.python(options, ADDS_UP)[0]["verdict"] for options in (["--values"], []))
    for peak in ("peak_reserved_bytes", "peak_allocated_bytes"):
        check(with_values["devices"][0][peak] == without["devices"][0][peak], with_values["devices"], without["devices"])
    check(without["deciding_read_lines"] == [] and "other_values" not in without, without)


def check_search_with_values(rehearsals):
    """A search continues with values alone where both runs are alike and all values known."""
    reads = "count = torch.tensor(3).to('cuda')\nif count.item() >= 0: pass\n"
    program = f"import sys, torch\n{reads}kept = torch.ones(int(sys.argv[1]), 1024, 1024, device='cuda')"
    answer, done, _ = rehearsals.python(["--search", "N=1..2"], program, "{}")
    check(answer["rows"][0]["largest"] == 2 and done.stderr.count("running it again with values") == 1, done.stderr)
    check([run["verdict"]["computes_values"] for run in answer["runs"]] == [False, True], answer["runs"])


def check_masks(rehearsals):
    """What a mask selects has gradients, also in the backward pass, which computes no values."""
    answer, done, _ = rehearsals.python([], program("masks"))
    verdict = answer["verdict"]
    check(done.returncode == 0 and done.stdout.count("forms 16") == 1, done.stdout, done.stderr)
    check(verdict["computes_values"] and any(read["made_up"] for read in verdict["deciding_read_lines"]), verdict)
    check("UserWarning" not in done.stderr, done.stderr)


def check_selective_checkpoint(rehearsals):
    """The modes of a checkpoint see what the program computes, as without values: DTensors, not their parts."""
    for values in ("off", "on"):
        options = ["--world", "2", "--rank", "0", f"--values={values}"]
        answer, done, _ = rehearsals.python(options, program("saves_some"))
        check(done.returncode == 0 and "products 3\n" in done.stdout, answer, done.stdout, done.stderr)


def check_resumed(rehearsals):
    """A counter of steps on the GPU is never 0; what a file had is known in a run with values."""
    for values, epoch in (("off", 0), ("on", 3)):
        _, done, _ = rehearsals.python([f"--values={values}"], program("resumes"))
        check(done.returncode == 0 and done.stdout.startswith(f"epoch {epoch}\n"), done.stdout, done.stderr)


# A frame that is compiled once, and called with and without a mode of PyTorch's dispatcher.
COMPILES = """
import torch
from torch._dynamo.utils import counters
twice = torch.compile(lambda x: x.sin() * 2, backend="aot_eager")
weight = torch.ones(1024, device="cuda", requires_grad=True)
for _ in range(12):
    twice(weight).sum().backward()
    if torch.isnan(weight.grad).any():
        break
print("compiled", counters["frames"]["ok"])
"""

BREAKS_OFF = """
import torch
from torch._dynamo.utils import counters
@torch.compile(backend="aot_eager")
def breaks(x):
    y = x * 2
    return y if torch.isnan(y).any() else y.sin() + 1
weight = torch.ones(1024, device="cuda", requires_grad=True)
for _ in range(3):
    breaks(weight).sum().backward()
print("graphs", counters["stats"]["unique_graphs"])
"""


def check_compiled(rehearsals):
    """torch.compile compiles below the mode that computes values, only the program's code, and uses it again."""
    for values in ("off", "on"):
        for source, said in ((COMPILES, "compiled 1\n"), (BREAKS_OFF, "graphs 2\n")):
            _, done, _ = rehearsals.python([f"--values={values}"], source)
            check(done.stdout.startswith(said), values, done.stdout, done.stderr)


LOGS = """
import torch
loss = torch.randn(64, device="cuda").mean()
losses = [loss.item(), float(loss), f"{loss:.2f}", loss.tolist(), loss.cpu(), loss.to("cpu"), str(loss)]
torch.linalg.inv(torch.eye(4, device="cuda"))
"""

EIGENVALUES = """
import torch
matrix = torch.ones(64, 64, device="cuda")
torch.linalg.eigvals(matrix)
torch.linalg.eigvals(matrix.requires_grad_()).abs().sum().backward()
assert torch.linalg.eig(matrix.expand(3, 64, 64)).eigenvalues.shape == (3, 64)
"""

# Known: 500 rows of 1 MiB. Made up: a mask that selects all or none of 256 MiB.
CHOOSES = """
import sys, torch
rows = torch.empty(1000, 1 << 18, device="cuda")[torch.arange(1000, device="cuda") % 2 == 0]
print("rows", len(rows), flush=True)
del rows
torch.cuda.empty_cache()
if sys.argv[1] == "mask":
    large = torch.randn(1500, 1 << 18, device="cuda")
    chosen = large[large[:, 0] > 0]
"""


def check_values_of_themselves(rehearsals):
    """A program that reads values which may decide its control flow runs again with values; one that logs runs once."""
    verdict = rehearsals.python([], LOGS)[0]["verdict"]
    check(verdict["host_reads"] >= 7 and verdict["deciding_read_lines"] == [] and "other_values" not in verdict, verdict)
    for options in ([], ["--values=off"], ["--values"]):  # PyTorch checks that the numbers are finite
        _, done, _ = rehearsals.python(options, EIGENVALUES)
        check(done.returncode == 0, done.stdout, done.stderr)
    answer, done, _ = rehearsals.python([], DECIDES)  # with zeros its assertion fails
    verdict = answer["verdict"]
    check(done.returncode == 0 and verdict["computes_values"] and verdict["other_values"]["outcome"] == "failed", verdict)
    verdict = rehearsals.python([], CHOOSES, "rows")[0]["verdict"]
    check(not verdict["other_values"]["is_range"] and verdict["devices"][0]["peak_reserved_bytes"] >= 1500 * MIB, verdict)
    verdict = rehearsals.python([], CHOOSES, "mask")[0]["verdict"]
    check(verdict["other_values"]["is_range"] and verdict["devices"][0]["peak_reserved_bytes"] >= 3000 * MIB, verdict)
    check("MiB to " in verdict["text"] or "GiB to " in verdict["text"], verdict["text"])


SERVES = program("serves")
READS = program("reads_in_worker")
WORKER = program("worker")


def check_values_around_server(rehearsals):
    """vLLM compiles nothing under a mode of PyTorch's dispatcher: its methods run without one, but where a model splits
    images by what it reads, and the program around with it."""
    modules = os.path.join(rehearsals.folder, "modules")
    package = os.path.join(modules, "vllm/v1/worker")
    os.makedirs(package)
    with open(os.path.join(package, "gpu_worker.py"), "w") as module:
        module.write(WORKER)
    for options, expected in ((["--values"], [500, 0, 500, 500]), ([], [0, 0, 0, 0])):
        answer, done, _ = rehearsals.python(options, SERVES, modules)
        check(answer["verdict"]["devices"][0]["outside_bytes"] == 0, answer["verdict"]["devices"])
        check(done.stdout.startswith(f"{expected}\n"), done.stdout, done.stderr)
    answer, done, _ = rehearsals.python([], READS, modules)
    check(answer["verdict"]["host_reads"] == 11, answer["verdict"]["host_reads"], done.stderr)


CHECKS = (check_values, check_search_with_values, check_compiled, check_masks, check_selective_checkpoint, check_resumed, check_values_of_themselves, check_values_around_server)

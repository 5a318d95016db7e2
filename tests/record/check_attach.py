"""Compares with and without `memviz attach`, on pip's torch on the made-up GPU: whatever a program does when memviz attaches
through a debugger, its output and its exit code are those that it has without.

usage: check_attach.py MEMVIZ [matrix [PROGRAM...]]

With a Python that has torch. `matrix` tries every program at ten moments, and one that ends ten times; otherwise a few
are tried once. Ends with 77 where gdb is missing or may not attach.
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

from checks import check, why_no_gdb

BEGIN = """
import os, sys, time, torch
model = torch.nn.Sequential(*[torch.nn.Linear(256, 256) for _ in range(4)]).cuda()
def step():
    model(torch.zeros(64, 256, device="cuda")).sum().backward()
def goes_on():
    return not os.path.exists("stop")
step()
print("ready", flush=True)
"""
END = """
import threading
# A DataLoader closes its queue and does not wait for the thread that fed it.
ends = time.monotonic() + 60
while threading.active_count() > 1 and time.monotonic() < ends: time.sleep(0.01)
threads = [thread.name for thread in threading.enumerate()]
modules = [name for name in sys.modules if "memviz_attached" in name]
history = torch._C._cuda_isHistoryEnabled()
print("ended", modules, threads, history, hasattr(torch, "_memviz_history"), sorted(vars(model))[:3])
"""
ENDS = "while goes_on(): step()\nprint('ended')\n"

PROGRAMS = {
    "step": """
optimizer = torch.optim.AdamW(model.parameters())
while goes_on():
    step()
    optimizer.step()
    optimizer.zero_grad()
""",
    "sleep": "while goes_on(): time.sleep(2)\n",
    # Python 3.14 no longer forks by itself.
    "loader": """
forked = {"multiprocessing_context": "fork"}
class Data(torch.utils.data.Dataset):
    def __len__(self): return 16
    def __getitem__(self, index):
        time.sleep(0.2)
        return torch.ones(4)
while goes_on():
    assert sum(len(batch) for batch in torch.utils.data.DataLoader(Data(), batch_size=4, num_workers=1, **forked)) == 16
    step()
""",
    # One that holds Python's lock, and one that does not.
    "long_call": """
import collections, itertools
ones = torch.ones(1500, 1500)
while goes_on():
    collections.deque(itertools.repeat(None, 50_000_000), maxlen=0)
    assert (ones @ ones)[0, 0] == 1500
    step()
""",
    "fork": """
while goes_on():
    child = os.fork()
    if child == 0:
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
""",
    "signal": """
import signal
handled = []
signal.signal(signal.SIGALRM, lambda *_: handled.append(time.sleep(0.01)))
signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
while goes_on() or not handled:
    step()
signal.setitimer(signal.ITIMER_REAL, 0)
""",
    "threads": """
import queue, threading
asked, answered = queue.Queue(), queue.Queue()
def work():
    for number in iter(asked.get, None):
        answered.put(number + 1)
threads = [threading.Thread(target=work) for _ in range(4)]
for one in threads: one.start()
while goes_on():
    for number in range(100): asked.put(number)
    assert sum(answered.get() for _ in range(100)) == 5050
for _ in threads: asked.put(None)
for one in threads: one.join()
""",
    "asyncio": """
import asyncio
async def tick(number):
    await asyncio.sleep(0.1)
    return number
async def run():
    while goes_on():
        assert await asyncio.gather(*map(tick, range(5))) == [0, 1, 2, 3, 4]
asyncio.run(run())
""",
    "child_program": """
import subprocess
while goes_on():
    assert subprocess.run([sys.executable, "-S", "-c", "print(3)"], stdout=subprocess.PIPE).stdout == b"3\\n"
""",
    # Rank 0 waits for rank 1, which is late.
    "collective": """
import torch.distributed as dist
store = dist.FileStore("store", 2)
if os.fork() == 0:
    dist.init_process_group("gloo", store=store, rank=1, world_size=2)
    while True:
        time.sleep(0.5)
        flag = torch.tensor([0.0])
        dist.all_reduce(flag)
        if flag.item() > 0: os._exit(0)
dist.init_process_group("gloo", store=store, rank=0, world_size=2)
while True:
    flag = torch.tensor([0.0 if goes_on() else 1.0])
    dist.all_reduce(flag)
    if flag.item() > 0: break
os.wait()
dist.destroy_process_group()
""",
}
IN_CI = ("step", "sleep", "loader", "long_call")


class Stage:
    def __init__(self, memviz, folder, name):
        self.memviz = memviz
        self.folder = pathlib.Path(folder) / name
        self.folder.mkdir()
        (self.folder / "program.py").write_text(BEGIN + (PROGRAMS[name] + END if name in PROGRAMS else ENDS))
        self.environment = dict(os.environ, TMPDIR=str(folder), XDG_RUNTIME_DIR=str(folder), PYTHONWARNINGS="ignore")

    def start(self):
        (self.folder / "stop").unlink(missing_ok=True)
        (self.folder / "store").unlink(missing_ok=True)
        words = [self.memviz, "rehearse", "--quiet", "--no-record", "--memory", "2GiB", "--json", "report.json", "--",
                 "sh", "-c", 'echo $$ > pid; exec "$@"', "sh", sys.executable, "program.py"]
        process = subprocess.Popen(words, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        check(process.stdout.readline() == "ready\n", process.poll(), process.stdout.read() if process.poll() else "")
        return process

    def end(self, process):
        (self.folder / "stop").touch()
        out, _ = process.communicate(timeout=120)
        return process.returncode, out

    def attach(self, *options):
        words = [self.memviz, "attach", (self.folder / "pid").read_text().strip(), "-o", "now.pickle", "--json", "-", *options]
        return subprocess.run(words, cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=180)


def check_program(memviz, folder, name, moments):
    stage = Stage(memviz, folder, name)
    without = stage.end(stage.start()) if name not in IN_CI or moments > 1 else None
    process = stage.start()
    seconds = []
    for _ in range(moments):
        time.sleep(random.random() if moments > 1 else 0.3)
        began = time.monotonic()
        done = stage.attach("--wait")
        seconds.append(time.monotonic() - began)
        check(done.returncode == 0, name, done.stderr, process.poll())
        totals = json.loads(done.stdout)["devices"][0]["totals"]
        check(totals["reserved_bytes"] > 0, name, totals)
    ended = stage.end(process)
    expected = "ended [] ['MainThread'] False False "
    check(ended[0] == 0 and ended[1].startswith(expected) and without in (None, ended), name, without, ended)
    print(f"{name} is as without: {moments} times, {min(seconds):.1f} to {max(seconds):.1f} s", flush=True)


def check_end(memviz, folder, moments):
    """memviz attaches while the program ends."""
    stage = Stage(memviz, folder, "end")
    without = stage.end(stage.start())
    answered, said = 0, set()
    for number in range(moments):
        process = stage.start()
        reader = subprocess.Popen([memviz, "attach", (stage.folder / "pid").read_text().strip(), "-o", "now.pickle"],
                                  cwd=stage.folder, env=stage.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(0.2 * number)
        ended = stage.end(process)
        err = reader.communicate(timeout=120)[1]
        answered += reader.returncode == 0
        check(ended == without, without, ended)
        if reader.returncode != 0:
            said.add(" ".join(err.decode().split()[3:]))
    check(said <= {"ended before it had answered", "has ended"}, said)
    print(f"end is as without: {moments} times, {answered} answered", flush=True)


def main():
    memviz = os.path.abspath(sys.argv[1])
    is_matrix = sys.argv[2:3] == ["matrix"]
    if why_no_gdb():
        print(why_no_gdb(), flush=True)
        return 77
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        for name in sys.argv[3:] or (PROGRAMS if is_matrix else IN_CI):
            check_program(memviz, folder, name, 10 if is_matrix else 1)
        check_end(memviz, folder, 10 if is_matrix else 1)
    return 0


sys.exit(main())

"""`memviz explain` against PyTorch's own allocator: programs at random, and every answer tried.

    judge.py MEMVIZ REHEARSAL [--seeds 0:200] [--shrink] [--list N]

`--seeds 0:10000` is for a night (some 20 minutes of one core). On 2026-11-22 none of them disagreed; print a small program
for what does with `--shrink`. "told" counts what explain says, with what an answer depends on in brackets.

Some answers have no truth ("no truth" in the counts: seeds 1126, 1883, 5165, 6711, 8448, 9197 and 9951). An answer of what
comes after the start of a recording is tried by a setting that changes there, and PyTorch 2.13 does not always survive
that. release_available_cached_blocks() gives back a free block of max_split_size or more without asking whether it is a
part of a segment: as long as settings stay, no block that large is cut. But one that was cut before max_split_size was
set, or while expandable_segments was on, is such a part. Where it is not the first of its segment, PyTorch calls cudaFree
with an address inside of an allocation (seed 1126: 80 MiB after the begin of one of 114 MiB), and CUDA refuses what
cudaMalloc has not returned: cudaErrorInvalidValue. Where it is the first, cudaFree takes the whole segment, with all in it
that is in use (seed 1883: t52), and PyTorch fails an assertion later, or no one notices.

REHEARSAL is the folder of libmemviz_rehearsal.so. Python must have a torch with CUDA.

Each program fails on a device that is too small; memviz reads the recording and answers; the program runs again under
each circumstance that an answer names. Prints how many questions of each kind were judged and which disagree, and ends
with 1 if any does. A process serves some programs, so that a crash takes no other with it; a disagreement counts only
if a fresh process gives it again.
"""

import collections
import json
import os
import pickle
import subprocess
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass, replace

import made_up_gpu
from programs import captures, program_text, random_program
from shrink import shrunk

DEVICE_BYTES = 8 << 30
PROGRAMS_A_PROCESS = 50


@dataclass(frozen=True)
class Judgement:
    kind: str
    agrees: bool
    text: str


def explain(memviz, path):
    done = subprocess.run([memviz, "explain", "--quiet", "--json", "-", path], capture_output=True, text=True, env={})
    if done.returncode != 0:
        raise RuntimeError(f"memviz: {done.stderr}")
    return json.loads(done.stdout)["devices"][0]


def figures(result, device):
    """Compares the file's memory with the counts of the allocator and the driver."""
    totals = device["totals"]
    in_use = totals["live_bytes"] + totals["rounding_bytes"]
    for name, told, counted in (
        ("reserved", totals["reserved_bytes"], result.end_bytes),
        ("allocated", in_use, result.figures["allocated_bytes"]),
        ("requested", totals["live_bytes"], result.figures["requested_bytes"] if not totals["pending_free_bytes"] else totals["live_bytes"]),
        ("in use or pending", in_use + totals["pending_free_bytes"], result.figures["active_bytes"]),
        ("free on the device", totals["device_free_bytes"], result.free_bytes),
        ("the device", totals["device_free_bytes"] + totals["reserved_bytes"], result.memory_bytes),
    ):
        yield Judgement("figures", told == counted, f"{name}: {told}, in truth {counted}")


def answered(question, result):
    """Returns whether the run confirms the answer, and what it showed."""
    if question.reserved_bytes is not None:
        last = len(question.program.operations) - 1
        if result.failed_operation not in (None, last):
            return False, f"failed at operation {result.failed_operation}"
        return result.reserved_bytes == question.reserved_bytes, f"{result.reserved_bytes} reserved"
    if question.failed_operation is not None:
        return result.failed_operation == question.failed_operation, f"failed at operation {result.failed_operation}"
    fits = result.failed_operation is None
    return fits == question.fits, "fits" if fits else f"failed at operation {result.failed_operation}"


class Judge:
    def __init__(self, memviz):
        self.memviz, self.runner, self.is_lost = memviz, None, False
        self.path = os.path.join(tempfile.gettempdir(), f"memviz-judge-{os.getpid()}.pickle")

    def run(self, program, snapshot_path=None, late_bytes=0):
        from runner import Runner, run_alone

        if self.is_alone:
            return run_alone(program, snapshot_path, late_bytes)
        self.runner = self.runner or Runner()
        return self.runner.run(program, snapshot_path, late_bytes)

    def judge(self, program):
        """Returns None if it does not fail."""
        from questions import questions
        from runner import MemoryLost

        self.is_alone = captures(program)
        result = self.run(program, self.path)
        if result.failed_operation is None or result.failed_operation < program.records_from:
            return
        program = program.with_operations(program.operations[: result.failed_operation + 1])
        if result.unseen:
            seen = [operation for index, operation in enumerate(program.operations) if index not in result.unseen]
            before = sum(index < program.records_from for index in result.unseen)
            program = replace(program.with_operations(seen), records_from=program.records_from - before)
            result = self.run(program, self.path)
        device = explain(self.memviz, self.path)
        with open(self.path, "rb") as file:
            trace = pickle.load(file)["device_traces"][0]
        yield from figures(result, device)
        for answer in device["what_if"]:
            doubt = " (" + answer["proviso"] + ")" if answer["proviso"] else ""
            yield Judgement(f"told: {answer['circumstance']} {answer['outcome']}{doubt}", True, "")
        yield Judgement(f"told: verdict {device['verdict']}", True, "")
        runs = {}
        for question in questions(program, result, device, trace):
            key = (question.program.operations, str(question.program), question.late_bytes)
            try:
                runs[key] = runs.get(key) or self.run(question.program, late_bytes=question.late_bytes)
            except MemoryLost as lost:
                yield Judgement("no truth: " + question.kind, True, str(lost))
                self.is_lost = True
                return
            agrees, truth = answered(question, runs[key])
            claim = f"{question.claim} {question.failed_operation or question.reserved_bytes or ''}"
            yield Judgement(question.kind, agrees, f"{claim}: in truth {truth}")


def judge_all(memviz, programs, pipe):
    judge = Judge(memviz)
    try:
        judge_each(judge, programs, pipe)
    finally:
        if os.path.exists(judge.path):
            os.remove(judge.path)


def judge_each(judge, programs, pipe):
    for number, program in sorted(programs, key=lambda one: not captures(one[1])):  # see run_alone()
        try:
            found = [vars(judgement) for judgement in judge.judge(program)]
        except RuntimeError as error:
            # CUDA forbids some calls while a stream is captured: such a program does not count.
            found = [vars(Judgement("not run", captures(program), str(error)))]
        pipe.write(json.dumps([number, found]) + "\n")
        if judge.is_lost:
            return  # the programs left are judged one by one


def in_process(memviz, programs):
    """Returns number of a program -> its judgements, made in a separate process; those after a crash are missing."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            with os.fdopen(writer, "w") as pipe:
                judge_all(memviz, programs, pipe)
        except BaseException:  # a child must never go on with what its parent does
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        found = {number: [Judgement(**one) for one in judgements] for number, judgements in map(json.loads, pipe)}
    os.waitpid(child, 0)
    return found


def judgements_of(memviz, program):
    return in_process(memviz, [(0, program)]).get(0, [Judgement("not run", captures(program), "the process died")])


def judged(memviz, programs):
    """(number, program, judgements) of each."""
    for first in range(0, len(programs), PROGRAMS_A_PROCESS):
        part = programs[first : first + PROGRAMS_A_PROCESS]
        found = in_process(memviz, part)
        for number, program in part:
            judgements = found.get(number)
            if judgements is None or not all(judgement.agrees for judgement in judgements):
                judgements = judgements_of(memviz, program)
            yield number, program, judgements


def arguments():
    parser = made_up_gpu.parser_of(__doc__)
    parser.add_argument("--shrink", action="store_true", help="print a small program for each kind that disagrees")
    parser.add_argument("--list", type=int, default=1, metavar="N", help="disagreements to print for each kind")
    return parser.parse_args()


def main():
    options = arguments()
    made_up_gpu.start_again(options.rehearsal, MEMVIZ_REHEARSAL_MEMORY=str(DEVICE_BYTES))
    first, end = map(int, options.seeds.split(":"))
    import torch._inductor.codecache  # what a dump asks Python for, once instead of in every process

    begin, counts, wrong, failed = time.monotonic(), collections.Counter(), collections.defaultdict(list), 0
    for number, program, judgements in judged(options.memviz, [(seed, random_program(seed)) for seed in range(first, end)]):
        failed += bool(judgements)
        counts.update(judgement.kind for judgement in judgements)
        for judgement in judgements:
            if not judgement.agrees:
                wrong[judgement.kind].append((number, program, judgement.text))
    print(f"{end - first} programs, {failed} of them failed, {time.monotonic() - begin:.0f} s")
    for kind in sorted(counts):
        print(f"{counts[kind]:7} {kind}" + (f"  {len(wrong[kind])} DISAGREE" if kind in wrong else ""))
    for kind, cases in wrong.items():
        for number, program, text in cases[: options.list]:
            print(f"\n{kind}: seed {number}: {text}")
        if options.shrink:
            number, program, _ = min(cases, key=lambda case: (("capture" in str(case[1])), len(case[1].operations)))
            small = shrunk(program, lambda candidate: disagreement(options.memviz, candidate, kind))
            print(f"seed {number}, shrunk: {disagreement(options.memviz, small, kind)}\n{program_text(small)}")
    return 1 if wrong else 0


def disagreement(memviz, program, kind):
    return next((one.text for one in judgements_of(memviz, program) if one.kind == kind and not one.agrees), None)


if __name__ == "__main__":
    sys.exit(main())

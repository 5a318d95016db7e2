"""Allocates and frees at random on the device; writes what the allocator counts now and then, and the recording at the end.

    program.py SEED OPERATIONS SNAPSHOT SAMPLES

SAMPLES is JSON: a list of [index of the last event, allocated, requested, reserved, active bytes].
"""

import json
import random
import sys

import torch

MIB = 1 << 20


def random_bytes(choose):
    low, high = choose.choice([(1, MIB), (MIB, 12 * MIB), (MIB, 12 * MIB), (10 * MIB, 60 * MIB)])
    return choose.randrange(low, high)


def counted():
    stats = torch.cuda.memory_stats()
    names = ("allocated_bytes", "requested_bytes", "reserved_bytes", "active_bytes")
    return [stats[f"{name}.all.current"] for name in names]


def last_event():
    return len(torch.cuda.memory._snapshot()["device_traces"][0]) - 1


def run(choose, operations):
    streams = [torch.cuda.current_stream(), torch.cuda.Stream()]
    pool = torch.cuda.MemPool()
    live, samples = [], []
    for _ in range(operations):
        if live and (len(live) > 60 or choose.random() < 0.5):
            live.pop(choose.randrange(len(live)))
        else:
            with torch.cuda.stream(choose.choice([streams[0]] * 4 + [streams[1]])):
                if choose.random() < 0.1:
                    with torch.cuda.use_mem_pool(pool):
                        live.append(torch.empty(random_bytes(choose), dtype=torch.uint8, device="cuda"))
                else:
                    live.append(torch.empty(random_bytes(choose), dtype=torch.uint8, device="cuda"))
        if choose.random() < 0.01:
            torch.cuda.empty_cache()
        if choose.random() < 0.03:
            samples.append([last_event(), *counted()])
    return live, samples


def main():
    seed, operations, snapshot, samples_path = sys.argv[1:]
    torch.cuda.init()
    torch.cuda.memory._record_memory_history(max_entries=1_000_000, stacks="python")
    live, samples = run(random.Random(int(seed)), int(operations))
    torch.cuda.memory._dump_snapshot(snapshot)
    with open(samples_path, "w") as file:
        json.dump(samples, file)


if __name__ == "__main__":
    main()

"""Runs PyTorch on the made-up GPU and compares what PyTorch reports with the books: run by run_torch.py, which
preloads the library. Each function is a test; it fails by an exception."""
import ctypes
import gc
import json
import os
import sys
import time
import warnings

import torch
import torch.nn.functional as F
from torch import nn

DEVICE = "cuda"
MIB = 1 << 20
warnings.simplefilter("ignore")


def books():
    """Returns the report's line of this process, written on demand."""
    rehearsal = ctypes.CDLL(None)
    assert rehearsal.memviz_rehearsal_report() == 0
    with open(os.environ["MEMVIZ_REHEARSAL_REPORT"], encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    return [line for line in lines if line["pid"] == os.getpid()][-1]


def used(device=0):
    return books()["devices"][device]["used_bytes"]


def start_anew():
    gc.collect()
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()


def device_is_marked():
    assert torch.cuda.is_available() and torch.cuda.device_count() == 2
    properties = torch.cuda.get_device_properties(0)
    assert properties.name == "NVIDIA A100-SXM4-80GB", properties.name
    assert (properties.major, properties.minor) == (8, 0) and properties.multi_processor_count == 108
    rehearsal = ctypes.CDLL(None)
    rehearsal.memviz_rehearsal_profile.restype = ctypes.c_char_p
    assert rehearsal.memviz_rehearsal_profile() == b"a100-80"


def reserved_memory_is_in_the_books():
    start_anew()
    before = used()
    held = [torch.empty(mib * MIB, dtype=torch.uint8, device=DEVICE) for mib in (1, 3, 15, 40)]
    assert used() - before == torch.cuda.memory_reserved() == sum(s["total_size"] for s in torch.cuda.memory_snapshot())
    free, total = torch.cuda.mem_get_info()
    device = books()["devices"][0]
    assert total == device["total_bytes"] and free == total - device["context_bytes"] - device["used_bytes"]
    del held
    start_anew()
    assert used() == before and torch.cuda.memory_reserved() == 0


def statistics_equal_a_sum():
    """Compares requested bytes, now and at the peak, with a sum that Python keeps."""

    def requested(what):
        return torch.cuda.memory_stats()[f"requested_bytes.all.{what}"]

    start_anew()
    base = requested("current")
    live, now, peak = {}, 0, 0
    state = 7
    for step in range(2000):
        state = (state * 1103515245 + 12345) % (1 << 31)
        if len(live) < 50 and state % 3:
            size = 1 + state % (4 * MIB)
            live[step] = torch.empty(size, dtype=torch.uint8, device=DEVICE)
            now += size
            peak = max(peak, now)
        elif live:
            now -= live.pop(next(iter(live))).numel()
        assert requested("current") - base == now
    assert requested("peak") - base == peak


def training_steps_leave_nothing_behind():
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.norm, self.qkv = nn.Embedding(100, 64), nn.LayerNorm(64), nn.Linear(64, 192)
            self.conv, self.head = nn.Conv1d(64, 64, 3, padding=1), nn.Linear(64, 100)

        def forward(self, tokens):
            x = self.table(tokens)
            q, k, v = (t.unflatten(-1, (4, 16)).transpose(1, 2) for t in self.qkv(self.norm(x)).chunk(3, -1))
            x = x + F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)
            return self.head(self.conv(x.transpose(1, 2)).transpose(1, 2))

    for autocast in (False, True):
        start_anew()
        model = Block().to(DEVICE)
        optimizer = torch.optim.AdamW(model.parameters())
        tokens = torch.zeros(4, 32, dtype=torch.long, device=DEVICE)
        after = []
        for _ in range(4):
            with torch.autocast("cuda", torch.bfloat16, enabled=autocast):
                loss = F.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten())
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            after.append(torch.cuda.memory_allocated())
        assert after[1] == after[2] == after[3], after
        del model, optimizer, loss, tokens


def memory_runs_out_at_the_limit():
    start_anew()
    free, total = torch.cuda.mem_get_info()
    whole = torch.empty(free // (2 * MIB) * 2 * MIB, dtype=torch.uint8, device=DEVICE)
    assert torch.cuda.mem_get_info()[0] < 2 * MIB
    try:
        torch.empty(30 * MIB, dtype=torch.uint8, device=DEVICE)  # more than what segments in use may have left
        raise SystemExit("30 MiB more fitted into a full device")
    except torch.cuda.OutOfMemoryError as error:
        text = str(error)
    assert f"GPU 0 has a total capacity of {total / (1 << 30):.2f} GiB" in text and "Tried to allocate 30.00 MiB" in text, text
    del whole
    start_anew()
    torch.empty(30 * MIB, dtype=torch.uint8, device=DEVICE)


def graphs_have_pools_of_their_own():
    start_anew()
    model, x = nn.Linear(256, 256).to(DEVICE), torch.zeros(64, 256, device=DEVICE)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        model(x).sum().backward()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        model(x).sum().backward()
    graph.replay()
    pools = {tuple(s["segment_pool_id"]) for s in torch.cuda.memory_snapshot()}
    assert len(pools) == 2, pools
    before = used()
    del graph
    start_anew()
    assert used() < before


def devices_are_apart():
    start_anew()
    before = [used(0), used(1)]
    x = torch.zeros(32 * MIB, dtype=torch.uint8, device="cuda:1")
    assert used(1) - before[1] == 32 * MIB and used(0) == before[0]
    assert torch.cuda.can_device_access_peer(0, 1)
    y = x.to("cuda:0")
    assert y.device.index == 0 and used(0) - before[0] == 32 * MIB
    del x, y
    torch.cuda.empty_cache()


def host_reads_are_zeros():
    before = books()["host_reads"]
    assert torch.tensor([1, 2, 3], device=DEVICE).tolist() == [1, 2, 3]  # written, and no kernel since
    assert torch.ones(3, device=DEVICE).tolist() == [0, 0, 0]  # a kernel would have made the ones
    assert books()["host_reads"] == before + 2


def libraries_answer():
    nn.LSTM(16, 32, num_layers=2, bidirectional=True).to(DEVICE)(torch.zeros(5, 2, 16, device=DEVICE))[0].sum().backward()
    images = torch.zeros(2, 3, 16, 16, device=DEVICE, requires_grad=True)
    nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8)).to(DEVICE)(images).sum().backward()
    matrix = torch.eye(8, device=DEVICE)
    torch.linalg.svd(matrix), torch.linalg.solve(matrix, matrix), torch.linalg.eigh(matrix)
    torch.fft.rfft(matrix), torch.sparse.mm(matrix.to_sparse(), matrix), matrix.flatten().sort()
    torch.special.bessel_j0(matrix)


def captures_refuse_copies_to_the_host():
    """The last test: an older PyTorch (2.6) stays in its failed capture."""
    x, graph = torch.zeros(64, device=DEVICE), torch.cuda.CUDAGraph()
    try:
        with torch.cuda.graph(graph):
            x.sum().item()
        raise SystemExit("a copy to the host was captured")
    except RuntimeError as error:
        assert "captur" in str(error), error


def expandable_segments_map_what_they_need():
    start_anew()
    before = used()
    held = [torch.empty(30 * MIB, dtype=torch.uint8, device=DEVICE) for _ in range(3)]
    segments = torch.cuda.memory_snapshot()
    assert any(s["is_expandable"] for s in segments)
    assert used() - before == torch.cuda.memory_reserved()
    del held
    torch.cuda.empty_cache()
    assert used() == before


def attention_chooses_and_runs():
    """Heads of 128 and 256, forward and backward; on an H100 and a B200 newer versions choose cuDNN's."""
    for width in (64, 128, 256):
        start_anew()
        sizes = (2, 8, 512, width)
        q, k, v = (torch.empty(sizes, dtype=torch.bfloat16, device=DEVICE, requires_grad=True) for _ in range(3))
        out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        out.sum().backward()
        # Returns three inputs, their gradients, and the result.
        assert torch.cuda.memory_allocated() >= 7 * 2 * out.numel() and q.grad.shape == sizes
        del q, k, v, out


def trains_alike(model, rank):
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(2):
        model(torch.zeros(4, 512, device=rank)).sum().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()


def ranks_exchange_what_all_say_alike(dist, rank):
    """Each rank takes what it sends for what it receives."""
    ours, ranks = torch.tensor([7], device=rank), dist.get_world_size()
    listed = [torch.empty_like(ours) for _ in range(ranks)]
    dist.all_gather(listed, ours)
    assert [one.item() for one in listed] == [7] * ranks
    whole = torch.tensor([1] * ranks, device=rank)
    dist.all_gather_into_tensor(whole, ours)
    assert whole.tolist() == [7] * ranks
    counts = torch.tensor([3, 5], device=rank)
    given = torch.tensor([0, 0], device=rank)
    dist.all_to_all_single(given, counts)
    assert given.tolist() == [3, 5]
    peer = torch.tensor([1], device=rank)
    other = (rank + 1) % ranks
    for work in dist.batch_isend_irecv([dist.P2POp(dist.isend, ours, other), dist.P2POp(dist.irecv, peer, other)]):
        work.wait()
    assert peer.item() == 7


def ranks_train_together():
    import torch.distributed as dist

    dist.init_process_group("nccl")
    rank = dist.get_rank()
    torch.cuda.set_device(rank)
    model = nn.parallel.DistributedDataParallel(nn.Linear(512, 512).to(rank), device_ids=[rank])
    for _ in range(2):
        model(torch.zeros(4, 512, device=rank)).sum().backward()
    # Parameters, gradients in one bucket: two times 512 x 512 + 512 floats, and the workspace of cuBLAS.
    assert torch.cuda.memory_allocated() >= 2 * 4 * (512 * 512 + 512)
    assert used(rank) == torch.cuda.memory_reserved() and used(1 - rank) == 0
    trains_alike(model, rank)
    from torch.distributed.fsdp import FullyShardedDataParallel

    try:
        from torch.distributed.fsdp import fully_shard
    except ImportError:  # PyTorch 2.4 and 2.5
        from torch.distributed._composable.fsdp import fully_shard

    trains_alike(FullyShardedDataParallel(nn.Linear(512, 512).to(rank), sync_module_states=True), rank)
    before = torch.cuda.memory_allocated()
    sharded = nn.Sequential(nn.Linear(512, 512), nn.Linear(512, 512)).to(rank)
    whole = torch.cuda.memory_allocated() - before
    for part in (*sharded, sharded):
        fully_shard(part)
    assert torch.cuda.memory_allocated() - before == whole // 2, (torch.cuda.memory_allocated() - before, whole)
    trains_alike(sharded, rank)
    ranks_exchange_what_all_say_alike(dist, rank)
    objects_fail_over_nccl_alone(dist)
    dist.barrier()
    dist.destroy_process_group()


def objects_fail_over_nccl_alone(dist):
    """Their lengths are compared in a kernel, and are zeros then."""
    try:
        dist.all_gather_object([None] * dist.get_world_size(), "mine")
    except EOFError as error:
        assert str(error) == "Ran out of input"
    else:
        raise AssertionError("docs/rehearse.md says that they do")


def objects_reach_other_ranks_over_gloo():
    import torch.distributed as dist

    dist.init_process_group("cpu:gloo,cuda:nccl")
    rank, ranks = dist.get_rank(), dist.get_world_size()
    torch.cuda.set_device(rank)
    gathered, sent, scattered = [None] * ranks, [f"of {rank}"], [None]
    dist.all_gather_object(gathered, {"rank": rank})
    assert gathered == [{"rank": other} for other in range(ranks)], gathered
    dist.broadcast_object_list(sent, src=0)
    assert sent == ["of 0"], sent
    dist.scatter_object_list(scattered, [f"for {other}" for other in range(ranks)], src=0)
    assert scattered == [f"for {rank}"], scattered
    ours = torch.ones(4, device=rank)
    dist.all_reduce(ours)  # over NCCL still, so that it takes the memory that it takes there
    assert ours.tolist() == [0] * 4
    dist.destroy_process_group()


ONE_PROCESS = [
    device_is_marked,
    reserved_memory_is_in_the_books,
    statistics_equal_a_sum,
    training_steps_leave_nothing_behind,
    memory_runs_out_at_the_limit,
    graphs_have_pools_of_their_own,
    devices_are_apart,
    host_reads_are_zeros,
    libraries_answer,
    captures_refuse_copies_to_the_host,
]

if __name__ == "__main__":
    tests = {
        "one": ONE_PROCESS,
        "attention": [attention_chooses_and_runs],
        "expandable": [expandable_segments_map_what_they_need],
        "ranks": [ranks_train_together, objects_reach_other_ranks_over_gloo],
    }
    for test in tests[sys.argv[1]]:
        test()
        print(f"ok {test.__name__} ({torch.__version__})", flush=True)
    # Autograd's threads release Python objects a moment after backward() returned, and a Python before 3.12 that is
    # already ending then aborts.
    time.sleep(0.5)

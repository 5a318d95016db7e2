"""Decides by values: known ones, made-up ones, and tests of unknown ones."""

import torch

torch.manual_seed(0)  # of the nine numbers below, the first is the largest of both rows in one of 81 runs without it
tokens = torch.arange(1000, device="cuda")
even = torch.zeros(1000, 1024, device="cuda")[tokens % 2 == 0]
scores = torch.randn(64, 8, device="cuda")
assert bool((scores == scores).all())
chosen = torch.topk(scores, 2).indices
shares = [len(torch.where(chosen == expert)[0]) for expert in range(8)]
unfinished, steps = torch.ones(2, dtype=torch.long, device="cuda"), 0
while unfinished.max() and steps < 100:
    steps += 1
    is_long = torch.full((2,), steps >= 17, device="cuda")
    unfinished = unfinished & ~(is_long | torch.isin(torch.randn(2, 9, device="cuda").argmax(-1), torch.tensor([0], device="cuda")))
sparse = torch.nn.Embedding(100, 4, sparse=True, device="cuda")
sparse(torch.arange(50, device="cuda") % 5).sum().backward()  # positions in a gradient are unknown
positions = torch.arange(50, device="cuda")[None] % 5
known = torch.sparse_coo_tensor(positions, torch.ones(50, device="cuda")).coalesce()
counts = len(sparse.weight.grad.coalesce().values()), len(known.values())
assert counts == (50, 5), counts
nested = torch.nested.nested_tensor_from_jagged(torch.arange(10), offsets=torch.tensor([0, 3, 7, 10])).to("cuda")
longest = nested.offsets().diff().max().item()
assert longest == 4, longest
rows = torch.ones(10, 8, device="cuda", requires_grad=True)
batch = torch.nested.nested_tensor_from_jagged(rows * 2, offsets=nested.offsets())
sum(row.sum() for row in batch.unbind()).backward()  # which splits by the lengths
loss = torch.randn(9, device="cuda").sum()
unknown = scores.sum()
filled = torch.ones_like(unknown), unknown.new_full((2,), 3), torch.zeros_like(unknown)
assert [part.sum().item() for part in filled] == [1, 6, 0], filled
if torch.isnan(loss) or not torch.isfinite(loss):
    raise SystemExit("no number")
print(len(even), shares, steps)

"""Attention and single operations of PyTorch; streams, and programs that run out of memory."""

import functools

import torch
import torch.nn.functional as F
from registry import PROGRAMS, program
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from training import random_classes


def attention_inputs(shape, dtype):
    return tuple(torch.randn(*shape, device="cuda", dtype=dtype, requires_grad=True) for _ in ("query", "key", "value"))


def sdpa(backend):
    for width in (64, 128):
        q, k, v = attention_inputs((4, 16, 1024, width), torch.bfloat16)
        with sdpa_kernel(backend):
            F.scaled_dot_product_attention(q, k, v, is_causal=True).sum().backward()
        if backend != SDPBackend.FLASH_ATTENTION:  # takes no mask
            mask = torch.zeros(1024, 1024, device="cuda", dtype=torch.bfloat16)
            with sdpa_kernel(backend):
                F.scaled_dot_product_attention(q, k, v, attn_mask=mask).sum().backward()


for backend in ("FLASH_ATTENTION", "EFFICIENT_ATTENTION", "CUDNN_ATTENTION", "MATH"):
    PROGRAMS[f"sdpa_{backend.lower()}"] = functools.partial(sdpa, getattr(SDPBackend, backend))


@program
def sdpa_default():
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        for width in (40, 64, 96, 128, 256):
            q, k, v = attention_inputs((2, 8, 1000, width), dtype)
            F.scaled_dot_product_attention(q, k, v).sum().backward()
            F.scaled_dot_product_attention(q, k, v, dropout_p=0.1).sum().backward()


@program
def flex_attention():
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    compiled = torch.compile(flex_attention)
    mask = create_block_mask(lambda b, h, q, k: q >= k, None, None, 2048, 2048)
    q, k, v = attention_inputs((2, 8, 2048, 64), torch.bfloat16)
    compiled(q, k, v, block_mask=mask).sum().backward()


@program
def nested():
    rows = torch.nested.nested_tensor([torch.randn(n, 512, device="cuda") for n in (100, 50, 75)], layout=torch.jagged)
    linear = nn.Linear(512, 512).cuda()
    linear(rows).sum(-1)
    nn.TransformerEncoderLayer(512, 8, batch_first=True).cuda().eval()(torch.randn(8, 64, 512, device="cuda"))


@program
def functional():
    linear = nn.Linear(128, 128).cuda()
    weights = dict(linear.named_parameters())

    def loss(weights, x):
        return torch.func.functional_call(linear, weights, (x,)).square().sum()

    torch.func.vmap(torch.func.grad(loss), (None, 0))(weights, torch.randn(64, 128, device="cuda"))
    torch.func.jacrev(lambda x: linear(x))(torch.randn(128, device="cuda"))
    torch.func.hessian(lambda x: linear(x).square().sum())(torch.randn(128, device="cuda"))


@program
def matmuls():
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        for n in (17, 512, 4096):
            a = torch.randn(n, n, device="cuda", dtype=dtype)
            a @ a
            torch.baddbmm(a[None].expand(4, -1, -1), a[None].expand(4, -1, -1), a[None].expand(4, -1, -1))
            F.linear(a, a, a[0])
            torch.addmm(a, a, a)
    a = torch.randn(512, 512, device="cuda", dtype=torch.float64)
    a @ a
    b = a.to(torch.complex64)
    b @ b


@program
def low_precision():
    a = torch.randn(512, 512, device="cuda")
    q = a.to(torch.float8_e4m3fn)
    one = torch.ones((), device="cuda")
    torch._scaled_mm(q, q.t(), one, one, out_dtype=torch.bfloat16)
    torch._int_mm(a.to(torch.int8), a.to(torch.int8))
    b = a.bfloat16()
    ends = [128, 256, 384, 512]
    F.grouped_mm(b, b.view(1, 512, 512).repeat(4, 1, 1), offs=torch.tensor(ends, device="cuda", dtype=torch.int32))


@program
def embeddings():
    table = nn.Embedding(100000, 64, sparse=True).cuda()
    optimizer = torch.optim.SparseAdam(table.parameters())
    for _ in range(3):
        table(random_classes(100000, 4096)).square().sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    bag = nn.EmbeddingBag(100000, 64).cuda()
    bag(random_classes(100000, 4096), torch.arange(0, 4096, 16, device="cuda")).sum().backward()


@program
def embedding_dense():
    table = nn.Embedding(50000, 256).cuda()
    for n in (512, 3072, 3073, 16384):
        table(random_classes(50000, n)).square().sum().backward()


@program
def sorts():
    a = torch.rand(64, 100000, device="cuda")
    a.sort()
    a.topk(50)
    a.argsort(stable=True)
    a.flatten().sort()
    a.median()
    a.kthvalue(5)
    a[:4].quantile(0.5)
    a.cumsum(1)
    a.flatten().cumsum(0)
    torch.randperm(1000000, device="cuda")
    torch.randperm(1000, device="cuda")
    a.logcumsumexp(0)
    a.flatten().argmax()
    a.std()
    a.norm()
    a.flatten().topk(1000)


@program
def mode():
    torch.rand(64, 1000, device="cuda").mode()
    random_classes(9, 100000).mode()


@program
def sizes_of_values():
    """Operations whose results have as many elements as the values require."""
    a = torch.rand(1000000, device="cuda")
    a[a > 0.5].sum()
    a.nonzero()
    random_classes(1000, 100000).unique(return_counts=True)
    random_classes(9, 9999).bincount()
    a.masked_select(a > 0.9)


@program
def scatters():
    a = torch.zeros(100000, 64, device="cuda")
    i = random_classes(100000, 50000)
    rows = torch.ones(50000, 64, device="cuda")
    a.index_add_(0, i, rows)
    a.index_put_((i,), rows, accumulate=True)
    a.scatter_add_(0, i[:, None].expand(-1, 64), rows)
    a.index_select(0, i)
    a[i]
    torch.histc(a)
    torch.multinomial(torch.rand(64, 10000, device="cuda"), 5)
    torch.multinomial(torch.rand(64, 10000, device="cuda"), 5, replacement=True)


@program
def losses():
    x = torch.randn(64, 20, 1000, device="cuda", requires_grad=True)
    F.ctc_loss(
        x.transpose(0, 1).log_softmax(-1),
        torch.randint(1, 1000, (64, 10), device="cuda"),
        torch.full((64,), 20),
        torch.full((64,), 10),
    ).backward()
    y = torch.randn(4096, 32000, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    F.cross_entropy(y.float(), random_classes(32000, 4096)).backward()
    F.kl_div(y.log_softmax(-1), y.softmax(-1)).backward()
    F.grid_sample(
        torch.randn(8, 16, 64, 64, device="cuda", requires_grad=True), torch.zeros(8, 64, 64, 2, device="cuda")
    ).sum().backward()
    F.interpolate(
        torch.randn(8, 16, 64, 64, device="cuda", requires_grad=True), scale_factor=2, mode="bilinear"
    ).sum().backward()


@program
def streams():
    stream = torch.cuda.Stream()
    kept = []
    for i in range(20):
        x = torch.ones(1 << 20, device="cuda")
        with torch.cuda.stream(stream):
            y = x * 2
            x.record_stream(stream)
        del x
        kept.append(y)
        if i % 5 == 4:
            torch.cuda.synchronize()
            kept.clear()


@program
def record_stream_loop():
    stream = torch.cuda.Stream()
    big = torch.ones(8192, 8192, device="cuda")
    for _ in range(10):
        x = torch.ones(8 << 20, device="cuda")
        with torch.cuda.stream(stream):
            big @ big
            x.mul_(2)
            x.record_stream(stream)
        del x


def allocate_all(bytes_each):
    """Allocates tensors and keeps them until there is no memory."""
    kept = []
    try:
        while True:
            kept.append(torch.empty(bytes_each, dtype=torch.uint8, device="cuda"))
    except torch.OutOfMemoryError:
        print(f"out of memory after {len(kept)} tensors")


@program
def oom():
    allocate_all(64 << 20)


@program
def oom_fraction():
    torch.cuda.set_per_process_memory_fraction(0.05)
    allocate_all(30 << 20)

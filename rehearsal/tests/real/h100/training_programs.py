"""Optimizers and decoders: training with PyTorch alone, also compiled, in CUDA graphs and distributed over one GPU."""

import functools
import os

import torch
from registry import PROGRAMS, program
from torch import nn
from training import GPT, mlp, mlp_step, random_tokens, train

OPTIMIZERS = {
    "adamw": (torch.optim.AdamW, {}),
    "adamw_fused": (torch.optim.AdamW, {"fused": True}),
    "adamw_loop": (torch.optim.AdamW, {"foreach": False}),
    "sgd": (torch.optim.SGD, {"lr": 0.1, "momentum": 0.9}),
    "adafactor": (torch.optim.Adafactor, {}),
    "rmsprop": (torch.optim.RMSprop, {}),
    "adagrad": (torch.optim.Adagrad, {}),
    "nadam": (torch.optim.NAdam, {}),
    "radam": (torch.optim.RAdam, {}),
}


def train_mlp(optimizer_type, options):
    train(mlp(), mlp_step, optimizer_type, **options)


for name, arguments in OPTIMIZERS.items():
    PROGRAMS[f"opt_{name}"] = functools.partial(train_mlp, *arguments)


@program
def opt_muon():
    layers = [layer for _ in range(4) for layer in (nn.Linear(1024, 1024, bias=False), nn.GELU())]
    model = nn.Sequential(*layers).cuda()
    train(model, lambda model: model(torch.ones(256, 1024, device="cuda")).square().mean(), torch.optim.Muon)


@program
def opt_lbfgs():
    model = nn.Linear(1024, 1024).cuda()
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=3)
    x = torch.ones(64, 1024, device="cuda")

    def closure():
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        return loss

    optimizer.step(closure)


@program
def gpt_fp32():
    train(GPT().cuda(), lambda model: model(random_tokens()))


@program
def gpt_bf16():
    train(GPT().cuda(), lambda model: model(random_tokens(1024, 8)), amp=torch.bfloat16)


@program
def gpt_checkpointed():
    train(GPT(is_checkpointed=True).cuda(), lambda model: model(random_tokens(1024, 8)), amp=torch.bfloat16)


@program
def gpt_pure_bf16():
    train(GPT().cuda().bfloat16(), lambda model: model(random_tokens(1024, 8)))


@program
def gpt_compiled():
    model = GPT(layers=3).cuda()
    compiled = torch.compile(model)
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(3):
        with torch.autocast("cuda", torch.bfloat16):
            loss = compiled(random_tokens(1024, 4))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


@program
def gpt_compiled_graphs():
    model = GPT(layers=2).cuda()
    compiled = torch.compile(model, mode="reduce-overhead")
    optimizer = torch.optim.AdamW(model.parameters())
    tokens = random_tokens(512, 4)
    for _ in range(5):
        torch.compiler.cudagraph_mark_step_begin()
        with torch.autocast("cuda", torch.bfloat16):
            loss = compiled(tokens)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


# The environment of the next three is in figures.json.
@program
def gpt_expandable():
    train(GPT().cuda(), lambda model: model(random_tokens(1024, 8)), amp=torch.bfloat16)


@program
def gpt_split():
    train(GPT().cuda(), lambda model: model(random_tokens(1024, 8)), amp=torch.bfloat16)


@program
def gpt_roundup():
    train(GPT().cuda(), lambda model: model(random_tokens(999, 7)), amp=torch.bfloat16)


@program
def scaler_fp16():
    model = GPT(layers=2).cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
    scaler = torch.amp.GradScaler()
    for _ in range(3):
        with torch.autocast("cuda", torch.float16):
            loss = model(random_tokens())
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()


@program
def encoder():
    layer = nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True)
    model = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False).cuda()
    train(model, lambda model: model(torch.ones(8, 512, 512, device="cuda")).mean(), amp=torch.float16)


@program
def graphs_whole():
    """A training step in one CUDA graph, and a layer whose passes are graphs."""
    model = nn.Sequential(nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 1024)).cuda()
    optimizer = torch.optim.Adam(model.parameters(), capturable=True)
    x = torch.randn(64, 1024, device="cuda")
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            optimizer.zero_grad()
            model(x).sum().backward()
            optimizer.step()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    optimizer.zero_grad()
    with torch.cuda.graph(graph):
        loss = model(x).sum()
        loss.backward()
        optimizer.step()
    for _ in range(5):
        graph.replay()
    graphed = torch.cuda.make_graphed_callables(nn.Linear(64, 64).cuda(), (torch.randn(8, 64, device="cuda"),))
    graphed(torch.randn(8, 64, device="cuda")).sum().backward()


def init_group_of_one():
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(20000 + os.getpid() % 30000))
    os.environ.update(RANK="0", WORLD_SIZE="1", LOCAL_RANK="0")
    torch.distributed.init_process_group("nccl", device_id=torch.device("cuda:0"))


@program
def ddp_one():
    init_group_of_one()
    model = nn.parallel.DistributedDataParallel(mlp(), device_ids=[0])
    train(model, mlp_step)
    torch.distributed.destroy_process_group()


@program
def fsdp2_one():
    from torch.distributed.fsdp import fully_shard

    init_group_of_one()
    model = GPT(layers=2).cuda()
    for block in model.blocks:
        fully_shard(block)
    fully_shard(model)
    train(model, lambda model: model(random_tokens()))
    torch.distributed.destroy_process_group()

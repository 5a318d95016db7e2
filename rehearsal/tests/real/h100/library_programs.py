"""Operations of libraries that request workspaces: cuDNN, cuFFT, cuSOLVER and cuSPARSE."""

import functools

import torch
from registry import PROGRAMS, program
from torch import nn
from training import train


def recurrent(kind):
    model = kind(256, 512, num_layers=2, dropout=0.1, bidirectional=True, batch_first=True).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(2):
        y, _ = model(torch.randn(32, 100, 256, device="cuda"))
        y.sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    lengths = [50, 40, 30, 20, 10, 5, 4, 3]
    packed = nn.utils.rnn.pack_padded_sequence(
        torch.randn(8, 50, 256, device="cuda"), torch.tensor(lengths), batch_first=True
    )
    model(packed)[0].data.sum().backward()


for kind in (nn.LSTM, nn.GRU, nn.RNN):
    PROGRAMS[f"rnn_{kind.__name__.lower()}"] = functools.partial(recurrent, kind)


def convolution_layers():
    layers = [layer for _ in range(4) for layer in (nn.Conv2d(64, 64, 3, padding=1), nn.BatchNorm2d(64), nn.ReLU())]
    return nn.Sequential(nn.Conv2d(3, 64, 3), *layers, nn.MaxPool2d(2)).cuda()


@program
def convolutions():
    model = convolution_layers()
    train(model, lambda model: model(torch.ones(16, 3, 128, 128, device="cuda")).mean(), torch.optim.SGD, lr=0.1)


@program
def convolutions_benchmark():
    torch.backends.cudnn.benchmark = True
    convolutions()


@program
def convolutions_amp_last():
    """Convolutions of half precision with the channels last."""

    def step(model):
        return model(torch.ones(16, 3, 128, 128, device="cuda").to(memory_format=torch.channels_last)).mean()

    model = convolution_layers().to(memory_format=torch.channels_last)
    train(model, step, torch.optim.SGD, lr=0.1, amp=torch.float16)


@program
def convolutions_other():
    nn.Conv3d(16, 32, 3).cuda()(torch.randn(2, 16, 16, 64, 64, device="cuda")).sum().backward()
    nn.ConvTranspose2d(64, 32, 3, 2).cuda()(torch.randn(4, 64, 64, 64, device="cuda")).sum().backward()
    nn.Conv1d(64, 128, 5).cuda()(torch.randn(8, 64, 4096, device="cuda")).sum().backward()
    nn.Conv2d(64, 64, 3, groups=64).cuda()(torch.randn(8, 64, 64, 64, device="cuda")).sum().backward()


@program
def ffts():
    a = torch.randn(64, 4096, device="cuda")
    torch.fft.fft(a)
    torch.fft.rfft(a)
    torch.fft.fft2(torch.randn(8, 512, 512, device="cuda"))
    torch.fft.fftn(torch.randn(64, 64, 64, device="cuda"))
    torch.fft.rfft(torch.randn(16, 4097, device="cuda"))
    torch.stft(
        torch.randn(4, 160000, device="cuda"), 512, window=torch.hann_window(512, device="cuda"), return_complex=True
    )


def positive_definite(*batch, n):
    a = torch.randn(*batch, n, n, device="cuda")
    return a @ a.mT + n * torch.eye(n, device="cuda")


def matrix():
    return positive_definite(n=512)


def small_matrices():
    return positive_definite(16, n=32)


def decompose(name):
    """Applies a function of torch.linalg to one matrix and to two batches, and keeps the results until the end."""
    function = getattr(torch.linalg, name)
    return function(matrix()), function(small_matrices()), function(positive_definite(2, n=200))


DECOMPOSITIONS = (
    "svd", "qr", "inv", "eigh", "eigvalsh", "eig", "det", "slogdet", "pinv", "lu", "matrix_exp", "cholesky", "ldl_factor"
)
for name in DECOMPOSITIONS:
    PROGRAMS[f"linalg_{name}"] = functools.partial(decompose, name)


@program
def linalg_solve():
    return (  # the results live until the last one is there
        torch.linalg.solve(matrix(), matrix()),
        torch.linalg.solve(small_matrices(), small_matrices()),
        torch.linalg.lstsq(matrix(), matrix()),
        torch.cholesky_solve(matrix(), matrix()),
        torch.linalg.solve_triangular(matrix(), matrix(), upper=True),
    )


@program
def sparse():
    i = torch.randint(0, 4096, (2, 50000), device="cuda")
    coo = torch.sparse_coo_tensor(i, torch.ones(50000, device="cuda"), (4096, 4096))
    dense = torch.randn(4096, 64, device="cuda")
    torch.sparse.mm(coo, dense)
    coo.coalesce()
    csr = coo.coalesce().to_sparse_csr()
    csr @ dense
    torch.sparse.sampled_addmm(csr, dense, dense.mT.contiguous())
    torch.eye(4096, device="cuda").to_sparse_bsr((16, 16)) @ dense


@program
def sparse_products():
    i = torch.randint(0, 4096, (2, 50000), device="cuda")
    coo = torch.sparse_coo_tensor(i, torch.ones(50000, device="cuda"), (4096, 4096)).coalesce()
    torch.sparse.mm(coo, coo)
    csr = coo.to_sparse_csr()
    torch.sparse.mm(csr, csr)

"""One model for each family of counted operators, with shapes that tell one formula from another."""

import torch
from torch import nn

from cases import Case


class Calls(nn.Module):
    """A module whose forward is a function of the inputs, with other modules it may use."""

    def __init__(self, function, **modules):
        super().__init__()
        self.function = function
        for name, module in modules.items():
            setattr(self, name, module)

    def forward(self, *inputs):
        return self.function(self, *inputs)


def zeros(*shapes, dtype=torch.float32):
    return lambda: tuple(torch.zeros(shape, dtype=dtype) for shape in shapes)


def einsums(_, a, b, c):
    products = torch.einsum("bij,bjk->bik", a, b)
    heads = torch.einsum("bik,hk->bhi", products, c)
    return torch.einsum("bhi,bhi->b", heads, heads), torch.einsum("bij,bik->jk", a, products)


def matmuls(_, vector, matrix, batch, deep):
    """Every form that torch.matmul has a rule for."""
    return (
        vector @ vector,
        matrix @ vector,
        vector @ matrix.T,
        matrix @ matrix.T,
        batch @ matrix.T,
        matrix @ batch.transpose(-1, -2),
        batch @ batch.transpose(-1, -2),
        deep @ batch.transpose(-1, -2),
        deep @ vector,
        vector @ deep.transpose(-1, -2),
    )


def additions(_, bias, a, b):
    return (
        torch.addmm(bias, a[0], b[0], alpha=2),
        torch.baddbmm(bias, a, b, beta=0),
        torch.addbmm(bias, a, b),
        torch.addmv(bias[:, 0], a[0], b[0, :, 0]),
    )


def convolutions(self, line, image, volume):
    return self.line(line), self.image(image), self.volume(volume), self.up1(line), self.up2(image), self.up3(volume)


def convolving():
    return Calls(
        convolutions,
        line=nn.Conv1d(6, 12, 5, stride=2, padding=2, groups=3),
        image=nn.Conv2d(6, 6, 3, padding="same", dilation=2, groups=6),
        volume=nn.Conv3d(6, 4, (1, 3, 2), groups=2),
        up1=nn.ConvTranspose1d(6, 9, 4, stride=3, groups=3),
        up2=nn.ConvTranspose2d(6, 5, 3, stride=2, output_padding=1),
        up3=nn.ConvTranspose3d(6, 2, 2, groups=2, bias=False),
    )


def attentions(_, query, key, value, mask):
    attend = nn.functional.scaled_dot_product_attention
    return (
        attend(query, key, value),
        attend(query, key, value, attn_mask=mask),
        attend(query, query, query, is_causal=True),
        attend(query, key, key, scale=0.5),
    )


def attention_inputs():
    batch, heads = 2, 4
    sizes = [(batch, heads, 6, 16), (batch, heads, 10, 16), (batch, heads, 10, 16), (6, 10)]
    return tuple(torch.zeros(size) for size in sizes)


def scaled(_, a, b, scale_a, scale_b):
    return torch._scaled_mm(a, b.t(), scale_a, scale_b, out_dtype=torch.bfloat16)


def scaled_inputs():
    a, b = (torch.zeros(size).to(torch.float8_e4m3fn) for size in [(32, 64), (48, 64)])
    return a, b, torch.ones(()), torch.ones(())


def grouped(_, tokens, weights, ends):
    return torch._grouped_mm(tokens, weights, offs=ends)


def grouped_inputs():
    tokens, weights = (torch.zeros(size, dtype=torch.bfloat16) for size in [(48, 64), (4, 64, 32)])
    return tokens, weights, torch.tensor([8, 16, 40, 48], dtype=torch.int32)


def grouped_by_batch(_, a, b):
    return torch._grouped_mm(a, b)


def backward(_, gradient, image, kernel):
    """What a backward pass calls, as an operator of the program: for all three inputs, and for the weight alone."""
    where = ([4], [1, 1], [0, 0], [1, 1], False, [0, 0], 1)
    every = torch.ops.aten.convolution_backward(gradient, image, kernel, *where, [True, True, True])
    weight = torch.ops.aten.convolution_backward(gradient, image, kernel, *where, [False, True, False])
    return *every, weight[1]


def nothing(_, a, b):
    return torch.softmax(a * b + 1, dim=-1).sum().sqrt(), torch.cumsum(a, 0)


CASES = {
    "einsum": Case(lambda: Calls(einsums), zeros((2, 3, 4), (2, 4, 5), (6, 5)), ("plain", "decomposed")),
    "matmul": Case(lambda: Calls(matmuls), zeros((7,), (3, 7), (2, 5, 7), (3, 2, 5, 7)), ("plain", "decomposed")),
    "additions": Case(lambda: Calls(additions), zeros((3, 5), (2, 3, 4), (2, 4, 5)), ("plain", "decomposed")),
    "convolutions": Case(convolving, zeros((2, 6, 20), (2, 6, 9, 11), (2, 6, 3, 5, 7)), ("plain", "decomposed")),
    "attention": Case(lambda: Calls(attentions), attention_inputs, ("plain", "decomposed")),
    "scaled_mm": Case(lambda: Calls(scaled), scaled_inputs, weights="fake", needs="_scaled_mm"),
    "grouped_mm": Case(lambda: Calls(grouped), grouped_inputs, weights="fake", needs="_grouped_mm"),
    "grouped_mm_3d": Case(
        lambda: Calls(grouped_by_batch),
        zeros((3, 16, 32), (3, 32, 8), dtype=torch.bfloat16),
        weights="fake",
        needs="_grouped_mm",
    ),
    "convolution_backward": Case(
        lambda: Calls(backward), zeros((2, 4, 6, 6), (2, 3, 8, 8), (4, 3, 3, 3)), ("plain", "decomposed")
    ),
    "complex": Case(lambda: Calls(lambda _, a: a @ a.mT), zeros((2, 3, 4), dtype=torch.complex64), weights="kept"),
    "no_rows": Case(lambda: nn.Sequential(nn.Linear(8, 4), nn.Linear(4, 2)), zeros((0, 8)), weights="kept"),
    "nothing_counted": Case(lambda: Calls(nothing), zeros((3, 4), (3, 4)), weights="kept"),
}

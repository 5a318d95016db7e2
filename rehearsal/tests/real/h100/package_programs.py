"""Models and training loops of other packages.

Packages: timm, torchvision, torch_geometric, lightning, gpytorch, torchdiffeq, torchaudio, accelerate and e3nn.
"""

import functools
import tempfile

import torch
import torch.nn.functional as F
from registry import PROGRAMS, program
from torch import nn
from training import GPT, random_classes, random_tokens, train

MOMENTUM = {"optimizer_type": torch.optim.SGD, "lr": 0.1, "momentum": 0.9}


def train_timm_model(name):
    import timm

    with torch.device("cuda"):
        model = timm.create_model(name, pretrained=False, num_classes=100)
    model = model.to(memory_format=torch.channels_last)

    def images():
        return torch.randn(16, 3, 224, 224, device="cuda").contiguous(memory_format=torch.channels_last)

    def step(model):
        return F.cross_entropy(model(images()), random_classes(100, 16))

    train(model, step, amp=torch.float16, **MOMENTUM)


TIMM_MODELS = {
    "resnet50": "resnet50",
    "convnext": "convnext_tiny",
    "efficientnet": "efficientnet_b0",
    "swin": "swin_tiny_patch4_window7_224",
    "vit": "vit_small_patch16_224",
}
for name, model_name in TIMM_MODELS.items():
    PROGRAMS[f"timm_{name}"] = functools.partial(train_timm_model, model_name)


def classify(model, count):
    return F.cross_entropy(model(torch.randn(count, 3, 224, 224, device="cuda")), random_classes(100, count))


@program
def tv_resnet():
    import torchvision

    train(torchvision.models.resnet50(num_classes=100).cuda(), lambda model: classify(model, 32), **MOMENTUM)


@program
def tv_vit():
    import torchvision

    train(torchvision.models.vit_b_16(num_classes=100).cuda(), lambda model: classify(model, 16), amp=torch.bfloat16)


def two_boxes():
    boxes = [[10.0, 10, 100, 100], [50, 50, 200, 200]]
    return {"boxes": torch.tensor(boxes, device="cuda"), "labels": torch.tensor([1, 2], device="cuda")}


@program
def tv_faster_rcnn():
    import torchvision

    make = torchvision.models.detection.fasterrcnn_resnet50_fpn
    model = make(weights=None, weights_backbone=None, num_classes=5).cuda()
    losses = model([torch.rand(3, 256, 256, device="cuda") for _ in range(2)], [two_boxes() for _ in range(2)])
    sum(losses.values()).backward()


@program
def tv_deeplab():
    import torchvision

    def step(model):
        return model(torch.randn(4, 3, 256, 256, device="cuda"))["out"].mean()

    make = torchvision.models.segmentation.deeplabv3_resnet50
    model = make(weights=None, weights_backbone=None, num_classes=5).cuda()
    train(model, step, torch.optim.SGD, lr=0.1, amp=torch.bfloat16)


@program
def torch_geometric():
    from torch_geometric.nn import GATConv, GCNConv

    class GraphNetwork(nn.Module):
        def __init__(self):
            super().__init__()
            self.convolution = GCNConv(64, 128)
            self.attention = GATConv(128, 32, heads=4)

        def forward(self, x, edges):
            return self.attention(self.convolution(x, edges).relu(), edges)

    x = torch.randn(10000, 64, device="cuda")
    edges = torch.randint(0, 10000, (2, 50000), device="cuda")
    train(GraphNetwork().cuda(), lambda model: model(x, edges).square().mean(), torch.optim.Adam)


@program
def lightning():
    from lightning import LightningModule, Trainer

    class Classifier(LightningModule):
        def __init__(self):
            super().__init__()
            self.layers = nn.Sequential(nn.Linear(512, 2048), nn.ReLU(), nn.Linear(2048, 10))

        def training_step(self, batch, index):
            x, y = batch
            loss = F.cross_entropy(self.layers(x), y)
            self.log("loss", loss)
            return loss

        def validation_step(self, batch, index):
            x, y = batch
            self.log("validation_loss", F.cross_entropy(self.layers(x), y))

        def configure_optimizers(self):
            return torch.optim.AdamW(self.parameters())

    rows = torch.utils.data.TensorDataset(torch.randn(256, 512), torch.randint(0, 10, (256,)))
    batches = torch.utils.data.DataLoader(rows, 32)
    with tempfile.TemporaryDirectory() as folder:
        Trainer(
            max_epochs=2,
            accelerator="gpu",
            devices=1,
            precision="16-mixed",
            logger=False,
            enable_checkpointing=False,
            enable_progress_bar=False,
            default_root_dir=folder,
        ).fit(Classifier(), batches, batches)


@program
def gpytorch_exact():
    import gpytorch

    x = torch.linspace(0, 1, 2000, device="cuda")
    y = x.sin()

    class Regression(gpytorch.models.ExactGP):
        def __init__(self, likelihood):
            super().__init__(x, y, likelihood)
            self.mean_module = gpytorch.means.ConstantMean()
            self.kernel = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())

        def forward(self, x):
            return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.kernel(x))

    likelihood = gpytorch.likelihoods.GaussianLikelihood().cuda()
    model = Regression(likelihood).cuda()
    model.train()
    likelihood.train()
    optimizer = torch.optim.Adam(model.parameters(), 0.1)
    marginal_log_likelihood = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
    for _ in range(3):
        optimizer.zero_grad()
        loss = -marginal_log_likelihood(model(x), y)
        loss.backward()
        optimizer.step()


@program
def odeint():
    from torchdiffeq import odeint_adjoint

    layers = nn.Sequential(nn.Linear(64, 256), nn.Tanh(), nn.Linear(256, 64)).cuda()

    class Derivative(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = layers

        def forward(self, t, y):
            return self.layers(y)

    odeint_adjoint(
        Derivative(),
        torch.randn(1024, 64, device="cuda"),
        torch.linspace(0, 1, 5, device="cuda"),
        method="rk4",
    ).sum().backward()


@program
def conformer():
    import torchaudio

    model = torchaudio.models.Conformer(80, 4, 128, 4, 31).cuda()
    lengths = torch.full((8,), 400, device="cuda")
    train(model, lambda model: model(torch.randn(8, 400, 80, device="cuda"), lengths)[0].mean())


@program
def accelerate_loop():
    from accelerate import Accelerator

    accelerator = Accelerator(mixed_precision="bf16", gradient_accumulation_steps=2)
    model = GPT(layers=2)
    optimizer = torch.optim.AdamW(model.parameters())
    model, optimizer = accelerator.prepare(model, optimizer)
    for _ in range(4):
        with accelerator.accumulate(model):
            accelerator.backward(model(random_tokens()))
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()


@program
def e3nn():
    from e3nn import o3

    product = o3.FullyConnectedTensorProduct("16x0e+16x1o", "1x0e+1x1o", "16x0e+16x1o").cuda()
    x = torch.randn(1000, 64, device="cuda")
    y = torch.randn(1000, 4, device="cuda")
    product(x, y).sum().backward()

"""diffusers: a UNet, trained to predict the noise of DDPM's schedule, with an average of its weights."""

import torch
from diffusers import DDPMScheduler, UNet2DModel
from diffusers.training_utils import EMAModel
from model import train

model = UNet2DModel(
    sample_size=64, block_out_channels=(64, 128, 256), layers_per_block=1,
    down_block_types=("DownBlock2D", "AttnDownBlock2D", "DownBlock2D"), up_block_types=("UpBlock2D", "AttnUpBlock2D", "UpBlock2D"),
).cuda()  # fmt: skip
average = EMAModel(model.parameters())
average.to("cuda")
scheduler = DDPMScheduler(num_train_timesteps=1000)


def loss_of(model):
    images = torch.rand(4, 3, 64, 64, device="cuda")
    noise = torch.randn_like(images)
    times = torch.randint(0, 1000, (4,), device="cuda")
    predicted = model(scheduler.add_noise(images, noise, times), times).sample
    average.step(model.parameters())
    return torch.nn.functional.mse_loss(predicted, noise)


train(model, loss_of)

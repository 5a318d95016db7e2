"""Three steps of a language model under lightning's FSDP strategy."""

import os

import lightning
import torch
from lightning.pytorch.strategies import FSDPStrategy
from transformer import Block, Transformer, loss_of


class Module(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.model = Transformer()

    def training_step(self, tokens, _):
        return loss_of(self.model(tokens), tokens)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-4)


ranks, node_ranks = int(os.environ["WORLD_SIZE"]), int(os.environ["LOCAL_WORLD_SIZE"])
torch.manual_seed(0)
trainer = lightning.Trainer(
    accelerator="cuda",
    devices=node_ranks,
    num_nodes=ranks // node_ranks,
    strategy=FSDPStrategy(auto_wrap_policy={Block}),
    precision="bf16-mixed",
    max_steps=3,
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
)
data = torch.randint(0, 8000, (3 * ranks, 512))
trainer.fit(Module(), torch.utils.data.DataLoader(data, batch_size=1))

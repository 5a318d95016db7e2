"""Lightning: its Trainer."""

import lightning
import torch
from model import llama, show


class Module(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.model = llama()

    def training_step(self, tokens, _):
        return self.model(input_ids=tokens, labels=tokens).loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-4)


trainer = lightning.Trainer(
    accelerator="cuda", devices=1, max_steps=3, precision="bf16-mixed", logger=False, enable_checkpointing=False,
    enable_progress_bar=False, enable_model_summary=False,
)  # fmt: skip
trainer.fit(Module(), torch.utils.data.DataLoader(torch.randint(3, 8000, (16, 256)), batch_size=2))
show(trainer.global_step)

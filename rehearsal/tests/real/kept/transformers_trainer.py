"""transformers: its Trainer, with gradient accumulation and bf16."""

from model import examples, llama, show
from transformers import Trainer, TrainingArguments

settings = TrainingArguments(
    output_dir="trained", per_device_train_batch_size=2, gradient_accumulation_steps=2, max_steps=2, bf16=True,
    report_to=[], save_strategy="no", disable_tqdm=True, logging_strategy="no",
)  # fmt: skip
done = Trainer(model=llama(), args=settings, train_dataset=examples()).train()
show(done.global_step, done.training_loss)

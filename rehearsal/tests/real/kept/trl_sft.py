"""trl: supervised fine-tuning."""

from datasets import Dataset
from model import llama, make_tokenizer, show
from trl import SFTConfig, SFTTrainer

settings = SFTConfig(
    output_dir="trained", per_device_train_batch_size=2, max_steps=3, max_length=128, bf16=True, report_to=[],
    save_strategy="no", disable_tqdm=True, logging_strategy="no",
)  # fmt: skip
data = Dataset.from_list([{"text": "the quick brown fox " * 12}] * 16)
trainer = SFTTrainer(model=llama(), args=settings, train_dataset=data, processing_class=make_tokenizer("tokenizer"))
show(trainer.train().global_step)

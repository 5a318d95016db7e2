"""trl: GRPO, with transformers' own generation."""

from datasets import Dataset
from model import llama, make_tokenizer, show
from trl import GRPOConfig, GRPOTrainer

settings = GRPOConfig(
    output_dir="trained", per_device_train_batch_size=4, num_generations=4, max_completion_length=24, max_steps=2, bf16=True,
    beta=0.04, report_to=[], save_strategy="no", disable_tqdm=True, logging_strategy="no",
)  # fmt: skip
llama().save_pretrained("model")  # trl reads it twice: the model that is trained, and its reference
trainer = GRPOTrainer(
    model="model", args=settings, processing_class=make_tokenizer("model"),
    reward_funcs=lambda completions, **_: [float(len(text)) for text in completions],
    train_dataset=Dataset.from_list([{"prompt": "the quick brown fox"}] * 16),
)  # fmt: skip
show(trainer.train().global_step)

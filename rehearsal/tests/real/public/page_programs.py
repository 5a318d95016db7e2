"""Programs whose memory was measured on GPUs and published in pages of documentation, written anew from their descriptions.

    page_programs.py NAME OUTPUT.json

Writes the MiB that pages.py compares.
"""

import functools
import json
import pathlib
import sys

import torch
import torch.nn.functional as F

MIB = 1 << 20
# transformers' page "Efficient Training on a Single GPU".
BERT_ROWS = {
    "bert": {"per_device_train_batch_size": 4},
    "bert_accumulated": {"per_device_train_batch_size": 1, "gradient_accumulation_steps": 4},
    "bert_checkpointed": {"per_device_train_batch_size": 1, "gradient_accumulation_steps": 4, "gradient_checkpointing": True},
    "bert_fp16": {"per_device_train_batch_size": 4, "fp16": True},
    "bert_fp16_checkpointed": {"per_device_train_batch_size": 1, "gradient_accumulation_steps": 4, "gradient_checkpointing": True, "fp16": True},
    "bert_adafactor": {"per_device_train_batch_size": 4, "optim": "adafactor"},
    "bert_all": {
        "per_device_train_batch_size": 1,
        "gradient_accumulation_steps": 4,
        "gradient_checkpointing": True,
        "fp16": True,
        "optim": "adafactor",
    },
}
# torchao's README of low-bit optimizers.
VIT_ROWS = {"vit": None, "vit_offload": {}, "vit_offload_gradients": {"offload_gradients": True}}


def keep_gradients():
    """zero_grad() fills gradients with zeros, as it did before PyTorch 2.0, when the page was written."""
    for owner in (torch.nn.Module, torch.optim.Optimizer):
        original = owner.zero_grad
        owner.zero_grad = lambda self, set_to_none=False, original=original: original(self, set_to_none=False)


def train_bert(**settings):
    """Returns the highest reserved memory of three steps."""
    from transformers import AutoModelForSequenceClassification, BertConfig, Trainer, TrainingArguments

    keep_gradients()
    config = BertConfig(hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, intermediate_size=4096)
    model = AutoModelForSequenceClassification.from_config(config, attn_implementation="eager").to("cuda")
    data = [{"input_ids": torch.randint(100, 30000, (512,)), "labels": torch.tensor(0)} for _ in range(16)]
    optimizer = None if "optim" in settings else torch.optim.AdamW(model.parameters(), foreach=False)  # no foreach in 2022
    arguments = TrainingArguments(output_dir="tmp", max_steps=3, report_to="none", save_strategy="no", **settings)
    Trainer(model=model, args=arguments, train_dataset=data, optimizers=(optimizer, None)).train()
    return torch.cuda.max_memory_reserved()


def octocoder():
    """transformers' page "Optimizing LLMs for Speed and Memory": 60 tokens after a prompt of about 20."""
    from transformers import AutoModelForCausalLM, GPTBigCodeConfig

    config = GPTBigCodeConfig(n_embd=6144, n_head=48, n_inner=24576, n_layer=40, n_positions=8192, vocab_size=49152)
    with torch.device("cuda"):
        model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16, attn_implementation="eager").eval()
    model.generate(torch.randint(5, 1000, (1, 20), device="cuda"), min_new_tokens=60, max_new_tokens=60, do_sample=False, pad_token_id=0)
    return torch.cuda.max_memory_allocated()


def train_vit_giant(offload):
    """torchao's README of low-bit optimizers, "Optimizer CPU offload": the highest allocated memory of three steps."""
    import timm
    from torchao.prototype.low_bit_optim import CPUOffloadOptimizer

    model = timm.create_model("vit_giant_patch14_dinov2", num_classes=45, img_size=224)
    model.set_grad_checkpointing()
    model.bfloat16().cuda()
    adamw = functools.partial(torch.optim.AdamW, fused=True)
    optimizer_class = functools.partial(CPUOffloadOptimizer, optimizer_class=adamw, **offload) if offload is not None else adamw
    optimizer = optimizer_class(model.parameters(), lr=1e-4, weight_decay=0)
    for _ in range(3):
        images, labels = torch.zeros(32, 3, 224, 224, dtype=torch.bfloat16), torch.zeros(32, dtype=torch.int64)
        loss = F.cross_entropy(model(images.cuda()), labels.cuda())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return torch.cuda.max_memory_allocated()


def main():
    name, output = sys.argv[1:]
    if name in BERT_ROWS:
        measured = train_bert(**BERT_ROWS[name])
    elif name in VIT_ROWS:
        measured = train_vit_giant(VIT_ROWS[name])
    else:
        measured = octocoder()
    pathlib.Path(output).write_text(json.dumps({"mib": measured / MIB}))


if __name__ == "__main__":
    main()

"""Training and generation with transformers: small configurations of its models, with random weights.

Packages: transformers, and peft for hf_llama_lora.
"""

import functools
import tempfile

import torch
from registry import PROGRAMS, program
from training import random_tokens, train

DECODER = {
    "vocab_size": 32000,
    "hidden_size": 512,
    "intermediate_size": 1408,
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
}


def gpt2(hf):
    return hf.GPT2LMHeadModel(hf.GPT2Config(n_layer=4))


def llama(hf):
    return hf.LlamaForCausalLM(hf.LlamaConfig(**DECODER))


def qwen3(hf):
    return hf.Qwen3ForCausalLM(hf.Qwen3Config(**DECODER, head_dim=64))


def mixtral(hf):
    return hf.MixtralForCausalLM(hf.MixtralConfig(**DECODER, num_local_experts=4))


def mixtral_eager(hf):
    config = hf.MixtralConfig(**DECODER, num_local_experts=4)
    return hf.MixtralForCausalLM._from_config(config, experts_implementation="eager")


def bert(hf):
    return hf.BertForMaskedLM(hf.BertConfig(num_hidden_layers=4))


def t5(hf):
    return hf.T5ForConditionalGeneration(hf.T5Config(num_layers=2, decoder_start_token_id=0, pad_token_id=0))


def vit(hf):
    return hf.ViTForImageClassification(hf.ViTConfig(num_hidden_layers=4))


def whisper(hf):
    return hf.WhisperForConditionalGeneration(hf.WhisperConfig(encoder_layers=2, decoder_layers=2))


def mamba(hf):
    return hf.MambaForCausalLM(hf.MambaConfig(vocab_size=1000, hidden_size=128, num_hidden_layers=2))


def detr(hf):
    config = hf.DetrConfig(
        use_timm_backbone=False,
        backbone=None,
        backbone_config=hf.ResNetConfig(out_features=["stage4"]),
        use_pretrained_backbone=False,
        encoder_layers=1,
        decoder_layers=1,
    )
    return hf.DetrForObjectDetection(config)


def language_batch(tokens):
    return {"input_ids": tokens, "labels": tokens, "attention_mask": torch.ones_like(tokens)}


def t5_batch():
    return {"input_ids": random_tokens(256), "labels": random_tokens(64)}


def vit_batch():
    return {
        "pixel_values": torch.randn(8, 3, 224, 224, device="cuda"),
        "labels": torch.ones(8, dtype=torch.long, device="cuda"),
    }


def whisper_batch():
    return {"input_features": torch.randn(2, 80, 3000, device="cuda"), "labels": random_tokens(32, 2)}


def mamba_batch():
    return {"input_ids": random_tokens(32), "labels": random_tokens(32)}


def two_boxes():
    return {"class_labels": torch.tensor([1, 2], device="cuda"), "boxes": torch.rand(2, 4, device="cuda")}


def detr_batch():
    return {"pixel_values": torch.randn(2, 3, 224, 224, device="cuda"), "labels": [two_boxes() for _ in range(2)]}


def with_lora(model):
    import peft

    config = peft.LoraConfig(r=8, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM")
    model = peft.get_peft_model(model, config)
    model.enable_input_require_grads()
    return model


def train_model(make, batch=None, is_checkpointed=False, has_lora=False):
    import transformers

    transformers.logging.set_verbosity_error()
    with torch.device("cuda"):
        model = make(transformers)
    model.train()
    if is_checkpointed:
        model.gradient_checkpointing_enable()
    if has_lora:
        model = with_lora(model)

    def step(model):
        tokens = random_tokens(256, 4)  # also where the model has another batch: the figures include them
        return model(**(batch() if batch else language_batch(tokens))).loss

    train(model, step, amp=torch.bfloat16, lr=1e-4)


TRAINED = {
    "gpt2": (gpt2,),
    "llama": (llama,),
    "llama_checkpointed": (llama, None, True),
    "llama_lora": (llama, None, True, True),
    "qwen3": (qwen3,),
    "mixtral": (mixtral,),
    "mixtral_eager": (mixtral_eager,),
    "bert": (bert,),
    "t5": (t5, t5_batch),
    "vit": (vit, vit_batch),
    "whisper": (whisper, whisper_batch),
    "mamba": (mamba, mamba_batch),
    "detr": (detr, detr_batch),
}
for name, arguments in TRAINED.items():
    PROGRAMS[f"hf_{name}"] = functools.partial(train_model, *arguments)


def generate(**options):
    import transformers

    with torch.device("cuda"):
        model = qwen3(transformers).eval().bfloat16()
    tokens = random_tokens(64)
    model.generate(tokens, attention_mask=torch.ones_like(tokens), max_new_tokens=48, **options)


GENERATIONS = {
    "greedy": {"do_sample": False},
    "sample": {"do_sample": True},
    "beam": {"num_beams": 3, "do_sample": False},
    "static": {"do_sample": False, "cache_implementation": "static", "disable_compile": True},
}
for name, options in GENERATIONS.items():
    PROGRAMS[f"gen_{name}"] = functools.partial(generate, **options)


class RandomTexts(torch.utils.data.Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        tokens = torch.randint(5, 1000, (256,))
        return {"input_ids": tokens, "labels": tokens}


@program
def hf_trainer():
    import transformers

    model = llama(transformers)
    with tempfile.TemporaryDirectory() as folder:
        arguments = transformers.TrainingArguments(
            folder,
            max_steps=4,
            per_device_train_batch_size=4,
            report_to=[],
            save_strategy="no",
            logging_steps=1,
            disable_tqdm=True,
            bf16=True,
            eval_strategy="steps",
            eval_steps=2,
        )
        transformers.Trainer(
            model=model, args=arguments, train_dataset=RandomTexts(), eval_dataset=RandomTexts()
        ).train()

"""The vocabulary of gpt-oss, which openai_harmony loads from the network: a rehearsed server starts without it. The
adapters of a model with dummy weights: they are read. The layers of GPTQ without files of weights: those of the decoder.

usage: server_vocabulary_test.py MEMVIZ SOURCE
"""

import importlib
import pathlib
import re
import sys
import types

SOURCE = pathlib.Path(sys.argv[2])
sys.path[:0] = [str(SOURCE / "rehearsal/hook"), str(SOURCE / "python/memviz_torch")]
for module in ("", ".waiting"):
    sys.modules["memviz_recording" + module] = importlib.import_module("recording" + module)

from memviz_rehearsal.server import supply as server  # noqa: E402


class HarmonyError(RuntimeError):
    pass


def load_harmony_encoding(name):
    if name == "there":
        return "a vocabulary"
    raise HarmonyError("failed to download") if name == "absent" else ValueError(name)


def loaded(module, name):
    try:
        return module.load_harmony_encoding(name)
    except (HarmonyError, ValueError) as error:
        return type(error).__name__


class Config:
    def __init__(self, load_format):
        self.load_format = load_format


class LoRAAdapter:
    def __init__(self, config):
        self.load_config = config

    def initialize_weights(self):
        return self.load_config.load_format


def check_adapters():
    server._read_adapters(types.SimpleNamespace(LoRAAdapter=LoRAAdapter))
    of_model = Config("dummy")
    formats = [LoRAAdapter(config).initialize_weights() for config in (of_model, Config("safetensors"))]
    if formats != ["auto", "safetensors"] or of_model.load_format != "dummy":
        sys.exit(f"read adapters as {formats}, the model as {of_model.load_format}")


class GPTQConfig:
    """Takes the layers that are quantised from the configuration, or from files of weights."""

    def __init__(self, modules, of_files=()):
        self.modules_in_block_to_quantize, self._of_files, self.dynamic = modules, of_files, {}

    def maybe_update_config(self, model_name):
        self.modules_in_block_to_quantize = self.modules_in_block_to_quantize or list(self._of_files)


def check_quantised_layers():
    events = []
    server.log_facts = lambda **facts: events.append(facts)
    server._quantise_decoder(types.SimpleNamespace(GPTQConfig=GPTQConfig))
    found = []
    configs = GPTQConfig(["q_proj"]), GPTQConfig(None, ["k_proj"]), GPTQConfig(None)
    for config in configs:
        config.maybe_update_config("model")
        found.append(config.modules_in_block_to_quantize)
    layer = "model.layers.0.self_attn.q_proj"
    if found[:2] != [["q_proj"], ["k_proj"]] or not any(part in layer for part in found[2]) or len(events) != 1:
        sys.exit(f"quantised {found}, said {events}")
    (rule,) = configs[2].dynamic
    kept = [name for name in ("mlp.gate", "mlp.gate_up_proj", "mlp.experts.0.gate_proj") if re.match(rule.removeprefix("-:"), f"model.layers.0.{name}")]
    if configs[0].dynamic or configs[1].dynamic or kept != ["mlp.gate"]:
        sys.exit(f"did not quantise {kept}")


def main():
    module = types.SimpleNamespace(HarmonyError=HarmonyError, load_harmony_encoding=load_harmony_encoding)
    events = []
    server.log_facts = lambda **facts: events.append(facts)
    supply = server.Supply()
    supply._supply_vocabulary(module)
    found = [loaded(module, "absent")]  # of a program that is not a server
    supply.has_server = True
    found += [loaded(module, name) for name in ("there", "other")]
    empty = loaded(module, "absent")
    if found != ["HarmonyError", "a vocabulary", "ValueError"] or empty.stop_tokens_for_assistant_actions() != []:
        sys.exit(f"loaded {found}, {empty}")
    if events != [{"added": "no vocabulary in place of one that openai_harmony cannot load"}]:
        sys.exit(f"said {events}")


main()
check_adapters()
check_quantised_layers()

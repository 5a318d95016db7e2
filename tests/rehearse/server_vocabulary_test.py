"""The vocabulary of gpt-oss, which openai_harmony loads from the network: a rehearsed server starts without it. The
adapters of a model with dummy weights: they are read.

usage: server_vocabulary_test.py MEMVIZ SOURCE
"""

import importlib
import pathlib
import sys
import types

SOURCE = pathlib.Path(sys.argv[2])
sys.path[:0] = [str(SOURCE / "src/hooks/rehearse"), str(SOURCE / "python/memviz_torch")]
for module in ("", ".waiting"):
    sys.modules["memviz_recording" + module] = importlib.import_module("recording" + module)

import memviz_rehearsal_server_supply as server  # noqa: E402


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


def main():
    module = types.SimpleNamespace(HarmonyError=HarmonyError, load_harmony_encoding=load_harmony_encoding)
    events = []
    server._State.log = lambda **facts: events.append(facts)
    server._State.guarded = lambda act: act()
    server._supply_vocabulary(module)
    found = [loaded(module, "absent")]  # of a program that is not a server
    server._State.has_server = True
    found += [loaded(module, name) for name in ("there", "other")]
    empty = loaded(module, "absent")
    if found != ["HarmonyError", "a vocabulary", "ValueError"] or empty.stop_tokens_for_assistant_actions() != []:
        sys.exit(f"loaded {found}, {empty}")
    if events != [{"added": "no vocabulary in place of one that openai_harmony cannot load"}]:
        sys.exit(f"said {events}")


main()
check_adapters()

"""Supplies what an inference server lacks in a rehearsal: weights, a tokenizer, a vocabulary, the other ranks of its
job. Logs the additions as events "server".
"""

import copy
import os
import sys

from memviz_rehearsal import journal
from memviz_rehearsal.process.methods import act_at_imports, wrap
from memviz_rehearsal.server import rank as server_rank, requests
from memviz_rehearsal.server.log import log_facts

_NO_CACHE = "VLLM_DISABLE_COMPILE_CACHE"
_QUANTIZATION = "vllm.model_executor.layers.quantization."
_DECODER_LAYERS = ["model.layers.", "transformer.h.", "decoder.layers."]  # parts of the names that models give them
_NOT_ROUTERS = r"-:.*\.gate$"  # as GPTQModel's `dynamic` leaves modules out: routers of experts are not quantised


class Supply:
    """``has_server``: a server has read its options in this process, or ended with an error before."""

    def __init__(self):
        self.has_server = False

    def install(self):
        acts = (
            ("vllm.engine.arg_utils", lambda module: self._supply_options("vLLM", module.EngineArgs, "create_engine_config")),
            *((_QUANTIZATION + name, _quantise_decoder) for name in ("gptq", "gptq_marlin", "auto_gptq")),
            ("openai_harmony", self._supply_vocabulary),
            ("sglang.srt.lora.lora", _read_adapters),
            ("sglang.srt.server_args", lambda module: self._supply_options("SGLang", module.ServerArgs, "__post_init__")),
        )
        act_at_imports(acts)
        if journal.SETTINGS["ranks"]:
            server_rank.install(act_at_imports)

    def _supply_options(self, server, owner, method):
        """Changes the options of a server before `method` of its class of options uses them."""

        def supply(original, options, *arguments, **named):
            journal.guarded(self._supply, server, options)
            _become_rank(server, options)
            return original(options, *arguments, **named)

        wrap(owner, method, supply)

    def _supply(self, name, arguments):
        """Weights are not read: their values would be zeros anyway. A missing tokenizer is not requested. vLLM's own cache
        of compiled code is not used, for the reasons for which memviz sets an empty TORCHINDUCTOR_CACHE_DIR."""
        self.name_server(name)
        if str(getattr(arguments.load_format, "value", arguments.load_format)) == "auto":
            arguments.load_format = "dummy"
            log_facts(added="--load-format dummy")
        if not arguments.skip_tokenizer_init and _lacks_tokenizer(arguments):
            arguments.skip_tokenizer_init = True
            log_facts(added="--skip-tokenizer-init")
        if name == "vLLM" and _NO_CACHE not in os.environ:
            os.environ[_NO_CACHE] = "1"
            log_facts(added=f"{_NO_CACHE}=1")

    def _supply_vocabulary(self, module):
        """Servers of gpt-oss load its vocabulary from the network when they start; only chats need it."""
        load = module.load_harmony_encoding

        def load_if_there(*arguments, **named):
            try:
                return load(*arguments, **named)
            except module.HarmonyError:
                if not self.has_server:
                    raise
                log_facts(added="no vocabulary in place of one that openai_harmony cannot load")
                return _NoVocabulary()

        module.load_harmony_encoding = load_if_there

    def name_server(self, name):
        if not self.has_server:
            self.has_server = True
            over_http = requests.server_of_process() is not None
            log_facts(name=name, version=str(sys.modules[name.lower()].__version__), over_http=over_http)


def _quantise_decoder(module):
    """vLLM takes from the files of weights which layers GPTQ has quantised; without files they would be none."""

    def update(original, self, *arguments, **named):
        original(self, *arguments, **named)
        if not self.modules_in_block_to_quantize:
            self.modules_in_block_to_quantize = list(_DECODER_LAYERS)
            self.dynamic.setdefault(_NOT_ROUTERS, {})
            log_facts(added="GPTQ in all linear layers of the decoder, because there are no files of weights that list them")

    for name in ("GPTQConfig", "GPTQMarlinConfig", "AutoGPTQConfig"):
        if hasattr(module, name):
            wrap(getattr(module, name), "maybe_update_config", update, is_in_all=False)


class _NoVocabulary:
    @staticmethod
    def stop_tokens_for_assistant_actions():
        return []


def _read_adapters(module):
    """SGLang reads the adapters of LoRA in the load format of the model, and none can be read as dummy weights."""

    def read(original, self, *arguments, **named):
        if str(getattr(self.load_config.load_format, "value", self.load_config.load_format)) == "dummy":
            self.load_config = copy.copy(self.load_config)
            self.load_config.load_format = type(self.load_config.load_format)("auto")
        return original(self, *arguments, **named)

    wrap(module.LoRAAdapter, "initialize_weights", read)


def _become_rank(server, arguments):
    """Makes the server one rank of a job with absent ranks, or refuses it if that is impossible."""
    ranks = journal.SETTINGS["ranks"]
    if not ranks:
        return
    added, reason = journal.guarded(server_rank.become_rank, server, arguments, ranks) or (None, None)
    if added:
        log_facts(added=added)
    if getattr(arguments, "pipeline_parallel_size", 1) > 1:
        log_facts(one_by_one=True)  # each stage has a scheduler, which would batch requests differently
    if reason:
        journal.guarded(journal.log, "refusal", text=reason)
        raise SystemExit(f"memviz: rehearse: {reason}")


def _lacks_tokenizer(arguments):
    for name in ("tokenizer", "tokenizer_path", "model", "model_path"):
        folder = getattr(arguments, name, None)
        if folder:
            return os.path.isdir(folder) and not any(map(_is_tokenizer, os.listdir(folder)))
    return False


def _is_tokenizer(name):
    return name in ("tokenizer.json", "tokenizer_config.json", "vocab.json", "tekken.json") or name.endswith(".model")

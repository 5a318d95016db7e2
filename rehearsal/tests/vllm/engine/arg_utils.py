import os
import sys


class EngineArgs:
    def __init__(self, model):
        self.model = self.tokenizer = model
        self.load_format = "auto"
        self.skip_tokenizer_init = False
        self.tensor_parallel_size = int(os.environ.get("FAKE_SERVER_RANKS", "1"))
        self.pipeline_parallel_size = int(os.environ.get("FAKE_SERVER_STAGES", "1"))
        self.data_parallel_size = int(os.environ.get("FAKE_SERVER_REPLICAS", "1"))
        self.distributed_executor_backend = None

    def create_engine_config(self):
        print("load format", self.load_format, "skips tokenizer", self.skip_tokenizer_init, file=sys.stderr)

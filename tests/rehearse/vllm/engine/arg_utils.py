import sys


class EngineArgs:
    def __init__(self, model):
        self.model = self.tokenizer = model
        self.load_format = "auto"
        self.skip_tokenizer_init = False

    def create_engine_config(self):
        print("load format", self.load_format, "skips tokenizer", self.skip_tokenizer_init, file=sys.stderr)

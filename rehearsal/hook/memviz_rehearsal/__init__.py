"""The hook of `memviz rehearse`, put into every Python that it starts: it answers for what the made-up GPU cannot, and
records what the program does with PyTorch's allocator.

hook.py puts it together. process/: the start and the end of a process. values/: what the program reads from the GPU. job/: a
rank whose other ranks are absent. server/: vLLM and SGLang.
"""

import os

OWN_FOLDER = os.path.dirname(os.path.dirname(__file__))  # of this package and of the recorder's

"""Records what PyTorch's CUDA allocator does, and leaves snapshots that say what the program's tensors are.

Nothing here imports torch before it is used, and nothing depends on the rest of memviz_torch: the program ``memviz``
brings this folder along for ``memviz run`` and ``memviz rehearse``, under the name memviz_recording. This file imports
nothing, because every Python of a job passes here: recorder.py has ``record()``, job.py the hook.
"""

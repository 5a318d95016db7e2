# A slice of an NVIDIA A100 80 GB, as MIG makes it. Limits of a multiprocessor: CUDA C++ Programming Guide, compute
# capability 8.0; multiprocessors: nvidia-smi mig -lgip in public documents; L2 cache and bus: its share of memory.
device = NVIDIA A100 80GB PCIe MIG 2g.20gb
also_called = a100-mig-2g.20gb
compute_capability = 8.0
multiprocessors = 28
# Approximation: nvidia-smi in public logs says 19968MiB, with 28 multiprocessors
# (github.com/XuehaiPan/nvitop/pull/8).
total_bytes = 20937965568
# Approximation of what a fresh context of PyTorch takes; it depends on the driver and on the version of CUDA.
context_bytes = 445644800
threads_per_multiprocessor = 2048
blocks_per_multiprocessor = 32
shared_bytes_per_multiprocessor = 167936
shared_bytes_per_block = 166912
l2_cache_bytes = 10485760
memory_bus_bits = 1280

# A slice of an NVIDIA A100 80 GB, as MIG makes it. Limits of a multiprocessor: CUDA C++ Programming Guide, compute
# capability 8.0; multiprocessors: nvidia-smi mig -lgip in public documents; L2 cache and bus: its share of memory.
device = NVIDIA A100 80GB PCIe MIG 3g.40gb
also_called = a100-mig-3g.40gb
compute_capability = 8.0
multiprocessors = 42
# Approximation: public records of PyTorch on this slice say 39.25 GB available.
total_bytes = 42144366592
# Approximation of what a fresh context of PyTorch takes; it depends on the driver and on the version of CUDA.
context_bytes = 445644800
threads_per_multiprocessor = 2048
blocks_per_multiprocessor = 32
shared_bytes_per_multiprocessor = 167936
shared_bytes_per_block = 166912
l2_cache_bytes = 20971520
memory_bus_bits = 2560

# A slice of an NVIDIA H200, as MIG makes it. Limits of a multiprocessor: CUDA C++ Programming Guide, compute
# capability 9.0; multiprocessors: nvidia-smi mig -lgip in public documents; L2 cache and bus: its share of memory.
device = NVIDIA H200 MIG 3g.71gb
compute_capability = 9.0
multiprocessors = 60
# Approximation: PyTorch in public records says 69.8 GB, with 60 multiprocessors and 227 KB of shared memory.
total_bytes = 74947166208
# Approximation of what a fresh context of PyTorch takes; it depends on the driver and on the version of CUDA.
context_bytes = 552599552
threads_per_multiprocessor = 2048
blocks_per_multiprocessor = 32
shared_bytes_per_multiprocessor = 233472
shared_bytes_per_block = 232448
l2_cache_bytes = 26214400
memory_bus_bits = 3072

# A slice of an NVIDIA H100 80 GB, as MIG makes it. Limits of a multiprocessor: CUDA C++ Programming Guide, compute
# capability 9.0; multiprocessors: nvidia-smi mig -lgip in public documents; L2 cache and bus: its share of memory.
device = NVIDIA H100 80GB HBM3 MIG 1g.10gb
also_called = h100-mig-1g.10gb
compute_capability = 9.0
multiprocessors = 16
# Approximation: nvidia-smi mig -lgip in public documents says 9.75 GiB.
total_bytes = 10468982784
# Approximation of what a fresh context of PyTorch takes; it depends on the driver and on the version of CUDA.
context_bytes = 552599552
threads_per_multiprocessor = 2048
blocks_per_multiprocessor = 32
shared_bytes_per_multiprocessor = 233472
shared_bytes_per_block = 232448
l2_cache_bytes = 6553600
memory_bus_bits = 640

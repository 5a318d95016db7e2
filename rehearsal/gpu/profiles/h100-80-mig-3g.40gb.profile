# A slice of an NVIDIA H100 80 GB, as MIG makes it. Limits of a multiprocessor: CUDA C++ Programming Guide, compute
# capability 9.0; multiprocessors: nvidia-smi mig -lgip in public documents; L2 cache and bus: its share of memory.
device = NVIDIA H100 80GB HBM3 MIG 3g.40gb
also_called = h100-mig-3g.40gb
compute_capability = 9.0
multiprocessors = 60
# Approximation: PyTorch in public records says 39.38 GB, as nvidia-smi mig -lgip does; another program expects 39.25
# GiB.
total_bytes = 42283892736
least_total_bytes = 42144366592
# Approximation of what a fresh context of PyTorch takes; it depends on the driver and on the version of CUDA.
context_bytes = 552599552
threads_per_multiprocessor = 2048
blocks_per_multiprocessor = 32
shared_bytes_per_multiprocessor = 233472
shared_bytes_per_block = 232448
l2_cache_bytes = 26214400
memory_bus_bits = 2560

# NVIDIA A800 SXM4 80 GB, an A100 with fewer links. Limits of a multiprocessor: CUDA C++ Programming Guide, compute
# capability 8.0; multiprocessors, L2 cache and bus: NVIDIA A100 Tensor Core GPU architecture, white paper.
device = NVIDIA A800-SXM4-80GB
compute_capability = 8.0
multiprocessors = 108
# get_device_properties() in a public program's record says 85094825984 bytes.
total_bytes = 85094825984
# Approximation of what a fresh context of PyTorch takes; it depends on the driver and on the version of CUDA.
context_bytes = 445644800
threads_per_multiprocessor = 2048
blocks_per_multiprocessor = 32
shared_bytes_per_multiprocessor = 167936
shared_bytes_per_block = 166912
l2_cache_bytes = 41943040
memory_bus_bits = 5120

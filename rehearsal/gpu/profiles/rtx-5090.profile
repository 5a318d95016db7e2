# NVIDIA GeForce RTX 5090 32 GB. Limits of a multiprocessor: CUDA C++ Programming Guide, compute capability 12.0;
# multiprocessors, L2 cache and bus: the same deviceQuery.
device = NVIDIA GeForce RTX 5090
compute_capability = 12.0
multiprocessors = 170
# deviceQuery, "32120 MBytes (33680457728 bytes)", in github.com/NVIDIA/nccl/issues/1637; PyTorch's messages say 31.37 GiB.
total_bytes = 33680457728
# Approximation of what a fresh context of PyTorch takes; it depends on the driver and on the version of CUDA.
context_bytes = 440401920
threads_per_multiprocessor = 1536
blocks_per_multiprocessor = 24
shared_bytes_per_multiprocessor = 102400
shared_bytes_per_block = 101376
l2_cache_bytes = 100663296
memory_bus_bits = 512

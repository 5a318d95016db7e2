# NVIDIA GeForce RTX 5060 Ti, the card with 16 GB. Limits of a multiprocessor: CUDA C++ Programming Guide, compute
# capability 12.0; multiprocessors, L2 cache and bus: public descriptions of the card, estimated.
device = NVIDIA GeForce RTX 5060 Ti
compute_capability = 12.0
multiprocessors = 36
# Approximation: a public log says "15,816 MiB CUDA-visible" (github.com/Luce-Org/lucebox/issues/407), driver 595.
total_bytes = 16584278016
# Approximation of what a fresh context of PyTorch takes; it depends on the driver and on the version of CUDA.
context_bytes = 440401920
threads_per_multiprocessor = 1536
blocks_per_multiprocessor = 24
shared_bytes_per_multiprocessor = 102400
shared_bytes_per_block = 101376
l2_cache_bytes = 33554432
memory_bus_bits = 128

# NVIDIA GeForce RTX 5080 16 GB. Limits of a multiprocessor: CUDA C++ Programming Guide, compute capability 12.0;
# multiprocessors and L2 cache: torch.cuda.get_device_properties() in public logs; bus: NVIDIA data sheet.
device = NVIDIA GeForce RTX 5080
compute_capability = 12.0
multiprocessors = 84
# Approximation: get_device_properties() in a public log of Windows says "total_memory=16302MB,
# multi_processor_count=84, L2_cache_size=64MB"; on Linux PyTorch's messages of such cards with 16 GB say 15.45 to
# 15.49 GiB.
total_bytes = 16610754560
least_total_bytes = 16589258752
# Approximation of what a fresh context of PyTorch takes; it depends on the driver and on the version of CUDA.
context_bytes = 440401920
threads_per_multiprocessor = 1536
blocks_per_multiprocessor = 24
shared_bytes_per_multiprocessor = 102400
shared_bytes_per_block = 101376
l2_cache_bytes = 67108864
memory_bus_bits = 256

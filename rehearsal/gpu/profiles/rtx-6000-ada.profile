# NVIDIA RTX 6000 Ada 48 GB. Limits of a multiprocessor: CUDA C++ Programming Guide, compute capability 8.9;
# multiprocessors, L2 cache and bus: NVIDIA Ada architecture, white paper.
device = NVIDIA RTX 6000 Ada Generation
compute_capability = 8.9
multiprocessors = 142
# Approximation: get_device_properties() in public sources says "total_memory=48622MB, multi_processor_count=142", to
# 1 MiB, without ECC; with ECC PyTorch's messages say 44.43 GiB (github.com/DINGYANB/MTVCrafter/issues/21).
total_bytes = 50983862272
least_total_bytes = 47706341376
# Approximation of what a fresh context of PyTorch takes; it depends on the driver and on the version of CUDA.
context_bytes = 408944640
threads_per_multiprocessor = 1536
blocks_per_multiprocessor = 24
shared_bytes_per_multiprocessor = 102400
shared_bytes_per_block = 101376
l2_cache_bytes = 100663296
memory_bus_bits = 384

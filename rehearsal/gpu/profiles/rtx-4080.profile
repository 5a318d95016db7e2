# NVIDIA GeForce RTX 4080 16 GB. Limits of a multiprocessor: CUDA C++ Programming Guide, compute capability 8.9;
# multiprocessors, L2 cache and bus: NVIDIA Ada architecture, white paper.
device = NVIDIA GeForce RTX 4080
compute_capability = 8.9
multiprocessors = 76
# Approximation: get_device_properties() in public sources says "total_memory=16049MB, multi_processor_count=76", to 1
# MiB; PyTorch's messages of newer drivers are not known, those of other cards with 16 GB say at least 15.45 GiB.
total_bytes = 16828596224
least_total_bytes = 16589258752
# Approximation of what a fresh context of PyTorch takes; it depends on the driver and on the version of CUDA.
context_bytes = 408944640
threads_per_multiprocessor = 1536
blocks_per_multiprocessor = 24
shared_bytes_per_multiprocessor = 102400
shared_bytes_per_block = 101376
l2_cache_bytes = 67108864
memory_bus_bits = 256

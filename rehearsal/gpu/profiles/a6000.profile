# NVIDIA RTX A6000 48 GB, without ECC. Limits of a multiprocessor: CUDA C++ Programming Guide, compute capability 8.6;
# multiprocessors, L2 cache and bus: NVIDIA Ampere GA102 architecture, white paper.
device = NVIDIA RTX A6000
compute_capability = 8.6
multiprocessors = 84
# Approximation: get_device_properties() in public logs says "total_memory=48676MB, multi_processor_count=84"
# (documentation of torchao's HQQ), to 1 MiB; PyTorch's messages say 47.53 GiB, with other drivers 47.40 to 47.50.
total_bytes = 51040485376
least_total_bytes = 50895362457
# Approximation of what a fresh context of PyTorch takes; it depends on the driver and on the version of CUDA.
context_bytes = 314572800
threads_per_multiprocessor = 1536
blocks_per_multiprocessor = 16
shared_bytes_per_multiprocessor = 102400
shared_bytes_per_block = 101376
l2_cache_bytes = 6291456
memory_bus_bits = 384

# NVIDIA H20 96 GB. Limits of a multiprocessor: CUDA C++ Programming Guide, compute capability 9.0; multiprocessors:
# torch.cuda.get_device_properties() in public sources; L2 cache and bus: public descriptions of the card, estimated.
device = NVIDIA H20
compute_capability = 9.0
multiprocessors = 78
# Approximation: get_device_properties() in public sources says "total_memory=97285MB, multi_processor_count=78", to 1 MiB.
total_bytes = 102010716160
# Approximation of what a fresh context of PyTorch takes; it depends on the driver and on the version of CUDA.
context_bytes = 552599552
threads_per_multiprocessor = 2048
blocks_per_multiprocessor = 32
shared_bytes_per_multiprocessor = 233472
shared_bytes_per_block = 232448
l2_cache_bytes = 62914560
memory_bus_bits = 6144

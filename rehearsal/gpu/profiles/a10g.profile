# NVIDIA A10G 24 GB, with ECC, as in AWS G5. Limits of a multiprocessor: CUDA C++ Programming Guide, compute capability
# 8.6; multiprocessors and L2 cache: torch.cuda.get_device_properties() in public logs; bus: NVIDIA A10 data sheet.
device = NVIDIA A10G
compute_capability = 8.6
multiprocessors = 80
# Approximation: get_device_properties() in public logs says "total_memory=22587MB, multi_processor_count=80,
# L2_cache_size=6MB" (documentation of TorchCodec), to 1 MiB; older drivers 22723MB.
total_bytes = 23684186112
# Approximation of what a fresh context of PyTorch takes; it depends on the driver and on the version of CUDA.
context_bytes = 314572800
threads_per_multiprocessor = 1536
blocks_per_multiprocessor = 16
shared_bytes_per_multiprocessor = 102400
shared_bytes_per_block = 101376
l2_cache_bytes = 6291456
memory_bus_bits = 384

# NVIDIA RTX PRO 6000 Blackwell 96 GB. Limits of a multiprocessor: CUDA C++ Programming Guide, compute capability
# 12.0; multiprocessors and L2 cache: torch.cuda.get_device_properties() in public sources; bus: NVIDIA data sheet.
device = NVIDIA RTX PRO 6000 Blackwell Server Edition
compute_capability = 12.0
multiprocessors = 188
# Approximation: get_device_properties() in public sources says "total_memory=97250MB, multi_processor_count=188,
# L2_cache_size=128MB", to 1 MiB; PyTorch's messages in public logs say 94.97 GiB, some 94.50.
total_bytes = 101974016000
least_total_bytes = 101468602368
# Approximation of what a fresh context of PyTorch takes; it depends on the driver and on the version of CUDA.
context_bytes = 440401920
threads_per_multiprocessor = 1536
blocks_per_multiprocessor = 24
shared_bytes_per_multiprocessor = 102400
shared_bytes_per_block = 101376
l2_cache_bytes = 134217728
memory_bus_bits = 512

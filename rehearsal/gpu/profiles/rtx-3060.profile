# NVIDIA GeForce RTX 3060 12 GB. Limits of a multiprocessor: CUDA C++ Programming Guide, compute capability 8.6;
# multiprocessors: torch.cuda.get_device_properties() in public sources; L2 cache and bus: public descriptions of the
# card, estimated.
device = NVIDIA GeForce RTX 3060
compute_capability = 8.6
multiprocessors = 28
# Approximation: get_device_properties() in public sources says "total_memory=12011MB, multi_processor_count=28", to 1
# MiB; others 11938MB; PyTorch's messages 11.75 GiB (github.com/smy20011/dreambooth-gui/issues/78).
total_bytes = 12594446336
least_total_bytes = 12517900288
# Approximation of what a fresh context of PyTorch takes; it depends on the driver and on the version of CUDA.
context_bytes = 314572800
threads_per_multiprocessor = 1536
blocks_per_multiprocessor = 16
shared_bytes_per_multiprocessor = 102400
shared_bytes_per_block = 101376
l2_cache_bytes = 3145728
memory_bus_bits = 192

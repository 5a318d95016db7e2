import torch


class GPUModelRunner:
    def capture_model(self):
        torch.allocate(20 << 20)
        return 20 << 20
